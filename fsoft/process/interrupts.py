"""Signals that end fsoft, so that nothing stays behind: no process, no temporary file, no half-written report.

SIGTERM ends Python at once, and Ctrl-C is an exception that may come anywhere. `undisturbed` keeps both out of a block that must not be
left half done; `terminable` turns SIGTERM into an exception where something has to be cleared away; `scratch` is a temporary folder that
is gone afterwards, whatever happens. Elsewhere SIGTERM keeps its default: while a native solver works, a handler in Python would have to
wait.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from fsoft.frontend.source import InputError, Loc

_SCRATCH = ".scratch"
_MOMENT = 10.0  # seconds
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)


@contextmanager
def undisturbed(starting: bool = False) -> Iterator[None]:
    """No signal interrupts the block; those that come are dealt with after it. A blocked signal can still reach another thread of the
    process, and Python would then call its handler in this one: so handlers only take note meanwhile. `starting`: a program is started in
    the block, which would inherit what is blocked; so only signals that have a handler wait."""
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, () if starting else SIGNALS)
    late: list[int] = []
    handlers: dict[signal.Signals, Any] = {}
    try:
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                before = signal.getsignal(number)
                if callable(before) or (before is not None and not starting):
                    handlers[number] = signal.signal(number, lambda caught, _frame: late.append(caught))
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        for caught in late:
            signal.raise_signal(caught)


@contextmanager
def noticed() -> Iterator[Callable[[], bool]]:
    """For a native call that asks from time to time whether it shall end: it can ask what it is given here. Ctrl-C and SIGTERM, if they
    have handlers, only take note in the block and are dealt with after it."""
    late: list[int] = []
    handlers: dict[signal.Signals, Any] = {}
    try:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                if callable(signal.getsignal(number)):
                    handlers[number] = signal.signal(number, lambda caught, _frame: late.append(caught))
        yield lambda: bool(late)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for caught in late:
            signal.raise_signal(caught)


@contextmanager
def terminable() -> Iterator[None]:
    """SIGTERM ends the block as an exception (`SystemExit`), so that what it started is ended first."""

    def end(_signal: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + signal.SIGTERM)

    if threading.current_thread() is not threading.main_thread():  # somebody else deals with signals
        yield
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def die_with(parent: int, number: int = signal.SIGKILL) -> None:
    """Where the system can: this process gets the signal when its parent ends, whatever ends it."""
    try:
        import ctypes  # takes a while to import, and the rest of this module is needed in every run

        ctypes.CDLL(None).prctl(1, number)  # PR_SET_PDEATHSIG of Linux
    except (ImportError, OSError, AttributeError):
        pass
    if os.getppid() != parent:
        os._exit(1)


@contextmanager
def scratch(prefix: str) -> Iterator[str]:
    """A temporary folder for the time of the block; InputError where none can be made. It is locked meanwhile: one that nobody locks was
    left by a process that was killed, and the next that needs a folder removes it."""
    with terminable():
        folder, lock = "", -1
        try:
            with undisturbed():
                folder = _new_folder(prefix)
                lock = _lock(folder)
            _remove_abandoned(folder)
            yield folder
        finally:
            if folder:
                with undisturbed():
                    shutil.rmtree(folder, ignore_errors=True)
                    if lock >= 0:
                        os.close(lock)


def _lock(folder: str) -> int:
    """A lock on a folder that ends with this process; -1 if somebody else has it."""
    lock = -1
    try:
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return lock
    except OSError:
        if lock >= 0:
            os.close(lock)
        return -1


def _remove_abandoned(mine: str) -> None:
    """Remove our folders beside this one that nobody locks, and that are older than the moment between making one and locking it."""
    around = os.path.dirname(mine)
    for name in os.listdir(around):
        if not (name.startswith("fsoft-") and name.endswith(_SCRATCH)):
            continue
        path = os.path.join(around, name)
        try:
            found = os.lstat(path)
            if found.st_uid != os.getuid() or time.time() - found.st_mtime < _MOMENT:
                continue
        except OSError:
            continue
        if path != mine and os.path.isdir(path) and (lock := _lock(path)) >= 0:
            shutil.rmtree(path, ignore_errors=True)
            os.close(lock)


def _new_folder(prefix: str) -> str:
    import tempfile  # the same

    try:
        return tempfile.mkdtemp(_SCRATCH, prefix)
    except OSError as error:
        raise InputError(Loc("TMPDIR", 0), f"no temporary folder: {error.strerror}") from None


__all__ = ["SIGNALS", "die_with", "noticed", "scratch", "terminable", "undisturbed"]
