"""Statements and function bodies."""

from __future__ import annotations

from collections.abc import Callable

from pycparser import c_ast

from fsoft.frontend import nodes, tree
from fsoft.frontend.sema.constants import wrap
from fsoft.frontend.sema.context import AstNode, FunctionState, SwitchState, UnitContext
from fsoft.frontend.sema.inline_assembly import inline_assembly
from fsoft.frontend.sema.scope import ObjectName
from fsoft.frontend.source import Loc
from fsoft.frontend.types import VOID, Function, Int, Void, is_complete

Items = list[tree.Statement]


class StatementAnalyzer:
    def __init__(self, context: UnitContext):
        self.context = context
        self._handlers: dict[type, Callable[[AstNode, Items], None]] = {
            c_ast.Compound: self._compound,
            c_ast.If: self._if,
            c_ast.While: self._while,
            c_ast.DoWhile: self._do,
            c_ast.For: self._for,
            c_ast.Switch: self._switch,
            c_ast.Case: self._case,
            c_ast.Default: self._default,
            c_ast.Label: self._label,
            c_ast.Goto: self._goto,
            c_ast.Break: self._break,
            c_ast.Continue: self._continue,
            c_ast.Return: self._return,
            c_ast.Decl: self._declaration,
            c_ast.Typedef: self._declaration,
            c_ast.DeclList: self._declarations,
            c_ast.StaticAssert: self._static_assert,
            c_ast.AttributedStatement: lambda node, out: self.add(node.stmt, out),
            c_ast.EmptyStatement: self._nothing,
            c_ast.Pragma: self._nothing,
            c_ast.AttributeDeclaration: self._nothing,
            c_ast.FuncDef: self._nested_function,
            nodes.AsmNode: self._asm,
        }

    # ------------------------------------------------------------ functions

    def body(self, node: AstNode, name: str, ctype: Function) -> tuple[tuple[tree.Symbol, ...], tree.Block]:
        """Parameters and body of a function definition."""
        context = self.context
        assert context.function is None and context.scope is context.file_scope
        context.function = FunctionState(name, ctype.result)
        try:
            with context.block():
                self._lengths: list[tree.Statement] = []
                params = self._parameters(node)
                block = self._block(node.body, new_scope=False)
                if self._lengths:
                    block = tree.Block(block.loc, (*self._lengths, *block.items), block.end)
                self._check_labels()
                return params, block
        finally:
            context.function = None
            context.scope = context.file_scope

    def _parameters(self, node: AstNode) -> tuple[tree.Symbol, ...]:
        context = self.context
        args = self._declarator(node.decl.type).args
        symbols: list[tree.Symbol] = []
        for param in args.params if args is not None else ():
            if type(param) is c_ast.EllipsisParam:
                continue
            declared = context.declarations.parameter(param)
            loc = context.loc(param)
            if isinstance(declared.type, Void):
                continue
            name = param.name or f"<{len(symbols)}>"
            if name in context.scope.names:
                context.error(loc, f"parameter '{name}' declared twice")
            if not is_complete(declared.type):
                context.error(loc, f"parameter '{name}' has incomplete type '{declared.type}'")
            ctype, lengths = context.arrays.settled(declared.type, loc)
            declared = declared._replace(type=ctype)
            self._lengths += lengths
            symbol = tree.Symbol(name, context.unique_name(name), declared.type, "param", loc)
            symbol.atomic, symbol.volatile, symbol.quals = declared.atomic, declared.volatile, declared.quals
            symbols.append(symbol)
            context.scope.names[name] = ObjectName(symbol, declared.type, loc)
        return tuple(symbols)

    @staticmethod
    def _declarator(node: AstNode) -> AstNode:
        """The FuncDecl of a definition: the outermost declarator, the one next to the name."""
        while type(node) is not c_ast.FuncDecl:
            node = node.type
        return node

    def _check_labels(self) -> None:
        function = self.context.function
        assert function is not None
        for name, loc in function.gotos.items():
            if name not in function.labels:
                self.context.error(loc, f"label '{name}' used but not defined")

    # ------------------------------------------------------------ structure

    def add(self, node: AstNode, out: Items) -> None:
        """Append what a statement or declaration means."""
        handler = self._handlers.get(type(node))
        if handler is not None:
            handler(node, out)
            return
        expr = self.context.expressions.value(node)
        if not isinstance(expr, (tree.IntConstant, tree.FloatConstant)):
            out.append(tree.ExprStatement(expr.loc, expr))

    def _single(self, node: AstNode) -> tree.Statement:
        """A statement as one node: in a scope of its own unless it is one already."""
        if type(node) is c_ast.Compound:
            return self._block(node)
        loc = self.context.loc(node)
        out: Items = []
        with self.context.block():
            self.add(node, out)
        return out[0] if len(out) == 1 and not isinstance(out[0], tree.Declare) else tree.Block(loc, tuple(out), loc)

    def _block(self, node: AstNode, new_scope: bool = True) -> tree.Block:
        loc = self.context.loc(node)
        out: Items = []
        if new_scope:
            with self.context.block():
                for item in node.block_items or ():
                    self.add(item, out)
        else:
            for item in node.block_items or ():
                self.add(item, out)
        return tree.Block(loc, tuple(out), self._end(node, loc))

    def _end(self, node: AstNode, loc: Loc) -> Loc:
        return self.context.where if node.block_items else loc

    def _compound(self, node: AstNode, out: Items) -> None:
        out.append(self._block(node))

    def _nothing(self, node: AstNode, out: Items) -> None:
        return

    def _declaration(self, node: AstNode, out: Items) -> None:
        out.extend(self.context.objects.declaration(node))

    def _declarations(self, node: AstNode, out: Items) -> None:
        for decl in node.decls:
            self.add(decl, out)

    def _static_assert(self, node: AstNode, out: Items) -> None:
        self.context.objects.static_assert(node)

    def _asm(self, node: AstNode, out: Items) -> None:
        out.append(inline_assembly(self.context, node))

    def _nested_function(self, node: AstNode, out: Items) -> None:
        self.context.unsupported(node, f"nested function '{node.decl.name}'")

    def statement_expression(self, node: AstNode) -> tree.TypedExpr:
        """`({ ...; value; })`."""
        if self.context.function is None:
            self.context.error(node, "statement expression outside of a function")
        loc = self.context.loc(node)
        out: Items = []
        value: tree.TypedExpr | None = None
        items = node.block_items or []
        with self.context.block():
            for position, item in enumerate(items):
                if position == len(items) - 1 and type(item) not in self._handlers:
                    value = self.context.expressions.value(item)
                elif position == len(items) - 1 and type(item) is c_ast.Compound:
                    value = self.statement_expression(item)  # a nested statement expression looks like a block
                else:
                    self.add(item, out)
        if value is not None and isinstance(value.type, Void):
            out.append(tree.ExprStatement(value.loc, value))
            value = None
        block = tree.Block(loc, tuple(out), self.context.where)
        return tree.StatementExpr(VOID if value is None else value.type, loc, block, value)

    # ------------------------------------------------------------ control

    def _condition(self, node: AstNode, what: str) -> tree.TypedExpr:
        return self.context.expressions.scalar(node, f"condition of '{what}'")

    def _if(self, node: AstNode, out: Items) -> None:
        loc = self.context.loc(node)
        condition = self._condition(node.cond, "if")
        then = self._single(node.iftrue) if node.iftrue is not None else tree.Block(loc, (), loc)
        other = None if node.iffalse is None else self._single(node.iffalse)
        out.append(tree.If(loc, condition, then, other))

    def _loop_body(self, node: AstNode) -> tree.Statement:
        function = self.context.function
        assert function is not None
        function.loops += 1
        function.breakable += 1
        body = self._single(node) if node is not None else tree.Block(self.context.where, (), self.context.where)
        function.loops -= 1
        function.breakable -= 1
        return body

    def _while(self, node: AstNode, out: Items) -> None:
        loc = self.context.loc(node)
        condition = self._condition(node.cond, "while")
        out.append(tree.LoopStatement(loc, "while", condition, self._loop_body(node.stmt), None, True))

    def _do(self, node: AstNode, out: Items) -> None:
        loc = self.context.loc(node)
        body = self._loop_body(node.stmt)
        out.append(tree.LoopStatement(loc, "do", self._condition(node.cond, "do"), body, None, False))

    def _for(self, node: AstNode, out: Items) -> None:
        loc = self.context.loc(node)
        items: Items = []
        with self.context.block():
            if node.init is not None:
                self.add(node.init, items)
            condition = None if node.cond is None else self._condition(node.cond, "for")
            step = None if node.next is None else self.context.expressions.value(node.next)
            body = self._loop_body(node.stmt)
        loop = tree.LoopStatement(loc, "for", condition, body, step, True)
        if not any(isinstance(item, tree.Declare) for item in items):
            out.extend(items)
            out.append(loop)
        else:
            out.append(tree.Block(loc, (*items, loop), self.context.where))

    def _break(self, node: AstNode, out: Items) -> None:
        function = self.context.function
        if function is None or not function.breakable:
            self.context.error(node, "break outside of a loop or switch")
        out.append(tree.Break(self.context.loc(node)))

    def _continue(self, node: AstNode, out: Items) -> None:
        function = self.context.function
        if function is None or not function.loops:
            self.context.error(node, "continue outside of a loop")
        out.append(tree.Continue(self.context.loc(node)))

    def _return(self, node: AstNode, out: Items) -> None:
        function = self.context.function
        assert function is not None
        loc = self.context.loc(node)
        if node.expr is None:
            out.append(tree.Return(loc, None))
            return
        value = self.context.expressions.value(node.expr)
        if isinstance(function.result, Void):
            out.append(tree.ExprStatement(loc, value))
            out.append(tree.Return(loc, None))
            return
        doing = f"returning from a function with result type '{function.result}'"
        out.append(tree.Return(loc, self.context.conversions.assign(value, function.result, loc, doing)))

    # ------------------------------------------------------------ labels and switch

    def _label(self, node: AstNode, out: Items) -> None:
        function = self.context.function
        assert function is not None
        loc = self.context.loc(node)
        if node.name in function.labels:
            self.context.error(loc, f"duplicate label '{node.name}'")
        function.labels[node.name] = loc
        out.append(tree.Label(loc, node.name))
        if node.stmt is not None:
            self.add(node.stmt, out)

    def _goto(self, node: AstNode, out: Items) -> None:
        function = self.context.function
        assert function is not None
        loc = self.context.loc(node)
        if not isinstance(node.name, str):
            self.context.unsupported(loc, "computed goto")
        function.gotos.setdefault(node.name, loc)
        out.append(tree.Goto(loc, node.name))

    def _switch(self, node: AstNode, out: Items) -> None:
        function = self.context.function
        assert function is not None
        loc = self.context.loc(node)
        value = self.context.expressions.value(node.cond)
        if not isinstance(value.type, Int):
            self.context.error(loc, f"switch on a value of type '{value.type}', an integer is required")
        value = self.context.conversions.promote(value)
        assert isinstance(value.type, Int)
        function.switches.append(SwitchState(value.type))
        function.breakable += 1
        body = self._single(node.stmt)
        function.breakable -= 1
        function.switches.pop()
        out.append(tree.Switch(loc, value, body))

    def _case(self, node: AstNode, out: Items) -> None:
        loc = self.context.loc(node)
        switch = self._innermost_switch(loc, "case label")
        constant = self.context.expressions.integer_constant
        if type(node.expr) is nodes.CaseRange:
            low, high = constant(node.expr.low, "case label"), constant(node.expr.high, "case label")
        else:
            low = high = constant(node.expr, "case label")
        low, high = wrap(low, switch.type), wrap(high, switch.type)
        for other_low, other_high, other in switch.ranges:
            if low <= other_high and other_low <= high and low <= high:
                self.context.error(loc, f"duplicate case value {max(low, other_low)}, previously at {other}")
        if low <= high:
            switch.ranges.append((low, high, loc))
        out.append(tree.Case(loc, low, high))
        for item in node.stmts or ():
            self.add(item, out)

    def _default(self, node: AstNode, out: Items) -> None:
        loc = self.context.loc(node)
        switch = self._innermost_switch(loc, "default label")
        if switch.default is not None:
            self.context.error(loc, f"second default label in one switch, the first is at {switch.default}")
        switch.default = loc
        out.append(tree.Default(loc))
        for item in node.stmts or ():
            self.add(item, out)

    def _innermost_switch(self, loc: Loc, what: str) -> SwitchState:
        function = self.context.function
        if function is None or not function.switches:
            self.context.error(loc, f"{what} outside of a switch")
        return function.switches[-1]
