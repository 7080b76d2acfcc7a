"""`va_start`, `va_arg`, `va_copy` and `va_end`: calls of the builtin with the address of each list.

`va_list` is an array of one struct on LP64, so a list is a pointer already, as an argument and as a variable; on ILP32 it is a pointer to
characters, of which the address is taken here.
"""

from __future__ import annotations

from fsoft.frontend import tree
from fsoft.frontend.sema.context import AstNode, UnitContext
from fsoft.frontend.source import Loc
from fsoft.frontend.types import VOID, CType, Function, Pointer, Record, is_complete

_LISTS = {"__builtin_va_start": 1, "__builtin_c23_va_start": 1, "__builtin_va_end": 1, "__builtin_va_arg": 1, "__builtin_va_copy": 2}
"""How many of the first arguments are lists."""


class VariableArgumentAnalyzer:
    """`call` gives the typed call of one of these builtins, or None."""

    def __init__(self, context: UnitContext):
        self.context = context

    def call(self, name: str, args: list[AstNode], loc: Loc) -> tree.TypedExpr | None:
        count = _LISTS.get(name)
        if count is None:
            return None
        least = 2 if name in ("__builtin_va_arg", "__builtin_va_copy") else 1
        if len(args) < least:
            self.context.error(loc, f"'{name}' takes {least} argument{'s' * (least > 1)}, {len(args)} given")
        result = self._wanted(args[1], loc) if name == "__builtin_va_arg" else VOID
        lists = tuple(self._address(node, name, loc) for node in args[:count])
        function = Function(result, tuple(item.type for item in lists))
        plain = "__builtin_va_start" if name == "__builtin_c23_va_start" else name
        return tree.Call(result, loc, tree.FunctionName(function, loc, plain), lists)

    def _wanted(self, node: AstNode, loc: Loc) -> CType:
        ctype = self.context.declarations.type_name(node).type
        if not is_complete(ctype):
            self.context.error(loc, f"'va_arg' of incomplete type '{ctype}'")
        return ctype

    def _address(self, node: AstNode, name: str, loc: Loc) -> tree.TypedExpr:
        """The address of the list that an expression names."""
        if self.context.types.model.pointer == 4:
            return self.context.expressions.address_of(self.context.expressions.any(node), loc)
        value = self.context.expressions.value(node)
        to = value.type.to if isinstance(value.type, Pointer) else None
        if not isinstance(to, Record) or to.tag != "__va_list_tag":
            self.context.error(loc, f"argument of '{name}' has type '{value.type}', 'va_list' is required")
        return value
