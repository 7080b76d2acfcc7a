"""Arithmetic on constants exactly as the machine would do it, and the values of constant expressions.

Folding leaves alone what C does not define (overflow, division by zero, wild shifts), so that a check can still see it at run time;
`evaluate` is for places where a constant is required, and there the value wraps as gcc's does.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

from fsoft.frontend import tree
from fsoft.frontend.sema.literals import exact_to_single, to_single
from fsoft.frontend.types import CType, Float, Int, Pointer

Number = int | float

_COMPARE: dict[str, Callable[[Number, Number], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
COMPARISONS = frozenset(_COMPARE)


def wrap(value: int, ctype: Int | Pointer) -> int:
    """The value of the type that is congruent to `value` (for `_Bool`: whether it is not zero)."""
    if isinstance(ctype, Pointer):
        return value & ((1 << 8 * ctype.size) - 1)
    if ctype.name == "_Bool":
        return int(value != 0)
    bits = ctype.bits
    value &= (1 << bits) - 1
    if ctype.signed and value >> (bits - 1):
        value -= 1 << bits
    return value


def compare(op: str, left: Number, right: Number) -> int:
    return int(_COMPARE[op](left, right))


def int_binary(op: str, ctype: Int, left: int, right: int) -> tuple[int, bool] | None:
    """The wrapped result of an operation in `ctype` and whether C defines it; None if there is no result at all."""
    if op in ("/", "%"):
        if right == 0:
            return None
        quotient = abs(left) // abs(right)
        quotient = quotient if (left < 0) == (right < 0) else -quotient
        exact = quotient if op == "/" else left - quotient * right
        defined = not ctype.signed or wrap(quotient, ctype) == quotient
        return wrap(exact, ctype), defined
    if op in ("<<", ">>"):
        if not 0 <= right < ctype.bits:
            return None
        exact = left << right if op == "<<" else left >> right
        return wrap(exact, ctype), not ctype.signed or op == ">>" or (left >= 0 and wrap(exact, ctype) == exact)
    exact = _INT_OPS[op](left, right)
    result = wrap(exact, ctype)
    return result, not ctype.signed or result == exact


_INT_OPS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "&": operator.and_, "|": operator.or_, "^": operator.xor,
}  # fmt: skip


def float_binary(op: str, ctype: Float, left: float, right: float) -> float:
    if op == "+":
        result = left + right
    elif op == "-":
        result = left - right
    elif op == "*":
        result = left * right
    elif right != 0:
        result = left / right
    elif left == 0 or math.isnan(left) or math.isnan(right):
        result = math.nan
    else:
        result = math.copysign(math.inf, math.copysign(1.0, left) * math.copysign(1.0, right))
    return round_float(result, ctype)


def exact_result(op: str, left: float, right: float, result: float) -> bool:
    """Nothing was rounded in `left op right`."""
    if not (math.isfinite(left) and math.isfinite(right) and math.isfinite(result)):
        return math.isinf(left) or math.isinf(right) or math.isnan(left) or math.isnan(right)
    from fractions import Fraction  # rarely needed, and slow to import

    a, b, c = Fraction(left), Fraction(right), Fraction(result)
    return c * b == a if op == "/" else c == (a + b if op == "+" else a - b if op == "-" else a * b)


def is_exact(expr: tree.TypedExpr) -> bool:
    """No constant of type `long double` that was rounded."""
    return not isinstance(expr, tree.FloatConstant) or expr.exact


def round_float(value: Number, ctype: Float) -> float:
    """The value of the floating type nearest to `value`."""
    if isinstance(value, int):
        if ctype.bits == 32:
            return exact_to_single(value) if abs(value) >> 24 else float(value)
        try:
            return float(value)
        except OverflowError:
            return math.copysign(math.inf, value)
    return to_single(value) if ctype.bits == 32 else value


def convert_value(value: Number, ctype: CType) -> tuple[Number, bool] | None:
    """`value` converted to a scalar type and whether C defines that."""
    if isinstance(ctype, Float):
        return round_float(value, ctype), True
    if not isinstance(ctype, (Int, Pointer)):
        return None
    if isinstance(value, int):
        return wrap(value, ctype), True
    if isinstance(ctype, Int) and ctype.name == "_Bool":
        return int(value != 0), True
    if math.isnan(value) or math.isinf(value):
        return None
    exact = int(value)
    result = wrap(exact, ctype)
    return result, result == exact


def constant_of(expr: tree.TypedExpr) -> Number | None:
    """The value of a folded constant."""
    if isinstance(expr, (tree.IntConstant, tree.FloatConstant)):
        return expr.value
    return None


def truth(expr: tree.TypedExpr) -> bool | None:
    """Whether a condition is known to hold or to fail; addresses of objects and functions are not null."""
    if isinstance(expr, (tree.IntConstant, tree.FloatConstant)):
        return expr.value != 0
    if isinstance(expr, tree.AddressOf):
        base = expr.lvalue
        while isinstance(base, tree.MemberExpr):
            base = base.base
        if isinstance(base, (tree.VariableExpr, tree.FunctionName, tree.StringLiteral, tree.CompoundLiteral)):
            return True
    return None


def evaluate(expr: tree.TypedExpr) -> Number | None:
    """The value of a constant expression; overflow wraps. None if it is not constant."""
    if isinstance(expr, (tree.IntConstant, tree.FloatConstant)):
        return expr.value
    if isinstance(expr, tree.Cast):
        inner = evaluate(expr.operand)
        converted = None if inner is None else convert_value(inner, expr.type)
        return None if converted is None else converted[0]
    if isinstance(expr, tree.UnaryExpr):
        inner = evaluate(expr.operand)
        return None if inner is None else unary_value(expr.op, expr.type, inner)
    if isinstance(expr, tree.BinaryExpr):
        return _evaluate_binary(expr)
    if isinstance(expr, tree.Logical):
        return _evaluate_logical(expr)
    if isinstance(expr, tree.Conditional):
        condition = evaluate(expr.condition)
        return None if condition is None else evaluate(expr.then if condition else expr.other)
    return None


def unary_value(op: str, ctype: CType, value: Number) -> Number | None:
    if op == "!":
        return int(not value)
    if isinstance(ctype, Float):
        return -float(value) if op == "-" else None
    if isinstance(ctype, Int) and isinstance(value, int):
        return wrap(-value if op == "-" else ~value, ctype)
    return None


def _evaluate_binary(expr: tree.BinaryExpr) -> Number | None:
    left, right = evaluate(expr.left), evaluate(expr.right)
    if left is None or right is None:
        return None
    if expr.op in COMPARISONS:
        return compare(expr.op, left, right)
    if isinstance(expr.type, Float):
        return float_binary(expr.op, expr.type, float(left), float(right))
    if isinstance(expr.type, Int) and isinstance(left, int) and isinstance(right, int):
        result = int_binary(expr.op, expr.type, left, right)
        return None if result is None else result[0]
    return None


def _evaluate_logical(expr: tree.Logical) -> Number | None:
    left = evaluate(expr.left)
    if left is None:
        return None
    if bool(left) == (expr.op == "||"):
        return int(bool(left))
    right = evaluate(expr.right)
    return None if right is None else int(bool(right))
