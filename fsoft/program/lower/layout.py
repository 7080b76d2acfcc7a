"""From C types to cells: how an object of a type is cut into the scalars that the Program reads and writes.

A struct is the cells of its members, an array its element's cells repeated. A union takes the member that cuts it into the
fewest cells, preferring members without plain characters, and covers what that member leaves out with bytes. Adjacent
bit-fields share a memory location (C11 3.14): one cell if they fit an aligned scalar that overlaps no other member, else bytes.
Bytes between members have cells only in programs that may look at them (`Layouts.padding`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from fsoft.frontend import types as ct
from fsoft.program.program import PADDING, CellRun

MAX_RUNS = 100_000


class BitRange(NamedTuple):
    """Where the bits of a bit-field are: `size` bytes at `offset`, `width` bits from `shift` up."""

    offset: int
    size: int
    shift: int
    width: int


def value_bits(ctype: ct.CType) -> int:
    """Width of a value of scalar type in an expression. `_Bool` takes a byte, `long double` is a double, wide bit-fields have their own."""
    if isinstance(ctype, ct.Float):
        return ctype.bits
    if isinstance(ctype, ct.Int) and ctype.width:
        return ctype.width
    return ct.size_of(ctype) * 8


def is_signed(ctype: ct.CType) -> bool:
    return isinstance(ctype, ct.Int) and ctype.signed


def _shift(runs: tuple[CellRun, ...], offset: int, prefix: str) -> list[CellRun]:
    return [CellRun(r.start + offset, r.size, r.stride, r.count, prefix + r.name, r.signed, r.ctype) for r in runs]


def _repeated(runs: Iterable[CellRun], step: int, count: int) -> tuple[CellRun, ...]:
    """The cells of an array, from those of its element."""
    if count == 0:
        return ()
    out: list[CellRun] = []
    for run in runs:
        if run.count == 1:
            out.append(CellRun(run.start, run.size, step, count, "[]" + run.name, run.signed, run.ctype))
        elif run.stride * run.count == step:
            out.append(CellRun(run.start, run.size, run.stride, run.count * count, "[]" + run.name, run.signed, run.ctype))
        else:
            out.extend(r for i in range(count) for r in _shift((run,), i * step, f"[{i}]"))
        if len(out) > MAX_RUNS:
            raise OverflowError
    return tuple(out)


def _bytes(start: int, end: int) -> list[CellRun]:
    return [CellRun(start, 1, 1, end - start, "[]", False, "unsigned char")] if end > start else []


def _covered(runs: list[CellRun], size: int) -> bytearray:
    seen = bytearray(size)
    for run in runs:
        for i in range(run.count):
            at = run.start + i * run.stride
            seen[at : at + run.size] = b"\1" * run.size
    return seen


def _holes(runs: list[CellRun], size: int) -> list[tuple[int, int]]:
    """The ranges of bytes that no run reaches."""
    seen, found, at = _covered(runs, size), [], 0
    while (start := seen.find(0, at)) >= 0:
        end = seen.find(1, start)
        at = size if end < 0 else end
        found.append((start, at))
    return found


def _fill(runs: list[CellRun], size: int) -> list[CellRun]:
    """Add byte cells where no run reaches."""
    return runs + [run for start, end in _holes(runs, size) for run in _bytes(start, end)]


def _padding(runs: list[CellRun], size: int) -> list[CellRun]:
    """Single bytes where no run reaches: in arrays each of them becomes one run."""
    return [CellRun(at, 1, 1, 1, ".<padding>", False, PADDING) for start, end in _holes(runs, size) for at in range(start, end)]


def _wide_padding(runs: list[CellRun], size: int) -> list[CellRun]:
    """The same in few cells."""
    out: list[CellRun] = []
    for start, end in _holes(runs, size):
        while start < end:
            wide = next(wide for wide in (8, 4, 2, 1) if start % wide == 0 and start + wide <= end)
            out.append(CellRun(start, wide, wide, 1, ".<padding>", False, PADDING))
            start += wide
    return out


class Layouts:
    """Layouts of one program, remembered per type. `padding`: bytes between members are cells, too, which struct copies leave alone."""

    def __init__(self, padding: bool = False) -> None:
        self.padding = padding
        self._runs: dict[ct.CType, tuple[CellRun, ...]] = {}
        self._bits: dict[tuple[ct.Record, int, int], BitRange] = {}

    def runs(self, ctype: ct.CType) -> tuple[CellRun, ...]:
        """The cells of an object of this type, by offset."""
        if ctype not in self._runs:
            self._runs[ctype] = self._make(ctype)
        return self._runs[ctype]

    def blocks(self, ctype: ct.CType, count: int) -> tuple[CellRun, ...]:
        """The cells of memory without a declared type that is cut as an array of this one: no byte is left out."""
        size, runs = ct.size_of(ctype), list(self.runs(ctype))
        return _repeated(sorted(runs + _wide_padding(runs, size), key=lambda r: r.start), size, count)

    def _make(self, ctype: ct.CType) -> tuple[CellRun, ...]:
        if isinstance(ctype, ct.Record):
            return self._union(ctype) if ctype.kind == "union" else self._struct(ctype)
        if isinstance(ctype, ct.Array):
            return _repeated(self.runs(ctype.element), ct.size_of(ctype.element), ctype.count or 0)
        size = ctype.bits // 8 if isinstance(ctype, ct.Float) else ct.size_of(ctype)
        return (CellRun(0, size, size, 1, "", is_signed(ctype), str(ctype)),)

    def _struct(self, record: ct.Record) -> tuple[CellRun, ...]:
        out: list[CellRun] = []
        for group in self._groups(record):
            first = group[0]
            if first.bit_width is not None:
                out.extend(self._bit_cells(record, group))
            else:
                out.extend(_shift(self.runs(first.type), first.offset, f".{first.name}" if first.name else ""))
        if self.padding and ct.is_complete(record):
            out.extend(_padding(out, record.size))
        return tuple(sorted(out, key=lambda r: r.start))

    def _union(self, record: ct.Record) -> tuple[CellRun, ...]:
        best: list[CellRun] | None = None
        for member in record.fields or ():
            if member.bit_width is not None:
                runs = _bytes(0, (member.offset * 8 + member.bit_offset + member.bit_width + 7) // 8)
            else:
                runs = _shift(self.runs(member.type), 0, f".{member.name}" if member.name else "")
                runs = [run for run in runs if run.ctype != PADDING]  # what is padding of one member may belong to another
            filled = _fill(runs, record.size)
            if best is None or _cell_count(filled) < _cell_count(best):
                best = filled
        return tuple(sorted(best or [], key=lambda r: r.start))

    @staticmethod
    def _groups(record: ct.Record) -> list[list[ct.Field]]:
        """Members in order, adjacent bit-fields together unless a zero-width one keeps them apart."""
        groups: list[list[ct.Field]] = []
        for member in record.fields or ():
            previous = groups[-1][-1] if groups else None
            if member.bit_width is not None and not member.apart and previous is not None and previous.bit_width is not None:
                groups[-1].append(member)
            else:
                groups.append([member])
        return [g for g in groups if any(f.bit_width != 0 for f in g)]

    def _bit_cells(self, record: ct.Record, group: list[ct.Field]) -> list[CellRun]:
        used = [f for f in group if f.bit_width]
        low = min(f.offset * 8 + f.bit_offset for f in used) // 8
        high = max(f.offset * 8 + f.bit_offset + (f.bit_width or 0) for f in used)
        end = (high + 7) // 8
        unit = self._unit(record, group, low, end)
        runs = [CellRun(unit[0], unit[1], unit[1], 1, ".<bits>", False, "bits")] if unit else _bytes(low, end)
        for f in used:
            start = f.offset * 8 + f.bit_offset
            first, last = (start // 8, (start + (f.bit_width or 0) + 7) // 8) if not unit else (unit[0], unit[0] + unit[1])
            self._bits[record, f.offset, f.bit_offset] = BitRange(first, last - first, start - first * 8, f.bit_width or 0)
        return runs

    @staticmethod
    def _unit(record: ct.Record, group: list[ct.Field], low: int, end: int) -> tuple[int, int] | None:
        """An aligned scalar of 1, 2, 4 or 8 bytes around [low, end) that touches no other member."""
        others = [f for f in record.fields or () if f not in group]
        for size in (1, 2, 4, 8):
            start = low - low % size
            if start + size < end or start + size > record.size:
                continue
            if all(f.offset >= start + size or f.offset + max(ct.size_of(f.type), 1) <= start for f in others):
                return start, size
        return None

    def bit_range(self, record: ct.Record, member: ct.Field) -> BitRange:
        """The bytes that an access to a bit-field reads or writes."""
        if record.kind == "union":
            end = (member.bit_offset + (member.bit_width or 0) + 7) // 8
            return BitRange(0, end, member.bit_offset, member.bit_width or 0)
        self.runs(record)
        return self._bits[record, member.offset, member.bit_offset]


def _cell_count(runs: list[CellRun]) -> tuple[int, int]:
    plain = sum(r.count for r in runs if r.ctype in ("char", "signed char", "unsigned char"))
    return plain, sum(r.count for r in runs)
