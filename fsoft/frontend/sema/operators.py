"""Unary and binary operators, assignment, increment: operand conversions, result types and constant folding."""

from __future__ import annotations

from pycparser import c_ast

from fsoft.frontend import tree
from fsoft.frontend.sema.constants import (
    COMPARISONS,
    compare,
    constant_of,
    exact_result,
    float_binary,
    int_binary,
    is_exact,
    truth,
    unary_value,
    wrap,
)  # fmt: skip
from fsoft.frontend.sema.context import AstNode, UnitContext
from fsoft.frontend.sema.conversions import is_arithmetic, is_null_constant
from fsoft.frontend.source import Loc
from fsoft.frontend.types import CType, Float, Int, Pointer, Record, Void, is_scalar, size_of

_INT_ONLY = frozenset(("%", "&", "|", "^", "<<", ">>"))


class Operators:
    def __init__(self, context: UnitContext):
        self.context = context
        self.types = context.types
        self.conversions = context.conversions

    # ------------------------------------------------------------ binary

    def binary(self, node: AstNode) -> tree.TypedExpr:
        """A chain of binary operators; the left spine is walked, not recursed into, for sums can be long."""
        spine = []
        while type(node) is c_ast.BinaryOp:
            spine.append(node)
            node = node.left
        expressions = self.context.expressions
        left = expressions.value(node)
        while spine:
            item = spine.pop()
            op = item.op
            needed = op not in ("&&", "||") or truth(left) is not (op == "||")
            left = self.apply(op, left, expressions.value_if(needed, item.right), self.context.loc(item))
        return left

    def apply(self, op: str, left: tree.TypedExpr, right: tree.TypedExpr, loc: Loc) -> tree.TypedExpr:
        if op in ("&&", "||"):
            return self._logical(op, left, right, loc)
        if isinstance(left.type, (Int, Float)) and isinstance(right.type, (Int, Float)):
            return self._arithmetic(op, left, right, loc)
        if isinstance(left.type, Pointer) or isinstance(right.type, Pointer):
            result = self._pointer(op, left, right, loc)
            if result is not None:
                return result
        for side in (left, right):
            if isinstance(side.type, Void):
                self.context.error(loc, f"void value used as an operand of '{op}'")
        self.context.error(loc, f"invalid operands to '{op}': '{left.type}' and '{right.type}'")

    def _arithmetic(self, op: str, left: tree.TypedExpr, right: tree.TypedExpr, loc: Loc) -> tree.TypedExpr:
        if op in _INT_ONLY and (isinstance(left.type, Float) or isinstance(right.type, Float)):
            self.context.error(loc, f"invalid operands to '{op}': '{left.type}' and '{right.type}'")
        common: CType
        if op in ("<<", ">>"):
            left, right = self.conversions.promote(left), self.conversions.promote(right)
            common = left.type
        else:
            left, right, common = self.conversions.arithmetic(left, right)
        a, b = constant_of(left), constant_of(right)
        if a is not None and b is not None and is_exact(left) and is_exact(right):
            folded = self._fold(op, common, a, b, loc)
            if folded is not None:
                return folded
        return tree.BinaryExpr(self.types.int if op in COMPARISONS else common, loc, op, left, right)

    def _fold(self, op: str, ctype: CType, left: int | float, right: int | float, loc: Loc) -> tree.TypedExpr | None:
        if op in COMPARISONS:
            return tree.IntConstant(self.types.int, loc, compare(op, left, right))
        if isinstance(ctype, Float):
            value = float_binary(op, ctype, float(left), float(right))
            wide = ctype is self.types.ldouble and not exact_result(op, float(left), float(right), value)
            return None if wide else tree.FloatConstant(ctype, loc, value)
        assert isinstance(ctype, Int) and isinstance(left, int) and isinstance(right, int)
        result = int_binary(op, ctype, left, right)
        return tree.IntConstant(ctype, loc, result[0]) if result is not None and result[1] else None

    def _logical(self, op: str, left: tree.TypedExpr, right: tree.TypedExpr, loc: Loc) -> tree.TypedExpr:
        for side in (left, right):
            if not is_scalar(side.type):
                self.context.error(loc, f"operand of '{op}' has type '{side.type}', a scalar is required")
        known = truth(left)
        if known is not None:
            if known == (op == "||"):
                return tree.IntConstant(self.types.int, loc, int(known))
            after = truth(right)
            if after is not None:
                return tree.IntConstant(self.types.int, loc, int(after))
        return tree.Logical(self.types.int, loc, op, left, right)

    # ------------------------------------------------------------ pointers

    def _pointer(self, op: str, left: tree.TypedExpr, right: tree.TypedExpr, loc: Loc) -> tree.TypedExpr | None:
        if op in COMPARISONS:
            return self._compare_pointers(op, left, right, loc)
        if op == "+" and isinstance(left.type, Int):
            left, right = right, left
        if op in ("+", "-") and isinstance(right.type, Int):
            return self.pointer_add(left, right, 1 if op == "+" else -1, loc)
        if op == "-" and isinstance(left.type, Pointer) and isinstance(right.type, Pointer):
            size = self.context.arrays.size(left.type.to, loc)
            if size is not None:
                apart = tree.PointerDiff(self.types.ptrdiff_t, loc, left, self.conversions.convert(right, left.type, loc), 1)
                return self.apply("/", apart, self._signed(size), loc)
            scale = self.pointee_size(left.type, loc)
            if isinstance(left, tree.IntConstant) and isinstance(right, tree.IntConstant) and scale:
                distance = wrap(left.value - right.value, self.types.ptrdiff_t)
                return tree.IntConstant(self.types.ptrdiff_t, loc, distance // scale)
            return tree.PointerDiff(self.types.ptrdiff_t, loc, left, self.conversions.convert(right, left.type, loc), scale)
        return None

    def _compare_pointers(self, op: str, left: tree.TypedExpr, right: tree.TypedExpr, loc: Loc) -> tree.TypedExpr | None:
        if not (isinstance(left.type, (Pointer, Int)) and isinstance(right.type, (Pointer, Int))):
            return None
        if isinstance(left.type, Int) or (isinstance(right.type, Pointer) and is_null_constant(left)):
            left = self.conversions.convert(left, right.type, loc)
        else:
            right = self.conversions.convert(right, left.type, loc)
        if isinstance(left, tree.IntConstant) and isinstance(right, tree.IntConstant):
            return tree.IntConstant(self.types.int, loc, compare(op, left.value, right.value))
        if op in ("==", "!=") and (is_zero(left) or is_zero(right)):
            known = truth(right if is_zero(left) else left)
            if known is not None:
                return tree.IntConstant(self.types.int, loc, int(known == (op == "!=")))
        return tree.BinaryExpr(self.types.int, loc, op, left, right)

    def pointee_size(self, ctype: Pointer, loc: Loc) -> int:
        if self.context.arrays.size(ctype.to, loc) is not None:
            self.context.unsupported(loc, f"stepping a pointer to '{ctype.to}', an array of variable length; write p = p + 1")
        self.context.expressions.require_complete(ctype.to, loc, "arithmetic on a pointer to")
        return size_of(ctype.to)

    def _signed(self, size: tree.TypedExpr) -> tree.TypedExpr:
        return self.conversions.convert(size, self.types.ptrdiff_t, size.loc)

    def pointer_add(self, pointer: tree.TypedExpr, index: tree.TypedExpr, sign: int, loc: Loc) -> tree.TypedExpr:
        assert isinstance(pointer.type, Pointer)
        size = self.context.arrays.size(pointer.type.to, loc)
        if size is not None:
            distance = self.apply("*", self.conversions.convert(index, self.types.ptrdiff_t, loc), self._signed(size), loc)
            return tree.PointerAdd(pointer.type, loc, pointer, distance, sign, 1)
        scale = self.pointee_size(pointer.type, loc)
        index = self.conversions.promote(index)
        if isinstance(index, tree.IntConstant):
            if index.value == 0:
                return pointer
            if isinstance(pointer, tree.IntConstant):
                return tree.IntConstant(pointer.type, loc, wrap(pointer.value + sign * index.value * scale, pointer.type))
        return tree.PointerAdd(pointer.type, loc, pointer, index, sign, scale)

    # ------------------------------------------------------------ unary

    def unary(self, node: AstNode) -> tree.TypedExpr:
        op, loc, expressions = node.op, self.context.loc(node), self.context.expressions
        if op == "sizeof":
            return expressions.size(node.expr, loc)
        if op in ("_Alignof", "__alignof__"):
            return expressions.alignment(node.expr, loc, least=op == "_Alignof")
        if op == "&":
            return expressions.address_of(expressions.any(node.expr), loc)
        if op == "*":
            return expressions.deref(expressions.value(node.expr), loc)
        if op in ("++", "--", "p++", "p--"):
            return self._increment(op, expressions.any(node.expr), loc)
        return self._prefix(op, expressions.value(node.expr), loc)

    def _prefix(self, op: str, operand: tree.TypedExpr, loc: Loc) -> tree.TypedExpr:
        if op == "!":
            if not is_scalar(operand.type):
                self.context.error(loc, f"operand of '!' has type '{operand.type}', a scalar is required")
            known = truth(operand)
            if known is not None:
                return tree.IntConstant(self.types.int, loc, int(not known))
            return tree.UnaryExpr(self.types.int, loc, "!", operand)
        if not is_arithmetic(operand.type) or (op == "~" and isinstance(operand.type, Float)):
            self.context.error(loc, f"invalid operand to unary '{op}': '{operand.type}'")
        operand = self.conversions.promote(operand)
        if op == "+":
            return tree.Cast(operand.type, loc, operand) if self.context.expressions.is_lvalue(operand) else operand
        value = constant_of(operand)
        if value is not None:
            result = unary_value(op, operand.type, value)
            overflow = op == "-" and isinstance(operand.type, Int) and operand.type.signed and value != 0 and result == value
            if result is not None and not overflow:
                return self.conversions.number(operand.type, loc, result)
        return tree.UnaryExpr(operand.type, loc, op, operand)

    # ------------------------------------------------------------ assignment

    def _target(self, target: tree.TypedExpr, loc: Loc) -> tree.TypedExpr:
        if not self.context.expressions.is_lvalue(target) or isinstance(target, tree.StringLiteral):
            self.context.error(loc, "assignment to something that is not an lvalue")
        if not is_scalar(target.type) and not isinstance(target.type, Record):
            self.context.error(loc, f"assignment to an expression of type '{target.type}'")
        self.context.expressions.require_complete(target.type, loc, "assignment to")
        return target

    def assignment(self, node: AstNode) -> tree.TypedExpr:
        loc, expressions = self.context.loc(node), self.context.expressions
        target = self._target(expressions.any(node.lvalue), loc)
        value = expressions.value(node.rvalue)
        if node.op == "=":
            value = self.conversions.assign(value, target.type, loc, f"assigning to type '{target.type}'")
            return tree.Assignment(target.type, loc, target, value)
        return self._compound(node.op[:-1], target, value, loc)

    def _compound(self, op: str, target: tree.TypedExpr, value: tree.TypedExpr, loc: Loc) -> tree.TypedExpr:
        if isinstance(target.type, Pointer) and op in ("+", "-") and isinstance(value.type, Int):
            scale = self.pointee_size(target.type, loc)
            value = self.conversions.promote(value)
            return tree.CompoundAssign(target.type, loc, op, target, value, target.type, scale)
        if not is_arithmetic(target.type) or not is_arithmetic(value.type):
            self.context.error(loc, f"invalid operands to '{op}=': '{target.type}' and '{value.type}'")
        if op in _INT_ONLY and (isinstance(target.type, Float) or isinstance(value.type, Float)):
            self.context.error(loc, f"invalid operands to '{op}=': '{target.type}' and '{value.type}'")
        promoted, value = self.conversions.promote(target), self.conversions.promote(value)
        if op in ("<<", ">>"):
            return tree.CompoundAssign(target.type, loc, op, target, value, promoted.type)
        compute = self.conversions.common(promoted.type, value.type)
        return tree.CompoundAssign(target.type, loc, op, target, self.conversions.convert(value, compute, loc), compute)

    def _increment(self, op: str, target: tree.TypedExpr, loc: Loc) -> tree.TypedExpr:
        target = self._target(target, loc)
        if not is_scalar(target.type):
            self.context.error(loc, f"'{op[-2:]}' on a value of type '{target.type}'")
        one = tree.IntConstant(self.types.int, loc, 1)
        step = self._compound(op[-1], target, one, loc)
        if not op.startswith("p"):
            return step
        assert isinstance(step, tree.CompoundAssign)
        return tree.CompoundAssign(step.type, loc, step.op, target, step.value, step.compute, step.scale, True)


def is_zero(expr: tree.TypedExpr) -> bool:
    return isinstance(expr, tree.IntConstant) and expr.value == 0
