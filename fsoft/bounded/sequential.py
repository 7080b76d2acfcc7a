"""A sequential Program as a Model without states: guarded SSA of its one thread, and the way home of its runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fsoft.bounded.given import BoundedEncoding, Given, longer_loops, rounds_for
from fsoft.bounded.home import InputValues, happened, moves_of
from fsoft.bounded.walk import SlotWalk, WalkGround, add_violations
from fsoft.circuit.model import Model, check_model
from fsoft.option import option
from fsoft.passes.unwind import Unwound
from fsoft.program.verdict import Move
from fsoft.sequentialize.lazy import Lazy
from fsoft.sequentialize.schedule import schedule_of
from fsoft.sequentialize.sequential import Sequential


@dataclass(frozen=True)
class LazyBounds(Given):
    """See the options."""

    rounds: int | None = option(None, "each thread gets N turns", metavar="N", least=1)
    schedule: str | None = option(None, "who may run in each round: '+:0,2:worker'", metavar="S")


@dataclass(slots=True)
class Made:
    """A sequential Program that stands for runs of an unwound one. `name` says how many; `make(True)` has a bound that tells whether
    those are all."""

    unwound: Unwound
    given: Given
    name: str
    make: Callable[[bool], Sequential]

    @property
    def plain(self) -> Sequential:
        """For other tools."""
        return self.make(False)

    def describe(self) -> str:
        return f"{self.name}, {self.given.loops}"


Scheme = Callable[[Unwound, Any], Made]


@dataclass(slots=True)
class SequentialFormula:
    """The formula of a sequential Program. `coverage`: with the bound that tells whether it stands for all runs."""

    made: Made
    coverage: bool = True
    sequential: Sequential = field(init=False)
    ground: WalkGround = field(init=False)
    walk: SlotWalk = field(init=False)

    def __post_init__(self) -> None:
        self.sequential = self.made.make(self.coverage)
        program = self.sequential.program
        self.ground = WalkGround(program)
        self.walk = SlotWalk(self.ground, 0)
        self.walk.run()
        add_violations(self.ground.model, program, self.walk.steps)
        self.ground.model.bounds = {self._bound(name): term for name, term in self.ground.model.bounds.items()}
        check_model(self.ground.model)

    def _bound(self, name: str) -> str:
        """Markers that the sequential Program has and the unwound one has not go by their kind."""
        number = int(name.removeprefix("marker.")) if name.startswith("marker.") else -1
        return self.sequential.program.markers[number].kind if number >= len(self.made.unwound.program.markers) else name

    @property
    def model(self) -> Model:
        return self.ground.model

    def run(self, inputs: Mapping[str, int], prop: str) -> list[Move]:
        """The moves of the unwound Program that the inputs choose, up to where `prop` is violated."""
        return self.sequential.home(self.play(inputs, prop))

    def play(self, inputs: Mapping[str, int], prop: str) -> list[Move]:
        """The same as moves of the sequential Program."""
        program, value = self.sequential.program, InputValues(inputs, self.model.inputs)
        return moves_of(program, happened(program, self.walk.steps, value), value, lambda event: event.prop == prop)

    def describe(self) -> str:
        return self.made.describe()

    def grown(self, given: LazyBounds, cuts: tuple[str, ...]) -> LazyBounds:
        """Loops unwound further where one is cut, with more rounds as they grow; another round where some run needs one."""
        after, rounds = longer_loops(self.made.unwound, given, cuts), given.rounds or ROUNDS
        if given.schedule is not None:
            return after
        if after != given:
            return replace(after, rounds=max(rounds, rounds_for(after.loops.unwind)))
        return replace(given, rounds=rounds + 1) if "rounds" in cuts else given


ROUNDS = 2
"""How many rounds there are if nothing is said."""


def lazy_scheme(unwound: Unwound, given: LazyBounds) -> Made:
    """`--scheme lazy`."""
    schedule = schedule_of(unwound.program, given.rounds, given.schedule, ROUNDS, given.incremental)
    return Made(unwound, given, str(schedule), lambda coverage: Lazy(schedule, coverage).apply(unwound.program))


def lazy(unwound: Unwound, given: LazyBounds) -> SequentialFormula:
    """`--encoding lazy`."""
    return SequentialFormula(lazy_scheme(unwound, given))


ENCODING = BoundedEncoding("lazy", "rounds of threads, one after the other (Lazy-CSeq)", LazyBounds, lazy, scheme=lazy_scheme)
