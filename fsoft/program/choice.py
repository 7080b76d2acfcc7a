"""The hook of a reduction: which slots a search takes in a state, and which accesses the reduction allowed for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from fsoft.program.state import Access


class Ready(NamedTuple):
    """A step whose guard holds: whether it can be taken now, whether taking it may end the run, whether it is a spurious wake-up."""

    step: int
    enabled: bool
    over: bool
    spurious: bool


class Choice(Protocol):
    """Decides which slots are enough in a state. `sticky`: by slot, locations at which a thread never moves alone."""

    sticky: Sequence[frozenset[int]]

    def select(self, v: Sequence[Any], ready: dict[int, list[Ready]], order: Sequence[int]) -> list[int] | None:
        """The slots to expand; None for all."""

    def watch(self, v: Sequence[Any], slot: int, index: int, log: Sequence[Access]) -> None:
        """Called with what a step accessed; raises Strayed if that is not where the choice expected it."""


class Strayed(Exception):
    """An access went where the reduction did not expect it: what it left out may matter."""
