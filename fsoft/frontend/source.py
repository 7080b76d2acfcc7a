"""Places in the user's text, and the one kind of error that speaks about them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple


class Loc(NamedTuple):
    """A place in the source as the user wrote it (after `#line` markers)."""

    file: str
    line: int
    column: int = 0

    def __str__(self) -> str:
        file = printed(self.file)
        if self.line <= 0:
            return file
        return f"{file}:{self.line}:{self.column}" if self.column > 0 else f"{file}:{self.line}"


def printed(name: str) -> str:
    """A file name on one line: newlines and bytes that are no UTF-8 are written as escapes."""
    return name if name.isprintable() else "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in name)


NOWHERE = Loc("<fsoft>", 0, 0)


class InputError(Exception):
    """Bad or unsupported input. `str(error)` is the one line a user sees; the command line exits with 2.

    `what` says what is wrong and, where there is one, what to do about it.
    """

    def __init__(self, loc: Loc, what: str):
        super().__init__(what)
        self.loc = loc
        self.what = what

    def __str__(self) -> str:
        return f"{self.loc}: error: {self.what}"


class Unsupported(InputError):
    """C or library functions that fsoft does not model. Named, never ignored."""


@dataclass(frozen=True, slots=True)
class Source:
    """A C file, with preprocessor flags of its own (as a compilation database gives them). `more` is C text that is read after it.
    `command` (with the file's name missing) preprocesses it in `folder`, where its build says how."""

    path: str
    include: tuple[str, ...] = ()
    define: tuple[str, ...] = ()
    undefine: tuple[str, ...] = ()
    more: str = ""
    command: tuple[str, ...] = ()
    folder: str = ""

    def also(self, include: Sequence[str], define: Sequence[str], undefine: Sequence[str]) -> Source:
        """The same file with more flags, which come after its own."""
        before, defined, undefined = self.include, self.define, self.undefine
        return replace(self, include=(*before, *include), define=(*defined, *define), undefine=(*undefined, *undefine))


def program_name(source: Source) -> str:
    """What a program is called whose first file this is: its argv[0]."""
    return os.path.splitext(os.path.basename(source.path))[0]
