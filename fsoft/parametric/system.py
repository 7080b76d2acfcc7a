"""The Program as a parametric system: kinds of threads, the words each of them owns, and the moves of one thread of each kind.

A state is the shared words and, for every thread, the words that it owns: its location, its registers, its own objects, its
descriptor. A **kind** is one slot (main, a thread made at a place that runs once), or a group of three slots that stand for any number
of threads (`Program.unbounded`). `system_of` holds the program to what the argument of `docs/parametric.md` needs:

- a move reads and writes shared words, the mover's words, and words of kinds that are one thread; never those of another thread
  of an unbounded kind. The one exception is creation: what it writes of a thread depends on that thread's own words;
- the slots of a group make the same moves, up to the names of their words;
- threads of an unbounded kind create no threads.

Anything else is `NotCovered`. Where data races are asked about, a state is bad, too, in which two threads race (`Clash`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from fsoft.analysis.liveness import live_registers
from fsoft.analysis.sharing import Sharing
from fsoft.circuit.encode.memory_terms import AddressFacts
from fsoft.circuit.encode.pending import Candidate, PendingSteps
from fsoft.circuit.encode.races import race, race_beyond
from fsoft.circuit.encode.steps import Inputs, StepEffect, StepTerms, VectorWords
from fsoft.parametric.identity import SELF, NotCovered, anonymous
from fsoft.program import descriptor
from fsoft.program.expr import FALSE, TRUE, Expr, binary, conj, const, disj, eq, fill, negate, reg
from fsoft.program.markers import step_markers
from fsoft.program.program import Location, Object, Program, Step
from fsoft.program.state import OVER, Layout


@dataclass(frozen=True, slots=True)
class ThreadKind:
    """Threads that run the same template: `slots` are one thread, or representatives of any number."""

    index: int
    name: str
    slots: tuple[int, ...]
    many: bool


@dataclass(slots=True)
class SystemMove:
    """One step of one slot. `writes` maps words to terms over the words before; `bad` says when it violates a property or hits a bound,
    `over` when the run ends with it."""

    slot: int
    step: Step
    enabled: Expr
    writes: dict[str, Expr]
    bad: Expr
    over: Expr


@dataclass(slots=True)
class Clash:
    """Two slots are about to access the same byte, and that is a data race."""

    slots: tuple[int, int]
    condition: Expr


@dataclass(slots=True)
class System:
    """`owned[slot]` are the names of a slot's words, the location first, in the same order for all slots of a kind;
    `live[kind][location]` are the positions in it that matter there. `entries` are the places of words in states of the interpreter.
    `initial` gives the first value of a word, None for any. `axioms` hold in all states. `moves` are those of the first slot of each
    kind; `clashes` are those of any two kinds, and of two threads of one kind."""

    program: Program
    layout: Layout
    kinds: list[ThreadKind]
    kind_of: list[ThreadKind]
    shared: list[str]
    owned: list[list[str]]
    widths: dict[str, int]
    entries: dict[str, int]
    initial: dict[str, int | None]
    live: list[list[frozenset[int]]]
    atomic: list[frozenset[int]]
    axioms: list[Expr] = field(default_factory=list)
    moves: list[SystemMove] = field(default_factory=list)
    clashes: list[Clash] = field(default_factory=list)

    def word(self, name: str) -> Expr:
        return reg(name, self.widths[name])

    def at(self, slot: int, location: int) -> Expr:
        """The slot is at the location."""
        pc = self.word(self.owned[slot][0])
        return eq(pc, const(location, pc.width))

    def others_outside(self, mover: int) -> Expr:
        """No other slot is inside an atomic section."""
        outside: Expr = TRUE
        for slot, kind in enumerate(self.kind_of):
            for location in sorted(self.atomic[kind.index]) if slot != mover else ():
                outside = conj(outside, negate(self.at(slot, location)))
        return outside


def system_of(program: Program) -> System:
    """The parametric system of a Program; NotCovered if it has none."""
    return _Builder(anonymous(program)).build()


def kinds_of(program: Program) -> list[ThreadKind]:
    groups = {group[0]: group for group in program.unbounded}
    rest = {slot for group in program.unbounded for slot in group[1:]}
    kinds: list[ThreadKind] = []
    for thread in program.threads:
        if thread.index not in rest:
            slots = groups.get(thread.index, (thread.index,))
            kinds.append(ThreadKind(len(kinds), thread.name, slots, thread.index in groups))
    return kinds


class _Builder:
    def __init__(self, program: Program):
        self.program = program
        self.layout = Layout(program)
        self.words = VectorWords(program, self.layout)
        self.facts = AddressFacts(program)
        self.inputs = Inputs()
        self.kinds = kinds_of(program)
        self.kind_of = [next(kind for kind in self.kinds if slot in kind.slots) for slot in range(len(program.threads))]
        self.owned = [self._owned(slot) for slot in range(len(program.threads))]
        self.owner = {entry: slot for slot, entries in enumerate(self.owned) for entry in entries}
        self.number = {name: entry for entry, name in enumerate(self.words.names) if name}
        self.live = [live_registers(kind_template.template) for kind_template in (program.threads[k.slots[0]] for k in self.kinds)]

    # ------------------------------------------------------------ whose word is it

    def _owned(self, slot: int) -> list[int]:
        """The entries of a slot in the state: location, registers, own objects by name, descriptor."""
        low, high = self.layout.spans[slot]
        found = list(range(low, high))
        own = self.program.threads[slot].own
        objects = {value: key for key, value in own.items() if key.startswith("&")}
        mine = [place for place in self.layout.places if place is not None and place.object.slot == slot]
        for place in sorted(mine, key=lambda place: objects[self.program.address(place.object)]):
            found += range(*self.layout.span_of_object(place))
        return found + self._descriptor(slot)

    def _descriptor(self, slot: int) -> list[int]:
        obj = self.layout.descriptors
        place = None if obj is None else self.layout.places[obj.id]
        if place is None or place.rom is not None:
            return []
        size = len(descriptor.FIELDS) * self.program.word // 8
        return [place.base + cell.number for cell in place.cells if cell.offset // size == slot]

    # ------------------------------------------------------------ moves

    def build(self) -> System:
        for kind in self.kinds:
            for step in self._steps(kind.slots[0]) if kind.many else ():
                if _creates(step):
                    raise NotCovered(f"{step.loc}: one of any number of threads creates threads")
        effects = {kind.index: self._effects(kind.slots[0]) for kind in self.kinds}
        for kind in self.kinds:
            for slot in kind.slots[1:2]:  # own constants differ from slot to slot: two show whether they matter
                self._check_same(kind, effects[kind.index], slot)
            for step, effect in zip(self._steps(kind.slots[0]), effects[kind.index], strict=True):
                self._check_owners(kind, step, effect)
        moves = [
            self._move(kind.slots[0], step, effect)
            for kind in self.kinds
            for step, effect in zip(self._steps(kind.slots[0]), effects[kind.index], strict=True)
            if effect.enabled is not FALSE
        ]
        return self._system(moves, self._clashes() if "no-data-race" in self.program.checks else [])

    def _steps(self, slot: int) -> list[Step]:
        return self.program.threads[slot].template.steps

    def _effects(self, slot: int) -> list[StepEffect]:
        out = []
        live, registers = self.live[self.kind_of[slot].index], list(self.program.threads[slot].template.registers)
        low, high = self.layout.spans[slot]
        for step in self._steps(slot):
            effect = StepTerms(self.words, self.inputs, self.facts, None, slot, step).effect
            for entry in [entry for entry in effect.writes if low < entry < high and registers[entry - low - 1] not in live[step.target]]:
                del effect.writes[entry]  # nobody reads it any more
            out.append(effect)
        return out

    def _bad(self, step: Step, effect: StepEffect) -> Expr:
        """The move violates a property, hits a bound, or is not followed by the encoding."""
        bad = effect.lost
        for prop, condition in effect.fails.items():
            if prop in self.program.checks or prop != "unreach-call":
                bad = disj(bad, condition)
        for condition in effect.cuts.values():
            bad = disj(bad, condition)
        passes = any(self.program.markers[marker].hides(self.program.checks) for marker in step_markers(step))
        return TRUE if passes else bad

    def _move(self, slot: int, step: Step, effect: StepEffect) -> SystemMove:
        running = {self.words.names[OVER]: FALSE}  # nobody moves when the run is over
        writes = {self.words.names[entry]: fill(term, running) for entry, term in effect.writes.items() if entry != OVER}
        over = fill(effect.writes.get(OVER, FALSE), running)
        return SystemMove(slot, step, fill(effect.enabled, running), writes, fill(self._bad(step, effect), running), over)

    def _clashes(self) -> list[Clash]:
        """For any two threads when they race, as circuits have it: a term over shared words and those of the two. A pair of threads of an
        unbounded kind is like any other pair of it."""
        if self.program.plain is not None and self.program.unbounded:
            raise NotCovered("release and acquire order among any number of threads")
        sharing = Sharing(self.program, self.facts.points_to)
        steps = {slot: self._candidates(slot) for kind in self.kinds for slot in kind.slots[:2]}
        found = []
        for at, kind in enumerate(self.kinds):
            pairs = [(kind.slots[0], other.slots[0]) for other in self.kinds[at + 1 :]]
            for one, two in [(kind.slots[0], kind.slots[1]), *pairs] if kind.many else pairs:
                pending = PendingSteps(self.words, self.facts, self.inputs, [*steps[one], *steps[two]])
                met = disj(race(pending, Inputs("other"), sharing), race_beyond(pending, Inputs("other"), sharing))
                condition = fill(met, {self.words.names[OVER]: FALSE})
                if condition is not FALSE:
                    self._check_reads(steps[one][0].step, [condition], {one, two})
                    found.append(Clash((one, two), condition))
        return found

    def _candidates(self, slot: int) -> list[Candidate]:
        pairs = zip(self._steps(slot), self._effects(slot), strict=True)
        return [Candidate(slot, step, effect, TRUE) for step, effect in pairs if effect.enabled is not FALSE]

    # ------------------------------------------------------------ what the argument needs

    def _check_same(self, kind: ThreadKind, effects: list[StepEffect], slot: int) -> None:
        """The slot does what the first of its kind does, up to names."""
        first = kind.slots[0]
        renaming = {self.words.names[b]: self.words.leaf(a) for a, b in zip(self.owned[first], self.owned[slot], strict=True)}
        rename = dict(zip(self.owned[slot], self.owned[first], strict=True))
        for step, one, other in zip(self._steps(first), effects, self._effects(slot), strict=True):
            writes = {rename.get(entry, entry): fill(term, renaming) for entry, term in other.writes.items()}
            plain = [other.enabled, self._bad(step, other)]
            same_touches = self._touches(slot, other, renaming) == self._touches(first, one, {})
            if writes != one.writes or [fill(term, renaming) for term in plain] != [one.enabled, self._bad(step, one)] or not same_touches:
                raise NotCovered(f"{step.loc}: what a thread does here depends on where its own memory is")

    def _touches(self, slot: int, effect: StepEffect, renaming: dict[str, Expr]) -> list[object]:
        """What a step accesses, with the thread's own memory by what it is to the thread."""
        return [
            (
                (touch.size, touch.write, touch.sync),
                [(self._place_of(slot, way.place.object, way.offset), fill(way.when, renaming)) for way in touch.ways],
                [(self._place_of(slot, one.place.object), fill(one.low, renaming), fill(one.when, renaming)) for one in touch.beyond],
            )
            for touch in effect.touches
        ]

    def _place_of(self, slot: int, obj: Object, offset: int = 0) -> tuple[object, int]:
        """An object and an offset; of a slot's own object its name, of its descriptor the field."""
        if obj.slot == slot:
            address = self.program.address(obj)
            return next(name for name, value in self.program.threads[slot].own.items() if value == address and name.startswith("&")), offset
        size = len(descriptor.FIELDS) * self.program.word // 8
        if self.layout.descriptors is not None and obj.id == self.layout.descriptors.id and offset // size == slot:
            return descriptor.FIELDS, offset % size
        return obj.id, offset

    def _check_owners(self, kind: ThreadKind, step: Step, effect: StepEffect) -> None:
        """The move keeps to the words it may read and write."""
        mover = kind.slots[0]
        plain = [effect.enabled, self._bad(step, effect), effect.writes.get(OVER, FALSE)]
        self._check_reads(step, plain, {mover})
        for entry, term in effect.writes.items():
            owner = self.owner.get(entry)
            foreign = owner is not None and owner != mover and self.kind_of[owner].many
            if foreign and not _creates(step):
                raise NotCovered(f"{step.loc}: a thread changes what another of any number of threads owns")
            self._check_reads(step, [term], {mover, owner} if owner is not None else {mover})

    def _check_reads(self, step: Step, terms: Iterable[Expr], allowed: set[int]) -> None:
        for name in {name for term in terms for name in term.reads if name in self.number}:
            owner = self.owner.get(self.number[name])
            if owner is not None and owner not in allowed and self.kind_of[owner].many:
                raise NotCovered(f"{step.loc}: a thread reads what another of any number of threads owns")

    # ------------------------------------------------------------ the record

    def _system(self, moves: list[SystemMove], clashes: list[Clash]) -> System:
        self._fold_constants(moves, clashes)
        always = {self.words.names[self.owned[slot][0]] for slot in range(len(self.program.threads))}
        always.update(*(clash.condition.reads & self.number.keys() for clash in clashes))
        relevant = _cone(moves, sorted(always))
        relevant = self._same_for_all(relevant)
        for move in moves:
            move.writes = {name: term for name, term in move.writes.items() if name in relevant}
        names = [name for name in self.words.names if name in relevant]
        initial, start = self.layout.initial(), {}
        for name in names:
            value = initial[self.number[name]]
            start[name] = value if isinstance(value, int) else None
        owned = [[self.words.names[entry] for entry in entries if self.words.names[entry] in relevant] for entries in self.owned]
        mine = {name for row in owned for name in row}
        system = System(
            program=self.program,
            layout=self.layout,
            kinds=self.kinds,
            kind_of=self.kind_of,
            shared=[name for name in names if name not in mine],
            owned=owned,
            widths={name: self.words.widths[self.number[name]] for name in names},
            entries={name: self.number[name] for name in names},
            initial=start,
            live=[self._live_words(kind, owned[kind.slots[0]]) for kind in self.kinds],
            atomic=[frozenset(k for k, at in enumerate(self._locations(kind)) if at.atomic) for kind in self.kinds],
            moves=moves,
            clashes=clashes,
        )
        self._identities(system)
        return system

    def _locations(self, kind: ThreadKind) -> list[Location]:
        return self.program.threads[kind.slots[0]].template.locations

    def _fold_constants(self, moves: list[SystemMove], clashes: list[Clash]) -> None:
        """Words that keep their first value, whatever happens, become that value: the largest set for which every write agrees."""
        initial = self.layout.initial()
        known = {
            name: const(initial[entry], self.words.widths[entry])
            for entry, name in enumerate(self.words.names)
            if name and entry != OVER and isinstance(initial[entry], int)
        }
        for slot, thread in enumerate(self.program.threads):
            if SELF in thread.template.registers:
                del known[self.words.names[self.layout.registers[slot][SELF]]]
        changed = True
        while changed:
            lost = {name for move in moves for name, term in move.writes.items() if name in known and fill(term, known) is not known[name]}
            lost = {name for name in self._same_for_all(lost) if name in known}
            changed = bool(lost)
            for name in lost:
                del known[name]
        for move in moves:
            move.enabled, move.bad, move.over = (fill(term, known) for term in (move.enabled, move.bad, move.over))
            move.writes = {name: fill(term, known) for name, term in move.writes.items() if name not in known}
        moves[:] = [move for move in moves if move.enabled is not FALSE]
        for clash in clashes:
            clash.condition = fill(clash.condition, known)
        clashes[:] = [clash for clash in clashes if clash.condition is not FALSE]

    def _same_for_all(self, relevant: set[str]) -> set[str]:
        """A word that matters of one slot of a kind matters of all."""
        out = set(relevant)
        for kind in self.kinds:
            for row in zip(*(self.owned[slot] for slot in kind.slots), strict=True):
                if any(self.words.names[entry] in relevant for entry in row):
                    out |= {self.words.names[entry] for entry in row if self.words.names[entry]}
        return out - {self.words.names[OVER]}

    def _live_words(self, kind: ThreadKind, names: list[str]) -> list[frozenset[int]]:
        slot = kind.slots[0]
        low, high = self.layout.spans[slot]
        registers = list(self.program.threads[slot].template.registers)
        out = []
        for live in self.live[kind.index]:
            known = live | {SELF}
            out.append(frozenset(
                k for k, name in enumerate(names)
                if not low < self.number[name] < high or registers[self.number[name] - low - 1] in known
            ))  # fmt: skip
        return out

    def _identities(self, system: System) -> None:
        """Threads of unbounded kinds have numbers that differ from all others; none is 0, and all fit into an int."""
        mine: list[Expr] = []
        for thread in self.program.threads:
            if not self.kind_of[thread.index].many:
                mine.append(const(thread.own["self"], self.program.word))
                continue
            name = self.words.names[self.layout.registers[thread.index][SELF]]
            if name not in system.widths:
                continue
            here = system.word(name)
            system.initial[name] = None
            system.axioms += [negate(eq(here, const(0, here.width))), binary("ult", here, const(1 << 31, here.width))]
            system.axioms += [negate(eq(here, other)) for other in mine]
            mine.append(here)


def _creates(step: Step) -> bool:
    return any(tag.kind == "create" for tag in step.tags)


def _cone(moves: list[SystemMove], always: list[str]) -> set[str]:
    """The words on which enabledness, badness and the end of runs depend, directly or through others."""
    needed = set(always)
    todo = [name for move in moves for term in (move.enabled, move.bad, move.over) for name in term.reads] + always
    writers: dict[str, list[Expr]] = {}
    for move in moves:
        for name, term in move.writes.items():
            writers.setdefault(name, []).append(term)
    needed.update(todo)
    while todo:
        for term in writers.get(todo.pop(), ()):
            fresh = term.reads - needed
            needed |= fresh
            todo += fresh
    return needed


__all__ = ["Clash", "ThreadKind", "SystemMove", "NotCovered", "System", "kinds_of", "system_of"]
