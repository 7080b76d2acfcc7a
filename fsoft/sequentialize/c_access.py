"""Accesses at addresses that are computed, as C functions: which object of those that the address may point to, which cell by its offset.

The functions follow an access just where the formula of the same program does (`circuit/encode/memory_terms.py`): to cells of its size and
to other aligned offsets, as far as the pointer is likely to point there. What fits no cell is put together from the cells that it overlaps.
Where the formula raises the bound `access`, a run of the printed program ends, as at every bound.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from fsoft.analysis.actions import members
from fsoft.analysis.strides import Stride
from fsoft.circuit.encode.memory_terms import likely_offsets
from fsoft.program.layout import Cell
from fsoft.program.program import Action, Load, Object, Store
from fsoft.program.state import ALIVE, Place, can_die
from fsoft.sequentialize.c_memory import CMemory
from fsoft.sequentialize.c_words import number, type_of

_FEW = 8
"""Offsets between cells that are spelled out; more of them go byte by byte."""


_MANY = 64
"""Cells of a run whose offsets are spelled out; more of them are found by dividing, which is cheap only by powers of two."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """One function: `size` bytes in one of the objects of `mask`, at offsets that fit `stride`."""

    kind: str
    size: int
    mask: int
    stride: Stride


_ANYWHERE = Stride(1, 0)


@dataclass(slots=True)
class Accesses:
    """The functions that a printed program calls; `ends` is the statement that ends a run."""

    memory: CMemory
    ends: str
    _names: dict[_Wanted, str] = field(default_factory=dict)
    _texts: dict[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """All functions that were asked for, those for bytes first."""
        order = sorted(self._texts, key=lambda name: not name.startswith(("byte_", "put_byte_")))
        return "\n".join(self._texts[name] for name in order)

    def function(self, kind: str, size: int, action: Action) -> str:
        """The function for accesses of a kind: foreseen, valid, writable, load, store, size, freeable. Loads and stores come after a claim
        that the access is valid."""
        stride = self.memory.facts.strides.offset(0, action.address) if isinstance(action, (Load, Store)) else _ANYWHERE
        followed = kind in ("load", "store")
        wanted = _Wanted(kind, size, self.memory.candidates_mask(action), stride if followed else _ANYWHERE)
        if wanted not in self._names:
            same = sum((one.kind, one.size) == (kind, size) for one in self._names)
            name = self._names[wanted] = f"{kind}{size or ''}_{same}"
            if kind == "foreseen":
                self._texts[name] = self._foreseeing(name, wanted)
            else:
                self._texts[name] = self._moving(name, wanted) if followed else self._asking(name, wanted)
        return self._names[wanted]

    def _objects(self, wanted: _Wanted) -> list[Object]:
        """Those in which such an access can be valid."""
        found = [self.memory.program.objects[k] for k in members(wanted.mask) if k in self.memory.layouts]
        if wanted.kind == "size":
            return found
        if wanted.kind == "freeable":
            return [obj for obj in found if obj.storage == "heap"]
        write = wanted.kind in ("store", "writable")
        return [obj for obj in found if obj.storage != "function" and obj.size >= wanted.size and not (write and obj.readonly)]

    # ------------------------------------------------------------ questions

    def _foreseeing(self, name: str, wanted: _Wanted) -> str:
        """The address names no object, or one that it may point to: not some integer that only happens to spell another one."""
        program, word = self.memory.program, type_of(self.memory.program.word)
        there = f"a >> {program.offset_bits}"
        cases = [f"{there} == 0", f"{there} >= {len(program.objects)}u", *(f"{there} == {k}u" for k in members(wanted.mask))]
        return f"static _Bool {name}({word} a) {{ return {' || '.join(cases)}; }}"

    def _asking(self, name: str, wanted: _Wanted) -> str:
        """A function of the address whose body is one expression."""
        program, word = self.memory.program, type_of(self.memory.program.word)
        offset = f"(a & {number((1 << program.offset_bits) - 1, program.word)})"
        cases = []
        for obj in self._objects(wanted):
            here = f"a >> {program.offset_bits} == {obj.id}u"
            cases.append((here, self._measure(obj) if wanted.kind == "size" else self._claim(obj, wanted, offset)))
        if wanted.kind == "size":
            value = "".join(f"{here} ? {claim} : " for here, claim in cases) + "0"
            return f"static {word} {name}({word} a) {{ (void)a; return {value}; }}"
        claims = " || ".join(f"({here} && {claim})" for here, claim in cases) or "0"
        return f"static _Bool {name}({word} a) {{ (void)a; return {claims}; }}"

    def _measure(self, obj: Object) -> str:
        memory = self.memory
        extent = memory.extent(obj) if memory.has_extent(obj) else f"{0 if obj.storage == 'function' else obj.size}u"
        return f"({memory.status(obj)} == {ALIVE}u ? {extent} : 0)" if can_die(obj) else extent

    def _claim(self, obj: Object, wanted: _Wanted, offset: str) -> str:
        """C for: the bytes are inside, alive and, where that matters, aligned."""
        if wanted.kind == "freeable":
            return f"{offset} == 0 && {self.memory.status(obj)} == {ALIVE}u"
        program, size = self.memory.program, wanted.size
        tests = [f"{offset} <= {obj.size - size}u", *self.memory.present(obj, f"{offset} + {size}u")]
        align = min(size, program.word // 8)
        if "valid-deref" in program.checks and not size & (size - 1) and align > 1:
            odd = [cell.offset for cell in self.memory.layouts[obj.id] if cell.size == size and cell.offset % align]
            exact = "".join(f" || {offset} == {at}u" for at in odd[:64])
            tests.append(f"({offset} % {align}u == 0{exact})")
        return " && ".join(tests)

    # ------------------------------------------------------------ loads and stores

    def _moving(self, name: str, wanted: _Wanted) -> str:
        program, objects = self.memory.program, self._objects(wanted)
        word, value = type_of(program.word), type_of(8 * wanted.size)
        load = wanted.kind == "load"
        head = f"static {value} {name}({word} a) {{" if load else f"static void {name}({word} a, {value} v) {{"
        lines = [head, f"    const {word} o = a & {number((1 << program.offset_bits) - 1, program.word)};"]
        if len(objects) == 1:
            lines += [f"    {line}" for line in self._case(objects[0], wanted)]
        elif objects:
            lines.append(f"    switch (a >> {program.offset_bits}) {{")
            for obj in objects:
                lines.append(f"    case {obj.id}: {' '.join(self._case(obj, wanted))} break;")
            lines += ["    default: break;", "    }"]
        lines += ["    (void)o;", "    return 0;", "}"] if load else ["    (void)o;", "    (void)v;", "}"]
        return "\n".join(lines)

    def _case(self, obj: Object, wanted: _Wanted) -> list[str]:
        """What happens at each offset of an object."""
        strict = "valid-deref" in self.memory.program.checks
        place = Place(obj, self.memory.layouts[obj.id], limit=obj.size)
        offsets, complete = likely_offsets(place, wanted.size, wanted.stride, strict, self.memory.program.word // 8)
        load = wanted.kind == "load"
        lines = self._exact_cells(obj, wanted.size, offsets, load)
        between = [at for at in offsets if place.cells.exact(at, wanted.size) is None]
        if len(between) > _FEW:
            return [*lines, *self._bytewise(obj, wanted.size, load)]
        lines += [f"if (o == {at}u) {self._pieces(obj, at, wanted.size, load)}" for at in between]
        blank = [_between(start, end - wanted.size) for start, end in obj.dropped if end - start >= wanted.size]
        lines += [f"if ({test}) return{' 0' * load};" for test in blank]
        return lines if complete else [*lines, self.ends]

    def _exact_cells(self, obj: Object, size: int, offsets: Iterable[int], load: bool) -> list[str]:
        """What happens if an offset is that of a cell; a run of cells at once."""
        wanted, lines = set(offsets), []
        for k, run in enumerate(obj.runs):
            if run.size != size:
                continue
            name, places = self.memory.run(obj, k), [run.start + i * run.stride for i in range(run.count)]
            likely = [i for i, at in enumerate(places) if at in wanted]
            if run.count == 1 or len(likely) <= 1:
                cells = [name if run.count == 1 else f"{name}[{i}]" for i in likely]
                lines += [_if(f"o == {places[i]}u", cell, load) for i, cell in zip(likely, cells, strict=True)]
            elif run.stride & (run.stride - 1) and len(likely) <= _MANY:
                index = "".join(f"o == {places[i]}u ? {i}u : " for i in likely) + f"{run.count}u"
                lines.append(f"{{ const u32 i = {index}; {_if(f'i < {run.count}u', f'{name}[i]', load)} }}")
            else:
                test = _between(run.start, places[-1])
                test += f" && (o - {run.start}u) % {run.stride}u == 0" if run.stride > 1 else ""
                lines.append(_if(test, f"{name}[(o - {run.start}u) / {run.stride}u]", load))
        return lines

    def _pieces(self, obj: Object, at: int, size: int, load: bool) -> str:
        """An access between cells, by the cells that it overlaps."""
        cells = self.memory.layouts[obj.id].overlapping(at, size)
        names = self.memory.cells(obj)
        if load:
            parts = [self._part(names[cell.number][0], cell, at, size) for cell in cells]
            return f"return ({type_of(8 * size)})({' | '.join(parts) or '0'});"
        return f"{{ {' '.join(self._patch(names[cell.number][0], cell, at, size) for cell in cells)} return; }}"

    def _part(self, name: str, cell: Cell, at: int, size: int) -> str:
        kind, shift = type_of(8 * max(size, cell.size)), 8 * (cell.offset - at)
        return f"({kind}){name} << {shift}" if shift >= 0 else f"({kind})({name} >> {-shift})"

    def _patch(self, name: str, cell: Cell, at: int, size: int) -> str:
        """The bytes of a cell that a store covers."""
        kind, wide = type_of(8 * cell.size), type_of(8 * max(size, cell.size))
        first, last = max(at, cell.offset), min(at + size, cell.offset + cell.size)
        bits, shift = (1 << 8 * (last - first)) - 1, 8 * (first - cell.offset)
        kept = number((1 << 8 * cell.size) - 1 ^ bits << shift, 8 * cell.size)
        given = f"(({wide})v >> {8 * (first - at)} & {number(bits, 8 * max(size, cell.size))}) << {shift}"
        return f"{name} = ({kind})(({name} & {kept}) | ({kind})({given}));"

    # ------------------------------------------------------------ byte by byte

    def _bytewise(self, obj: Object, size: int, load: bool) -> list[str]:
        if not load:
            return [*(f"{self._put(obj)}(o + {k}u, (u8)(v >> {8 * k}));" for k in range(size)), "return;"]
        if size == 1:
            return [f"return {self._bytes(obj)}(o);"]
        kind, wide = type_of(8 * size), "u64" if size <= 8 else "u128"
        parts = [f"({kind})(({wide}){self._bytes(obj)}(o + {k}u) << {8 * k})" for k in range(size)]
        return [f"return {' | '.join(parts)};"]

    def _bytes(self, obj: Object) -> str:
        """The function that gives a byte of an object."""
        name = f"byte_{self.memory.base(obj)}"
        if name not in self._texts:
            lines = [f"static u8 {name}({type_of(self.memory.program.word)} o) {{"]
            for test, cell, shift in self._byte_cases(obj):
                lines.append(f"    if ({test}) return (u8)({cell} >> {shift});")
            self._texts[name] = "\n".join([*lines, "    (void)o;", "    return 0;", "}"])
        return name

    def _put(self, obj: Object) -> str:
        """The function that stores a byte of an object."""
        name = f"put_byte_{self.memory.base(obj)}"
        if name not in self._texts:
            lines = [f"static void {name}({type_of(self.memory.program.word)} o, u8 v) {{"]
            for (test, cell, shift), run in zip(self._byte_cases(obj), obj.runs, strict=True):
                kind = type_of(8 * run.size)
                cleared = f"({cell} & ~(({kind})255u << {shift}))"
                lines.append(f"    if ({test}) {{ {cell} = ({kind})({cleared} | ({kind})v << {shift}); return; }}")
            self._texts[name] = "\n".join([*lines, "    (void)o;", "    (void)v;", "}"])
        return name

    def _byte_cases(self, obj: Object) -> list[tuple[str, str, str]]:
        """For each run: when a byte is in it, the C name of its cell, and the shift to the byte."""
        cases = []
        for k, run in enumerate(obj.runs):
            name, stride = self.memory.run(obj, k), run.stride or run.size
            if run.count == 1:
                test = f"o - {run.start}u < {run.size}u"
                cases.append((test, name, f"(8u * (o - {run.start}u))" if run.size > 1 else "0"))
            else:
                test = f"o - {run.start}u < {stride * run.count}u && (o - {run.start}u) % {stride}u < {run.size}u"
                shift = f"(8u * ((o - {run.start}u) % {stride}u))" if run.size > 1 else "0"
                cases.append((test, f"{name}[(o - {run.start}u) / {stride}u]", shift))
        return cases


def _between(first: int, last: int) -> str:
    """C for: the offset is one of these. (No unsigned number is less than 0: gcc -Wextra complains where that is asked.)"""
    return f"o >= {first}u && o <= {last}u" if first else f"o <= {last}u"


def _if(test: str, cell: str, load: bool) -> str:
    """Load or store there."""
    return f"if ({test}) return {cell};" if load else f"if ({test}) {{ {cell} = v; return; }}"
