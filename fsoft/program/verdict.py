"""What an engine answers about a Program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from fsoft.frontend.source import NOWHERE, Loc
from fsoft.program.cuts import Cut


class InternalError(Exception):
    """fsoft contradicts itself: a counterexample does not replay, a result fails its own check. Never the user's fault."""


class Move(NamedTuple):
    """One step of a trace: which slot took which step of its template, and the answers to the questions it asked."""

    slot: int
    step: int
    choices: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Limits:
    """When to give up; None means never."""

    seconds: float | None = None
    states: int | None = None
    megabytes: int | None = None


NO_LIMITS = Limits()


@dataclass(slots=True)
class Stats:
    """What the search cost. `depth` counts the steps of the longest of the shortest ways to a state. `skipped` counts threads that could
    have moved and were not tried, state by state. `counts` are what a search counts otherwise (interleavings, questions, ...);
    `covered` says within which bounds there is no violation, where they grow."""

    states: int = 0
    transitions: int = 0
    depth: int = 0
    seconds: float = 0.0
    skipped: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    covered: str = ""

    def summary(self) -> str:
        """How far a search came; one on a circuit has no states to count, one with growing bounds has these."""
        if self.covered:
            return f"{self.covered}, {self.seconds:.1f} s"
        if self.counts:
            return ", ".join(f"{number:,} {name}" for name, number in self.counts.items() if number) + f", {self.seconds:.1f} s"
        if not self.states:
            return f"{self.depth} steps, {self.seconds:.1f} s"
        return f"{self.states:,} states, {self.transitions:,} transitions, depth {self.depth}, {self.seconds:.1f} s"


@dataclass(slots=True)
class Verdict:
    """`kind` is "TRUE", "FALSE" or "UNKNOWN". `prop` is the violated property, or the one (several: "") that was asked.
    `reasons` are lines for a person; `cuts` are what left behaviour out, or what a trace depends on; `loc` is where the violation is.
    `complete`: UNKNOWN, and no engine can say more, because a bound of the Program itself cuts and there is no violation within it.
    `engine`: who answered, where that was not chosen by the user."""

    kind: str
    prop: str
    reasons: list[str] = field(default_factory=list)
    trace: list[Move] = field(default_factory=list)
    stats: Stats = field(default_factory=Stats)
    cuts: list[Cut] = field(default_factory=list)
    loc: Loc = NOWHERE
    complete: bool = False
    engine: str = ""

    def lines(self) -> list[str]:
        """All that a person is told: what was found, what cut, more about it, and what the trace depends on."""
        cut, added = ([str(one) for one in self.cuts if one.adds is adds] for adds in (False, True))
        return list(dict.fromkeys([*self.reasons[:1], *cut, *self.reasons[1:], *added]))

    def last_line(self) -> str:
        """The line for machines."""
        return f"FALSE({self.prop})" if self.kind == "FALSE" else self.kind

    def exit_code(self) -> int:
        return {"TRUE": 0, "FALSE": 10}.get(self.kind, 5)


Progress = Callable[[Stats], None]
"""Called from time to time with what the search has cost so far."""

CountProgress = Callable[[int], None]
"""Called from time to time with a number that grows: of states that were made, of steps that are known to be free of targets."""

Say = Callable[[str], None]
"""Called with a line about the work, for a person who watches."""
