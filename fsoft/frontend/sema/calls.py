"""Function calls: the callee, the conversion of arguments, library functions and builtins."""

from __future__ import annotations

from pycparser import c_ast

from fsoft.frontend import tree
from fsoft.frontend.sema.builtins import Builtins
from fsoft.frontend.sema.context import AstNode, UnitContext
from fsoft.frontend.sema.scope import FunctionEntry
from fsoft.frontend.source import Loc
from fsoft.frontend.types import VOID, CType, Function, Pointer, Record, Void, is_scalar

_SETJMP = ("setjmp", "_setjmp", "__setjmp", "sigsetjmp", "__sigsetjmp", "__sigsetjmp_cancel", "__builtin_setjmp")
_LONGJMP = ("longjmp", "_longjmp", "siglongjmp", "__builtin_longjmp", "__longjmp_chk")
_JUMPS = {**dict.fromkeys(_SETJMP, "__fsoft_setjmp"), **dict.fromkeys(_LONGJMP, "__fsoft_longjmp")}
"""What the lowering calls them; the mask of signals that sigsetjmp may save is left alone."""


class CallAnalyzer:
    def __init__(self, context: UnitContext):
        self.context = context
        self.conversions = context.conversions
        self.builtins = Builtins(context)

    def call(self, node: AstNode) -> tree.TypedExpr:
        loc = self.context.loc(node)
        args = node.args.exprs if node.args is not None else []
        if type(node.name) is c_ast.ID:
            return self.by_name(node.name.name, args, loc)
        callee = self.context.expressions.value(node.name)
        if isinstance(callee, tree.AddressOf) and isinstance(callee.lvalue, tree.FunctionName):
            return self.by_name(callee.lvalue.name, args, loc) if callee.lvalue.name in _JUMPS else self._apply(callee, args, loc)
        return self._apply(callee, args, loc)

    def by_name(self, name: str, args: list[AstNode], loc: Loc) -> tree.TypedExpr:
        """A call of a name: a builtin, a function of the program or of the library, or a variable."""
        entry = self.context.lookup(name)
        if entry is None or (isinstance(entry, FunctionEntry) and entry.linked.definition is None):
            if name in _JUMPS:
                return self._jump(_JUMPS[name], args, loc)
            built = self.builtins.call(name, args, loc)
            if built is not None:
                return built
        if entry is None:
            entry = self.undeclared(name) or self._implicit(name, loc)
        if isinstance(entry, FunctionEntry):
            self.context.use(entry)
            return self._function(entry, args, loc)
        callee = self.context.expressions.value(c_ast.ID(name, coord=None))
        return self._apply(callee, args, loc)

    def _jump(self, name: str, args: list[AstNode], loc: Loc) -> tree.TypedExpr:
        """setjmp and longjmp, by the name of the intrinsic."""
        types, least = self.context.types, 1 if name == "__fsoft_setjmp" else 2
        if len(args) < least:
            self.context.error(loc, f"a jump takes {least} argument{'s' * (least > 1)}, {len(args)} given")
        values = [self.context.expressions.value(arg) for arg in args[:least]]
        if not isinstance(values[0].type, Pointer):
            self.context.error(loc, f"a jump with a buffer of type '{values[0].type}'")
        params: tuple[CType, ...] = (types.void_ptr,) if least == 1 else (types.void_ptr, types.int)
        function = Function(types.int if least == 1 else VOID, params)
        return self.finish(tree.FunctionName(function, loc, name), function, values, loc, "setjmp" if least == 1 else "longjmp")

    def undeclared(self, name: str) -> FunctionEntry | None:
        """A library function that the file uses without declaring it, or a builtin under its plain name."""
        return self.context.linker.library_entry(name)

    def _implicit(self, name: str, loc: Loc) -> FunctionEntry:
        """C89: calling an undeclared function declares it as `int name()`."""
        self.context.note(f"{loc}: implicit declaration of function '{name}'")
        return self.context.linker.implicit(self.context, name, loc)

    def _apply(self, callee: tree.TypedExpr, args: list[AstNode], loc: Loc) -> tree.TypedExpr:
        """A call through an expression."""
        ctype = callee.type
        if not isinstance(ctype, Pointer) or not isinstance(ctype.to, Function):
            self.context.error(loc, f"called object has type '{ctype}', which is not a function or function pointer")
        if isinstance(callee, tree.AddressOf) and isinstance(callee.lvalue, tree.FunctionName):
            callee = callee.lvalue
        name = f"function '{callee.name}'" if isinstance(callee, tree.FunctionName) else "function"
        values = [self.context.expressions.value(arg) for arg in args]
        return self.finish(callee, ctype.to, values, loc, name)

    def _function(self, entry: FunctionEntry, args: list[AstNode], loc: Loc) -> tree.TypedExpr:
        callee = tree.FunctionName(entry.type, loc, entry.linked.name)
        values = [self.context.expressions.value(arg) for arg in args]
        what = f"function '{entry.linked.name}'"
        model = entry.linked.type
        if not entry.linked.library or model == entry.type:
            return self.finish(callee, entry.type, values, loc, what)
        converted = self.arguments(entry.type, values, loc, what)
        if model.params is not None and len(converted) < len(model.params):
            self.context.error(loc, f"too few arguments to {what}: {len(model.params)} expected, {len(converted)} given")
        call = tree.Call(model.result, loc, tree.FunctionName(model, loc, entry.linked.name), self._for_model(model, converted, loc))
        result = entry.type.result
        if isinstance(result, Void) or isinstance(model.result, Void) or is_scalar(result) != is_scalar(model.result):
            return call
        return self.conversions.convert(call, result, loc)

    def _for_model(self, model: Function, values: list[tree.TypedExpr], loc: Loc) -> tuple[tree.TypedExpr, ...]:
        """Arguments of the user's types as the library model wants them: pointers to the user's structs are cast freely."""
        params = model.params or ()
        args = []
        for index, value in enumerate(values):
            if index < len(params) and is_scalar(params[index]) and is_scalar(value.type):
                value = self.conversions.convert(value, params[index], loc)
            args.append(value)
        return tuple(args)

    def finish(self, callee: tree.TypedExpr, ctype: Function, values: list[tree.TypedExpr], loc: Loc, what: str) -> tree.TypedExpr:
        if isinstance(ctype.result, Record) and ctype.result.fields is None:
            self.context.error(loc, f"{what} returns incomplete type '{ctype.result}'")
        return tree.Call(ctype.result, loc, callee, tuple(self.arguments(ctype, values, loc, what)))

    def arguments(self, ctype: Function, values: list[tree.TypedExpr], loc: Loc, what: str) -> list[tree.TypedExpr]:
        """Arguments converted to the parameters, or promoted where there is no prototype (C99 6.5.2.2)."""
        params = ctype.params
        if params is not None and (len(values) < len(params) or (len(values) > len(params) and not ctype.variadic)):
            few = "few" if len(values) < len(params) else "many"
            self.context.error(loc, f"too {few} arguments to {what}: {len(params)} expected, {len(values)} given")
        result = []
        for index, value in enumerate(values):
            if isinstance(value.type, Void):
                self.context.error(value.loc, f"void value passed as argument {index + 1} of {what}")
            if params is not None and index < len(params):
                result.append(self._argument(value, params[index], index, what))
            else:
                result.append(self.conversions.default_promotion(value))
        return result

    def _argument(self, value: tree.TypedExpr, param: CType, index: int, what: str) -> tree.TypedExpr:
        if isinstance(param, Record) and param in self.context.transparent and not isinstance(value.type, Record):
            return value
        return self.conversions.assign(value, param, value.loc, f"passing argument {index + 1} of {what}")
