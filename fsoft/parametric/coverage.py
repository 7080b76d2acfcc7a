"""The judge of a set of states of the counter abstraction: does it cover everything that can happen, and nothing bad?

1. The initial state is covered by a state of the set.
2. What a move makes of a state of the set is covered by a state of the set (unless the run is over then).
3. No move of a state of the set violates a property or hits a bound.

Counts are exact here: one less, one more; only OMEGA stays what it is. Moves are computed by putting the known words into their terms and
folding constants; what is not a constant then is ANY. What is shared with the search is what a state means, and what a move reads of it
(`counters.py`).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from fsoft.parametric.counters import ANY, ME, OMEGA, OTHER, CounterShape, CounterState, Env, Local, WordTuple
from fsoft.parametric.system import System, SystemMove
from fsoft.program.expr import FALSE, TRUE, Expr, conj, const, fill
from fsoft.solve.sat import SolverTimeout


class _Refused(Exception):
    """What is wrong with the set."""


def uncovered(system: System, states: Sequence[CounterState], deadline: float | None = None) -> str | None:
    """None if the states prove that nothing bad can happen, with any number of threads; otherwise what is wrong with them."""
    if system.clashes:
        return "states in which threads are counted do not say who meets whom"
    try:
        _Judge(CounterShape(system), states).judge(deadline)
    except _Refused as wrong:
        return str(wrong)
    return None


class _Judge:
    def __init__(self, shape: CounterShape, states: Sequence[CounterState]):
        self.shape, self.system, self.states = shape, shape.system, states
        self._values: dict[tuple[Expr, tuple[int, ...]], Expr] = {}
        self._with: dict[WordTuple, list[CounterState]] = {}
        for state in states:
            self._with.setdefault(state.whole, []).append(state)

    def judge(self, deadline: float | None) -> None:
        for state in self.states:
            self._check_form(state)
        if not self._is_covered(self.shape.initial()):
            raise _Refused("the initial state is not covered")
        for state in self.states:
            if deadline is not None and time.monotonic() > deadline:
                raise SolverTimeout
            for move, after in self._successors(state):
                if not self._is_covered(after):
                    raise _Refused(f"{move.step.loc}: this step leads out of the states: {move.step.text}")

    def _check_form(self, state: CounterState) -> None:
        fits = len(state.whole) == len(self.shape.names)
        for local, number in state.counts.items():
            fits = fits and self.system.kinds[local.kind].many and len(local.words) == len(self.shape.own[local.kind])
            fits = fits and (number == 1 if local.name else number > 0)
        names = [local.name for local in state.counts if local.name]
        if not fits or len(set(names)) != len(names):
            raise _Refused("a state is not one of this system")

    def _is_covered(self, state: CounterState) -> bool:
        return any(self.shape.below(state.counts, other.counts) for other in self._with.get(state.whole, ()))

    # ------------------------------------------------------------ moves

    def _successors(self, state: CounterState) -> Iterator[tuple[SystemMove, CounterState]]:
        insiders = self.shape.insiders(state)
        for kind in self.system.kinds:
            movers: list[Local | None] = [local for local in state.counts if local.kind == kind.index] if kind.many else [None]
            for mover in movers:
                at = mover.words[0] if mover is not None else state.whole[self.shape.at[self.shape.own[kind.index][0]]]
                if insiders in ([], [kind.index if mover is None else mover]):
                    for move in self.shape.moves.get((kind.index, at), ()):
                        for env, slot in self.shape.environments(state, move, mover):
                            yield from ((move, after) for after in self._after(state, move, mover, env, slot))

    def _after(self, state: CounterState, move: SystemMove, mover: Local | None, env: Env, slot: int | None) -> Iterator[CounterState]:
        if self._fold(conj(move.enabled, move.bad), env) is not FALSE:
            raise _Refused(f"{move.step.loc}: this step may be bad: {move.step.text}")
        if self._fold(move.enabled, env) is FALSE or self._fold(move.over, env) is TRUE:
            return
        after = {name: self._word(term, env) for name, term in move.writes.items() if name in env}
        if after.get(self.system.owned[move.slot][0], 0) == ANY:
            raise _Refused(f"{move.step.loc}: it is not known where this step leads: {move.step.text}")
        whole, names = self.shape.whole([after.get(name, env[name]) for name in self.shape.names])
        renamed = {local: local._replace(name=names.get(local.name, 0) if local.name else 0) for local in state.counts}
        if mover is not None:
            words = [after.get(name, env[name]) for name in self.shape.own[mover.kind]]
            moved = self.shape.local(mover.kind, names.get(ME, 0), words)
            yield CounterState(whole, _exchanged(state, renamed, mover, moved))
            return
        yield CounterState(whole, _exchanged(state, renamed, None, None))
        for local in state.counts if slot is not None else ():
            if slot is not None and local.kind == self.system.kind_of[slot].index:
                started = self._started(move, env, slot, local)
                yield CounterState(whole, _exchanged(state, renamed, local, started._replace(name=renamed[local].name)))

    def _started(self, move: SystemMove, env: Env, slot: int, local: Local) -> Local:
        """What a creation makes of a thread that is in this local state in the place of this slot."""
        row = dict(zip(self.system.owned[slot], local.words, strict=True))
        known = env | {name: ANY if word == OTHER else word for name, word in row.items()}
        return self.shape.local(local.kind, 0, [self._word(move.writes[name], known) if name in move.writes else row[name] for name in row])

    # ------------------------------------------------------------ terms

    def _fold(self, term: Expr, env: Env) -> Expr:
        leaves = sorted(term.reads)
        key = (term, tuple([env.get(leaf, ANY) for leaf in leaves]))
        found = self._values.get(key)
        if found is None:
            known = {leaf: const(value, self.shape.width(leaf)) for leaf, value in zip(leaves, key[1], strict=True) if value != ANY}
            found = self._values[key] = fill(term, known)
        return found

    def _word(self, term: Expr, env: Env) -> int:
        found = self._fold(term, env)
        return found.value if found.is_const else ANY


def _exchanged(state: CounterState, renamed: dict[Local, Local], before: Local | None, after: Local | None) -> dict[Local, int]:
    """The counts with one thread less in the one local state and one more in the other."""
    counts: dict[Local, int] = {}
    for local, number in state.counts.items():
        rest = number - 1 if local == before and number != OMEGA else number
        if rest:
            counts[renamed[local]] = min(OMEGA, counts.get(renamed[local], 0) + rest)
    if after is not None:
        counts[after] = min(OMEGA, counts.get(after, 0) + 1)
    return counts


__all__ = ["uncovered"]
