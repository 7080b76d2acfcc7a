"""A trace as plain text: one line per statement with its thread, its place, the statement as written and what it changed.

    1 worker  account.c:12   balance = b + 100;        balance: 0 -> 100
    0 main    account.c:30   x = __VERIFIER_nondet();  input 7; x = 7
    1 worker  account.c:13   assert(balance == 0);     unreach-call: assertion fails

Consecutive steps of one statement are one line. Values of fsoft's own objects (thread descriptors) are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from fsoft.frontend.source import Loc
from fsoft.program.interpreter import Machine
from fsoft.program.program import Program, Step
from fsoft.program.replay import Played, play
from fsoft.program.state import ALIVE, DEAD, Event, Layout, Place, Question, Violation
from fsoft.program.verdict import Move

_LONGEST = 48  # characters of a statement
_CHANGES = 8  # changes listed per line


@dataclass(slots=True)
class Line:
    """A statement executed by a thread. `changes` maps a name to its old and new value as text."""

    slot: int
    loc: Loc
    text: str
    inputs: list[str] = field(default_factory=list)
    changes: dict[str, tuple[str, str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    loop: bool = False  # the loop of a lasso begins here


def user_loc(step: Step) -> Loc:
    """The place in the user's text: the step's own, or the call from which fsoft's library was entered."""
    for loc in (step.loc, *reversed(step.calls)):
        if loc.line > 0 and not is_library(loc):
            return loc
    return step.loc


def is_library(loc: Loc) -> bool:
    """Whether a place is in fsoft's own library models."""
    return loc.file.startswith("<") and loc.line > 0


class _Names:
    """Which entry of the vector is what, and how its values print."""

    def __init__(self, layout: Layout):
        self.layout = layout
        self.program = layout.program

    def changes(self, one: Played) -> Iterable[tuple[str, str, str]]:
        """(name, old, new) for what a move changed: variables in registers, then memory."""
        before, after = one.before, one.after
        yield from self._registers(one.move.slot, before, after)
        for place in self.layout.places:
            if place is not None and place.rom is None and place.object.storage not in ("system", "function"):
                low, high = self.layout.span_of_object(place)
                if before[low:high] != after[low:high]:
                    yield from self._object(place, before, after)

    def _registers(self, slot: int, before: Sequence[Any], after: Sequence[Any]) -> Iterable[tuple[str, str, str]]:
        template = self.program.threads[slot].template
        for name, index in self.layout.registers[slot].items():
            register = template.registers[name]
            if register.symbol and not is_library(register.loc) and before[index] != after[index]:
                old, new = (self.layout.format(x[index], register.width, register.ctype, register.signed) for x in (before, after))
                yield register.symbol, old, new

    def _object(self, place: Place, before: Sequence[Any], after: Sequence[Any]) -> Iterable[tuple[str, str, str]]:
        if place.status >= 0 and before[place.status] != after[place.status]:
            heap = place.object.storage == "heap"
            if after[place.status] == DEAD and heap:
                yield place.object.name, "alive", "freed"
            elif after[place.status] == ALIVE and heap:
                yield place.object.name, "unused" if before[place.status] != DEAD else "freed", "allocated"
            if after[place.status] == DEAD:
                return
        for cell in place.cells:
            index = place.base + cell.number
            if before[index] != after[index] and after[index] is not None:
                run = place.cells.run_of(cell.number)[0]
                old, new = (self.layout.format(x[index], 8 * cell.size, run.ctype, run.signed) for x in (before, after))
                yield place.cells.name(cell.number), old, new

    def answer(self, question: Question, value: int) -> str:
        if question.kind == "alloc":
            return f"{question.name} {self.layout.describe(value)}" if value else "no heap object is left"
        return f"{question.name} = {self.layout.format(value, question.width, '', question.signed)}"

    def event(self, event: Event) -> str:
        if isinstance(event, Violation):
            return f"{event.prop}: {event.message}"
        marker = self.program.markers[event.marker].message if event.marker is not None else event.message
        words = {"pruned": "the assumption fails", "ended": "the process ends", "cut": "a bound cuts", "undefined": "undefined behaviour"}
        return f"{words.get(event.kind, event.kind)}: {marker}" if marker else words.get(event.kind, event.kind)


def lines_of_trace(program: Program, moves: Sequence[Move], loop: int | None = None) -> list[Line]:
    """The statements of a trace, replayed on the definition of the semantics. `loop` is the move with which a loop begins."""
    machine = Machine(program, compiled=False)
    names, lines = _Names(machine.layout), list[Line]()
    for number, one in enumerate(play(machine, moves)):
        step = machine.step(one.move.slot, one.move.step)
        loc = user_loc(step)
        last = lines[-1] if lines else None
        if last is None or number == loop or (last.slot, last.loc[:2], last.text) != (one.move.slot, loc[:2], step.text):
            last = Line(one.move.slot, loc, step.text, loop=number == loop)
            lines.append(last)
        last.inputs.extend(names.answer(question, value) for question, value in one.asked)
        for name, old, new in names.changes(one):
            last.changes[name] = (last.changes[name][0] if name in last.changes else old, new)
        last.notes.extend(names.event(event) for event in one.events)
    return [line for line in lines if line.text or line.inputs or line.changes or line.notes or line.loop]


def _effects(line: Line) -> str:
    changes = [f"{name}: {old} -> {new}" for name, (old, new) in line.changes.items() if old != new]
    if len(changes) > _CHANGES:
        changes = [*changes[:_CHANGES], f"and {len(changes) - _CHANGES} more"]
    return "; ".join([*line.inputs, *changes, *line.notes])


LOOP = "---- loop: what follows repeats for ever"
REST = "---- nobody moves any more"


def text_of_trace(program: Program, moves: Sequence[Move], loop: int | None = None) -> str:
    """The trace as lines in columns. `loop`: the number of the move with which a loop begins (the last: nobody moves any more)."""
    lines = lines_of_trace(program, moves, loop)
    rows = []
    for line in lines:
        text = line.text if len(line.text) <= _LONGEST else line.text[: _LONGEST - 3] + "..."
        rows.append((f"{line.slot} {program.threads[line.slot].name}", f"{line.loc.file}:{line.loc.line}", text, _effects(line)))
    widths = [max((len(row[k]) for row in rows), default=0) for k in range(3)]
    texts = ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, [*widths, 0])).rstrip() for row in rows]
    marked = [part for line, text in zip(lines, texts) for part in ([LOOP, text] if line.loop else [text])]
    return "\n".join([*marked, REST] if loop == len(moves) else marked)
