"""What a move changed, in the words of C: variables, memory, heap objects that come and go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from fsoft.frontend.source import Loc
from fsoft.program.replay import Played
from fsoft.program.state import ALIVE, DEAD, Layout, Place


def in_library(loc: Loc) -> bool:
    """Whether a place is in fsoft's own library models."""
    return loc.file.startswith("<") and loc.line > 0


def changes(layout: Layout, one: Played) -> Iterable[tuple[str, str, str]]:
    """(name, old, new) for what a move changed: variables in registers, then memory. fsoft's own objects are left out."""
    before, after = one.before, one.after
    yield from _registers(layout, one.move.slot, before, after)
    for place in layout.places:
        if place is not None and place.rom is None and place.object.storage not in ("system", "function"):
            low, high = layout.span_of_object(place)
            if before[low:high] != after[low:high]:
                yield from _object(layout, place, before, after)


def _registers(layout: Layout, slot: int, before: Sequence[Any], after: Sequence[Any]) -> Iterable[tuple[str, str, str]]:
    template = layout.program.threads[slot].template
    for name, index in layout.registers[slot].items():
        register = template.registers[name]
        if register.symbol and not in_library(register.loc) and before[index] != after[index]:
            old, new = (layout.format(x[index], register.width, register.ctype, register.signed) for x in (before, after))
            yield register.symbol, old, new


def _object(layout: Layout, place: Place, before: Sequence[Any], after: Sequence[Any]) -> Iterable[tuple[str, str, str]]:
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
            old, new = (layout.format(x[index], 8 * cell.size, run.ctype, run.signed) for x in (before, after))
            yield place.cells.name(cell.number), old, new
