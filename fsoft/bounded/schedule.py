"""`--encoding schedule`: all interleavings with a bounded number of context switches in one formula (Cordeiro and Fischer, ICSE'11, section
3.3: schedule recording).

`ts.i` is the thread-selection variable of the i-th context, and what a thread does in it counts only if `ts.i` is that thread: its schedule
guard. The reachability tree is folded up: where interleavings meet after a context, the words of their states are merged by `ts.i`,
so the formula grows with contexts times steps and not with the number of interleavings. Only visible steps have a guard of their own
(`go.i.t.l`: the thread does not leave the processor at that location); invisible ones and what is inside an atomic section follow
at once. A thread may stay anywhere, so a context may be empty and every state on the way is the last one of some run.

Coverage: the bound `contexts` holds if a run has a visible step in every context, no two of them in a row are of the same thread, and yet
another thread can go on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TypeVar

from fsoft.bounded.final import FinalState
from fsoft.bounded.given import BoundedEncoding, Given, longer_loops
from fsoft.bounded.home import InputValues, happened, moves_of
from fsoft.bounded.outcomes import EntryTerms, Executed, Executor, StepEnd, applied
from fsoft.bounded.walk import Taken, WalkGround, joined
from fsoft.circuit.model import Model, check_model
from fsoft.option import option
from fsoft.passes.bounds import BadBound
from fsoft.passes.unwind import Unwound
from fsoft.passes.ways import all_exclusive
from fsoft.program.expr import FALSE, TRUE, Expr, conj, const, disj, eq, ite, negate
from fsoft.program.local import Locality
from fsoft.program.state import OVER
from fsoft.program.verdict import Move

BOUND = "switches"
MOST = 4096


@dataclass(slots=True)
class ScheduleContext:
    """One context: by slot the condition that it is the slot's, whether the slot then takes a visible step."""

    number: int
    owned: dict[int, Expr]
    busy: dict[int, Expr]


@dataclass(slots=True)
class _Stay:
    """The thread is at the location when its context ends, if `when`, and then this is the state."""

    when: Expr
    location: int
    values: EntryTerms


@dataclass(slots=True)
class _Part:
    """What one thread would make of a context."""

    stays: list[_Stay] = field(default_factory=list)
    steps: list[Taken] = field(default_factory=list)
    stops: list[tuple[Expr, StepEnd]] = field(default_factory=list)
    passes: list[tuple[Expr, str]] = field(default_factory=list)
    busy: Expr = FALSE


class _Final(FinalState):
    """The state after the last context."""

    def __init__(self, ground: WalkGround, values: EntryTerms):
        self.ground, self.program = ground, ground.program
        self._circuit, self._values, self._last = None, {}, values

    def _words(self) -> dict[str, Expr]:
        return {name: self._last[index] for index, name in enumerate(self.ground.words.names) if name}


@dataclass(frozen=True)
class ScheduleBounds(Given):
    """See the options."""

    context_bound: int | None = option(None, "at most N context switches", metavar="N", least=1)


S = TypeVar("S", bound=ScheduleBounds)


@dataclass(slots=True)
class ScheduleFormula:
    """The formula. `contexts` has the schedule guards, in order."""

    unwound: Unwound
    given: ScheduleBounds
    ground: WalkGround
    contexts: list[ScheduleContext]
    steps: list[Taken]
    final: FinalState

    @property
    def model(self) -> Model:
        return self.ground.model

    def run(self, inputs: Mapping[str, int], prop: str) -> list[Move]:
        """The moves of the unwound Program that the inputs choose, up to where `prop` is violated."""
        program, value = self.unwound.program, InputValues(inputs, self.model.inputs)
        run = happened(program, self.steps, value) + self.final.last_step(prop, value)
        return moves_of(program, run, value, lambda event: event.prop == prop)

    def describe(self) -> str:
        return f"{len(self.contexts) - 1} context switches, {self.given.loops}"

    def grown(self, given: S, cuts: tuple[str, ...]) -> S:
        """One more unwinding where a loop is cut; more context switches where these are not enough."""
        after = longer_loops(self.unwound, given, cuts)
        switches = len(self.contexts) - 1
        return replace(after, context_bound=switches + max(1, switches // 2)) if BOUND in cuts else after


def default_switches(program_slots: int) -> int:
    """Context switches if nothing is said: two contexts for every thread."""
    return 2 * program_slots - 1


def schedule(unwound: Unwound, given: ScheduleBounds) -> ScheduleFormula:
    """The formula for at most `given.context_bound` context switches."""
    slots = len(unwound.program.threads)
    switches = default_switches(slots) if given.context_bound is None else given.context_bound
    if not 1 <= switches <= MOST and given.context_bound is not None:
        raise BadBound(f"--context-bound: from 1 to {MOST}, not {switches}")
    builder = _Builder(unwound)
    for number in range(switches + 1):
        if not builder.context(number):
            break
    final = _Final(builder.ground, builder.final_values())
    model = builder.ground.model
    for prop in sorted(unwound.program.checks):
        model.bad.setdefault(prop, FALSE)
    final.add_states()
    if builder.open:
        model.bounds[BOUND] = builder.needs_more()
    check_model(model)
    return ScheduleFormula(unwound, given, builder.ground, builder.contexts, builder.steps, final)


class _Builder:
    """`values` is the state after the contexts so far, `at` says for each slot where it is, `open` that somebody may still go on."""

    def __init__(self, unwound: Unwound):
        self.program = unwound.program
        self.executor = Executor(self.program)
        self.ground = WalkGround(self.program, self.executor.facts)
        self.slots = range(len(self.program.threads))
        locality = Locality(self.program)
        self.local = [locality.local(slot) for slot in self.slots]
        self.values: list[Expr] = self.executor.initial()
        for term in self.values:
            if term.op == "reg":
                self.ground.model.inputs[str(term.data)] = term.width
        self.at: list[dict[int, Expr]] = [{0: TRUE} for _ in self.slots]
        self.contexts: list[ScheduleContext] = []
        self.steps: list[Taken] = []
        self.open = True
        self.races = "no-data-race" in self.program.checks

    # ------------------------------------------------------------ contexts

    def context(self, number: int) -> bool:
        """One more context; whether anybody can use it."""
        running = self._running()
        parts = {slot: part for slot in self.slots if (part := self._part(number, slot, running)).steps}
        if not parts:
            self.open = False
            return False
        width = max(1, (len(self.slots) - 1).bit_length())
        owned: dict[int, Expr] = dict.fromkeys(parts, TRUE)
        if len(parts) > 1:
            ts = self.ground.input(f"ts.{number}", width)
            owned = {slot: eq(ts, const(slot, width)) for slot in parts}
        for slot, part in parts.items():
            self._count(part, owned[slot])
        self._merge(parts, owned, running)
        self.contexts.append(ScheduleContext(number, owned, {slot: part.busy for slot, part in parts.items()}))
        return True

    def _count(self, part: _Part, owned: Expr) -> None:
        """What the thread does, violates and hits, if the context is its own."""
        for one in part.steps:
            one.when = conj(owned, one.when)
            self.steps.append(one)
        for when, outcome in part.stops:
            if outcome.prop in self.program.checks:
                _add(self.ground.model.bad, outcome.prop, conj(owned, when))
            elif outcome.prop and outcome.prop != "unreach-call":  # a run that ends in an error that nobody asked about is a run that ended
                _add(self.ground.model.bounds, f"violated.{outcome.prop}", conj(owned, when))
            if outcome.cut:
                _add(self.ground.model.bounds, outcome.cut, conj(owned, when))
        for when, name in part.passes:
            _add(self.ground.model.bounds, name, conj(owned, when))

    def _running(self) -> Expr:
        """The run goes on: it is not over, and nobody has stopped inside an atomic section."""
        running = negate(self.values[OVER])
        for slot in self.slots if self.races else ():
            locations = self.program.threads[slot].template.locations
            for at, when in self.at[slot].items():
                running = conj(running, negate(when)) if locations[at].atomic else running
        return running

    def _merge(self, parts: dict[int, _Part], owned: dict[int, Expr], running: Expr) -> None:
        """The state after a context, whosever it is."""
        before = self.values
        after = list(before)
        for slot, part in parts.items():
            mine = conj(owned[slot], running)
            changed = [e for e in range(len(before)) if any(stay.values[e] is not before[e] for stay in part.stays)]
            for entry in changed:
                after[entry] = ite(mine, joined((stay.when, stay.values[entry]) for stay in part.stays), after[entry])
            there: dict[int, Expr] = {}
            for stay in part.stays:
                there[stay.location] = disj(there.get(stay.location, FALSE), stay.when)
            old = self.at[slot]
            new = {at: ite(mine, there.get(at, FALSE), old.get(at, FALSE)) for at in sorted({*there, *old})}
            self.at[slot] = {at: when for at, when in new.items() if when is not FALSE}
        self.values = after

    def _part(self, number: int, slot: int, running: Expr) -> _Part:
        """The thread runs on from wherever it is."""
        part = _Part()
        arrivals: dict[int, list[_Stay]] = {}
        for at, mass in self.at[slot].items():
            if (when := conj(mass, running)) is not FALSE:
                arrivals[at] = [_Stay(when, at, self.values)]
        for at in range(len(self.program.threads[slot].template.locations)):
            ways = arrivals.pop(at, [])
            if ways:
                self._visit(number, slot, self._met(at, ways), part, arrivals)
        return part

    def _met(self, at: int, ways: list[_Stay]) -> _Stay:
        """Several ways to a location as one."""
        if len(ways) == 1:
            return ways[0]
        when: Expr = FALSE
        for way in ways:
            when = disj(when, way.when)
        first = ways[0].values
        values = [
            value if all(way.values[entry] is value for way in ways) else joined((way.when, way.values[entry]) for way in ways)
            for entry, value in enumerate(first)
        ]
        return _Stay(when, at, values)

    def _visit(self, number: int, slot: int, here: _Stay, part: _Part, arrivals: dict[int, list[_Stay]]) -> None:
        """All steps from a location, and staying there."""
        indices, atomic = self.executor.out[slot][here.location], self.program.threads[slot].template.locations[here.location].atomic
        forced = self.local[slot][here.location] or atomic
        found = [self.executor.run(here.values, slot, index, index) for index in indices]
        left: Expr = FALSE
        go: Expr = TRUE
        if any(one.outcomes for one in found):
            chosen = not forced or (atomic and self.races)  # who stops inside an atomic section is only looked at
            go = TRUE if not chosen else self.ground.input(f"go.{number}.{slot}.{here.location}", 1)
            for one, pick in zip(found, self._picks(number, slot, here.location, indices), strict=True):
                left = disj(left, self._step(one, conj(here.when, conj(go, pick)), here, part, arrivals))
        if not forced:
            part.busy = disj(part.busy, left)
        rest = conj(here.when, negate(left))
        if atomic and indices:  # who blocks inside an atomic section ends the run
            blocked, rest = conj(rest, go), conj(rest, negate(go))
            part.stays += [_Stay(blocked, here.location, applied(here.values, {OVER: TRUE}))] * (blocked is not FALSE)
        if rest is not FALSE:
            part.stays.append(_Stay(rest, here.location, here.values))

    def _picks(self, number: int, slot: int, at: int, indices: list[int]) -> list[Expr]:
        """Which of the steps from a location is tried: by their guards if those exclude each other, else by an input."""
        guards = [self.executor.step(slot, index).guard for index in indices]
        if len(indices) < 2 or all_exclusive(guards):
            return [TRUE] * len(indices)
        width = (len(indices) - 1).bit_length()
        which = self.ground.input(f"which.{number}.{slot}.{at}", width)
        return [eq(which, const(k, width)) for k in range(len(indices))]

    def _step(self, one: Executed, may: Expr, here: _Stay, part: _Part, arrivals: dict[int, list[_Stay]]) -> Expr:
        """A step with all its outcomes; when it happens."""
        total: Expr = FALSE
        goes_on: Expr = FALSE
        for outcome in one.outcomes:
            when = conj(may, outcome.when)
            if when is FALSE:
                continue
            total = disj(total, when)
            stay = _Stay(when, outcome.location, applied(here.values, outcome.writes))
            if outcome.kind:
                part.stays.append(stay)
                part.stops.append((when, outcome))
            else:
                goes_on = outcome.when
                arrivals.setdefault(outcome.location, []).append(stay)
        if total is FALSE:
            return FALSE
        self.ground.model.inputs.update(one.inputs)
        part.passes += [(total, name) for name in one.passes]
        part.steps.append(Taken(one.slot, one.index, total, goes_on, one.effect, here.values.__getitem__))
        return total

    # ------------------------------------------------------------ the end

    def final_values(self) -> list[Expr]:
        """The state after the last context, locations included."""
        values = list(self.values)
        for slot in self.slots:
            pc = self.executor.layout.pc[slot]
            width = self.ground.words.widths[pc]
            values[pc] = joined((when, const(at, width)) for at, when in self.at[slot].items())
        return values

    def needs_more(self) -> Expr:
        """Some run that cannot be arranged in fewer contexts goes on after the last."""
        tight: Expr = TRUE
        for one in self.contexts:
            busy: Expr = FALSE
            for slot, owned in one.owned.items():
                busy = disj(busy, conj(owned, one.busy[slot]))
            tight = conj(tight, busy)
        for before, after in pairwise(self.contexts):
            for slot, owned in after.owned.items():
                tight = conj(tight, negate(conj(owned, before.owned.get(slot, FALSE))))
        more: Expr = FALSE
        for slot in self.slots:
            more = disj(more, conj(negate(self.contexts[-1].owned.get(slot, FALSE)), self._can_go_on(slot)))
        return conj(conj(tight, more), self._running())

    def _can_go_on(self, slot: int) -> Expr:
        total: Expr = FALSE
        for at, when in self.at[slot].items():
            for index in self.executor.out[slot][at]:
                one = self.executor.run(self.values, slot, index, index)
                self.ground.model.inputs.update(one.inputs)
                total = disj(total, conj(when, one.enabled))
        return total


def _add(table: dict[str, Expr], name: str, when: Expr) -> None:
    table[name] = disj(table.get(name, FALSE), when)


ENCODING = BoundedEncoding("schedule", "all interleavings in one formula (ESBMC)", ScheduleBounds, schedule)
