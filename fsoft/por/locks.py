"""Locks, by what they do rather than by their name.

A **lock** is a cell that holds 0 or the id of a thread. A step **acquires** it if the step is disabled while the cell holds the id of
another thread: pthread_mutex_lock, the second half of a condition wait, a write lock; a read lock acquires the cell of the writer. A
try lock, a time-out or an error return passes and so acquires nothing; nor do semaphores and barriers, whose cells hold no ids.

A lock is **reliable** if only its owner ever changes it: each store that may reach the cell writes 0 or the writer's own id, and
either does not happen while the cell holds another thread's id, or happens where the thread certainly holds the lock, or before any other
thread was created. Unlocking without owning, destroying, initialising again and overwriting make a lock unreliable, and then it counts for
nothing. A lock is named by the term of its address, so that locks in arrays and behind pointers count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from fsoft.analysis.actions import members
from fsoft.passes.ways import conjuncts
from fsoft.por.cells import Ground
from fsoft.por.definitions import Definitions, definitions
from fsoft.por.footprint import Footprint, LoadedValue, StoredValue, settled
from fsoft.por.rewrite import assume_not, replaced
from fsoft.program.expr import FALSE, TRUE, Expr, conj, const, eq, fill, negate, reg


@dataclass(frozen=True)
class Acquire:
    """A step is disabled while the cell at `address` holds another thread's id. `strict`: also while it holds the thread's own."""

    address: Expr
    mask: int
    strict: bool


def value_of(load: LoadedValue) -> Expr:
    return reg(load.name, 8 * load.size)


def own_id(ground: Ground, slot: int) -> int:
    return ground.program.threads[slot].own.get("self", slot + 1)


def acquires(ground: Ground, one: Footprint) -> list[Acquire]:
    """The locks that a step acquires."""
    found = []
    for load in one.loads if one.plain and one.needs else ():
        if load.when is not TRUE or load.masks[1] or not load.masks[0]:
            continue
        value = value_of(load)
        free, mine = eq(value, const(0, value.width)), eq(value, const(own_id(ground, one.slot), value.width))
        if _blocks(one, {free: FALSE, mine: FALSE}, free):
            found.append(Acquire(load.address, load.masks[0], _blocks(one, {free: FALSE}, free)))
    return found


def _blocks(one: Footprint, known: dict[Expr, Expr], free: Expr) -> bool:
    """With what is known the step comes to a condition that is false, and nothing stops the thread before."""
    for need in one.needs:
        if replaced(need.when, known) is TRUE and replaced(need.stops, known) is FALSE and not need.mortal:
            if any(part is free or replaced(part, known) is FALSE for part in conjuncts(need.condition)):
                return True
    return False


def _prevented(ground: Ground, one: Footprint, store: StoredValue) -> bool:
    """The store does not happen while the cell that it goes to holds the id of another thread."""
    if not one.plain:
        return False
    for load in one.loads:
        if load.address is not store.address or load.size != store.size or load.when is not TRUE:
            continue
        value = value_of(load)
        known = assume_not(value, (0, own_id(ground, one.slot)))
        if replaced(store.when, known) is FALSE or replaced(store.stops, known) is TRUE:
            return True
        for need in one.needs[: store.needs]:
            if replaced(need.when, known) is TRUE and any(replaced(c, known) is FALSE for c in conjuncts(need.condition)):
                return True
    return False


# ---------------------------------------------------------------- what is certainly held


@dataclass
class Certain:
    """What holds at a location on all ways: `held` are addresses of locks (over the registers that no definition covers) with their cells,
    `apart` pairs of addresses that differ, `maybe` locks that are held if a term is true."""

    held: dict[Expr, int] = field(default_factory=dict)
    apart: set[frozenset[Expr]] = field(default_factory=set)
    maybe: dict[Expr, tuple[Expr, int]] = field(default_factory=dict)

    def copy(self) -> Certain:
        return Certain(dict(self.held), set(self.apart), dict(self.maybe))

    def meet(self, other: Certain) -> bool:
        """Keep what both say; whether something was lost."""
        before = len(self.held) + len(self.apart) + len(self.maybe)
        self.held = {a: m for a, m in self.held.items() if a in other.held}
        self.apart &= other.apart
        self.maybe = {c: w for c, w in self.maybe.items() if other.maybe.get(c) == w}
        return len(self.held) + len(self.apart) + len(self.maybe) != before

    def forget(self, names: set[str]) -> None:
        """Registers change: what is said in terms of them no longer holds."""
        self.held = {a: m for a, m in self.held.items() if names.isdisjoint(a.reads)}
        self.apart = {p for p in self.apart if all(names.isdisjoint(a.reads) for a in p)}
        self.maybe = {c: w for c, w in self.maybe.items() if names.isdisjoint(c.reads) and names.isdisjoint(w[0].reads)}

    def release(self, address: Expr, mask: int) -> None:
        """A cell is written: a lock that may be there is no longer certainly held."""
        self.held = {a: m for a, m in self.held.items() if not m & mask or (a is not address and frozenset((a, address)) in self.apart)}
        self.maybe = {c: w for c, w in self.maybe.items() if not w[1] & mask}


class SlotLocks:
    """The locks that a slot certainly holds at each location, supposing that nobody else changes a lock that it holds."""

    def __init__(self, ground: Ground, slot: int, prints: Sequence[Footprint]):
        self.ground, self.prints = ground, prints
        self.template = ground.program.threads[slot].template
        self.at: list[Certain | None] = [None] * len(self.template.locations)
        self._acquires = [acquires(ground, one) for one in prints]
        self._me = own_id(ground, slot)
        self.defs = definitions(self.template, prints)
        self._solve()

    def _solve(self) -> None:
        out: list[list[int]] = [[] for _ in self.template.locations]
        for index, step in enumerate(self.template.steps):
            if self.prints[index].possible:
                out[step.source].append(index)
        self.at[0] = Certain()
        work = [0]
        while work:
            location = work.pop()
            before = self.at[location]
            assert before is not None
            for index in out[location]:
                if not self.possible(index):
                    continue
                target = self.template.steps[index].target
                after = Certain() if target == 0 else self.after(index, before)
                old = self.at[target]
                if old is None:
                    self.at[target] = after
                    work.append(target)
                elif old.meet(after):
                    work.append(target)

    def possible(self, index: int) -> bool:
        """The step can be taken, for all that is known of registers."""
        known = self.defs[self.template.steps[index].source]
        return known is not None and fill(self.prints[index].guard, known) is not FALSE

    def holds(self, index: int, address: Expr) -> bool:
        """Before the step the thread certainly holds the lock at that address (a term over its registers)."""
        before = self._branched(index)
        return before is not None and fill(address, self._here(index)) in before.held

    def _here(self, index: int) -> Definitions:
        return self.defs[self.template.steps[index].source] or {}

    def _branched(self, index: int) -> Certain | None:
        """What is certain once the step's guard holds."""
        known = self.at[self.template.steps[index].source]
        if known is None or not known.maybe:
            return known
        known = known.copy()
        told = set(conjuncts(fill(self.prints[index].guard, self._here(index))))
        for condition, (address, mask) in list(known.maybe.items()):
            if condition in told:
                known.held[address] = mask
        return known

    def after(self, index: int, before: Certain) -> Certain:
        """What is certain after a step."""
        one = self.prints[index]
        branched = self._branched(index)
        new = (branched or before).copy()
        here = self._here(index)
        taken = [(fill(a.address, here), a) for a in self._acquires[index] if settled(a.address)]
        for address, acquire in taken:
            if acquire.strict:
                new.apart.update(frozenset((address, other)) for other in new.held if other is not address)
        gained = Certain(apart=new.apart)  # by this step, and not given back in it
        for store in one.stores:
            address = fill(store.address, here)
            if store.value is const(self._me, store.value.width) and settled(address):
                self._gain(one, store, address, taken, gained)
            else:
                new.release(address, store.masks[1])
                gained.release(address, store.masks[1])
        for item in one.items:
            if item.where.kind == "life":
                new.release(FALSE, item.writes)
                gained.release(FALSE, item.writes)
        new.held.update(gained.held)
        new.forget(set(one.after))
        for condition, (address, mask) in gained.maybe.items():
            if one.after.keys().isdisjoint(address.reads):
                new.maybe[condition] = (address, mask)
        return new

    def _gain(self, one: Footprint, store: StoredValue, address: Expr, taken: list[tuple[Expr, Acquire]], gained: Certain) -> None:
        """The thread writes its id: the lock is held afterwards, or is if a register tells that the store happened."""
        happens = conj(store.when, negate(store.stops))
        for other, _ in taken:
            if other is address:
                mine = assume_mine(one, store, self._me)
                if replaced(happens, mine) is TRUE or happens is TRUE:
                    gained.held[address] = store.masks[1]
                    return
        if happens is TRUE:
            gained.held[address] = store.masks[1]
            return
        for name, value in one.after.items():
            for zero in (value, negate(value)) if value.width == 1 else (eq(value, const(0, value.width)),):
                if zero is happens:
                    told = reg(name, value.width)
                    if value.width == 1:
                        condition = told if zero is value else negate(told)
                    else:
                        condition = eq(told, const(0, value.width))
                    gained.maybe[condition] = (address, store.masks[1])


def assume_mine(one: Footprint, store: StoredValue, me: int) -> dict[Expr, Expr]:
    """Suppose that the cell of a store did not hold the thread's own id before (otherwise it is held anyway)."""
    known: dict[Expr, Expr] = {}
    for load in one.loads:
        if load.address is store.address and load.size == store.size:
            value = value_of(load)
            known[eq(value, const(me, value.width))] = FALSE
    return known


# ---------------------------------------------------------------- which locks are reliable


def reliable_cells(ground: Ground, prints: Sequence[Sequence[Footprint]], held: Sequence[SlotLocks], early: frozenset[int]) -> int:
    """Mask of the cells that are reliable locks. `early` are the locations of main where no other thread was ever created."""
    initial = ground.layout.initial()
    candidates = 0
    for slot in prints:
        for one in slot:
            for acquire in acquires(ground, one):
                candidates |= acquire.mask
    good = sum(1 << n for n in members(candidates & steady_cells(ground)) if initial[n] == 0)
    for slot_number, slot in enumerate(prints):
        for one in slot:
            source = ground.program.threads[slot_number].template.steps[one.index].source
            if one.possible and not (slot_number == 0 and source in early):
                good &= ~_spoiled(ground, one, held[slot_number], good)
    return good


def steady_cells(ground: Ground) -> int:
    """Mask of the cells of objects that never die."""
    mask = 0
    for place in ground.layout.places:
        if place is not None and place.rom is None and place.status < 0:
            mask |= ((1 << place.cells.count) - 1) << place.base
    return mask


def _spoiled(ground: Ground, one: Footprint, held: SlotLocks, good: int) -> int:
    """Cells that the step may change although another thread owns them."""
    spoiled = 0
    for item in one.items:
        if item.where.kind == "life":
            spoiled |= item.writes
    me = own_id(ground, one.slot)
    for store in one.stores:
        if not store.masks[1] & good:
            continue
        fits = all(ground.sizes[n] == store.size for n in members(store.masks[1] & good))
        proper = store.value.is_const and store.value.value in (0, me)
        if not (fits and proper and (_prevented(ground, one, store) or held.holds(one.index, store.address))):
            spoiled |= store.masks[1]
    return spoiled
