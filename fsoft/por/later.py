"""What a slot may still touch from each of its locations (`touch_now_later`, F-Soft section 4.2), backwards over its control flow.

An access is kept with its address as a term over the registers at the location, as long as the registers it reads are changed on
the way only by assignments that can be put in; otherwise it is anywhere within its mask. With every access goes the set of locks that
the way to it acquires (`touch_now_later_LS`): lock addresses are terms too, and of two ways only the one that acquires less is kept. A
slot's future ends at location 0; what a slot touches from there on belongs to whoever may create it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from fsoft.por.footprint import Footprint, Item, settled
from fsoft.program.expr import Expr, fill

Locks = frozenset[Expr]
Acquires = Callable[[Footprint], Locks]
"""The locks (addresses of their owner cells) that must be free for a step, or for what comes after it."""

NOTHING: Locks = frozenset()


def spelled(locks: Locks) -> tuple[str, ...]:
    """A key to sort sets of locks by: the same in every run."""
    return tuple(sorted(map(repr, locks)))


def in_order(ways: Iterable[Locks]) -> list[Locks]:
    found = list(ways)
    return found if len(found) < 2 else sorted(found, key=spelled)


_SETS = 12  # different sets of locks at a location
_LOCKS = 6  # locks of a set
_ADDRESSES = 4  # different terms for accesses to the same cells at a location
_ITEMS = 64  # accesses with their address at a location
_LONGEST = 40  # operators of a term after putting in


@dataclass
class Future:
    """What may be touched from a location on: accesses with their address, and masks (read, written) by owner, each with a way's locks."""

    exact: dict[Item, set[Locks]] = field(default_factory=dict)
    loose: dict[tuple[int, Locks], tuple[int, int]] = field(default_factory=dict)

    def add(self, item: Item, locks: Locks) -> bool:
        """Add an access; whether that was news."""
        if item.address is None or item.address.is_const:
            return self.add_masks(item.owner, locks, item.reads, item.writes)
        item = item._replace(origin=0)
        ways = self.exact.get(item)
        if ways is None:
            same = [i for i in self.exact if i.reads == item.reads and i.writes == item.writes]
            if len(same) >= _ADDRESSES:
                return self._loosen(same) | self.add(item.anywhere(), locks)
            if len(self.exact) >= _ITEMS:
                return self._loosen(list(self.exact)) | self.add(item.anywhere(), locks)
            if self._covered(item.owner, locks, item.reads, item.writes):
                return False
            ways = self.exact.setdefault(item, set())
        return _minimal(ways, locks)

    def _loosen(self, items: Iterable[Item]) -> bool:
        news = False
        for item in items:
            for locks in in_order(self.exact.pop(item)):
                news |= self.add_masks(item.owner, locks, item.reads, item.writes)
        return news

    def _covered(self, owner: int, locks: Locks, reads: int, writes: int) -> bool:
        """Masks with fewer locks say so already."""
        for (other, fewer), (r, w) in self.loose.items():
            if other == owner and fewer <= locks:
                reads, writes = reads & ~(r | w), writes & ~w
        return not (reads or writes)

    def add_masks(self, owner: int, locks: Locks, reads: int, writes: int) -> bool:
        if self._covered(owner, locks, reads, writes):
            return False
        if (owner, locks) not in self.loose and sum(o == owner for o, _ in self.loose) >= _SETS:
            locks = NOTHING
        r, w = self.loose.get((owner, locks), (0, 0))
        self.loose[owner, locks] = (r | reads, w | writes)
        return (r | reads, w | writes) != (r, w)


def _minimal(ways: set[Locks], locks: Locks) -> bool:
    """Add a way to an antichain; whether that was news."""
    if any(known <= locks for known in ways):
        return False
    ways.difference_update([known for known in ways if locks < known])
    if len(ways) >= _SETS:
        ways.clear()
        locks = NOTHING
    ways.add(locks)
    return True


class Futures:
    """The futures of one slot by location. `created` gives what a slot that a step activates will touch."""

    def __init__(self, locations: int, prints: Sequence[Footprint], steps: Sequence[tuple[int, int]], own: Acquires, passing: Acquires,
                 created: Callable[[Footprint], Iterable[Future]]):  # fmt: skip
        self.at = [Future() for _ in range(locations)]
        self._into: list[list[int]] = [[] for _ in range(locations)]
        self.prints, self.steps, self.created = prints, steps, created
        for index, (source, target) in enumerate(steps):
            if prints[index].possible and target != 0 and source != target:
                self._into[target].append(index)
        self._loops = [index for index, (source, target) in enumerate(steps) if source == target != 0 and prints[index].possible]
        self._own = [_few(own(one)) for one in prints]
        self._passing = [_few(passing(one)) for one in prints]
        self._moved: dict[tuple[int, Expr], Expr | None] = {}
        self._solve()

    def _solve(self) -> None:
        work: dict[int, None] = {}
        for index, (source, _) in enumerate(self.steps):
            if self.prints[index].possible and self._begin(index):
                work[source] = None
        while work:
            location, _ = work.popitem()
            indices = [*self._into[location], *(i for i in self._loops if self.steps[i][0] == location)]
            for index in indices:
                if self._pull(index):
                    work[self.steps[index][0]] = None

    def _begin(self, index: int) -> bool:
        """What the step itself does, and what it sets going."""
        one, here = self.prints[index], self.at[self.steps[index][0]]
        news = False
        for item in one.items:
            news |= here.add(item, self._own[index])
        for future in self.created(one):
            for (owner, locks), (reads, writes) in future.loose.items():
                news |= here.add_masks(owner, _few(locks | self._passing[index]), reads, writes)
        return news

    def _pull(self, index: int) -> bool:
        """What comes after the step, seen from before it."""
        source, target = self.steps[index]
        one, mine = self.prints[index], self._passing[index]
        here, there = self.at[source], self.at[target]
        news = False
        for item, ways in list(there.exact.items()):
            assert item.address is not None
            address = self._before(item.address, one)
            moved = item.anywhere() if address is None else item._replace(address=address)
            for locks in in_order(ways):
                news |= here.add(moved, _few(self._locks_before(locks, one) | mine))
        for (owner, locks), (reads, writes) in list(there.loose.items()):
            news |= here.add_masks(owner, _few(self._locks_before(locks, one) | mine), reads, writes)
        return news

    def _before(self, term: Expr, one: Footprint) -> Expr | None:
        """`term_before`, remembered: the same terms come again until nothing is new."""
        key = (one.index, term)
        if key not in self._moved:
            self._moved[key] = term_before(term, one)
        return self._moved[key]

    def _locks_before(self, locks: Locks, one: Footprint) -> Locks:
        if not locks:
            return locks
        moved = (self._before(lock, one) for lock in locks)
        return frozenset(lock for lock in moved if lock is not None)


def _few(locks: Locks) -> Locks:
    return locks if len(locks) <= _LOCKS else NOTHING


def term_before(term: Expr, one: Footprint) -> Expr | None:
    """A term over the registers after a step as one over those before it; None if that is not known."""
    if one.after.keys().isdisjoint(term.reads):
        return term
    new = fill(term, one.after)
    return new if settled(new) and _length(new) <= _LONGEST else None


def _length(term: Expr) -> int:
    count, stack, seen = 0, [term], set[Expr]()
    while stack and count <= _LONGEST:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            count += 1
            stack.extend(node.args)
    return count


def entering(future: Future) -> Future:
    """A slot's future from location 0 as others see it: nothing is known of its registers."""
    out = Future()
    for item, ways in future.exact.items():
        assert item.address is not None
        known = item if item.address.is_const else item.anywhere()
        for locks in in_order(ways):
            out.add_masks(item.owner, _constant(locks), known.reads, known.writes)
    for (owner, locks), (reads, writes) in future.loose.items():
        out.add_masks(owner, _constant(locks), reads, writes)
    return out


def _constant(locks: Locks) -> Locks:
    return frozenset(lock for lock in locks if lock.is_const)
