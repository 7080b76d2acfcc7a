"""What a user bounds, and what every bounded formula can do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Protocol

from fsoft.circuit.model import Model
from fsoft.passes.bounds import Bounds
from fsoft.passes.unwind import Unwound
from fsoft.program.verdict import Move
from fsoft.records import dataclass


@dataclass(frozen=True, slots=True)
class Given:
    """The bounds; None is what the encoding takes by default. `loops`: unwinding. `contexts`, `order`: tcbmc. `rounds`, `schedule`: lazy.
    `writes`, `grain`, `reads`: mu. `context_bound`: paths, uw, schedule; `eager_guards`, `por`, `merge`, `all_interleavings`,
    `several` (a verdict for each property): paths; `smt_dump`: paths, uw. `incremental`: grow until it is decided."""

    loops: Bounds = field(default_factory=Bounds)
    contexts: int | None = None
    order: str | None = None
    rounds: int | None = None
    schedule: str | None = None
    writes: int | None = None
    grain: str | None = None
    reads: str | None = None
    context_bound: int | None = None
    eager_guards: bool = False
    por: str | None = None
    merge: bool = False
    all_interleavings: bool = False
    several: bool = False
    smt_dump: str = ""
    incremental: bool = False


class Formula(Protocol):
    """An unwound Program as a Model without states."""

    @property
    def model(self) -> Model: ...

    def run(self, inputs: Mapping[str, int], prop: str) -> list[Move]:
        """The moves of the unwound Program that the inputs choose, up to where `prop` is violated."""

    def grown(self, given: Given, cuts: tuple[str, ...]) -> Given:
        """What to ask next if these bounds cut: the same if nothing can be done about them."""

    def describe(self) -> str:
        """The bounds of this formula, for a person."""


def rounds_for(unwind: int) -> int:
    """How many rounds of all threads go with so many rounds of loops. A search for bounds that cut names some, not all, so what it has
    not named grows slowly beside a loop that it names for ever: 2 rounds, as many as loops run up to 4, then one more whenever those
    double."""
    return max(2, unwind) if unwind <= 4 else 1 + (unwind - 1).bit_length()


def longer_loops(unwound: Unwound, given: Given, cuts: tuple[str, ...]) -> Given:
    """Loops unwound further, if one of the cuts is a loop's; not for loops whose bound the user has set."""
    numbers = [int(name.removeprefix("marker.")) for name in cuts if name.startswith("marker.")]
    if not any(unwound.program.markers[number].kind == "loop" for number in numbers):
        return given
    now = given.loops.unwind
    return replace(given, loops=replace(given.loops, unwind=now + max(1, now // 3)))
