"""Reachable states of a circuit, as many as a short search meets: from each state a few steps with random inputs, thousands of states at
once, one per bit of an integer.

Who learns invariants asks which states lie in a cube. That all reachable states are among the samples is not promised; each one is
reachable, and `run_to` says how. The work is bounded by counts, not by the clock: the same model gives the same samples.

A literal is `i + 1` (latch i is true) or `-(i + 1)`, a cube is a sequence of literals, a state a string of `0` and `1`, one per latch.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence

from fsoft.circuit.bits import BitModel, BitStimulus
from fsoft.circuit.bits.simulate import Simulator

_LANES = 2048
_TRIES = (8, 16)  # inputs to try in each state, in the first visit and in the second
_STARTS = 64  # initial states, where there are several


class ModelSamples:
    """The samples of one model, numbered as they are found. `bad` is a run to a target, if one was met."""

    def __init__(self, bits: BitModel, targets: Iterable[int], tick: Callable[[], None], seed: int = 0) -> None:
        self._bits, self._tick = bits, tick
        self._targets, self._constraints = list(targets), list(bits.constraints.values())
        self._random = random.Random(seed)
        self._simulator = Simulator(bits.aig, [*bits.next, *self._targets, *self._constraints], _LANES)
        self.states: list[str] = []
        self.bad: BitStimulus | None = None
        self._numbers: dict[str, int] = {}
        self._from: list[tuple[int, tuple[int, ...]] | None] = []  # the state before and the inputs; None: an initial state
        self._true = [0] * len(bits.latches)  # per latch, the samples in which it is true
        self._next: list[list[int]] = [[] for _ in _TRIES]  # states that wait for their visits
        self._add({self._initial(): None for _ in range(_STARTS if None in bits.reset else 1)})

    def _initial(self) -> str:
        return "".join(str(self._random.getrandbits(1) if reset is None else reset) for reset in self._bits.reset)

    def _add(self, found: dict[str, tuple[int, tuple[int, ...]] | None]) -> None:
        """New states, and where they come from."""
        first = len(self.states)
        for state, before in found.items():
            self._numbers[state] = len(self.states)
            self._next[0].append(len(self.states))
            self.states.append(state)
            self._from.append(before)
        for latch, column in enumerate(zip(*list(found)[::-1])):
            self._true[latch] |= int("".join(column), 2) << first

    # ------------------------------------------------------------ the search

    def grow(self, steps: int, limit: int) -> None:
        """Looks for more, about that many steps or until there are `limit` samples, or until a target is met, or nothing is left to try."""
        while steps > 0 and len(self.states) < limit and self.bad is None:
            visit = next((k for k, waiting in enumerate(self._next) if waiting), None)
            if visit is None:
                return
            room = _LANES // _TRIES[visit]
            chosen, self._next[visit] = self._next[visit][:room], self._next[visit][room:]
            if visit + 1 < len(self._next):
                self._next[visit + 1] += chosen
            self._batch([number for number in chosen for _ in range(_TRIES[visit])])
            steps -= len(chosen) * _TRIES[visit]

    def _batch(self, lanes: list[int]) -> None:
        """One step from each of these samples, with random inputs."""
        self._tick()
        given = [self._random.getrandbits(len(lanes)) for _ in self._bits.inputs]
        after, legal, met = self._step(lanes, given)
        if met:
            lane = (met & -met).bit_length() - 1
            self.bad = self.run_to(lanes[lane], _lane(given, lane))
            return
        found: dict[str, tuple[int, tuple[int, ...]] | None] = {}
        for lane, state in enumerate(after):
            if state not in self._numbers and state not in found and legal >> lane & 1:
                found[state] = (lanes[lane], _lane(given, lane))
        self._add(found)

    def _step(self, lanes: list[int], given: list[int]) -> tuple[list[str], int, int]:
        """The states after it, a mask of the lanes that keep the constraints, and of those of them where a target holds before."""
        simulator, width = self._simulator, len(lanes)
        for literal, value in zip(self._bits.inputs, given):
            simulator.set(literal, value)
        columns = zip(*(self.states[number] for number in reversed(lanes)))
        for literal, column in zip(self._bits.latches, columns):
            simulator.set(literal, int("".join(column), 2))
        simulator.run()
        legal = (1 << width) - 1
        for literal in self._constraints:
            legal &= simulator.get(literal)
        met = 0
        for literal in self._targets:
            met |= simulator.get(literal) & legal
        rows = [f"{simulator.get(literal) & (1 << width) - 1:0{width}b}"[::-1] for literal in self._bits.next]
        return ["".join(state) for state in zip(*rows)], legal, met

    def follow(self, number: int, inputs: Sequence[int]) -> bool:
        """Steps from a sample with these inputs; whether that gave a new sample."""
        after, legal, met = self._step([number], list(inputs))
        if met:
            self.bad = self.run_to(number, tuple(inputs))
        if not legal or after[0] in self._numbers:
            return False
        self._add({after[0]: (number, tuple(inputs))})
        return True

    def start(self, cube: Iterable[int]) -> int:
        """The number of an initial state in the cube, which must have one."""
        state = list(self._initial())
        for literal in cube:
            state[abs(literal) - 1] = "1" if literal > 0 else "0"
        found = "".join(state)
        if found not in self._numbers:
            self._add({found: None})
        return self._numbers[found]

    def run_to(self, number: int, last: tuple[int, ...]) -> BitStimulus:
        """The run to a sample, and a step from there."""
        steps = [last]
        while (before := self._from[number]) is not None:
            number, inputs = before
            steps.append(inputs)
        return BitStimulus(tuple(map(int, self.states[number])), tuple(reversed(steps)))

    # ------------------------------------------------------------ cubes

    def inside(self, cube: Iterable[int]) -> int:
        """A mask of the samples in the cube."""
        mask = (1 << len(self.states)) - 1
        for literal in cube:
            mask &= self._where(literal)
        return mask

    def _where(self, literal: int) -> int:
        return self._true[literal - 1] if literal > 0 else ~self._true[-literal - 1]

    def apart(self, cube: Sequence[int]) -> tuple[int, ...]:
        """A part of the cube, small rather than smallest, that has no sample inside; the cube must have none. The literal that leaves
        the fewest samples is taken next (as in greedy set cover), those that turn out not to be needed go."""
        masks = {literal: self._where(literal) for literal in cube}
        left, chosen = (1 << len(self.states)) - 1, []
        while left:
            best = min(masks, key=lambda literal: (left & masks[literal]).bit_count())
            left &= masks.pop(best)
            chosen.append(best)
        for literal in chosen[:-1]:
            rest = [x for x in chosen if x != literal]
            if not self.inside(rest):
                chosen = rest
        return tuple(sorted(chosen, key=abs))


def _lane(given: list[int], lane: int) -> tuple[int, ...]:
    return tuple(value >> lane & 1 for value in given)


__all__ = ["ModelSamples"]
