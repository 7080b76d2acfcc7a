"""Creation of threads: who may start whom, and what nobody else touches while a thread has not yet begun.

A slot starts when its descriptor says RUNNING. While it says so and the thread has not ended, nobody else changes the descriptor's state or
argument: that is checked on every store of the program that may go there. Then the first step of a thread commutes with everything.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsoft.analysis.validity import constants_in
from fsoft.passes.ways import conjuncts
from fsoft.por.cells import Ground, Where
from fsoft.por.footprint import Footprint, StoredValue
from fsoft.por.rewrite import atoms, replaced
from fsoft.program import descriptor
from fsoft.program.expr import FALSE, TRUE, Expr, conj, const, fill, negate

_COMPARISONS = 8  # that are decided in the terms of a store


class Descriptors:
    """The entries of the vector that hold a slot's state and argument (-1 if the program has no descriptors)."""

    def __init__(self, ground: Ground):
        self.ground = ground
        self.state = [self._entry(slot, "state") for slot in range(len(ground.program.threads))]
        self.argument = [self._entry(slot, "arg") for slot in range(len(ground.program.threads))]

    def _entry(self, slot: int, field: str) -> int:
        array = self.ground.layout.descriptors
        if array is None:
            return -1
        word = self.ground.program.word // 8
        found = self.ground.entry(self.ground.program.address(array, descriptor.offset(slot, field, word)), word)
        return -1 if found is None else found

    def waits(self, slot: int) -> bool:
        """The slot has to be created: location 0 is not where it simply runs."""
        return self.state[slot] >= 0

    def starts(self, one: Footprint) -> int:
        """Mask of the slots that a step may set running."""
        mask = 0
        for store in one.stores:
            values = constants_in(store.value, {})
            if values is None or descriptor.RUNNING in values:
                mask |= sum(1 << slot for slot, index in enumerate(self.state) if index >= 0 and store.masks[1] >> index & 1)
        return mask

    def guarded(self, prints: Sequence[Sequence[Footprint]]) -> int:
        """Mask of the entries (state, argument) that nobody but their slot changes while its state is RUNNING."""
        good = 0
        for slot, index in enumerate(self.state):
            if index < 0:
                continue
            for entry in (index, self.argument[slot]):
                others = (one for k, rows in enumerate(prints) if k != slot for one in rows if one.possible)
                if entry >= 0 and all(self._kept(one, entry, index) for one in others):
                    good |= 1 << entry
        return good

    def _kept(self, one: Footprint, entry: int, state: int) -> bool:
        for item in one.items:
            if item.where.kind == "life" and item.writes >> entry & 1:
                return False
        stores = [store for store in one.stores if store.masks[1] >> entry & 1]
        return all(self._impossible(one, store, entry, state) for store in stores)

    def _impossible(self, one: Footprint, store: StoredValue, entry: int, state: int) -> bool:
        """While RUNNING the store does not happen, or goes elsewhere. Suppose that it goes to `entry`: if that is the state itself,
        a load from where the store goes gives RUNNING (a join through a handle)."""
        if not one.plain:
            return False
        same = store.address if entry == state else None
        states = [load for load in one.loads if load.address is same and load.size == store.size]
        states += [load for load in one.loads if self._reads(load.address, load.size, state)]
        known = {load.name: const(descriptor.RUNNING, 8 * load.size) for load in states}
        if not known:
            return False
        for need in one.needs[: store.needs]:
            if fill(need.when, known) is TRUE and any(fill(c, known) is FALSE for c in conjuncts(need.condition)):
                return True
        happens = conj(fill(store.when, known), negate(fill(store.stops, known)))
        address = fill(store.address, known)
        return self._elsewhere(happens, address, store.size, entry, atoms((happens, address)))

    # ------------------------------------------------------------ while a thread runs

    def quiet(self, prints: Sequence[Sequence[Footprint]], guarded: int) -> list[int]:
        """By slot: the entries of its descriptor that no other thread touches while it is RUNNING. Joining it reads and writes them, but is
        disabled for so long."""
        out = []
        for slot, state in enumerate(self.state):
            mask = 0
            runs = slot > 0 or self.ground.layout.initial()[state] == descriptor.RUNNING  # a slot moves only while its state says so
            if state >= 0 and guarded >> state & 1 and runs:
                others = [one for k, rows in enumerate(prints) if k != slot for one in rows if one.possible]
                for field in descriptor.FIELDS:
                    entry = self._entry(slot, field)
                    if entry >= 0 and all(self._silent(one, entry, state, field) for one in others):
                        mask |= 1 << entry
            out.append(mask)
        return out

    def _silent(self, one: Footprint, entry: int, state: int, field: str) -> bool:
        """While the state is RUNNING the step does not touch the entry, that field of the same descriptor."""
        touching = [item for item in one.items if (item.reads | item.writes) >> entry & 1]
        if not touching:
            return True
        if not one.plain:
            return False
        delta, joined = descriptor.offset(0, field, self.ground.program.word // 8), awaited(one)
        return all(
            (item.where.kind == "store" and self._kept(one, entry, state))
            or (item.where.kind in ("load", "store") and any(_beyond(item.address, address) == delta for address in joined))
            for item in touching
        )

    def _reads(self, address: Expr, size: int, entry: int) -> bool:
        return address.is_const and self.ground.entry(address.value, size) == entry

    def _elsewhere(self, happens: Expr, address: Expr, size: int, entry: int, undecided: list[Expr]) -> bool:
        """The store misses the entry, whatever the comparisons in its terms are; they are decided one after the other while it matters."""
        if self._misses(happens, address, size, entry):
            return True
        if not 0 < len(undecided) <= _COMPARISONS:
            return False
        for truth in (FALSE, TRUE):
            case = {undecided[0]: truth}
            then, there = replaced(happens, case), replaced(address, case)
            left = [one for one in atoms((then, there)) if one is not undecided[0]]
            if not self._elsewhere(then, there, size, entry, left):
                return False
        return True

    def _misses(self, happens: Expr, address: Expr, size: int, entry: int) -> bool:
        if happens is FALSE:
            return True
        return address.is_const and not self.ground.at(Where("store", size), address.value)[1] >> entry & 1


def awaited(one: Footprint) -> list[Expr]:
    """Addresses such that the step is disabled while what is there is RUNNING: the states of threads that it joins."""
    found = []
    for load in one.loads if one.plain else ():
        known = {load.name: const(descriptor.RUNNING, 8 * load.size)}
        for need in one.needs if load.when is TRUE else ():
            if fill(need.when, known) is TRUE and fill(need.stops, known) is FALSE and not need.mortal:
                if any(fill(part, known) is FALSE for part in conjuncts(need.condition)):
                    found.append(load.address)
                    break
    return found


def _beyond(address: Expr | None, start: Expr) -> int | None:
    """How many bytes an address is beyond another one, if the terms say so."""
    if address is None:
        return None
    if address is start:
        return 0
    if address.is_const and start.is_const:
        return address.value - start.value
    plain = address.op == "padd" and address.args[0] is start and address.args[1].is_const
    return address.args[1].value if plain else None


def early_locations(ground: Ground, descriptors: Descriptors, prints: Sequence[Footprint]) -> frozenset[int]:
    """Locations of main on no way to which a slot has been set running."""
    template = ground.program.threads[0].template
    initial = ground.layout.initial()
    if any(index >= 0 and initial[index] == descriptor.RUNNING for index in descriptors.state[1:]):
        return frozenset()
    late: set[int] = set()
    work = [s.target for k, s in enumerate(template.steps) if prints[k].possible and _starts_any(descriptors, prints[k])]
    out: list[list[int]] = [[] for _ in template.locations]
    for step in template.steps:
        out[step.source].append(step.target)
    while work:
        node = work.pop()
        if node not in late:
            late.add(node)
            work.extend(out[node])
    return frozenset(range(len(template.locations))) - late


def _starts_any(descriptors: Descriptors, one: Footprint) -> bool:
    return any(store.masks[1] >> index & 1 for store in one.stores for index in descriptors.state if index >= 0)


__all__ = ["Descriptors", "early_locations"]
