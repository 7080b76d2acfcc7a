"""Compiler builtins: which there are, how a call of one is typed, and which are worked out here.

`__atomic_*`, `__sync_*` and `__c11_atomic_*` stay calls of that name; their type comes from the pointer argument. Builtins that
are library functions (`__builtin_memcpy`) become calls of the plain name. What is constant is folded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from pycparser import c_ast

from fsoft.frontend import tree
from fsoft.frontend.sema.atomics import AtomicAnalyzer
from fsoft.frontend.sema.context import AstNode, UnitContext
from fsoft.frontend.sema.conversions import compatible
from fsoft.frontend.sema.variable_arguments import VariableArgumentAnalyzer
from fsoft.frontend.source import Loc
from fsoft.frontend.types import VOID, Array, CType, Float, Function, Int, Pointer, Record, size_of

_BITS = re.compile(r"__builtin_(popcount|parity|ffs|clz|ctz|clrsb)(l|ll|)$")
_SWAP = re.compile(r"__builtin_bswap(16|32|64)$")
_REAL = re.compile(r"__builtin_(huge_val|inf|nan|nans)(f|l|)$")
_OVERFLOW = re.compile(r"__builtin_([su]?)(add|sub|mul)(l|ll|)_overflow$")
_CHECKED = re.compile(r"__builtin___(memcpy|memmove|memset|mempcpy|strcpy|strncpy|strcat|strncat|stpcpy)_chk$")
_COMPARE = {
    "isgreater": ">", "isgreaterequal": ">=", "isless": "<", "islessequal": "<=",
}  # fmt: skip
_CLASSIFY = frozenset(("isnan", "isinf", "isfinite", "isnormal", "signbit", "isinf_sign"))
_VARIADIC = frozenset(("va_arg_pack", "va_arg_pack_len", "next_arg"))
_NO_MODEL = frozenset(("return_address", "frame_address", "apply", "apply_args", "return", "eh_return", "shuffle", "complex"))


def _bit_count(name: str, value: int, bits: int) -> int | None:
    """The result of a bit-counting builtin on a constant; None where it is undefined."""
    value &= (1 << bits) - 1
    if name == "popcount":
        return value.bit_count()
    if name == "parity":
        return value.bit_count() & 1
    if name == "ffs":
        return (value & -value).bit_length()
    if name == "clrsb":
        return bits - 1 - (value ^ ((1 << bits) - 1) if value >> (bits - 1) else value).bit_length()
    if value == 0:
        return None
    return bits - value.bit_length() if name == "clz" else (value & -value).bit_length() - 1


def _plain_value(expr: tree.TypedExpr) -> bool:
    """A constant or the address of a variable: nothing happens when it is evaluated."""
    while isinstance(expr, tree.Cast):
        expr = expr.operand
    if isinstance(expr, tree.AddressOf):
        return isinstance(expr.lvalue, (tree.VariableExpr, tree.StringLiteral, tree.FunctionName))
    return isinstance(expr, (tree.IntConstant, tree.FloatConstant))


class Builtins:
    def __init__(self, context: UnitContext):
        self.context = context
        self.types = context.types
        self.atomics = AtomicAnalyzer(context, self.beside)
        self.variable_arguments = VariableArgumentAnalyzer(context)
        self._special: dict[str, Callable[[list[AstNode], Loc], tree.TypedExpr]] = {
            "__builtin_expect": self._expect,
            "__builtin_expect_with_probability": self._expect,
            "__builtin_constant_p": self._constant_p,
            "__builtin_types_compatible_p": self._types_compatible,
            "__builtin_choose_expr": self._choose,
            "__builtin_offsetof": self._offsetof,
            "__builtin_object_size": self._object_size,
            "__builtin_dynamic_object_size": self._object_size,
            "__builtin_assume_aligned": self._assume_aligned,
            "__builtin_prefetch": self._prefetch,
            "__builtin_unreachable": self._no_arguments("__builtin_unreachable"),
            "__builtin_trap": self._no_arguments("__builtin_trap"),
            "__builtin_LINE": lambda args, loc: tree.IntConstant(self.types.int, loc, loc.line),
            "__builtin_FILE": lambda args, loc: self._text(loc.file, loc),
            "__builtin_FUNCTION": lambda args, loc: self._text(context.function.name if context.function else "", loc),
        }

    def call(self, name: str, args: list[AstNode], loc: Loc) -> tree.TypedExpr | None:
        """The typed call of a builtin, or None if `name` is not one."""
        if not name.startswith("__"):
            return None
        special = self._special.get(name)
        if special is not None:
            return special(args, loc)
        if name.startswith(("__atomic_", "__sync_", "__c11_atomic_")):
            return self.atomics.call(name, args, loc)
        if not name.startswith("__builtin_"):
            return None
        return self.variable_arguments.call(name, args, loc) or self._patterned(name, args, loc) or self._plain(name, args, loc)

    def _patterned(self, name: str, args: list[AstNode], loc: Loc) -> tree.TypedExpr | None:
        if match := _BITS.match(name):
            return self._bits(name, match.group(1), match.group(2), args, loc)
        if match := _SWAP.match(name):
            return self._swap(name, int(match.group(1)), args, loc)
        if match := _REAL.match(name):
            ctype = {"f": self.types.float, "l": self.types.ldouble, "": self.types.double}[match.group(2)]
            return tree.FloatConstant(ctype, loc, math.nan if match.group(1).startswith("nan") else math.inf)
        if match := _OVERFLOW.match(name):
            return self._overflow(match.group(1), match.group(2), match.group(3), args, loc)
        if match := _CHECKED.match(name):
            return self.beside(self.context.calls.by_name(match.group(1), args[:-1], loc), args[-1:], loc)
        return None

    def _plain(self, name: str, args: list[AstNode], loc: Loc) -> tree.TypedExpr:
        plain = name[len("__builtin_") :]
        if plain in _VARIADIC:
            self.context.unsupported(loc, f"'{name}': the arguments of an inlined call, which are not modelled")
        if plain == "alloca_with_align":
            return self.context.calls.by_name("alloca", args[:1], loc)
        if plain in _COMPARE:
            self._count(plain, args, 2, loc)
            values = [self.context.expressions.value(arg) for arg in args]
            return self.context.operators.apply(_COMPARE[plain], values[0], values[1], loc)
        if plain in _CLASSIFY:
            return self._classify(name, args, loc)
        if plain in _NO_MODEL or not plain[:1].isalpha():
            self.context.unsupported(loc, f"builtin function '{name}'")
        if self.context.lookup(plain) is None and self.context.calls.undeclared(plain) is None:
            self.context.unsupported(loc, f"builtin function '{name}'")
        return self.context.calls.by_name(plain, args, loc)

    # ------------------------------------------------------------ helpers

    def typed(self, name: str, result: CType, params: tuple[CType, ...], args: list[AstNode], loc: Loc) -> tree.TypedExpr:
        """A call of builtin `name` with this type."""
        self._count(name, args, len(params), loc)
        ctype = Function(result, params)
        values = [self.context.expressions.value(arg) for arg in args]
        return self.context.calls.finish(tree.FunctionName(ctype, loc, name), ctype, values, loc, f"'{name}'")

    def _count(self, name: str, args: list[AstNode], count: int, loc: Loc) -> None:
        if len(args) != count:
            self.context.error(loc, f"'{name}' takes {count} argument{'s' * (count != 1)}, {len(args)} given")

    def beside(self, value: tree.TypedExpr, others: list[AstNode], loc: Loc) -> tree.TypedExpr:
        """The value; the other arguments of the builtin are evaluated, and that is all."""
        rest = [self.context.expressions.value(other) for other in others]
        rest = [expr for expr in rest if not _plain_value(expr)]
        if not rest:
            return value
        function = Function(value.type, tuple(expr.type for expr in (value, *rest)))
        return tree.Call(value.type, loc, tree.FunctionName(function, loc, "__fsoft_first"), (value, *rest))

    def _no_arguments(self, name: str) -> Callable[[list[AstNode], Loc], tree.TypedExpr]:
        return lambda args, loc: self.typed(name, VOID, (), args, loc)

    def _int(self, value: int, loc: Loc) -> tree.TypedExpr:
        return tree.IntConstant(self.types.int, loc, value)

    def _text(self, text: str, loc: Loc) -> tree.TypedExpr:
        data = text.encode("utf-8", "surrogateescape") + b"\0"
        return self.context.expressions.decay(tree.StringLiteral(Array(self.types.char, len(data)), loc, data))

    def _sized(self, suffix: str, signed: bool) -> Int:
        types = self.types
        table = {"": (types.int, types.uint), "l": (types.long, types.ulong), "ll": (types.llong, types.ullong)}
        return table[suffix][0 if signed else 1]

    # ------------------------------------------------------------ folded here

    def _expect(self, args: list[AstNode], loc: Loc) -> tree.TypedExpr:
        if len(args) < 2:
            self._count("__builtin_expect", args, 2, loc)
        value = self.context.expressions.scalar(args[0], "argument of '__builtin_expect'")
        return self.beside(self.context.conversions.convert(value, self.types.long, loc), args[1:], loc)

    def _constant_p(self, args: list[AstNode], loc: Loc) -> tree.TypedExpr:
        self._count("__builtin_constant_p", args, 1, loc)
        with self.context.without_evaluation():
            expr = self.context.expressions.any(args[0])
        constant = isinstance(expr, (tree.IntConstant, tree.FloatConstant, tree.StringLiteral))
        return self._int(int(constant), loc)

    def _types_compatible(self, args: list[AstNode], loc: Loc) -> tree.TypedExpr:
        self._count("__builtin_types_compatible_p", args, 2, loc)
        left, right = (self.context.declarations.type_name(arg).type for arg in args)
        return self._int(int(compatible(left, right)), loc)

    def _choose(self, args: list[AstNode], loc: Loc) -> tree.TypedExpr:
        self._count("__builtin_choose_expr", args, 3, loc)
        condition = self.context.expressions.integer_constant(args[0], "first argument of '__builtin_choose_expr'")
        return self.context.expressions.any(args[1] if condition else args[2])

    def _object_size(self, args: list[AstNode], loc: Loc) -> tree.TypedExpr:
        """Nothing is known about the object: -1 for an upper bound, 0 for a lower bound."""
        self._count("__builtin_object_size", args, 2, loc)
        kind = self.context.expressions.integer_constant(args[1], "second argument of '__builtin_object_size'")
        return tree.IntConstant(self.types.size_t, loc, 0 if kind & 2 else (1 << self.types.size_t.bits) - 1)

    def _assume_aligned(self, args: list[AstNode], loc: Loc) -> tree.TypedExpr:
        pointer = self.context.expressions.cast(self.context.expressions.value(args[0]), self.types.void_ptr, loc)
        return self.beside(pointer, args[1:], loc)

    def _prefetch(self, args: list[AstNode], loc: Loc) -> tree.TypedExpr:
        return self.context.expressions.cast(self.beside(self.context.expressions.value(args[0]), args[1:], loc), VOID, loc)

    def _offsetof(self, args: list[AstNode], loc: Loc) -> tree.TypedExpr:
        """`__builtin_offsetof(T, a.b[i])`: constant, or an expression if an index is one."""
        self._count("__builtin_offsetof", args, 2, loc)
        record = self.context.declarations.type_name(args[0]).type
        if not isinstance(record, Record):
            self.context.error(loc, f"offsetof in '{record}', which is not a struct or union")
        _, offset = self._offset(record, args[1], loc)
        return self.context.conversions.convert(offset, self.types.size_t, loc)

    def _offset(self, record: Record, node: AstNode, loc: Loc) -> tuple[CType, tree.TypedExpr]:
        """Type and offset of a member designator."""
        if type(node) is c_ast.ID:
            return self._member_offset(record, node.name, tree.IntConstant(self.types.size_t, loc, 0), loc)
        if type(node) is c_ast.StructRef:
            inner, offset = self._offset(record, node.name, loc)
            return self._member_offset(inner, node.field.name, offset, loc)
        if type(node) is c_ast.ArrayRef:
            array, offset = self._offset(record, node.name, loc)
            if not isinstance(array, Array):
                self.context.error(loc, f"offsetof: '{array}' is not an array")
            index = self.context.conversions.convert(self.context.expressions.value(node.subscript), self.types.size_t, loc)
            size = tree.IntConstant(self.types.size_t, loc, size_of(array.element))
            scaled = self.context.operators.apply("*", index, size, loc)
            return array.element, self.context.operators.apply("+", offset, scaled, loc)
        self.context.error(loc, "offsetof: not a member")

    def _member_offset(self, record: CType, name: str, offset: tree.TypedExpr, loc: Loc) -> tuple[CType, tree.TypedExpr]:
        path = record.members.get(name) if isinstance(record, Record) else None
        if path is None:
            self.context.error(loc, f"'{record}' has no member named '{name}'")
        if path[-1].bit_width is not None:
            self.context.error(loc, f"offsetof of bit-field '{name}'")
        inside = tree.IntConstant(self.types.size_t, loc, sum(field.offset for field in path))
        return path[-1].type, self.context.operators.apply("+", offset, inside, loc)

    # ------------------------------------------------------------ arithmetic

    def _bits(self, name: str, kind: str, suffix: str, args: list[AstNode], loc: Loc) -> tree.TypedExpr:
        ctype = self._sized(suffix, kind in ("ffs", "clrsb"))
        call = self.typed(name, self.types.int, (ctype,), args, loc)
        argument = call.args[0] if isinstance(call, tree.Call) else None
        if isinstance(argument, tree.IntConstant):
            result = _bit_count(kind, argument.value, ctype.bits)
            return call if result is None else self._int(result, loc)
        return call

    def _swap(self, name: str, bits: int, args: list[AstNode], loc: Loc) -> tree.TypedExpr:
        wide = self.types.ulong if self.types.long.size == 8 else self.types.ullong
        ctype = {16: self.types.ushort, 32: self.types.uint, 64: wide}[bits]
        call = self.typed(name, ctype, (ctype,), args, loc)
        argument = call.args[0] if isinstance(call, tree.Call) else None
        if isinstance(argument, tree.IntConstant):
            return tree.IntConstant(ctype, loc, int.from_bytes(argument.value.to_bytes(bits // 8, "little"), "big"))
        return call

    def _overflow(self, sign: str, op: str, suffix: str, args: list[AstNode], loc: Loc) -> tree.TypedExpr:
        """`__builtin_add_overflow(a, b, result)` and the variants that fix the type; operands keep their own types."""
        name = f"__builtin_{op}_overflow"
        self._count(name, args, 3, loc)
        left, right, target = (self.context.expressions.value(arg) for arg in args)
        if not isinstance(target.type, Pointer) or not isinstance(target.type.to, Int):
            self.context.error(loc, f"third argument of '{name}' is not a pointer to an integer")
        if sign:
            ctype = self._sized(suffix, sign == "s")
            left, right = (self.context.conversions.assign(side, ctype, loc, f"calling '{name}'") for side in (left, right))
        if not isinstance(left.type, Int) or not isinstance(right.type, Int):
            self.context.error(loc, f"operands of '{name}' are not integers")
        function = Function(self.types.bool, (left.type, right.type, target.type))
        return tree.Call(self.types.bool, loc, tree.FunctionName(function, loc, name), (left, right, target))

    def _classify(self, name: str, args: list[AstNode], loc: Loc) -> tree.TypedExpr:
        self._count(name, args, 1, loc)
        value = self.context.expressions.value(args[0])
        if not isinstance(value.type, Float):
            self.context.error(loc, f"argument of '{name}' is not a floating number")
        function = Function(self.types.int, (value.type,))
        return tree.Call(self.types.int, loc, tree.FunctionName(function, loc, name), (value,))
