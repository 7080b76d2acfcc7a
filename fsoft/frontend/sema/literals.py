"""Numbers, characters and strings as C spells them (C99 6.4.4 and 6.4.5, with gcc's choices where C leaves one)."""

from __future__ import annotations

import math
import re
import struct

from fsoft.frontend.types import Float, Int, Types

_INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)([uUlLzZ]*)$")
_PIECE = re.compile(r'(u8|[uUL])?"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]+|[0-7]{1,3}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_SIMPLE = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27, "E": 27, "\\": 92, "'": 39, '"': 34, "?": 63}


def integer(text: str, types: Types) -> tuple[Int, int] | None:
    """Type and value of an integer constant; None if the text is not one."""
    match = _INTEGER.match(text)
    if match is None:
        return None
    digits, suffix = match.group(1), match.group(2).lower()
    decimal = False
    if digits[:2] in ("0x", "0X"):
        value = int(digits, 16)
    elif digits[:2] in ("0b", "0B"):
        value = int(digits, 2)
    elif digits[0] == "0":
        if digits.strip("01234567"):
            return None
        value = int(digits, 8)
    else:
        value, decimal = int(digits), True
    return _integer_type(value, decimal, suffix, types), value


def _integer_type(value: int, decimal: bool, suffix: str, types: Types) -> Int:
    """The first type of the list in C99 6.4.4.1 that holds the value."""
    longs = suffix.count("l")
    pairs = [(types.int, types.uint), (types.long, types.ulong), (types.llong, types.ullong)][longs:]
    for signed, unsigned in pairs:
        if "u" not in suffix and value < 1 << (signed.bits - 1):
            return signed
        if ("u" in suffix or not decimal) and value < 1 << unsigned.bits:
            return unsigned
    return types.ullong


def is_float(text: str) -> bool:
    if text[:2] in ("0x", "0X"):
        return "p" in text or "P" in text
    return any(mark in text for mark in ".eE")


def floating(text: str, types: Types) -> tuple[Float, float, bool] | None:
    """Type and value of a floating constant, correctly rounded to its type (a `long double` to double: the third says whether it is exact);
    None if the text is not one."""
    hexadecimal = text[:2] in ("0x", "0X")
    digits = text.rstrip("lL" if hexadecimal and "p" not in text.lower() else "fFlL")
    suffix = text[len(digits) :].lower()
    ctype = {"": types.double, "f": types.float, "l": types.ldouble}.get(suffix)
    if ctype is None:
        return None
    try:
        value = float.fromhex(digits) if hexadecimal else float(digits)
        if ctype.bits == 32:
            value = _decimal_to_single(digits, value, hexadecimal)
    except (ValueError, OverflowError):
        return None
    return ctype, value, ctype is not types.ldouble or _is_exact(digits, value, hexadecimal)


def _is_exact(digits: str, value: float, hexadecimal: bool) -> bool:
    """The value is that of the text."""
    from fractions import Fraction  # rarely needed, and slow to import

    if not hexadecimal:
        return math.isfinite(value) and Fraction(digits) == Fraction(value)
    mantissa, _, exponent = digits.lower()[2:].partition("p")
    whole, _, part = mantissa.partition(".")
    return math.isfinite(value) and Fraction(int(whole + part, 16)) * Fraction(2) ** (int(exponent) - 4 * len(part)) == Fraction(value)


def _decimal_to_single(digits: str, value: float, hexadecimal: bool) -> float:
    """Round the decimal text to single precision once, not through double."""
    if hexadecimal or value == 0 or value in (float("inf"), float("-inf")) or not 1e-60 < value < 1e60:
        return to_single(value)
    return exact_to_single(digits)


def to_single(value: float) -> float:
    """The nearest single-precision value."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def exact_to_single(number: str | int) -> float:
    """Round an integer or a decimal text to the nearest single, ties to even."""
    from fractions import Fraction  # rarely needed, and slow to import

    exact = Fraction(number)
    if exact == 0:
        return 0.0
    magnitude = abs(exact)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if magnitude < Fraction(2) ** exponent:
        exponent -= 1
    quantum = Fraction(2) ** max(exponent - 23, -149)
    rounded = round(magnitude / quantum) * quantum  # Fraction rounds half to even
    result = float("inf") if rounded >= Fraction(2) ** 128 else float(rounded)
    return -result if exact < 0 else result


def character(text: str, types: Types) -> tuple[Int, int] | None:
    """Type and value of a character constant such as `'a'`, `L'\\n'` or the multi-character `'ab'`."""
    prefix, _, rest = text.partition("'")
    if not rest.endswith("'") or len(rest) < 2:
        return None
    wide = _wide_type(prefix, types)
    units = _units(rest[:-1], 1 if wide is None else wide.size)
    if not units:
        return None
    if wide is not None:
        return wide, _signed(units[-1], wide.bits) if wide.signed else units[-1]
    if len(units) == 1:
        return types.int, _signed(units[0], 8)
    value = 0
    for unit in units:
        value = value << 8 | unit
    return types.int, _signed(value & 0xFFFFFFFF, 32)


def string(text: str, types: Types) -> tuple[Int, bytes]:
    """Element type and bytes, terminating zero included, of one or more adjacent string literals."""
    pieces = _PIECE.findall(text)
    prefix = next((prefix for prefix, _ in pieces if prefix not in ("", "u8")), "")
    element = _wide_type(prefix, types) or types.char
    data = bytearray()
    for _, body in pieces:
        for unit in _units(body, element.size):
            data += unit.to_bytes(element.size, "little")
    return element, bytes(data + bytes(element.size))


def _wide_type(prefix: str, types: Types) -> Int | None:
    return {"L": types.wchar_t, "u": types.ushort, "U": types.uint}.get(prefix)


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def _units(body: str, size: int) -> list[int]:
    """The code units of the text between the quotes."""
    if "\\" not in body and body.isascii():
        return [ord(char) for char in body]
    units: list[int] = []
    position = 0
    while position < len(body):
        match = _ESCAPE.match(body, position)
        if match is None:
            units.extend(_encode(body[position], size))
            position += 1
            continue
        units.extend(_escape(match.group(1), size))
        position = match.end()
    return units


def _escape(what: str, size: int) -> list[int]:
    if what[0] == "x" and len(what) > 1:
        return [int(what[1:], 16) & ((1 << 8 * size) - 1)]
    if what[0] in "01234567":
        return [int(what, 8) & ((1 << 8 * size) - 1)]
    if what[0] in "uU" and len(what) > 1:
        return _encode(chr(int(what[1:], 16)), size)
    return [_SIMPLE[what]] if what in _SIMPLE else _encode(what, size)


def _encode(char: str, size: int) -> list[int]:
    if size == 1:
        return list(char.encode("utf-8", "surrogateescape"))
    if size == 2:
        data = char.encode("utf-16-le", "surrogatepass")
        return [int.from_bytes(data[i : i + 2], "little") for i in range(0, len(data), 2)]
    return [ord(char)]
