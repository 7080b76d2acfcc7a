"""Time and memory limits that cover the whole of a command, front end and engine alike.

The command runs in a child process (`supervisor.py`). Inside it a timer looks every fifth of a second at the clock and at the resident
memory, its own and that of the programs it runs, and raises `OutOfTime` or `OutOfMemory` where the program stands: the engine's last
progress is still at hand and becomes the answer. The supervisor ends a child that could not be interrupted.
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
from fsoft.cli.supervisor import begun, is_supervised, resident, resident_below, supervised

_TICK = 0.2
_HEADROOM = 2048  # MB of address space beyond the limit, for what is mapped but not resident (large stacks, above all)


def limited(work: Callable[[], int], timeout: float | None, memory: int | None) -> int:
    """`work()` within `timeout` seconds, counted from the beginning of the command, and `memory` megabytes."""
    if timeout is None and memory is None:
        return work()
    if not is_supervised():
        return supervised(lambda: limited(work, timeout, memory), time.monotonic(), timeout, memory)
    _arm(timeout, memory)
    try:
        return work()
    finally:
        disarm()


def disarm() -> None:
    """The answer is there: from here on no limit interrupts what is said about it."""
    signal.setitimer(signal.ITIMER_REAL, 0)


def _arm(timeout: float | None, memory: int | None) -> None:
    start, parent = begun(), os.getppid()

    def look(_signal: int, _frame: FrameType | None) -> None:
        if os.getppid() != parent:
            os._exit(exits.INTERRUPTED)
        late = timeout is not None and time.monotonic() - start >= timeout
        full = memory is not None and resident() + resident_below() > memory << 20
        if late or full:
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise exits.OutOfTime if late else exits.OutOfMemory

    signal.signal(signal.SIGALRM, look)
    sys.unraisablehook = _again
    first = _TICK if timeout is None else min(_TICK, max(start + timeout - time.monotonic(), 0.001))
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
