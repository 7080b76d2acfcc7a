"""Bounded encodings: what a user bounds, what an entry of the table says, and what every formula can do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from fsoft.circuit.model import Model
from fsoft.passes.bounds import Bounds
from fsoft.passes.unwind import Unwound
from fsoft.program.verdict import Move


@dataclass(frozen=True, slots=True)
class Given:
    """What all encodings have: `loops` says how far they are unwound; `incremental`: bounds grow until the question is decided. Each
    encoding derives a record with options of its own; None is what it takes by default."""

    loops: Bounds = field(default_factory=Bounds)
    incremental: bool = False


@dataclass(frozen=True, slots=True)
class BoundedEncoding:
    """An encoding in a file of its own: `bounds` is its record, `door` the function that makes a Formula from (Unwound, record), or, for a
    `search`, the function from (Program, record, progress, timeout, say) to a Verdict. `scheme`: the same as a sequential Program, if it
    can be one (`bounded/sequential.py`)."""

    name: str
    summary: str
    bounds: type[Given]
    door: Callable[..., Any]
    search: bool = False
    scheme: Callable[..., Any] | None = None


class Formula(Protocol):
    """An unwound Program as a Model without states."""

    @property
    def model(self) -> Model: ...

    def run(self, inputs: Mapping[str, int], prop: str) -> list[Move]:
        """The moves of the unwound Program that the inputs choose, up to where `prop` is violated."""

    def grown(self, given: Any, cuts: tuple[str, ...]) -> Any:
        """The record of what to ask next if these bounds cut: the same if nothing can be done about them."""

    def describe(self) -> str:
        """The bounds of this formula, for a person."""


def rounds_for(unwind: int) -> int:
    """How many rounds of all threads go with so many rounds of loops. A search for bounds that cut names some, not all, so what it has
    not named grows slowly beside a loop that it names for ever: 2 rounds, as many as loops run up to 4, then one more whenever those
    double."""
    return max(2, unwind) if unwind <= 4 else 1 + (unwind - 1).bit_length()


G = TypeVar("G", bound=Given)


def longer_loops(unwound: Unwound, given: G, cuts: tuple[str, ...]) -> G:
    """Loops unwound further, if one of the cuts is a loop's; not for loops whose bound the user has set."""
    numbers = [int(name.removeprefix("marker.")) for name in cuts if name.startswith("marker.")]
    if not any(unwound.program.markers[number].kind == "loop" for number in numbers):
        return given
    now = given.loops.unwind
    return replace(given, loops=replace(given.loops, unwind=now + max(1, now // 3)))
