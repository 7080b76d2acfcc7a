"""Which interleavings need not be tried: sleep sets, and dynamic partial-order reduction with source sets.

Abdulla, Aronis, Jonsson, Sagonas, "Source Sets: A Foundation for Optimal Dynamic Partial Order Reduction" (POPL 2014, JACM 2017),
algorithm source-DPOR. An **event** is what one thread does between two points where the scheduler chooses; two events of different
threads conflict if one writes what the other reads or writes (entries of the state vector that the steps really touched). Events that
conflict, or are of one thread, are ordered; a pair that conflicts with nothing in between is a race, and the other order is tried from
where the first of the two was chosen. A step that is blocked is no event, but what it waits for is in a race with it, too:
so a lock is also tried by the one who came late.

Sleep sets (Godefroid) keep an order that has been tried from being tried again: of each Mazurkiewicz trace one interleaving is complete.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fsoft.bounded.outcomes import Executed
from fsoft.program.state import OVER


@dataclass(frozen=True, slots=True)
class EntryMasks:
    """Entries of memory that something reads and writes, as bit masks. Whoever writes `OVER` conflicts with everybody."""

    reads: int = 0
    writes: int = 0

    def joined(self, other: EntryMasks) -> EntryMasks:
        return EntryMasks(self.reads | other.reads, self.writes | other.writes)

    def meets(self, other: EntryMasks) -> bool:
        mine, theirs = self.writes, other.writes
        return bool(mine & (theirs | other.reads) or theirs & self.reads or (mine | theirs) >> OVER & 1)


def footprint(executed: Executed, alone: bool) -> EntryMasks:
    """That of a step; `alone` says that it must not change places with any other."""
    return EntryMasks(executed.read_mask, executed.write_mask | alone << OVER)


@dataclass(slots=True)
class SlotEvent:
    """What a slot did from the point with that number on; `clock` is the mask of the events that are before it in every order."""

    slot: int
    point: int
    footprint: EntryMasks
    clock: int = 0


class Events:
    """The events of the path. `joined`: the event with that number includes steps of that other slot, too (a thread that it created
    has started, one that waited for its end has gone on)."""

    def __init__(self) -> None:
        self.path: list[SlotEvent] = []
        self.joined: list[tuple[int, int]] = []

    def cut(self, length: int, joined: int) -> None:
        """Back to the first so many events."""
        del self.path[length:]
        del self.joined[joined:]

    def _before(self, slot: int) -> int:
        """What is ordered before anything that the slot does next."""
        before = {number for number, other in self.joined if other == slot and number < len(self.path)}
        last = next((number for number in range(len(self.path) - 1, -1, -1) if self.path[number].slot == slot), -1)
        clock = 0
        for number in before | {last} - {-1}:
            clock |= self.path[number].clock | 1 << number
        return clock

    def races(self, slot: int, footprint: EntryMasks) -> tuple[list[int], int]:
        """The events that what the slot does next is in a race with, and the mask of all those that are ordered before it."""
        clock, found = self._before(slot), list[int]()
        for number in range(len(self.path) - 1, -1, -1):
            one = self.path[number]
            if one.slot != slot and not clock >> number & 1 and one.footprint.meets(footprint):
                found.append(number)
                clock |= one.clock | 1 << number
        return found, clock

    def initials(self, first: int, slot: int, clock: int) -> list[int]:
        """Slots that can come first when what follows event `first` without depending on it, and then the slot's next step, is run
        from where that event was chosen."""
        after, found = 0, dict[int, None]()
        for number in range(first + 1, len(self.path)):
            one = self.path[number]
            if one.clock >> first & 1:
                continue
            if one.slot not in found and not one.clock & after:
                found[one.slot] = None
            after |= 1 << number
        if slot not in found and not clock & after:
            found[slot] = None
        return list(found)


def asleep(sleep: dict[int, EntryMasks], step: EntryMasks, more: Iterable[tuple[int, EntryMasks]] = ()) -> dict[int, EntryMasks]:
    """Those that stay asleep after a step: what they would do does not conflict with it."""
    return {slot: footprint for slot, footprint in (*sleep.items(), *more) if not footprint.meets(step)}
