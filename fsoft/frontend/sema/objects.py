"""Declarations inside functions, compound literals and static assertions."""

from __future__ import annotations

from pycparser import c_ast

from fsoft.frontend import tree
from fsoft.frontend.link import LinkedObject
from fsoft.frontend.nodes import GnuAttribute
from fsoft.frontend.sema import literals
from fsoft.frontend.sema.context import AstNode, UnitContext
from fsoft.frontend.sema.conversions import compatible
from fsoft.frontend.sema.scope import Declared, FunctionEntry, ObjectName, ScopeEntry, TypedefName
from fsoft.frontend.source import Loc
from fsoft.frontend.types import Array, Function, Int, Void, is_complete


class Objects:
    def __init__(self, context: UnitContext):
        self.context = context

    # ------------------------------------------------------------ block scope

    def declaration(self, node: AstNode) -> list[tree.Statement]:
        """A declaration in a block: the statements it amounts to."""
        context = self.context
        if type(node) is c_ast.Typedef:
            return self._typedef(node)
        if node.name is None:
            context.declarations.records.declare_tag(node.type)
            return []
        loc = context.loc(node)
        declared = self._declared(node)
        if isinstance(declared.type, Function):
            self._enter(node.name, context.linker.block_function(context, node, declared.type, loc), loc)
            return []
        if "extern" in node.storage:
            if node.init is not None:
                context.error(loc, f"'{node.name}' is declared extern in a block and initialised")
            self._enter(node.name, context.linker.block_object(context, node, declared, loc), loc)
            return []
        self._check_complete(node, declared, loc)
        if "static" in node.storage or "_Thread_local" in node.storage:
            self._static(node, declared, loc)
            return []
        ctype, before = context.arrays.settled(declared.type, loc)
        if isinstance(ctype, Array) and context.arrays.size(ctype, loc) is not None:
            if node.init is not None and getattr(node.init, "exprs", None) != []:
                context.error(loc, f"'{node.name}' has variable length and is initialised")
            entry, taken = context.arrays.declare(node.name, ctype, loc)
            self._enter(node.name, entry, loc)
            return [*before, taken]
        return [*before, self._local(node, declared._replace(type=ctype), loc)]

    def _declared(self, node: AstNode) -> Declared:
        """The declared type; `__auto_type` takes it from the initialiser."""
        inner = node.type
        if type(inner) is c_ast.TypeDecl and type(inner.type) is c_ast.InferredType:
            if node.init is None:
                self.context.error(node, f"'{node.name}' needs an initialiser to infer its type from")
            with self.context.without_evaluation():
                return Declared(self.context.conversions.storable(self.context.expressions.value(node.init).type))
        return self.context.declarations.declared(node)

    def _enter(self, name: str, entry: ScopeEntry, loc: Loc) -> None:
        """Put a name into the current scope; only extern and function declarations may come twice."""
        names = self.context.scope.names
        old = names.get(name)
        if old is not None:
            again = isinstance(old, (ObjectName, FunctionEntry)) and isinstance(entry, type(old)) and old.linked is not None
            if not again or old.linked is not entry.linked:  # type: ignore[union-attr]
                self.context.error(loc, f"redeclaration of '{name}'")
        names[name] = entry

    def _typedef(self, node: AstNode) -> list[tree.Statement]:
        loc = self.context.loc(node)
        declared = self.context.declarations.declared(node)
        ctype, before = self.context.arrays.settled(declared.type, loc)
        declared = declared._replace(type=ctype)
        old = self.context.scope.names.get(node.name)
        if old is not None and not (isinstance(old, TypedefName) and compatible(old.declared.type, declared.type)):
            self.context.error(loc, f"redeclaration of '{node.name}'")
        self.context.scope.names[node.name] = TypedefName(declared, loc)
        return before

    def _check_complete(self, node: AstNode, declared: Declared, loc: Loc) -> None:
        ctype = declared.type
        if isinstance(ctype, Void):
            self.context.error(loc, f"variable '{node.name}' declared void")
        sized_by_init = isinstance(ctype, Array) and ctype.count is None and node.init is not None
        if not is_complete(ctype) and not sized_by_init:
            self.context.error(loc, f"'{node.name}' has incomplete type '{ctype}'")

    def _symbol(self, node: AstNode, declared: Declared, storage: str, loc: Loc) -> tree.Symbol:
        unique = self.context.unique_name(node.name)
        symbol = tree.Symbol(node.name, unique, declared.type, storage, loc)
        symbol.atomic, symbol.volatile = declared.atomic, declared.volatile
        symbol.align, symbol.quals = declared.align, declared.quals
        return symbol

    def _local(self, node: AstNode, declared: Declared, loc: Loc) -> tree.Statement:
        symbol = self._symbol(node, declared, "local", loc)
        entry = ObjectName(symbol, declared.type, loc)
        self._enter(node.name, entry, loc)
        init = None
        if node.init is not None:
            init = self._initialise(entry, declared, node, False, loc)
        return tree.Declare(loc, symbol, init, self._cleanup(node))

    def _cleanup(self, node: AstNode) -> tree.TypedExpr | None:
        """The call that the attribute `cleanup` makes at the end of the block."""
        for attribute in node.attributes or ():
            if isinstance(attribute, GnuAttribute) and attribute.name == "cleanup" and attribute.args:
                variable = c_ast.UnaryOp("&", c_ast.ID(node.name, node.coord), node.coord)
                return self.context.calls.call(c_ast.FuncCall(attribute.args[0], c_ast.ExprList([variable], node.coord), node.coord))
        return None

    def _static(self, node: AstNode, declared: Declared, loc: Loc) -> None:
        storage = "thread" if "_Thread_local" in node.storage else "static"
        symbol = self._symbol(node, declared, storage, loc)
        linked = LinkedObject(symbol.unique, declared.type, loc, symbol, defined=True)
        self.context.linker.objects[symbol.unique] = linked
        entry = ObjectName(symbol, declared.type, loc, linked)
        self._enter(node.name, entry, loc)
        if node.init is not None:
            linked.init = self._initialise(entry, declared, node, True, loc)

    def _initialise(self, entry: ObjectName, declared: Declared, node: AstNode, static: bool, loc: Loc) -> tree.Initializer:
        init, ctype = self.context.initialisers.object(declared.type, node.init, static, loc)
        entry.symbol.type = ctype
        if isinstance(ctype, Array):
            entry.type = ctype
        self.remember_constant(entry.symbol, declared, init)
        return init

    def remember_constant(self, symbol: tree.Symbol, declared: Declared, init: tree.Initializer) -> None:
        """An integer with a constant initialiser may size an array."""
        if isinstance(declared.type, Int) and len(init.items) == 1:
            value = init.items[0].value
            if isinstance(value, tree.IntConstant):
                self.context.linker.first_values[symbol] = value.value
                if declared.const:
                    self.context.linker.const_values[symbol] = value.value

    # ------------------------------------------------------------ compound literals

    def compound_literal(self, node: AstNode) -> tree.TypedExpr:
        """`(T){...}`: a local, or an object with static storage when it stands outside of functions."""
        context, loc = self.context, self.context.loc(node)
        declared = context.declarations.type_name(node.type)
        static = context.function is None or "static" in (node.storage or ())
        init, ctype = context.initialisers.object(declared.type, node.init, static, loc)
        if not is_complete(ctype):
            context.error(loc, f"compound literal of incomplete type '{ctype}'")
        if not static:
            symbol = context.temporary("<literal>", ctype, loc)
            symbol.atomic, symbol.quals = declared.atomic, declared.quals
            return tree.CompoundLiteral(ctype, loc, symbol, init)
        linked = context.linker.anonymous_object(ctype, loc)
        linked.init = init
        linked.symbol.quals = declared.quals
        entry = ObjectName(linked.symbol, ctype, loc, linked)
        context.use(entry)
        return tree.VariableExpr(ctype, loc, linked.symbol)

    # ------------------------------------------------------------ static assertions, attributes

    def static_assert(self, node: AstNode) -> None:
        value = self.context.expressions.integer_constant(node.cond, "condition of _Static_assert")
        if value == 0:
            text = ""
            if node.message is not None:
                _, data = literals.string(node.message.value, self.context.types)
                text = ": " + data.rstrip(b"\0").decode("utf-8", "replace")
            self.context.error(node.cond, f"static assertion failed{text}")


def attribute_names(node: AstNode) -> frozenset[str]:
    """The attributes of a function's declaration that are kept on its definition."""
    names = {item.name for item in node.attributes or () if isinstance(item, GnuAttribute)}
    if "_Noreturn" in (node.funcspec or ()):
        names.add("noreturn")
    return frozenset(names)
