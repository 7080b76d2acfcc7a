"""Which types go together and how a value changes its type (C99 6.2.7, 6.3, 6.5.16.1)."""

from __future__ import annotations

from fsoft.frontend import tree
from fsoft.frontend.sema.constants import convert_value, is_exact
from fsoft.frontend.source import InputError, Loc
from fsoft.frontend.types import Array, CType, Float, Function, Int, Pointer, Record, Types, Void

_FLOAT_RANK = {"float": 1, "double": 2, "long double": 3}


def is_arithmetic(ctype: CType) -> bool:
    return isinstance(ctype, (Int, Float))


def bit_width(expr: tree.TypedExpr) -> int | None:
    """The width of the bit-field whose value this is, if it is one."""
    while True:
        if isinstance(expr, tree.MemberExpr):
            return expr.field.bit_width
        if isinstance(expr, (tree.Assignment, tree.CompoundAssign)):
            expr = expr.target
        elif isinstance(expr, tree.Comma):
            expr = expr.right
        else:
            return None


def is_null_constant(expr: tree.TypedExpr) -> bool:
    """`0`, `(void *)0` and whatever else folds to one of these."""
    if not isinstance(expr, tree.IntConstant) or expr.value != 0:
        return False
    return isinstance(expr.type, Int) or (isinstance(expr.type, Pointer) and isinstance(expr.type.to, Void))


class Conversions:
    """The conversions of one data model. Constants are converted on the spot."""

    def __init__(self, types: Types):
        self.types = types

    def promote_type(self, ctype: Int) -> Int:
        """Integer promotion of a type; enumerations become the plain integer type below them."""
        types = self.types
        if ctype.rank < types.int.rank or ctype.bits < types.int.bits:
            return types.int
        if ctype.width:
            return ctype
        if ctype.rank == types.int.rank:
            return types.int if ctype.signed else types.uint
        return self.standard(ctype)

    def standard(self, ctype: Int) -> Int:
        """The standard integer type that an enumeration or an aligned variant stands for."""
        types = self.types
        for pair in ((types.long, types.ulong), (types.llong, types.ullong), (types.int128, types.uint128)):
            if ctype.rank == pair[0].rank:
                return pair[0] if ctype.signed else pair[1]
        return ctype

    def storable(self, ctype: CType) -> CType:
        """The type for a variable that holds a value of this type: not the narrow one that a wide bit-field computes in."""
        return self.standard(ctype) if isinstance(ctype, Int) and ctype.width else ctype

    def unsigned(self, ctype: Int) -> Int:
        """The unsigned type of the same rank."""
        types = self.types
        for candidate in (types.uint, types.ulong, types.ullong, types.uint128):
            if candidate.rank == ctype.rank:
                return candidate
        return ctype

    def promote(self, expr: tree.TypedExpr) -> tree.TypedExpr:
        """Integer promotion of a value (a bit-field by its width); other types are left alone."""
        ctype = expr.type
        if not isinstance(ctype, Int):
            return expr
        width = bit_width(expr)
        if width is not None and width != ctype.bits:
            return self.convert(expr, self._promoted_bit_field(ctype, width), expr.loc)
        return self.convert(expr, self.promote_type(ctype), expr.loc)

    def _promoted_bit_field(self, ctype: Int, width: int) -> Int:
        bits = self.types.int.bits
        if width < bits or (width == bits and ctype.signed):
            return self.types.int
        if width == bits:
            return self.types.uint
        whole = self.standard(ctype)
        if width == whole.bits:
            return whole
        return Int(f"{whole.name}:{width}", whole.size, whole.signed, whole.rank, whole.align, width)

    def common(self, left: CType, right: CType) -> CType:
        """The usual arithmetic conversions on promoted types."""
        if left == right:
            return left
        if isinstance(left, Float) or isinstance(right, Float):
            if not isinstance(left, Float):
                return right
            if not isinstance(right, Float):
                return left
            return left if _FLOAT_RANK.get(left.name, 4) >= _FLOAT_RANK.get(right.name, 4) else right
        assert isinstance(left, Int) and isinstance(right, Int)
        if left.signed == right.signed:
            return left if (left.bits, left.rank) >= (right.bits, right.rank) else right
        signed, unsigned = (left, right) if left.signed else (right, left)
        if (unsigned.bits, unsigned.rank) >= (signed.bits, signed.rank):
            return unsigned
        return signed if signed.bits > unsigned.bits else self.unsigned(signed)

    def arithmetic(self, left: tree.TypedExpr, right: tree.TypedExpr) -> tuple[tree.TypedExpr, tree.TypedExpr, CType]:
        """Both operands brought to their common type."""
        left, right = self.promote(left), self.promote(right)
        common = self.common(left.type, right.type)
        return self.convert(left, common, left.loc), self.convert(right, common, right.loc), common

    def default_promotion(self, expr: tree.TypedExpr) -> tree.TypedExpr:
        """What an argument becomes where no prototype says otherwise."""
        if isinstance(expr.type, Float) and expr.type.name == "float":
            return self.convert(expr, self.types.double, expr.loc)
        promoted = self.promote(expr)
        return self.convert(promoted, self.storable(promoted.type), expr.loc)

    def convert(self, expr: tree.TypedExpr, to: CType, loc: Loc) -> tree.TypedExpr:
        """A value as another scalar type (or void); no question whether C allows it implicitly."""
        if expr.type is to or expr.type == to:
            return expr
        if isinstance(expr, (tree.IntConstant, tree.FloatConstant)) and is_exact(expr):
            converted = convert_value(expr.value, to)
            wide = to is self.types.ldouble and converted is not None and converted[0] != expr.value
            if converted is not None and converted[1] and not wide:
                return self.number(to, loc, converted[0])
        return tree.Cast(to, loc, expr)

    @staticmethod
    def number(ctype: CType, loc: Loc, value: int | float) -> tree.TypedExpr:
        if isinstance(ctype, Float):
            return tree.FloatConstant(ctype, loc, float(value))
        assert isinstance(value, int)
        return tree.IntConstant(ctype, loc, value)

    def assign(self, expr: tree.TypedExpr, to: CType, loc: Loc, doing: str) -> tree.TypedExpr:
        """Implicit conversion as by assignment. `doing` completes "incompatible types when ..."."""
        have = expr.type
        if have is to or have == to:
            return expr
        if isinstance(have, Void):
            raise InputError(loc, f"void value used when {doing}")
        scalar = (Int, Float, Pointer)
        if isinstance(have, scalar) and isinstance(to, scalar):
            if not {Float, Pointer} <= {type(have), type(to)}:
                return self.convert(expr, to, loc)
        elif isinstance(have, Record) and isinstance(to, Record) and compatible(have, to):
            return expr
        raise InputError(loc, f"incompatible types when {doing}: '{to}' from '{have}'")


def compatible(left: CType, right: CType) -> bool:
    """C99 6.2.7, qualifiers aside. Records of different files are compared member by member."""
    return _compatible(left, right, set())


def _compatible(left: CType, right: CType, assumed: set[tuple[int, int]]) -> bool:
    if left is right:
        return True
    if isinstance(left, Int) and isinstance(right, Int):
        if left.name == right.name:
            return True
        same = (left.size, left.signed, left.rank) == (right.size, right.signed, right.rank)
        return same and (left.name.startswith("enum ") or right.name.startswith("enum "))
    if isinstance(left, Float) and isinstance(right, Float):
        return left.name == right.name
    if isinstance(left, Pointer) and isinstance(right, Pointer):
        return _compatible(left.to, right.to, assumed)
    if isinstance(left, Array) and isinstance(right, Array):
        sizes = left.count is None or right.count is None or left.count == right.count
        return sizes and _compatible(left.element, right.element, assumed)
    if isinstance(left, Function) and isinstance(right, Function):
        return _compatible_functions(left, right, assumed)
    if isinstance(left, Record) and isinstance(right, Record):
        return _compatible_records(left, right, assumed)
    return isinstance(left, Void) and isinstance(right, Void)


def same_qualifiers(left: CType, right: CType) -> bool:
    """Whether compatible types agree on the qualifiers of what they point to."""
    while isinstance(left, (Pointer, Array)) and isinstance(right, (Pointer, Array)):
        if isinstance(left, Pointer) and isinstance(right, Pointer):
            if (left.atomic, left.quals) != (right.atomic, right.quals):
                return False
            left, right = left.to, right.to
        elif isinstance(left, Array) and isinstance(right, Array):
            left, right = left.element, right.element
        else:
            return False
    return True


def _compatible_functions(left: Function, right: Function, assumed: set[tuple[int, int]]) -> bool:
    if not _compatible(left.result, right.result, assumed):
        return False
    if left.params is None or right.params is None:
        return True
    if len(left.params) != len(right.params) or left.variadic != right.variadic:
        return False
    return all(_compatible(a, b, assumed) for a, b in zip(left.params, right.params))


def _compatible_records(left: Record, right: Record, assumed: set[tuple[int, int]]) -> bool:
    if left.kind != right.kind or left.tag != right.tag:
        return False
    if left.fields is None or right.fields is None or (id(left), id(right)) in assumed:
        return True
    if len(left.fields) != len(right.fields) or left.size != right.size:
        return False
    assumed.add((id(left), id(right)))
    for a, b in zip(left.fields, right.fields):
        if (a.name, a.offset, a.bit_offset, a.bit_width) != (b.name, b.offset, b.bit_offset, b.bit_width):
            return False
        if not _compatible(a.type, b.type, assumed):
            return False
    return True


def composite(old: CType, new: CType) -> CType:
    """Of two compatible types, one that knows what either knows (array sizes, parameters)."""
    if isinstance(old, Array) and isinstance(new, Array):
        element = composite(old.element, new.element)
        return Array(element, old.count if new.count is None else new.count, old.atomic or new.atomic)
    if isinstance(old, Function) and isinstance(new, Function):
        return old if new.params is None else new
    if isinstance(old, Pointer) and isinstance(new, Pointer):
        return Pointer(composite(old.to, new.to), old.size, old.atomic or new.atomic, new.quals)
    return new
