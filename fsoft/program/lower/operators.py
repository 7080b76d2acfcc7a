"""C operators on values: which bit-vector operator each one is, conversions, and the conditions of the optional checks."""

from __future__ import annotations

from fsoft.frontend import types as ct
from fsoft.program.expr import Expr, binary, bits_of_float, const, make, negate, nonzero, resize
from fsoft.program.lower.layout import is_signed, value_bits

_PLAIN = {"+": "add", "-": "sub", "*": "mul", "&": "and", "|": "or", "^": "xor"}
_FLOAT = {"+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv"}
COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})


def compare(op: str, ctype: ct.CType, a: Expr, b: Expr) -> Expr:
    """One bit; `ctype` is the operands' common type."""
    if op in (">", ">="):
        return compare("<" if op == ">" else "<=", ctype, b, a)
    if isinstance(ctype, ct.Float):
        if op == "!=":
            return negate(binary("feq", a, b))
        return binary({"==": "feq", "<": "flt", "<=": "fle"}[op], a, b)
    if op == "==":
        return binary("eq", a, b)
    if op == "!=":
        return negate(binary("eq", a, b))
    return binary(("s" if is_signed(ctype) else "u") + {"<": "lt", "<=": "le"}[op], a, b)


def shift_count(count: Expr, width: int) -> Expr:
    """The distance as the machine takes it: modulo the width, if that is a power of two."""
    if width & (width - 1):
        return resize(count, width, False)
    return make("and", width, (resize(count, width, False), const(width - 1, width)))


def arithmetic(op: str, ctype: ct.CType, a: Expr, b: Expr) -> Expr:
    """`a op b` computed in `ctype` (for shifts `b` may have another width)."""
    width = a.width
    if isinstance(ctype, ct.Float):
        return binary(_FLOAT[op], a, b)
    if op in _PLAIN:
        return binary(_PLAIN[op], a, b)
    if op == "/":
        return binary("sdiv" if is_signed(ctype) else "udiv", a, b)
    if op == "%":
        return binary("srem" if is_signed(ctype) else "urem", a, b)
    if op == "<<":
        return binary("shl", a, shift_count(b, width))
    return binary("ashr" if is_signed(ctype) else "lshr", a, shift_count(b, width))


def no_overflow(op: str, ctype: ct.CType, a: Expr, b: Expr) -> Expr:
    """The condition under which signed `a op b` does not overflow."""
    width = a.width
    if op == "/" or op == "%":
        lowest = binary("eq", a, const(1 << (width - 1), width))
        minus_one = binary("eq", b, const(-1, width))
        return negate(make("and", 1, (lowest, minus_one)))
    wide = width * 2 if op == "*" else width + 1
    exact = binary(_PLAIN[op], resize(a, wide, True), resize(b, wide, True))
    wrapped = resize(binary(_PLAIN[op], a, b), wide, True)
    return binary("eq", exact, wrapped)


def good_shift(op: str, left: ct.CType, count: Expr, count_type: ct.CType) -> Expr:
    """The distance is within the width of the left operand and not negative."""
    limit = const(value_bits(left), count.width)
    return binary("ult", count, limit)


def float_fits(value: Expr, target: ct.Int) -> Expr:
    """A floating number without its fraction is a value of the integer type: greater than the lowest one less one, less than the
    highest one and one."""
    bits = value_bits(target)
    lowest, end = (-(1 << (bits - 1)), 1 << (bits - 1)) if target.signed else (0, 1 << bits)
    mantissa = 24 if value.width == 32 else 53
    if lowest - 1 < -(1 << mantissa):  # not a floating number, as none below `lowest` is near it
        above = binary("fle", const(bits_of_float(float(lowest), value.width), value.width), value)
    else:
        above = binary("flt", const(bits_of_float(float(lowest - 1), value.width), value.width), value)
    return make("and", 1, (above, binary("flt", value, const(bits_of_float(float(end), value.width), value.width))))


def convert(value: Expr, source: ct.CType, target: ct.CType) -> Expr:
    """A C conversion between scalar types."""
    if isinstance(target, ct.Void):
        return value
    if isinstance(target, ct.Int) and target.name == "_Bool":
        return resize(truth(value, source), 8, False)
    width = value_bits(target)
    if isinstance(source, ct.Float):
        if isinstance(target, ct.Float):
            return value if value.width == width else make("fconv", width, (value,))
        if is_signed(target) or width < 32:
            return resize(make("ftoi", max(width, 32), (value,)), width, True)
        return make("ftou", width, (value,))
    if isinstance(target, ct.Float):
        return make("itof" if is_signed(source) else "utof", width, (value,))
    signed = is_signed(source) or isinstance(source, ct.Pointer)
    return resize(value, width, signed)


def truth(value: Expr, ctype: ct.CType) -> Expr:
    """One bit: the value is not zero."""
    if isinstance(ctype, ct.Float):
        return negate(binary("feq", value, const(bits_of_float(0.0, value.width), value.width)))
    return nonzero(value)


def float_negate(value: Expr) -> Expr:
    return make("xor", value.width, (value, const(1 << (value.width - 1), value.width)))
