"""At which offsets a pointer is likely to point: everywhere, or at `remainder` modulo `stride` (a stride of 0: nowhere else).

Flow-insensitive over the registers of each template and the pointers in each object, by their offsets, after points-to. Arithmetic is done
without wrapping and undefined memory is ignored, so the answer is a guess that whoever uses it has to guard.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd
from typing import NamedTuple

from fsoft.analysis.points_to import PointsTo, members
from fsoft.program.expr import Expr, postorder, to_signed
from fsoft.program.program import Action, Alloc, Assign, Load, Program, Store, Template

_ROUNDS = 60


class Stride(NamedTuple):
    """The numbers that are `remainder` modulo `stride`; with stride 0, that number alone."""

    stride: int
    remainder: int

    def has(self, number: int) -> bool:
        return number == self.remainder if self.stride == 0 else number % self.stride == self.remainder

    def meets(self, other: Stride) -> bool:
        """Whether the two have a number in common."""
        distance, common = self.remainder - other.remainder, gcd(self.stride, other.stride)
        return distance % common == 0 if common else distance == 0


ANY = Stride(1, 0)
StrideValue = Stride | None
"""None: no value at all."""


def _make(stride: int, remainder: int) -> Stride:
    stride = abs(stride)
    return Stride(stride, remainder % stride if stride else remainder)


def join(x: StrideValue, y: StrideValue) -> StrideValue:
    if x is None or y is None:
        return x or y
    return _make(gcd(x.stride, y.stride, x.remainder - y.remainder), x.remainder)


def _product(x: Stride, y: Stride) -> Stride:
    if x.stride == 0:
        return _make(y.stride * x.remainder, y.remainder * x.remainder)
    if y.stride == 0:
        return _product(y, x)
    return ANY


class Strides:
    """The analysis of a program; `offset` answers for an address as a step of a slot writes it."""

    def __init__(self, program: Program, points_to: PointsTo):
        self.program, self.points_to = program, points_to
        self._registers: dict[tuple[int, str], StrideValue] = {}
        self._contents: dict[int, dict[Stride, StrideValue]] = {}
        self._slots: dict[int, list[int]] = {}
        for thread in program.threads:
            self._slots.setdefault(id(thread.template), []).append(thread.index)
        self._initial()
        self._solve()

    def offset(self, slot: int, address: Expr) -> Stride:
        """Likely offsets of the address within its object."""
        found = self._value(self.program.threads[slot].template, address, [slot])
        return ANY if found is None else found

    # ------------------------------------------------------------ values

    def _number(self, value: int) -> Stride:
        bits = self.program.offset_bits
        return Stride(0, to_signed(value & ((1 << bits) - 1), bits))

    def _leaf(self, template: Template, node: Expr, slots: list[int]) -> StrideValue:
        if node.op == "const":
            return self._number(node.value)
        if node.op == "reg":
            return self._registers.get((id(template), str(node.data)))
        found: StrideValue = None
        for slot in slots:
            found = join(found, self._number(self.program.threads[slot].own.get(str(node.data), 0)))
        return found

    def _value(self, template: Template, expr: Expr, slots: list[int]) -> StrideValue:
        if not expr.args:
            return self._leaf(template, expr, slots)
        values: dict[Expr, StrideValue] = {}
        for node in postorder((expr,)):
            values[node] = _operate(node, [values[a] for a in node.args]) if node.args else self._leaf(template, node, slots)
        return values[expr]

    # ------------------------------------------------------------ the fixed point

    def _initial(self) -> None:
        word = self.program.word // 8
        for obj in self.program.objects:
            for run in obj.runs:
                if run.size == word:
                    offsets = (run.start + k * run.stride for k in range(run.count))
                    table = {Stride(0, o): self._number(obj.initial[o]) for o in offsets if o in obj.initial}
                    self._contents.setdefault(obj.id, {}).update(table)

    def _solve(self) -> None:
        relevant = [(t, self._slots[id(t)], self._relevant(t)) for t in self.program.templates()]
        for _ in range(_ROUNDS):
            changed = False
            for template, slots, actions in relevant:
                for action in actions:
                    changed |= self._action(template, slots, action)
            if not changed:
                return
        self._registers = dict.fromkeys(self._registers, ANY)

    def _relevant(self, template: Template) -> list[Action]:
        """The actions that may decide what an address is: stores, and those that define a register from which one is computed."""
        actions = [action for step in template.steps for action in step.actions]
        sources: dict[str, list[Expr]] = {}
        todo: set[str] = set()
        for action in actions:
            address, value = getattr(action, "address", None), getattr(action, "value", None)
            todo |= address.reads if address is not None else set()
            if isinstance(action, Store):
                todo |= value.reads if value is not None and 8 * action.size == self.program.word else set()
            elif isinstance(action, Assign):
                sources.setdefault(action.reg, []).append(action.value)
        needed: set[str] = set()
        while todo:
            name = todo.pop()
            needed.add(name)
            todo |= {other for value in sources.get(name, ()) for other in value.reads} - needed
        return [action for action in actions if isinstance(action, Store) or getattr(action, "reg", None) in needed]

    def _action(self, template: Template, slots: list[int], action: Action) -> bool:
        if isinstance(action, Assign):
            return self._define(template, action.reg, self._value(template, action.value, slots))
        if isinstance(action, Alloc):
            return self._define(template, action.reg, Stride(0, 0))
        if isinstance(action, Load):
            return self._define(template, action.reg, self._loaded(template, slots, action))
        if isinstance(action, Store):
            return self._store(template, slots, action)
        name = getattr(action, "reg", None)
        return name is not None and self._define(template, name, ANY)

    def _define(self, template: Template, name: str, value: StrideValue) -> bool:
        key = (id(template), name)
        old = self._registers.get(key)
        new = join(old, value)
        self._registers[key] = new
        return new != old

    def _objects(self, slots: list[int], address: Expr) -> list[int]:
        mask = 0
        for slot in slots:
            mask |= self.points_to.value(slot, address)
        return list(members(mask))

    def _loaded(self, template: Template, slots: list[int], action: Load) -> StrideValue:
        if 8 * action.size != self.program.word:
            return ANY
        found, where = Stride(0, 0), self._value(template, action.address, slots)
        for obj in self._objects(slots, action.address) if where is not None else ():
            for offset, value in self._contents.get(obj, {}).items():
                if where is not None and offset.meets(where):
                    found = join(found, value) or found
        return found

    def _store(self, template: Template, slots: list[int], action: Store) -> bool:
        if 8 * action.size != self.program.word:
            return False
        value, where = self._value(template, action.value, slots), self._value(template, action.address, slots)
        if where is None or value is None:
            return False
        changed = False
        for obj in self._objects(slots, action.address):
            table = self._contents.setdefault(obj, {})
            old = table.get(where)
            table[where] = join(old, value)
            changed |= table[where] != old
        return changed


_Operation = Callable[[Expr, Stride, Stride], Stride]


def _shift(node: Expr, x: Stride, y: Stride) -> Stride:
    return _product(x, Stride(0, 1 << y.remainder)) if y.stride == 0 and 0 <= y.remainder < 64 else ANY


_OPERATIONS: dict[str, _Operation] = {
    "add": lambda n, x, y: _make(gcd(x.stride, y.stride), x.remainder + y.remainder),
    "padd": lambda n, x, y: _make(gcd(x.stride, y.stride), x.remainder + y.remainder),
    "sub": lambda n, x, y: _make(gcd(x.stride, y.stride), x.remainder - y.remainder),
    "mul": lambda n, x, y: _product(x, y),
    "shl": _shift,
}


def _operate(node: Expr, args: list[StrideValue]) -> StrideValue:
    if any(a is None for a in args):
        return None
    known = [a for a in args if a is not None]
    if node.op in _OPERATIONS:
        return _OPERATIONS[node.op](node, known[0], known[1])
    if node.op in ("zext", "sext") or (node.op == "extract" and node.data == 0):
        return known[0]
    if node.op == "neg":
        return _make(known[0].stride, -known[0].remainder)
    if node.op == "ite":
        return join(known[1], known[2])
    return ANY
