"""Which expressions may initialise an object with static storage: numbers, and addresses plus numbers (C99 6.6)."""

from __future__ import annotations

from collections.abc import Mapping

from fsoft.frontend import tree
from fsoft.frontend.sema.constants import evaluate
from fsoft.frontend.types import Float, Int, Pointer


def static_value(expr: tree.TypedExpr, const_values: Mapping[tree.Symbol, int]) -> tree.TypedExpr | None:
    """The folded form of a constant initialiser; None if it is not constant."""
    if isinstance(expr, (tree.IntConstant, tree.FloatConstant)):
        return expr
    value = evaluate(expr)
    if value is not None:
        return _number(expr, value)
    if isinstance(expr, tree.VariableExpr):
        known = const_values.get(expr.symbol)
        return None if known is None else tree.IntConstant(expr.type, expr.loc, known)
    if isinstance(expr, tree.Cast):
        return _cast(expr, const_values)
    if isinstance(expr, tree.PointerDiff):
        return _difference(expr)
    if isinstance(expr, tree.BinaryExpr):
        return _binary(expr, const_values)
    return expr if is_address(expr) else None


def _number(expr: tree.TypedExpr, value: int | float) -> tree.TypedExpr:
    if isinstance(expr.type, Float):
        return tree.FloatConstant(expr.type, expr.loc, float(value), expr.type.name != "long double")
    assert isinstance(value, int)
    return tree.IntConstant(expr.type, expr.loc, value)


def _cast(expr: tree.Cast, const_values: Mapping[tree.Symbol, int]) -> tree.TypedExpr | None:
    inner = static_value(expr.operand, const_values)
    if inner is None:
        return None
    result = inner if inner.type == expr.type else tree.Cast(expr.type, expr.loc, inner)
    value = evaluate(result)
    if value is not None:
        return _number(result, value)
    fits = isinstance(expr.type, Pointer) or (isinstance(expr.type, Int) and expr.type.size >= _pointer_size(inner))
    return result if fits else None


def _pointer_size(expr: tree.TypedExpr) -> int:
    return expr.type.size if isinstance(expr.type, (Pointer, Int)) else 0


def _binary(expr: tree.BinaryExpr, const_values: Mapping[tree.Symbol, int]) -> tree.TypedExpr | None:
    left, right = static_value(expr.left, const_values), static_value(expr.right, const_values)
    if left is None or right is None:
        return None
    result = tree.BinaryExpr(expr.type, expr.loc, expr.op, left, right)
    value = evaluate(result)
    if value is not None:
        return _number(result, value)
    return result if expr.op in ("+", "-") else None


def is_address(expr: tree.TypedExpr) -> bool:
    """An address constant: a fixed object or function, a fixed distance into it."""
    while True:
        if isinstance(expr, tree.Cast) and isinstance(expr.type, Pointer):
            expr = expr.operand
        elif isinstance(expr, tree.PointerAdd):
            if evaluate(expr.index) is None:
                return False
            expr = expr.pointer
        elif isinstance(expr, tree.AddressOf):
            base = expr.lvalue
            while isinstance(base, tree.MemberExpr):
                base = base.base
            if not isinstance(base, tree.Deref):
                return _is_fixed(base)
            expr = base.pointer
        else:
            return isinstance(expr, tree.IntConstant)


def _is_fixed(base: tree.TypedExpr) -> bool:
    if isinstance(base, tree.VariableExpr):
        return base.symbol.storage in ("global", "static")
    return isinstance(base, (tree.StringLiteral, tree.FunctionName))


def _position(expr: tree.TypedExpr) -> tuple[tree.Symbol | None, int] | None:
    """Variable and distance that an address constant stands for."""
    offset = 0
    while True:
        if isinstance(expr, tree.IntConstant):
            return None, offset + expr.value
        if isinstance(expr, tree.Cast):
            expr = expr.operand
        elif isinstance(expr, tree.PointerAdd):
            index = evaluate(expr.index)
            if not isinstance(index, int):
                return None
            offset += expr.sign * index * expr.scale
            expr = expr.pointer
        elif isinstance(expr, tree.AddressOf):
            base = expr.lvalue
            while isinstance(base, tree.MemberExpr):
                offset += base.field.offset
                base = base.base
            if isinstance(base, tree.VariableExpr):
                return base.symbol, offset
            if not isinstance(base, tree.Deref):
                return None
            expr = base.pointer
        else:
            return None


def _difference(expr: tree.PointerDiff) -> tree.TypedExpr | None:
    left, right = _position(expr.left), _position(expr.right)
    if left is None or right is None or left[0] is not right[0] or not expr.scale:
        return None
    return tree.IntConstant(expr.type, expr.loc, (left[1] - right[1]) // expr.scale)
