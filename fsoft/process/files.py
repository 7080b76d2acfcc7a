"""Writing results: never a half-written file under the name that was asked for."""

from __future__ import annotations

import os
import stat

from fsoft.frontend.source import InputError, Loc
from fsoft.process.interrupts import undisturbed


def write_file(path: str, data: bytes) -> None:
    """Writes to a temporary name in the same folder, then renames. Whatever goes wrong is an InputError that leaves nothing behind and what
    was there before as it was. A link is followed; a device or a pipe is written to directly."""
    target = _target(path)
    try:
        if _is_device(path):
            _into(path, data)
        else:
            with undisturbed():
                _replace(target, data)
    except OSError as error:
        raise InputError(Loc(path, 0), f"cannot be written: {error.strerror}") from None


def utf8(text: str) -> bytes:
    """A text as UTF-8. Bytes of file names that are none are written as escapes, which JSON reads back."""
    return text.encode("utf-8", "backslashreplace")


def check_writable(path: str) -> None:
    """InputError if it is plain that the file cannot be written: for commands that work long before they write."""
    target = _target(path)
    folder = os.path.dirname(target)
    if _is_device(path):
        return
    if not os.path.isdir(folder):
        raise InputError(Loc(path, 0), "cannot be written: there is no such folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(Loc(path, 0), "cannot be written: the folder is read-only")


def _target(path: str) -> str:
    """Where the path leads, past all links; what is there is no folder. InputError if it leads nowhere (a circle of links)."""
    try:
        if stat.S_ISDIR(os.stat(path).st_mode):
            raise InputError(Loc(path, 0), "is a folder")
    except FileNotFoundError:
        pass
    except OSError as error:
        raise InputError(Loc(path, 0), f"cannot be written: {error.strerror}") from None
    return os.path.realpath(path)


def _into(device: str, data: bytes) -> None:
    """Writes to a device or a pipe. A pipe that nobody reads is an OSError: it might never be read."""
    handle = os.open(device, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    try:
        os.set_blocking(handle, True)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(handle, rest) :]
    finally:
        os.close(handle)


def _replace(target: str, data: bytes) -> None:
    import tempfile  # only here: it imports a lot

    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{os.path.basename(target)[:100]}.", dir=os.path.dirname(target))
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(handle)  # some file systems only now notice that they are full
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, target)
    finally:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)


def _is_device(path: str) -> bool:
    """Whether there is something at the path that must not be replaced by a file."""
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
