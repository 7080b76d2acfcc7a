"""Invariants learnt from samples: clauses that hold in all states seen, as few literals as these allow, one for each state that must
be excluded (the scheme of Garg, Löding, Madhusudan and Neider, "ICE: A Robust Framework for Learning Invariants", CAV 2014, for clauses
over latches).

A solver shows a state that satisfies all clauses and in which a target holds, or from which a step leads out of a clause. If no
sample is like it, it is taken to be unreachable: a new clause excludes the part of it that no sample is in. If a sample is like it,
the step leads from that sample to a reachable state that is new; clauses that are false there go. When the solver has nothing left to
show, the clauses are an inductive invariant. Where all reachable states are samples, no clause is ever wrong and each excludes states
for good.

Short clauses are a bold guess. That is what makes it fast where property directed reachability, which only drops literals while a
clause stays inductive by itself, climbs frame by frame; where the samples are too few, it gives up.
"""

from __future__ import annotations

import time

from fsoft.checkers.pairs import Clause, inductive_part
from fsoft.checkers.safety import Goal, Reached, TargetOutcome, invariant
from fsoft.checkers.samples import ModelSamples
from fsoft.checkers.transition import Cube, CubeLifter, FrameSolver, TransitionSystem, certified
from fsoft.circuit.bits.cnf import POSITIVE
from fsoft.solve.sat import SolverTimeout

_STAGES = ((20_000, 3_000, 4_000), (200_000, 12_000, 16_000), (1_000_000, 60_000, 60_000))
"""Steps to sample, samples to find, questions to ask: first a little, then more."""
_SURPRISES = 60  # reachable states that the solver showed and the samples lacked, per stage: more, and the samples are too few
_MORE = 4_000  # steps to sample after each of them
_SHARE = 0.5  # of the time that is left


def learn(goal: Goal, system: TransitionSystem, known: list[Clause], solver: str) -> TargetOutcome | list[Clause]:
    """A proof or a run to a target; or, where neither is found with the work allowed, clauses that are inductive together with the
    known ones and hold initially. May raise SolverTimeout."""
    now = time.monotonic()
    deadline = None if goal.deadline is None else now + _SHARE * (goal.deadline - now)
    part = Goal(goal.bits, goal.targets, deadline)
    samples = ModelSamples(goal.bits, goal.targets.values(), part.tick)
    learner = _Learner(part, system, known, solver, samples)
    try:
        closed = any(learner.run(*stage) for stage in _STAGES)
    except SolverTimeout:
        goal.tick()
        closed = False
    finally:
        learner.close()
    if samples.bad is not None:
        return Reached(samples.bad)
    clauses: list[Clause] = [tuple(-literal for literal in cube) for cube in learner.cubes]
    if closed:
        return invariant([certified(clause) for clause in (*known, *clauses)])
    return inductive_part(goal.bits, [*known, *clauses], goal.tick, solver)


class _Learner:
    """`cubes` are the negations of the clauses so far; `pending` those of which it is not known that no step leads into them."""

    def __init__(self, goal: Goal, system: TransitionSystem, known: list[Clause], solver: str, samples: ModelSamples) -> None:
        self._goal, self._system, self._known, self._solver, self._samples = goal, system, known, solver, samples
        self._lifter = CubeLifter(system, solver)
        self._frame = self._new_frame([])
        self.cubes: list[Cube] = []
        self._pending: list[Cube] = []
        self._safe = False  # whether the clauses exclude the targets
        self._questions = self._surprises = 0
        self._limit = 0

    def close(self) -> None:
        self._frame.close()
        self._lifter.close()

    def _new_frame(self, cubes: list[Cube]) -> FrameSolver:
        frame = FrameSolver(self._system, self._solver)
        for clause in self._known:
            frame.sat.add(frame.now(clause))
        for cube in cubes:
            frame.block(cube)
        return frame

    def run(self, steps: int, limit: int, questions: int) -> bool:
        """Whether the clauses exclude the targets and are inductive in the end."""
        self._questions, self._surprises, self._limit = questions, _SURPRISES, limit
        self._samples.grow(steps, limit)
        self._forget()
        while self._questions > 0 and self._surprises > 0 and self._samples.bad is None:
            if not self._safe:
                target = self._frame.encoder.literal(self._system.target, POSITIVE)
                self._safe = not self._asked([target], [self._system.target])
            elif self._pending:
                cube = self._pending[-1]
                if not self._asked(self._frame.next(cube), [self._system.next(literal) for literal in cube]):
                    self._pending.remove(cube)
            else:
                return True
        return False

    def _asked(self, assumed: list[int], goals: list[int]) -> bool:
        """Whether the solver shows a state where the goals can come true; then it is dealt with."""
        self._questions -= 1
        if self._questions & 15 == 0:
            self._goal.tick()
        if not self._frame.sat.solve(assumed, self._goal.deadline):
            return False
        cube, inputs = self._lifter.lift(self._frame, goals, lambda _latch: 0)
        self._exclude(cube, inputs)
        return True

    def _exclude(self, cube: Cube, inputs: tuple[int, ...]) -> None:
        """The states of the cube do what they must not with these inputs: excludes them, or follows a reachable one."""
        samples = self._samples
        number = None
        if like := samples.inside(cube):
            number = (like & -like).bit_length() - 1
        elif self._system.initial(cube):
            number = samples.start(cube)
        if number is not None:
            self._surprises -= 1
            samples.follow(number, inputs)
            samples.grow(_MORE, self._limit)
            self._forget()
            return
        small = self._system.outside_init(list(samples.apart(cube)), cube)
        self.cubes.append(small)
        self._pending.append(small)
        self._frame.block(small)

    def _forget(self) -> None:
        """Drops the clauses that are false in a sample. The others are asked about again."""
        self.cubes = [cube for cube in self.cubes if not self._samples.inside(cube)]
        self._pending, self._safe = list(self.cubes), False
        self._frame.close()
        self._frame = self._new_frame(self.cubes)


__all__ = ["learn"]
