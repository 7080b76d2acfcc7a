"""Where a thread's next step meets nobody: the inside of transactions, found once for all states.

A location is **quiet** if, whenever a thread is there, its next step can be taken, and nobody else makes an access that conflicts with it
before the thread has moved. Locks are what makes locations quiet: if the thread certainly holds a lock here, and every access of every
other thread to the same cells holds or acquires that lock, the two never meet (F-Soft sections 3 and 4.2; this is the part of it that
does not depend on the state). What is certainly held and acquired, derived locks included, is in `por/locks.py` and `por/derived.py`.

Locks in arrays are told by where they lie: if the lock of this access is so many bytes from the cell that it touches, and the lock
of the other access as many from its cell, then both accesses go to different cells or need the same lock. Likewise if both locks are in one
array at the same index as their cells in another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from fsoft.analysis.actions import members
from fsoft.analysis.flow import depth_first
from fsoft.analysis.sharing import Sharing
from fsoft.passes.ways import all_exclusive, exhaustive
from fsoft.por.cells import Where
from fsoft.por.derived import split
from fsoft.por.facts import StubbornFacts
from fsoft.por.footprint import Footprint
from fsoft.por.later import NOTHING, Locks
from fsoft.program.expr import Expr, fill
from fsoft.program.program import Template


class CellTouch(NamedTuple):
    """An access to shared cells: its address (None: not known), the entries that it may read and write, and `whole` if each of these cells
    is read or written as a whole. `locks` are held or acquired."""

    address: Expr | None
    reads: int
    writes: int
    whole: bool
    locks: Locks


class Relation(NamedTuple):
    """An access at `cell + index * stride` needs the lock at `lock + index * apart`, whatever the index is; there is only one if `stride`
    is 0. The same address means the same lock: a power of two that divides `stride` divides `apart`, too."""

    cell: int
    lock: int
    stride: int = 0
    apart: int = 0


def quiet_locations(facts: StubbornFacts) -> dict[str, frozenset[int]]:
    """By template the locations that are quiet for all slots that run it. Every cycle of control keeps one that is not."""
    return _Quiet(facts).found()


class _Quiet:
    def __init__(self, facts: StubbornFacts):
        self.facts = facts
        self.touches = [[self._touches(slot, one) for one in rows] for slot, rows in enumerate(facts.prints)]
        self.sharing = Sharing(facts.program, facts.ground.points_to)

    def found(self) -> dict[str, frozenset[int]]:
        out: dict[str, frozenset[int]] = {}
        for slot, thread in enumerate(self.facts.program.threads):
            here = self._of_slot(slot)
            name = thread.template.name
            out[name] = out[name] & here if name in out else here
        return {t.name: without_cycles(t, out[t.name]) for t in self.facts.program.templates()}

    def _of_slot(self, slot: int) -> frozenset[int]:
        template = self.facts.program.threads[slot].template
        by_source: list[list[int]] = [[] for _ in template.locations]
        for index, step in enumerate(template.steps):
            by_source[step.source].append(index)
        return frozenset(n for n in candidates(template) if self._passes(slot, by_source[n]))

    def _passes(self, slot: int, indices: list[int]) -> bool:
        prints = self.facts.prints[slot]
        return all(not one.possible or self._meets_nobody(slot, one) for one in (prints[k] for k in indices))

    def _meets_nobody(self, slot: int, one: Footprint) -> bool:
        step = self.facts.program.threads[slot].template.steps[one.index]
        if one.blocks or self.facts.starts[slot][one.index] or any(tag.kind == "section" for tag in step.tags):
            return False
        apart = ~self.facts.quiet[slot]
        for touch in self.touches[slot][one.index]:
            reads, writes = touch.reads & apart, touch.writes & apart
            if not reads and not writes:
                continue
            mine = touch._replace(reads=reads, writes=writes, locks=self._held(slot, one))
            if any(_conflict(mine, other) and not self._kept_apart(mine, other) for other in self._others(slot, step.source)):
                return False
        return True

    def _others(self, slot: int, location: int) -> Iterator[CellTouch]:
        """What other slots may touch while the slot is at a location."""
        for other, rows in enumerate(self.touches):
            steps = self.facts.program.threads[other].template.steps
            for index, touches in enumerate(rows):
                if other != slot and touches and self.sharing.meet(slot, location, other, steps[index].source):
                    yield from touches

    # ------------------------------------------------------------ accesses and locks

    def _touches(self, slot: int, one: Footprint) -> list[CellTouch]:
        if not one.possible or not one.items:
            return []
        known = self._known(slot, one)
        acquired = self.facts.patterns.own(self.facts, one)
        standing = self._held(slot, one) if self.facts.patterns.standing else NOTHING
        locks = standing | {fill(lock, known) for lock in acquired}
        return [self._touch(item.address, item.where, item.reads, item.writes, known, locks) for item in one.items]

    def _touch(self, address: Expr | None, where: Where, reads: int, writes: int, known: dict[str, Expr], locks: Locks) -> CellTouch:
        sizes = self.facts.ground.sizes
        cells = (reads | writes) & ((1 << len(sizes)) - 1)
        whole = where.kind in ("load", "store") and all(sizes[n] in (0, where.size) for n in members(cells))
        return CellTouch(None if address is None else fill(address, known), reads, writes, whole, locks)

    def _known(self, slot: int, one: Footprint) -> dict[str, Expr]:
        return self.facts.held[slot].defs[self._source(slot, one)] or {}

    def _source(self, slot: int, one: Footprint) -> int:
        return self.facts.program.threads[slot].template.steps[one.index].source

    def _held(self, slot: int, one: Footprint) -> Locks:
        """What the slot certainly holds before the step: reliable locks and derived ones."""
        where = self._source(slot, one)
        certain = self.facts.held[slot].at[where]
        real = () if certain is None else (a for a, mask in certain.held.items() if mask and not mask & ~self.facts.locks)
        known = self._known(slot, one)
        return frozenset((*real, *(fill(a, known) for a in self.facts.owned(slot, where))))

    def _kept_apart(self, a: CellTouch, b: CellTouch) -> bool:
        """Both need one lock, or they go to different cells."""
        if any(lock.is_const for lock in a.locks & b.locks):
            return True
        if a.address is None or b.address is None or not (a.whole and b.whole):
            return False
        mine, others = self._relations(a), self._relations(b)
        return any(_agree(one, other) or _agree(other, one) for one in mine for other in others)

    def _relations(self, touch: CellTouch) -> list[Relation]:
        """How locks follow from the address of an access: so many bytes from it, or in another array at the same index."""
        assert touch.address is not None
        bits = self.facts.program.offset_bits
        base, at = split(touch.address, bits)
        found = []
        for lock in touch.locks:
            other, offset = split(lock, bits)
            if touch.address.is_const and lock.is_const:
                found.append(Relation(touch.address.value, lock.value))
            if other is base:
                found.append(Relation(0, offset - at, 1, 1))
                continue
            cell, name = _indexed(base), _indexed(other)
            if cell is not None and name is not None and cell[1] is name[1] and name[2] % (cell[2] & -cell[2]) == 0:
                found.append(Relation(cell[0] + at, name[0] + offset, cell[2], name[2]))
        return found


def candidates(template: Template) -> Iterable[int]:
    """Locations that may vanish inside a step: not the entry and the stops, not atomic ones, nor where more than one step can be taken."""
    out = template.outgoing()
    kept = {0, *template.stops.values()}
    for number, where in enumerate(template.locations):
        guards = [step.guard for step in out[number]]
        if number not in kept and not where.atomic and guards and all_exclusive(guards) and exhaustive(guards):
            yield number


def without_cycles(template: Template, quiet: frozenset[int]) -> frozenset[int]:
    """So many of the locations that every cycle of control passes one that is not among them: no thread goes on for ever in one step."""
    out = template.outgoing()
    left = set(quiet)

    def onwards(location: int) -> list[int]:
        return [step.target for step in out[location] if step.target in left] if location in left else []

    for start in sorted(quiet):
        left.difference_update([target for _, target in depth_first(onwards, start)[2]])
    return frozenset(left)


def _agree(one: Relation, other: Relation) -> bool:
    """The two give the same lock for the same address."""
    if one.stride or not other.stride:
        return one == other
    index, rest = divmod(one.cell - other.cell, other.stride)
    return rest == 0 and one.lock == other.lock + index * other.apart


def _indexed(term: Expr) -> tuple[int, Expr, int] | None:
    """An address as start, index and stride, if it has that form."""
    if term.op != "padd" or not term.args[0].is_const:
        return None
    start, index = term.args[0].value, term.args[1]
    if index.op == "mul" and index.args[1].is_const and index.args[1].value:
        return start, index.args[0], index.args[1].value
    return start, index, 1


def _conflict(a: CellTouch, b: CellTouch) -> bool:
    return bool(a.writes & (b.reads | b.writes) or a.reads & b.writes)
