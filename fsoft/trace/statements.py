"""A run as the statements that threads execute, in order: what witness files, SARIF and the Python API tell about it.

Threads are numbered by creation, 0 is main: a slot of the Program that runs two threads one after the other gives two numbers. A
statement is a maximal sequence of moves of one thread on one line of the user's text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from fsoft.frontend.source import NOWHERE, Loc
from fsoft.program.descriptor import FINISHED, RUNNING
from fsoft.program.inputs import Sampler
from fsoft.program.interpreter import Machine
from fsoft.program.program import Program, Step
from fsoft.program.replay import Played, View, observe, play
from fsoft.program.state import ChoicePoint, Event, Halted, State, Violation
from fsoft.program.verdict import Move
from fsoft.properties.deadlocks import Deadlocks, candidates
from fsoft.properties.races import Races, deed, raced_on
from fsoft.trace.values import Names, in_library, user_loc

_HALTS = {"pruned": "the assumption fails", "ended": "the process ends", "cut": "a bound cuts", "undefined": "undefined behaviour"}


@dataclass(frozen=True, slots=True)
class InputValue:
    """A value that the run got from outside: `number` as C reads it, `text` for a person."""

    question: ChoicePoint
    number: int
    text: str


@dataclass(slots=True)
class ThreadStatement:
    """What one thread did on one line. `creates` are the threads that it started; `last` says that its thread ends here, `loop` that the
    loop of a lasso begins. `tags` are the kinds of its steps' tags, `calls` the user's call sites that lead here."""

    thread: int
    slot: int
    loc: Loc
    function: str
    text: str
    calls: tuple[Loc, ...] = ()
    inputs: list[InputValue] = field(default_factory=list)
    changes: dict[str, tuple[str, str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    creates: list[int] = field(default_factory=list)
    tags: set[str] = field(default_factory=set)
    last: bool = False
    loop: bool = False


@dataclass(frozen=True, slots=True)
class Point:
    """Where a thread is when the property is violated, and what it is about to do there."""

    thread: int
    loc: Loc
    function: str
    what: str


@dataclass(frozen=True, slots=True)
class Actor:
    """A thread of the run: its number, slot and start routine, and who created it (None: it ran from the start)."""

    number: int
    slot: int
    name: str
    creator: int | None


@dataclass(slots=True)
class ThreadStory:
    """A run, told. `points` are the threads that violate the property: two for a race, those that wait for a deadlock, else one.
    `about` is what they race on, if they do."""

    statements: list[ThreadStatement]
    actors: list[Actor]
    points: list[Point]
    about: str = ""


def place_of_step(step: Step) -> Loc:
    """The place of a step in the user's text. A step that begins with the entry of its thread is where its first access is."""
    if not step.text:
        for action in step.actions:
            loc = getattr(action, "loc", NOWHERE)
            if loc.line > 0 and not in_library(loc):
                return loc
    return user_loc(step)


class _Teller:
    def __init__(self, program: Program):
        self.machine = Machine(program, compiled=False)
        self.names = Names(self.machine.layout)
        self.program = program
        self.statements: list[ThreadStatement] = []
        self.actors: list[Actor] = []
        self.number: dict[int, int] = {}  # of the thread that a slot runs now
        self.functions = _functions(program)
        initial = self.machine.initial()
        for slot in range(len(program.threads)):
            if slot == 0 or self._state(initial, slot) == RUNNING:
                self._begin(slot, None)

    def _state(self, v: State, slot: int) -> int | None:
        return self.machine.layout.descriptor(v, slot, "state")

    def _begin(self, slot: int, creator: int | None) -> int:
        number = len(self.actors)
        self.actors.append(Actor(number, slot, self.program.threads[slot].template.name, creator))
        self.number[slot] = number
        return number

    def function(self, loc: Loc) -> str:
        """The function that a place is in; "" if that is not plain."""
        if loc[:2] not in self.functions:
            known = [(line, name) for (file, line), name in self.functions.items() if file == loc.file and name]
            before = max((at for at in known if at[0] < loc.line), default=None)
            after = min((at for at in known if at[0] > loc.line), default=None)
            around = {at[1] for at in (before, after) if at is not None}
            self.functions[loc[:2]] = around.pop() if len(around) == 1 else ""
        return self.functions[loc[:2]]

    def add(self, one: Played, apart: bool) -> None:
        step = self.machine.step(one.move.slot, one.move.step)
        thread = self.number[one.move.slot]
        told = self._statement(one.move.slot, step, thread, apart)
        told.inputs.extend(self._answer(question, value) for question, value in one.asked)
        for name, old, new, _ in self.names.changes(one):
            told.changes[name] = (told.changes[name][0] if name in told.changes else old, new)
        told.notes.extend(self._note(event) for event in one.events)
        told.tags.update(tag.kind for tag in step.tags)
        told.last = told.last or self._state(one.after, one.move.slot) not in (RUNNING, None) or "exit" in told.tags
        for slot in range(len(self.program.threads)):
            if self._state(one.after, slot) == RUNNING and self._state(one.before, slot) not in (RUNNING, FINISHED):
                told.creates.append(self._begin(slot, thread))

    def _statement(self, slot: int, step: Step, thread: int, apart: bool) -> ThreadStatement:
        """The statement that a move belongs to: the last one, or a new one."""
        loc, last = place_of_step(step), self.statements[-1] if self.statements else None
        if last is not None and not apart and (last.thread, last.loc[:2]) == (thread, loc[:2]):
            if not last.text or step.text in ("", last.text):
                last.text = last.text or step.text
                return last
        calls = tuple(call for call in step.calls if call.line > 0 and not in_library(call) and call[:2] != loc[:2])
        told = ThreadStatement(thread, slot, loc, self.function(loc), step.text, calls, loop=apart)
        self.statements.append(told)
        return told

    def _answer(self, question: ChoicePoint, value: int) -> InputValue:
        layout = self.machine.layout
        if question.kind == "alloc":
            return InputValue(question, value, f"{question.name} {layout.describe(value)}" if value else "no heap object is left")
        shown = layout.format(value, question.width, "", question.signed)
        number = value - (1 << question.width) if question.signed and value >> (question.width - 1) else value
        return InputValue(question, number, f"{question.name} = {shown}")

    def _note(self, event: Event) -> str:
        if isinstance(event, Violation):
            return f"{event.prop}: {event.message}"
        marker = self.program.markers[event.marker].message if event.marker is not None else event.message
        return f"{_HALTS.get(event.kind, event.kind)}: {marker}" if marker else _HALTS.get(event.kind, event.kind)

    # ------------------------------------------------------------ the end

    def points(self, prop: str, played: Sequence[Played]) -> tuple[list[Point], str]:
        """Who violates the property at the end of the run, and on what."""
        end = played[-1].after if played else self.machine.initial()
        if prop == "no-data-race":
            view = observe(self.machine, end, Sampler(self.program), [one.move for one in played])
            pair = Races().pair(view)
            if pair is not None:
                about = raced_on(self.machine.layout, pair[0][1], pair[1][1])
                return [self._point(slot, access.loc, deed(self.machine.layout, access, about)) for slot, access in pair], about
        if prop == "no-deadlock" and (waiting := self._waiting(observe(self.machine, end, Sampler(self.program)))):
            return waiting, ""
        if not played:
            return [], ""
        slot = played[-1].move.slot
        loc = place_of_step(self.machine.step(slot, played[-1].move.step))
        for event in played[-1].events:
            if isinstance(event, (Violation, Halted)):
                own = event.loc if event.loc.line > 0 and not in_library(event.loc) else loc
                return [self._point(slot, own, self._note(event))], ""
        return [self._point(slot, loc, "")], ""

    def _point(self, slot: int, loc: Loc, what: str) -> Point:
        return Point(self.number.get(slot, 0), loc, self.function(loc), what)

    def _waiting(self, view: View) -> list[Point]:
        found = Deadlocks().state(view)
        points = []
        for slot in found.slots if found is not None else ():
            steps = candidates(self.machine, view.v, slot)
            if steps and slot in self.number:
                points.append(self._point(slot, place_of_step(steps[0]), f"waits in {steps[0].first_text()}" if steps[0].text else "waits"))
        return points


def _functions(program: Program) -> dict[tuple[str, int], str]:
    """Which function a line of the text belongs to, for the lines where something happens."""
    found: dict[tuple[str, int], str] = {}
    for template in program.templates():
        for location in template.locations:
            if location.loc.line > 0:
                found.setdefault(location.loc[:2], location.function)
    for template in program.templates():
        for step in template.steps:
            if step.text and step.loc.line > 0:
                found.setdefault(step.loc[:2], template.locations[step.source].function)
    return found


def told(program: Program, moves: Sequence[Move], prop: str = "", loop: int | None = None, loc: Loc = NOWHERE) -> ThreadStory:
    """The story of a run that violates `prop`. `loop` is the number of the move with which a loop begins, `loc` where the violation is said
    to be (for a run without moves)."""
    teller = _Teller(program)
    played = play(teller.machine, moves)
    for number, one in enumerate(played):
        teller.add(one, apart=number == loop)
    points, about = teller.points(prop, played)
    points = points or [Point(0, loc, teller.function(loc), "")]
    statements = [s for s in teller.statements if s.loc.line > 0 and not in_library(s.loc)]
    return ThreadStory(statements, teller.actors, points, about)


__all__ = ["Actor", "InputValue", "Point", "ThreadStatement", "ThreadStory", "place_of_step", "told"]
