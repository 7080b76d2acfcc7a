"""A sequential Program as a Model without states: guarded SSA of its one thread, and the way home of its runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from fsoft.bounded.given import Given, longer_loops
from fsoft.bounded.home import Values, happened, moves_of
from fsoft.bounded.walk import Ground, Walk, add_violations
from fsoft.circuit.model import Model, check_model
from fsoft.passes.unwind import Unwound
from fsoft.program.verdict import Move
from fsoft.sequentialize.lazy import Lazy
from fsoft.sequentialize.schedule import schedule_of
from fsoft.sequentialize.sequential import Sequential


@dataclass(slots=True)
class SequentialFormula:
    """The formula of a sequential Program that stands for runs of an unwound one. `name` says how many."""

    unwound: Unwound
    given: Given
    sequential: Sequential
    name: str
    ground: Ground = field(init=False)
    walk: Walk = field(init=False)

    def __post_init__(self) -> None:
        program = self.sequential.program
        self.ground = Ground(program)
        self.walk = Walk(self.ground, 0)
        self.walk.run()
        add_violations(self.ground.model, program, self.walk.steps)
        self.ground.model.bounds = {self._bound(name): term for name, term in self.ground.model.bounds.items()}
        check_model(self.ground.model)

    def _bound(self, name: str) -> str:
        """Markers that the sequential Program has and the unwound one has not go by their kind."""
        number = int(name.removeprefix("marker.")) if name.startswith("marker.") else -1
        return self.sequential.program.markers[number].kind if number >= len(self.unwound.program.markers) else name

    @property
    def model(self) -> Model:
        return self.ground.model

    def run(self, inputs: Mapping[str, int], prop: str) -> list[Move]:
        """The moves of the unwound Program that the inputs choose, up to where `prop` is violated."""
        program, value = self.sequential.program, Values(inputs, self.model.inputs)
        moves = moves_of(program, happened(program, self.walk.steps, value), value, lambda event: event.prop == prop)
        return self.sequential.home(moves)

    def describe(self) -> str:
        return f"{self.name}, --unwind {self.given.loops.unwind}"

    def grown(self, given: Given, cuts: tuple[str, ...]) -> Given:
        """Loops unwound further where one is cut, and another round where some run needs one."""
        after = longer_loops(self.unwound, given, cuts)
        rounds = given.rounds or ROUNDS
        if "rounds" in cuts and (after == given or rounds <= given.loops.unwind):
            after = replace(after, rounds=rounds + 1)
        return after


ROUNDS = 2
"""How many rounds there are if nothing is said."""


def lazy(unwound: Unwound, given: Given) -> SequentialFormula:
    """`--encoding lazy`."""
    schedule = schedule_of(unwound.program, given.rounds, given.schedule, ROUNDS)
    return SequentialFormula(unwound, given, Lazy(schedule).apply(unwound.program), str(schedule))
