"""Limits that strike from outside: whoever watches the clock and the memory of this process raises one of these where it stands."""

from __future__ import annotations


class OutOfTime(BaseException):
    """The time limit has passed. Not an `Exception`: nothing between the alarm and whoever asked may swallow it."""


class OutOfMemory(BaseException):
    """The memory limit has passed; as for `OutOfTime`."""


__all__ = ["OutOfMemory", "OutOfTime"]
