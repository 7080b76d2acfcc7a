"""What a user can choose about the search over paths."""

from __future__ import annotations

from dataclasses import dataclass, field

from fsoft.passes.bounds import Bounds
from fsoft.solve.terms import DEFAULT

REDUCTIONS = ("none", "sleep", "persistent", "source")
"""The values of `por`: nothing is left out; sleep sets; persistent sets from `fsoft.por` (with sleep sets); source-DPOR."""


@dataclass(frozen=True)
class Settings:
    """`contexts`: how many context switches a path may make (None: any number). `loops`: how often a thread may return to the head of a
    loop in rounds that constants do not decide; a bound for a single loop counts all its rounds. `eager`: the condition of a branch is
    checked when it is taken, not only at the end of the path. `por`: one of REDUCTIONS. `merge`: a state that was explored before, under
    weaker conditions, is not explored again. `everything`: go on after a violation and count the interleavings that fail. `several`: a
    verdict for each property. `solver` and `dump` (a folder for SMT-LIB files, or "") say who answers; `seconds` is the time limit."""

    contexts: int | None = None
    loops: Bounds = field(default_factory=Bounds)
    eager: bool = False
    por: str = "none"
    merge: bool = False
    everything: bool = False
    several: bool = False
    solver: str = DEFAULT
    dump: str = ""
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.contexts is not None and self.contexts < 1:
            raise ValueError(f"a context bound of {self.contexts}: it must be at least 1")
        if self.por not in REDUCTIONS:
            raise ValueError(f"no reduction '{self.por}' for paths: one of {', '.join(REDUCTIONS)}")
