"""Counter abstraction: the reachable states in which threads of unbounded kinds are only counted, up to a bound, and "any number" beyond.

States stand for all smaller ones (`counters.py`), so only the largest are kept, as in Karp and Miller's procedure for vector addition
systems; a local state with more than `k` threads has any number of them, which makes the search finite where words are. A larger `k` is
tried while a failure is not excluded.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from fsoft.parametric.counters import OMEGA, CounterShape, CounterState, Counts, Local, WordTuple
from fsoft.parametric.identity import NotCovered
from fsoft.parametric.outcomes import MoveOutcome, Outcomes
from fsoft.parametric.proving import NoProof
from fsoft.parametric.system import System, SystemMove
from fsoft.program.verdict import CountProgress
from fsoft.solve.sat import SolverTimeout

LEVELS = (1, 2, 3, 4)
STATES = (2_000, 6_000, 20_000)
_NEWS = 64
_SHARE = 20  # there may be a twentieth as many local states in one state as there may be states


@dataclass(frozen=True, slots=True)
class Counted:
    """States that `coverage.uncovered` should accept; `level` is the number up to which threads were counted."""

    states: tuple[CounterState, ...]
    level: int


def count(
    system: System,
    deadline: float,
    hear: CountProgress = lambda _states: None,
    states: Sequence[int] = STATES,
    levels: Sequence[int] = LEVELS,
) -> Counted | NoProof:
    """States that cover all that can happen, none with a bad move; or why there are none. Levels are tried in order with the first number
    of states, then those that had too many with the next. SolverTimeout past the deadline; NotCovered where threads compute with numbers of
    threads, and for data races."""
    if system.clashes:
        raise NotCovered("data races, when threads are only counted (--method invariants)")
    shape, left = CounterShape(system), list(levels)
    failed = NoProof("no number of threads was tried")
    for most in states:
        for level in tuple(left):
            search = Search(shape, level, most, deadline, hear)
            found = search.run()
            if not isinstance(found, NoProof):
                return Counted(found, level)
            failed = found
            if not search.full:
                left.remove(level)
                if not search.rounded:
                    return failed  # it is not the level that lets it happen
            elif search.crowded or not search.rounded:
                break  # other levels would see the same, or more
    return failed


class Search:
    """`run` gives all largest states, or the reason why it does not. `full`: there were too many; `crowded`: too many local states in one.
    `rounded`: a number of threads became "any number" only because it exceeded the level."""

    def __init__(self, shape: CounterShape, level: int, most: int, deadline: float, hear: CountProgress):
        self.shape, self.level, self.most, self.deadline, self.hear = shape, level, most, deadline, hear
        self.outcomes = Outcomes(shape)
        self.found: dict[WordTuple, list[Counts]] = {}
        self.todo: list[tuple[int, int, CounterState]] = []
        self.made = 0
        self.full = self.crowded = self.rounded = False

    def run(self) -> tuple[CounterState, ...] | NoProof:
        self._add(self.shape.initial())
        while self.todo:
            _, _, state = heappop(self.todo)
            if not any(state.counts is counts for counts in self.found[state.whole]):
                continue  # a larger one was found
            bad = self._expand(state)
            if bad is not None:
                why = f"{bad.step.loc}: a failure here is not excluded: {bad.step.text}"
                return NoProof(f"counters up to {self.level}, {self.made} abstract states: {why}")
            self.crowded = len(state.counts) > self.most // _SHARE
            if self.made > self.most or self.crowded:
                self.full = True
                what = f"{len(state.counts)} local states at a time" if self.crowded else f"more than {self.most} abstract states"
                return NoProof(f"counters up to {self.level}, {self.made} abstract states: {what}")
        return tuple(CounterState(whole, counts) for whole, several in self.found.items() for counts in several)

    def _expand(self, state: CounterState) -> SystemMove | None:
        """Add what comes after the state; a bad move ends it."""
        for thread, outcomes in self._movers(state):
            for outcome, move in outcomes:
                if outcome.bad:
                    return move
                known = outcome.local is not None and state.counts.get(outcome.local) == OMEGA
                if not (known and self._quiet(state, thread, outcome)):
                    self._add(self._next(state, thread, outcome))
        return None

    def _movers(self, state: CounterState) -> Iterator[tuple[Local | None, list[tuple[MoveOutcome, SystemMove]]]]:
        """Local states and the outcomes of their moves. A move of a single thread is nobody's, or that of a thread that it creates."""
        insiders = self.shape.insiders(state)
        for kind in self.shape.system.kinds:
            if not kind.many and insiders in ([], [kind.index]):
                for created in (None, *state.counts):
                    yield created, self.outcomes.of(state, kind.index, created)
        for local in state.counts:
            if insiders in ([], [local]):
                yield local, self.outcomes.of(state, local.kind, local)

    def _quiet(self, state: CounterState, thread: Local | None, outcome: MoveOutcome) -> bool:
        """It changes the local state of one of any number of threads, and nothing else."""
        after = outcome.local
        plain = after is not None and not after.name and not self.shape.inside(after) and not outcome.bad
        same = outcome.whole == state.whole and all(old == new for old, new in outcome.names)
        return plain and same and thread is not None and state.counts.get(thread) == OMEGA

    def _flooded(self, state: CounterState) -> CounterState:
        """The state in which any number of threads have made the quiet moves."""
        if self.shape.insiders(state):
            return state
        counts = dict(state.counts)
        larger, todo = CounterState(state.whole, counts), [local for local, number in counts.items() if number == OMEGA]
        while todo:
            thread = todo.pop()
            for kind in (kind for kind in self.shape.system.kinds if kind.index == thread.kind or not kind.many):
                for outcome, _ in self.outcomes.of(state, kind.index, thread):
                    after = outcome.local
                    if after is not None and counts.get(after) != OMEGA and self._quiet(larger, thread, outcome):
                        counts[after] = OMEGA
                        todo.append(after)
        return larger

    def _next(self, state: CounterState, thread: Local | None, outcome: MoveOutcome) -> CounterState:
        names, counts = dict(outcome.names), dict(state.counts)
        if thread is not None:
            self._less(counts, thread)
        renamed = [(local, counts.pop(local)) for local in [local for local in counts if local.name]]
        for local, number in renamed:
            self._more(counts, local._replace(name=names.get(local.name, 0)), number)
        if outcome.local is not None:
            self._more(counts, outcome.local, 1)
        if outcome.whole == state.whole and self.shape.below(state.counts, counts):  # then it can be repeated
            for local in [local for local, number in counts.items() if number != state.counts.get(local) and not local.name]:
                counts[local] = OMEGA
        return CounterState(outcome.whole, counts)

    def _less(self, counts: dict[Local, int], local: Local) -> None:
        if counts[local] == 1:
            del counts[local]
        elif counts[local] != OMEGA:
            counts[local] -= 1

    def _more(self, counts: dict[Local, int], local: Local, number: int) -> None:
        total = counts.get(local, 0) + number
        if self.level < total < OMEGA:
            self.rounded = True
        counts[local] = total if total <= self.level else OMEGA

    def _add(self, state: CounterState) -> None:
        """Keep the state unless a larger one is there, and no smaller ones."""
        there = self.found.setdefault(state.whole, [])
        if any(self.shape.below(state.counts, counts) for counts in there):
            return
        state = self._flooded(state)
        self.found[state.whole] = [*(counts for counts in there if not self.shape.below(counts, state.counts)), state.counts]
        self.made += 1
        unbounded = sum(number == OMEGA for number in state.counts.values())
        heappush(self.todo, (-unbounded, self.made, state))  # large ones make others superfluous
        if self.made % _NEWS == 0:
            self.hear(self.made)
            if time.monotonic() > self.deadline:
                raise SolverTimeout


__all__ = ["Counted", "LEVELS", "STATES", "Search", "count"]
