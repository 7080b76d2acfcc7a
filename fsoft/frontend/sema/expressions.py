"""Expressions: names, literals, member access, pointers, casts. Arithmetic is in `operators`, calls are in `calls`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pycparser import c_ast

from fsoft.frontend import tree
from fsoft.frontend.sema import literals
from fsoft.frontend.sema.constants import evaluate, truth
from fsoft.frontend.sema.context import AstNode, UnitContext
from fsoft.frontend.sema.conversions import compatible, is_null_constant, same_qualifiers
from fsoft.frontend.sema.layout import MemberSpec, natural_align
from fsoft.frontend.sema.scope import EnumConstant, FunctionEntry, ObjectName, TypedefName
from fsoft.frontend.source import Loc
from fsoft.frontend.types import (
    VOID,
    Array,
    CType,
    Field,
    Float,
    Function,
    Int,
    Pointer,
    Record,
    Void,
    align_of,
    is_complete,
    is_scalar,
    preferred_align,
    size_of,
)  # fmt: skip


class ExpressionAnalyzer:
    """Typed expressions of one translation unit."""

    def __init__(self, context: UnitContext):
        self.context = context
        self.types = context.types
        self.conversions = context.conversions
        self._handlers: dict[type, Callable[[AstNode], tree.TypedExpr]] = {
            c_ast.Constant: self._constant,
            c_ast.ID: self._identifier,
            c_ast.ArrayRef: self._subscript,
            c_ast.StructRef: self._member,
            c_ast.UnaryOp: lambda node: context.operators.unary(node),
            c_ast.BinaryOp: lambda node: context.operators.binary(node),
            c_ast.Assignment: lambda node: context.operators.assignment(node),
            c_ast.TernaryOp: self._conditional,
            c_ast.Cast: self._cast,
            c_ast.FuncCall: lambda node: context.calls.call(node),
            c_ast.CompoundLiteral: lambda node: context.objects.compound_literal(node),
            c_ast.Compound: lambda node: context.statements.statement_expression(node),
            c_ast.ExprList: self._comma,
            c_ast.GenericSelection: self._generic,
        }

    # ------------------------------------------------------------ entry points

    def any(self, node: AstNode) -> tree.TypedExpr:
        """The expression as it stands: lvalues, arrays and functions are not converted."""
        handler = self._handlers.get(type(node))
        if handler is None:
            if isinstance(node, c_ast.InitList):
                self.context.error(node, "a list in braces is not an expression")
            if isinstance(node, c_ast.Typename):
                self.context.error(node, "a type name where an expression is expected")
            self.context.unsupported(node, f"expression {type(node).__name__}")
        return handler(node)

    def value(self, node: AstNode) -> tree.TypedExpr:
        """The value of an expression: arrays and functions have become pointers."""
        return self.decay(self.any(node))

    def scalar(self, node: AstNode, what: str) -> tree.TypedExpr:
        expr = self.value(node)
        if not is_scalar(expr.type):
            self.context.error(node, f"{what} has type '{expr.type}', a scalar is required")
        return expr

    def integer_constant(self, node: AstNode, what: str) -> int:
        """The value of an expression that must be an integer constant."""
        expr = self.value(node)
        value = evaluate(expr)
        if not isinstance(expr.type, Int) or not isinstance(value, int):
            self.context.error(node, f"{what} is not an integer constant")
        return value

    def constant_or_const_object(self, node: AstNode) -> int | None:
        """The value of an integer constant expression in which const variables with constant values may occur; None if not constant."""
        with self.context.without_evaluation():
            expr = self.value(node)
        if not isinstance(expr.type, Int):
            self.context.error(node, f"size of an array has type '{expr.type}', an integer is required")
        value = evaluate(self._with_const_objects(expr))
        return value if isinstance(value, int) else None

    def _with_const_objects(self, expr: tree.TypedExpr) -> tree.TypedExpr:
        """Replace const variables of known value by that value."""
        if isinstance(expr, tree.VariableExpr):
            known = self.context.linker.const_values.get(expr.symbol)
            return expr if known is None else tree.IntConstant(expr.type, expr.loc, known)
        if isinstance(expr, tree.Cast):
            return tree.Cast(expr.type, expr.loc, self._with_const_objects(expr.operand))
        if isinstance(expr, tree.UnaryExpr):
            return tree.UnaryExpr(expr.type, expr.loc, expr.op, self._with_const_objects(expr.operand))
        if isinstance(expr, tree.BinaryExpr):
            left, right = self._with_const_objects(expr.left), self._with_const_objects(expr.right)
            return tree.BinaryExpr(expr.type, expr.loc, expr.op, left, right)
        return expr

    # ------------------------------------------------------------ lvalues and decay

    @staticmethod
    def is_lvalue(expr: tree.TypedExpr) -> bool:
        while isinstance(expr, tree.MemberExpr):
            expr = expr.base
        return isinstance(expr, (tree.VariableExpr, tree.Deref, tree.CompoundLiteral, tree.StringLiteral))

    @staticmethod
    def is_atomic(expr: tree.TypedExpr) -> bool:
        """Whether an lvalue denotes an `_Atomic` object."""
        if isinstance(expr, tree.VariableExpr):
            return expr.symbol.atomic
        if isinstance(expr, tree.Deref):
            return expr.atomic
        return isinstance(expr, tree.MemberExpr) and expr.field.atomic

    @staticmethod
    def qualifiers(expr: tree.TypedExpr) -> str:
        """The qualifiers of an lvalue, as of a pointer to it: those of a member are its own and its record's."""
        found = ""
        while isinstance(expr, tree.MemberExpr):
            found += expr.field.quals
            expr = expr.base
        if isinstance(expr, (tree.VariableExpr, tree.CompoundLiteral)):
            found += expr.symbol.quals
        elif isinstance(expr, tree.Deref) and isinstance(expr.pointer.type, Pointer):
            found += expr.pointer.type.quals
        return "".join(sorted(set(found)))

    def decay(self, expr: tree.TypedExpr) -> tree.TypedExpr:
        ctype = expr.type
        if isinstance(ctype, Array):
            if not self.is_lvalue(expr):
                expr = self._materialised(expr)
            if isinstance(expr, tree.Deref) and ctype.count is None and expr.pointer.type == self.pointer_to(ctype.element):
                return expr.pointer  # a variable of variable length
            pointer, constant = self.pointer_to(ctype.element, ctype.atomic, self.qualifiers(expr)), self._constant_address(expr)
            if constant is not None:
                return tree.IntConstant(pointer, expr.loc, constant)
            self.context.take_address(expr)
            return tree.AddressOf(pointer, expr.loc, expr)
        if isinstance(ctype, Function):
            if isinstance(expr, tree.Deref):
                return expr.pointer
            return tree.AddressOf(self.pointer_to(ctype), expr.loc, expr)
        return expr

    def _materialised(self, expr: tree.TypedExpr) -> tree.TypedExpr:
        """An array inside a record that is only a value (the result of a call): keep the record in a temporary."""
        if not isinstance(expr, tree.MemberExpr) or not isinstance(expr.base.type, Record):
            self.context.error(expr.loc, "an array that is not in memory is used as a pointer")
        if isinstance(expr.base, tree.MemberExpr) and not self.is_lvalue(expr.base):
            base = self._materialised(expr.base)
        else:
            symbol = self.context.temporary("<value>", expr.base.type, expr.loc)
            init = tree.Initializer((tree.InitItem(0, expr.base.type, expr.base),), False)
            base = tree.CompoundLiteral(expr.base.type, expr.loc, symbol, init)
        return tree.MemberExpr(expr.type, expr.loc, base, expr.field, expr.atomic)

    def pointer_to(self, ctype: CType, atomic: bool = False, quals: str = "") -> Pointer:
        return Pointer(ctype, self.types.model.pointer, atomic, quals)

    def address_of(self, expr: tree.TypedExpr, loc: Loc) -> tree.TypedExpr:
        """`&expr`, with `&*p` and constant member addresses worked out."""
        if isinstance(expr.type, Function):
            return self.decay(expr)
        if not self.is_lvalue(expr):
            self.context.error(loc, "cannot take the address of a value that is not in memory")
        if isinstance(expr, tree.MemberExpr) and expr.field.bit_width is not None:
            self.context.error(loc, f"cannot take the address of bit-field '{expr.field.name}'")
        pointer = self.pointer_to(expr.type, self.is_atomic(expr), self.qualifiers(expr))
        if isinstance(expr, tree.Deref) and expr.pointer.type == pointer:
            return expr.pointer
        constant = self._constant_address(expr)
        if constant is not None:
            return tree.IntConstant(pointer, loc, constant)
        self.context.take_address(expr)
        return tree.AddressOf(pointer, loc, expr)

    @staticmethod
    def _constant_address(expr: tree.TypedExpr) -> int | None:
        """The address of an object that lies at a number, as in `&((struct s *)0)->member`."""
        offset = 0
        while isinstance(expr, tree.MemberExpr):
            offset += expr.field.offset
            expr = expr.base
        if isinstance(expr, tree.Deref) and isinstance(expr.pointer, tree.IntConstant):
            return expr.pointer.value + offset
        return None

    def deref(self, pointer: tree.TypedExpr, loc: Loc) -> tree.TypedExpr:
        ctype = pointer.type
        if not isinstance(ctype, Pointer):
            self.context.error(loc, f"'*' or '[]' or '->' applied to a value of type '{ctype}', a pointer is required")
        if isinstance(pointer, tree.AddressOf) and pointer.lvalue.type == ctype.to and not isinstance(ctype.to, Function):
            return pointer.lvalue
        if isinstance(pointer, tree.AddressOf) and isinstance(pointer.lvalue, tree.FunctionName):
            return pointer.lvalue
        return tree.Deref(ctype.to, loc, pointer, ctype.atomic)

    def require_complete(self, ctype: CType, loc: Loc, what: str) -> None:
        if not is_complete(ctype) and not isinstance(ctype, (Void, Function)):
            self.context.error(loc, f"{what} incomplete type '{ctype}'")

    # ------------------------------------------------------------ primaries

    def _constant(self, node: AstNode) -> tree.TypedExpr:
        loc, kind, text = self.context.loc(node), node.type, node.value
        if "string" in kind:
            element, data = literals.string(text, self.types)
            return tree.StringLiteral(Array(element, len(data) // element.size), loc, data)
        found: tuple[Int, int] | None
        if "char" in kind:
            found = literals.character(text, self.types)
        elif literals.is_float(text) or kind in ("float", "double", "long double"):
            real = literals.floating(text, self.types)
            if real is None:
                self.context.unsupported(loc, f"constant {text}")
            if real[0] is self.types.ldouble:
                self.context.note("long double is computed as double")
            return tree.FloatConstant(real[0], loc, real[1], real[2])
        else:
            found = literals.integer(text, self.types)
        if found is None:
            self.context.error(loc, f"invalid constant {text}")
        return tree.IntConstant(found[0], loc, found[1])

    def _identifier(self, node: AstNode) -> tree.TypedExpr:
        loc, name = self.context.loc(node), node.name
        entry = self.context.lookup(name)
        if entry is None and name == "__func__" and self.context.function is not None:
            data = self.context.function.name.rpartition(":")[2].encode() + b"\0"
            return tree.StringLiteral(Array(self.types.char, len(data)), loc, data)
        if entry is None:
            entry = self.context.calls.undeclared(name) or self.context.lookup_or_fail(name, loc)
        if isinstance(entry, EnumConstant):
            return tree.IntConstant(entry.type, loc, entry.value)
        if isinstance(entry, ObjectName):
            self.context.use(entry)
            if isinstance(entry.type, Array) and isinstance(entry.symbol.type, Pointer):  # of variable length
                return tree.Deref(entry.type, loc, tree.VariableExpr(entry.symbol.type, loc, entry.symbol))
            return tree.VariableExpr(entry.type, loc, entry.symbol)
        if isinstance(entry, FunctionEntry):
            self.context.use(entry)
            return tree.FunctionName(entry.type, loc, entry.linked.name)
        assert isinstance(entry, TypedefName)
        self.context.error(loc, f"'{name}' is a type, an expression is expected")

    def _subscript(self, node: AstNode) -> tree.TypedExpr:
        loc = self.context.loc(node)
        left, right = self.value(node.name), self.value(node.subscript)
        if isinstance(left.type, Int) and isinstance(right.type, Pointer):
            left, right = right, left
        if not isinstance(left.type, Pointer):
            self.context.error(loc, f"subscripted value has type '{left.type}', an array or a pointer is required")
        if not isinstance(right.type, Int):
            self.context.error(loc, f"array index has type '{right.type}', an integer is required")
        return self.deref(self.context.operators.pointer_add(left, right, 1, loc), loc)

    def _member(self, node: AstNode) -> tree.TypedExpr:
        if node.type == "->":
            base = self.deref(self.value(node.name), self.context.loc(node))
        else:
            base = self.any(node.name)
        return self.member(base, node.field.name, self.context.loc(node.field))

    def member(self, base: tree.TypedExpr, name: str, loc: Loc) -> tree.TypedExpr:
        record = base.type
        if not isinstance(record, Record):
            self.context.error(loc, f"request for member '{name}' in a value of type '{record}', which is not a struct or union")
        if record.fields is None:
            self.context.error(loc, f"request for member '{name}' in incomplete type '{record}'")
        path = record.members.get(name)
        if path is None:
            self.context.error(loc, f"'{record}' has no member named '{name}'")
        for field in path:
            base = self.select(base, field, loc)
        return base

    @staticmethod
    def select(base: tree.TypedExpr, field: Field, loc: Loc) -> tree.TypedExpr:
        return tree.MemberExpr(field.type, loc, base, field, field.atomic)

    # ------------------------------------------------------------ the rest

    def _comma(self, node: AstNode) -> tree.TypedExpr:
        exprs = node.exprs
        result = self.any(exprs[0])
        for item in exprs[1:]:
            right = self.value(item)
            result = tree.Comma(right.type, right.loc, self.discard(result), right)
        return result

    def discard(self, expr: tree.TypedExpr) -> tree.TypedExpr:
        """An expression evaluated for its effects."""
        if isinstance(expr.type, (Array, Function)):
            expr = self.decay(expr)
        return expr

    def _cast(self, node: AstNode) -> tree.TypedExpr:
        loc = self.context.loc(node)
        to = self.context.declarations.type_name(node.to_type).type
        return self.cast(self.value(node.expr), to, loc if node.coord is not None else self.context.loc(node.expr))

    def cast(self, expr: tree.TypedExpr, to: CType, loc: Loc) -> tree.TypedExpr:
        """An explicit cast. Where only the type matters, one that only changes qualifiers counts too."""
        if self.context.unevaluated and isinstance(to, Pointer) and expr.type == to:
            return tree.Cast(to, loc, expr)
        if isinstance(to, Void):
            return expr if isinstance(expr.type, Void) else tree.Cast(VOID, loc, expr)
        if isinstance(to, Record):
            if expr.type is to:
                return expr
            self.context.error(loc, f"cast to '{to}', which is not a scalar type")
        if not is_scalar(to):
            self.context.error(loc, f"cast to '{to}'")
        if not is_scalar(expr.type):
            self.context.error(loc, f"cast of a value of type '{expr.type}' to '{to}'")
        if {Float, Pointer} <= {type(to), type(expr.type)}:
            self.context.error(loc, f"cast between '{expr.type}' and '{to}'")
        if isinstance(to, Pointer) and expr.type == to and isinstance(expr.type, Pointer) and expr.type.atomic != to.atomic:
            return tree.Cast(to, loc, expr)
        if expr.type == to and self.is_lvalue(expr):
            return tree.Cast(to, loc, expr)
        return self.conversions.convert(expr, to, loc)

    def _conditional(self, node: AstNode) -> tree.TypedExpr:
        loc = self.context.loc(node)
        condition = self.scalar(node.cond, "condition of '?:'")
        if node.iftrue is None:
            return self._elvis(condition, node, loc)
        known = truth(condition)
        then = self.value_if(known is not False, node.iftrue)
        return self.conditional(condition, then, self.value_if(known is not True, node.iffalse), loc)

    def value_if(self, evaluated: bool, node: AstNode) -> tree.TypedExpr:
        """A value of which it may be known that it is never computed: what it refers to does not count as used then."""
        if evaluated:
            return self.value(node)
        with self.context.without_evaluation():
            return self.value(node)

    def _elvis(self, condition: tree.TypedExpr, node: AstNode, loc: Loc) -> tree.TypedExpr:
        """`a ?: b`: `a` is evaluated once, into a temporary."""
        other = self.value(node.iffalse)
        condition = self.conversions.convert(condition, self.conversions.storable(condition.type), loc)
        known = truth(condition)
        if known is not None or self.context.function is None:
            return self.conditional(condition, condition, other, loc)
        symbol = self.context.temporary("<condition>", condition.type, loc)
        declare = tree.Declare(loc, symbol, tree.Initializer((tree.InitItem(0, condition.type, condition),), False))
        kept = tree.VariableExpr(condition.type, loc, symbol)
        result = self.conditional(kept, kept, other, loc)
        return tree.StatementExpr(result.type, loc, tree.Block(loc, (declare,), loc), result)

    def conditional(self, condition: tree.TypedExpr, then: tree.TypedExpr, other: tree.TypedExpr, loc: Loc) -> tree.TypedExpr:
        then, other = self._branches(then, other, loc)
        known = truth(condition)
        if known is not None:
            return then if known else other
        return tree.Conditional(then.type, loc, condition, then, other)

    def _branches(self, then: tree.TypedExpr, other: tree.TypedExpr, loc: Loc) -> tuple[tree.TypedExpr, tree.TypedExpr]:
        """Both branches of `?:` brought to the type of the whole (C99 6.5.15)."""
        a, b = then.type, other.type
        if isinstance(a, (Int, Float)) and isinstance(b, (Int, Float)):
            left, right, _ = self.conversions.arithmetic(then, other)
            return left, right
        if isinstance(a, Void) or isinstance(b, Void):
            return self.cast(then, VOID, loc), self.cast(other, VOID, loc)
        if isinstance(a, Record) and isinstance(b, Record) and compatible(a, b):
            return then, other
        if isinstance(a, Pointer) or isinstance(b, Pointer):
            to = self._common_pointer(then, other)
            if to is not None:
                convert = self.cast if self.context.unevaluated else self.conversions.convert
                return convert(then, to, loc), convert(other, to, loc)
        self.context.error(loc, f"branches of '?:' have types '{a}' and '{b}', which do not go together")

    @staticmethod
    def _common_pointer(then: tree.TypedExpr, other: tree.TypedExpr) -> CType | None:
        a, b = then.type, other.type
        if not isinstance(a, Pointer) or not isinstance(b, Pointer):
            pointer, number = (a, b) if isinstance(a, Pointer) else (b, a)
            return pointer if isinstance(number, Int) else None
        if is_null_constant(then):
            return b
        if is_null_constant(other):
            return a
        quals = "".join(sorted({*a.quals, *b.quals}))
        return replace(b if isinstance(b.to, Void) else a, quals=quals)

    def _generic(self, node: AstNode) -> tree.TypedExpr:
        with self.context.without_evaluation():
            control = self.value(node.expr).type
        default: AstNode = None
        for association in node.associations:
            if association.type is None:
                default = association
                continue
            declared = self.context.declarations.type_name(association.type)
            qualified = bool(declared.quals or declared.atomic)  # no value has such a type
            if not qualified and compatible(declared.type, control) and same_qualifiers(declared.type, control):
                return self.any(association.expr)
        if default is None:
            self.context.error(node, f"no association of _Generic fits type '{control}'")
        return self.any(default.expr)

    def size(self, node: AstNode, loc: Loc) -> tree.TypedExpr:
        """`sizeof`."""
        ctype = self._operand_type(node)[0]
        self.require_complete(ctype, loc, "sizeof of")
        size = self.context.arrays.size(ctype, loc)
        if size is not None:
            return size
        return tree.IntConstant(self.types.size_t, loc, size_of(ctype))

    def alignment(self, node: AstNode, loc: Loc, least: bool) -> tree.TypedExpr:
        """`_Alignof` (`least`) and `__alignof__`. They differ for types: C's gives what members get, GNU's what variables get."""
        ctype, atomic, align = self._operand_type(node)
        if not align:
            if not (least and isinstance(node, c_ast.Typename)):
                align = preferred_align(ctype)
            elif isinstance(ctype, Array):
                align = align_of(ctype)
            align = max(align, natural_align(MemberSpec("", ctype, atomic)))
        return tree.IntConstant(self.types.size_t, loc, align)

    def _operand_type(self, node: AstNode) -> tuple[CType, bool, int]:
        """Type of an operand that is not evaluated, whether it is atomic, and the alignment that its declaration gives it, if it does."""
        if isinstance(node, c_ast.Typename):
            declared = self.context.declarations.type_name(node)
            return declared.type, declared.atomic, declared.align
        with self.context.without_evaluation():
            expr = self.any(node)
        if isinstance(expr, tree.MemberExpr) and expr.field.bit_width is not None:
            self.context.error(node, f"sizeof of bit-field '{expr.field.name}'")
        align = expr.field.align if isinstance(expr, tree.MemberExpr) else expr.symbol.align if isinstance(expr, tree.VariableExpr) else 0
        return expr.type, self.is_atomic(expr), align
