"""An open file of the preprocessor: its tokens, where it stands, its conditions, and what `#line` made of its places."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from fsoft.frontend.cpp.scan import Tok, is_hash, scan
from fsoft.frontend.source import Loc


@dataclass(slots=True)
class Condition:
    """An open `#if`. `taken`: one of its groups was chosen already; `dead`: all of it is inside a group that is skipped."""

    directive: Tok
    said: str
    live: bool
    taken: bool
    dead: bool
    otherwise: bool = False  # `#else` has come


@dataclass(slots=True)
class File:
    path: str
    shown: str  # as the user knows it
    tokens: list[Tok]
    position: int = 0
    conditions: list[Condition] = field(default_factory=list)
    name: str = ""  # after `#line`
    shift: int = 0  # what `#line` adds to line numbers

    @classmethod
    def opened(cls, path: str, shown: str, text: str) -> File:
        return cls(path, shown, scan(text, shown), name=shown)

    def place(self, line: int) -> tuple[str, int]:
        return self.name, line + self.shift

    def loc(self, line: int, column: int = 0) -> Loc:
        return Loc(self.name, line + self.shift, column)

    def directive(self) -> list[Tok]:
        """The tokens from here to the end of the line; they are taken."""
        start = self.position
        while not self.tokens[self.position].first:
            self.position += 1
        return self.tokens[start : self.position]

    def skip(self) -> None:
        """Go to the next directive, or to the end."""
        position, last = self.position, len(self.tokens) - 1
        while position < last and not (self.tokens[position].first and is_hash(self.tokens[position])):
            position += 1
        self.position = position


def find(name: str, folders: Sequence[str]) -> str | None:
    """The first file of that name in the folders."""
    if os.path.isabs(name):
        return name if os.path.isfile(name) else None
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    return None
