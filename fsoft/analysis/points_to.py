"""Which objects each access may touch: inclusion-based, flow-insensitive points-to over the registers of every slot and
the contents of every object (Andersen's analysis; sets are bit masks over object ids, propagated by difference).

Addresses are words, so words flow through arithmetic: the result of an operator may point where its operands did. `padd` never leaves
the object of its pointer; comparisons and floats carry no address. A word that an input makes up points anywhere if it is read
as a pointer. A plain integer that happens to spell an address without having been computed from one points nowhere
(dereferencing it is undefined in C, as is reading an uninitialised pointer).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fsoft.analysis.actions import Touching, members
from fsoft.program.expr import COMPARISONS, Expr
from fsoft.program.program import Action, Alloc, Assign, Input, Load, Program, Register, Step, Store, Template, Thread

_OPAQUE = COMPARISONS | {"fadd", "fsub", "fmul", "fdiv", "fconv", "itof", "utof", "ftoi", "ftou"}


@dataclass(frozen=True, slots=True)
class _Flow:
    """Where the address part of an expression comes from: registers, `own` names, constant objects."""

    regs: tuple[str, ...]
    owns: tuple[str, ...]
    objects: int


class _Graph:
    """Variables are numbers: first the contents of each object, then registers and helpers. Solved in waves (Pereira and Berlin, CGO 2009):
    variables on a cycle of edges become one (`find`), sets travel along the edges in topological order, then loads and stores through
    what is new in the sets of their pointers make more edges."""

    def __init__(self, objects: int):
        self.points = [0] * objects
        self.sent = [0] * objects  # what has travelled along all edges from here
        self.followed = [0] * objects  # what loads and stores have been made edges for
        self.succ: list[set[int]] = [set() for _ in range(objects)]
        self.loads: dict[int, set[int]] = {}
        self.stores: dict[int, set[int]] = {}
        self.parent = list(range(objects))
        self._from: dict[int, int] = {}  # helpers: what is in any of these objects
        self._to: dict[int, int] = {}  # and what goes into all of them

    def new(self) -> int:
        for mask in (self.points, self.sent, self.followed):
            mask.append(0)
        self.succ.append(set())
        self.parent.append(len(self.parent))
        return len(self.parent) - 1

    def find(self, var: int) -> int:
        parent = self.parent
        while parent[var] != var:
            parent[var] = parent[parent[var]]
            var = parent[var]
        return var

    def add(self, var: int, mask: int) -> None:
        self.points[self.find(var)] |= mask

    def edge(self, source: int, target: int) -> bool:
        """Whether there was none yet."""
        source, target = self.find(source), self.find(target)
        if source == target or target in self.succ[source]:
            return False
        self.succ[source].add(target)
        self.points[target] |= self.sent[source]
        return True

    def contents(self, mask: int) -> int:
        """What is in any of the objects of a mask."""
        if mask & (mask - 1) == 0:
            return mask.bit_length() - 1
        if mask not in self._from:
            self._from[mask] = var = self.new()
            for obj in members(mask):
                self.edge(obj, var)
        return self._from[mask]

    def everywhere(self, mask: int) -> int:
        """What goes into all of the objects of a mask."""
        if mask & (mask - 1) == 0:
            return mask.bit_length() - 1
        if mask not in self._to:
            self._to[mask] = var = self.new()
            for obj in members(mask):
                self.edge(var, obj)
        return self._to[mask]

    def solve(self) -> None:
        while True:
            self._spread(self._united())
            if not self._follow():
                return

    def _spread(self, order: list[int]) -> None:
        points, sent, find = self.points, self.sent, self.find
        for var in order:
            new = points[var] & ~sent[var]
            if new:
                sent[var] |= new
                for target in self.succ[var]:
                    points[find(target)] |= new

    def _follow(self) -> bool:
        """Edges for what is new behind pointers; whether there are any."""
        changed = False
        for pointer in {*self.loads, *self.stores}:
            var = self.find(pointer)
            new = self.points[var] & ~self.followed[pointer]
            if new:
                self.followed[pointer] |= new
                if pointer in self.loads:
                    source = self.contents(new)
                    for target in self.loads[pointer]:
                        changed |= self.edge(source, target)
                if pointer in self.stores:
                    target = self.everywhere(new)
                    for source in self.stores[pointer]:
                        changed |= self.edge(source, target)
        return changed

    def _united(self) -> list[int]:
        """Make one of the variables on each cycle (Tarjan's components, without recursion); what is left, sources of edges first."""
        index: dict[int, int] = {}
        low: dict[int, int] = {}
        open_: list[int] = []
        inside: set[int] = set()
        components: list[list[int]] = []
        for root in range(len(self.parent)):
            if self.parent[root] != root or root in index:
                continue
            calls = [(root, self._begin(root, index, low, open_, inside))]
            while calls:
                node, targets = calls[-1]
                following = next((t for t in targets if t not in index or (t in inside and low[node] > index[t])), None)
                if following is None:
                    calls.pop()
                    if calls:
                        low[calls[-1][0]] = min(low[calls[-1][0]], low[node])
                    if low[node] == index[node]:
                        components.append(self._component(node, open_, inside))
                elif following in index:
                    low[node] = index[following]
                else:
                    calls.append((following, self._begin(following, index, low, open_, inside)))
        return [self._merged(component) for component in reversed(components)]

    def _begin(self, node: int, index: dict[int, int], low: dict[int, int], open_: list[int], inside: set[int]) -> Iterator[int]:
        index[node] = low[node] = len(index)
        open_.append(node)
        inside.add(node)
        self.succ[node] = {self.find(one) for one in self.succ[node]}
        return iter(self.succ[node])

    @staticmethod
    def _component(node: int, open_: list[int], inside: set[int]) -> list[int]:
        found: list[int] = []
        while not found or found[-1] != node:
            found.append(open_.pop())
            inside.discard(found[-1])
        return found

    def _merged(self, component: list[int]) -> int:
        first, *others = component
        for other in others:
            self.parent[other] = first
            self.succ[first] |= self.succ[other]
            self.succ[other] = set()
            self.points[first] |= self.points[other]
            self.sent[first] &= self.sent[other]
        return first


class PointsTo:
    """The solved analysis of a program. Masks have bit `id` set for each object; `objects_of` gives frozensets."""

    def __init__(self, program: Program):
        self.program = program
        self.everything = (1 << len(program.objects)) - 2
        self._flows: dict[Expr, _Flow] = {}
        self._graph = _Graph(len(program.objects))
        self._vars: dict[tuple[int, str], int] = {}
        self._pools = [sum(1 << o for o in pool.objects) for pool in program.pools]
        for obj in program.objects:
            for value in obj.initial.values():
                self._graph.add(obj.id, self._decode(value))
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
                mask |= self._graph.points[self._graph.find(var)]
        return mask

    def contents(self, obj: int) -> int:
        """The objects that pointers stored in an object may point into."""
        return self._graph.points[self._graph.find(obj)]

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
            self._graph.loads.setdefault(pointer, set()).add(target)
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
            self._graph.stores.setdefault(pointer, set()).add(source)
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
