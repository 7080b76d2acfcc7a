"""Leaks (valid-memtrack): when the process ends, every live heap object is reachable through pointers from objects with static
storage. Locals do not count, they are gone when the process is; nor do fsoft's own objects (arguments of threads)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from fsoft.frontend.source import NOWHERE, Loc
from fsoft.program.interpreter import Machine
from fsoft.program.replay import Finding, View
from fsoft.program.state import ALIVE, Layout, Place
from fsoft.properties.deadlocks import at_rest, unfinished

ROOTS = ("global", "static", "thread")


def _words(layout: Layout, place: Place, v: Sequence[Any]) -> Iterable[int]:
    """Values in an object that may be pointers; a pointer kept in pieces is put together."""
    word, mask = layout.program.word, (1 << layout.program.word) - 1
    cells = place.rom if place.rom is not None else v[place.base : place.base + place.cells.count]
    small: dict[int, int] = {}
    for cell, value in zip(place.cells, cells, strict=True):
        if not isinstance(value, int):
            continue
        if cell.size * 8 >= word:
            yield from (value >> shift & mask for shift in range(0, cell.size * 8, word))
        elif value:
            small.update({cell.offset + k: value >> (8 * k) & 0xFF for k in range(cell.size)})
    step = word // 8
    for start in {offset - offset % step for offset in small}:
        yield sum(small.get(start + k, 0) << (8 * k) for k in range(step))


def unreachable(layout: Layout, v: Sequence[Any]) -> list[Place]:
    """Live heap objects to which no chain of pointers leads from static storage."""
    heap = {p.object.id: p for p in layout.places if p is not None and p.object.storage == "heap" and v[p.status] == ALIVE}
    if not heap:
        return []
    work = [p for p in layout.places if p is not None and p.object.storage in ROOTS]
    found: set[int] = set()
    while work:
        for value in _words(layout, work.pop(), v):
            number = value >> layout.program.offset_bits
            if number in heap and number not in found:
                found.add(number)
                work.append(heap[number])
    return [place for number, place in sorted(heap.items()) if number not in found]


class Leaks:
    """The monitor of `valid-memtrack`."""

    prop = "valid-memtrack"
    logs = False

    def state(self, view: View) -> Finding | None:
        """All threads have finished without anyone ending the process."""
        if not at_rest(view) or view.enabled or unfinished(view.machine, view.v):
            return None
        return self._finding(view.machine, view.v, NOWHERE)

    def end(self, machine: Machine, v: Sequence[Any], slot: int) -> Finding | None:
        thread = machine.program.threads[slot]
        return self._finding(machine, v, thread.template.locations[v[machine.layout.pc[slot]]].loc)

    def _finding(self, machine: Machine, v: Sequence[Any], loc: Loc) -> Finding | None:
        lost = unreachable(machine.layout, v)
        if not lost:
            return None
        names = ", ".join(place.object.name for place in lost)
        where = lost[0].object.loc if loc == NOWHERE else loc
        return Finding(self.prop, f"memory leak: {names} is neither freed nor reachable at the end", where)
