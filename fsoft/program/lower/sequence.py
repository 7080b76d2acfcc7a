"""Expressions that change an object twice, or change and use it, with no sequence point between (C11 6.5p2): C gives them no meaning.

`unsequenced` finds them in the text. Two accesses are to one object if the same lvalue is written: a variable, its members, or elements and
pointees that are reached by the same expression; what differs in the text is not compared. An access under `&&`, `||` or `?:` happens
in some runs only, so the finding is put where it does: at the assignment that takes part, a conditional one if there is one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import get_args

from fsoft.frontend import tree
from fsoft.frontend import types as ct

EXPRESSIONS = get_args(tree.TypedExpr)
_WRITES = (tree.Assignment, tree.CompoundAssign)

SequenceKey = tuple[object, ...]
"""What an lvalue leads to: a variable or `*` with its pointer, then the names of members."""


@dataclass(frozen=True, slots=True)
class _Access:
    key: SequenceKey
    node: tree.TypedExpr
    maybe: bool

    def meets(self, other: _Access) -> bool:
        shorter = min(len(self.key), len(other.key))
        return self.key[:shorter] == other.key[:shorter]


@dataclass(slots=True)
class _Uses:
    """What the evaluation of an expression reads; writes that may come later than its value (`pending`), and those before it (`done`)."""

    reads: list[_Access] = field(default_factory=list)
    pending: list[_Access] = field(default_factory=list)
    done: list[_Access] = field(default_factory=list)

    def add(self, other: _Uses) -> None:
        self.reads += other.reads
        self.pending += other.pending
        self.done += other.done

    def settle(self) -> None:
        """A sequence point."""
        self.done += self.pending
        self.pending = []


def unsequenced(roots: Iterable[tree.TypedExpr]) -> dict[int, str]:
    """By identity of an assignment: the name of what it changes while something else in its full expression uses it. `roots` are full
    expressions."""
    found: dict[int, str] = {}
    for root in roots:
        if _changes_within(root):
            _Expression(found).uses(root, False)
    return found


def _changes_within(root: tree.TypedExpr) -> bool:
    """There is an assignment beside or below another part of the expression that could meet it."""
    inner = [root.target, root.value] if isinstance(root, _WRITES) else [root]
    stack: list[object] = list(inner)
    while stack:
        node = stack.pop()
        if isinstance(node, _WRITES):
            return True
        stack += _children(node)
    return False


def _children(node: object) -> list[object]:
    if isinstance(node, tuple):
        return list(node)
    if node is None or isinstance(node, (int, str, float, bytes, ct.Field, tree.Symbol)) or not hasattr(node, "__slots__"):
        return []
    return [getattr(node, name) for name in node.__slots__ if name not in ("type", "loc", "symbol", "field", "compute", "end", "bitfield")]


def _key(expr: tree.TypedExpr) -> SequenceKey | None:
    """Equal for lvalues that are written alike; None for what is no lvalue, or may be another one each time."""
    members: list[str] = []
    while isinstance(expr, tree.MemberExpr):
        members.append(expr.field.name or f"@{expr.field.offset}")
        expr = expr.base
    if isinstance(expr, tree.VariableExpr):
        return (expr.symbol, *reversed(members))
    if isinstance(expr, tree.Deref):
        pointer = _pure(expr.pointer)
        return None if pointer is None else ("*", pointer, *reversed(members))
    return None


def _pure(expr: tree.TypedExpr) -> SequenceKey | None:
    """Equal for expressions that are written alike and only read."""
    if isinstance(expr, tree.IntConstant):
        return ("constant", expr.value)
    if isinstance(expr, tree.Cast):
        return _pure(expr.operand)
    if isinstance(expr, tree.AddressOf):
        inner = _key(expr.lvalue)
        return None if inner is None else ("&", *inner)
    if isinstance(expr, tree.PointerAdd):
        pointer, index = _pure(expr.pointer), _pure(expr.index)
        return None if pointer is None or index is None else ("+", pointer, index, expr.sign * expr.scale)
    return _key(expr)


class _Expression:
    """One full expression; `found` grows."""

    def __init__(self, found: dict[int, str]):
        self.found = found

    def uses(self, expr: tree.TypedExpr, maybe: bool) -> _Uses:
        """Of the expression as a value. `maybe`: it is not evaluated in every run of the full expression."""
        if isinstance(expr, (tree.VariableExpr, tree.Deref, tree.MemberExpr)):
            return self._read(expr, maybe)
        if isinstance(expr, _WRITES):
            return self._write(expr, maybe)
        if isinstance(expr, tree.AddressOf):
            return self._place(expr.lvalue, maybe)
        if isinstance(expr, (tree.Logical, tree.Comma, tree.Conditional)):
            return self._in_sequence(expr, maybe)
        if isinstance(expr, tree.Call):
            out = self._beside([expr.callee, *expr.args], maybe)
            out.settle()
            return out
        if isinstance(expr, (tree.StatementExpr, tree.CompoundLiteral)):
            return self._inside(expr)
        return self._beside([child for child in _children(expr) if isinstance(child, EXPRESSIONS)], maybe)

    def _read(self, expr: tree.TypedExpr, maybe: bool) -> _Uses:
        out = self._place(expr, maybe)
        key = _key(expr)
        if key is not None:
            out.reads.append(_Access(key, expr, maybe))
        return out

    def _place(self, expr: tree.TypedExpr, maybe: bool) -> _Uses:
        """What it takes to find an lvalue, without reading it."""
        while isinstance(expr, tree.MemberExpr):
            expr = expr.base
        if isinstance(expr, tree.Deref):
            return self.uses(expr.pointer, maybe)
        return _Uses() if isinstance(expr, (tree.VariableExpr, tree.FunctionName, tree.StringLiteral)) else self.uses(expr, maybe)

    def _write(self, expr: tree.Assignment | tree.CompoundAssign, maybe: bool) -> _Uses:
        read = isinstance(expr, tree.CompoundAssign)
        target = self._read(expr.target, maybe) if read else self._place(expr.target, maybe)
        out = self._joined([target, self.uses(expr.value, maybe)])
        key = _key(expr.target)
        if key is not None:
            own = _Access(key, expr, maybe)
            self._compare([own], out.pending)
            out.pending.append(own)
        return out

    def _in_sequence(self, expr: tree.Logical | tree.Comma | tree.Conditional, maybe: bool) -> _Uses:
        if isinstance(expr, tree.Conditional):
            out, rest = self.uses(expr.condition, maybe), [self.uses(expr.then, True), self.uses(expr.other, True)]
        else:
            out, rest = self.uses(expr.left, maybe), [self.uses(expr.right, maybe or isinstance(expr, tree.Logical))]
        out.settle()
        for part in rest:
            out.add(part)
        return out

    def _inside(self, expr: tree.StatementExpr | tree.CompoundLiteral) -> _Uses:
        """Statements have sequence points of their own; seen from outside all happens before the value."""
        out = _Uses()
        stack: list[object] = [expr.body, expr.value] if isinstance(expr, tree.StatementExpr) else [expr.init]
        while stack:
            node = stack.pop()
            if isinstance(node, (tree.VariableExpr, tree.Deref, tree.MemberExpr)) and (key := _key(node)) is not None:
                out.reads.append(_Access(key, node, True))
            if isinstance(node, _WRITES) and (key := _key(node.target)) is not None:
                out.done.append(_Access(key, node, True))
            stack += _children(node)
        return out

    def _beside(self, parts: list[tree.TypedExpr], maybe: bool) -> _Uses:
        return self._joined([self.uses(part, maybe) for part in parts])

    def _joined(self, parts: list[_Uses]) -> _Uses:
        """Operands, which nothing puts in order."""
        out = _Uses()
        for part in parts:
            self._compare(part.pending + part.done, out.pending + out.done + out.reads)
            self._compare(out.pending + out.done, part.reads)
            out.add(part)
        return out

    def _compare(self, writes: list[_Access], others: list[_Access]) -> None:
        for write in writes:
            for other in others:
                if write.meets(other):
                    at = other if other.maybe and not write.maybe and isinstance(other.node, _WRITES) else write
                    self.found.setdefault(id(at.node), _name(write.key))


def _name(key: SequenceKey) -> str:
    """What a message calls it."""
    head = key[0]
    base = head.name if isinstance(head, tree.Symbol) else "what a pointer points to"
    return base if head == "*" else ".".join([base, *(str(part) for part in key[1:] if not str(part).startswith("@"))])
