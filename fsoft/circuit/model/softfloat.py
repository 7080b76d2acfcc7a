"""IEEE 754 in integer operators: exact, round to nearest even, subnormals included; every NaN result is the canonical one.

`lower_float` rewrites one floating-point node into a term of integer operators with the same value as `expr.operate` gives.
A number is `significand / 2**(S-1) * 2**(exponent - bias)` where the significand has S bits (its top bit is the unit) and
its lowest bit is sticky; `_round` turns that into a packed word. Exponents are signed words of `_EXP` bits.
"""

from __future__ import annotations

from typing import NamedTuple

from fsoft.program import expr
from fsoft.program.expr import Expr, binary, conj, const, disj, eq, ite, make, negate, nonzero

FLOAT_OPERATORS = frozenset({"fadd", "fsub", "fmul", "fdiv", "feq", "flt", "fle", "fconv", "itof", "utof", "ftoi", "ftou"})
_EXP = 16


class _Format(NamedTuple):
    width: int
    mantissa: int

    @property
    def exponent(self) -> int:
        return self.width - 1 - self.mantissa

    @property
    def bias(self) -> int:
        return (1 << (self.exponent - 1)) - 1


_FORMATS = {32: _Format(32, 23), 64: _Format(64, 52)}


class _Float(NamedTuple):
    """An unpacked operand: `exp` is biased and 1 for subnormals, `sig` has the hidden bit on top."""

    sign: Expr
    exp: Expr
    sig: Expr
    nan: Expr
    inf: Expr
    zero: Expr


def lower_float(node: Expr) -> Expr:
    """The node with integer operators only (its operands are left as they are)."""
    op, a = node.op, node.args[0]
    if op in ("itof", "utof"):
        return _from_integer(a, node.width, op == "itof")
    if op in ("ftoi", "ftou"):
        return _to_integer(a, node.width, op == "ftoi")
    if op == "fconv":
        return _convert(a, node.width)
    b = node.args[1]
    if op == "fsub":
        b = make("xor", b.width, (b, const(1 << (b.width - 1), b.width)))
    if op in ("fadd", "fsub"):
        return _add(a, b)
    if op == "fmul":
        return _multiply(a, b)
    if op == "fdiv":
        return _divide(a, b)
    if op == "feq":
        return _equal(a, b)
    return _less(a, b, op == "fle")


# ---------------------------------------------------------------- small words


def _bits(a: Expr, high: int, low: int) -> Expr:
    return make("extract", high - low + 1, (a,), low)


def _join(high: Expr, low: Expr) -> Expr:
    return make("concat", high.width + low.width, (high, low))


def _grow(a: Expr, width: int) -> Expr:
    return a if a.width == width else make("zext", width, (a,))


def _pad(a: Expr, width: int) -> Expr:
    """Zeros below, up to `width` bits."""
    return a if a.width >= width else _join(a, const(0, width - a.width))


def _exp(value: int) -> Expr:
    return const(value, _EXP)


def _plus(a: Expr, value: int) -> Expr:
    return binary("add", a, const(value, a.width))


def _unpack(a: Expr) -> _Float:
    form = _FORMATS[a.width]
    m, e = form.mantissa, form.exponent
    field, fraction = _bits(a, m + e - 1, m), _bits(a, m - 1, 0)
    low, top = eq(field, const(0, e)), eq(field, const((1 << e) - 1, e))
    blank = eq(fraction, const(0, m))
    exp = ite(low, _exp(1), _grow(field, _EXP))
    return _Float(
        _bits(a, a.width - 1, a.width - 1),
        exp,
        _join(negate(low), fraction),
        conj(top, negate(blank)),
        conj(top, blank),
        conj(low, blank),
    )


def _nan(form: _Format) -> Expr:
    return const(expr.bits_of_float(float("nan"), form.width), form.width)


def _infinity(sign: Expr, form: _Format) -> Expr:
    return _join(sign, const(((1 << form.exponent) - 1) << form.mantissa, form.width - 1))


def _zero(sign: Expr, form: _Format) -> Expr:
    return _join(sign, const(0, form.width - 1))


# ---------------------------------------------------------------- shifting and rounding


def _normalise(exp: Expr, sig: Expr) -> tuple[Expr, Expr]:
    """Shifts leading zeros out; a zero significand stays zero."""
    step = 1 << (sig.width - 1).bit_length()
    while step > 1:
        step >>= 1
        if step >= sig.width:
            continue
        idle = eq(_bits(sig, sig.width - 1, sig.width - step), const(0, step))
        sig = ite(idle, _join(_bits(sig, sig.width - step - 1, 0), const(0, step)), sig)
        exp = ite(idle, _plus(exp, -step), exp)
    return exp, sig


def _shift_sticky(sig: Expr, amount: Expr) -> Expr:
    """Right by `amount` (unsigned, _EXP bits); what falls out is collected in the lowest bit."""
    step = 1
    stage = 0
    while step < sig.width:
        go = _bits(amount, stage, stage)
        kept = _grow(_bits(sig, sig.width - 1, step), sig.width)
        lost = nonzero(_bits(sig, step - 1, 0))
        moved = binary("or", kept, _grow(lost, sig.width))
        sig = ite(go, moved, sig)
        step <<= 1
        stage += 1
    far = nonzero(_bits(amount, _EXP - 1, stage))
    return ite(far, _grow(nonzero(sig), sig.width), sig)


def _round(sign: Expr, exp: Expr, sig: Expr, form: _Format) -> Expr:
    """Packs a finite number; `sig` has at least mantissa + 3 bits."""
    m, e = form.mantissa, form.exponent
    exp, sig = _normalise(exp, sig)
    tiny = binary("slt", exp, _exp(1))
    sig = ite(tiny, _shift_sticky(sig, binary("sub", _exp(1), exp)), sig)
    top = sig.width - 1
    kept = _bits(sig, top - 1, top - m)
    guard = _bits(sig, top - m - 1, top - m - 1)
    rest = nonzero(_bits(sig, top - m - 2, 0))
    up = conj(guard, disj(rest, _bits(kept, 0, 0)))
    field = ite(_bits(sig, top, top), _bits(exp, e - 1, 0), const(0, e))
    packed = binary("add", _join(field, kept), _grow(up, m + e))
    huge = conj(negate(tiny), binary("sle", _exp((1 << e) - 1), exp))
    blank = eq(sig, const(0, sig.width))
    result = ite(conj(huge, negate(blank)), _infinity(sign, form), _join(sign, packed))
    return ite(blank, _zero(sign, form), result)


# ---------------------------------------------------------------- operators


def _add(a: Expr, b: Expr) -> Expr:
    form = _FORMATS[a.width]
    swap = binary("ult", _bits(a, a.width - 2, 0), _bits(b, b.width - 2, 0))
    big, small = _unpack(ite(swap, b, a)), _unpack(ite(swap, a, b))
    width = form.mantissa + 5  # a carry bit above, three guard bits below
    first = _grow(_pad(big.sig, width - 1), width)
    second = _shift_sticky(_grow(_pad(small.sig, width - 1), width), binary("sub", big.exp, small.exp))
    minus = binary("xor", big.sign, small.sign)
    total = ite(minus, binary("sub", first, second), binary("add", first, second))
    cancelled = conj(minus, eq(total, const(0, width)))
    sign = conj(big.sign, negate(cancelled))
    result = _round(sign, _plus(big.exp, 1), total, form)
    result = ite(big.inf, _infinity(big.sign, form), result)
    bad = disj(disj(big.nan, small.nan), conj(conj(big.inf, small.inf), minus))
    return ite(bad, _nan(form), result)


def _multiply(a: Expr, b: Expr) -> Expr:
    form = _FORMATS[a.width]
    x, y = _unpack(a), _unpack(b)
    width = 2 * form.mantissa + 2
    product = binary("mul", _grow(x.sig, width), _grow(y.sig, width))
    sign = binary("xor", x.sign, y.sign)
    exp = _plus(binary("add", x.exp, y.exp), 1 - form.bias)
    result = _round(sign, exp, product, form)
    result = ite(disj(x.inf, y.inf), _infinity(sign, form), result)
    bad = disj(disj(x.nan, y.nan), disj(conj(x.inf, y.zero), conj(x.zero, y.inf)))
    return ite(bad, _nan(form), result)


def _divide(a: Expr, b: Expr) -> Expr:
    form = _FORMATS[a.width]
    x, y = _unpack(a), _unpack(b)
    m = form.mantissa
    x_exp, x_sig = _normalise(x.exp, x.sig)
    y_exp, y_sig = _normalise(y.exp, y.sig)
    width = 2 * m + 4
    above, below = _pad(x_sig, width), _grow(y_sig, width)
    quotient = _bits(binary("udiv", above, below), m + 3, 0)
    sticky = nonzero(binary("urem", above, below))
    sign = binary("xor", x.sign, y.sign)
    exp = _plus(binary("sub", x_exp, y_exp), form.bias)
    result = _round(sign, exp, _join(quotient, sticky), form)
    result = ite(disj(y.inf, x.zero), _zero(sign, form), result)
    result = ite(disj(x.inf, y.zero), _infinity(sign, form), result)
    bad = disj(disj(x.nan, y.nan), disj(conj(x.inf, y.inf), conj(x.zero, y.zero)))
    return ite(bad, _nan(form), result)


def _equal(a: Expr, b: Expr) -> Expr:
    x, y = _unpack(a), _unpack(b)
    same = disj(eq(a, b), conj(x.zero, y.zero))
    return conj(same, negate(disj(x.nan, y.nan)))


def _less(a: Expr, b: Expr, or_equal: bool) -> Expr:
    x, y = _unpack(a), _unpack(b)
    positive = binary("ult", a, b)
    negative = binary("ult", b, a)
    below = ite(x.sign, ite(y.sign, negative, expr.TRUE), ite(y.sign, expr.FALSE, positive))
    below = conj(below, negate(conj(x.zero, y.zero)))
    if or_equal:
        below = disj(below, _equal(a, b))
    return conj(below, negate(disj(x.nan, y.nan)))


def _convert(a: Expr, width: int) -> Expr:
    old, new = _FORMATS[a.width], _FORMATS[width]
    x = _unpack(a)
    result = _round(x.sign, _plus(x.exp, new.bias - old.bias), _pad(x.sig, new.mantissa + 3), new)
    result = ite(x.inf, _infinity(x.sign, new), result)
    return ite(x.nan, _nan(new), result)


def _from_integer(a: Expr, width: int, signed: bool) -> Expr:
    form = _FORMATS[width]
    sign = _bits(a, a.width - 1, a.width - 1) if signed else expr.FALSE
    size = ite(sign, make("neg", a.width, (a,)), a)
    return _round(sign, _exp(form.bias + a.width - 1), _pad(size, form.mantissa + 3), form)


def _to_integer(a: Expr, width: int, signed: bool) -> Expr:
    form = _FORMATS[a.width]
    x = _unpack(a)
    wide = max(width, form.mantissa + 1, _EXP)
    shift = _plus(x.exp, -(form.bias + form.mantissa))
    sig = _grow(x.sig, wide)
    left = binary("shl", sig, _grow(shift, wide))
    right = binary("lshr", sig, _grow(make("neg", _EXP, (shift,)), wide))
    size = _bits(ite(_bits(shift, _EXP - 1, _EXP - 1), right, left), width - 1, 0)
    value = ite(x.sign, make("neg", width, (size,)), size)
    lowest = const(1 << (width - 1), width)
    odd = disj(x.nan, x.inf)
    if signed:
        odd = disj(odd, binary("sle", _exp(form.bias + width - 1), x.exp))
    return ite(odd, lowest, value)
