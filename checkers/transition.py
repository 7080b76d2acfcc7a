"""The transition relation of a circuit for engines that ask about single steps: next functions with what they depend on, a solver that
holds only the cones that were asked for, and predecessors lifted to cubes.

A cube is a tuple of latch literals: `i + 1` says that latch i is true, `-(i + 1)` that it is false.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fsoft.checkers.safety import Goal
from fsoft.circuit.bits import BitModel
from fsoft.circuit.bits.cnf import NEGATIVE, POSITIVE, Encoder
from fsoft.program.verdict import InternalError
from fsoft.solve.sat import Sat

Cube = tuple[int, ...]
_RECYCLE = 1500  # temporary clauses after which a solver is made anew


class TransitionSystem:
    """The model as the solvers need it: one target literal, supports of the next functions, resets as literals."""

    def __init__(self, goal: Goal) -> None:
        bits = goal.bits
        self.bits = bits
        self.aig = bits.aig
        self.target = bits.aig.disjoin(goal.targets.values())
        self.constraints = list(bits.constraints.values())
        self.init = {i + 1 if reset else -(i + 1) for i, reset in enumerate(bits.reset) if reset is not None}
        self._masks = _supports(bits, [*bits.next, self.target, *self.constraints])
        fixed = 0
        for literal in self.constraints:
            fixed |= self._masks[literal >> 1]
        self._fixed = fixed

    def next(self, literal: int) -> int:
        """The AIG literal of a latch literal one step later."""
        return self.bits.next[literal - 1] if literal > 0 else self.bits.next[-literal - 1] ^ 1

    def now(self, literal: int) -> int:
        return self.bits.latches[literal - 1] if literal > 0 else self.bits.latches[-literal - 1] ^ 1

    def support(self, literals: Iterable[int]) -> tuple[list[int], list[int]]:
        """The latches (as 1, 2, ...) and the inputs (0, 1, ...) below AIG literals and constraints."""
        mask = self._fixed
        for literal in literals:
            mask |= self._masks[literal >> 1]
        count = len(self.bits.latches)
        text = bin(mask)[:1:-1]
        ones = [i for i, c in enumerate(text) if c == "1"]
        return [i + 1 for i in ones if i < count], [i - count for i in ones if i >= count]

    def initial(self, cube: Iterable[int]) -> bool:
        """Whether some initial state lies in the cube."""
        init = self.init
        return all(-literal not in init for literal in cube)

    def outside_init(self, kept: list[int], cube: Cube) -> Cube:
        """The kept literals, and one of the cube that no initial state satisfies if they have none."""
        if self.initial(kept):
            extra = next(literal for literal in cube if -literal in self.init)
            kept = sorted([*kept, extra], key=abs)
        return tuple(kept)


def _supports(bits: BitModel, roots: list[int]) -> dict[int, int]:
    """For the variables of the roots, a mask of latches (low bits) and inputs below."""
    mask = [0] * len(bits.aig)
    for i, literal in enumerate([*bits.latches, *bits.inputs]):
        mask[literal >> 1] = 1 << i
    left, right = bits.aig.left, bits.aig.right
    for v in bits.aig.cone(roots):
        if left[v] >= 0:
            mask[v] = mask[left[v] >> 1] | mask[right[v] >> 1]
    return {literal >> 1: mask[literal >> 1] for literal in roots}


class FrameSolver:
    """A solver with the constraints (unless they are to be shown) and the cones that were needed so far."""

    def __init__(self, system: TransitionSystem, solver: str, constrained: bool = True) -> None:
        self.system = system
        self.sat = Sat(solver)
        self.encoder = Encoder(system.aig, self.sat.add, self.sat.var)
        self.temporary = 0
        self._now: dict[int, int] = {}
        self._next: dict[int, int] = {}
        self.inputs: dict[int, int] = {}
        for literal in system.constraints if constrained else ():
            self.sat.add([self.encoder.literal(literal, POSITIVE)])

    def now(self, cube: Iterable[int]) -> list[int]:
        """The cube in the solver's literals."""
        known = self._now
        try:
            return [known[literal] for literal in cube]
        except KeyError:
            for literal in cube:
                known[literal] = self.encoder.literal(self.system.now(literal))
            return [known[literal] for literal in cube]

    def next(self, cube: Iterable[int]) -> list[int]:
        """The cube one step later, in literals that may be assumed true."""
        known = self._next
        try:
            return [known[literal] for literal in cube]
        except KeyError:
            for literal in cube:
                known[literal] = self.encoder.literal(self.system.next(literal), POSITIVE)
            return [known[literal] for literal in cube]

    def block(self, cube: Cube) -> None:
        self.sat.add([-name for name in self.now(cube)])

    def switch(self, clause: list[int]) -> int:
        """A fresh literal under which the clause holds; release it with `drop`."""
        self.temporary += 1
        on = self.sat.var()
        self.sat.add([-on, *clause])
        return on

    def drop(self, on: int) -> None:
        self.sat.add([-on])

    @property
    def worn(self) -> bool:
        """Whether so many temporary clauses were added that a new solver is better."""
        return self.temporary > _RECYCLE

    def close(self) -> None:
        self.sat.close()


class CubeLifter:
    """Makes a state that a solver found a cube: the states that do the same with the same inputs, shown by an unsatisfiable core."""

    def __init__(self, system: TransitionSystem, solver: str) -> None:
        self._system, self._solver = system, solver
        self._frame = FrameSolver(system, solver, constrained=False)

    def lift(self, frame: FrameSolver, goals: list[int], weight: Callable[[int], float]) -> tuple[Cube, tuple[int, ...]]:
        """The states like the one in the frame's solver that make the goals true with the same inputs, and these inputs. Latches of
        small weight are rather left out."""
        system, model, variable = self._system, frame.sat.model(), frame.encoder.variable
        latches, inputs = system.support(goals)
        bits, size = system.bits, len(model)

        def value(literal: int) -> bool:
            v = variable[literal >> 1]
            return 0 < v <= size and model[v - 1] > 0

        given = {i: int(value(bits.inputs[i])) for i in inputs}
        state = [i if value(bits.latches[i - 1]) else -i for i in latches]
        state.sort(key=lambda literal: -weight(abs(literal)))
        cube = self._enough(state, given, [*goals, *system.constraints])
        return cube, tuple(given.get(i, 0) for i in range(len(bits.inputs)))

    def _enough(self, state: list[int], given: dict[int, int], goals: list[int]) -> Cube:
        """Literals of the state that force all goals under the inputs."""
        if self._frame.worn:
            self.close()
            self._frame = FrameSolver(self._system, self._solver, constrained=False)
        frame = self._frame
        encoder, bits = frame.encoder, self._system.bits
        on = frame.switch([-encoder.literal(goal, NEGATIVE) for goal in goals])
        inputs = frame.inputs
        for i in given:
            if i not in inputs:
                inputs[i] = encoder.literal(bits.inputs[i])
        fixed = [inputs[i] if x else -inputs[i] for i, x in given.items()]
        for _ in range(2):
            names = dict(zip(frame.now(state), state))
            if frame.sat.solve([on, *fixed, *names]):
                raise InternalError("a predecessor does not lead to its successor")
            smaller = [names[name] for name in frame.sat.core() if name in names]
            if len(smaller) == len(state):
                break
            state = smaller
        frame.drop(on)
        return tuple(sorted(state, key=abs))

    def close(self) -> None:
        self._frame.close()


def certified(clause: Iterable[int]) -> tuple[int, ...]:
    """A clause of latch literals as a certificate has it."""
    return tuple(2 * (abs(literal) - 1) + (literal < 0) for literal in clause)


__all__ = ["Cube", "FrameSolver", "CubeLifter", "TransitionSystem", "certified"]
