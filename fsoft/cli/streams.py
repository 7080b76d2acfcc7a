"""Standard input, output and errors as fsoft uses them: all three are open, and a failure to write is known as one.

Without this a process that is started with one of them closed would take the next file it opens for it.
"""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

from fsoft.cli import exits

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Output(io.FileIO):
    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise exits.Unwritten(error) from None


class _Errors(io.FileIO):
    """What cannot be said there is dropped: there is nowhere else to say it."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def prepare() -> None:
    """Opens what is closed and replaces `sys.stdout` and `sys.stderr`: `Unwritten` says that output is lost."""
    for number, flags in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):  # to a closed output nothing can be written
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, flags), True)  # the lowest number that is free: this one
    sys.stdin = sys.stdin or io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)))
    sys.stdout = _text(_Output(1, "w", closefd=False), sys.stdout)
    sys.stderr = _text(_Errors(2, "w", closefd=False), sys.stderr)


def _text(raw: io.FileIO, before: TextIO | None) -> io.TextIOWrapper:
    """A text stream like the one before. What its encoding cannot say is escaped."""
    encoding, errors = getattr(before, "encoding", None) or "utf-8", getattr(before, "errors", None)
    errors = "backslashreplace" if errors in (None, "strict") else errors
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding, errors, line_buffering=raw.fileno() == 2 or raw.isatty())
