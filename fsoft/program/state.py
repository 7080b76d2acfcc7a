"""A state as a flat vector, and how to read it.

    v[0]            1 when the run is over (a thread stopped inside an atomic section: nobody moves any more)
    per slot        its location, then its registers in the template's order
    per object      status (0 never alive, 1 alive, 2 dead) if it can die; the requested size if it is a heap object of a
                    pool that is not exact; then its cells

A cell holds an int, None while undefined, or a tuple of its bytes while only some of them are defined. Objects that never change
(string literals) are not in the vector but in `Place.rom`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from fsoft.frontend.source import NOWHERE, Loc
from fsoft.program import descriptor
from fsoft.program.expr import float_of_bits, to_signed
from fsoft.program.layout import Cells
from fsoft.program.program import Object, Program, Step, Template

Vector: TypeAlias = list[Any]
State: TypeAlias = tuple[Any, ...]

OVER = 0
NEVER, ALIVE, DEAD = 0, 1, 2


@dataclass(frozen=True, slots=True)
class ChoicePoint:
    """What is to be chosen: `width` bits under a name for traces. `kind`: input, undefined, among, alloc. `values` are representatives that
    suffice, if known; `marker` is that of the Input; `padding`: for bytes between members."""

    kind: str
    name: str
    width: int
    loc: Loc = NOWHERE
    signed: bool = False
    values: tuple[int, ...] | None = None
    marker: int | None = None
    padding: bool = False


Choose: TypeAlias = Callable[[ChoicePoint, Sequence[int] | None], int]
"""Answers a question; the second argument lists the possible answers (None: any value of the question's width)."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A property does not hold here."""

    prop: str
    message: str
    loc: Loc


@dataclass(frozen=True, slots=True)
class Halted:
    """A thread stopped at `kind` (a name of STOPS); `message` says what was undefined."""

    kind: str
    marker: int | None
    loc: Loc
    message: str = ""


Event = Violation | Halted


@dataclass(frozen=True, slots=True)
class Access:
    """A memory access: `size` bytes at `offset` of object number `object`. A death of the object is a write of all its bytes; `death` says
    which: "free", or "leave" where its scope or its thread ends."""

    object: int
    offset: int
    size: int
    write: bool
    sync: bool
    loc: Loc
    death: str = ""


@dataclass(slots=True)
class Place:
    """Where an object is in the vector. `status` and `extent` (requested size) are -1 where the object has none."""

    object: Object
    cells: Cells
    base: int = 0
    status: int = -1
    extent: int = -1
    limit: int = 0  # bytes that can be accessed
    rom: Vector | None = None


def _initial_cells(obj: Object, cells: Cells) -> Vector:
    unset = None if obj.undefined or not obj.alive else 0
    values: Vector = [unset] * cells.count
    if obj.initial:
        for cell in cells:
            if cell.offset in obj.initial:
                values[cell.number] = obj.initial[cell.offset] & ((1 << (8 * cell.size)) - 1)
    return values


def can_die(obj: Object) -> bool:
    return not obj.alive or obj.storage in ("heap", "local")


class Layout:
    """Indices into the vector for every slot, register and object of a program."""

    def __init__(self, program: Program):
        self.program = program
        self.offset_mask = (1 << program.offset_bits) - 1
        self.pc: list[int] = []
        self.registers: list[dict[str, int]] = []
        self.spans: list[tuple[int, int]] = []  # of each slot: location and registers
        self.places: list[Place | None] = []
        self._initial: Vector = [0]
        for thread in program.threads:
            self._add_thread(thread.template)
        for obj in program.objects:
            self.places.append(self._add_object(obj))
        self.size = len(self._initial)
        self.descriptors = next((o for o in program.objects if o.name == descriptor.ARRAY), None)

    def _add_thread(self, template: Template) -> None:
        start = len(self._initial)
        self.pc.append(start)
        self.registers.append({name: start + 1 + k for k, name in enumerate(template.registers)})
        self._initial.extend([0] * (1 + len(template.registers)))
        self.spans.append((start, len(self._initial)))

    def _add_object(self, obj: Object) -> Place | None:
        if obj.id == 0:
            return None
        place = Place(obj, Cells(obj), limit=0 if obj.storage == "function" else obj.size)
        values = _initial_cells(obj, place.cells)
        if obj.readonly and not can_die(obj) and not obj.undefined:
            place.rom = values
            return place
        if can_die(obj):
            place.status = len(self._initial)
            self._initial.append(ALIVE if obj.alive else NEVER)
        if obj.pool is not None and not self.program.pools[obj.pool].exact:
            place.extent = len(self._initial)
            self._initial.append(obj.size if obj.alive else 0)
        place.base = len(self._initial)
        self._initial.extend(values)
        return place

    def initial(self) -> Vector:
        return list(self._initial)

    def place_of(self, address: int) -> Place | None:
        """The object that an address names, whether or not the offset is inside it."""
        number = address >> self.program.offset_bits
        return self.places[number] if 0 < number < len(self.places) else None

    def span_of_object(self, place: Place) -> tuple[int, int]:
        """All entries of an object in the vector (empty for objects that never change)."""
        if place.rom is not None:
            return (0, 0)
        extra = (place.status >= 0) + (place.extent >= 0)
        return (place.base - extra, place.base + place.cells.count)

    # ------------------------------------------------------------ reading

    def register(self, v: Sequence[Any], slot: int, name: str) -> int:
        return int(v[self.registers[slot][name]])

    def cell(self, v: Sequence[Any], address: int, size: int) -> int | None:
        """The value of the cell at an address; None if there is no such cell or it is not (wholly) defined."""
        place = self.place_of(address)
        number = place.cells.exact(address & self.offset_mask, size) if place else None
        if place is None or number is None:
            return None
        value = place.rom[number] if place.rom is not None else v[place.base + number]
        return value if isinstance(value, int) else None

    def descriptor(self, v: Sequence[Any], slot: int, field: str) -> int | None:
        """A field of a slot's thread descriptor; None if the program has no descriptors."""
        if self.descriptors is None:
            return None
        word = self.program.word // 8
        return self.cell(v, self.program.address(self.descriptors, descriptor.offset(slot, field, word)), word)

    def stopped(self, v: Sequence[Any], slot: int) -> str:
        """The name of the stop where the slot is, or ""."""
        at = v[self.pc[slot]]
        stops = self.program.threads[slot].template.stops
        return next((kind for kind, location in stops.items() if location == at), "")

    # ------------------------------------------------------------ words for people

    def describe(self, address: int) -> str:
        """What is at an address, as C would name it."""
        offset = to_signed(address & self.offset_mask, self.program.offset_bits)
        place = self.place_of(address)
        if place is None:
            return "NULL" if address == 0 else f"invalid pointer 0x{address:x}"
        if not 0 <= offset < max(1, place.object.size):
            return f"{place.object.name} {'+' if offset >= 0 else '-'} {abs(offset)} bytes"
        return place.cells.describe(offset)

    def format(self, value: Any, width: int, ctype: str, signed: bool) -> str:
        """A value as C would print it."""
        if not isinstance(value, int):
            return "undefined"
        if ctype in ("float", "double", "long double") and width in (32, 64):
            return repr(float_of_bits(value, width))
        if ctype.rstrip().endswith("*") or "(*)" in ctype:
            return self._format_pointer(value)
        number = to_signed(value, width) if signed and width > 1 else int(value)
        if "char" in ctype and 32 <= number < 127:
            return f"{number} '{chr(number)}'"
        return str(number)

    def _format_pointer(self, value: int) -> str:
        place = self.place_of(value)
        if place is None:
            return "NULL" if value == 0 else f"0x{value:x}"
        name = self.describe(value)
        return name if place.object.storage == "function" else f"&{name}"


StepFunction = Callable[[Vector, Choose, list[Event], list[Access]], bool]
GuardFunction = Callable[[Sequence[Any]], Any]


def set_bits(mask: int) -> list[int]:
    """Numbers of the set bits; [0] if there is none (see `Input.among`)."""
    return [k for k in range(mask.bit_length()) if mask >> k & 1] or [0]


def in_section(program: Program, slot: int, step: Step) -> bool:
    """Whether stopping in this step ends the run."""
    return program.threads[slot].template.locations[step.source].atomic or any(tag.kind in ("section", "atomic") for tag in step.tags)
