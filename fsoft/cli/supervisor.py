"""A command runs in a child process; here its supervisor sees to it that there is an answer, whatever becomes of the child.

The child keeps the limits itself (`limits.py`), once it has read its options and as long as Python can be interrupted. The supervisor
looks at the clock and at the child's memory from the beginning: a child that stays beyond a limit, in native code above all, is told to end
and then killed. A child that dies of a crash or for want of memory has not answered, and the supervisor says so. A supervisor that is told
to end asks its child to, so that this one can end what it has started itself; the child of a supervisor that is killed ends, too.
"""

from __future__ import annotations

import math
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from fsoft.cli import exits
from fsoft.interrupts import die_with

_GRACE = 1.2  # seconds beyond the time limit for a child to report
_LAST = 0.4  # seconds that a child gets to end what it has started
_LOOK = 0.1  # seconds between two looks at the memory
_SLACK = 128  # MB beyond the memory limit: a child that notices itself can report

_HEARD = (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD)

_begun: list[float] = []
"""In a supervised process: when the command began, on the monotonic clock."""


def is_supervised() -> bool:
    return bool(_begun)


def begun() -> float:
    """When the command began: now, if nobody supervises it."""
    return _begun[-1] if _begun else time.monotonic()


def supervised(work: Callable[[], int], begin: float, timeout: float | None = None, memory: int | None = None) -> int:
    """The exit code of `work()`, done in a child process within `timeout` seconds from `begin` on and with at most `memory` megabytes."""
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    try:
        signals = _Signals()
        child = os.fork()
    except OSError as error:
        return _unanswered(f"no process can be started: {error.strerror}", exits.UNKNOWN)
    if child == 0:
        signals.give_back()
        _begun.append(begin)
        _live(work, parent)
    signals.hear()
    try:
        return _Supervisor(child, signals, begin + (timeout or math.inf) + _GRACE, memory or math.inf).attend()
    finally:
        signals.give_back()


def _live(work: Callable[[], int], parent: int) -> NoReturn:
    """The life of the child."""
    from fsoft.cli.main import flushed, guarded

    code = exits.UNKNOWN
    try:
        die_with(parent, signal.SIGTERM)
        code = flushed(guarded(work))
    except SystemExit as end:
        code = flushed(end.code if isinstance(end.code, int) else exits.INTERRUPTED)
    except KeyboardInterrupt:
        code = exits.INTERRUPTED
    finally:  # nothing of the parent's is cleared away here
        os._exit(code)


class _Signals:
    """The signals that a supervisor hears: blocked from now on, noted from `hear` on, until they are given back."""

    def __init__(self) -> None:
        self.heard: list[int] = []
        self.reading, self._writing = os.pipe()  # something can be read when a signal has come
        self._blocked = signal.pthread_sigmask(signal.SIG_BLOCK, _HEARD)
        self._before = {number: signal.signal(number, lambda caught, _frame: self.heard.append(caught)) for number in _HEARD}
        os.set_blocking(self.reading, False)
        os.set_blocking(self._writing, False)
        self._wake = signal.set_wakeup_fd(self._writing, warn_on_full_buffer=False)

    def hear(self) -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, self._blocked)

    def wait(self, seconds: float) -> None:
        """Until a signal comes or the time is up."""
        if select.select([self.reading], [], [], seconds)[0]:
            os.read(self.reading, 1 << 12)

    def give_back(self) -> None:
        signal.set_wakeup_fd(self._wake)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, self._blocked)
        os.close(self.reading)
        os.close(self._writing)


@dataclass
class _Supervisor:
    """Ends the child at the `deadline`, and beyond so many megabytes of memory."""

    child: int
    signals: _Signals
    deadline: float
    memory: float

    def attend(self) -> int:
        """The exit code, when the child has ended."""
        while (status := _status(self.child)) is None:
            if signal.SIGTERM in self.signals.heard:
                self._end()
                raise SystemExit(128 + signal.SIGTERM)
            if signal.SIGINT in self.signals.heard:
                self._interrupt()
            if time.monotonic() >= self.deadline:
                return self._strike("time limit reached", exits.TIMEOUT)
            if resident(self.child) > (self.memory + _SLACK) * (1 << 20):
                return self._strike("memory limit reached", exits.UNKNOWN)
            self.signals.wait(self._pause())
        return _code(status)

    def _pause(self) -> float:
        """Seconds until the next look."""
        return max(0.0, min(self.deadline - time.monotonic(), 1.0 if self.memory == math.inf else _LOOK))

    def _strike(self, limit: str, code: int) -> int:
        """Ends a child that is beyond a limit; the exit code. One that has just come to its end has answered."""
        status = self._end()
        if status is not None and os.WIFEXITED(status) and os.WEXITSTATUS(status) < 128:
            return os.WEXITSTATUS(status)
        return _unanswered(limit, code)

    def _interrupt(self) -> None:
        """Ctrl-C reaches the child by itself; a signal that somebody sends to the supervisor alone does not."""
        self.signals.heard.remove(signal.SIGINT)
        time.sleep(_LOOK)
        if os.waitid(os.P_PID, self.child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            os.kill(self.child, signal.SIGINT)

    def _end(self) -> int | None:
        """Asks the child to end, and kills it if it does not; its status if it could be reaped."""
        os.kill(self.child, signal.SIGTERM)
        status = _ended(self.child, _LAST)
        if status is None:
            os.kill(self.child, signal.SIGKILL)
            status = _ended(self.child, _LAST)
        return status


def _status(child: int) -> int | None:
    """The status of a child that has ended."""
    pid, status = os.waitpid(child, os.WNOHANG)
    return status if pid else None


def _ended(child: int, seconds: float) -> int | None:
    """The status of a child that ends within some seconds."""
    last = time.monotonic() + seconds
    while (status := _status(child)) is None and time.monotonic() < last:
        time.sleep(0.01)
    return status


def _code(status: int) -> int:
    if os.WIFEXITED(status):
        return os.WEXITSTATUS(status)
    if os.WTERMSIG(status) in (signal.SIGTERM, signal.SIGINT):
        return 128 + os.WTERMSIG(status)
    return _unanswered("the engine was killed, most likely for want of memory", exits.UNKNOWN)


def _unanswered(why: str, code: int) -> int:
    print(f"{why}\nUNKNOWN")
    return code


def resident(pid: int | str = "self") -> int:
    """Bytes of memory that a process holds; 0 if nobody says. A signal's handler asks: decoding would import a codec, perhaps in the middle
    of another import, which Python 3.11 does not survive."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as statm:
            return int(statm.read().split()[1]) * resource.getpagesize()
    except (OSError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 if pid == "self" else 0
