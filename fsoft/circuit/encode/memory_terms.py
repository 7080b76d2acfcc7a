"""Memory as multiplexers: which cells an address can name, the value there, what a store changes.

Points-to gives the objects an access may touch (F-Soft section 4.1). Within an object an access considers the cells of its own
size and the other aligned offsets, as far as the pointer is likely to point there; if the object has no cell of that size, values are
assembled from bytes. An access that is valid but at none of the offsets considered is `odd`: the encoding does not follow it and raises the
bound `access`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from fsoft.analysis.points_to import PointsTo, members
from fsoft.analysis.strides import Stride, Strides
from fsoft.circuit.encode.banks import FEW, Bank
from fsoft.program.expr import FALSE, TRUE, Expr, binary, conj, const, disj, eq, ite, make, negate, reg, resize, select
from fsoft.program.program import Program
from fsoft.program.state import ALIVE, Layout, Place

MOST_BYTES = 256  # offsets considered in an object that is read or written byte-wise


class AddressFacts:
    """What analyses say about the addresses of a program."""

    def __init__(self, program: Program):
        self.points_to = PointsTo(program)
        self.strides = Strides(program, self.points_to)


@dataclass(slots=True)
class AccessWay:
    """The access touches `place` at byte `offset` if `when`."""

    place: Place
    offset: int
    when: Expr


@dataclass(slots=True)
class BankWay:
    """The access touches cell `at` of the bank if `when`."""

    bank: Bank
    at: Expr
    when: Expr


@dataclass(slots=True)
class Beyond:
    """The access lies where `place` has no cells left, at offset `low`, if `when`."""

    place: Place
    low: Expr
    when: Expr


@dataclass(slots=True)
class Reach:
    """What an access can touch. `valid`: one of the ways holds; `odd`: valid, but not followed."""

    ways: list[AccessWay] = field(default_factory=list)
    banks: list[BankWay] = field(default_factory=list)
    beyond: list[Beyond] = field(default_factory=list)
    valid: Expr = FALSE
    odd: Expr = FALSE


class MemoryTerms:
    """Memory seen by one slot in the middle of a step; `read` gives the current term of an entry of the state vector, `array` that of one
    of the `banks`, which are listed by object."""

    def __init__(
        self,
        program: Program,
        layout: Layout,
        read: Callable[[int], Expr],
        facts: AddressFacts,
        slot: int,
        banks: Mapping[int, list[Bank]] = MappingProxyType({}),
        array: Callable[[Bank], Expr] = lambda bank: reg(bank.name, bank.width, bank.index),
    ):
        self.program, self.layout, self.read = program, layout, read
        self.banks, self.array = banks, array
        self.facts, self.slot = facts, slot
        self.strict = "valid-deref" in program.checks

    # ------------------------------------------------------------ which objects, which cells

    def objects(self, address: Expr, syntax: Expr) -> list[tuple[Place, Expr]]:
        """The objects that an address may point into, with the condition that it does. `syntax` is the address as the
        step writes it, for points-to."""
        bits = self.program.offset_bits
        number = make("extract", self.program.word - bits, (address,), bits)
        if number.is_const:
            place = self.layout.places[number.value] if number.value < len(self.layout.places) else None
            return [(place, TRUE)] if place is not None else []
        found = [(self.layout.places[k], k) for k in members(self.facts.points_to.value(self.slot, syntax))]
        return [(place, eq(number, const(k, number.width))) for place, k in found if place is not None]

    def stray(self, address: Expr, known: list[tuple[Place, Expr]]) -> Expr:
        """The address names an object of which points-to does not know: some integer that happens to spell it."""
        bits = self.program.offset_bits
        number = make("extract", self.program.word - bits, (address,), bits)
        if number.is_const:
            return FALSE
        stray = conj(negate(eq(number, const(0, number.width))), binary("ult", number, const(len(self.layout.places), number.width)))
        for _, match in known:
            stray = conj(stray, negate(match))
        return stray

    def alive(self, place: Place) -> Expr:
        return eq(self.read(place.status), const(ALIVE, 2)) if place.status >= 0 else TRUE

    def _inside(self, place: Place, end: int) -> Expr:
        """The bytes up to `end` belong to what was asked for."""
        if place.extent < 0:
            return TRUE
        return binary("ule", const(end, self.program.word), self.read(place.extent))

    def _aligned(self, place: Place, offset: int, size: int) -> bool:
        if not self.strict or size & (size - 1) or place.cells.exact(offset, size) is not None:
            return True
        return offset % min(size, self.program.word // 8) == 0

    def reach(self, address: Expr, syntax: Expr, size: int, write: bool) -> Reach:
        low = make("extract", self.program.offset_bits, (address,), 0)
        places, stride = self.objects(address, syntax), self.facts.strides.offset(self.slot, syntax)
        reach = self.reach_at(places, low, stride, size, write)
        reach.odd = disj(self.stray(address, places), reach.odd)
        return reach

    def reach_at(self, places: list[tuple[Place, Expr]], low: Expr, stride: Stride, size: int, write: bool) -> Reach:
        """What an access at offset `low` of one of these objects can touch."""
        reach = Reach()
        for place, match in places:
            if (write and place.object.readonly) or place.limit < size:
                continue
            here = conj(match, self.alive(place))
            followed = conj(here, self._blank(place, low, size))
            if followed is not FALSE:
                reach.beyond.append(Beyond(place, low, followed))
            offsets, complete = self.offsets(place, low, size, stride)
            for way in self._in_banks(place, low, size, offsets, here):
                reach.banks.append(way)
                followed = disj(followed, way.when)
                offsets = sorted(set(offsets).difference(way.bank.offsets()))
            for offset in offsets:
                when = conj(conj(here, eq(low, const(offset, low.width))), self._inside(place, offset + size))
                if when is not FALSE and self._aligned(place, offset, size):
                    reach.ways.append(AccessWay(place, offset, when))
                    followed = disj(followed, when)
            reach.valid = disj(reach.valid, followed)
            if not complete:
                odd = conj(conj(here, self._bounded(place, low, size)), negate(followed))
                reach.odd = disj(reach.odd, odd)
        return reach

    def _in_banks(self, place: Place, low: Expr, size: int, offsets: list[int], here: Expr) -> Iterator[BankWay]:
        """The banks of which an access considers several cells."""
        for bank in self.banks.get(place.object.id, ()):
            if bank.run.size == size and len(set(offsets).intersection(bank.offsets())) > FEW:
                at, within = bank.at(low)
                if place.extent >= 0:
                    end = make("add", self.program.word, (resize(low, self.program.word, False), const(size, self.program.word)))
                    within = conj(within, binary("ule", end, self.read(place.extent)))
                yield BankWay(bank, at, conj(here, within))

    def _bounded(self, place: Place, low: Expr, size: int) -> Expr:
        """The access at offset `low` lies within the object (a heap object: what was asked for) and, where that matters, is aligned."""
        within = binary("ule", low, const(place.limit - size, low.width))
        if place.extent >= 0:
            end = make("add", self.program.word, (resize(low, self.program.word, False), const(size, self.program.word)))
            within = conj(within, binary("ule", end, self.read(place.extent)))
        align = min(size, self.program.word // 8)
        if self.strict and not size & (size - 1) and align > 1:
            bits = align.bit_length() - 1
            within = conj(within, eq(make("extract", bits, (low,), 0), const(0, bits)))
        return within

    def _blank(self, place: Place, low: Expr, size: int) -> Expr:
        """The access lies where the object has no cells left (`Object.dropped`): valid, but it reads zero and writes nothing."""
        blank: Expr = FALSE
        for start, end in place.object.dropped:
            if end - start >= size:
                after, before = binary("ule", const(start, low.width), low), binary("ule", low, const(end - size, low.width))
                blank = disj(blank, conj(after, before))
        return conj(blank, self._bounded(place, low, size)) if blank is not FALSE else FALSE

    def offsets(self, place: Place, low: Expr, size: int, stride: Stride) -> tuple[list[int], bool]:
        """Offsets to consider, and whether there are no others."""
        if low.is_const:
            inside = low.value <= place.limit - size
            return ([low.value] if inside else []), True
        return likely_offsets(place, size, stride, self.strict, self.program.word // 8)

    # ------------------------------------------------------------ reading and writing

    def _cell(self, place: Place, number: int, size: int) -> Expr:
        if place.rom is not None:
            return const(int(place.rom[number]), 8 * size)
        return self.read(place.base + number)

    def _at(self, place: Place, offset: int, size: int) -> Expr:
        """The value of `size` bytes at an offset, assembled where it is not one cell."""
        number = place.cells.exact(offset, size)
        if number is not None:
            return self._cell(place, number, size)
        total = const(0, 8 * size)
        for cell in place.cells.overlapping(offset, size):
            value = self._cell(place, cell.number, cell.size)
            shift = 8 * (cell.offset - offset)
            if shift < 0:
                value = make("lshr", value.width, (value, const(-shift, value.width)))
                shift = 0
            part = make("shl", 8 * size, (resize(value, 8 * size, False), const(shift, 8 * size)))
            total = make("or", 8 * size, (total, part))
        return total

    def value(self, reach: Reach, size: int) -> Expr:
        result = const(0, 8 * size)
        for way in reversed(reach.ways):
            result = ite(way.when, self._at(way.place, way.offset, size), result)
        for found in reversed(reach.banks):
            result = ite(found.when, select(self.array(found.bank), found.at), result)
        return result

    def stored(self, reach: Reach, size: int, value: Expr) -> dict[int, Expr]:
        """New terms for the entries that a store may change (to be used where the store happens), apart from `reach.banks`."""
        new: dict[int, Expr] = {}
        for way in reach.ways:
            for cell in way.place.cells.overlapping(way.offset, size):
                index = way.place.base + cell.number
                if way.when is TRUE and cell.offset == way.offset and cell.size == size:
                    new[index] = value
                    continue
                old = new.get(index)
                if old is None:
                    old = self.read(index)
                new[index] = ite(way.when, _patched(old, cell.offset, value, way.offset), old)
        return new


def likely_offsets(place: Place, size: int, stride: Stride, strict: bool, word: int) -> tuple[list[int], bool]:
    """Where an access that fits a stride is likely to be, and whether no other offset is valid. `strict`: odd addresses are errors; `word`
    in bytes."""
    every = _considered(place, size)
    cells = [c.offset for c in place.cells if c.size == size and stride.has(c.offset)]
    if not cells:
        likely = [offset for offset in every if stride.has(offset)]
        return likely[:MOST_BYTES], len(likely) == len(every) <= MOST_BYTES
    step = min(size, word) if not size & (size - 1) else 1
    aligned = every if step == 1 else [offset for offset in every if offset % step == 0]
    more = [offset for offset in sorted(set(aligned).difference(cells)) if stride.has(offset)]
    found = cells + more[:MOST_BYTES]
    return found, len(found) == len(every) or (strict and len(found) >= len(aligned) and set(aligned) <= set(found))


def _considered(place: Place, size: int) -> Sequence[int]:
    """The offsets at which an access can touch a cell: all, but for those where cells were dropped."""
    if not place.object.dropped:
        return range(place.limit - size + 1)
    found: list[int] = []
    first = 0
    for start, end in place.object.dropped:
        found += range(first, min(start, place.limit - size + 1))
        first = max(first, end - size + 1, start)
    return [*found, *range(first, place.limit - size + 1)]


def _patched(old: Expr, cell: int, value: Expr, offset: int) -> Expr:
    """A cell's value with the bytes that a store at `offset` covers replaced."""
    if cell == offset and value.width == old.width:
        return value
    parts: list[Expr] = []
    for k in range(old.width // 8):
        at = cell + k - offset
        inside = 0 <= at < value.width // 8
        parts.append(make("extract", 8, (value if inside else old,), 8 * (at if inside else k)))
    total = parts[0]
    for part in parts[1:]:
        total = make("concat", total.width + 8, (part, total))
    return total
