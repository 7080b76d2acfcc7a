"""C text to preprocessing tokens (translation phases 2 and 3): splices and comments go, every token keeps its place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fsoft.frontend.source import InputError, Loc

ID, NUMBER, STRING, CHARACTER, PUNCTUATOR, OTHER, HEADER, RAW, PADDING, END = (
    "id", "number", "string", "character", "punctuator", "other", "header", "raw", "padding", "end",
)  # fmt: skip

_SPLICE = re.compile(r"\\[ \t\f\v]*\n")
_TOKEN = re.compile(
    r"([ \t\f\v]+|//[^\n]*|/\*(?s:.*?)\*/)"
    r"|(\n)"
    r"""|((?:u8|[uUL])?R"([^ ()\\\t\v\f\n]{0,16})\((?s:.*?)\)\4")"""
    r"""|((?:u8|[uUL])?"(?:[^"\\\n]|\\[^\n])*")"""
    r"""|([uUL]?'(?:[^'\\\n]|\\[^\n])*')"""
    r"|((?:[^\W\d]|\$)[\w$]*)"
    r"|(\.?[0-9](?:[eEpP][+-]|[\w.$])*)"
    r"|(\.\.\.|<<=|>>=|%:%:|\#\#|<:|:>|<%|%>|%:|\+\+|--|->|&&|\|\||<<|>>|[<>=!*/%+\-&|^]=|(?!/\*)[-+*/%|&~^!<>?()\[\]{},.;:=\#])"
    r"""|(["'][^\n]*|[^\n])"""
)
_KINDS = {3: RAW, 5: STRING, 6: CHARACTER, 7: ID, 8: NUMBER, 9: PUNCTUATOR, 10: OTHER}
_HEADER_NAME = re.compile(r'(?:[ \t\f\v]|/\*(?s:.*?)\*/)*(<[^>\n]+>|"[^"\n]*")')
_INCLUDES = ("include", "include_next", "import")


class Tok:
    """A preprocessing token. `white`: a blank or a line's end comes before it; `first`: it is the first of its line.

    `last`: the line on which a directive ends, of its `#`.
    `painted` names are never expanded again (C11 6.10.3.4). `source` of a padding is the token whose blank stands there, if any.
    """

    __slots__ = ("column", "first", "kind", "last", "line", "painted", "source", "text", "white")

    def __init__(self, kind: str, text: str, line: int = 0, column: int = 0, white: bool = False, first: bool = False):
        self.kind = kind
        self.text = text
        self.line = line
        self.column = column
        self.white = white
        self.first = first
        self.last = line
        self.painted = False
        self.source: Tok | None = None

    def copy(self) -> Tok:
        other = Tok(self.kind, self.text, self.line, self.column, self.white, self.first)
        other.painted, other.source = self.painted, self.source
        return other

    def __repr__(self) -> str:
        return f"{self.kind} {self.text!r} at {self.line}:{self.column}"


def scan(text: str, name: str) -> list[Tok]:
    """The tokens of a file, with one of kind END at the beginning of a line as the last. `name` is for messages."""
    text, starts = _unspliced(text)
    tokens: list[Tok] = []
    line, position = 0, 0
    white = first = True
    directive: Tok | None = None
    while position < len(text):
        match = _TOKEN.match(text, position)
        assert match is not None  # the last alternative takes any character
        group = match.lastindex or 0
        start, position = position, match.end()
        if group == 1:
            white = True
            continue
        while line < len(starts) and starts[line] <= start:
            line += 1
        if group == 2:
            white = first = True
            if directive is not None:
                directive.last, directive = line, None
            continue
        column = start - starts[line - 1] + 1
        value = match[0]
        tokens.append(Tok(_KINDS[group], value, line, column, white, first))
        if first and is_hash(tokens[-1]):
            directive = tokens[-1]
        white = first = False
        if value == "/" and text.startswith("*", position):
            raise InputError(Loc(name, line, column), "this comment is never closed")
        if directive is not None and value in _INCLUDES and tokens[-2] is directive:
            header = _HEADER_NAME.match(text, position)
            if header:
                tokens.append(Tok(HEADER, header[1], line, header.start(1) - starts[line - 1] + 1, True))
                position = header.end()
    tokens.append(Tok(END, "", len(starts), 1, True, True))
    return tokens


def _unspliced(text: str) -> tuple[str, list[int]]:
    """The text without line splices, and where in it each line of the file begins."""
    pieces: list[str] = []
    starts = [0]
    length, last = 0, 0
    for match in _SPLICE.finditer(text):
        pieces.append(text[last : match.start()])
        starts.extend(_after_newlines(pieces[-1], length))
        length += len(pieces[-1])
        starts.append(length)
        last = match.end()
    starts.extend(_after_newlines(text[last:], length))
    return "".join((*pieces, text[last:])), starts


def _after_newlines(text: str, offset: int) -> Iterator[int]:
    position = text.find("\n")
    while position >= 0:
        yield offset + position + 1
        position = text.find("\n", position + 1)


def scan_one(text: str) -> Tok | None:
    """The one token that a text is, or None if it is not exactly one."""
    match = _TOKEN.match(text)
    kind = _KINDS.get(match.lastindex or 0) if match and match.end() == len(text) else None
    return None if kind is None or kind in (OTHER, RAW) else Tok(kind, text)


def is_hash(token: Tok) -> bool:
    return token.text in ("#", "%:")


def is_paste(token: Tok) -> bool:
    return token.text in ("##", "%:%:")


def spelling(tokens: list[Tok]) -> str:
    """Tokens as text, with a blank where blanks were."""
    return "".join((" " if token.white and index else "") + token.text for index, token in enumerate(tokens) if token.kind != PADDING)
