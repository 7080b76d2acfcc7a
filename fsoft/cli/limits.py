"""Time and memory limits that cover the whole of a command, front end and engine alike.

The command runs in a child process. Inside it a timer looks every fifth of a second at the clock and at the resident memory, and raises
`OutOfTime` or `OutOfMemory` where the program stands: the engine's last progress is still at hand and becomes
the answer. Outside, the parent waits a little longer and kills a child that could not be interrupted. A parent that is told to end asks its
child to, so that it can end what it has started itself.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType

from fsoft.cli import exits

_TICK = 0.2
_GRACE = 3.0
_LAST = 2.0  # seconds that a child gets to end what it has started
_HEADROOM = 2048  # MB of address space beyond the limit, for what is mapped but not resident (large stacks, above all)


def limited(work: Callable[[], int], timeout: float | None, memory: int | None) -> int:
    """`work()` within `timeout` seconds and `memory` megabytes; without limits, in this very process."""
    if timeout is None and memory is None:
        return work()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        _in_child(work, timeout, memory)
    return _await(child, timeout)


def _in_child(work: Callable[[], int], timeout: float | None, memory: int | None) -> None:
    """Runs `work` under the limits and never returns."""
    from fsoft.cli.main import flushed, guarded

    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _arm(timeout, memory)
    try:
        code = guarded(work)
    except (KeyboardInterrupt, SystemExit):  # nothing of the parent's is cleared away here
        code = exits.INTERRUPTED
    signal.setitimer(signal.ITIMER_REAL, 0)
    try:
        code = flushed(code)
        sys.stderr.flush()
    except OSError:
        pass
    os._exit(code)


def disarm() -> None:
    """The answer is there: from here on no limit interrupts what is said about it."""
    signal.setitimer(signal.ITIMER_REAL, 0)


def _arm(timeout: float | None, memory: int | None) -> None:
    start, parent = time.monotonic(), os.getppid()
    page = resource.getpagesize()

    def look(_signal: int, _frame: FrameType | None) -> None:
        if os.getppid() != parent:
            os._exit(exits.INTERRUPTED)
        late = timeout is not None and time.monotonic() - start >= timeout
        full = memory is not None and _resident(page) > memory << 20
        if late or full:
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise exits.OutOfTime if late else exits.OutOfMemory

    signal.signal(signal.SIGALRM, look)
    sys.unraisablehook = _again
    first = _TICK if timeout is None else min(_TICK, max(timeout, 0.001))
    signal.setitimer(signal.ITIMER_REAL, first, _TICK)
    if memory is not None:
        most, allowed = (memory + _HEADROOM) << 20, resource.getrlimit(resource.RLIMIT_AS)[1]
        if allowed == resource.RLIM_INFINITY or most < allowed:
            resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _again(lost: sys.UnraisableHookArgs) -> None:
    """A limit that was met inside a destructor, where exceptions are dropped, is met again."""
    if issubclass(lost.exc_type, (exits.OutOfTime, exits.OutOfMemory)):
        signal.setitimer(signal.ITIMER_REAL, 0.01, _TICK)
    else:
        sys.__unraisablehook__(lost)


def _resident(page: int) -> int:
    """In bytes. A signal's handler asks: decoding would import a codec, perhaps in the middle of another import, which Python 3.11 does
    not survive."""
    try:
        with open("/proc/self/statm", "rb") as statm:
            return int(statm.read().split()[1]) * page
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _await(child: int, timeout: float | None) -> int:
    """The child's exit code; a child that is still there after the grace is killed."""

    def leave(_signal: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + signal.SIGTERM)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        status = _status(child, None if timeout is None else timeout + _GRACE)
    except BaseException:
        _end(child)
        raise
    finally:
        signal.signal(signal.SIGTERM, before)
    if status is not None:
        return _code(status)
    _end(child)
    print("time limit reached\nUNKNOWN")
    return exits.TIMEOUT


def _status(child: int, seconds: float | None) -> int | None:
    """The child's status when it ends; None if that takes longer."""
    if seconds is None:
        return os.waitpid(child, 0)[1]
    last, pause = time.monotonic() + seconds, 0.001
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return status
        if time.monotonic() > last:
            return None
        _sleep(child, pause)
        pause = min(pause * 2, 0.05)


def _sleep(child: int, pause: float) -> None:
    """A moment; where the system can, only until the child ends."""
    try:
        handle = os.pidfd_open(child)
    except (AttributeError, OSError):
        time.sleep(pause)
        return
    try:
        select.select([handle], [], [], _TICK)
    finally:
        os.close(handle)


def _end(child: int) -> None:
    """Asks the child to end, kills it if it does not, and reaps it."""
    os.kill(child, signal.SIGTERM)
    if _status(child, _LAST) is None:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _code(status: int) -> int:
    if os.WIFEXITED(status):
        return os.WEXITSTATUS(status)
    print("the engine was killed, most likely for want of memory\nUNKNOWN")
    return exits.UNKNOWN
