"""The objects of a Program: numbering, layout, initial contents.

Objects with static storage get their number when the lowering first mentions them, so that unused globals cost nothing.
Locals in memory, thread-locals and heap objects are reached through `own` leaves and pools; they are numbered at the end,
when the slots are known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from fsoft.frontend import tree
from fsoft.frontend import types as ct
from fsoft.frontend.source import NOWHERE, InputError, Loc
from fsoft.program import descriptor
from fsoft.program.expr import Expr
from fsoft.program.lower.layout import Layouts
from fsoft.program.program import CellRun, Marker, Object

MAX_OBJECT, MAX_HEAP_OBJECT = 1 << 26, 1 << 20
"""Bytes of an object up to which all its cells are kept."""
KEPT = 1 << 14
"""Bytes of a larger one that are kept."""


@dataclass(slots=True)
class LocalObject:
    """A local of one template that lives in memory: one object per slot. Thread-locals have `image`, the rest is undefined. `dies`: a
    thread-local that lives from the start of its thread to the end; the others are there all the time. `cut`: the marker of an access
    behind the first `kept` bytes, which alone have cells."""

    own: str
    type: ct.CType
    loc: Loc
    image: bytes | None = None
    dies: bool = False
    kept: int = 0
    cut: int | None = None


@dataclass(slots=True)
class HeapSite:
    """An allocation: how often one thread may pass it (None: no bound known) and in which template."""

    template: str
    repeat: int | None


@dataclass(slots=True)
class HeapPool:
    """Allocations of one size: `type` is the first type seen that cuts the size evenly."""

    index: int
    capacity: int
    exact: bool
    type: ct.CType | None = None
    sites: list[HeapSite] = field(default_factory=list)
    marker: int = -1
    loc: Loc = NOWHERE


class LoweredMemory:
    """`constant(expr)` evaluates a static initialiser's value to a constant word (given by the lowering)."""

    def __init__(self, unit: tree.Unit, word_bytes: int, offset_bits: int, padding: bool = False):
        self.unit = unit
        self.word_bytes = word_bytes
        self.offset_bits = offset_bits
        self.layouts = Layouts(padding)
        self.objects: list[Object] = [Object(0, "null", 0, (), "system")]
        self.markers: list[Marker] = []
        self.pools: dict[int | str | None, HeapPool] = {}
        self.constant: Callable[[tree.TypedExpr], Expr]
        self.external: Object | None = None  # all memory that is not the program's
        self._by_symbol: dict[tree.Symbol, Object] = {}
        self._functions: dict[str, Object] = {}
        self._strings: dict[bytes, Object] = {}
        self.descriptors = self.new(descriptor.ARRAY, 0, (), "system", NOWHERE)

    # ------------------------------------------------------------ objects

    def new(self, name: str, size: int, runs: tuple[CellRun, ...], storage: str, loc: Loc) -> Object:
        obj = Object(len(self.objects), name, size, runs, storage, loc=loc)
        self.objects.append(obj)
        return obj

    def runs(self, ctype: ct.CType, loc: Loc) -> tuple[CellRun, ...]:
        try:
            return self.layouts.runs(ctype)
        except OverflowError:
            raise self._too_many(ctype, loc) from None

    @staticmethod
    def _too_many(ctype: ct.CType, loc: Loc) -> InputError:
        return InputError(loc, f"an object of type '{ctype}' has too many cells; make its arrays smaller")

    def sized(self, ctype: ct.CType, name: str, loc: Loc) -> int:
        size = ct.size_of(ctype)
        if size > MAX_OBJECT or size >= 1 << (self.offset_bits - 1):
            raise InputError(loc, f"'{name}' takes {size} bytes, more than fsoft addresses; make it smaller")
        return size

    def reachable(self, ctype: ct.CType, name: str, loc: Loc) -> int:
        """The size of a type that addresses can reach."""
        size = ct.size_of(ctype)
        if size >= 1 << (self.offset_bits - 1):
            raise InputError(loc, f"'{name}' takes {size} bytes, more than an address can reach; make it smaller")
        return size

    def shorten(self, obj: Object) -> None:
        """A very large object keeps its first cells; whoever accesses another one is cut."""
        if obj.size <= (MAX_HEAP_OBJECT if obj.storage == "heap" else MAX_OBJECT) or obj.initial:
            return
        message = f"an access behind the first {KEPT} bytes of '{obj.name}', which has {obj.size}"
        obj.cut = len(self.markers)
        self.markers.append(Marker("array", True, False, obj.loc, message, "make it smaller"))
        obj.runs, obj.dropped = first_cells(obj.runs, KEPT), ((KEPT, obj.size),)

    def static(self, symbol: tree.Symbol) -> Object:
        """The object of a global or static variable; the library's descriptor array is the one of the threads."""
        if symbol.name == descriptor.ARRAY:
            return self.descriptors
        if symbol not in self._by_symbol:
            size = self.reachable(symbol.type, symbol.name, symbol.loc)
            storage = "global" if symbol.storage == "global" else "static"
            definition = self.unit.globals.get(symbol.unique)
            init = definition.init if definition else None
            size += self._flexible(init, size)
            obj = self.new(symbol.unique, size, self.runs(symbol.type, symbol.loc), storage, symbol.loc)
            self._by_symbol[symbol] = obj
            if definition is not None and not definition.defined:
                obj.undefined = True
            if init is not None:
                obj.runs = self._with_tail(obj)
                self._fill(obj, self.image(init, obj.size, symbol.loc))
            self.shorten(obj)
        return self._by_symbol[symbol]

    @staticmethod
    def _flexible(init: tree.Initializer | None, size: int) -> int:
        """Bytes that an initialised flexible array member adds."""
        if init is None:
            return 0
        return max([0] + [item.offset + ct.size_of(item.type) - size for item in init.items])

    def _with_tail(self, obj: Object) -> tuple[CellRun, ...]:
        end = max([0] + [r.start + (r.count - 1) * r.stride + r.size for r in obj.runs])
        if obj.size - end >= self.word_bytes:
            return (*obj.runs, CellRun(end, 1, 1, obj.size - end, "[]", False, "unsigned char"))
        return obj.runs

    def function(self, name: str) -> Object:
        if name not in self._functions:
            self._functions[name] = self.new(name, 1, (), "function", NOWHERE)
        return self._functions[name]

    def string(self, literal: tree.StringLiteral) -> Object:
        if literal.data not in self._strings:
            assert isinstance(literal.type, ct.Array)
            unit = ct.size_of(literal.type.element)
            run = CellRun(0, unit, unit, len(literal.data) // unit, "[]", True, str(literal.type.element))
            obj = self.new(f"string{len(self._strings)}", len(literal.data), (run,), "string", literal.loc)
            obj.readonly = True
            self._fill(obj, literal.data)
            self._strings[literal.data] = obj
        return self._strings[literal.data]

    # ------------------------------------------------------------ initial contents

    def image(self, init: tree.Initializer, size: int, loc: Loc) -> bytes:
        """The bytes of an initialised object."""
        data = bytearray(size)
        for item in init.items:
            self._store(data, item)
        return bytes(data)

    def _store(self, data: bytearray, item: tree.InitItem) -> None:
        if isinstance(item.value, tree.StringLiteral):
            width = min(len(item.value.data), ct.size_of(item.type))
            data[item.offset : item.offset + width] = item.value.data[:width]
            return
        value = self.constant(item.value)
        if not value.is_const:
            raise InputError(item.value.loc, "initialiser of an object with static storage is not constant")
        size = value.width // 8
        if item.bitfield is not None:
            field_, old = item.bitfield, int.from_bytes(data[item.offset : item.offset + size], "little")
            mask = ((1 << (field_.bit_width or 0)) - 1) << field_.bit_offset
            new = (old & ~mask) | (value.value << field_.bit_offset & mask)
            end = min(item.offset + size, len(data))
            data[item.offset : end] = new.to_bytes(size + 8, "little")[: end - item.offset]
            return
        data[item.offset : item.offset + size] = value.value.to_bytes(size, "little")

    def _fill(self, obj: Object, data: bytes) -> None:
        obj.initial = initial_cells(obj.runs, data)

    # ------------------------------------------------------------ heap

    def pool(self, size: int | None, hint: ct.CType | None, capacity: int, loc: Loc, local: bool = False) -> HeapPool:
        """The pool for a constant size, or the one for sizes that are not constant. Arrays of variable length (`local`) have a pool for
        each type of their elements: no other object comes to life in their memory."""
        key = f"{size} {hint}" if local else size
        if key not in self.pools:
            self.pools[key] = HeapPool(len(self.pools), size if size is not None else capacity, size is not None, loc=loc)
            self.pools[key].marker = len(self.markers)
            kind = f"{size} bytes" if size is not None else f"at most {capacity} bytes"
            remedy = "raise --heap" if size is not None else "raise --heap or --heap-size"
            self.markers.append(Marker("heap", True, False, loc, f"no unused heap object of {kind} is left", remedy))
        pool = self.pools[key]
        if pool.type is None and hint is not None and 0 < ct.size_of(hint) <= pool.capacity and pool.capacity % ct.size_of(hint) == 0:
            pool.type = hint
        return pool

    def heap_runs(self, pool: HeapPool) -> tuple[CellRun, ...]:
        """Objects of other types may be in the pool as well, so that what is padding in one is a value in another."""
        if pool.type is not None:
            try:
                return self.layouts.blocks(pool.type, pool.capacity // ct.size_of(pool.type))
            except OverflowError:
                raise self._too_many(pool.type, pool.loc) from None
        unit = self.word_bytes if pool.capacity % self.word_bytes == 0 else 1
        return (CellRun(0, unit, unit, pool.capacity // unit, "[]"),) if pool.capacity else ()


def first_cells(runs: tuple[CellRun, ...], size: int) -> tuple[CellRun, ...]:
    """The cells that lie within so many bytes."""
    found = []
    for run in runs:
        count = 0 if run.start + run.size > size else min(run.count, (size - run.start - run.size) // max(1, run.stride) + 1)
        if count:
            found.append(replace(run, count=count))
    return tuple(found)


def initial_cells(runs: tuple[CellRun, ...], data: bytes) -> dict[int, int]:
    """Values of the cells that are not zero, by offset."""
    out: dict[int, int] = {}
    for run in runs:
        for i in range(run.count):
            at = run.start + i * run.stride
            value = int.from_bytes(data[at : at + run.size], "little")
            if value:
                out[at] = value
    return out
