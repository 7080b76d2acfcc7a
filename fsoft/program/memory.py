"""Loads, stores, lifetimes: what memory does, on a state vector.

An access is valid if its object is alive, the bytes lie inside it (a heap object: inside the requested size), it does not
store to a read-only object and, where `valid-deref` is on, it is aligned as its size demands unless the object has just such
a cell. An access that does not fit one cell is assembled from bytes, little-endian.
"""

from __future__ import annotations

from typing import Any

from fsoft.program.expr import to_signed
from fsoft.program.program import PADDING
from fsoft.program.state import ALIVE, DEAD, NEVER, ChoicePoint, Choose, Layout, Place, Vector


def _byte(value: Any, k: int) -> int | None:
    """Byte k of a cell's value; None while undefined."""
    if isinstance(value, tuple):
        part = value[k]
        return part if part is None else int(part)
    return None if value is None else (value >> (8 * k)) & 0xFF


def _joined(parts: list[int | None]) -> Any:
    """A cell's value from its bytes."""
    if all(part is None for part in parts):
        return None
    if any(part is None for part in parts):
        return tuple(parts)
    return sum((part or 0) << (8 * k) for k, part in enumerate(parts))


class Memory:
    """The memory of one program; the vector is always passed in."""

    def __init__(self, layout: Layout):
        self.layout = layout
        self.program = layout.program
        self.strict = "valid-deref" in self.program.checks
        self.heap = frozenset(number for pool in self.program.pools for number in pool.objects)
        self.bared = False  # the number of a heap object may have been seen: an address was used as a number, or in pieces
        self._questions: dict[int, ChoicePoint] = {}
        self._tables: dict[int, dict[int, int]] = {}

    # ------------------------------------------------------------ validity

    def _aligned(self, place: Place, offset: int, size: int) -> bool:
        if size & (size - 1):
            return True
        align = min(size, self.program.word // 8)
        return offset % align == 0 or place.cells.exact(offset, size) is not None

    def reach(self, v: Vector, address: int, size: int, write: bool) -> Place | None:
        """The object that a valid access reaches; None if it is invalid."""
        layout = self.layout
        number = address >> self.program.offset_bits
        place = layout.places[number] if 0 < number < len(layout.places) else None
        offset = address & layout.offset_mask
        if place is None or offset + size > place.limit:
            return None
        if place.status >= 0 and v[place.status] != ALIVE:
            return None
        if place.extent >= 0 and offset + size > v[place.extent]:
            return None
        if write and place.object.readonly:
            return None
        return None if self.strict and not self._aligned(place, offset, size) else place

    def fault(self, v: Vector, address: int, size: int, write: bool) -> str:
        """Why an access is invalid, in words."""
        place = self.layout.place_of(address)
        verb = "write to" if write else "read of"
        if place is None:
            return f"{verb} a null pointer" if address == 0 else f"{verb} an invalid pointer (0x{address:x})"
        name, offset = place.object.name, to_signed(address & self.layout.offset_mask, self.program.offset_bits)
        if place.object.storage == "function":
            return f"{verb} a function ({name}) as data"
        if place.status >= 0 and v[place.status] != ALIVE:
            return f"{verb} {self._dead(place, v[place.status])}"
        limit = v[place.extent] if place.extent >= 0 else place.object.size
        if not 0 <= offset <= limit - size:
            return f"{verb} {size} byte{'s' if size != 1 else ''} out of bounds: offset {offset} of {name}, which has {limit} bytes"
        if write and place.object.readonly:
            return f"write to read-only memory ({name})"
        return f"misaligned {verb} {size} bytes at offset {offset} of {name}"

    def _dead(self, place: Place, status: int) -> str:
        name, heap = place.object.name, place.object.storage == "heap"
        if status == NEVER:
            return f"memory that was never allocated ({name})" if heap else f"{name} before its lifetime"
        return f"freed memory ({name})" if heap else f"{name} after its lifetime (dangling pointer)"

    # ------------------------------------------------------------ access

    def table(self, size: int) -> dict[int, int]:
        """Address to vector index, for the accesses of this size that are always valid and defined: globals' own cells."""
        table = self._tables.get(size)
        if table is None:
            table = {}
            for place in self.layout.places:
                if place is not None and self.steady(place) and place.cells.count <= 1 << 16:
                    start = place.object.id << self.program.offset_bits
                    table.update({start + c.offset: place.base + c.number for c in place.cells if c.size == size})
            self._tables[size] = table
        return table

    def steady(self, place: Place) -> bool:
        """Always alive, always defined, writable: its own cells need no test."""
        obj = place.object
        return place.rom is None and place.status < 0 and place.limit > 0 and not obj.undefined and not obj.readonly

    def load(self, v: Vector, address: int, size: int, choose: Choose) -> int | None:
        """The value at an address, or None if the access is invalid. An undefined cell is asked for and keeps the answer."""
        place = self.reach(v, address, size, False)
        if place is None:
            return None
        offset = address & self.layout.offset_mask
        number = place.cells.exact(offset, size)
        if number is not None:
            return self._value(v, place, number, size, choose)
        result = 0
        for cell in place.cells.overlapping(offset, size):
            value = self._value(v, place, cell.number, cell.size, choose)
            self._look_for_pointers(value)
            shift = 8 * (cell.offset - offset)
            result |= value << shift if shift >= 0 else value >> -shift
        return result & ((1 << (8 * size)) - 1)

    def _look_for_pointers(self, value: Any) -> None:
        """Part of a cell is accessed, or several cells: whether an address is among what is taken to pieces there."""
        if isinstance(value, int) and value >> self.program.offset_bits in self.heap:
            self.bared = True

    def _value(self, v: Vector, place: Place, number: int, size: int, choose: Choose) -> int:
        if place.rom is not None:
            return int(place.rom[number])
        index = place.base + number
        value = v[index]
        return value if isinstance(value, int) else self.define(v, index, place, number, size, choose)

    def define(self, v: Vector, index: int, place: Place, number: int, size: int, choose: Choose) -> int:
        """An undefined cell is read: its missing bytes are chosen and written."""
        question = self._questions.get(index)
        if question is None:
            question = self._questions[index] = self.question(place, number, size)
        value, old = choose(question, None), v[index]
        if isinstance(old, tuple):
            for k, part in enumerate(old):
                if part is not None:
                    value = value & ~(0xFF << (8 * k)) | part << (8 * k)
        v[index] = value
        return value

    @staticmethod
    def question(place: Place, number: int, size: int) -> ChoicePoint:
        """What is asked where an undefined cell is read."""
        run = place.cells.run_of(number)[0]
        name = f"undefined {place.cells.name(number)}"
        return ChoicePoint("undefined", name, 8 * size, place.object.loc, run.signed, padding=run.ctype == PADDING)

    def cell_of(self, question: ChoicePoint) -> int:
        """The entry of the vector that a question about an undefined cell asks for."""
        return next(index for index, asked in self._questions.items() if asked is question)

    def store(self, v: Vector, address: int, size: int, value: int) -> bool:
        """Write; False if the access is invalid."""
        place = self.reach(v, address, size, True)
        if place is None:
            return False
        offset = address & self.layout.offset_mask
        number = place.cells.exact(offset, size)
        if number is not None:
            v[place.base + number] = value
            return True
        self._look_for_pointers(value)
        for cell in place.cells.overlapping(offset, size):
            old = v[place.base + cell.number]
            self._look_for_pointers(old)
            parts = [_byte(old, k) for k in range(cell.size)]
            for k in range(cell.size):
                at = cell.offset + k - offset
                if 0 <= at < size:
                    parts[k] = (value >> (8 * at)) & 0xFF
            v[place.base + cell.number] = _joined(parts)
        return True

    # ------------------------------------------------------------ lifetimes

    def alloc(self, v: Vector, pool: int, size: int, choose: Choose, question: ChoicePoint, zero: bool = False) -> int:
        """The address of an object that comes to life, or 0 if the pool cannot serve the request (the bound cuts).

        The possible answers are the first object never used (0 if there is none) and, with heap reuse, every freed one.
        """
        record = self.program.pools[pool]
        if size > record.capacity:
            return 0
        shift = self.program.offset_bits
        fresh, freed = 0, []
        for number in record.objects:
            place = self.layout.places[number]
            assert place is not None
            if v[place.status] == NEVER and not fresh:
                fresh = number << shift
            elif v[place.status] == DEAD:
                freed.append(number << shift)
        options = [fresh, *freed] if self.program.heap_reuse else [fresh]
        address = choose(question, options) if len(options) > 1 else fresh
        if address:
            place = self.layout.places[address >> shift]
            assert place is not None
            self.enter(v, place)
            if zero:
                v[place.base : place.base + place.cells.count] = [0] * place.cells.count
            if place.extent >= 0:
                v[place.extent] = size
        return address

    def enter(self, v: Vector, place: Place) -> None:
        """The object comes to life, contents undefined. (An object that never dies stays as it is.)"""
        if place.status < 0:
            return
        v[place.status] = ALIVE
        v[place.base : place.base + place.cells.count] = [None] * place.cells.count

    def leave(self, v: Vector, place: Place) -> None:
        """The object dies; its contents are forgotten."""
        if place.status < 0:
            return
        self.enter(v, place)
        v[place.status] = DEAD
        if place.extent >= 0:
            v[place.extent] = 0

    def measure(self, v: Vector, address: int) -> int:
        """The size in bytes of the live object that an address points into (a heap object: the size asked for), else 0."""
        place = self.layout.place_of(address)
        if place is None or (place.status >= 0 and v[place.status] != ALIVE):
            return 0
        return int(v[place.extent]) if place.extent >= 0 else place.limit

    def freeable(self, v: Vector, address: int) -> Place | None:
        """The live heap object that starts at the address."""
        place = self.layout.place_of(address)
        if place is None or place.object.storage != "heap" or address & self.layout.offset_mask:
            return None
        return place if v[place.status] == ALIVE else None

    def bad_free(self, v: Vector, address: int) -> str:
        """Why a free is invalid, in words."""
        place = self.layout.place_of(address)
        if place is None:
            return "free of a null pointer" if address == 0 else f"free of an invalid pointer (0x{address:x})"
        if place.object.storage != "heap":
            return f"free of {place.object.name}, which is not from the heap"
        if v[place.status] == DEAD:
            return f"double free of {place.object.name}"
        if v[place.status] == NEVER:
            return f"free of memory that was never allocated ({place.object.name})"
        return f"free of a pointer into the middle of {place.object.name}"
