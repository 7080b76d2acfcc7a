"""Writing results: never a half-written file under the name that was asked for."""

from __future__ import annotations

import os
import tempfile

from fsoft.frontend.source import InputError, Loc


def write_file(path: str, data: bytes) -> None:
    """Writes to a temporary name in the same folder, then renames. Whatever goes wrong is an InputError and leaves nothing behind."""
    folder = os.path.dirname(path) or "."
    temporary = ""
    try:
        if os.path.isdir(path):
            raise InputError(Loc(path, 0), "is a folder")
        handle, temporary = tempfile.mkstemp(prefix=f".{os.path.basename(path)}.", dir=folder)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except OSError as error:
        raise InputError(Loc(path, 0), f"cannot be written: {error.strerror}") from None
    finally:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)


def check_target(path: str) -> None:
    """InputError, before any work is done, where it is plain that `write_file` will not be able to write."""
    folder = os.path.dirname(path) or "."
    if os.path.isdir(path):
        raise InputError(Loc(path, 0), "is a folder")
    if not os.path.isdir(folder):
        raise InputError(Loc(path, 0), f"cannot be written: no folder {folder}")
    if not os.access(folder, os.W_OK):
        raise InputError(Loc(path, 0), f"cannot be written: the folder {folder} is read-only")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
