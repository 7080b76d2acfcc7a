"""The memory of a Program as C variables: every run of equal cells of an object is a variable, or an array."""

from __future__ import annotations

from dataclasses import dataclass, field

from fsoft.analysis.actions import Touching
from fsoft.circuit.encode.memory_terms import AddressFacts
from fsoft.program.layout import Cells
from fsoft.program.program import Action, Object, Program
from fsoft.program.state import ALIVE, NEVER, can_die
from fsoft.sequentialize.c_expr import identifier
from fsoft.sequentialize.c_words import type_of


@dataclass(frozen=True, slots=True)
class CVariable:
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

    def local(self) -> str:
        """Its declaration inside a function."""
        return f"{self.ctype} {self.name} = 0;"

    def reset(self) -> list[str]:
        """Statements that give it its initial value."""
        if not self.count:
            return [f"{self.name} = {self.initial[0][1] if self.initial else 0}{'u' * (self.ctype != '_Bool')};"]
        zero = f"for (u32 k = 0; k < {self.count}u; k++) {self.name}[k] = 0;"
        return [zero, *(f"{self.name}[{k}] = {value}u{'ll' * (value >> 32 > 0)};" for k, value in self.initial)]


@dataclass(slots=True)
class CMemory:
    """The variables of the objects that a Program touches; `layouts` are their cells, by the number of the object."""

    program: Program
    facts: AddressFacts = field(init=False)
    variables: list[CVariable] = field(default_factory=list)
    layouts: dict[int, Cells] = field(default_factory=dict)
    _named: dict[int, list[tuple[str, int]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.facts = AddressFacts(self.program)
        touched = 0
        for step in self.program.threads[0].template.steps:
            for action in step.actions:
                if isinstance(action, Touching):
                    touched |= self.candidates_mask(action)
        for obj in self.program.objects[1:]:
            if touched >> obj.id & 1:
                self._object(obj)

    def candidates_mask(self, action: Action) -> int:
        mask = self.facts.points_to.touched(0, action)
        pool = getattr(action, "pool", None)
        for k in self.program.pools[pool].objects if pool is not None else ():
            mask |= 1 << k
        return mask

    def _object(self, obj: Object) -> None:
        self.layouts[obj.id] = Cells(obj)
        if can_die(obj):
            self.variables.append(CVariable(self.status(obj), "u8", 0, ((0, ALIVE if obj.alive else NEVER),)))
        if self.has_extent(obj):
            self.variables.append(CVariable(self.extent(obj), type_of(self.program.word), 0, ((0, obj.size if obj.alive else 0),)))
        for k, run in enumerate(obj.runs):
            at = {run.start + i * run.stride: i for i in range(run.count)}
            initial = tuple((at[o], v & (1 << 8 * run.size) - 1) for o, v in sorted(obj.initial.items()) if o in at and v)
            constant = obj.readonly and not can_die(obj) and not obj.undefined
            self.variables.append(CVariable(self.run(obj, k), type_of(8 * run.size), run.count if run.count > 1 else 0, initial, constant))

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

    def _at(self, address: int) -> tuple[Object | None, int]:
        """The object that a known address names, and the offset."""
        number, offset = divmod(address, 1 << self.program.offset_bits)
        return (self.program.objects[number] if 0 < number < len(self.program.objects) else None), offset

    def known(self, address: int, size: int) -> str | None:
        """The variable at a known address, if the access is just one cell."""
        obj, offset = self._at(address)
        place = self.layouts[obj.id].exact(offset, size) if obj is not None and obj.id in self.layouts else None
        return None if obj is None or place is None else self.cells(obj)[place][0]

    def readonly(self, address: int) -> bool:
        obj, _ = self._at(address)
        return obj is not None and obj.readonly

    def usable(self, address: int, size: int, write: bool) -> str:
        """C for: the cell at a known address may be accessed in that way now; "" where that is always so."""
        obj, offset = self._at(address)
        if obj is None or obj.storage == "function" or (write and obj.readonly):
            return "0"
        return " && ".join(self.present(obj, f"{offset + size}u"))

    def present(self, obj: Object, end: str) -> list[str]:
        """C for: the object is alive, and its bytes up to `end` are what was asked for."""
        tests = [f"{self.status(obj)} == {ALIVE}u"] if can_die(obj) else []
        return [*tests, f"{end} <= {self.extent(obj)}"] if self.has_extent(obj) else tests
