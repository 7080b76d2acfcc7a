"""The value of an `#if` condition, after macro expansion: 64-bit integers, signed or unsigned as in C."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from fsoft.frontend.cpp.scan import CHARACTER, ID, NUMBER

_MASK = (1 << 64) - 1
_PRECEDENCE = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8, "+": 9, "-": 9,
    "*": 10, "/": 10, "%": 10,
}  # fmt: skip
_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
}
_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
}
_INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)([uU](?:ll|LL|[lL])?|(?:ll|LL|[lL])[uU]?|)")
_PIECE = re.compile(r"\\(?:x[0-9a-fA-F]+|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|.)|[^\\]")
_ESCAPES = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27, "E": 27}


class _Number(NamedTuple):
    value: int
    unsigned: bool


_ZERO = _Number(0, False)


def evaluate(words: Sequence[tuple[str, str]]) -> int:
    """The value of a condition, given as kinds and texts of its words; names still in it are 0, and so are calls of
    `__has_attribute` and its kin: it has none. ValueError says what is wrong."""
    parser = _Parser(words)
    number = parser.ternary(True)
    if parser.position < len(parser.tokens):
        raise ValueError(f"'{parser.tokens[parser.position][1]}' does not belong there")
    return number.value


def _wrap(value: int, unsigned: bool) -> _Number:
    value &= _MASK
    return _Number(value - (1 << 64) if not unsigned and value >> 63 else value, unsigned)


class _Parser:
    """`live` says whether the value matters: a division by zero that is never evaluated is no error."""

    def __init__(self, tokens: Sequence[tuple[str, str]]):
        self.tokens = tokens
        self.position = 0

    def peek(self) -> str:
        return self.tokens[self.position][1] if self.position < len(self.tokens) else ""

    def take(self) -> tuple[str, str]:
        if self.position >= len(self.tokens):
            raise ValueError("it ends too early")
        self.position += 1
        return self.tokens[self.position - 1]

    def expect(self, value: str) -> None:
        if self.take()[1] != value:
            raise ValueError(f"'{value}' is missing")

    def ternary(self, live: bool) -> _Number:
        condition = self.binary(1, live)
        if self.peek() != "?":
            return condition
        self.take()
        chosen = self.ternary(live and condition.value != 0)
        self.expect(":")
        other = self.ternary(live and condition.value == 0)
        unsigned = chosen.unsigned or other.unsigned
        return _wrap((chosen if condition.value else other).value, unsigned)

    def binary(self, least: int, live: bool) -> _Number:
        left = self.unary(live)
        while (precedence := _PRECEDENCE.get(self.peek(), 0)) >= least:
            op = self.take()[1]
            matters = live and not ((op == "&&" and left.value == 0) or (op == "||" and left.value != 0))
            left = _apply(op, left, self.binary(precedence + 1, matters), matters)
        return left

    def unary(self, live: bool) -> _Number:
        kind, value = self.take()
        if value == "(":
            inner = self.ternary(live)
            self.expect(")")
            return inner
        if value == "!":
            return _Number(int(self.unary(live).value == 0), False)
        if value in ("-", "+", "~"):
            operand = self.unary(live)
            result = {"-": -operand.value, "+": operand.value, "~": ~operand.value}[value]
            return _wrap(result, operand.unsigned)
        if kind == NUMBER:
            return _integer(value)
        if kind == CHARACTER:
            return _character(value)
        if kind != ID:
            raise ValueError(f"'{value}' does not belong there")
        if self.peek() == "(":
            if live and not value.startswith("__has_"):
                raise ValueError(f"'{value}' is not a macro with arguments")
            self.skip_call()
        return _ZERO

    def skip_call(self) -> None:
        depth = 0
        while True:
            value = self.take()[1]
            depth += (value == "(") - (value == ")")
            if depth == 0:
                return


def _apply(op: str, left: _Number, right: _Number, live: bool) -> _Number:
    if op == "&&":
        return _Number(int(left.value != 0 and right.value != 0), False)
    if op == "||":
        return _Number(int(left.value != 0 or right.value != 0), False)
    if op in ("<<", ">>"):
        amount = right.value if op == "<<" else -right.value
        amount = max(-64, min(64, amount))
        return _wrap(left.value << amount if amount >= 0 else left.value >> -amount, left.unsigned)
    unsigned = left.unsigned or right.unsigned
    a, b = _wrap(left.value, unsigned).value, _wrap(right.value, unsigned).value
    if op in _COMPARE:
        return _Number(int(_COMPARE[op](a, b)), False)
    if op in _ARITHMETIC:
        return _wrap(_ARITHMETIC[op](a, b), unsigned)
    if b == 0:
        if live:
            raise ValueError("it divides by zero")
        return _ZERO
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return _wrap(quotient if op == "/" else a - quotient * b, unsigned)


def _integer(text: str) -> _Number:
    match = _INTEGER.fullmatch(text)
    if match is None:
        raise ValueError(f"'{text}' is not an integer")
    digits = match[1].lower()
    value = int(digits, 8) if digits.isdigit() and digits.startswith("0") else int(digits, 0)
    if value > _MASK:
        raise ValueError(f"{text} is too large")
    return _Number(value, "u" in match[2].lower() or value >> 63 == 1)


def _character(text: str) -> _Number:
    """A character constant: bytes of a signed char, several of them together an int, or one wide character."""
    quote = text.index("'")
    pieces = _PIECE.findall(text[quote + 1 : -1])
    if not pieces:
        raise ValueError("empty character constant")
    prefix = text[:quote]
    if prefix:
        bits = 16 if prefix == "u" else 32
        return _signed(_code(pieces[-1]), bits, prefix != "L")
    codes = [code for piece in pieces for code in _bytes(piece)]
    value = 0
    for code in codes:
        value = value << 8 | code & 0xFF
    return _signed(value, 8 if len(codes) == 1 else 32, False)


def _signed(value: int, bits: int, unsigned: bool) -> _Number:
    value &= (1 << bits) - 1
    return _Number(value - (1 << bits) if not unsigned and value >> (bits - 1) else value, unsigned)


def _bytes(piece: str) -> bytes:
    """A character or an escape as the bytes of the file."""
    if piece[0] == "\\" and piece[1] not in "uU":
        return bytes([_code(piece) & 0xFF])
    return (piece if piece[0] != "\\" else chr(_code(piece))).encode("utf-8", "surrogateescape")


def _code(piece: str) -> int:
    if piece[0] != "\\":
        return ord(piece)
    body = piece[1:]
    if body[0] in "xuU":
        return int(body[1:], 16)
    if body[0] in "01234567":
        return int(body, 8)
    return _ESCAPES.get(body[0], ord(body[0]))
