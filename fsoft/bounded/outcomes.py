"""One step on a state whose words are terms: under which conditions it ends where, and what it then has written.

`circuit.steps.StepTerms` executes a step over any words; here the words are the values of a state on the way (`Now`), so that constants
propagate, and each way to stop is an **outcome** of its own instead of one more condition on everything that follows: whoever takes
an outcome assumes its condition. Locations of threads are therefore always known. A step of a tree of many paths is executed
over and over in states that agree on all that it reads: `Executor` remembers it by the values that it has read, in the order in which
it read them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from fsoft.analysis.actions import defined, reads
from fsoft.analysis.liveness import Liveness
from fsoft.circuit.encode.memory_terms import AccessWay, AddressFacts, Beyond
from fsoft.circuit.encode.pending import Candidate, PendingSteps
from fsoft.circuit.encode.steps import Inputs, StepEffect, StepTerms, VectorWords
from fsoft.frontend.source import Loc
from fsoft.program import descriptor
from fsoft.program.expr import FALSE, TRUE, Expr, conj, const, disj, ite, negate, reg
from fsoft.program.markers import step_markers
from fsoft.program.program import Alloc, Enter, Input, Program, Step
from fsoft.program.state import OVER, Layout, in_section

EntryTerms = Sequence[Expr]
"""A state: a term for every entry of `program.state.Layout`; those of locations and `OVER` are constants on a path."""


class Now(VectorWords):
    """The words of one state. `seen` collects the entries that were read, in order."""

    def __init__(self, like: VectorWords, values: EntryTerms, slot: int = -1):
        self.program, self.layout = like.program, like.layout
        self.arrays, self.at, self.banks = {}, {}, {}
        self.names, self.widths = like.names, like.widths
        self.values = values
        self.seen: dict[int, None] = {}
        empty: dict[str, Expr] = {}
        self.registers = [empty] * len(like.program.threads)
        if slot >= 0:
            self.registers[slot] = {name: values[index] for name, index in like.layout.registers[slot].items()}

    def leaf(self, index: int) -> Expr:
        self.seen[index] = None
        return self.values[index]


@dataclass(slots=True)
class StepEnd:
    """One way a step can end: `kind` is "" or the stop where its thread ends, `when` the condition (the step is enabled, and comes to
    this), `writes` the entries that it changes. `prop` is violated here, `cut` is the bound that is hit here."""

    kind: str
    when: Expr
    writes: dict[int, Expr]
    location: int
    prop: str = ""
    cut: str = ""


@dataclass(slots=True)
class Executed:
    """A step on a state. `enabled`: it can be taken, under the answers that the inputs give; `answers`, `born` and `touches` of `effect`
    are as in a circuit; `reads` and `writes` are the entries of memory that it depends on and changes, `inputs` the widths of its inputs.
    `passes` are the bounds that it always hits without stopping. The masks are `reads` and `writes` as bits."""

    slot: int
    index: int
    enabled: Expr
    outcomes: list[StepEnd]
    effect: StepEffect
    reads: frozenset[int]
    writes: frozenset[int]
    inputs: dict[str, int]
    passes: tuple[str, ...] = ()
    read_mask: int = 0
    write_mask: int = 0


class _Pending(PendingSteps):
    """Steps of different threads have inputs of their own."""

    def again(self, one: Candidate, inputs: Inputs) -> Candidate:
        return one


class _PathTerms(StepTerms):
    """A step, stop by stop. `running` stays true where a stop depends on the state: the condition goes into `alive`."""

    def __init__(self, words: VectorWords, inputs: Inputs, facts: AddressFacts, slot: int, step: Step):
        self.stopped: list[StepEnd] = []
        self.alive: Expr = TRUE
        self.met: Expr = TRUE  # what has been required so far
        super().__init__(words, inputs, facts, None, slot, step)
        self.guard = self.term_before(step.guard)

    def term_before(self, expr: Expr) -> Expr:
        """An expression in the state before the step."""
        now, self.registers = self.registers, dict(self.words.registers[self.slot])
        value = self.term(expr)
        self.registers = now
        return value

    def action(self, action: Any) -> None:
        required, self.effect.enabled = self.effect.enabled, TRUE
        super().action(action)
        needed = self.effect.enabled
        self.met = conj(self.met, needed)
        self.effect.enabled = conj(required, disj(negate(self.alive), needed))

    def _write(self, index: int, value: Expr, when: Expr) -> None:
        if when is TRUE:
            self.effect.writes[index] = value
        elif when is not FALSE:
            self.effect.writes[index] = ite(when, value, self.read(index))

    def _stop(self, kind: str, when: Expr, prop: str = "", cut: str = "") -> None:
        if when is FALSE:
            return
        writes = dict(self.effect.writes)
        if in_section(self.program, self.slot, self.step) or cut.startswith("access@"):
            writes[OVER] = TRUE
        location = self.thread.template.stops[kind]
        pc = self.layout.pc[self.slot]
        writes[pc] = const(location, self.words.widths[pc])
        reached = conj(self.alive, when)
        self.stopped.append(StepEnd(kind, conj(self.met, reached), writes, location, prop, cut))
        if prop:
            self.effect.fails[prop] = disj(self.effect.fails.get(prop, FALSE), reached)
        self.alive = conj(self.alive, negate(when))
        if when is TRUE:
            self.running = FALSE

    def _lose(self, when: Expr, loc: Loc) -> None:
        self._stop("cut", when, cut=self._at("access", loc))

    def _touch(self, ways: list[AccessWay], size: int, write: bool, sync: bool, when: Expr, beyond: Sequence[Beyond] = ()) -> None:
        super()._touch(ways, size, write, sync, conj(self.alive, when), beyond)


@dataclass(slots=True)
class _Facts:
    """What is known of a step before it runs: the registers it mentions, whether it asks for anything, the bounds that it passes, and
    by register what becomes dead."""

    registers: tuple[int, ...]
    asks: bool
    passes: tuple[str, ...]
    dead: tuple[tuple[int, Expr], ...]


@dataclass(slots=True)
class _Trie:
    """Remembered executions: the entry that is read next, and what follows for each of its values."""

    entry: int = -1
    next: dict[Expr, _Trie] = field(default_factory=dict)
    found: Executed | None = None


class Executor:
    """Executes steps of one program; the same step on the same values once only."""

    def __init__(self, program: Program):
        self.program = program
        self.layout = Layout(program)
        self.words = VectorWords(program, self.layout)
        self.facts = AddressFacts(program)
        self._live = {id(t): Liveness(t) for t in program.templates()}
        self._steps: dict[tuple[int, int], _Facts] = {}
        self._known: dict[tuple[int, int, int], _Trie] = {}
        self.out = [self._outgoing(slot) for slot in range(len(program.threads))]

    def _outgoing(self, slot: int) -> list[list[int]]:
        template = self.program.threads[slot].template
        out: list[list[int]] = [[] for _ in template.locations]
        for index, step in enumerate(template.steps):
            out[step.source].append(index)
        return out

    def initial(self) -> list[Expr]:
        """The first state; a cell that is undefined is a free leaf if it can be read before it is written."""
        values: list[Expr] = []
        alive = {
            place.base + k
            for place in self.layout.places
            if place is not None and place.rom is None and place.object.alive
            for k in range(place.cells.count)
        }
        for index, value in enumerate(self.layout.initial()):
            width = self.words.widths[index]
            free = not isinstance(value, int) and index in alive
            values.append(reg(f"start.{self.words.names[index]}", width) if free else const(value if isinstance(value, int) else 0, width))
        return values

    def step(self, slot: int, index: int) -> Step:
        return self.program.threads[slot].template.steps[index]

    def location(self, values: EntryTerms, slot: int) -> int:
        """Where a slot is."""
        return values[self.layout.pc[slot]].value

    def run(self, values: EntryTerms, slot: int, index: int, count: int) -> Executed:
        """The step on the state. Its inputs are named after the slot and `count`, the number of steps that the slot has made."""
        facts = self._facts(slot, index)
        trie = self._known.setdefault((slot, index, count if facts.asks else -1), _Trie())
        while trie.entry >= 0:
            follow = trie.next.get(values[trie.entry])
            if follow is None:
                break
            trie = follow
        if trie.found is not None:
            return trie.found
        return self._remember(values, slot, index, count, facts)

    def _remember(self, values: EntryTerms, slot: int, index: int, count: int, facts: _Facts) -> Executed:
        executed, seen = self._execute(values, slot, index, count, facts)
        trie = self._known[slot, index, count if facts.asks else -1]
        for entry in dict.fromkeys((*facts.registers, *seen)):
            trie.entry = entry
            trie = trie.next.setdefault(values[entry], _Trie())
        trie.found = executed
        return executed

    def _execute(self, values: EntryTerms, slot: int, index: int, count: int, facts: _Facts) -> tuple[Executed, list[int]]:
        now, inputs, step = Now(self.words, values, slot), Inputs(f"t{slot}.{count}"), self.step(slot, index)
        terms = _PathTerms(now, inputs, self.facts, slot, step)
        guard, effect = terms.guard, terms.effect
        outcomes = [_under(guard, one) for one in terms.stopped]
        if terms.running is not FALSE:
            outcomes.append(self._end(terms, step, facts, conj(guard, conj(terms.met, terms.alive))))
        outcomes = [one for one in outcomes if one.when is not FALSE]
        low, high = self.layout.spans[slot]
        seen = [entry for entry in now.seen if entry != OVER]
        read = frozenset(entry for entry in seen if not low <= entry < high)
        wrote = frozenset(entry for one in outcomes for entry in one.writes if not low <= entry < high)
        found = Executed(slot, index, effect.enabled, outcomes, effect, read, wrote, inputs.widths, facts.passes, _mask(read), _mask(wrote))
        return found, seen

    def _end(self, terms: _PathTerms, step: Step, facts: _Facts, when: Expr) -> StepEnd:
        """The outcome in which the step does not stop its thread."""
        indices, writes = self.layout.registers[terms.slot], terms.effect.writes
        writes.update({indices[name]: terms.registers[name] for name in terms.changed})
        writes.update(facts.dead)
        return StepEnd("", when, writes, step.target)

    def _facts(self, slot: int, index: int) -> _Facts:
        found = self._steps.get((slot, index))
        if found is None:
            found = self._steps[slot, index] = self._look(slot, index)
        return found

    def _look(self, slot: int, index: int) -> _Facts:
        step, template, indices = self.step(slot, index), self.program.threads[slot].template, self.layout.registers[slot]
        written = {name for action in step.actions if (name := defined(action)) is not None}
        mentioned = set(step.guard.reads) | written
        for action in step.actions:
            mentioned |= reads(action)
        table = self._live[id(template)]
        before, after = table.names(table.at[step.source]), table.names(table.at[step.target])
        dead = [(indices[name], const(0, self.words.widths[indices[name]])) for name in sorted((before | written) - after)]
        passes = tuple(f"marker.{marker}" for marker in step_markers(step) if self.program.markers[marker].hides(self.program.checks))
        asks = any(isinstance(action, (Input, Alloc, Enter)) for action in step.actions)
        return _Facts(tuple(sorted(indices[name] for name in mentioned)), asks, passes, tuple(dead))

    def pending(self, values: EntryTerms, executed: Sequence[Executed]) -> PendingSteps:
        """What threads could do next, for the properties of states; `executed` are the steps from where the threads are."""
        inputs = Inputs()
        for one in executed:
            inputs.widths.update(one.inputs)
        candidates = [Candidate(one.slot, self.step(one.slot, one.index), one.effect, one.enabled) for one in executed]
        return _Pending(Now(self.words, values), self.facts, inputs, candidates)


def _mask(entries: frozenset[int]) -> int:
    mask = 0
    for entry in entries:
        mask |= 1 << entry
    return mask


def _under(guard: Expr, outcome: StepEnd) -> StepEnd:
    outcome.when = conj(guard, outcome.when)
    return outcome


def applied(values: EntryTerms, writes: dict[int, Expr]) -> list[Expr]:
    """The state after the writes."""
    new = list(values)
    for index, value in writes.items():
        new[index] = value
    return new


def start_cells(layout: Layout, slot: int) -> frozenset[int]:
    """The entries of a slot's descriptor that nobody else writes between its creation and its start."""
    place = layout.places[layout.descriptors.id] if layout.descriptors is not None else None
    if place is None or place.rom is not None:
        return frozenset()
    word = layout.program.word // 8
    numbers = [place.cells.exact(descriptor.offset(slot, name, word), word) for name in ("state", "arg")]
    return frozenset(place.base + number for number in numbers if number is not None)


__all__ = ["Executed", "Executor", "Now", "StepEnd", "EntryTerms", "applied", "start_cells"]
