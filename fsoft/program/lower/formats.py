"""Formats of printf as data: which arguments a format uses and how, and how many characters it makes.

C11 7.21.6.1, with the numbered arguments of POSIX (`%1$s`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_DIRECTIVE = re.compile(
    rb"%(?:(\d+)\$)?[-+ #0'I]*(\*(?:\d+\$)?|\d*)(?:(\.)(\*(?:\d+\$)?|-?\d*))?(hh|h|ll|l|q|L|j|z|Z|t)?([diouxXeEfFgGaAcCsSpnm%])"
)
_NUMBERS = b"diouxXp"
_LENGTHS = {"": 4, "hh": 1, "h": 2, "ll": 8, "q": 8, "j": 8}
_LONG_DIGITS = 24  # no integer of 64 bits has more, with sign and prefix, in octal


@dataclass(frozen=True, slots=True)
class Directive:
    """`argument`, and `limit` for a precision that is an argument, are numbers of arguments after the format. `limit_value` is a
    constant precision. `least` and `most` are characters; None means no bound is known. `before` is their sum up to here."""

    conversion: str
    length: str
    argument: int
    limit: int | None
    limit_value: int | None
    least: int
    most: int | None
    before: tuple[int, int | None]

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
    """`count` is how many characters it makes. `whole` is false if something in it is no directive of C."""

    directives: tuple[Directive, ...]
    count: tuple[int, int | None]
    whole: bool

    @property
    def touching(self) -> tuple[Directive, ...]:
        """Those that read or write memory."""
        return tuple(d for d in self.directives if d.conversion in "sSn")


def read_format(text: bytes) -> Format:
    """The format in a text without its terminating zero."""
    directives, at, whole = [], 0, True
    count: tuple[int, int | None] = (0, 0)
    numbers = iter(range(len(text)))
    while at < len(text):
        match = _DIRECTIVE.match(text, at) if text[at : at + 1] == b"%" else None
        if match is None:
            whole = whole and text[at : at + 1] != b"%"
        if match is None or match[6] == b"%":
            at = at + 1 if match is None else match.end()
            count = _sum(count, (1, 1))
            continue
        at = match.end()
        directives.append(_directive(match, numbers, count))
        count = _sum(count, (directives[-1].least, directives[-1].most))
    return Format(tuple(directives), count, whole)


def _sum(a: tuple[int, int | None], b: tuple[int, int | None]) -> tuple[int, int | None]:
    return a[0] + b[0], None if a[1] is None or b[1] is None else a[1] + b[1]


def _directive(match: re.Match[bytes], numbers: Iterator[int], before: tuple[int, int | None]) -> Directive:
    width = _star(match[2], numbers)
    limit = _star(match[4] or b"", numbers)
    value = None if limit is not None or match[3] is None else _number(match[4])
    conversion = match[6].decode()
    argument = -1 if conversion == "m" else int(match[1]) - 1 if match[1] else next(numbers)
    least, most = _characters(conversion, value, limit)
    wide = _number(match[2]) or 0 if width is None else None
    most = None if most is None or wide is None else max(most, wide)
    return Directive(conversion, (match[5] or b"").decode(), argument, limit, value, max(least, wide or 0), most, before)


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
