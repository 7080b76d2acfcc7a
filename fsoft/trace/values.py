"""States in the words of the C program: which entry of the vector is what, how its values print, and what a move changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from fsoft.frontend.inputs import read_lines
from fsoft.frontend.source import Loc
from fsoft.program.program import Object, Register, Step
from fsoft.program.replay import Played
from fsoft.program.state import ALIVE, DEAD, ChoicePoint, Event, Layout, Place, Violation

_STOPS = {"pruned": "the assumption fails", "ended": "the process ends", "cut": "a bound cuts", "undefined": "undefined behaviour"}
_OWN = ("system", "function")


class ValueChange(NamedTuple):
    """A name with its value before and after. `shared`: other threads can see it."""

    name: str
    old: str
    new: str
    shared: bool


def in_library(loc: Loc) -> bool:
    """Whether a place is in fsoft's own library models."""
    return loc.file.startswith("<") and loc.line > 0


def user_loc(step: Step) -> Loc:
    """The place in the user's text: the step's own, or the call from which fsoft's library was entered."""
    for loc in (step.loc, *reversed(step.calls)):
        if loc.line > 0 and not in_library(loc):
            return loc
    return step.loc


class Sources:
    """The lines of the user's files, as written; "" where there is no such line to be read."""

    def __init__(self) -> None:
        self._files: dict[str, list[str]] = {}

    def lines(self, file: str) -> list[str]:
        if file not in self._files:
            self._files[file] = read_lines(file)
        return self._files[file]

    def line(self, loc: Loc) -> str:
        lines = self.lines(loc.file)
        return lines[loc.line - 1].strip() if 0 < loc.line <= len(lines) else ""


def statement(step: Step, sources: Sources) -> tuple[Loc, str]:
    """The place and the text of a step. One that begins with what has no text (parameters) is where its first access is."""
    loc = user_loc(step)
    if step.text:
        return loc, step.text
    for action in step.actions:
        at = getattr(action, "loc", None)
        if at is not None and at.line > 0 and not in_library(at):
            return at, sources.line(at)
    return loc, ""


def is_hidden(name: str) -> bool:
    """A field that the C library keeps for itself, as the owner of a mutex."""
    return ".__" in name and not name.endswith(".__value")


class Names:
    """The names of a program. A local whose address is taken is `function.x`, and `function.x:thread` where several threads have one."""

    def __init__(self, layout: Layout):
        self.layout = layout
        self.program = layout.program
        short = Counter(obj.name.partition(":")[0] for obj in self.program.objects)
        self._short = {
            obj.id: obj.name.partition(":")[0]
            for obj in self.program.objects
            if obj.storage == "local" and short[obj.name.partition(":")[0]] == 1
        }

    # ------------------------------------------------------------ names

    def cell(self, place: Place, number: int) -> str:
        name = place.cells.name(number)
        return self.plain(place.object, name)

    def address(self, address: int) -> str:
        """What is at an address, as C would name it."""
        place = self.layout.place_of(address)
        if place is not None:
            found = place.cells.overlapping(address & self.layout.offset_mask, 1)
            if found and found[0].offset == address & self.layout.offset_mask:
                return self.cell(place, found[0].number)
        return self.layout.describe(address)

    def plain(self, obj: Object, name: str) -> str:
        short = self._short.get(obj.id)
        name = name if short is None else short + name.removeprefix(obj.name)
        return name.removesuffix(".__value")

    def register(self, slot: int, name: str) -> Register | None:
        """The register as a variable of the user; None for temporaries and variables of the library."""
        register = self.program.threads[slot].template.registers[name]
        return register if register.symbol and not in_library(register.loc) else None

    def format_register(self, register: Register, value: Any) -> str:
        return self.layout.format(value, register.width, register.ctype, register.signed)

    def format_cell(self, place: Place, number: int, value: Any) -> str:
        run = place.cells.run_of(number)[0]
        return self.layout.format(value, 8 * run.size, run.ctype, run.signed)

    # ------------------------------------------------------------ states

    def places(self) -> Iterable[Place]:
        """The objects of the user that can change."""
        return (p for p in self.layout.places if p is not None and p.rom is None and p.object.storage not in _OWN)

    def shared(self, v: Sequence[Any]) -> dict[str, str]:
        """The values of what threads share, library fields left out."""
        found = {}
        for place in self.places():
            if place.object.storage in ("global", "static") or (place.object.storage == "heap" and v[place.status] == ALIVE):
                for cell in place.cells:
                    if not is_hidden(place.cells.name(cell.number)):
                        found[self.cell(place, cell.number)] = self.format_cell(place, cell.number, v[place.base + cell.number])
        return found

    def changes(self, one: Played) -> Iterable[ValueChange]:
        """What a move changed: variables in registers, then memory."""
        before, after = one.before, one.after
        yield from self._registers(one.move.slot, before, after)
        for place in self.places():
            low, high = self.layout.span_of_object(place)
            if before[low:high] != after[low:high]:
                yield from self._object(place, before, after)

    def _registers(self, slot: int, before: Sequence[Any], after: Sequence[Any]) -> Iterable[ValueChange]:
        for name, index in self.layout.registers[slot].items():
            register = self.register(slot, name)
            if register is not None and before[index] != after[index]:
                old, new = (self.format_register(register, x[index]) for x in (before, after))
                yield ValueChange(register.symbol, old, new, False)

    def _object(self, place: Place, before: Sequence[Any], after: Sequence[Any]) -> Iterable[ValueChange]:
        shared = place.object.storage not in ("local", "thread")
        if place.status >= 0 and before[place.status] != after[place.status]:
            heap = place.object.storage == "heap"
            if after[place.status] == DEAD and heap:
                yield ValueChange(place.object.name, "alive", "freed", True)
            elif after[place.status] == ALIVE and heap:
                yield ValueChange(place.object.name, "unused" if before[place.status] != DEAD else "freed", "allocated", True)
            if after[place.status] == DEAD:
                return
        for cell in place.cells:
            index = place.base + cell.number
            if before[index] != after[index] and after[index] is not None:
                old, new = (self.format_cell(place, cell.number, x[index]) for x in (before, after))
                yield ValueChange(self.cell(place, cell.number), old, new, shared)

    # ------------------------------------------------------------ what happens

    def answer(self, question: ChoicePoint, value: int) -> str:
        if question.kind == "alloc":
            return f"{question.name} {self.layout.describe(value)}" if value else "no heap object is left"
        return f"{question.name} = {self.layout.format(value, question.width, '', question.signed)}"

    def event(self, event: Event) -> str:
        if isinstance(event, Violation):
            return f"{event.prop}: {event.message}"
        marker = self.program.markers[event.marker].message if event.marker is not None else event.message
        what = _STOPS.get(event.kind, event.kind)
        return f"{what}: {marker}" if marker else what


__all__ = ["ValueChange", "Names", "Sources", "in_library", "is_hidden", "statement", "user_loc"]
