"""Arrays whose length is computed when the program runs (C11 6.7.6.2).

`Array.length` is the expression of the length. A declaration evaluates it once, into a variable; in the name of a type it is evaluated
where the type is used. Such an array is a pointer to memory that is taken where it is declared and given back at the end of its block.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fsoft.frontend import tree
from fsoft.frontend.sema.scope import ObjectName
from fsoft.frontend.source import Loc
from fsoft.frontend.types import VOID, Array, CType, Function, Pointer, size_of

if TYPE_CHECKING:
    from fsoft.frontend.sema.context import UnitContext


class VariableArrays:
    def __init__(self, context: UnitContext):
        self.context = context
        self._settled: set[tree.Symbol] = set()

    def size(self, ctype: CType, loc: Loc) -> tree.TypedExpr | None:
        """The size of a type in bytes; None if it is a constant."""
        if not isinstance(ctype, Array):
            return None
        each = self.size(ctype.element, loc)
        if ctype.length is None and each is None:
            return None
        size_t = self.context.types.size_t
        each = each or tree.IntConstant(size_t, loc, size_of(ctype.element))
        count = ctype.length if ctype.length is not None else tree.IntConstant(size_t, loc, ctype.count or 0)
        return self.context.operators.apply("*", count, each, loc)

    def settled(self, ctype: CType, loc: Loc) -> tuple[CType, list[tree.Statement]]:
        """The type with its lengths in variables, and the statements that compute them."""
        if isinstance(ctype, Pointer):
            to, before = self.settled(ctype.to, loc)
            return (replace(ctype, to=to), before) if before else (ctype, [])
        if not isinstance(ctype, Array):
            return ctype, []
        element, before = self.settled(ctype.element, loc)
        length = ctype.length
        if length is not None and not (isinstance(length, tree.VariableExpr) and length.symbol in self._settled):
            size_t = self.context.types.size_t
            symbol = self.context.temporary("<length>", size_t, loc)
            self._settled.add(symbol)
            before = [*before, tree.Declare(loc, symbol, _single(length))]
            length = tree.VariableExpr(size_t, loc, symbol)
        return Array(element, ctype.count, ctype.atomic, length), before

    def declare(self, name: str, ctype: Array, loc: Loc) -> tuple[ObjectName, tree.Statement]:
        """A variable of such a type: its name, and the statement that takes its memory."""
        context, types = self.context, self.context.types
        pointer = context.expressions.pointer_to(ctype.element, ctype.atomic)
        symbol = tree.Symbol(name, context.unique_name(name), pointer, "local", loc)
        total = self.size(ctype, loc)
        assert total is not None
        take = Function(types.void_ptr, (types.size_t,))
        memory: tree.TypedExpr = tree.Call(types.void_ptr, loc, tree.FunctionName(take, loc, "__fsoft_local_array"), (total,))
        scalar = ctype.element
        while isinstance(scalar, Array):
            scalar = scalar.element
        for target in dict.fromkeys((types.pointer(scalar), pointer)):  # the first says what the cells are
            memory = tree.Cast(target, loc, memory)
        give = Function(VOID, (types.void_ptr,))
        release = tree.Call(VOID, loc, tree.FunctionName(give, loc, "__fsoft_free"), (tree.VariableExpr(pointer, loc, symbol),))
        return ObjectName(symbol, ctype, loc), tree.Declare(loc, symbol, _single(memory), release)


def _single(value: tree.TypedExpr) -> tree.Initializer:
    return tree.Initializer((tree.InitItem(0, value.type, value),), False)


__all__ = ["VariableArrays"]
