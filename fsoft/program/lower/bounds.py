"""Bounds of arrays within objects, as gcc's `-fsanitize=bounds` takes them.

`array[index]` must stay in the array, be it a member of a struct or a row of a matrix. Not asked: arrays that are whole objects (an
access stays in its object), arrays without a size, and the last member of what a pointer leads to, which may stand for more elements than
it says (`struct { int n; int data[1]; } *p`).
"""

from __future__ import annotations

from fsoft.frontend import tree
from fsoft.frontend import types as ct


def array_bound(pointer: tree.TypedExpr) -> int | None:
    """The number of elements of the array that `*pointer` indexes, where the index has to be below it."""
    if not isinstance(pointer, tree.PointerAdd) or not isinstance(pointer.pointer, tree.AddressOf):
        return None
    array = pointer.pointer.lvalue
    if not isinstance(array, (tree.MemberExpr, tree.Deref)) or not isinstance(array.type, ct.Array) or not array.type.count:
        return None
    if not isinstance(pointer.type, ct.Pointer) or pointer.type.to != array.type.element:
        return None
    return None if _trailing(array) and not _declared(array) else array.type.count


def _trailing(array: tree.TypedExpr) -> bool:
    """It is a member, the last one of its struct, which is the last one of its own, and so on."""
    if not isinstance(array, tree.MemberExpr):
        return False
    while isinstance(array, tree.MemberExpr):
        record = array.base.type
        assert isinstance(record, ct.Record) and record.fields is not None
        if record.kind == "struct" and array.field is not record.fields[-1] and array.field != record.fields[-1]:
            return False
        array = array.base
    return True


def _declared(expr: tree.TypedExpr) -> bool:
    """It lies in a variable, not where a pointer leads to."""
    while isinstance(expr, (tree.MemberExpr, tree.Deref)):
        if isinstance(expr, tree.MemberExpr):
            expr = expr.base
            continue
        pointer = expr.pointer.pointer if isinstance(expr.pointer, tree.PointerAdd) else expr.pointer
        if not isinstance(pointer, tree.AddressOf):
            return False
        expr = pointer.lvalue
    return True


__all__ = ["array_bound"]
