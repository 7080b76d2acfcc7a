"""What each operator of `expr.py` means on values: the one definition, which the interpreter, the simulators and constant folding share.

Values are non-negative ints below 2 ** width. The value of an array is the int that has element k in the bits from k * element width up.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable


def to_signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def pointer_add(pointer: int, delta: int, width: int, offset_bits: int) -> int:
    """Move within the object: the offset field is signed; a move that does not fit it gives the offset that no object has."""
    half = 1 << (offset_bits - 1)
    mask = (1 << offset_bits) - 1
    offset = to_signed(pointer & mask, offset_bits) + to_signed(delta, width)
    if not -half <= offset < half:
        offset = half
    return (pointer & ~mask) | (offset & mask)


def float_of_bits(value: int, width: int) -> float:
    if width == 32:
        return float(struct.unpack("<f", struct.pack("<I", value))[0])
    return float(struct.unpack("<d", struct.pack("<Q", value))[0])


def bits_of_float(value: float, width: int) -> int:
    if math.isnan(value):
        return 0x7FC00000 if width == 32 else 0x7FF8000000000000
    if width == 64:
        return int(struct.unpack("<Q", struct.pack("<d", value))[0])
    try:
        return int(struct.unpack("<I", struct.pack("<f", value))[0])
    except OverflowError:
        return 0xFF800000 if value < 0 else 0x7F800000


def _float_divide(a: float, b: float) -> float:
    if b != 0:
        return a / b
    if a == 0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _float_to_int(value: float, width: int, signed: bool) -> int:
    mask = (1 << width) - 1
    if math.isnan(value) or math.isinf(value):
        return 1 << (width - 1)
    whole = int(value)
    if signed and not -(1 << (width - 1)) <= whole < (1 << (width - 1)):
        return 1 << (width - 1)
    return whole & mask


def _int_to_float(value: int, width: int) -> int:
    """Round once to the target precision (Python rounds int to double; float32 is then exact only up to 2**53)."""
    if width == 64 or abs(value) < 1 << 53:
        return bits_of_float(float(value), width)
    shift = abs(value).bit_length() - 53
    kept, lost = abs(value) >> shift, abs(value) & ((1 << shift) - 1)
    sticky = kept | (1 if lost else 0)
    return bits_of_float(math.ldexp(float(sticky), shift) * (1 if value > 0 else -1), width)


def sdiv(a: int, b: int, width: int) -> int:
    x, y = to_signed(a, width), to_signed(b, width)
    if y == 0:
        return 1 if x < 0 else (1 << width) - 1
    quotient = abs(x) // abs(y)
    return (quotient if (x < 0) == (y < 0) else -quotient) & ((1 << width) - 1)


def srem(a: int, b: int, width: int) -> int:
    x, y = to_signed(a, width), to_signed(b, width)
    if y == 0:
        return a
    rest = abs(x) % abs(y)
    return (-rest if x < 0 else rest) & ((1 << width) - 1)


def _arith(f: Callable[[float, float], float]) -> Callable[[int, int, int], int]:
    return lambda a, b, w: bits_of_float(f(float_of_bits(a, w), float_of_bits(b, w)), w)


BINARY: dict[str, Callable[[int, int, int], int]] = {
    "and": lambda a, b, w: a & b,
    "or": lambda a, b, w: a | b,
    "xor": lambda a, b, w: a ^ b,
    "add": lambda a, b, w: (a + b) & ((1 << w) - 1),
    "sub": lambda a, b, w: (a - b) & ((1 << w) - 1),
    "mul": lambda a, b, w: (a * b) & ((1 << w) - 1),
    "udiv": lambda a, b, w: a // b if b else (1 << w) - 1,
    "urem": lambda a, b, w: a % b if b else a,
    "sdiv": sdiv,
    "srem": srem,
    "shl": lambda a, b, w: (a << b) & ((1 << w) - 1) if b < w else 0,
    "lshr": lambda a, b, w: a >> b if b < w else 0,
    "ashr": lambda a, b, w: (to_signed(a, w) >> min(b, w - 1)) & ((1 << w) - 1),
    "eq": lambda a, b, w: int(a == b),
    "ult": lambda a, b, w: int(a < b),
    "ule": lambda a, b, w: int(a <= b),
    "slt": lambda a, b, w: int(to_signed(a, w) < to_signed(b, w)),
    "sle": lambda a, b, w: int(to_signed(a, w) <= to_signed(b, w)),
    "fadd": _arith(lambda x, y: x + y),
    "fsub": _arith(lambda x, y: x - y),
    "fmul": _arith(lambda x, y: x * y),
    "fdiv": _arith(_float_divide),
    "feq": lambda a, b, w: int(float_of_bits(a, w) == float_of_bits(b, w)),
    "flt": lambda a, b, w: int(float_of_bits(a, w) < float_of_bits(b, w)),
    "fle": lambda a, b, w: int(float_of_bits(a, w) <= float_of_bits(b, w)),
}
"""Operators of two operands of one width `w` (the operands' width)."""

COMPARISONS = frozenset({"eq", "ult", "ule", "slt", "sle", "feq", "flt", "fle"})
COMMUTATIVE = frozenset({"and", "or", "xor", "add", "mul", "eq"})


def operate(op: str, width: int, widths: tuple[int, ...], data: int | str | None, values: tuple[int, ...]) -> int:
    """The value of an operator on constant operands: the one definition of what each `op` means."""
    a = values[0]
    if op in BINARY:
        return BINARY[op](a, values[1], widths[0])
    mask = (1 << width) - 1
    if op == "not":
        return ~a & mask
    if op == "neg":
        return -a & mask
    if op == "ite":
        return values[1] if a else values[2]
    if op == "zext":
        return a
    if op == "sext":
        return to_signed(a, widths[0]) & mask
    if op == "extract":
        assert isinstance(data, int)
        return (a >> data) & mask
    if op == "concat":
        return a << widths[1] | values[1]
    if op == "padd":
        assert isinstance(data, int)
        return pointer_add(a, values[1], width, data)
    if op == "fconv":
        return bits_of_float(float_of_bits(a, widths[0]), width)
    if op == "itof":
        return _int_to_float(to_signed(a, widths[0]), width)
    if op == "utof":
        return _int_to_float(a, width)
    if op == "ftoi":
        return _float_to_int(float_of_bits(a, widths[0]), width, True)
    if op == "ftou":
        return _float_to_int(float_of_bits(a, widths[0]), width, False)
    if op == "select":
        return a >> (values[1] * width) & mask
    if op == "store":
        at = values[1] * widths[2]
        return a ^ ((a >> at & ((1 << widths[2]) - 1)) ^ values[2]) << at
    if op == "constarray":
        return a * repeated(widths[0], width)
    raise ValueError(f"no meaning for operator {op!r}")


def repeated(element: int, width: int) -> int:
    """The array of `width` bits whose elements of `element` bits are all 1."""
    return ((1 << width) - 1) // ((1 << element) - 1)


def elements(array: int, element: int, width: int) -> list[int]:
    """The elements of an array of `width` bits, each of `element` bits."""
    mask = (1 << element) - 1
    return [array >> at & mask for at in range(0, width, element)]
