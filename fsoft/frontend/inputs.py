"""The files that fsoft reads: at most so many bytes, from files and pipes, and whatever goes wrong is one line.

What came out of a pipe is kept: it cannot be read a second time, and reports quote the text that was checked.
"""

from __future__ import annotations

import os
import select
import stat

from fsoft.frontend.source import InputError, Loc

MOST = 64 << 20  # bytes; what is made of a file takes many times its size
_PATIENCE = 5.0  # seconds in which somebody must open a pipe for writing

_pipes: dict[str, bytes] = {}


def read_file(path: str, shown: str | None = None) -> bytes:
    """What is in a file; an InputError at `shown` (the path, if nothing else is said) if that cannot be had."""
    loc = Loc(shown or path, 0)
    if path in _pipes:
        return _pipes[path]
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)  # not to wait for ever for the writer of a pipe
        try:
            data = _contents(handle, loc, path)
        finally:
            os.close(handle)
    except FileNotFoundError:
        raise InputError(loc, "there is no such file") from None
    except IsADirectoryError:
        raise InputError(loc, "this is a directory, not a file") from None
    except PermissionError:
        raise InputError(loc, "this file may not be read") from None
    except (OSError, ValueError) as error:
        raise InputError(loc, f"this file cannot be read ({getattr(error, 'strerror', None) or error})") from None
    return data


def read_lines(path: str) -> list[str]:
    """The lines of a file, for quoting; none if it cannot be read."""
    try:
        text = read_file(path).decode("utf-8", "replace")
    except InputError:
        return []
    return text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")


def _contents(handle: int, loc: Loc, path: str) -> bytes:
    about = os.fstat(handle)
    if stat.S_ISREG(about.st_mode) and about.st_size > MOST:
        raise _too_large(loc, f"{about.st_size >> 20} MB")
    is_pipe = stat.S_ISFIFO(about.st_mode)
    data = bytearray(_first(handle, loc) if is_pipe else b"")
    os.set_blocking(handle, True)
    while chunk := os.read(handle, 1 << 20):
        data += chunk
        if len(data) > MOST:
            raise _too_large(loc, f"more than {MOST >> 20} MB")
    if is_pipe:
        _pipes[path] = bytes(data)
    return bytes(data)


def _first(handle: int, loc: Loc) -> bytes:
    """What is in a pipe as soon as there is something. Who has opened it may take its time; nobody has after a while is an InputError."""
    poll = select.poll()
    poll.register(handle, select.POLLIN | select.POLLHUP)
    came = poll.poll(_PATIENCE * 1000)
    try:
        data = os.read(handle, 1 << 16)
    except BlockingIOError:
        return b""
    if not data and not came:
        raise InputError(loc, "nobody writes to this pipe")
    return data


def _too_large(loc: Loc, size: str) -> InputError:
    return InputError(loc, f"this file is too large: {size}, and fsoft reads at most {MOST >> 20} MB of a file")
