"""Which actions may stop their thread: everything but register updates and accesses that are certainly valid."""

from __future__ import annotations

from fsoft.analysis.points_to import alive_throughout
from fsoft.program.expr import Expr, const, operate, postorder, substitute
from fsoft.program.layout import Cells
from fsoft.program.program import Action, Assign, Enter, Input, Leave, Load, Measure, Object, Program, Require, Store, Template


def constant_in(expr: Expr, own: dict[str, int]) -> int | None:
    """The value of an expression over constants and `own` leaves, if it is one."""
    if expr.op == "const":
        return expr.value
    if expr.op == "reg":
        return None
    told = substitute(expr, lambda n: const(own[str(n.data)], n.width) if n.op == "own" and n.data in own else None)
    return told.value if told.op == "const" else None


def constants_in(expr: Expr, own: dict[str, int], limit: int = 64) -> set[int] | None:
    """The values that an expression can have, if it only chooses between constants and moves them; None if that is not known."""
    sets: dict[Expr, set[int] | None] = {}
    for node in postorder((expr,)):
        if node.op == "const":
            sets[node] = {node.value}
        elif node.op == "own":
            sets[node] = {own[str(node.data)]} if node.data in own else None
        elif node.op == "ite":
            yes, no = sets[node.args[1]], sets[node.args[2]]
            sets[node] = yes | no if yes is not None and no is not None and len(yes | no) <= limit else None
        else:
            sets[node] = _moved(node, [sets[a] for a in node.args])
    return sets[expr]


def _moved(node: Expr, args: list[set[int] | None]) -> set[int] | None:
    if not args or any(a is None or len(a) != 1 for a in args[1:]) or args[0] is None:
        return None
    rest = tuple(next(iter(a)) for a in args[1:] if a is not None)
    widths = tuple(a.width for a in node.args)
    return {operate(node.op, node.width, widths, node.data, (value, *rest)) for value in args[0]}


class Validity:
    """`safe(template, action)`: the action cannot stop a thread of that template."""

    def __init__(self, program: Program):
        self.program = program
        self._alive = alive_throughout(program)
        self._owns: dict[int, list[dict[str, int]]] = {}
        for thread in program.threads:
            self._owns.setdefault(id(thread.template), []).append(thread.own)
        self._known: dict[tuple[int, Expr, int, bool], bool] = {}

    def safe(self, template: Template, action: Action) -> bool:
        if isinstance(action, (Assign, Input, Measure, Enter, Leave, Require)):
            return True
        if isinstance(action, (Load, Store)):
            return self.valid(template, action.address, action.size, isinstance(action, Store))
        return False

    def valid(self, template: Template, address: Expr, size: int, write: bool) -> bool:
        """An access there is in bounds of an object that lives as long as the program, in every slot."""
        key = (id(template), address, size, write)
        known = self._known.get(key)
        if known is None:
            owns = self._owns.get(id(template), [])
            known = self._known[key] = all(self._fits(constant_in(address, own), size, write) for own in owns)
        return known

    def _fits(self, address: int | None, size: int, write: bool) -> bool:
        if address is None:
            return False
        number, offset = address >> self.program.offset_bits, address & ((1 << self.program.offset_bits) - 1)
        if not self._alive >> number & 1:
            return False
        obj = self.program.objects[number]
        return offset + size <= obj.size and not (write and obj.readonly) and self._aligned(obj, offset, size)

    def _aligned(self, obj: Object, offset: int, size: int) -> bool:
        """As memory demands it where valid-deref is asked for."""
        if "valid-deref" not in self.program.checks or size & (size - 1) or offset % min(size, self.program.word // 8) == 0:
            return True
        return Cells(obj).exact(offset, size) is not None
