"""Preprocessed text: words where they stood, with `#line` markers wherever newlines and blanks do not lead there."""

from __future__ import annotations

from fsoft.frontend.cpp.scan import Tok
from fsoft.frontend.tokens import EXPANSION, EXPANSION_END, escape_file

_FEW_LINES = 8  # as many newlines are written rather than a marker


class TokenWriter:
    """The words of an expansion stand, one blank apart, between brackets that say so: they all have the place of the macro's name."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.file = ""
        self.line = 0
        self.column = 1
        self.end: tuple[int, int] | None = None  # where the last word of the file ended in the file, if nothing was written since
        self.expansion: Tok | None = None

    def text(self) -> str:
        self._end_expansion()
        return "".join((*self.out, "\n"))

    def plain(self, token: Tok, place: tuple[str, int]) -> None:
        """A word of the file, at its own column."""
        self._end_expansion()
        glued = token.column == self.column and self.end != (token.line, token.column) and self.end is not None
        if place != (self.file, self.line) or token.column < self.column or glued:
            self.go(place, token.column)
        elif token.column > self.column:
            self._write(" " * (token.column - self.column))
        self._write(token.text)
        self.end = token.line, token.column + len(token.text)

    def expanded(self, token: Tok, origin: Tok, place: tuple[str, int]) -> None:
        """A word that a macro expands to; `origin` is the macro's name in the file, at `place`."""
        if self.expansion is not origin:
            self._end_expansion()
            if place != (self.file, self.line) or origin.column < self.column:
                self.go(place, origin.column)
            else:
                self._write(" " * (origin.column - self.column))
            self._write(EXPANSION)
            self.expansion = origin
        self._write(f" {token.text}")
        self.end = None

    def pragma(self, text: str, place: tuple[str, int]) -> None:
        self._end_expansion()
        self.go(place, 1)
        self._write(f"#pragma {text}")
        self.out.append("\n")
        self.line += 1
        self.column = 1
        self.end = None

    def go(self, place: tuple[str, int], column: int) -> None:
        file, line = place
        self._end_expansion()
        if file == self.file and 0 < line - self.line <= _FEW_LINES:
            self.out.append("\n" * (line - self.line))
        else:
            self.out.append(f'\n#line {line} "{escape_file(file)}"\n')
        self.out.append(" " * (column - 1))
        self.file, self.line, self.column = file, line, column
        self.end = None

    def _end_expansion(self) -> None:
        if self.expansion is not None:
            self._write(EXPANSION_END)
            self.expansion = None

    def _write(self, text: str) -> None:
        self.out.append(text)
        self.column += len(text)
