"""Fair cycles on BDDs: Emerson and Lei, "Efficient model checking in fragments of the propositional mu-calculus" (LICS 1986).

The states from which a fair run goes on for ever are the greatest set Z such that from each of them, inside Z, every justice
set can be met again: Z = intersection over k of EX E[Z U (Z and J_k)]. Justice sets and constraints may read inputs, so they
hold of transitions: a step back from a set goes only over transitions that are legal (and meet J_k). The search is restricted
to reachable states. If Z holds a reachable state, a lasso is picked by walking forward in Z; if not, no fair run exists. Bounds
and other bads are then asked as reachability.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from fsoft.checkers.bdd import Bdd, Image, Space
from fsoft.checkers.safety import Goal
from fsoft.circuit.bits import BitModel, BitStimulus, to_words
from fsoft.circuit.bits.bitblast import bitblast
from fsoft.circuit.model import Model
from fsoft.circuit.model.liveness import LASSO, SAVE
from fsoft.circuit.model.reduce import Restore, reduce_model
from fsoft.circuit.model.verdict import Answer, Proved, Unknown, Violated
from fsoft.solve.bdd import Diagram, manager
from fsoft.solve.sat import SolverTimeout

LatchTrace = list[tuple[tuple[int, ...], tuple[int, ...]]]
"""States with the inputs that lead on."""


def check_fair(engine: Bdd, model: Model, *, progress: Callable[[int], None] | None = None, timeout: float | None = None) -> Answer:
    """Whether the model has a fair run. Violated carries the lasso as a run of `to_safety`; a proof has no certificate for the
    part about fair runs, the one about bads and bounds has."""
    started = time.monotonic()
    deadline = None if timeout is None else started + timeout
    small, home = reduce_model(replace(model, bad={}, bounds={}))
    bits = bitblast(small)
    goal = Goal(bits, {f"set.{k}": x for k, x in enumerate(_sets(bits))}, deadline, progress)
    try:
        lasso = FairCycles(goal, engine).lasso()
    except SolverTimeout:
        return Unknown(goal.covered, "time limit reached")
    if lasso is not None:
        return _violated(bits, home, *lasso)
    left = None if deadline is None else max(0.1, deadline - time.monotonic())
    rest = engine.check(replace(model, justice={}, fairness={}), progress=None, timeout=left)
    return Proved((), rest.depth) if isinstance(rest, Proved) else rest


def _sets(bits: BitModel) -> list[int]:
    return [*next(iter(bits.justice.values())), *bits.fairness.values()]


def _violated(bits: BitModel, home: Restore, stem: LatchTrace, loop: LatchTrace) -> Violated:
    """The lasso as a run that saves the state where the loop begins and ends where it comes back."""
    frames = [*stem, *loop, loop[0]]
    run = home.run(to_words(bits, BitStimulus(frames[0][0], tuple(given for _, given in frames))))
    inputs = tuple({**given, SAVE: int(k == len(stem))} for k, given in enumerate(run.inputs))
    return Violated(replace(run, inputs=inputs), len(frames) - 1, LASSO)


class FairCycles:
    """The model as diagrams. A transition is a diagram over latches and inputs; `back(S, T)` are the transitions of T that lead into S."""

    def __init__(self, goal: Goal, engine: Bdd):
        self.goal = goal
        self.dd = manager(engine.backend)
        self.space = Space(goal, self.dd)
        self.image = Image(self.space, engine.cluster)
        self.sets = [self.space.at_target(name) for name in goal.targets]
        self.inputs = list(self.space.inputs)
        self.forward = {2 * i: 2 * i + 1 for i in range(self.space.count)}
        self.after = [2 * i + 1 for i in range(self.space.count)]

    def back(self, states: Diagram, transitions: Diagram) -> Diagram:
        """The states with a transition among these into `states`."""
        dd = self.dd
        found = dd.rename(states, self.forward) & transitions
        for relation, numbers in self.parts:
            self.goal.tick()
            found = dd.and_exists(found, relation, numbers)
        return dd.exists(found, [*self.after, *self.inputs])

    @property
    def parts(self) -> list[tuple[Diagram, list[int]]]:
        """The transition relation in the order of the image; next values are quantified at the end."""
        return [(part, []) for part, _ in self.image.schedule]

    def reachable(self) -> list[Diagram]:
        """The states by the number of steps that they need."""
        rings, reached = [self.space.initial], self.space.initial
        while True:
            self.goal.cover(len(rings) - 1)
            self.goal.tick()
            following = self.image(rings[-1]) & ~reached
            if following == self.dd.false:
                return rings
            reached = reached | following
            rings.append(following)

    def fair(self, reached: Diagram) -> Diagram:
        """The greatest set from which all justice sets are met again and again."""
        legal, current = self.space.legal, reached
        while True:
            before = current
            for one in self.sets:
                target = current
                goal = self.back(target, legal & one) & current  # states that meet the set and stay
                while True:
                    wider = goal | (self.back(goal, legal) & current)
                    if wider == goal:
                        break
                    goal = wider
                current = goal
                if current == self.dd.false:
                    return current
            if current == before:
                return current

    # ------------------------------------------------------------ a lasso

    def lasso(self) -> tuple[LatchTrace, LatchTrace] | None:
        """A stem and a loop, or None if there is no fair run."""
        rings = self.reachable()
        reached = self.dd.false
        for ring in rings:
            reached = reached | ring
        fair = self.fair(reached)
        if fair == self.dd.false:
            return None
        depth = next(k for k, ring in enumerate(rings) if ring & fair != self.dd.false)
        start = self._state(rings[depth] & fair)
        stem = self._stem(rings[: depth + 1], start)
        return self._close(stem, start, fair)

    def _close(self, stem: LatchTrace, start: tuple[int, ...], fair: Diagram) -> tuple[LatchTrace, LatchTrace]:
        """Walk round in the fair set until the walk closes; where it cannot come back it goes on from there (only finitely often: it enters
        a later component each time)."""
        while True:
            walk: LatchTrace = []
            at = start
            for one in self.sets:
                at, part = self._walk(at, fair, one, fair)
                walk += part
            home = self._walk_home(at, start, fair)
            if home is not None:
                return stem, walk + home
            stem, start = stem + walk, at

    def _cube(self, state: tuple[int, ...]) -> Diagram:
        cube = self.dd.true
        for i, value in enumerate(state):
            cube = cube & (self.dd.var(2 * i) if value else ~self.dd.var(2 * i))
        return cube

    def _state(self, states: Diagram) -> tuple[int, ...]:
        return self.space.choose(states)[0]

    def _stem(self, rings: list[Diagram], last: tuple[int, ...]) -> LatchTrace:
        trace: LatchTrace = []
        state = last
        for ring in reversed(rings[:-1]):
            before = ring & self.space.legal & self._into(state)
            state, given = self.space.choose(before)
            trace.append((state, given))
        return trace[::-1]

    def _into(self, state: tuple[int, ...]) -> Diagram:
        """The transitions that lead to a state."""
        into = self.dd.true
        for i, value in enumerate(state):
            into = into & (self.space.next[i] if value else ~self.space.next[i])
        return into

    def _walk(self, state: tuple[int, ...], inside: Diagram, final: Diagram, target: Diagram) -> tuple[tuple[int, ...], LatchTrace]:
        """The shortest way inside the set whose last transition is final and leads into the target: the state after it, and the way."""
        legal = self.space.legal
        layers = [self.back(target, legal & final) & inside]
        here, seen = self._cube(state), layers[0]
        while layers[-1] & here == self.dd.false:
            layers.append(self.back(layers[-1], legal) & inside & ~seen)
            assert layers[-1] != self.dd.false, "the target can be reached"
            seen = seen | layers[-1]
        trace: LatchTrace = []
        for layer in reversed(layers[:-1]):
            state, given = self._step(state, legal, layer)
            trace.append((self._last, given))
        state, given = self._step(state, legal & final, target)
        trace.append((self._last, given))
        return state, trace

    def _step(self, state: tuple[int, ...], transitions: Diagram, target: Diagram) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """One transition from a state into the target: the state after it, and the inputs. `_last` is the state before."""
        self._last = state
        found = self.dd.rename(target, self.forward) & transitions & self._cube(state)
        for relation, _ in self.parts:
            found = found & relation
        chosen = self.dd.pick(found)
        after = tuple(chosen.get(2 * i + 1, 0) for i in range(self.space.count))
        return after, tuple(chosen.get(number, 0) for number in self.inputs)

    def _walk_home(self, at: tuple[int, ...], start: tuple[int, ...], inside: Diagram) -> LatchTrace | None:
        """The shortest way back to the start, empty if it is there; None if there is none."""
        if at == start:
            return []
        goal, seen = self._cube(start), self._cube(start)
        while True:
            wider = seen | (self.back(seen, self.space.legal) & inside)
            if wider & self._cube(at) != self.dd.false:
                return self._walk(at, inside, self.dd.true, goal)[1]
            if wider == seen:
                return None
            seen = wider


__all__ = ["FairCycles", "check_fair"]
