"""Where the members of a struct or union lie: gcc's rules for System V i386 and x86-64.

A bit-field is placed at the next free bit unless it would then touch more alignment units of its declared type than the
type itself has. Packed members ignore that, and `#pragma pack` both caps alignment and switches the rule off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fsoft.frontend.types import CType, Field, Int, Record, align_of, size_of


@dataclass(slots=True)
class MemberSpec:
    """A member as declared. `align` is what attributes ask for (0: nothing), `width` is None unless it is a bit-field."""

    name: str
    type: CType
    atomic: bool = False
    align: int = 0
    packed: bool = False
    width: int | None = None
    quals: str = ""


@dataclass(slots=True)
class _Placed:
    spec: MemberSpec
    bit: int
    apart: bool = False  # behind a zero-width bit-field
    align: int = 0  # of a member that is no bit-field


def round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def lay_out(record: Record, members: Sequence[MemberSpec], packed: bool, pack: int, align: int) -> None:
    """Complete the record. `pack` is the limit of `#pragma pack` or 0, `align` the alignment that attributes ask for or 0."""
    placed: list[_Placed] = []
    record_align = 1
    bits = position = 0
    for spec in members:
        spec_packed = packed or spec.packed
        if record.kind == "union":
            position = 0
        member_align = 0
        if spec.width is None:
            member_align = _member_align(spec, spec_packed, pack)
            record_align = max(record_align, member_align)
            start = round_up(position, 8 * member_align)
            position = start + 8 * size_of(spec.type)
        else:
            start, position = _place_bits(spec, spec_packed, pack, position)
            if spec.name:
                record_align = max(record_align, _bit_field_align(spec, spec_packed, pack))
        bits = max(bits, position)
        apart = spec.width is not None and bool(placed) and _ends_location(placed[-1])
        placed.append(_Placed(spec, start, apart, member_align))
    record_align = max(record_align, align)
    size = round_up(round_up(bits, 8) // 8, record_align)
    record.complete(tuple(_field(item, size) for item in placed if item.spec.name or item.spec.width is None), size, record_align)


def _ends_location(before: _Placed) -> bool:
    """The next bit-field begins a new memory location: behind a zero-width one, maybe with unnamed ones in between."""
    return before.spec.width == 0 or (before.apart and not before.spec.name)


def natural_align(spec: MemberSpec) -> int:
    """Alignment of the member's type; an `_Atomic` object of a lock-free size is aligned to its size."""
    align = align_of(spec.type)
    size = size_of(spec.type)
    return max(align, size) if spec.atomic and size in (1, 2, 4, 8, 16) else align


def _member_align(spec: MemberSpec, packed: bool, pack: int) -> int:
    align = 1 if packed else natural_align(spec)
    align = max(align, spec.align)
    return min(align, pack) if pack else align


def _bit_field_align(spec: MemberSpec, packed: bool, pack: int) -> int:
    align = align_of(spec.type)
    if pack:
        align = min(align, pack)
    elif packed:
        align = 1
    return max(align, spec.align)


def _place_bits(spec: MemberSpec, packed: bool, pack: int, position: int) -> tuple[int, int]:
    """First bit of a bit-field and the first free bit after it."""
    assert spec.width is not None
    unit = 8 * align_of(spec.type)
    if spec.width == 0:
        start = round_up(position, max(unit, 8 * spec.align))
        return start, start
    if spec.align:
        position = round_up(position, 8 * spec.align)
    if not packed and not pack:
        touched = (position % unit + spec.width + unit - 1) // unit
        if touched > 8 * size_of(spec.type) // unit:
            position = round_up(position, unit)
    return position, position + spec.width


def _field(item: _Placed, record_size: int) -> Field:
    spec = item.spec
    if spec.width is None:
        return Field(spec.name, spec.type, item.bit // 8, atomic=spec.atomic, align=item.align, quals=spec.quals)
    assert isinstance(spec.type, Int)
    storage, offset = _storage_unit(spec.type, item.bit, spec.width, record_size)
    return Field(spec.name, storage, offset, item.bit - 8 * offset, spec.width, apart=item.apart)


def _storage_unit(ctype: Int, bit: int, width: int, record_size: int) -> tuple[Int, int]:
    """The declared type at its own alignment if it covers the field inside the record, else the bytes that the field touches."""
    first, end = bit // 8, (bit + width + 7) // 8
    for step in (ctype.size, ctype.align):
        offset = first // step * step
        if end <= offset + ctype.size <= record_size:
            return ctype, offset
    name = f"{ctype.name}:{8 * (end - first)}"
    return Int(name, end - first, ctype.signed, ctype.rank, 1), first
