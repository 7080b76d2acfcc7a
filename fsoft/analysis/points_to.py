"""Which objects each access may touch: inclusion-based, flow-insensitive points-to over the registers of every slot and
the contents of every object (Andersen's analysis; sets are bit masks over object ids, propagated by difference).

Addresses are words, so words flow through arithmetic: the result of an operator may point where its operands did. `padd` never leaves
the object of its pointer; comparisons and floats carry no address. A word that an input makes up points anywhere if it is read
as a pointer. A plain integer that happens to spell an address without having been computed from one points nowhere
(dereferencing it is undefined in C, as is reading an uninitialised pointer).
"""

from __future__ import annotations

from dataclasses import field

from fsoft.analysis.actions import Touching, members
from fsoft.program.expr import COMPARISONS, Expr
from fsoft.program.program import Action, Alloc, Assign, Input, Load, Program, Register, Step, Store, Template, Thread
from fsoft.records import dataclass

_OPAQUE = COMPARISONS | {"fadd", "fsub", "fmul", "fdiv", "fconv", "itof", "utof", "ftoi", "ftou"}


@dataclass(frozen=True, slots=True)
class _Flow:
    """Where the address part of an expression comes from: registers, `own` names, constant objects."""

    regs: tuple[str, ...]
    owns: tuple[str, ...]
    objects: int


@dataclass(slots=True)
class _Graph:
    """Variables are numbers: first the contents of each object, then registers and helpers."""

    points: list[int] = field(default_factory=list)
    done: list[int] = field(default_factory=list)
    succ: list[list[int]] = field(default_factory=list)
    loads: list[list[int]] = field(default_factory=list)
    stores: list[list[int]] = field(default_factory=list)
    edges: set[tuple[int, int]] = field(default_factory=set)
    work: list[int] = field(default_factory=list)

    def new(self) -> int:
        self.points.append(0)
        self.done.append(0)
        self.succ.append([])
        self.loads.append([])
        self.stores.append([])
        return len(self.points) - 1

    def add(self, var: int, mask: int) -> None:
        if mask & ~self.points[var]:
            self.points[var] |= mask
            self.work.append(var)

    def edge(self, source: int, target: int) -> None:
        if source != target and (source, target) not in self.edges:
            self.edges.add((source, target))
            self.succ[source].append(target)
            self.add(target, self.points[source])

    def solve(self) -> None:
        while self.work:
            var = self.work.pop()
            new = self.points[var] & ~self.done[var]
            if not new:
                continue
            self.done[var] |= new
            for target in self.succ[var]:
                self.add(target, new)
            if self.loads[var] or self.stores[var]:
                for obj in members(new):
                    for target in self.loads[var]:
                        self.edge(obj, target)
                    for source in self.stores[var]:
                        self.edge(source, obj)


class PointsTo:
    """The solved analysis of a program. Masks have bit `id` set for each object; `objects_of` gives frozensets."""

    def __init__(self, program: Program):
        self.program = program
        self.everything = (1 << len(program.objects)) - 2
        self._flows: dict[Expr, _Flow] = {}
        self._graph = _Graph()
        self._vars: dict[tuple[int, str], int] = {}
        self._pools = [sum(1 << o for o in pool.objects) for pool in program.pools]
        for obj in program.objects:
            var = self._graph.new()
            for value in obj.initial.values():
                self._graph.add(var, self._decode(value))
        for thread in program.threads:
            for step in thread.template.steps:
                for action in step.actions:
                    self._constrain(thread, action)
        self._graph.solve()

    # ------------------------------------------------------------ answers

    def value(self, slot: int, expr: Expr) -> int:
        """The objects that the value of an expression may point into, in that slot."""
        flow = self._flow(expr)
        thread = self.program.threads[slot]
        mask = flow.objects | self._owned(thread, flow)
        for name in flow.regs:
            var = self._vars.get((slot, name))
            if var is not None:
                mask |= self._graph.points[var]
        return mask

    def contents(self, obj: int) -> int:
        """The objects that pointers stored in an object may point into."""
        return self._graph.points[obj]

    def touched(self, slot: int, action: Action) -> int:
        """The objects that an action may read or write."""
        if isinstance(action, Alloc):
            return self._pools[action.pool]
        return self.value(slot, action.address) if isinstance(action, Touching) else 0

    def private(self, slot: int) -> int:
        """Mask of the objects that no other slot ever touches."""
        touched = 0
        for thread in self.program.threads:
            if thread.index != slot:
                for step in thread.template.steps:
                    for action in step.actions:
                        touched |= self.touched(thread.index, action)
        return self.everything & ~touched

    def objects_of(self, template: Template, step: Step, action: Action) -> frozenset[int]:
        """The objects an action of a template may touch, over all slots that run the template."""
        mask = 0
        for thread in self.program.threads:
            if thread.template is template:
                mask |= self.touched(thread.index, action)
        return frozenset(members(mask))

    # ------------------------------------------------------------ constraints

    def _decode(self, value: int) -> int:
        number = (value & ((1 << self.program.word) - 1)) >> self.program.offset_bits
        return 1 << number if 0 < number < len(self.program.objects) else 0

    def _owned(self, thread: Thread, flow: _Flow) -> int:
        mask = 0
        for name in flow.owns:
            mask |= self._decode(thread.own.get(name, 0))
        return mask

    def _flow(self, expr: Expr) -> _Flow:
        known = self._flows.get(expr)
        if known is None:
            known = self._flows[expr] = self._walk(expr)
        return known

    def _walk(self, expr: Expr) -> _Flow:
        if expr.op == "reg":
            return _Flow((str(expr.data),), (), 0)
        found: dict[Expr, None] = {}
        objects = 0
        seen: set[Expr] = set()
        stack = [expr]
        while stack:
            node = stack.pop()
            if node in seen or node.width == 1 or node.op in _OPAQUE:
                continue
            seen.add(node)
            if node.op == "const":
                objects |= self._decode(node.value) if node.width >= self.program.word else 0
            elif not node.args:
                found[node] = None
            elif node.op == "padd":
                stack.append(node.args[0])
            else:
                stack.extend(node.args)
        regs = tuple(sorted(str(n.data) for n in found if n.op == "reg"))
        return _Flow(regs, tuple(sorted(str(n.data) for n in found if n.op == "own")), objects)

    def _var(self, slot: int, name: str) -> int:
        var = self._vars.get((slot, name))
        if var is None:
            var = self._vars[slot, name] = self._graph.new()
        return var

    def _into(self, thread: Thread, expr: Expr, var: int) -> None:
        flow = self._flow(expr)
        self._graph.add(var, flow.objects | self._owned(thread, flow))
        for name in flow.regs:
            self._graph.edge(self._var(thread.index, name), var)

    def _constrain(self, thread: Thread, action: Action) -> None:
        if isinstance(action, Assign):
            if action.value.width > 1:
                self._into(thread, action.value, self._var(thread.index, action.reg))
        elif isinstance(action, Load):
            self._load(thread, action)
        elif isinstance(action, Store):
            self._store(thread, action)
        elif isinstance(action, Alloc):
            self._graph.add(self._var(thread.index, action.reg), self._pools[action.pool])
        elif isinstance(action, Input):
            if _makes_pointers(action, thread.template.registers.get(action.reg)):
                self._graph.add(self._var(thread.index, action.reg), self.everything)

    def _load(self, thread: Thread, action: Load) -> None:
        flow = self._flow(action.address)
        target = self._var(thread.index, action.reg)
        for name in flow.regs:
            pointer = self._var(thread.index, name)
            self._graph.loads[pointer].append(target)
            for obj in members(self._graph.done[pointer]):
                self._graph.edge(obj, target)
        for obj in members(flow.objects | self._owned(thread, flow)):
            self._graph.edge(obj, target)

    def _store(self, thread: Thread, action: Store) -> None:
        value = self._flow(action.value)
        if not (value.regs or value.owns or value.objects):
            return
        if len(value.regs) == 1 and not value.owns and not value.objects:
            source = self._var(thread.index, value.regs[0])
        else:
            source = self._graph.new()
            self._into(thread, action.value, source)
        flow = self._flow(action.address)
        for name in flow.regs:
            pointer = self._var(thread.index, name)
            self._graph.stores[pointer].append(source)
            for obj in members(self._graph.done[pointer]):
                self._graph.edge(source, obj)
        for obj in members(flow.objects | self._owned(thread, flow)):
            self._graph.edge(source, obj)


def _makes_pointers(action: Input, register: Register | None) -> bool:
    if action.among is not None or action.name.startswith("uninitialised"):
        return False
    return "pointer" in action.name or (register is not None and "*" in register.ctype)


def alive_throughout(program: Program) -> int:
    """Mask of the objects that live as long as the program: an in-bounds access to them is always valid."""
    mask = 0
    for obj in program.objects[1:]:
        if obj.alive and obj.storage in ("global", "static", "string", "system", "thread"):
            mask |= 1 << obj.id
    return mask


__all__ = ["PointsTo", "alive_throughout", "members"]
