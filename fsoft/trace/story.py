"""A run as all views see it: replayed on the definition of the semantics, statement by statement.

A `Line` is a statement executed by a thread: consecutive moves of one statement are one line. The last lines of a race or a deadlock are
`pending`: statements that threads are about to execute, or wait in. A `Story` is the lines with what surrounds them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from fsoft.frontend.source import Loc
from fsoft.program.inputs import Sampler
from fsoft.program.interpreter import Machine
from fsoft.program.locks import LockHolders
from fsoft.program.program import Program, Step
from fsoft.program.replay import Finding, GuiltyThread, Played, confirm, play
from fsoft.program.state import State, Violation
from fsoft.program.verdict import InternalError, Move
from fsoft.properties import monitors
from fsoft.properties.deadlocks import candidates
from fsoft.trace.causes import failing_values
from fsoft.trace.footprint import Footprints
from fsoft.trace.schedule import schedule_of
from fsoft.trace.values import Names, Sources, in_library, is_hidden, statement, user_loc
from fsoft.trace.waiting import BEGINS, StepWords

_WAKES = frozenset({"wake", "spurious", "timeout"})
"""Steps that end a wait: a line of their own, although the statement is the same."""


class CallFrame(NamedTuple):
    """A function on the call stack, and where it is: the call of the next one, or the statement."""

    function: str
    loc: Loc


@dataclass(slots=True)
class Line:
    """A statement executed by a thread. `changes` maps a name to its old and new value as text, `shared` are those of them that other
    threads can see, `reads` what it reads that others write. `does` is synchronisation in words. `stop` says why the thread does not go on
    after it ("" if it does). `owners` are the locks that threads hold after it. `first` and `last` count moves. `matters` is 0 for what a
    reader must see, more for less."""

    slot: int
    loc: Loc
    text: str
    inputs: list[str] = field(default_factory=list)
    changes: dict[str, tuple[str, str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    loop: bool = False  # the loop of a lasso begins here
    shared: set[str] = field(default_factory=set)
    reads: dict[str, str] = field(default_factory=dict)
    does: list[str] = field(default_factory=list)
    stop: str = ""
    owners: dict[str, list[int]] = field(default_factory=dict)
    stack: tuple[CallFrame, ...] = ()
    first: int = 0
    last: int = 0
    pending: bool = False
    matters: int = 4


@dataclass(slots=True)
class Story:
    """`loop` is the move with which the loop of a lasso begins. `initial` are the values of shared variables at the start, `failing` those
    that make the check fail. `schedule` and `inputs` make the run happen again (`fsoft run`)."""

    program: Program
    moves: list[Move]
    lines: list[Line]
    loop: int | None = None
    finding: Finding | None = None
    initial: dict[str, str] = field(default_factory=dict)
    failing: dict[str, str] = field(default_factory=dict)
    schedule: str = ""
    inputs: str = ""

    @property
    def rests(self) -> bool:
        """Whether the lasso's loop is that nobody moves."""
        return self.loop == len(self.moves)

    def thread(self, slot: int) -> str:
        return self.program.threads[slot].name

    def slots(self) -> list[int]:
        """The threads that appear."""
        return sorted({line.slot for line in self.lines})


def tell(program: Program, moves: Sequence[Move], loop: int | None = None, prop: str = "", finding: Finding | None = None) -> Story:
    """The story of a run. With `prop`, what violates that property at the end is part of it (or `finding`, if that is known)."""
    machine = Machine(program, compiled=False)
    played = play(machine, moves)
    if finding is None and prop:
        finding = _finding(machine, moves, prop)
    teller = _Teller(machine, played, loop)
    lines = teller.lines()
    if finding is not None and finding.guilty:
        lines += [teller.pending(one) for one in finding.guilty]
    _rate(lines, teller.met)
    story = Story(program, list(moves), lines, loop, finding, teller.names.shared(machine.initial()))
    if played and any(isinstance(event, Violation) for event in played[-1].events):
        story.failing = failing_values(machine, teller.names, played)
    story.schedule, story.inputs = schedule_of(machine, moves, loop)
    return story


def _finding(machine: Machine, moves: Sequence[Move], prop: str) -> Finding | None:
    try:
        return confirm(machine, moves, Finding(prop, ""), monitors([prop]), Sampler(machine.program))
    except InternalError:  # the trace of an UNKNOWN need not end in a violation
        return None


class _Teller:
    """Makes lines of the moves of one run."""

    def __init__(self, machine: Machine, played: Sequence[Played], loop: int | None):
        self.machine, self.program, self.played, self.loop = machine, machine.program, played, loop
        self.names = Names(machine.layout)
        self.words = StepWords(machine, self.names)
        self.held = LockHolders(machine)
        self.sources = Sources()
        self.met = _meetings(machine, played)
        self._functions: dict[int, dict[tuple[Loc, ...], str]] = {}

    def lines(self) -> list[Line]:
        lines: list[Line] = []
        for number, one in enumerate(self.played):
            step = self.machine.step(one.move.slot, one.move.step)
            loc, text = statement(step, self.sources)
            last = lines[-1] if lines else None
            if last is not None and last.slot != one.move.slot:
                last.stop = self.words.stopped(one.before, last.slot, self.held)
            new = number == self.loop or any(tag.kind in _WAKES for tag in step.tags)
            if last is None or new or (last.slot, last.loc[:2], last.text) != (one.move.slot, loc[:2], text):
                last = Line(one.move.slot, loc, text, loop=number == self.loop, first=number)
                lines.append(last)
            last.last = number
            self._add(last, one)
        return self._told([*lines, *self._failure(lines)])

    def _told(self, lines: Sequence[Line]) -> list[Line]:
        """The lines that say anything; why a thread stops is said in its last line that does."""
        told: list[Line] = []
        for line in lines:
            if line.text or line.inputs or line.changes or line.notes or line.loop or line.reads:
                told.append(line)
            elif line.stop and told and told[-1].slot == line.slot:
                told[-1].stop = line.stop
        return told

    def _failure(self, lines: Sequence[Line]) -> list[Line]:
        """A line of its own for a check that fails further down than its step begins."""
        failed = [e for e in self.played[-1].events if isinstance(e, Violation)] if self.played else []
        if not failed or failed[0].loc[:2] == lines[-1].loc[:2] or failed[0].loc.line <= 0 or in_library(failed[0].loc):
            return []
        last = lines[-1]
        line = Line(last.slot, failed[0].loc, self.sources.line(failed[0].loc), notes=last.notes, owners=last.owners, stack=last.stack)
        line.first = line.last = last.last
        last.notes = []
        return [line]

    def _add(self, line: Line, one: Played) -> None:
        step = self.machine.step(one.move.slot, one.move.step)
        self.held.after(one)
        for entry in sorted(self.met.get(line.last, ())):
            line.reads.update(self._value(entry, one.before))
        line.stack = self.stack(one.move.slot, step)
        line.inputs.extend(self.names.answer(question, value) for question, value in one.asked)
        line.does.extend(self.words.does(one, self.held))
        for change in self.names.changes(one):
            old = line.changes[change.name][0] if change.name in line.changes else change.old
            line.changes[change.name] = (old, change.new)
            if change.shared:
                line.shared.add(change.name)
        line.notes.extend(self.names.event(event) for event in one.events)
        line.owners = self._owners()

    def _value(self, entry: int, v: State) -> dict[str, str]:
        for place in self.names.places():
            number = entry - place.base
            if 0 <= number < place.cells.count and place.object.storage != "local" and not is_hidden(place.cells.name(number)):
                return {self.names.cell(place, number): self.names.format_cell(place, number, v[entry])}
        return {}

    def _owners(self) -> dict[str, list[int]]:
        owners: dict[str, list[int]] = {}
        for slot in self.held.locks:
            for name in self.held.names(slot):
                owners.setdefault(name, []).append(slot)
        return owners

    def stack(self, slot: int, step: Step) -> tuple[CallFrame, ...]:
        """The functions that are active, outermost first."""
        template = self.program.threads[slot].template
        known = self._functions.get(id(template))
        if known is None:
            known = self._functions[id(template)] = {}
            for one in template.steps:
                known.setdefault(one.calls, template.locations[one.source].function)
        outer = [CallFrame(known.get(step.calls[:k], ""), call) for k, call in enumerate(step.calls)]
        return (*outer, CallFrame(template.locations[step.source].function, user_loc(step)))

    def state(self) -> State:
        return self.played[-1].after if self.played else self.machine.initial()

    def pending(self, one: GuiltyThread) -> Line:
        """The statement that a thread is about to execute."""
        steps = candidates(self.machine, self.state(), one.slot)
        step = next((s for s in steps if s.loc == one.loc), steps[0] if steps else None)
        what = self.words.blocked(self.state(), one.slot, self.held) if one.what.startswith("waits") else one.what
        loc = one.loc if one.loc.line > 0 and not in_library(one.loc) else user_loc(step) if step is not None else one.loc
        text = step.first_text() if step is not None and step.text and user_loc(step)[:2] == loc[:2] else self.sources.line(loc)
        line = Line(one.slot, loc, text, notes=[what])
        line.pending, line.first, line.last = True, len(self.played), len(self.played)
        line.stack = self.stack(one.slot, step) if step is not None else ()
        line.owners = self._owners()
        return line


def _rate(lines: Sequence[Line], met: dict[int, set[int]]) -> None:
    """How much each line matters: 0 the failure and its inputs, 1 what threads do to each other and where they are preempted, 2
    synchronisation, 3 other changes of shared variables, 4 the rest."""
    for number, line in enumerate(lines):
        if line.pending or line.notes or line.inputs or line.loop or number == len(lines) - 1:
            line.matters = 0
        elif line.stop == "preempted" or any(k in met for k in range(line.first, line.last + 1)):
            line.matters = 1
        elif line.stop or any(word != BEGINS for word in line.does):
            line.matters = 2
        elif line.shared:
            line.matters = 3


def _meetings(machine: Machine, played: Sequence[Played]) -> dict[int, set[int]]:
    """The moves that touch what another thread has just written or writes next, each with those entries that it reads. Objects of
    the library's own are left out."""
    footprints, layout = Footprints(machine), machine.layout
    own = {k for p in layout.places if p is not None and p.object.storage == "system" for k in range(*layout.span_of_object(p))}
    writer: dict[int, int] = {}
    readers: dict[int, set[int]] = {}
    found: dict[int, set[int]] = {}

    def meet(entry: int, earlier: int, number: int) -> None:
        if played[earlier].move.slot != played[number].move.slot:
            found.setdefault(earlier, set())
            found.setdefault(number, set())
            if entry in marks[number].reads:
                found[number].add(entry)
            if entry in marks[earlier].reads:
                found[earlier].add(entry)

    marks = [footprints.of(one) for one in played]
    for number, mark in enumerate(marks):
        for entry in mark.reads - own:
            if entry in writer:
                meet(entry, writer[entry], number)
            readers.setdefault(entry, set()).add(number)
        for entry in mark.writes - own:
            for earlier in readers.pop(entry, ()):
                meet(entry, earlier, number)
            if entry in writer:
                meet(entry, writer[entry], number)
            writer[entry] = number
    return found


__all__ = ["CallFrame", "Line", "Story", "tell"]
