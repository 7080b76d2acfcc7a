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


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
