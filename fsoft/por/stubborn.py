"""Stubborn sets for the explorer: which slots are enough, in a state (F-Soft section 4.2, evaluated instead of encoded)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from fsoft.analysis.actions import members
from fsoft.por.blocked import Barrier, Blockade, blockade
from fsoft.por.cells import Masks, Where
from fsoft.por.facts import StubbornFacts
from fsoft.por.footprint import Item, LoadedValue
from fsoft.por.later import Locks
from fsoft.por.locks import own_id
from fsoft.program import descriptor
from fsoft.program.choice import Ready, Strayed
from fsoft.program.expr import Expr, evaluate
from fsoft.program.state import Access

FutureTouch = tuple[int, int, int, tuple[int, ...]]
"""Owner, entries read, entries written, entries of the locks that have to be free."""


@dataclass
class Present:
    """A slot as it is now: what it touches now (by step), what it may touch from now on, whether everybody has to be considered, and
    the derived locks that it holds."""

    now: dict[int, Masks]
    later: list[FutureTouch]
    sticky: bool
    owned: frozenset[int]


@dataclass
class _Values:
    """What the loads of a blocked step give, and where they are; None: not known."""

    values: list[int | None]
    masks: list[int]


def holds(v: Sequence[Any], lock: int, number: int) -> bool:
    """The thread with that id holds the lock in that entry."""
    return bool(v[lock] == number)


class Stubborn:
    """`select` answers for a state; `watch` compares what happens with what was foreseen. `weaker` takes fewer locks into account."""

    def __init__(self, facts: StubbornFacts):
        self.facts = facts
        weaker = facts.patterns.weaker
        self.weaker = None if weaker is None else Stubborn(facts.under(weaker))
        self.sticky: Sequence[frozenset[int]] = facts.sticky
        self.layout = facts.layout
        self.program = facts.program
        self._ids = [own_id(facts.ground, slot) for slot in range(len(self.program.threads))]
        self._slot_of = {number: slot for slot, number in enumerate(self._ids)}
        self._cache: list[dict[tuple[Any, ...], Present]] = [{} for _ in self._ids]
        self._blockades: dict[tuple[int, int], Blockade | None] = {}
        self._indices = [self._by_source(slot) for slot in range(len(self._ids))]

    def _by_source(self, slot: int) -> list[list[int]]:
        template = self.program.threads[slot].template
        out: list[list[int]] = [[] for _ in template.locations]
        for index, step in enumerate(template.steps):
            out[step.source].append(index)
        return out

    # ------------------------------------------------------------ one slot

    def active(self, v: Sequence[Any], slot: int) -> bool:
        """The slot can move by itself: it is on its way, or about to begin."""
        state = self.facts.descriptors.state[slot]
        return v[self.layout.pc[slot]] != 0 or state < 0 or v[state] == descriptor.RUNNING

    def present(self, v: Sequence[Any], slot: int) -> Present:
        low, high = self.layout.spans[slot]
        argument = self.facts.descriptors.argument[slot]
        key = (*v[low:high], v[argument] if argument >= 0 else 0)
        known = self._cache[slot].get(key)
        if known is None:
            known = self._cache[slot][key] = self._present(v, slot)
        return known

    def _present(self, v: Sequence[Any], slot: int) -> Present:
        location = v[self.layout.pc[slot]]
        leaf = self._leaf(v, slot)
        now = {index: self._touched(self.facts.prints[slot][index].items, leaf) for index in self._indices[slot][location]}
        later: dict[tuple[int, tuple[int, ...]], Masks] = {}
        future = self.facts.future(slot, location)
        for item, ways in future.exact.items():
            reads, writes = self._masks(item, leaf)
            for locks in ways:
                _gather(later, item.owner, self._entries(locks, leaf), reads, writes)
        for (owner, locks), (reads, writes) in future.loose.items():
            _gather(later, owner, self._entries(locks, leaf), reads, writes)
        sticky = location in self.facts.sticky[slot] or location in self.facts.entering[slot]
        owned = frozenset(self._entries(frozenset(self.facts.owned(slot, location)), leaf))
        return Present(now, [(owner, r, w, locks) for (owner, locks), (r, w) in later.items()], sticky, owned)

    def _leaf(self, v: Sequence[Any], slot: int) -> Callable[[Expr], int]:
        registers = self.layout.registers[slot]

        def leaf(node: Expr) -> int:
            name = str(node.data)
            value = v[int(name[1:])] if name[0] == "@" else v[registers[name]]
            return int(value)

        return leaf

    def _touched(self, items: Sequence[Item], leaf: Callable[[Expr], int]) -> Masks:
        reads = writes = 0
        for item in items:
            r, w = self._masks(item, leaf)
            reads, writes = reads | r, writes | w
        return reads, writes

    def _masks(self, item: Item, leaf: Callable[[Expr], int]) -> Masks:
        if item.address is None:
            return item.reads, item.writes
        reads, writes = self.facts.ground.at(item.where, evaluate(item.address, leaf))
        return reads & item.reads, writes & item.writes

    def _entries(self, locks: Locks, leaf: Callable[[Expr], int]) -> tuple[int, ...]:
        """The cells of the locks, as far as they are reliable or derived locks."""
        found = set()
        for lock in locks:
            address = evaluate(lock, leaf)
            index = next(iter(members(self.facts.ground.at(Where("load", 1), address)[0] & (self.facts.locks | self.facts.derived))), None)
            if index is not None:
                found.add(index)
        return tuple(sorted(found))

    def now(self, v: Sequence[Any], slot: int, index: int) -> Masks:
        """What a step touches now. Addresses that it loads itself are those that memory holds now: who may change them touches them."""
        one = self.facts.prints[slot][index]
        if not one.deep:
            return self.present(v, slot).now[index]
        told = self._loaded(v, slot, one.loads)
        plain, deep = self._leaf(v, slot), self._with_loads(v, slot, told)
        reads = writes = 0
        for item in one.items:
            address = one.deep.get(item.origin)
            r, w = self._masks(item, plain)
            if address is not None:
                try:
                    at = self.facts.ground.at(item.where, evaluate(address, deep))
                    r, w = r & at[0], w & at[1]
                except _Unknown:
                    pass
            reads, writes = reads | r, writes | w
        return reads, writes

    # ------------------------------------------------------------ conflicts

    def conflicts(self, v: Sequence[Any], i: int, steps: Sequence[Ready]) -> set[int]:
        """Slots that may come to touch what slot i touches now with one of the steps, before i moves."""
        others = [j for j in range(len(self._ids)) if j != i and self.active(v, j)]
        if self.present(v, i).sticky:
            return set(others)
        reads, writes = self._touches(v, i, steps)
        return {j for j in others if self._meets(v, i, j, reads, writes)}

    def _touches(self, v: Sequence[Any], slot: int, steps: Sequence[Ready]) -> Masks:
        """What a slot touches now with the steps, as far as others may have to do with it."""
        reads = writes = 0
        for step in steps:
            r, w = self.now(v, slot, step.step)
            if step.enabled:
                r &= ~self.facts.spared[slot].get(step.step, 0)
            reads, writes = reads | r, writes | w
        apart = ~self.facts.quiet[slot]
        return reads & apart, writes & apart

    def _meets(self, v: Sequence[Any], i: int, j: int, reads: int, writes: int) -> bool:
        """Slot j may write what is in `reads`, or touch what is in `writes`, while i does not move."""
        if not (reads or writes) or not self.active(v, j):
            return False
        mine, owned, real = self._ids[i], self.present(v, i).owned, self.facts.locks
        for owner, r, w, locks in self.present(v, j).later:
            if (writes & (r | w) or reads & w) and owner != i:
                if not any(n in owned or (real >> n & 1 and holds(v, n, mine)) for n in locks):
                    return True
        return False

    # ------------------------------------------------------------ who can enable a step

    def enablers(self, v: Sequence[Any], slot: int, index: int) -> set[int]:
        """Slots one of which has to move before the disabled step becomes possible."""
        others = [j for j in range(len(self._ids)) if j != slot]
        found = self._reason(v, slot, index)
        if found is None:
            reads, writes = self._blocked_masks(slot, index)
            return {j for j in others if self._meets(v, slot, j, reads | writes, 0)}
        mask, owner = found
        helpers = {j for j in others if self._meets(v, slot, j, mask, 0)}
        return helpers if owner is None or owner == slot else helpers | {owner}

    def _blocked_masks(self, slot: int, index: int) -> Masks:
        return self.facts.prints[slot][index].full

    def _reason(self, v: Sequence[Any], slot: int, index: int) -> tuple[int, int | None] | None:
        """Entries on which a false condition of the step depends, and the thread that owns the lock which it waits for (then the lock's
        own cell is not among the entries)."""
        plan = self._blockade(slot, index)
        if plan is None:
            return None
        told = self._loaded(v, slot, plan.loads)
        leaf = self._with_loads(v, slot, told)
        for barrier in plan.barriers:
            found = self._at_barrier(v, barrier, told, leaf)
            if found is not None:
                mask, owner = found
                return mask | plan.life, owner
        return None if plan.barriers or plan.loads else (0, None)

    def _blockade(self, slot: int, index: int) -> Blockade | None:
        key = (slot, index)
        if key not in self._blockades:
            self._blockades[key] = blockade(self.facts.prints[slot][index], self.facts.ground.sizes, self.facts.locks)
        return self._blockades[key]

    def _loaded(self, v: Sequence[Any], slot: int, loads: Sequence[LoadedValue]) -> _Values:
        told = _Values([], [])
        leaf = self._with_loads(v, slot, told)
        for load in loads:
            value: int | None = None
            mask = load.masks[0]
            try:
                if not evaluate(load.when, leaf):
                    told.values.append(0)
                    told.masks.append(0)
                    continue
                address = evaluate(load.address, leaf)
                mask = self.facts.ground.at(Where("load", load.size), address)[0]
                value = self.layout.cell(v, address, load.size)
            except _Unknown:
                pass
            told.values.append(value)
            told.masks.append(mask)
        return told

    def _with_loads(self, v: Sequence[Any], slot: int, told: _Values) -> Callable[[Expr], int]:
        plain = self._leaf(v, slot)

        def leaf(node: Expr) -> int:
            name = str(node.data)
            if name[0] not in "#?":
                return plain(node)
            value = told.values[int(name[1:])] if name[0] == "#" else None  # an input has no value yet
            if value is None:
                raise _Unknown
            return value

        return leaf

    def _at_barrier(self, v: Sequence[Any], barrier: Barrier, told: _Values, leaf: Callable[[Expr], int]) -> tuple[int, int | None] | None:
        try:
            if evaluate(barrier.stops, leaf) or not evaluate(barrier.when, leaf):
                return None
        except _Unknown:
            return None
        context = _union(told.masks, barrier.context)
        for part in barrier.conjuncts:
            try:
                if evaluate(part.term, leaf):
                    continue
            except _Unknown:
                continue
            if part.lock is not None:
                owner = self._slot_of.get(told.values[part.lock] or 0)
                rest = tuple(k for k in part.loads if k != part.lock)
                if owner is not None:
                    return context | _union(told.masks, rest), owner
            return context | _union(told.masks, part.loads), None
        return None

    # ------------------------------------------------------------ sets

    def closure(self, v: Sequence[Any], start: int, ready: dict[int, list[Ready]], needs: dict[int, set[int]]) -> set[int]:
        """The least set with `start` that is closed under conflicts and, for slots that cannot move, under who can enable them; `needs` has
        what is known of that in this state."""
        members_, work = {start}, [start]
        while work:
            slot = work.pop()
            if slot not in needs:
                needs[slot] = self._needs(v, slot, ready)
            for other in needs[slot] - members_:
                members_.add(other)
                work.append(other)
        return members_

    def _needs(self, v: Sequence[Any], slot: int, ready: dict[int, list[Ready]]) -> set[int]:
        steps = ready[slot]
        others = [j for j in range(len(self._ids)) if j != slot]
        if any(step.enabled for step in steps):
            if any(step.over for step in steps):
                return set(others)
            return self.conflicts(v, slot, steps)
        found: set[int] = set()
        for step in steps:
            found |= self.enablers(v, slot, step.step)
        return found

    def select(self, v: Sequence[Any], ready: dict[int, list[Ready]], order: Sequence[int]) -> list[int] | None:
        """The slots to expand: the enabled members of a stubborn set with as few of them as possible. None: all.

        It is a part of what the weaker patterns choose (theorem 2 of the paper: some run of the algorithm returns a part). So all states
        that are visited would be visited under the weaker ones, too: locks never cost states."""
        enabled = [slot for slot in order if any(step.enabled for step in ready[slot])]
        among = None if self.weaker is None else self.weaker.select(v, ready, order)
        if among is not None and len(among) == 1:
            return among
        best = None if among is None else set(among)
        needs: dict[int, set[int]] = {}
        fewest = len(enabled if among is None else among)
        for slot in enabled if among is None else among:
            if not any(step.enabled and not step.spurious for step in ready[slot]):
                continue
            found = self.closure(v, slot, ready, needs)
            size = sum(member in found for member in enabled)
            if size < fewest:
                best, fewest = found, size
            if fewest == 1:
                break
        return None if best is None else [slot for slot in enabled if slot in best]

    # ------------------------------------------------------------ what really happens

    def watch(self, v: Sequence[Any], slot: int, index: int, log: Sequence[Access]) -> None:
        """Raises Strayed if an access is not where the facts allow it."""
        one = self.facts.prints[slot][index]
        reads, writes = one.full
        now_reads, now_writes = self.now(v, slot, index)
        hidden = one.tested | (self.facts.guarded if v[self.layout.pc[slot]] == 0 else 0)
        for access in log:
            address = access.object << self.program.offset_bits | access.offset
            cells = self.facts.ground.at(Where("load", access.size), address)[0]
            cells &= ~self.facts.ground.lives
            allowed, now = (writes, now_writes) if access.write else (reads | writes, now_reads | now_writes)
            if cells & ~allowed or cells & self.facts.relevant & ~hidden & ~now:
                raise Strayed

    def watch_atom(self, log: Sequence[Access]) -> None:
        """Raises Strayed if an atom reads what it was not known to look at."""
        entries = self.facts.seen.entries if self.facts.seen is not None else 0
        for access in log:
            address = access.object << self.program.offset_bits | access.offset
            if not access.write and self.facts.ground.at(Where("load", access.size), address)[0] & ~entries:
                raise Strayed


class _Unknown(Exception):
    """A value of memory is not defined."""


def _gather(table: dict[tuple[int, tuple[int, ...]], Masks], owner: int, locks: tuple[int, ...], reads: int, writes: int) -> None:
    r, w = table.get((owner, locks), (0, 0))
    table[owner, locks] = (r | reads, w | writes)


def _union(masks: Sequence[int], which: Sequence[int]) -> int:
    total = 0
    for k in which:
        total |= masks[k]
    return total
