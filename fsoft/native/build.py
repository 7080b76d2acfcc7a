"""From C text to a program that can be run, compiled once: what was compiled is kept under a hash of its text in the user's folder for
such things, and the oldest go when there are many."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from fsoft.process.interrupts import scratch
from fsoft.process.tools import COMPILER, find, missing, start, stop

if TYPE_CHECKING:
    import subprocess

_KEPT = 200  # compiled programs
_LONG = 4_000_000  # characters of C from which optimising takes too long
OPTIMISED = "-O2"
"""How much the compiler shall do; campaigns with many small programs are sooner done with less."""
_FLAGS = ("-w", "-pthread", "-ffp-contract=off", "-fwrapv", "-fno-strict-aliasing", "-lm")


def available() -> bool:
    """Whether there is a compiler, and a machine for which we can write (a 64-bit one that is not asked for anything unusual)."""
    return os.name == "posix" and missing(COMPILER) is None


def folder() -> Path:
    """Where compiled programs are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "fsoft" / "native"


class Build:
    """The compilation of one text, which goes on by itself. `poll` says whether it has ended; then `path` is the program, or None if it
    could not be made. `close` when it is no longer wanted."""

    def __init__(self, text: str):
        level = OPTIMISED if len(text) < _LONG else "-O1"
        self._command = [find(COMPILER), level, *_FLAGS]
        key = sha256("\0".join((*self._command, text)).encode()).hexdigest()
        self.path: Path | None = None
        self._kept = _prepared(folder()) / key
        self._process: subprocess.Popen[bytes] | None = None
        if self._kept.exists():
            os.utime(self._kept)
            self.path = self._kept
            return
        self._end = ExitStack()
        work = self._end.enter_context(scratch("fsoft-native-"))
        source, made = Path(work, "search.c"), Path(work, "search")
        source.write_text(text, encoding="utf-8")
        self._made = made
        flags, libraries = self._command[:-1], self._command[-1:]
        self._process = start([*flags, str(source), "-o", str(made), *libraries], work)

    def poll(self) -> bool:
        if self._process is None:
            return True
        if self._process.poll() is None:
            return False
        if self._process.returncode == 0:
            copy = self._kept.with_suffix(f".{os.getpid()}")  # the cache may be on another file system
            shutil.copy2(self._made, copy)
            os.replace(copy, self._kept)
            self.path = self._kept
            _forget_oldest(self._kept.parent)
        self.close()
        return True

    def close(self) -> None:
        if self._process is not None:
            if self._process.poll() is None:
                stop(self._process)
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()
            self._process = None
            self._end.close()


def _prepared(wanted: Path) -> Path:
    """The folder, or a temporary one where it cannot be written."""
    try:
        wanted.mkdir(parents=True, exist_ok=True, mode=0o700)
        if os.access(wanted, os.W_OK | os.X_OK):
            return wanted
    except OSError:
        pass
    mine = Path(tempfile.gettempdir(), f"fsoft-native-{os.getuid()}")
    mine.mkdir(mode=0o700, exist_ok=True)
    found = mine.lstat()
    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077:
        return mine
    return Path(tempfile.mkdtemp(prefix="fsoft-native-"))  # somebody else took the name


def _forget_oldest(where: Path) -> None:
    """Keeps the programs that were used last."""
    try:
        found = sorted((one.stat().st_mtime, one) for one in where.iterdir() if one.is_file())
        for _, one in found[:-_KEPT]:
            one.unlink(missing_ok=True)
    except OSError:
        pass  # somebody else is clearing up


__all__ = ["Build", "available", "folder"]
