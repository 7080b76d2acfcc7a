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
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from fsoft.cli import exits
from fsoft.process.interrupts import die_with

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
    parent, mask = os.getpid(), signal.pthread_sigmask(signal.SIG_BLOCK, _HEARD)
    try:
        child = os.fork()
    except OSError as error:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        return _unanswered(f"no process can be started: {error.strerror}", exits.UNKNOWN)
    if child == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        _begun.append(begin)
        _live(work, parent)
    try:
        return _Supervisor(child, begin + (timeout or math.inf) + _GRACE, memory or math.inf).attend()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _live(work: Callable[[], int], parent: int) -> NoReturn:
    """The life of the child."""
    from fsoft.cli.main import flushed, guarded  # which starts this

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


def _heard(seconds: float) -> int:
    """The signal of `_HEARD`, which are blocked, that comes within the time; 0 for none."""
    if hasattr(signal, "sigtimedwait"):
        found = signal.sigtimedwait(_HEARD, seconds)
        return found.si_signo if found is not None else 0
    last = time.monotonic() + seconds
    while not (pending := signal.sigpending() & set(_HEARD)) and time.monotonic() < last:
        time.sleep(0.02)
    return signal.sigwait(pending) if pending else 0


@dataclass
class _Supervisor:
    """Ends the child at the `deadline`, and beyond so many megabytes of memory."""

    child: int
    deadline: float
    memory: float

    def attend(self) -> int:
        """The exit code, when the child has ended."""
        while (status := _status(self.child)) is None:
            if time.monotonic() >= self.deadline:
                return self._strike("time limit reached", exits.TIMEOUT)
            if resident(self.child) > (self.memory + _SLACK) * (1 << 20):
                return self._strike("memory limit reached", exits.UNKNOWN)
            heard = _heard(self._pause())
            if heard == signal.SIGTERM:
                self._end()
                raise SystemExit(exits.ENDED)
            if heard == signal.SIGINT:
                self._interrupt()
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
    """The exit code of a child that has ended. One that is none of fsoft's is how libraries end processes in which memory is short."""
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) in exits.ALL:
        return os.WEXITSTATUS(status)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGTERM, signal.SIGINT):
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


def resident_below() -> int:
    """Bytes of memory that the programs hold which this process runs, as far as the system says. A signal's handler asks this, too."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", "rb") as file:
            return sum(resident(int(child)) for child in file.read().split())
    except OSError:
        return 0
