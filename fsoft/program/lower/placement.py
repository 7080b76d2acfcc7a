"""Where code of the user treats an address as a number: what comes out depends on where the objects lie, and C leaves that open. A Program
has one placement, so what is computed there holds for that one only.

`Numbers` follows addresses through variables, members, parameters and results, and through memory as one place, also where they are
integers. With each goes the alignment that it is known to have: bits below that are no news. Harmless are copies, tests for equality,
moves within an object, and comparisons and differences within one object; a `Rule` says what the lowering asks at run time. Not followed
are the bytes of a pointer that are read as characters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from fsoft.frontend import tree
from fsoft.frontend import types as ct
from fsoft.program.expr import Expr, conj, disj, eq, make, negate, nonzero

Key = object
"""A variable, a member of a record, the result of a function, the parameters of functions that are called through pointers, or memory."""

_MEMORY = {True: "memory of pointers", False: "memory of integers"}
_STARTS = frozenset({"pthread_create", "thrd_create"})
_CALL_NOBODY = (
    *(
        "pthread_mutex",
        "pthread_cond",
        "pthread_rwlock",
        "pthread_barrier",
        "pthread_spin",
        "pthread_attr",
        "pthread_join",
        "pthread_detach",
    ),
    *("sem_", "mtx_", "cnd_", "thrd_join", "malloc", "calloc", "realloc", "free", "mem", "str", "puts", "printf"),
)
"""Beginnings of names of library models that hand what they are given to no function of the user."""
_RELATIONS = frozenset({"<", "<=", ">", ">="})
_UNMAPPED = 4096  # no object lies below that
_ATOMIC = ("__atomic_", "__sync_", "__c11_atomic_")
_HIGHEST = 1 << 20


@dataclass(frozen=True, slots=True)
class Rule:
    """A use of addresses as numbers. Harmless is: with `same`, if both operands are in one object; with `both`, if one of them is no
    address; otherwise, if none of `operands` is one."""

    operands: tuple[int, ...]
    same: bool = False
    both: bool = False


class Numbers:
    """`rules` are by identity of the expression. `word`: bytes of a pointer. `users`: the functions of the user, with all their nodes."""

    def __init__(self, unit: tree.Unit, users: dict[str, list[object]], taken: Iterable[str], word: int):
        self.unit, self.word = unit, word
        self.taken = [name for name in taken if name in users]
        self.aligned: dict[Key, int] = {}
        self.rules: dict[int, Rule] = {}
        nodes = [node for inside in users.values() for node in inside]
        if any(self._may_matter(node) for node in nodes):
            self._settle(list(self._all_flows(users)))
            self.rules = {id(node): rule for node in nodes if (rule := self._rule(node)) is not None}

    def _may_matter(self, node: object) -> bool:
        if isinstance(node, tree.Cast):
            return isinstance(node.operand.type, ct.Pointer) and isinstance(node.type, ct.Int) and node.type.name != "_Bool"
        return isinstance(node, tree.PointerDiff) or (isinstance(node, tree.BinaryExpr) and self._of_pointers(node))

    @staticmethod
    def _of_pointers(node: tree.BinaryExpr) -> bool:
        return node.op in _RELATIONS and isinstance(node.left.type, ct.Pointer)

    # ------------------------------------------------------------ where addresses go

    def _all_flows(self, users: dict[str, list[object]]) -> Iterator[tuple[Key, tree.TypedExpr]]:
        called = {name for inside in users.values() for node in inside for name in _called(node)}
        for name, inside in users.items():
            if name not in called and name not in self.taken:  # main, and what else the run starts with
                self.aligned.update((symbol, 1) for symbol in self.unit.functions[name].params if isinstance(symbol.type, ct.Pointer))
            for node in inside:
                yield from self._flows(node, name)
        for definition in self.unit.globals.values():
            if definition.init is not None:
                yield from self._initial(definition.symbol, definition.init)

    def _flows(self, node: object, function: str) -> Iterator[tuple[Key, tree.TypedExpr]]:
        if isinstance(node, (tree.Assignment, tree.CompoundAssign)):
            yield from ((key, node.value) for key in self._keys(node.target))
        elif isinstance(node, (tree.Declare, tree.CompoundLiteral)) and node.init is not None:
            yield from self._initial(node.symbol, node.init)
        elif isinstance(node, tree.Return) and node.value is not None:
            yield ("result", function), node.value
        elif isinstance(node, tree.Call):
            yield from self._passed(node)

    def _initial(self, symbol: tree.Symbol, init: tree.Initializer) -> Iterator[tuple[Key, tree.TypedExpr]]:
        scalar = ct.is_scalar(symbol.type)
        yield from ((symbol if scalar else _memory_of(item.type), item.value) for item in init.items)

    def _passed(self, call: tree.Call) -> Iterator[tuple[Key, tree.TypedExpr]]:
        """Arguments go to parameters; where other functions may get hold of them, to those of all functions whose address is taken."""
        name = call.callee.name if isinstance(call.callee, tree.FunctionName) else ""
        definition = self.unit.functions.get(name)
        if definition is not None and "library" not in definition.attributes:
            yield from zip(definition.params, call.args)
            return
        if name.startswith(_ATOMIC) and call.args:
            place = call.args[0]
            for argument in call.args[1:]:
                keys = self._keys(place.lvalue) if isinstance(place, tree.AddressOf) else [_memory_of(argument.type)]
                yield from ((key, argument) for key in keys)
            return
        quiet = definition is not None and name.startswith(_CALL_NOBODY)
        for argument in call.args[-1:] if name in _STARTS else call.args:
            yield _memory_of(argument.type), argument
            for other in self.taken if not quiet else ():
                yield from ((symbol, argument) for symbol in self.unit.functions[other].params)

    def _keys(self, lvalue: tree.TypedExpr) -> list[Key]:
        """What an assignment to an lvalue writes. Members keep theirs under their names, wherever the record is."""
        if isinstance(lvalue, tree.VariableExpr):
            return [lvalue.symbol, *([_memory_of(lvalue.type)] if lvalue.symbol.address_taken else [])]
        if isinstance(lvalue, tree.MemberExpr):
            return [(id(lvalue.base.type), lvalue.field.name)]
        return [_memory_of(lvalue.type)]

    def _settle(self, flows: list[tuple[Key, tree.TypedExpr]]) -> None:
        changed = True
        while changed:
            changed = False
            for key, expr in flows:
                value = self.address(expr)
                before = self.aligned.get(key, 0)
                if value and (not before or value < before):
                    self.aligned[key] = value
                    changed = True

    # ------------------------------------------------------------ what an expression holds

    def address(self, expr: tree.TypedExpr) -> int:
        """The alignment of the address that the value may be; 0: it is none."""
        method = _HOLDS.get(type(expr))
        if method is None or not isinstance(expr.type, (ct.Pointer, ct.Int)) or ct.size_of(expr.type) < self.word:
            return 0
        return method(self, expr)

    def _of_type(self, expr: tree.TypedExpr) -> int:
        """Of a pointer to an object: what its type promises, or what a declaration asks for."""
        assert isinstance(expr.type, ct.Pointer)
        lvalue = expr.lvalue if isinstance(expr, tree.AddressOf) else None
        symbol = lvalue.symbol if isinstance(lvalue, tree.VariableExpr) else None
        return max(ct.align_of(expr.type.to), symbol.align if symbol else 1)

    def _known(self, expr: tree.TypedExpr, keys: list[Key]) -> int:
        found = [self.aligned[key] for key in keys if key in self.aligned]
        if not found:
            return 0
        return self._of_type(expr) if isinstance(expr.type, ct.Pointer) else min(found)

    def _variable(self, expr: tree.VariableExpr) -> int:
        return self._known(expr, [expr.symbol, *([_memory_of(expr.type)] if expr.symbol.address_taken else [])])

    def _member(self, expr: tree.MemberExpr) -> int:
        record = expr.base.type
        assert isinstance(record, ct.Record)
        if record.kind == "union" and any(isinstance(member.type, ct.Pointer) for member in record.fields or ()):
            return self._of_type(expr) if isinstance(expr.type, ct.Pointer) else 1
        return self._known(expr, [(id(record), expr.field.name), _memory_of(expr.type)])

    def _memory(self, expr: tree.Deref) -> int:
        if isinstance(expr.type, ct.Int) and _views_pointer(expr.pointer):
            return 1
        return self._known(expr, [_memory_of(expr.type)])

    def _cast(self, expr: tree.Cast) -> int:
        return self.address(expr.operand)

    def _binary(self, expr: tree.BinaryExpr) -> int:
        return self._combined(expr.op, expr.left, expr.right)

    def _combined(self, op: str, left: tree.TypedExpr, right: tree.TypedExpr) -> int:
        a, b = self.address(left), self.address(right)
        if op == "&":
            masks = [side.value for side in (left, right) if isinstance(side, tree.IntConstant)]
            if masks and 0 <= masks[0] < max(a, b):
                return 0
        if op == "-" and b:
            return 0
        return min(a or _HIGHEST, b or _HIGHEST) if (a or b) and op in "+-&|^" else 0

    def _update(self, expr: tree.CompoundAssign) -> int:
        return max(self.address(expr.target), self._combined(expr.op, expr.target, expr.value))

    def _conditional(self, expr: tree.Conditional) -> int:
        a, b = self.address(expr.then), self.address(expr.other)
        return min(a or b, b or a)

    def _call(self, expr: tree.Call) -> int:
        name = expr.callee.name if isinstance(expr.callee, tree.FunctionName) else ""
        definition = self.unit.functions.get(name)
        if definition is not None and "library" not in definition.attributes:
            return self._known(expr, [("result", name)])
        if isinstance(expr.type, ct.Pointer):
            return self._of_type(expr)
        if name.startswith(_ATOMIC) and expr.args:
            place = expr.args[0]
            return self._known(expr, [_memory_of(expr.type), *(self._keys(place.lvalue) if isinstance(place, tree.AddressOf) else [])])
        return self._known(expr, [("result", other) for other in self.taken]) if not name else 0

    # ------------------------------------------------------------ uses

    def _rule(self, node: object) -> Rule | None:
        if isinstance(node, tree.BinaryExpr):
            return self._of_operator(node.op, node.left, node.right)
        if isinstance(node, tree.CompoundAssign):
            if isinstance(node.compute, ct.Pointer):
                return Rule((1,)) if self.address(node.value) else None
            return self._of_operator(node.op, node.target, node.value)
        if isinstance(node, tree.PointerDiff):
            return Rule((0, 1), same=True)
        if isinstance(node, tree.PointerAdd):
            return Rule((1,)) if self.address(node.index) else None
        if isinstance(node, tree.Cast) and isinstance(node.type, (ct.Int, ct.Float)) and node.type != self.unit.types.bool:
            narrow = isinstance(node.type, ct.Float) or ct.size_of(node.type) < self.word
            return Rule((0,)) if narrow and self.address(node.operand) else None
        return Rule((0,)) if isinstance(node, tree.UnaryExpr) and node.op == "-" and self.address(node.operand) else None

    def _of_operator(self, op: str, left: tree.TypedExpr, right: tree.TypedExpr) -> Rule | None:
        a, b = self.address(left), self.address(right)
        if not (a or b) or op in ("==", "!=", "^"):
            return None
        values = [side.value if isinstance(side, tree.IntConstant) else None for side in (left, right)]
        small = next((value for value in values if value is not None), None)
        if op in _RELATIONS:
            return None if small is not None and 0 <= small < _UNMAPPED else Rule((0, 1), same=True)
        if op == "-":
            return Rule((0, 1), same=True) if a and b else Rule((1,)) if b else None
        if op == "+":
            return Rule((0, 1), both=True) if a and b else None
        if op in "&|" and small is not None and self._low(small, max(a, b), op):
            return None
        if op == "%" and small is not None and 0 < small <= a and not small & (small - 1):
            return None
        return Rule(tuple(k for k, value in enumerate((a, b)) if value))

    def _low(self, mask: int, align: int, op: str) -> bool:
        """The mask only looks at, or changes, bits below the alignment."""
        mask -= (mask >> (8 * self.word - 1)) << (8 * self.word)
        return 0 <= mask < align or (op == "&" and -align <= mask < 0)


def misplaced(rule: Rule, operands: tuple[Expr, ...], offset_bits: int) -> Expr:
    """When the use is not harmless."""
    objects = [make("extract", value.width - offset_bits, (value,), offset_bits) for value in operands]
    if rule.same:
        return negate(eq(objects[0], objects[1]))
    found = [nonzero(objects[k]) for k in rule.operands]
    return conj(found[0], found[1]) if rule.both else disj(found[0], found[-1])


def _memory_of(ctype: ct.CType) -> Key:
    return _MEMORY[isinstance(ctype, ct.Pointer)]


def _views_pointer(expr: tree.TypedExpr) -> bool:
    """A pointer to pointers becomes one to integers."""
    before = expr.operand.type if isinstance(expr, tree.Cast) else None
    return isinstance(before, ct.Pointer) and isinstance(before.to, ct.Pointer)


def _called(node: object) -> list[str]:
    return [node.callee.name] if isinstance(node, tree.Call) and isinstance(node.callee, tree.FunctionName) else []


_HOLDS: dict[type, Callable[..., int]] = {
    tree.VariableExpr: Numbers._variable,
    tree.MemberExpr: Numbers._member,
    tree.Deref: Numbers._memory,
    tree.AddressOf: Numbers._of_type,
    tree.PointerAdd: Numbers._of_type,
    tree.Cast: Numbers._cast,
    tree.BinaryExpr: Numbers._binary,
    tree.CompoundAssign: Numbers._update,
    tree.Conditional: Numbers._conditional,
    tree.Call: Numbers._call,
    tree.Assignment: lambda self, expr: self.address(expr.value),
    tree.Comma: lambda self, expr: self.address(expr.right),
    tree.StatementExpr: lambda self, expr: self.address(expr.value) if expr.value is not None else 0,
    tree.UnaryExpr: lambda self, expr: self.address(expr.operand) if expr.op == "~" else 0,
}
