"""All that stubborn sets need to know about a Program, as plain data; `stubborn.py` and `scheduler.py` read it.

For each slot: the footprint of each step (what it touches, what blocks it), the future of each location (what may be touched from
there on), the sticky locations; for the whole: the cells that two slots share, reliable locks, and who may create whom.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING

from fsoft.analysis.actions import members
from fsoft.analysis.liveness import Liveness
from fsoft.por.bits import spared
from fsoft.por.cells import Ground
from fsoft.por.derived import FlagsOf, derived_cells
from fsoft.por.footprint import Footprint, Item, Tracer, settled
from fsoft.por.later import Future, Futures, Locks, entering
from fsoft.por.locks import SlotLocks, acquires, reliable_cells
from fsoft.por.patterns import NO_PATTERNS, Patterns
from fsoft.por.sticky import reaches_itself, sticky_locations
from fsoft.por.threads import Descriptors, early_locations
from fsoft.por.visible import visible_locations
from fsoft.program.expr import Expr
from fsoft.program.program import Program

if TYPE_CHECKING:
    from fsoft.por.visible import AtomReads


class StubbornFacts:
    """`prints[slot][step]`, `future(slot, location)`, `sticky[slot]`; `shared`, `relevant` (those whose touches count),
    `locks` and `derived` (locks that are flags) are masks over the state vector. `quiet[slot]`: what only the slot
    itself touches while it runs. `spared[slot][step]`: what the step does not depend on while it can be taken.
    With `seen` the question is about runs: threads that may change what is seen, or stop, are `sticky` too."""

    def __init__(self, program: Program, patterns: Patterns = NO_PATTERNS, seen: AtomReads | None = None):
        self.program, self.seen = program, seen
        self._liveness: dict[int, Liveness] = {}
        self.ground = Ground(program)
        self.layout = self.ground.layout
        self.descriptors = Descriptors(self.ground)
        slots = range(len(program.threads))
        rough = [self._trace(Tracer(self.ground, slot)) for slot in slots]
        self._initial = self.layout.initial()
        self._written = _union(self._changed(one) for rows in rough for one in rows if one.possible)
        self.guarded = self.descriptors.guarded([self._trace(Tracer(self.ground, slot, self.frozen)) for slot in slots])
        self.ground.watch_zeros(self.guarded & _union(1 << index for index in self.descriptors.state if index >= 0))
        self._writes_of = [_union(i.writes for one in rows for i in one.items) for rows in rough]
        self.prints = [self._trace(self._tracer(slot)) for slot in slots]
        self.held = [SlotLocks(self.ground, slot, self.prints[slot]) for slot in slots]
        for rows, held in zip(self.prints, self.held, strict=True):
            for one in rows:
                one.possible = one.possible and held.possible(one.index)
        self.quiet = self.descriptors.quiet(self.prints, self.guarded)
        self.spared = spared(self.ground, self.prints) if "no-data-race" not in program.checks else [{} for _ in slots]
        self.shared = self._shared()
        self.starts = [[self.descriptors.starts(one) for one in rows] for rows in self.prints]
        again = reaches_itself([_union(rows) for rows in self.starts])
        self.sticky = [sticky_locations(t.template, again[k]) for k, t in enumerate(program.threads)]
        self._look_on()
        early = early_locations(self.ground, self.descriptors, self.prints[0])
        self.locks = reliable_cells(self.ground, self.prints, self.held, early)
        main = [early] + [frozenset[int]()] * (len(slots) - 1)
        self.flags = [FlagsOf(self.ground, self.held[k], self.prints[k], self.locks, main[k]) for k in slots]
        self.derived = derived_cells(self.ground, self.flags)
        self.entering = self._entering()
        self._traced = self.prints
        self._count(patterns)

    def under(self, patterns: Patterns) -> StubbornFacts:
        """These facts where locks count in another way; what does not depend on that is shared."""
        other = copy(self)
        other._count(patterns)
        return other

    def _count(self, patterns: Patterns) -> None:
        """What depends on how locks count."""
        self.patterns, self.prints = patterns, self._traced
        self.relevant = self.shared & ~patterns.exempt(self)
        self.prints = [self._without_private(slot, rows) for slot, rows in enumerate(self._traced)]
        self._futures: list[list[Future]] = []

    # ------------------------------------------------------------ answers

    def future(self, slot: int, location: int) -> Future:
        if not self._futures:
            self._solve()
        return self._futures[slot][location]

    def frozen(self, index: int) -> int | None:
        """The value of an entry that nobody changes."""
        value = self._initial[index]
        return value if isinstance(value, int) and not self._written >> index & 1 else None

    def acquired(self, one: Footprint) -> Locks:
        """The reliable and the derived locks that a step acquires: addresses over the registers before it."""
        found = {a.address for a in acquires(self.ground, one) if not a.mask & ~self.locks}
        setting = self.flags[one.slot].settings.get(one.index)
        if setting is not None and not setting.mask & ~self.derived:
            found.add(setting.address)
        return frozenset(lock for lock in found if settled(lock))

    def owned(self, slot: int, location: int) -> list[Expr]:
        """Addresses of the derived locks that a slot holds at a location, over registers that are live there: others have no value."""
        flags, live = self.flags[slot].at[location], self._live(slot, location)
        return [] if flags is None else [a for a, mask in flags.owned.items() if not mask & ~self.derived and a.reads <= live]

    def _live(self, slot: int, location: int) -> frozenset[str]:
        template = self.program.threads[slot].template
        table = self._liveness.get(id(template))
        if table is None:
            table = self._liveness[id(template)] = Liveness(template)
        return table.names(table.at[location])

    # ------------------------------------------------------------ how they come about

    def _look_on(self) -> None:
        """Where a step may be visible a thread is treated as at a sticky location."""
        if self.seen is not None:
            found = visible_locations(self.program, self.descriptors, self.prints, self.seen)
            self.sticky = [sticky | visible for sticky, visible in zip(self.sticky, found, strict=True)]

    def _trace(self, tracer: Tracer) -> list[Footprint]:
        return [tracer.trace(index) for index in range(len(tracer.thread.template.steps))]

    def _tracer(self, slot: int) -> Tracer:
        early = self.guarded & self._argument(slot) & ~self._writes_of[slot]
        return Tracer(self.ground, slot, self.frozen, early, self.descriptors.state[slot])

    def _changed(self, one: Footprint) -> int:
        """Entries to which a step may give another value than the initial one."""
        mask = _union(item.writes for item in one.items if item.where.kind == "life")
        for store in one.stores:
            cells = list(members(store.masks[1]))
            same = store.value.is_const and all(self.ground.sizes[n] == store.size and self._initial[n] == store.value.value for n in cells)
            mask |= 0 if same else store.masks[1]
        return mask

    def _argument(self, slot: int) -> int:
        index = self.descriptors.argument[slot]
        return 1 << index if index >= 0 else 0

    def _mine(self, slot: int) -> int:
        state, argument = self.descriptors.state[slot], self.descriptors.argument[slot]
        return sum(1 << index for index in (state, argument) if index >= 0)

    def _shared(self) -> int:
        """Entries that two slots touch, one of them changing it. (Storing what is there already changes nothing, but it can race.)"""
        reads = [_union(i.reads for one in rows if one.possible for i in one.items) for rows in self.prints]
        writes = [_union(i.writes for one in rows if one.possible for i in one.items) for rows in self.prints]
        mask = 0
        for slot, written in enumerate(writes):
            for other in range(len(writes)):
                if other != slot:
                    mask |= written & (reads[other] | writes[other])
        if "no-data-race" in self.program.checks:
            return mask
        return mask & (self._written | -1 << self.layout.size)

    def _without_private(self, slot: int, rows: list[Footprint]) -> list[Footprint]:
        """Items keep shared entries only; the first step of a thread does not share what nobody touches before it."""
        steps, found = self.program.threads[slot].template.steps, []
        for one in rows:
            private = self.guarded & self._mine(slot) if steps[one.index].source == 0 else 0
            kept = (self._narrowed(item, self.relevant & ~private) for item in one.items)
            found.append(replace(one, items=[item for item in kept if item is not None]))
        return found

    @staticmethod
    def _narrowed(item: Item, mask: int) -> Item | None:
        reads, writes = item.reads & mask, item.writes & mask
        return item._replace(reads=reads, writes=writes) if reads or writes else None

    def _entering(self) -> list[frozenset[int]]:
        """By slot: the locations from which a step leads into an atomic section of several steps."""
        out = []
        for thread in self.program.threads:
            places = thread.template.locations
            found = {s.source for s in thread.template.steps if places[s.target].atomic and not places[s.source].atomic}
            out.append(frozenset(found))
        return out

    def _solve(self) -> None:
        """Futures of all slots; creators know what the created will touch, so it goes on until nobody learns anything new."""
        slots = range(len(self.program.threads))
        self._futures = [[] for _ in slots]
        entries: list[Future] = [Future() for _ in slots]
        todo = dict.fromkeys(slots)
        while todo:
            slot, _ = todo.popitem()
            self._futures[slot] = self._slot(slot, entries)
            new = entering(self._futures[slot][0])
            if new.loose != entries[slot].loose:
                entries[slot] = new
                todo.update(dict.fromkeys(k for k in slots if _union(self.starts[k]) >> slot & 1))

    def _slot(self, slot: int, entries: list[Future]) -> list[Future]:
        template = self.program.threads[slot].template
        steps = [(s.source, s.target) for s in template.steps]

        def created(one: Footprint) -> Iterable[Future]:
            mask = self.starts[slot][one.index]
            return [entries[k] for k in range(len(entries)) if mask >> k & 1 and k != slot]

        def own(one: Footprint) -> Locks:
            return self.patterns.own(self, one)

        def passing(one: Footprint) -> Locks:
            return self.patterns.passing(self, one)

        return Futures(len(template.locations), self.prints[slot], steps, own, passing, created).at


def _union(masks: Iterable[int]) -> int:
    total = 0
    for mask in masks:
        total |= mask
    return total
