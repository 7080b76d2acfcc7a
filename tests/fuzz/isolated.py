"""fsoft's command line many times over, each time in a process of its own that has everything imported already.

What a run leaves behind is found: processes (this process inherits and reaps them) and temporary files. It is for programs of their own,
not for use inside tests: it waits for any child.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pkgutil
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import fsoft
from fsoft.cli.main import run_and_leave

_HOOK = re.compile(r"Exception ignored in: <function _after_at_fork_child_reinit_locks.*?failed to reinitialize lock at fork", re.DOTALL)
"""What `logging` says if it gets no memory in a fork. Optional packages have brought it in here; where fsoft forks it is not there."""
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of Linux
_PATIENCE = 5.0  # seconds in which what has been killed must be gone


@dataclass(frozen=True)
class Ended:
    """How a run ended: its exit code (negative: by a signal; None: it did not end), what it said, and what it left behind."""

    code: int | None
    out: str
    err: str
    left: list[str] = field(default_factory=list)

    def wrong(self, allowed: Sequence[int]) -> str:
        """What must not be; "" if all is well."""
        if self.code is None:
            return "it does not end"
        if self.code not in allowed:
            return f"exit code {self.code}: {self.err.strip()[-300:]}"
        if "Traceback" in _HOOK.sub("", self.err) + self.out:
            return f"a traceback: {self.err.strip()[-300:]}"
        return f"left behind: {', '.join(self.left)}" if self.left else ""


def warm_up() -> None:
    """Imports all of fsoft, and takes charge of processes whose parents end."""
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    for found in pkgutil.walk_packages(fsoft.__path__, "fsoft."):
        if not found.name.endswith("__main__"):
            import_module(found.name)
    for name in ("z3", "bitwuzla", "pysat.solvers", "dd.autoref", "dd.cudd", "argparse", "json", "tempfile", "subprocess"):
        with contextlib.suppress(ImportError):
            import_module(name)


def command(arguments: Sequence[str], folder: Path, seconds: float, before: Callable[[], None] = lambda: None) -> Ended:
    """Runs `fsoft ARGUMENTS` in the folder. `before` is called in the new process. Temporary files go to a folder beside the given one."""
    scratch = folder.parent / f"{folder.name}.tmp"
    scratch.mkdir()
    out, err = scratch / "out", scratch / "err"
    private = scratch / "tmp"
    private.mkdir()
    child = os.fork()
    if child == 0:
        _live(arguments, folder, (out, err, private), before)
    try:
        code = _await(child, seconds)
        left = _reaped(child) + sorted(f"file {path.name}" for path in private.rglob("*"))
        said, complained = (path.read_text(errors="replace") if path.exists() else "" for path in (out, err))
        return Ended(code, said, complained, left)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _live(arguments: Sequence[str], folder: Path, places: tuple[Path, Path, Path], before: Callable[[], None]) -> NoReturn:
    code = 99
    try:
        os.setsid()
        os.chdir(folder)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for number, handle in enumerate((nothing, *(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND) for path in places[:2]))):
            os.dup2(handle, number)
        os.environ.update(TMPDIR=str(places[2]), SOURCE_DATE_EPOCH="0")
        tempfile.tempdir = None
        sys.argv = ["fsoft", *arguments]
        before()
        run_and_leave()
    finally:
        os._exit(code)


def _await(child: int, seconds: float) -> int | None:
    last = time.monotonic() + seconds
    while time.monotonic() < last:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    return None


def _reaped(child: int) -> list[str]:
    """Waits for all processes that are left, and kills those that do not end by themselves: these are the result."""
    last, left = time.monotonic() + _PATIENCE, []
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, _ = os.waitpid(-1, os.WNOHANG)
            if not pid and time.monotonic() > last:
                for one in _children():
                    left.append(f"process {one} ({_name(one)})" if one != child else "")
                    os.kill(one, signal.SIGKILL)
                last += _PATIENCE
            elif not pid:
                time.sleep(0.002)
    return [one for one in left if one]


def _children() -> list[int]:
    with open(f"/proc/{os.getpid()}/task/{os.getpid()}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def _name(pid: int) -> str:
    with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as file:
        return file.read().replace(b"\0", b" ").decode(errors="replace")[:60]
    return "?"
