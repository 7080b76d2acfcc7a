"""Time and memory limits that cover the whole of a command, front end and engine alike.

The command runs in a child process. Inside it a timer looks every fifth of a second at the clock and at the resident memory, and raises
`OutOfTime` or `OutOfMemory` where the program stands: the engine's last progress is still at hand and becomes
the answer. Outside, the parent waits a little longer and kills a child that could not be interrupted.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType

from fsoft.cli import exits

_TICK = 0.2
_GRACE = 3.0
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
    from fsoft.cli.main import guarded

    _arm(timeout, memory)
    code = guarded(work)
    signal.setitimer(signal.ITIMER_REAL, 0)
    try:
        sys.stdout.flush()
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
        most = (memory + _HEADROOM) << 20
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _again(lost: sys.UnraisableHookArgs) -> None:
    """A limit that was met inside a destructor, where exceptions are dropped, is met again."""
    if issubclass(lost.exc_type, (exits.OutOfTime, exits.OutOfMemory)):
        signal.setitimer(signal.ITIMER_REAL, 0.01, _TICK)
    else:
        sys.__unraisablehook__(lost)


def _resident(page: int) -> int:
    try:
        with open("/proc/self/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * page
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _await(child: int, timeout: float | None) -> int:
    """The child's exit code; a child that is still there after the grace is killed."""
    last = None if timeout is None else time.monotonic() + timeout + _GRACE
    signal.signal(signal.SIGTERM, lambda *_: _kill_and_leave(child))
    pause = 0.001
    try:
        while True:
            pid, status = os.waitpid(child, 0 if last is None else os.WNOHANG)
            if pid:
                return _code(status)
            if last is not None and time.monotonic() > last:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                print("time limit reached\nUNKNOWN")
                return exits.TIMEOUT
            time.sleep(pause)
            pause = min(pause * 2, 0.05)
    except KeyboardInterrupt:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise


def _kill_and_leave(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    os._exit(128 + signal.SIGTERM)


def _code(status: int) -> int:
    if os.WIFEXITED(status):
        return os.WEXITSTATUS(status)
    print("the engine was killed, most likely for want of memory\nUNKNOWN")
    return exits.UNKNOWN
