"""k-induction: no target within k - 1 steps of an initial state, and none after k states without one (Sheeran, Singh,
Stålmarck, FMCAD 2000).

The step is made complete by simple paths: two states of the step that turn out equal are forced to differ (lazily, as in
Eén and Sörensson, "Temporal Induction by Incremental SAT Solving", 2003).
"""

from __future__ import annotations

from dataclasses import dataclass

from fsoft.checkers.bmc import Unrolling
from fsoft.checkers.registry import ModelEngine
from fsoft.checkers.safety import Goal, Open, Reached, SafetyEngine, TargetOutcome, induction
from fsoft.circuit.bits.cnf import NEGATIVE, POSITIVE
from fsoft.option import option
from fsoft.solve.sat import DEFAULT, SOLVERS, Sat


@dataclass(slots=True)
class KInduction(SafetyEngine):
    """See the options; `depth` is the largest k, `unique` strengthens the step, `frames` shrinks each frame of the base."""

    depth: int | None = option(None, "at most that many steps", metavar="N", least=0)
    solver: str = option(DEFAULT, f"the SAT solver ({DEFAULT})", metavar="NAME", allowed=SOLVERS)
    unique: bool = option(True, "paths of different states only, which makes it complete (on)")
    frames: bool = option(True, "build each frame for the values that words can have by then (on)")

    def solve(self, goal: Goal) -> TargetOutcome:
        base, step = Unrolling(goal, Sat(self.solver), frames=self.frames), _Step(goal, Sat(self.solver), self.unique)
        try:
            k = 0
            while self.depth is None or k <= self.depth:
                goal.tick()
                if step.holds():
                    over = list(range(len(goal.bits.latches))) if step.used else None
                    return induction(k, over)
                if base.reach():
                    return Reached(base.run())
                goal.cover(k)
                k += 1
            return Open(f"no proof by {self.depth}-induction")
        finally:
            base.close()
            step.close()


class _Step(Unrolling):
    """Frames from any state; `holds` adds the next one and asks whether it is free of targets if all before were."""

    def __init__(self, goal: Goal, sat: Sat, unique: bool) -> None:
        super().__init__(goal, sat, from_resets=False)
        self.unique = unique
        self.used = False
        self.pinned = 0

    def holds(self) -> bool:
        target = self.extend()
        if target == 0:
            return True
        literal = self.encoder.literal(target, POSITIVE)
        if self.unique:
            for frame in range(self.pinned, self.unroller.frames):
                self.pin(frame)
            self.pinned = self.unroller.frames
        while self.sat.solve([literal], self.goal.deadline):
            if not self.unique or not self._separate():
                self.sat.add([-self.encoder.literal(target, NEGATIVE)])
                return False
            self.used = True
        return True


ENGINE = ModelEngine(
    name="kinduction",
    summary="k-induction over simple paths",
    proves=True,
    refutes=True,
    maker=KInduction,
)
