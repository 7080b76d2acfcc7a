"""Stubborn sets as a circuit (F-Soft section 4.2): `cstub_i` for every slot, as terms over the words of the state.

    touch_now(i, c), touch_now_later(j, c)      cells by location, with the actual address where it is known
    depends(i, j)                               conflict_i(j) if i can move, else: j may make i's step possible
    J_i                                         transitive closure of depends from i
    cstub                                       the J_i with the fewest enabled members, i itself able to move; the lowest i among equals

It reads the same `StubbornFacts` as `stubborn.py` and answers the same in every state.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from fsoft.analysis.actions import members
from fsoft.circuit.encode.encoding import Moves
from fsoft.por.blocked import Barrier, Blockade, blockade
from fsoft.por.cells import Where
from fsoft.por.facts import StubbornFacts
from fsoft.por.footprint import Item, LoadedValue
from fsoft.por.later import Locks, spelled
from fsoft.por.locks import own_id
from fsoft.program import descriptor
from fsoft.program.expr import FALSE, TRUE, Expr, binary, conj, const, disj, eq, fill, ite, make, negate, resize
from fsoft.program.state import OVER

EntryConditions = dict[int, Expr]
"""For each entry of the state vector when it is meant; entries that are never meant are missing."""


@dataclass
class Group:
    """What a slot may touch from now on, in the name of `owner`, on ways that need the same locks."""

    owner: int
    locks: Locks
    reads: EntryConditions
    writes: EntryConditions
    touched: EntryConditions = field(default_factory=dict)

    def close(self) -> None:
        """All has been added."""
        self.touched = dict(self.writes)
        for entry, when in self.reads.items():
            self.touched[entry] = disj(when, self.writes.get(entry, FALSE))


def any_of(terms: Iterable[Expr]) -> Expr:
    total: Expr = FALSE
    for term in terms:
        total = disj(total, term)
    return total


def _add(table: EntryConditions, index: int, when: Expr) -> None:
    if when is not FALSE:
        table[index] = disj(table.get(index, FALSE), when)


class StubbornTerms:
    """`allowed()` gives for each slot the condition under which it belongs to the stubborn set of the state."""

    def __init__(self, facts: StubbornFacts, moves: Moves):
        self.facts, self.moves = facts, moves
        self.layout, self.words, self.program = moves.layout, moves.words, facts.program
        self.slots = range(len(self.program.threads))
        self._ids = [own_id(facts.ground, slot) for slot in self.slots]
        self._addresses = self._cell_addresses()
        self._states = frozenset(name for name in moves.words.names if name)
        self._sets: dict[tuple[int, frozenset[int]], Expr] = {}
        self._held: dict[tuple[int, int, Locks], Expr] = {}
        self._owners: dict[Expr, Expr] = {}
        self._owned = [self._owns(slot) for slot in self.slots]
        self._enabled = [any_of(conj(at, e.enabled) for _, at, e in moves.steps[slot]) for slot in self.slots]

    # ------------------------------------------------------------ places and locations

    def _cell_addresses(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for place in self.layout.places:
            if place is not None and place.rom is None:
                start = place.object.id << self.program.offset_bits
                found.update({place.base + cell.number: start + cell.offset for cell in place.cells})
        self._sizes = dict(enumerate(self.facts.ground.sizes))
        for index, zero in self.facts.ground.zeros.items():
            found[zero], self._sizes[zero] = found[index], self._sizes[index]
        return found

    def _term(self, slot: int, term: Expr) -> Expr:
        """A term over registers of a slot as one over words of the state."""
        names: dict[str, Expr] = {}
        for name in term.reads:
            if name[0] == "@":
                names[name] = self.words.leaf(int(name[1:]))
            elif name[0] not in "#?":
                names[name] = self.words.leaf(self.layout.registers[slot][name])
        return fill(term, names)

    def at(self, slot: int, locations: frozenset[int]) -> Expr:
        """The slot is at one of the locations; one that waits to be created is nowhere."""
        known = self._sets.get((slot, locations))
        if known is None:
            pc = self.words.leaf(self.layout.pc[slot])
            total = any_of(_between(pc, low, high) for low, high in _runs(sorted(locations - {0})))
            if 0 in locations:
                total = disj(total, conj(eq(pc, const(0, pc.width)), self._running(slot)))
            known = self._sets[slot, locations] = total
        return known

    def _running(self, slot: int) -> Expr:
        state = self.facts.descriptors.state[slot]
        if state < 0:
            return TRUE
        leaf = self.words.leaf(state)
        return eq(leaf, const(descriptor.RUNNING, leaf.width))

    def _meant(self, item: Item, address: Expr | None, mask: int) -> EntryConditions:
        """When each entry of the mask is what the item touches at an address (over words of the state)."""
        if address is None:
            return dict.fromkeys(members(mask), TRUE)
        if address.is_const:
            hit = self.facts.ground.at(item.where, address.value)
            return dict.fromkeys(members(mask & (hit[0] | hit[1])), TRUE)
        return self._at_address(address, item.where.size, mask)

    def _address(self, slot: int, item: Item) -> Expr | None:
        return None if item.address is None else self._term(slot, item.address)

    def _at_address(self, address: Expr, size: int, mask: int) -> EntryConditions:
        """When each entry of the mask lies at that address (an entry that is no cell: whenever the address is in its object)."""
        bits = self.program.offset_bits
        number = make("extract", self.program.word - bits, (address,), bits)
        out: EntryConditions = {}
        for index in members(mask):
            start = self._addresses.get(index)
            if start is None or not size:
                out[index] = eq(number, const(self._object(index), number.width))
                continue
            out[index] = any_of(eq(address, const(a, address.width)) for a in self._starts(start, self._sizes[index], size))
        return out

    def _starts(self, cell: int, length: int, size: int) -> list[int]:
        """Addresses from which an access of `size` bytes reaches a cell of `length` bytes. Accesses that the circuit does not follow,
        those of the cell's own size at odd places, end the run there and need not be foreseen."""
        around = range(cell - size + 1, cell + length)
        bits, align = self.program.offset_bits, min(size, self.program.word // 8)
        same = [a for a in around if a >> bits == cell >> bits]
        if size != length:
            return same
        return [a for a in same if a == cell or a % align == 0 or self.facts.ground.entry(a, size) is not None]

    def _object(self, index: int) -> int:
        for place in self.layout.places:
            if place is not None and place.rom is None and index in (place.status, place.extent):
                return place.object.id
            if place is not None and place.rom is None and place.base <= index < place.base + place.cells.count:
                return place.object.id
        return 0

    # ------------------------------------------------------------ now and later

    def _now(self, slot: int) -> tuple[EntryConditions, EntryConditions]:
        """What a slot touches now with the steps whose guard holds."""
        reads: EntryConditions = {}
        writes: EntryConditions = {}
        steps = self.program.threads[slot].template.steps
        possible = {index: e.enabled for index, _, e in self.moves.steps[slot]}
        for index, one in enumerate(self.facts.prints[slot]):
            here = conj(self.at(slot, frozenset((steps[index].source,))), self._term(slot, one.guard))
            spared, blocked = self.facts.spared[slot].get(index, 0), negate(possible.get(index, FALSE))
            values = self._loaded(slot, one.loads) if one.deep else None
            for item in one.items:
                address = self._address(slot, item)
                if values is not None and item.origin in one.deep:
                    address = fill(self._term(slot, one.deep[item.origin]), values)
                for table, mask in ((reads, item.reads), (writes, item.writes)):
                    for entry, when in self._meant(item, address, mask).items():
                        _add(table, entry, conj(conj(here, blocked) if spared >> entry & 1 and table is reads else here, when))
        return reads, writes

    def _apart(self, slot: int, table: EntryConditions) -> EntryConditions:
        """Without what only the slot itself touches while it runs."""
        return {entry: when for entry, when in table.items() if not self.facts.quiet[slot] >> entry & 1}

    def _loaded(self, slot: int, loads: Sequence[LoadedValue]) -> dict[str, Expr] | None:
        """The values of loads in this state, over words and registers; None if one is not simply that of a cell."""
        values: dict[str, Expr] = {}
        for load in loads:
            value = self._value(fill(self._term(slot, load.address), values), load)
            if value is None:
                return None
            values[load.name] = value
        return values

    def _later(self, slot: int) -> list[Group]:
        """What a slot may touch from now on."""
        loose: dict[tuple[int, Locks, bool, int], set[int]] = {}
        exact: dict[tuple[Item, Locks], set[int]] = {}
        for location in range(len(self.program.threads[slot].template.locations)):
            future = self.facts.future(slot, location)
            for (owner, locks), masks in future.loose.items():
                for write, mask in enumerate(masks):
                    for entry in members(mask):
                        loose.setdefault((owner, locks, bool(write), entry), set()).add(location)
            for item, ways in future.exact.items():
                for locks in ways:
                    self._place(slot, location, item, locks, loose, exact)
        groups: dict[tuple[int, Locks], Group] = {}
        for (owner, locks, write, entry), where in sorted(loose.items(), key=_loose_key):
            group = groups.setdefault((owner, locks), Group(owner, locks, {}, {}))
            _add(group.writes if write else group.reads, entry, self.at(slot, frozenset(where)))
        for (item, locks), where in sorted(exact.items(), key=_exact_key):
            group = groups.setdefault((item.owner, locks), Group(item.owner, locks, {}, {}))
            here = self.at(slot, frozenset(where))
            for table, mask in ((group.reads, item.reads), (group.writes, item.writes)):
                for entry, when in self._meant(item, self._address(slot, item), mask).items():
                    _add(table, entry, conj(here, when))
        for group in groups.values():
            group.close()
        return list(groups.values())

    @staticmethod
    def _place(slot: int, location: int, item: Item, locks: Locks, loose: dict[tuple[int, Locks, bool, int], set[int]],
               exact: dict[tuple[Item, Locks], set[int]]) -> None:  # fmt: skip
        if item.address is not None and not item.address.is_const:
            exact.setdefault((item._replace(origin=0), locks), set()).add(location)
            return
        for write, mask in enumerate((item.reads, item.writes)):
            for entry in members(mask):
                loose.setdefault((item.owner, locks, bool(write), entry), set()).add(location)

    def _holds(self, i: int, j: int, locks: Locks) -> Expr:
        """Slot i holds one of the locks, whose addresses are terms over registers of slot j."""
        known = self._held.get((i, j, locks))
        if known is None:
            found = (self._holds_one(i, self._term(j, lock)) for lock in sorted(locks, key=repr))
            known = self._held[i, j, locks] = any_of(found)
        return known

    def _holds_one(self, i: int, address: Expr) -> Expr:
        """Slot i holds the lock at an address over words of the state. Who owns what is there is looked up once for all slots."""
        cells = self._lock_cells(address)
        owner = self._owners.get(address)
        if owner is None:
            owner = const(0, self.program.word)
            for entry, when in cells:
                if self.facts.locks >> entry & 1:
                    owner = ite(when, resize(self.words.leaf(entry), owner.width, False), owner)
            self._owners[address] = owner
        derived = any_of(conj(when, self._owned[i].get(entry, FALSE)) for entry, when in cells if entry in self._owned[i])
        return disj(eq(owner, const(self._ids[i], owner.width)), derived)

    def _lock_cells(self, address: Expr) -> list[tuple[int, Expr]]:
        cells = self.facts.locks | self.facts.derived
        if address.is_const:
            return [(n, TRUE) for n in members(self.facts.ground.at(Where("load", 1), address.value)[0] & cells)]
        return [(n, eq(address, const(self._addresses[n], address.width))) for n in members(cells)]

    def _owns(self, slot: int) -> EntryConditions:
        """When the slot holds each derived lock: its location tells."""
        places: dict[Expr, set[int]] = {}
        for location in range(len(self.program.threads[slot].template.locations)):
            for address in self.facts.owned(slot, location):
                places.setdefault(address, set()).add(location)
        out: EntryConditions = {}
        for address, locations in places.items():
            for entry, when in self._lock_cells(self._term(slot, address)):
                if self.facts.derived >> entry & 1:
                    _add(out, entry, conj(when, self.at(slot, frozenset(locations))))
        return out

    def _meets(self, i: int, j: int, reads: EntryConditions, writes: EntryConditions) -> Expr:
        """Slot j may write what is in `reads`, or touch what is in `writes`, while i does not move. Entries that are meant under the same
        conditions on both sides count once."""
        total: Expr = FALSE
        only_read = {entry: when for entry, when in reads.items() if writes.get(entry) is not when}
        for group in self.later[j]:
            if group.owner == i:
                continue
            pairs: dict[Expr, dict[Expr, None]] = {}
            for mine, others in ((writes, group.touched), (only_read, group.writes)):
                for entry, when in mine.items():
                    if entry in others:
                        pairs.setdefault(when, {})[others[entry]] = None
            hits = any_of(conj(when, any_of(theirs)) for when, theirs in pairs.items())
            if hits is not FALSE:
                total = disj(total, conj(hits, negate(self._holds(i, j, group.locks))))
        return total

    # ------------------------------------------------------------ who can enable a step

    def _enables(self, i: int) -> list[Expr]:
        """For each slot: it may make possible the step that slot i, which cannot move, is about to take."""
        out: list[Expr] = [FALSE] * len(self.slots)
        steps = self.program.threads[i].template.steps
        for index, one in enumerate(self.facts.prints[i]):
            if not one.needs or not one.possible:
                continue
            pc = self.words.leaf(self.layout.pc[i])
            here = conj(eq(pc, const(steps[index].source, pc.width)), self._term(i, one.guard))
            plan = blockade(one, self.facts.ground.sizes, self.facts.locks)
            found = self._by_plan(i, plan) if plan is not None else None
            if found is None:
                found = self._by_anything(i, one.full)
            out = [disj(total, conj(here, term)) for total, term in zip(out, found, strict=True)]
        return out

    def _by_anything(self, i: int, full: tuple[int, int]) -> list[Expr]:
        cells = dict.fromkeys(members((full[0] | full[1]) & self.facts.relevant), TRUE)
        return [FALSE if j == i else self._meets(i, j, cells, {}) for j in self.slots]

    def _by_plan(self, i: int, plan: Blockade) -> list[Expr] | None:
        """None if the value of a load is not simply that of a cell."""
        values = self._loaded(i, plan.loads)
        if values is None:
            return None
        cells: list[EntryConditions] = []
        for load in plan.loads:
            address = fill(self._term(i, load.address), values)
            when = fill(self._term(i, load.when), values)
            hit = dict.fromkeys(members(load.masks[0]), TRUE)
            if not address.is_const:
                hit = self._at_address(address, load.size, load.masks[0])
            cells.append({entry: conj(when, term) for entry, term in hit.items()})
        out: list[Expr] = [FALSE] * len(self.slots)
        before: Expr = FALSE  # an earlier barrier was the reason
        for barrier in plan.barriers:
            reached = conj(fill(self._term(i, barrier.when), values), negate(fill(self._term(i, barrier.stops), values)))
            found, blocked = self._at_barrier(i, barrier, values, cells, plan.life)
            chosen = conj(reached, negate(before))
            out = [disj(total, conj(chosen, term)) for total, term in zip(out, found, strict=True)]
            before = disj(before, conj(reached, blocked))
        return out

    def _value(self, address: Expr, load: LoadedValue) -> Expr | None:
        entries = list(members(load.masks[0]))
        width = 8 * load.size
        if any(self.facts.ground.sizes[n] not in (0, load.size) for n in entries):
            return None
        cells = [n for n in entries if self.facts.ground.sizes[n]]
        if address.is_const:
            return self.words.leaf(cells[0]) if len(cells) == 1 else None
        value = const(0, width)
        for n in cells:
            value = ite(eq(address, const(self._addresses[n], address.width)), self.words.leaf(n), value)
        return value

    def _at_barrier(
        self, i: int, barrier: Barrier, values: dict[str, Expr], cells: list[EntryConditions], life: int
    ) -> tuple[list[Expr], Expr]:
        """Who can change the first false conjunct, and whether there is one."""
        out: list[Expr] = [FALSE] * len(self.slots)
        true_so_far: Expr = TRUE
        for part in barrier.conjuncts:
            holds = fill(self._term(i, part.term), values)
            chosen = conj(true_so_far, negate(holds))
            needed = [k for k in (*part.loads, *barrier.context) if k != part.lock or k in barrier.context]
            table = dict.fromkeys(members(life), TRUE)
            for k in dict.fromkeys(needed):
                for entry, when in cells[k].items():
                    _add(table, entry, when)
            table = {entry: when for entry, when in table.items() if self.facts.relevant >> entry & 1}
            for j in self.slots:
                if j != i:
                    helps = self._meets(i, j, table, {})
                    if part.lock is not None:
                        owner = values[f"#{part.lock}"]
                        helps = disj(helps, eq(owner, const(self._ids[j], owner.width)))
                    out[j] = disj(out[j], conj(chosen, helps))
            true_so_far = conj(true_so_far, holds)
        return out, negate(true_so_far)

    # ------------------------------------------------------------ sets

    def _depends(self) -> list[list[Expr]]:
        """depends[i][j]: whoever has i in the set needs j in it."""
        self.later = [self._later(slot) for slot in self.slots]
        rows = []
        for i in self.slots:
            reads, writes = (self._apart(i, table) for table in self._now(i))
            everybody = disj(self.at(i, self.facts.sticky[i] | self.facts.entering[i]), self._over(i))
            enables = self._enables(i)
            row = []
            for j in self.slots:
                conflict = disj(conj(everybody, self._active(j)), self._meets(i, j, reads, writes)) if j != i else TRUE
                row.append(ite(self._enabled[i], conflict, enables[j]) if j != i else TRUE)
            rows.append(row)
        return rows

    def _active(self, slot: int) -> Expr:
        pc = self.words.leaf(self.layout.pc[slot])
        return disj(negate(eq(pc, const(0, pc.width))), self._running(slot))

    def _over(self, slot: int) -> Expr:
        """A step that can be taken may end the run, whatever its inputs are."""
        ends = [(at, e, e.writes[OVER]) for _, at, e in self.moves.steps[slot] if OVER in e.writes]
        return any_of(conj(conj(at, e.enabled), TRUE if self._chosen(over) else over) for at, e, over in ends)

    def _chosen(self, term: Expr) -> bool:
        """The term depends on inputs, and not on the state alone."""
        return not term.reads <= self._states

    def _undecided(self) -> Expr:
        """Some slot is where an input decides whether it can move: no set is computed there."""
        return any_of(at for rows in self.moves.steps for _, at, e in rows if self._chosen(e.enabled))

    def allowed(self) -> list[Expr]:
        reach = self._depends()
        for k in self.slots:
            for i in self.slots:
                for j in self.slots:
                    if i != k != j:
                        reach[i][j] = disj(reach[i][j], conj(reach[i][k], reach[k][j]))
        picked, someone = self._fewest(reach)
        free = disj(disj(negate(someone), self.moves.holder), self._undecided())
        return [disj(free, any_of(conj(picked[i], reach[i][j]) for i in self.slots)) for j in self.slots]

    def _fewest(self, reach: Sequence[Sequence[Expr]]) -> tuple[list[Expr], Expr]:
        """One hot: the start of the set with the fewest enabled members; and whether there is any."""
        width = len(self.slots).bit_length() + 1
        best, someone = const((1 << width) - 1, width), FALSE
        picked: list[Expr] = []
        for i in self.slots:
            count = const(0, width)
            for j in self.slots:
                count = make("add", width, (count, resize(conj(self._enabled[j], reach[i][j]), width, False)))
            better = conj(self._can_start(i), binary("ult", count, best))
            best = ite(better, count, best)
            picked = [conj(p, negate(better)) for p in picked]
            picked.append(better)
            someone = disj(someone, better)
        return picked, someone

    def _can_start(self, slot: int) -> Expr:
        """The slot can take a step that is no spurious wake-up."""
        steps = self.program.threads[slot].template.steps
        sure = (conj(at, e.enabled) for k, at, e in self.moves.steps[slot] if all(t.kind != "spurious" for t in steps[k].tags))
        return any_of(sure)


def _loose_key(row: tuple[tuple[int, Locks, bool, int], set[int]]) -> tuple[Any, ...]:
    (owner, locks, write, entry), _ = row
    return owner, spelled(locks), write, entry


def _exact_key(row: tuple[tuple[Item, Locks], set[int]]) -> tuple[Any, ...]:
    (item, locks), _ = row
    return item.owner, spelled(locks), item.where, repr(item.address), item.reads, item.writes


def _runs(numbers: list[int]) -> list[tuple[int, int]]:
    """Maximal runs of consecutive numbers."""
    out: list[tuple[int, int]] = []
    for n in numbers:
        if out and out[-1][1] == n - 1:
            out[-1] = (out[-1][0], n)
        else:
            out.append((n, n))
    return out


def _between(pc: Expr, low: int, high: int) -> Expr:
    if low == high:
        return eq(pc, const(low, pc.width))
    above = binary("ule", const(low, pc.width), pc) if low else TRUE
    return conj(above, binary("ule", pc, const(high, pc.width)))


__all__ = ["StubbornTerms"]
