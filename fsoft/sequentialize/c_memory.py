"""The memory of a Program as C variables, and accesses to it.

Every run of equal cells of an object is a variable (or an array). An address that is known is that variable; another one goes through a
function that finds the object among those that it may point to, and the cell by its offset. What fits no cell is put together from bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fsoft.analysis.actions import Touching, members
from fsoft.analysis.points_to import PointsTo
from fsoft.program.layout import Cells
from fsoft.program.program import Action, Object, Program
from fsoft.program.state import ALIVE, NEVER, can_die
from fsoft.sequentialize.c_expr import identifier, number, type_of


@dataclass(frozen=True, slots=True)
class Variable:
    """A C variable of the program: `count` 0 for a scalar. `initial` by position; the rest is 0."""

    name: str
    ctype: str
    count: int = 0
    initial: tuple[tuple[int, int], ...] = ()
    constant: bool = False

    def declaration(self) -> str:
        head = f"static {'const ' * self.constant}{self.ctype} {self.name}"
        if not self.count:
            return f"{head} = {self.initial[0][1] if self.initial else 0}u;" if self.ctype != "_Bool" else f"{head};"
        values = ", ".join(f"[{k}] = {value}u{'ll' * (value >> 32 > 0)}" for k, value in self.initial)
        return f"{head}[{self.count}] = {{ {values or '0'} }};"

    def reset(self) -> list[str]:
        """Statements that give it its initial value."""
        if not self.count:
            return [f"{self.name} = {self.initial[0][1] if self.initial else 0}{'u' * (self.ctype != '_Bool')};"]
        zero = f"for (u32 k = 0; k < {self.count}u; k++) {self.name}[k] = 0;"
        return [zero, *(f"{self.name}[{k}] = {value}u{'ll' * (value >> 32 > 0)};" for k, value in self.initial)]


@dataclass(slots=True)
class CMemory:
    """The variables of the objects that a Program touches, and the functions that reach them by address."""

    program: Program
    functions: dict[str, str] = field(default_factory=dict)
    variables: list[Variable] = field(default_factory=list)
    _points_to: PointsTo = field(init=False)
    _cells: dict[int, Cells] = field(default_factory=dict)
    _named: dict[int, list[tuple[str, int]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._points_to = PointsTo(self.program)
        touched = 0
        for step in self.program.threads[0].template.steps:
            for action in step.actions:
                if isinstance(action, Touching):
                    touched |= self.candidates_mask(action)
        for obj in self.program.objects[1:]:
            if touched >> obj.id & 1:
                self._object(obj)

    def candidates_mask(self, action: Action) -> int:
        mask = self._points_to.touched(0, action)
        pool = getattr(action, "pool", None)
        for k in self.program.pools[pool].objects if pool is not None else ():
            mask |= 1 << k
        return mask

    def _object(self, obj: Object) -> None:
        self._cells[obj.id] = Cells(obj)
        if can_die(obj):
            self.variables.append(Variable(self.status(obj), "u8", 0, ((0, ALIVE if obj.alive else NEVER),)))
        if self.has_extent(obj):
            self.variables.append(Variable(self.extent(obj), type_of(self.program.word), 0, ((0, obj.size if obj.alive else 0),)))
        for k, run in enumerate(obj.runs):
            at = {run.start + i * run.stride: i for i in range(run.count)}
            initial = tuple((at[o], v & (1 << 8 * run.size) - 1) for o, v in sorted(obj.initial.items()) if o in at and v)
            constant = obj.readonly and not can_die(obj) and not obj.undefined
            self.variables.append(Variable(self.run(obj, k), type_of(8 * run.size), run.count if run.count > 1 else 0, initial, constant))

    def text(self) -> str:
        """All functions that were asked for, those for bytes first."""
        order = sorted(self.functions, key=lambda name: not name.startswith(("byte_", "put_byte_")))
        return "\n".join(self.functions[name] for name in order)

    # ------------------------------------------------------------ names

    def base(self, obj: Object) -> str:
        return f"{identifier(obj.name)}_{obj.id}"

    def status(self, obj: Object) -> str:
        return f"alive_{self.base(obj)}"

    def extent(self, obj: Object) -> str:
        return f"extent_{self.base(obj)}"

    def has_extent(self, obj: Object) -> bool:
        return obj.pool is not None and not self.program.pools[obj.pool].exact

    def run(self, obj: Object, k: int) -> str:
        return self.base(obj) + (f"_{k}" if len(obj.runs) > 1 else "")

    def cells(self, obj: Object) -> list[tuple[str, int]]:
        """Every cell as a C expression, with its size in bytes."""
        found = self._named.get(obj.id)
        if found is None:
            found = self._named[obj.id] = []
            for k, run in enumerate(obj.runs):
                name = self.run(obj, k)
                found += [(f"{name}[{i}]" if run.count > 1 else name, run.size) for i in range(run.count)]
        return found

    # ------------------------------------------------------------ known addresses

    def known(self, address: int, size: int) -> str | None:
        """The variable at a known address, if the access is just one cell."""
        obj = self.program.objects[address >> self.program.offset_bits]
        offset = address & (1 << self.program.offset_bits) - 1
        place = self._cells[obj.id].exact(offset, size) if obj.id in self._cells else None
        return None if place is None else self.cells(obj)[place][0]

    def readonly(self, address: int) -> bool:
        return self.program.objects[address >> self.program.offset_bits].readonly

    def steady(self, address: int, write: bool) -> bool:
        """The object is always alive and may be accessed in that way."""
        number_ = address >> self.program.offset_bits
        obj = self.program.objects[number_] if 0 < number_ < len(self.program.objects) else None
        return obj is not None and obj.storage != "function" and not can_die(obj) and not (write and obj.readonly)

    # ------------------------------------------------------------ addresses that are computed

    def _name(self, kind: str, size: int, mask: int) -> str:
        key = f"{kind}{size or ''}"
        same = [name for name in self.functions if name.startswith(f"{key}_")]
        for name in same:
            if self.functions[name].endswith(f"/* {mask:x} */"):
                return name
        return f"{key}_{len(same)}"

    def function(self, kind: str, size: int, action: Action) -> str:
        """The function for accesses of a kind: valid, writable, load, store, size, freeable."""
        mask = self.candidates_mask(action)
        name = self._name(kind, size, mask)
        if name not in self.functions:
            self.functions[name] = ""
            self.functions[name] = f"{self._written(kind, name, size, mask)} /* {mask:x} */"
        return name

    def _written(self, kind: str, name: str, size: int, mask: int) -> str:
        word, value = type_of(self.program.word), type_of(8 * size) if size else ""
        heads = {
            "valid": f"static _Bool {name}({word} a)", "writable": f"static _Bool {name}({word} a)",
            "load": f"static {value} {name}({word} a)", "store": f"static void {name}({word} a, {value} v)",
            "size": f"static {word} {name}({word} a)", "freeable": f"static _Bool {name}({word} a)",
        }  # fmt: skip
        offset = number((1 << self.program.offset_bits) - 1, self.program.word)
        lines = [heads[kind] + " {", f"    const {word} o = a & {offset};", f"    switch (a >> {self.program.offset_bits}) {{"]
        for obj in [self.program.objects[k] for k in members(mask) if k in self._cells]:
            body = getattr(self, f"_case_{kind}")(obj, size)
            if body:
                lines.append(f"    case {obj.id}: {body} break;")
        lines += ["    default: break;", "    }", "    (void)o;"]
        lines += [] if kind == "store" else ["    return 0;"]
        return "\n".join([*lines, "}"])

    def _limit(self, obj: Object, size: int) -> str:
        """C for: the bytes are inside and alive."""
        limit = 0 if obj.storage == "function" else obj.size
        tests = [f"o <= {limit - size}u"] if limit >= size else ["0"]
        tests += [f"{self.status(obj)} == {ALIVE}u"] if can_die(obj) else []
        tests += [f"o + {size}u <= {self.extent(obj)}"] if self.has_extent(obj) else []
        return " && ".join(tests)

    def _case_valid(self, obj: Object, size: int) -> str:
        tests = self._limit(obj, size)
        align = min(size, self.program.word // 8)
        if "valid-deref" in self.program.checks and not size & (size - 1) and align > 1:
            odd = [cell.offset for cell in self._cells[obj.id] if cell.size == size and cell.offset % align]
            exact = "".join(f" || o == {at}u" for at in odd[:64])
            tests += f" && (o % {align}u == 0{exact})"
        return f"return {tests};"

    def _case_writable(self, obj: Object, size: int) -> str:
        return "" if obj.readonly else self._case_valid(obj, size)

    def _case_size(self, obj: Object, _: int) -> str:
        extent = self.extent(obj) if self.has_extent(obj) else f"{0 if obj.storage == 'function' else obj.size}u"
        return f"if ({self.status(obj)} == {ALIVE}u) return {extent};" if can_die(obj) else f"return {extent};"

    def _case_freeable(self, obj: Object, _: int) -> str:
        return f"return o == 0 && {self.status(obj)} == {ALIVE}u;" if obj.storage == "heap" else ""

    def _exact(self, obj: Object, size: int) -> list[tuple[str, str]]:
        """For runs of cells of that size: when an offset is one of them, and the C name of the cell."""
        found = []
        for k, run in enumerate(obj.runs):
            name = self.run(obj, k)
            if run.size != size:
                continue
            if run.count == 1:
                found.append((f"o == {run.start}u", name))
            else:
                last = run.start + (run.count - 1) * run.stride
                test = f"o >= {run.start}u && o <= {last}u && (o - {run.start}u) % {run.stride}u == 0"
                found.append((test, f"{name}[(o - {run.start}u) / {run.stride}u]"))
        return found

    def _case_load(self, obj: Object, size: int) -> str:
        lines = [f"if ({test}) return {cell};" for test, cell in self._exact(obj, size)]
        if size == 1 and not lines:
            lines.append(f"return {self._bytes(obj)}(o);")
        elif size > 1:
            parts = [f"({type_of(8 * size)})((u64){self._bytes(obj)}(o + {k}u) << {8 * k})" for k in range(size)]
            lines.append(f"return {' | '.join(parts)};")
        return " ".join(lines)

    def _case_store(self, obj: Object, size: int) -> str:
        if obj.readonly:
            return ""
        lines = [f"if ({test}) {{ {cell} = v; return; }}" for test, cell in self._exact(obj, size)]
        if size > 1 or not lines:
            lines += [f"{self._put(obj)}(o + {k}u, (u8)(v >> {8 * k}));" for k in range(size)]
        return " ".join(lines)

    def _bytes(self, obj: Object) -> str:
        """The function that gives a byte of an object."""
        name = f"byte_{self.base(obj)}"
        if name not in self.functions:
            word = type_of(self.program.word)
            lines = [f"static u8 {name}({word} o) {{"]
            for test, cell, shift in self._byte_cases(obj):
                lines.append(f"    if ({test}) return (u8)({cell} >> {shift});")
            self.functions[name] = "\n".join([*lines, "    (void)o;", "    return 0;", "}"])
        return name

    def _put(self, obj: Object) -> str:
        """The function that stores a byte of an object."""
        name = f"put_byte_{self.base(obj)}"
        if name not in self.functions:
            word = type_of(self.program.word)
            lines = [f"static void {name}({word} o, u8 v) {{"]
            for (test, cell, shift), run in zip(self._byte_cases(obj), obj.runs, strict=True):
                kind = type_of(8 * run.size)
                cleared = f"({cell} & ~(({kind})255u << {shift}))"
                lines.append(f"    if ({test}) {{ {cell} = ({kind})({cleared} | ({kind})v << {shift}); return; }}")
            self.functions[name] = "\n".join([*lines, "    (void)o;", "    (void)v;", "}"])
        return name

    def _byte_cases(self, obj: Object) -> list[tuple[str, str, str]]:
        """For each run: when a byte is in it, the C name of its cell, and the shift to the byte."""
        cases = []
        for k, run in enumerate(obj.runs):
            name, stride = self.run(obj, k), run.stride or run.size
            if run.count == 1:
                test = f"o - {run.start}u < {run.size}u"
                cases.append((test, name, f"(8u * (o - {run.start}u))" if run.size > 1 else "0"))
            else:
                test = f"o - {run.start}u < {stride * run.count}u && (o - {run.start}u) % {stride}u < {run.size}u"
                shift = f"(8u * ((o - {run.start}u) % {stride}u))" if run.size > 1 else "0"
                cases.append((test, f"{name}[(o - {run.start}u) / {stride}u]", shift))
        return cases
