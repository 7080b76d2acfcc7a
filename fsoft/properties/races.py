"""Data races in the model of SV-COMP: two threads are both about to access overlapping bytes, one of them writes, and not both
accesses are atomic. `free` and the end of a lifetime write the whole object. Accesses inside a user's atomic section are atomic among
themselves, but race with plain accesses outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fsoft.program.interpreter import Machine
from fsoft.program.replay import Finding, View
from fsoft.program.state import Access


def _race(a: Access, b: Access) -> bool:
    return (
        a.object == b.object
        and (a.write or b.write)
        and not (a.sync and b.sync)
        and a.offset < b.offset + b.size
        and b.offset < a.offset + a.size
    )


class Races:
    """The monitor of `no-data-race`."""

    prop = "no-data-race"
    logs = True

    def state(self, view: View) -> Finding | None:
        slots = [slot for slot, log in sorted(view.accesses.items()) if log]
        for k, first in enumerate(slots):
            for second in slots[k + 1 :]:
                for a in view.accesses[first]:
                    for b in view.accesses[second]:
                        if a.object == b.object and _race(a, b):
                            return self._finding(view, (first, a), (second, b))
        return None

    def end(self, machine: Machine, v: Sequence[Any], slot: int) -> Finding | None:
        return None

    def _finding(self, view: View, first: tuple[int, Access], second: tuple[int, Access]) -> Finding:
        program, layout = view.machine.program, view.machine.layout
        a, b = first[1], second[1]
        offset = max(a.offset, b.offset)
        name = layout.describe(program.address(program.objects[a.object], offset))
        lines = tuple(
            f"{access.loc}: thread {slot} ({program.threads[slot].name}) {_verb(access)} {name}" for slot, access in (first, second)
        )
        return Finding(self.prop, f"data race on {name}", a.loc, lines, (first[0], second[0]))


def _verb(access: Access) -> str:
    how = "atomically " if access.sync else ""
    return f"{how}{'writes' if access.write else 'reads'}"
