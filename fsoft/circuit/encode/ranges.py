"""How many bits the words of a Model seem to need: intervals from random runs, from constants and from the flow of copies.

An interval says what a word is expected to hold, as signed numbers; nothing here is trusted (`narrow.py` watches it). A word that may
take the value of another one, of an input or of a constant gets an interval that holds it: so a value that random runs seldom
reach widens all the words that it can be copied to at once. Words that are the same variable of several threads, or cells of one array, are
kin, and are widened together. Locations, cells that come to life with any value, and the states of a scheduler keep their bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from fsoft.circuit.encode.encoding import ProgramCircuit
from fsoft.program.expr import Expr, to_signed
from fsoft.program.interpreter import Machine
from fsoft.program.program import Object
from fsoft.program.state import ChoicePoint, Choose, State

RUNS, STEPS = 40, 250

Interval = tuple[int, int]
CopyWay = tuple[tuple[str, int, int], ...]
"""How a copy changes a value: extensions and truncations, innermost first: (operator, width before, width after)."""


@dataclass(frozen=True, slots=True)
class WordShape:
    """`bits` latches hold the word, extended by its sign or by zeros."""

    bits: int
    signed: bool


def shape_of(interval: Interval) -> WordShape:
    """The smallest shape that holds the interval."""
    low, high = interval
    if low >= 0:
        return WordShape(max(1, high.bit_length()), False)
    return WordShape(max((-low - 1).bit_length(), high.bit_length()) + 1, True)


def _join(a: Interval | None, b: Interval) -> Interval:
    return b if a is None else (min(a[0], b[0]), max(a[1], b[1]))


def _all(width: int) -> Interval:
    return -(1 << (width - 1)), (1 << (width - 1)) - 1


class Ranges:
    """Intervals of the words of an encoding's Model; `shapes` is the guess, `widen` learns from a value that did not fit."""

    def __init__(self, encoding: ProgramCircuit, seed: int = 1):
        self.model = encoding.model
        self.kept = _kept(encoding)
        self._kin, self._members = _kin(encoding)
        self._losses: dict[str, int] = {}
        self.intervals = _observed(encoding, Random(seed))
        self._copies: dict[str, list[tuple[str, CopyWay]]] = {}  # from a word to those that may take its value
        for name, term in self.model.next.items():
            if name not in self.model.arrays:
                self._start(name, term)
        self._flow(list(self.intervals))

    def shapes(self) -> dict[str, WordShape]:
        """Shapes for the words that need fewer bits than they have."""
        found: dict[str, WordShape] = {}
        for name, width in self.model.states.items():
            interval = self.intervals.get(name)
            if name in self.kept or name in self.model.arrays or self.model.init[name] is None:
                continue
            if width > 2 and interval is not None:
                shape = shape_of(interval)
                if shape.bits < width:
                    found[name] = shape
        return found

    def widen(self, values: dict[str, int]) -> None:
        """Makes room for values (unsigned, of all words) of which some did not fit. At the first loss a variable gets a bit more than
        it needs, at the second twice its bits, at the third all."""
        lost: dict[str, Interval] = {}
        for name, shape in self.shapes().items():
            number = to_signed(values[name], self.model.states[name])
            if not holds(shape, values[name], self.model.states[name]):
                key = self._kin.get(name, name)
                lost[key] = _join(lost.get(key), (number, number))
        changed: list[str] = []
        for key, interval in lost.items():
            self._losses[key] = self._losses.get(key, 0) + 1
            for name in self._members.get(key, [key]):
                width = self.model.states[name]
                wanted = _join(self.intervals.get(name), interval)
                self.intervals[name] = _more(wanted, width, self._losses[key])
                changed.append(name)
        self._flow(changed)

    # ------------------------------------------------------------ copies

    def _start(self, name: str, term: Expr) -> None:
        """Notes where the values of a word come from."""
        work: list[tuple[Expr, CopyWay]] = [(term, ())]
        seen: set[tuple[Expr, CopyWay]] = set()
        while work:
            node, way = work.pop()
            if (node, way) in seen:
                continue
            seen.add((node, way))
            if node.op == "ite":
                work += [(node.args[1], way), (node.args[2], way)]
            elif node.op in ("zext", "sext") or (node.op == "extract" and node.data == 0):
                work.append((node.args[0], ((node.op, node.args[0].width, node.width), *way)))
            elif node.is_const:
                value = to_signed(node.value, node.width)
                self._include(name, _along((value, value), way))
            elif node.op == "reg" and node.data != name:
                self._source(name, str(node.data), node.width, way)

    def _source(self, name: str, source: str, width: int, way: CopyWay) -> None:
        if source in self.model.states:
            self._copies.setdefault(source, []).append((name, way))
        elif name not in self.kept:
            self._include(name, _along(_all(width), way))

    def _include(self, name: str, interval: Interval) -> bool:
        """Joins the interval to the word's; whether that changed it."""
        old = self.intervals.get(name)
        new = _join(old, interval)
        self.intervals[name] = new
        return new != old

    def _flow(self, changed: list[str]) -> None:
        """Lets intervals spread along copies until nothing changes."""
        while changed:
            source = changed.pop()
            interval = self.intervals[source]
            for name, way in self._copies.get(source, ()):
                if self._include(name, _along(interval, way)):
                    changed.append(name)


def _along(interval: Interval, way: CopyWay) -> Interval:
    """The interval after the extensions and truncations of a copy."""
    for op, before, after in way:
        if op == "zext" and interval[0] < 0:
            interval = (0, (1 << before) - 1)
        elif op == "extract" and not (_all(after)[0] <= interval[0] and interval[1] <= _all(after)[1]):
            interval = _all(after)
    return interval


def _more(interval: Interval, width: int, losses: int) -> Interval:
    """Room for more than the interval."""
    shape = shape_of(interval)
    bits = shape.bits + 1 if losses == 1 else 2 * shape.bits if losses == 2 else width
    if bits >= width:
        return _all(width)
    return _all(bits) if shape.signed else (0, (1 << bits) - 1)


def holds(shape: WordShape, value: int, width: int) -> bool:
    """Whether the word's lowest bits say it all."""
    short = value & ((1 << shape.bits) - 1)
    extended = to_signed(short, shape.bits) & ((1 << width) - 1) if shape.signed else short
    return extended == value


# ---------------------------------------------------------------- which words belong together


def _kept(encoding: ProgramCircuit) -> set[str]:
    """Locations, entries of the vector that come to life with any value, and what is no entry (a scheduler's): runs of the Program do not
    show what that holds."""
    layout, names = encoding.layout, encoding.words.names
    places = [p for p in layout.places if p is not None and p.rom is None and (p.object.undefined or not p.object.alive)]
    kept = {names[index] for index in layout.pc} | {names[p.base + k] for p in places for k in range(p.cells.count)}
    return kept | (encoding.model.states.keys() - set(names))


def _kin(encoding: ProgramCircuit) -> tuple[dict[str, str], dict[str, list[str]]]:
    """A key for every word, and the words of each key."""
    layout, names = encoding.layout, encoding.words.names
    key: dict[str, str] = {}
    numbers: dict[int, int] = {}
    for slot, thread in enumerate(encoding.program.threads):
        template = numbers.setdefault(id(thread.template), len(numbers))
        for register, index in layout.registers[slot].items():
            key[names[index]] = f"{template}.{register}"
    for place in layout.places:
        if place is not None and place.rom is None:
            for index, run in _runs(place.object, place.base):
                key[names[index]] = f"{place.object.name}@{run}"
    members: dict[str, list[str]] = {}
    for name, group in key.items():
        if name in encoding.model.states:
            members.setdefault(group, []).append(name)
    return key, members


def _runs(obj: Object, base: int) -> list[tuple[int, int]]:
    """Entries of the vector and the number of the run that each belongs to."""
    found: list[tuple[int, int]] = []
    for number, run in enumerate(obj.runs):
        found += [(base + len(found) + k, number) for k in range(run.count)]
    return found


# ---------------------------------------------------------------- random runs


def _observed(encoding: ProgramCircuit, random: Random) -> dict[str, Interval]:
    """What each word held in random runs."""
    machine, names, widths = Machine(encoding.program), encoding.words.names, encoding.words.widths
    touched = {(fired.slot, fired.index): tuple(fired.effect.writes) for fired in encoding.steps}
    seen: dict[int, Interval] = {}

    def note(state: State, indices: range | tuple[int, ...]) -> None:
        for index in indices:
            value = state[index]
            if isinstance(value, int) and widths[index]:
                number = to_signed(value, widths[index])
                old = seen.get(index)
                if old is None or not old[0] <= number <= old[1]:
                    seen[index] = _join(old, (number, number))

    for run in range(RUNS):
        choose = _chooser(random, bold=run % 2 == 1)
        state = machine.initial()
        note(state, range(len(state)))
        for _ in range(STEPS):
            moved = _random_step(machine, state, random, choose)
            if moved is None:
                break
            state = moved[0]
            note(state, touched.get(moved[1:], ()))
    return {names[index]: interval for index, interval in seen.items() if names[index]}


def _chooser(random: Random, bold: bool) -> Choose:
    """Answers for a run: given options, else small values, or (`bold`) also random ones."""

    def choose(question: ChoicePoint, options: object) -> int:
        if isinstance(options, (list, tuple)) and options:
            return int(random.choice(options))
        if question.values:
            return random.choice(question.values)
        if bold and random.random() < 0.5:
            return random.getrandbits(random.randint(1, question.width))
        return random.randrange(2)

    return choose


def _random_step(machine: Machine, state: State, random: Random, choose: Choose) -> tuple[State, int, int] | None:
    """The state after a step of a random slot that can move, and which step that was; None if nobody can."""
    slots = machine.movable(state)
    random.shuffle(slots)
    pc = machine.layout.pc
    for slot in slots:
        steps = machine.outgoing(slot, state[pc[slot]])
        for index in random.sample(steps, len(steps)) if len(steps) > 1 else steps:
            guard = machine.guard(slot, index)
            vector = list(state)
            if (guard is None or guard(vector)) and machine.function(slot, index)(vector, choose, [], []):
                return tuple(vector), slot, index
    return None


__all__ = ["Ranges", "WordShape", "holds", "shape_of"]
