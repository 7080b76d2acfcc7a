"""Property directed reachability (IC3): Bradley, "SAT-Based Model Checking without Unrolling" (VMCAI 2011); Eén, Mishchenko and Brayton,
"Efficient Implementation of Property Directed Reachability" (FMCAD 2011); counterexamples to generalisation from Hassan, Bradley
and Somenzi, "Better Generalization in IC3" (FMCAD 2013).

A cube is a sorted tuple of latch literals: `i + 1` says that latch i is true, `-(i + 1)` that it is false. Frame k is an over-approximation
of the states reachable in k steps, kept as blocked cubes: `lemmas[k]` are those whose highest frame is k. Each frame has its own solver
that holds only the cones of the next functions that were asked for. Predecessors are lifted by an unsatisfiable core: the
latches that, with the inputs chosen, force the successor. The proof is the set of clauses of the first frame that repeats.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

from fsoft.checkers.learn import learn
from fsoft.checkers.pairs import Clause, pair_invariants
from fsoft.checkers.registry import ModelEngine
from fsoft.checkers.safety import Excluded, Goal, Reached, SafetyEngine, TargetOutcome, invariant
from fsoft.checkers.simulation import random_run
from fsoft.checkers.transition import Cube, CubeLifter, FrameSolver, TransitionSystem, certified
from fsoft.circuit.bits import BitStimulus
from fsoft.circuit.bits.cnf import POSITIVE
from fsoft.option import option
from fsoft.solve.sat import SOLVERS


@dataclass(slots=True)
class Pdr(SafetyEngine):
    """See the options."""

    solver: str = option("minisat22", "the SAT solver (minisat22)", metavar="NAME", allowed=SOLVERS)
    ctg: int = option(2, "counterexamples to generalisation to block per literal (2)", metavar="N", least=0)
    pairs: bool = option(True, "begin with the inductive clauses of two literals (on)")
    simulate: bool = option(True, "look at some random runs first (on)")
    learn: bool = option(True, "try clauses learnt from samples first (on)")

    def solve(self, goal: Goal) -> TargetOutcome:
        if all(literal == 0 for literal in goal.targets.values()):
            return invariant([])
        run = random_run(goal) if self.simulate else None
        if run is not None:
            return Reached(run)
        system = TransitionSystem(goal)
        known = pair_invariants(goal.bits, goal.tick, self.solver) if self.pairs else []
        if self.learn:
            learnt = learn(goal, system, known, self.solver)
            if not isinstance(learnt, list):
                return learnt
            known = learnt or known
        return _Search(goal, self, system, known).run()


class _Obligation:
    """States that lead to the target: block them at `level`, or find that they are reachable. `inputs` lead to `then`."""

    __slots__ = ("cube", "depth", "inputs", "then")

    def __init__(self, cube: Cube, inputs: tuple[int, ...], then: _Obligation | None) -> None:
        self.cube, self.inputs, self.then = cube, inputs, then
        self.depth: int = then.depth + 1 if then else 0


def _mask(cube: Cube) -> int:
    """The cube as a set: one bit per literal."""
    mask = 0
    for literal in cube:
        mask |= 1 << (2 * literal if literal > 0 else -2 * literal + 1)
    return mask


class _Counterexample(Exception):
    def __init__(self, obligation: _Obligation) -> None:
        self.obligation = obligation


class _Search:
    def __init__(self, goal: Goal, options: Pdr, system: TransitionSystem, known: list[Clause]) -> None:
        self.goal, self.options, self.system, self.known = goal, options, system, known
        self.lemmas: list[list[Cube]] = []
        self.masks: list[list[int]] = []  # the lemmas as sets of literals
        self.frames: list[FrameSolver] = []
        self.lifter = CubeLifter(self.system, options.solver)
        self.activity = [0.0] * (len(goal.bits.latches) + 1)
        self.bump = 1.0
        self.count = 0

    # ------------------------------------------------------------ the main loop

    def run(self) -> TargetOutcome:
        try:
            self._open_frame()
            while True:
                while (bad := self._bad_state()) is not None:
                    self._block(bad)
                self.goal.cover(len(self.frames) - 1)
                self._open_frame()
                proof = self._propagate()
                if proof is not None:
                    return proof
        except _Counterexample as found:
            return Reached(self._trace(found.obligation))
        finally:
            self.lifter.close()
            for frame in self.frames:
                frame.close()

    @property
    def top(self) -> int:
        return len(self.frames) - 1

    def _open_frame(self) -> None:
        self.lemmas.append([])
        self.masks.append([])
        self.frames.append(self._new_solver(len(self.frames)))

    def _new_solver(self, level: int) -> FrameSolver:
        frame = FrameSolver(self.system, self.options.solver)
        if level == 0:
            for name in frame.now(sorted(self.system.init, key=abs)):
                frame.sat.add([name])
        for clause in self.known:
            frame.sat.add(frame.now(clause))
        for cubes in self.lemmas[max(level, 1) :]:
            for cube in cubes:
                frame.block(cube)
        return frame

    def _solver(self, level: int) -> FrameSolver:
        frame = self.frames[level]
        if frame.worn:
            frame.close()
            frame = self.frames[level] = self._new_solver(level)
        return frame

    # ------------------------------------------------------------ queries

    def _bad_state(self) -> _Obligation | None:
        """States of the last frame where the target holds."""
        self.goal.tick()
        frame = self._solver(self.top)
        target = frame.encoder.literal(self.system.target, POSITIVE)
        if not frame.sat.solve([target], self.goal.deadline):
            return None
        obligation = self._lift(frame, [self.system.target], None)
        if self.system.initial(obligation.cube):
            raise _Counterexample(obligation)
        return obligation

    def _predecessor_free(self, cube: Cube, level: int) -> tuple[Cube | None, FrameSolver]:
        """Whether no state of frame `level - 1` outside the cube steps into it: then the part of the cube that shows it; else None,
        and the solver holds a predecessor."""
        frame = self._solver(level - 1)
        on = frame.switch([-name for name in frame.now(cube)])
        then = frame.next(cube)
        self.count += 1
        if self.count & 63 == 0:
            self.goal.tick()
        if frame.sat.solve([on, *then], self.goal.deadline):
            frame.sat.model()
            frame.drop(on)
            return None, frame
        core = set(frame.sat.core())
        frame.drop(on)
        kept = [literal for literal, name in zip(cube, then) if name in core]
        return self.system.outside_init(kept, cube), frame

    def _lift(self, frame: FrameSolver, goals: list[int], then: _Obligation | None) -> _Obligation:
        """The states like the one in the frame's solver that reach the goal literals with the same inputs."""
        cube, inputs = self.lifter.lift(frame, goals, self.activity.__getitem__)
        return _Obligation(cube, inputs, then)

    # ------------------------------------------------------------ blocking

    def _block(self, root: _Obligation) -> None:
        """Blocks the states at the last frame, and what leads to them before."""
        serial = 0
        queue: list[tuple[int, int, int, _Obligation]] = [(self.top, 0, serial, root)]
        while queue:
            level, _, _, obligation = heapq.heappop(queue)
            if self.system.initial(obligation.cube):
                raise _Counterexample(obligation)
            if not self._is_blocked(obligation.cube, level):
                core, frame = self._predecessor_free(obligation.cube, level)
                if core is None:
                    goals = [self.system.next(literal) for literal in obligation.cube]
                    before = self._lift(frame, goals, obligation)
                    if level == 1 or self.system.initial(before.cube):
                        raise _Counterexample(before)
                    serial += 1
                    heapq.heappush(queue, (level, -obligation.depth, serial, obligation))
                    serial += 1
                    heapq.heappush(queue, (level - 1, -before.depth, serial, before))
                    continue
                level = self._learn(core, level)
            else:
                level += 1
            if level <= self.top:
                serial += 1
                heapq.heappush(queue, (level, -obligation.depth, serial, obligation))

    def _is_blocked(self, cube: Cube, level: int) -> bool:
        literals = _mask(cube)
        return any(lemma & literals == lemma for masks in self.masks[level:] for lemma in masks)

    def _learn(self, cube: Cube, level: int) -> int:
        """Generalises a cube that is blocked at the level, pushes it as high as it goes and remembers it; the level after its last."""
        cube = self._generalise(cube, level, self.options.ctg > 0)
        while level < self.top:
            core, _ = self._predecessor_free(cube, level + 1)
            if core is None:
                break
            cube = core
            level += 1
        self._add(cube, level)
        return level + 1

    def _add(self, cube: Cube, level: int) -> None:
        literals = _mask(cube)
        for k in range(1, level + 1):
            masks = self.masks[k]
            if any(literals & other == literals for other in masks):
                self.lemmas[k] = [lemma for lemma, other in zip(self.lemmas[k], masks) if literals & other != literals]
                self.masks[k] = [other for other in masks if literals & other != literals]
        self.lemmas[level].append(cube)
        self.masks[level].append(literals)
        for frame in self.frames[1 : level + 1]:
            frame.block(cube)
        for literal in cube:
            self.activity[abs(literal)] += self.bump
        self.bump *= 1.02
        if self.bump > 1e100:
            self.activity = [x * 1e-100 for x in self.activity]
            self.bump *= 1e-100

    # ------------------------------------------------------------ generalisation

    def _generalise(self, cube: Cube, level: int, ctg: bool) -> Cube:
        """Drops literals while the cube stays blocked relative to the frame below, the least active first."""
        order = sorted(cube, key=lambda literal: self.activity[abs(literal)])
        needed: set[int] = set()
        for literal in order:
            if literal not in cube or literal in needed or len(cube) == 1:
                continue
            smaller = tuple(x for x in cube if x != literal)
            found = self._down(smaller, level, needed, ctg)
            if found is None:
                needed.add(literal)
            else:
                cube = found
        return cube

    def _down(self, cube: Cube, level: int, needed: set[int], ctg: bool) -> Cube | None:
        """A sub-cube that is blocked, or None. A predecessor outside is blocked itself if that is easy, else the cube gives way to it."""
        tries = self.options.ctg if ctg else 0
        while True:
            if self.system.initial(cube):
                return None
            core, frame = self._predecessor_free(cube, level)
            if core is not None:
                return core
            if not ctg or level == 1:
                return None
            before = self._lift(frame, [self.system.next(literal) for literal in cube], None).cube
            if tries > 0 and not self.system.initial(before):
                tries -= 1
                blocked, _ = self._predecessor_free(before, level - 1)
                if blocked is not None:
                    self._add(self._generalise(blocked, level - 1, False), level - 1)
                    continue
            return None

    # ------------------------------------------------------------ propagation and proof

    def _propagate(self) -> TargetOutcome | None:
        for level in range(1, self.top):
            for cube in list(self.lemmas[level]):
                if cube not in self.lemmas[level]:
                    continue
                core, _ = self._predecessor_free(cube, level + 1)
                if core is not None:
                    self._add(core, level + 1)
            if not self.lemmas[level]:
                return self._proof(level + 1)
        return None

    def _proof(self, level: int) -> Excluded:
        lemmas = [tuple(-literal for literal in cube) for cubes in self.lemmas[level:] for cube in cubes]
        return invariant([certified(clause) for clause in (*self.known, *lemmas)])

    def _trace(self, obligation: _Obligation) -> BitStimulus:
        bits = self.system.bits
        initial = [reset or 0 for reset in bits.reset]
        for literal in obligation.cube:
            initial[abs(literal) - 1] = int(literal > 0)
        steps = []
        step: _Obligation | None = obligation
        while step is not None:
            steps.append(step.inputs)
            step = step.then
        return BitStimulus(tuple(initial), tuple(steps))


ENGINE = ModelEngine(
    name="pdr",
    summary="property directed reachability (IC3); proves with an inductive invariant of clauses",
    proves=True,
    refutes=True,
    maker=Pdr,
)
