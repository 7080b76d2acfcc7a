"""What a move reads and writes outside its own thread, as entries of the state vector: which moves depend on which."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fsoft.program.interpreter import Machine, Script
from fsoft.program.program import Alloc
from fsoft.program.replay import Played
from fsoft.program.state import Access, State
from fsoft.program.verdict import Move


@dataclass(frozen=True, slots=True)
class MoveFootprint:
    """Entries that a move reads and those that it writes. Reading undefined memory defines it: that is a write, too."""

    reads: frozenset[int]
    writes: frozenset[int]

    def depends(self, other: MoveFootprint) -> bool:
        """Whether the order of two moves of different threads may matter."""
        return not (self.writes.isdisjoint(other.reads | other.writes) and self.reads.isdisjoint(other.writes))


class Footprints:
    """Footprints of the moves of a program. The machine must log accesses."""

    def __init__(self, machine: Machine):
        self.machine, self.layout = machine, machine.layout
        self._allocating: dict[tuple[int, int], frozenset[int]] = {}

    def of(self, one: Played) -> MoveFootprint:
        return self.taken(one.before, one.move, one.after)

    def taken(self, before: State, move: Move, after: State) -> MoveFootprint:
        """The footprint of a move that leads from one state to another."""
        log: list[Access] = []
        self.machine.function(move.slot, move.step)(list(before), Script(move.choices), [], log)
        return self._footprint(move, before, after, log)

    def _footprint(self, move: Move, before: State, after: State, log: Iterable[Access]) -> MoveFootprint:
        low, high = self.layout.spans[move.slot]
        writes = {k for k, (old, new) in enumerate(zip(before, after)) if (old is not new and old != new) and not low <= k < high}
        reads = set(self._pool(move))
        for access in log:
            entries = set(self._entries(access))
            (writes if access.write else reads).update(entries)
        return MoveFootprint(frozenset(reads), frozenset(writes))

    def _entries(self, access: Access) -> Iterable[int]:
        place = self.layout.places[access.object]
        if place is None or place.rom is not None:
            return
        if place.status >= 0 and not access.write:
            yield place.status
        for cell in place.cells.overlapping(access.offset, access.size):
            yield place.base + cell.number

    def _pool(self, move: Move) -> frozenset[int]:
        """The status of every object that an allocation chooses from."""
        key = (move.slot, move.step)
        if key not in self._allocating:
            program = self.machine.program
            pools = [program.pools[a.pool] for a in self.machine.step(*key).actions if isinstance(a, Alloc)]
            places = [self.layout.places[number] for pool in pools for number in pool.objects]
            self._allocating[key] = frozenset(p.status for p in places if p is not None and p.status >= 0)
        return self._allocating[key]


__all__ = ["MoveFootprint", "Footprints"]
