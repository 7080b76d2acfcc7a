"""Helper functions of printed programs, for operators that C does not have: signed arithmetic, shifts by anything, pointers, floats."""

from __future__ import annotations

from collections.abc import Callable

from fsoft.sequentialize.c_words import number, size_of, type_of

Make = Callable[[str, int, int, object], str]
"""(name, bits of the operands, bits of the result, data) to the text of the function."""


def _signed(width: int) -> str:
    """The C type of a signed word."""
    return f"s{max(8, size_of(width))}"


def _extend(name: str, width: int) -> str:
    """C for an operand as a signed number."""
    kind, bits = _signed(width), max(8, size_of(width))
    if width == bits:
        return f"({kind}){name}"
    sign, mask = number(1 << (width - 1), bits), number((1 << bits) - (1 << width), bits)
    return f"({kind})({name} & {sign} ? {name} | {mask} : {name})"


def _function(name: str, inner: int, outer: int, body: str, operands: int = 2) -> str:
    kind = type_of(inner)
    return f"static {type_of(outer)} {name}({', '.join(f'{kind} {x}' for x in 'ab'[:operands])}) {{ {body} }}"


def _cut(text: str, width: int) -> str:
    cast = f"({type_of(width)})({text})"
    return cast if size_of(width) == width else f"({type_of(width)})({cast} & {number((1 << width) - 1, width)})"


def _compare(sign: str) -> Make:
    return lambda name, inner, outer, _: _function(name, inner, outer, f"return {_extend('a', inner)} {sign} {_extend('b', inner)};")


def _udiv(name: str, inner: int, outer: int, _: object) -> str:
    return _function(name, inner, outer, f"return b ? {_cut('a / b', outer)} : {number((1 << outer) - 1, outer)};")


def _urem(name: str, inner: int, outer: int, _: object) -> str:
    return _function(name, inner, outer, f"return b ? {_cut('a % b', outer)} : a;")


def _magnitudes(inner: int) -> str:
    """Absolute values x and y of the operands, and their signs p and q."""
    kind, sign = type_of(inner), number(1 << (inner - 1), inner)
    lines = [f"const _Bool p = (a & {sign}) != 0, q = (b & {sign}) != 0;"]
    lines += [f"const {kind} x = p ? {_cut('0u - a', inner)} : a, y = q ? {_cut('0u - b', inner)} : b;"]
    return " ".join(lines)


def _sdiv(name: str, inner: int, outer: int, _: object) -> str:
    body = f"{_magnitudes(inner)} if (!b) return p ? 1 : {number((1 << outer) - 1, outer)}; "
    return _function(name, inner, outer, body + f"return p == q ? {_cut('x / y', outer)} : {_cut('0u - x / y', outer)};")


def _srem(name: str, inner: int, outer: int, _: object) -> str:
    body = f"{_magnitudes(inner)} if (!b) return a; "
    return _function(name, inner, outer, body + f"return p ? {_cut('0u - x % y', outer)} : {_cut('x % y', outer)};")


def _shift(sign: str) -> Make:
    return lambda name, inner, outer, _: _function(name, inner, outer, f"return b < {inner} ? {_cut(f'a {sign} b', outer)} : 0;")


def _ashr(name: str, inner: int, outer: int, _: object) -> str:
    shifted = f"{_extend('a', inner)} >> (b < {inner} ? b : {inner - 1})"
    return _function(name, inner, outer, f"return {_cut(shifted, outer)};")


def _sext(name: str, inner: int, outer: int, _: object) -> str:
    return _function(name, inner, outer, f"return {_cut(_extend('a', inner), outer)};", 1)


def _padd(name: str, inner: int, outer: int, bits: object) -> str:
    """As `meaning.pointer_add`: the offset moves, the object stays. `g` is the new offset plus half of the range, which
    does not wrap into the range: the old offset is far smaller than a word."""
    assert isinstance(bits, int)
    half, mask = number(1 << (bits - 1), inner), number((1 << bits) - 1, inner)
    body = f"const {type_of(inner)} g = {_cut(f'((a & {mask}) ^ {half}) + b', inner)}; "
    return _function(name, inner, outer, body + f"return (a & ~{mask}) | (g <= {mask} ? g ^ {half} : {half});")


# ---------------------------------------------------------------- floats


def _float(width: int) -> str:
    return "float" if width == 32 else "double"


def _as_float(name: str, width: int) -> str:
    return f"union {{ u{width} u; {_float(width)} f; }} {name}_; {name}_.u = {name};"


def _bits(width: int, value: str) -> str:
    nan = number(0x7FC00000 if width == 32 else 0x7FF8000000000000, width)
    return f"union {{ u{width} u; {_float(width)} f; }} r; r.f = {value}; return r.f != r.f ? {nan} : r.u;"


def _arithmetic(sign: str) -> Make:
    def make(name: str, inner: int, outer: int, _: object) -> str:
        return _function(name, inner, outer, f"{_as_float('a', inner)} {_as_float('b', inner)} {_bits(outer, f'a_.f {sign} b_.f')}")

    return make


def _float_compare(sign: str) -> Make:
    def make(name: str, inner: int, outer: int, _: object) -> str:
        return _function(name, inner, outer, f"{_as_float('a', inner)} {_as_float('b', inner)} return a_.f {sign} b_.f;")

    return make


def _fconv(name: str, inner: int, outer: int, _: object) -> str:
    return _function(name, inner, outer, f"{_as_float('a', inner)} {_bits(outer, f'({_float(outer)})a_.f')}", 1)


def _itof(name: str, inner: int, outer: int, _: object) -> str:
    return _function(name, inner, outer, _bits(outer, f"({_float(outer)}){_extend('a', inner)}"), 1)


def _utof(name: str, inner: int, outer: int, _: object) -> str:
    return _function(name, inner, outer, _bits(outer, f"({_float(outer)})a"), 1)


def _ftoi(name: str, inner: int, outer: int, _: object) -> str:
    limit, lowest = f"{float(1 << (outer - 1))}", number(1 << (outer - 1), outer)
    body = f"{_as_float('a', inner)} const double x = a_.f; if (!(x > -{limit} - 1.0 && x < {limit})) return {lowest}; "
    return _function(name, inner, outer, body + f"return {_cut('(s64)x', outer)};", 1)


def _ftou(name: str, inner: int, outer: int, _: object) -> str:
    lowest = number(1 << (outer - 1), outer)
    body = f"{_as_float('a', inner)} const double x = a_.f; if (x != x || x - x != 0.0) return {lowest}; "
    body += f"if (x > -9.2e18 && x < 9.2e18) return {_cut('(s64)x', outer)}; return {_cut('(u64)x', outer)};"
    return _function(name, inner, outer, body, 1)


HELPERS: dict[str, Make] = {
    "slt": _compare("<"), "sle": _compare("<="), "udiv": _udiv, "urem": _urem, "sdiv": _sdiv, "srem": _srem,
    "shl": _shift("<<"), "lshr": _shift(">>"), "ashr": _ashr, "sext": _sext, "padd": _padd,
    "fadd": _arithmetic("+"), "fsub": _arithmetic("-"), "fmul": _arithmetic("*"), "fdiv": _arithmetic("/"),
    "feq": _float_compare("=="), "flt": _float_compare("<"), "fle": _float_compare("<="),
    "fconv": _fconv, "itof": _itof, "utof": _utof, "ftoi": _ftoi, "ftou": _ftou,
}  # fmt: skip
"""How to write the helper of each operator."""
