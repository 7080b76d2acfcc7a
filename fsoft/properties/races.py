"""Data races in the model of SV-COMP: two threads are both about to access overlapping bytes, one of them writes, and not both
accesses are atomic. `free` and the end of a lifetime write the whole object. Accesses inside a user's atomic section are atomic among
themselves, but race with plain accesses outside. With `Program.race_on` only races on the objects that it names count.

In the model c11 an access that was made also races with one that is pending, if it does not happen before that one. That cannot be seen in
a state: it takes the run that led there (`View.moves`), and is asked where a run is judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fsoft.program.interpreter import Machine
from fsoft.program.program import Program
from fsoft.program.replay import Finding, GuiltyThread, View
from fsoft.program.state import Access, Layout
from fsoft.properties.happens_before import HappensBefore, Past
from fsoft.properties.race_objects import ByteRanges, counts, race_ranges

Pair = tuple[tuple[int, Access], tuple[int, Access]]


def _race(a: Access, b: Access) -> bool:
    return (
        a.object == b.object
        and (a.write or b.write)
        and not (a.sync and b.sync)
        and a.offset < b.offset + b.size
        and b.offset < a.offset + a.size
    )


def _common(a: Access, b: Access) -> tuple[int, int]:
    """The bytes of the object that both access."""
    return max(a.offset, b.offset), min(a.offset + a.size, b.offset + b.size)


class Races:
    """The monitor of `no-data-race`."""

    prop = "no-data-race"
    logs = True

    def __init__(self) -> None:
        self._asked: tuple[Program, ByteRanges | None] | None = None

    def state(self, view: View) -> Finding | None:
        found = self.pending(view)
        if found is not None:
            return self._finding(view, *found)
        past = self._unordered(view)
        if past is None:
            return None
        finding = self._finding(view, (past[0].slot, past[0].access), past[1:])
        more = "the first does not happen before the second: no release and acquire order them"
        return replace(finding, lines=(*finding.lines, more), past=past[0].move)

    def pair(self, view: View) -> Pair | None:
        """The two accesses that race in this state, each with its slot."""
        found = self.pending(view)
        if found is None and (past := self._unordered(view)) is not None:
            return (past[0].slot, past[0].access), past[1:]
        return found

    def _unordered(self, view: View) -> tuple[Past, int, Access] | None:
        """By the model c11: an access of the past and one that is pending."""
        program = view.machine.program
        if view.moves is None or program.race_model != "c11":
            return None
        ranges, history = self._ranges(program), HappensBefore(Machine(program, compiled=False))
        history.follow(view.moves)
        return history.unordered(view.accesses, lambda a, b: _race(a, b) and counts(ranges, a.object, *_common(a, b)))

    def pending(self, view: View) -> Pair | None:
        """Two accesses that race and are both about to be made."""
        ranges = self._ranges(view.machine.program)
        slots = [slot for slot, log in sorted(view.accesses.items()) if log]
        for k, first in enumerate(slots):
            for second in slots[k + 1 :]:
                for a in view.accesses[first]:
                    for b in view.accesses[second]:
                        if a.object == b.object and _race(a, b) and counts(ranges, a.object, *_common(a, b)):
                            return (first, a), (second, b)
        return None

    def _ranges(self, program: Program) -> ByteRanges | None:
        if self._asked is None or self._asked[0] is not program:
            self._asked = (program, race_ranges(program))
        return self._asked[1]

    def end(self, machine: Machine, v: Sequence[Any], slot: int) -> Finding | None:
        return None

    def _finding(self, view: View, first: tuple[int, Access], second: tuple[int, Access]) -> Finding:
        program, layout = view.machine.program, view.machine.layout
        name = raced_on(layout, first[1], second[1])
        guilty = tuple(GuiltyThread(slot, access.loc, deed(layout, access, name)) for slot, access in (first, second))
        lines = tuple(f"{one.loc}: thread {one.slot} ({program.threads[one.slot].name}) {one.what}" for one in guilty)
        return Finding(self.prop, f"data race on {name}", first[1].loc, lines, (first[0], second[0]), guilty)


def raced_on(layout: Layout, a: Access, b: Access) -> str:
    """What two accesses race on, as C names it."""
    return _name(layout, a.object, _common(a, b)[0])


def _name(layout: Layout, number: int, offset: int) -> str:
    """What is raced on: the scalar that starts there, else the place."""
    place, program = layout.places[number], layout.program
    cell = next((c for c in place.cells.overlapping(offset, 1) if c.offset == offset), None) if place is not None else None
    if place is None or cell is None:
        return layout.describe(program.address(program.objects[number], offset))
    return place.cells.name(cell.number)


def deed(layout: Layout, access: Access, name: str) -> str:
    """What a thread does that takes part in a race on `name`: "writes x". Where an object dies, all of it does."""
    if access.death:
        whole = layout.program.objects[access.object].name
        return f"frees {whole}" if access.death == "free" else f"ends the lifetime of {whole}"
    how = "atomically " if access.sync else ""
    return f"{how}{'writes' if access.write else 'reads'} {name}"
