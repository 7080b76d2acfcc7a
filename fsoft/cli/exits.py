"""Exit codes, and the exceptions that end a command with one of them."""

from __future__ import annotations

from fsoft.process.limits import OutOfMemory as OutOfMemory
from fsoft.process.limits import OutOfTime as OutOfTime

TRUE = 0
USAGE = 1
BAD_INPUT = 2
UNKNOWN = 5
INTERNAL = 6
FALSE = 10
TIMEOUT = 31
INTERRUPTED = 130
UNHEARD = 141
ENDED = 143
ALL = (TRUE, USAGE, BAD_INPUT, UNKNOWN, INTERNAL, FALSE, TIMEOUT, INTERRUPTED, UNHEARD, ENDED)


class UsageError(Exception):
    """The command line itself is wrong. `str(error)` is the one line the user sees."""


class Unwritten(Exception):
    """What was said on standard output is lost: `error` says why."""

    def __init__(self, error: OSError) -> None:
        super().__init__(error.strerror)
        self.error = error
