"""Counter abstraction: the reachable states in which threads of unbounded kinds are only counted, up to a bound, and "any number" beyond.

States stand for all smaller ones (`counters.py`), so only the largest are kept, as in Karp and Miller's procedure for vector addition
systems; a local state with more than `k` threads has any number of them, which makes the search finite where words are. A larger `k` is
tried while a failure is not excluded.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from fsoft.parametric.counters import OMEGA, Counts, Local, Shape, State, Words
from fsoft.parametric.outcomes import Outcome, Outcomes
from fsoft.parametric.proving import Failed
from fsoft.parametric.system import Move, System
from fsoft.solve.sat import OutOfTime

LEVELS = (1, 2, 3, 4)
STATES = (500, 5_000, 50_000)
_NEWS = 64

Hear = Callable[[int], None]
"""Hears how many states were made."""


@dataclass(frozen=True, slots=True)
class Counted:
    """States that `coverage.uncovered` should accept; `level` is the number up to which threads were counted."""

    states: tuple[State, ...]
    level: int


def count(
    system: System,
    deadline: float,
    hear: Hear = lambda _states: None,
    states: Sequence[int] = STATES,
    levels: Sequence[int] = LEVELS,
) -> Counted | Failed:
    """States that cover all that can happen, none with a bad move; or why there are none. Levels are tried in order with the first number
    of states, then those that had too many with the next. OutOfTime past the deadline; NotCovered where threads compute with numbers of
    threads."""
    shape, left = Shape(system), list(levels)
    failed = Failed("no number of threads was tried")
    for most in states:
        for level in tuple(left):
            search = Search(shape, level, most, deadline, hear)
            found = search.run()
            if not isinstance(found, Failed):
                return Counted(found, level)
            failed = found
            if not search.full:
                left.remove(level)
                if not search.rounded:
                    return failed  # it is not the level that lets it happen
            elif not search.rounded:
                break  # other levels would see the same states
    return failed


class Search:
    """`run` gives all largest states, or the reason why it does not. `full`: there were too many. `rounded`: a number of threads became
    "any number" only because it exceeded the level."""

    def __init__(self, shape: Shape, level: int, most: int, deadline: float, hear: Hear):
        self.shape, self.level, self.most, self.deadline, self.hear = shape, level, most, deadline, hear
        self.outcomes = Outcomes(shape)
        self.found: dict[Words, list[Counts]] = {}
        self.todo: list[tuple[int, int, State]] = []
        self.made = 0
        self.full = self.rounded = False

    def run(self) -> tuple[State, ...] | Failed:
        self._add(self.shape.initial())
        while self.todo:
            _, _, state = heappop(self.todo)
            if not any(state.counts is counts for counts in self.found[state.whole]):
                continue  # a larger one was found
            bad = self._expand(state)
            if bad is not None:
                why = f"{bad.step.loc}: a failure here is not excluded: {bad.step.text}"
                return Failed(f"counters up to {self.level}, {self.made} abstract states: {why}")
            if self.made > self.most:
                self.full = True
                return Failed(f"counters up to {self.level}: more than {self.most} abstract states")
        return tuple(State(whole, counts) for whole, several in self.found.items() for counts in several)

    def _expand(self, state: State) -> Move | None:
        """Add what comes after the state; a bad move ends it."""
        for kind, thread, outcomes in self._movers(state):
            for outcome, move in outcomes:
                if outcome.bad:
                    return move
                self._add(self._next(state, kind, thread, outcome))
        return None

    def _movers(self, state: State) -> Iterator[tuple[int, Local | None, list[tuple[Outcome, Move]]]]:
        for kind in self.shape.system.kinds:
            threads = [local for local in state.counts if local.kind == kind.index] if kind.many else [None, *state.counts]
            for local in threads:
                if self.shape.free_to_move(state, kind.index, local if kind.many else None):
                    yield kind.index, local, self.outcomes.of(state, kind.index, local)

    def _next(self, state: State, kind: int, thread: Local | None, outcome: Outcome) -> State:
        names = dict(outcome.names)
        counts: dict[Local, int] = {}
        for local, number in state.counts.items():
            left = self._less(number) if local == thread else number
            if left:
                name = names.get(local.name, 0) if local.name else 0
                self._more(counts, local._replace(name=name), left)
        if outcome.local is not None:
            self._more(counts, outcome.local, 1)
        if outcome.whole == state.whole and self.shape.below(state.counts, counts):  # then it can be repeated
            for local in [local for local, number in counts.items() if number != state.counts.get(local) and not local.name]:
                counts[local] = OMEGA
        return State(outcome.whole, counts)

    def _less(self, number: int) -> int:
        return number if number == OMEGA else number - 1

    def _more(self, counts: dict[Local, int], local: Local, number: int) -> None:
        total = counts.get(local, 0) + number
        if self.level < total < OMEGA:
            self.rounded = True
        counts[local] = total if total <= self.level else OMEGA

    def _add(self, state: State) -> None:
        """Keep the state unless a larger one is there, and no smaller ones."""
        there = self.found.setdefault(state.whole, [])
        if any(self.shape.below(state.counts, counts) for counts in there):
            return
        self.found[state.whole] = [*(counts for counts in there if not self.shape.below(counts, state.counts)), state.counts]
        self.made += 1
        unbounded = sum(number == OMEGA for number in state.counts.values())
        heappush(self.todo, (-unbounded, self.made, state))  # large ones make others superfluous
        if self.made % _NEWS == 0:
            self.hear(self.made)
            if time.monotonic() > self.deadline:
                raise OutOfTime


__all__ = ["Counted", "LEVELS", "STATES", "Search", "count"]
