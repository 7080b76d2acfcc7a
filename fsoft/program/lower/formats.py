"""Formats of printf as data: which arguments a format uses and how, and how many characters it makes.

C11 7.21.6.1, with the numbered arguments of POSIX (`%1$s`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_DIRECTIVE = re.compile(
    rb"%(?:(?P<number>\d+)\$)?(?P<flags>[-+ #0'I]*)(?P<width>\*(?:\d+\$)?|\d*)(?:(?P<point>\.)(?P<precision>\*(?:\d+\$)?|-?\d*))?"
    rb"(?P<length>hh|h|ll|l|q|L|j|z|Z|t)?(?P<conversion>[diouxXeEfFgGaAcCsSpnm%])"
)
_NUMBERS = b"diouxXp"
_LENGTHS = {"": 4, "hh": 1, "h": 2, "ll": 8, "q": 8, "j": 8}
_LONG_DIGITS = 24  # no integer of 64 bits has more, with sign and prefix, in octal


@dataclass(frozen=True, slots=True)
class Directive:
    """`argument`, and `limit` for a precision that is an argument, are numbers of arguments after the format. `limit_value` is a
    constant precision. `least` and `most` are characters; None means no bound is known. `before` is their sum up to here. `wide` is the
    number of the argument that is the width, `width` a constant one."""

    conversion: str
    length: str
    argument: int
    limit: int | None
    limit_value: int | None
    least: int
    most: int | None
    before: tuple[int, int | None]
    flags: str = ""
    width: int = 0
    wide: int | None = None
    numbered: bool = False

    @property
    def use(self) -> tuple[object, ...]:
        """What it does to memory."""
        return self.conversion, self.length, self.argument, self.limit, self.limit_value, self.conversion == "n" and self.before

    @property
    def size(self) -> int | None:
        """Bytes of the integer that `%n` writes; None: a word."""
        return _LENGTHS.get(self.length)


@dataclass(frozen=True, slots=True)
class Format:
    """`count` is how many characters it makes. `whole` is false if something in it is no directive of C. `pieces` are the directives and
    the texts between them."""

    directives: tuple[Directive, ...]
    count: tuple[int, int | None]
    whole: bool
    pieces: tuple[Directive | bytes, ...] = ()

    @property
    def touching(self) -> tuple[Directive, ...]:
        """Those that read or write memory."""
        return tuple(d for d in self.directives if d.conversion in "sSn")


def read_format(text: bytes) -> Format:
    """The format in a text without its terminating zero."""
    directives: list[Directive] = []
    pieces: list[Directive | bytes] = []
    at, whole, plain = 0, True, bytearray()
    count: tuple[int, int | None] = (0, 0)
    numbers = iter(range(len(text)))
    while at < len(text):
        match = _DIRECTIVE.match(text, at) if text[at : at + 1] == b"%" else None
        if match is None:
            whole = whole and text[at : at + 1] != b"%"
        if match is None or match["conversion"] == b"%":
            plain += text[at : at + 1]
            at = at + 1 if match is None else match.end()
            count = _sum(count, (1, 1))
            continue
        at = match.end()
        directives.append(_directive(match, numbers, count))
        pieces += [bytes(plain), directives[-1]]
        plain = bytearray()
        count = _sum(count, (directives[-1].least, directives[-1].most))
    return Format(tuple(directives), count, whole, tuple(piece for piece in (*pieces, bytes(plain)) if piece))


def _sum(a: tuple[int, int | None], b: tuple[int, int | None]) -> tuple[int, int | None]:
    return a[0] + b[0], None if a[1] is None or b[1] is None else a[1] + b[1]


def _directive(match: re.Match[bytes], numbers: Iterator[int], before: tuple[int, int | None]) -> Directive:
    width = _star(match["width"], numbers)
    limit = _star(match["precision"] or b"", numbers)
    value = None if limit is not None or match["point"] is None else _number(match["precision"])
    conversion, number = match["conversion"].decode(), match["number"]
    argument = -1 if conversion == "m" else int(number) - 1 if number else next(numbers)
    least, most = _characters(conversion, value, limit)
    wide = (_number(match["width"]) or 0) if width is None else None
    most = None if most is None or wide is None else max(most, wide)
    length, flags = (match["length"] or b"").decode(), match["flags"].decode()
    least = max(least, wide or 0)
    return Directive(conversion, length, argument, limit, value, least, most, before, flags, wide or 0, width, b"$" in match[0])


def _star(text: bytes, numbers: Iterator[int]) -> int | None:
    """The argument that a `*` stands for."""
    if not text.startswith(b"*"):
        return None
    return int(text[1:-1]) - 1 if len(text) > 1 else next(numbers)


def _number(text: bytes) -> int | None:
    """A constant width or precision: nothing is 0, a negative precision none at all."""
    return 0 if not text else None if text.startswith(b"-") else int(text)


def _characters(conversion: str, precision: int | None, computed: int | None) -> tuple[int, int | None]:
    if conversion == "n":
        return 0, 0
    if conversion == "c":
        return 1, 1
    if conversion == "s":
        return 0, precision
    if conversion.encode() in _NUMBERS and computed is None:
        return (0 if precision == 0 else 1), max(_LONG_DIGITS, (precision or 0) + 3)
    return 0, None
