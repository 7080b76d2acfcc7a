"""Bounded model checking: is a target reachable in 0, 1, 2, ... steps? One incremental solver, one frame at a time.

Targets of a frame that were refuted stay excluded as facts for the frames after. A model without latches in the targets' cone is decided
at depth 0, and then the answer is a proof. With `complete`, runs must change the state at each step, and where the solver repeats a
state the two are forced apart: once no such run is long enough, all reachable states have been seen, and that is a proof too. With
`frames`, each frame is built for the values that its narrow words can have by then (`frames.py`): fewer gates, hence fewer clauses.
"""

from __future__ import annotations

from dataclasses import dataclass

from fsoft.checkers.frames import FrameValues
from fsoft.checkers.registry import ModelEngine
from fsoft.checkers.safety import Goal, Open, Reached, SafetyEngine, TargetOutcome, diameter, induction
from fsoft.circuit.bits import BitStimulus
from fsoft.circuit.bits.cnf import NEGATIVE, POSITIVE, Encoder
from fsoft.circuit.bits.unroll import Unroller
from fsoft.option import option
from fsoft.solve.sat import DEFAULT, SOLVERS, Sat

_ROUNDS = 40  # questions per depth that the search for the longest run may ask


@dataclass(slots=True)
class Bmc(SafetyEngine):
    """See the options; `frames` shrinks each frame by what control can have reached."""

    depth: int | None = option(None, "at most that many steps", metavar="N", least=0)
    solver: str = option(DEFAULT, f"the SAT solver ({DEFAULT})", metavar="NAME", allowed=SOLVERS)
    complete: bool = option(True, "look for the longest run as well, to prove (on)")
    frames: bool = option(True, "build each frame for the values that words can have by then (on)")

    def solve(self, goal: Goal) -> TargetOutcome:
        if all(literal == 0 for literal in goal.targets.values()):
            return induction(0, None)
        search = Unrolling(goal, Sat(self.solver), frames=self.frames)
        try:
            while self.depth is None or search.unroller.frames <= self.depth:
                goal.tick()
                if search.reach():
                    return Reached(search.run())
                goal.cover(search.unroller.frames - 1)
                if not goal.bits.latches:
                    return induction(0, None)
                if self.complete and search.is_complete():
                    return diameter(search.unroller.frames - 1, len(goal.bits.latches))
            return Open(f"no violation within {self.depth} steps")
        finally:
            search.close()


class Unrolling:
    """The frames from the initial states in a solver."""

    def __init__(self, goal: Goal, sat: Sat, from_resets: bool = True, frames: bool = False) -> None:
        self.goal, self.sat = goal, sat
        self.constraints = list(goal.bits.constraints.values())
        self.targets = list(goal.targets.values())
        self.unroller = Unroller(goal.bits, [*self.targets, *self.constraints], from_resets, words=frames)
        words = self.unroller.words
        self.values = FrameValues(goal.bits, words, self.targets, goal.deadline) if words else None
        self.encoder = Encoder(self.unroller.aig, sat.add, sat.var)
        self.hopeless = False

    def close(self) -> None:
        """Frees the solvers."""
        self.sat.close()
        if self.values is not None:
            self.values.close()

    def extend(self) -> int:
        """One more frame with its constraints; the AIG literal that says that a target holds there."""
        unroller = self.unroller
        unroller.extend(self.values.after(unroller.frames) if self.values is not None else None)
        for literal in self.constraints:
            now = unroller.at_now(literal)
            if now != 1:
                self.sat.add([self.encoder.literal(now, POSITIVE)])
        return unroller.aig.disjoin([unroller.at_now(literal) for literal in self.targets])

    def reach(self) -> bool:
        """Whether a target is reachable in the next frame; if not, it is excluded from now on."""
        target = self.extend()
        if target == 0:
            return False
        literal = self.encoder.literal(target, POSITIVE)
        if self.sat.solve([literal], self.goal.deadline):
            return True
        self.sat.add([-self.encoder.literal(target, NEGATIVE)])
        return False

    def is_complete(self) -> bool:
        """Whether every run as long as this one repeats a state. Gives up for good where too many states must be told apart."""
        if self.hopeless:
            return False
        last = self.unroller.frames - 1
        self.pin(last)
        if last == 0:
            return False
        self._differ(last - 1, last)
        for _ in range(_ROUNDS):
            if not self.sat.solve([], self.goal.deadline):
                return True
            if not self._separate():
                return False
        self.hopeless = True
        return False

    def pin(self, frame: int) -> None:
        """Makes the solver decide the latches of the frame in full: a gate that is used in one direction only may have any value."""
        for literal in self.unroller.latches(frame):
            self.encoder.literal(literal)

    def _separate(self) -> bool:
        """Forces apart states of the found path that are equal; False if all differ already."""
        seen: dict[tuple[int, ...], int] = {}
        found = False
        for frame in range(self.unroller.frames):
            state = tuple(self._bit(x) for x in self.unroller.latches(frame))
            if state in seen:
                self._differ(seen[state], frame)
                found = True
            seen[state] = frame
        return found

    def _bit(self, literal: int) -> int:
        if literal < 2:
            return literal
        name = self.encoder.known(literal)
        return int(self.sat.value(name)) if name else 0

    def _differ(self, i: int, j: int) -> None:
        aig = self.unroller.aig
        pairs = zip(self.unroller.latches(i), self.unroller.latches(j))
        some = aig.disjoin([aig.lxor(x, y) for x, y in pairs if x != y])
        self.sat.add([self.encoder.literal(some, POSITIVE)])

    def run(self) -> BitStimulus:
        """The run of the last satisfying assignment."""
        bits, frames = self.goal.bits, self.unroller.frames
        initial = tuple(self._value(x, 0) if r is None else r for x, r in zip(bits.latches, bits.reset))
        return BitStimulus(initial, tuple(tuple(self._value(x, k) for x in bits.inputs) for k in range(frames)))

    def _value(self, literal: int, frame: int) -> int:
        there = self.unroller.at(literal, frame)
        return 0 if there is None else self._bit(there)


ENGINE = ModelEngine(
    name="bmc",
    summary="bounded model checking with an incremental SAT solver; shortest counterexamples, and proofs of what always ends",
    proves=True,
    refutes=True,
    maker=Bmc,
)
