"""What a move of one thread makes of a state of the counter abstraction: for the search, by Python functions whose results are remembered.
The judge (`coverage.py`) computes the same in a way of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from fsoft.parametric.counters import ANY, ME, OTHER, CounterShape, CounterState, Env, Local, WordTuple
from fsoft.parametric.evaluate import compiled
from fsoft.parametric.identity import NotCovered
from fsoft.parametric.system import SystemMove
from fsoft.program.expr import Expr, const, fill


class MoveOutcome(NamedTuple):
    """After a move: the whole, the new names of the threads that the old one named, and the local state of the thread that moved or was
    created. `bad`: the move may violate a property or hit a bound."""

    whole: WordTuple
    names: tuple[tuple[int, int], ...]
    local: Local | None = None
    bad: bool = False


class Outcomes:
    """All different outcomes of moves of one thread, with the number of the move in `System.moves`."""

    def __init__(self, shape: CounterShape):
        self.shape, self.system = shape, shape.system
        self._known: dict[tuple[WordTuple, int, Local | None], list[tuple[MoveOutcome, SystemMove]]] = {}
        self._changes: dict[tuple[int, int, Local], bool] = {}
        self._terms: dict[Expr, tuple[tuple[str, ...], Callable[..., int]]] = {}

    def of(self, state: CounterState, kind: int, local: Local | None) -> list[tuple[MoveOutcome, SystemMove]]:
        """Of a thread in the local state. If the kind is a single thread: of that one, and `local` is the thread that it creates."""
        key = (state.whole, kind, local)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = list({outcome: (outcome, move) for outcome, move in self._all(state, kind, local)}.values())
        return found

    def _all(self, state: CounterState, kind: int, local: Local | None) -> Iterator[tuple[MoveOutcome, SystemMove]]:
        mover, created = (local, None) if self.system.kinds[kind].many else (None, local)
        at = mover.words[0] if mover is not None else state.whole[self.shape.at[self.shape.own[kind][0]]]
        for move in self.shape.moves.get((kind, at), ()):
            for env, slot in self.shape.environments(state, move, mover):
                if created is not None and (slot is None or not self._startable(move, slot, created)):
                    continue
                if self._value(move.enabled, env) == 0:
                    continue
                if self._value(move.bad, env) != 0:
                    yield MoveOutcome(state.whole, (), bad=True), move
                elif self._value(move.over, env) == 1:
                    continue
                elif created is None or slot is None:
                    yield self._after(move, env, mover), move
                else:
                    yield self._creating(move, env, slot, created), move

    def _after(self, move: SystemMove, env: Env, mover: Local | None) -> MoveOutcome:
        after = {name: self._value(term, env) for name, term in move.writes.items() if name in env}
        if after.get(self.system.owned[move.slot][0]) == ANY:
            raise NotCovered(f"{move.step.loc}: where the thread goes from here depends on a value that is not followed")
        whole, names = self.shape.whole([after.get(name, env[name]) for name in self.shape.names])
        if mover is None:
            return MoveOutcome(whole, tuple(names.items()))
        words = [after.get(name, env[name]) for name in self.shape.own[mover.kind]]
        return MoveOutcome(whole, tuple(names.items()), self.shape.local(mover.kind, names.get(ME, 0), words))

    def _startable(self, move: SystemMove, slot: int, local: Local) -> bool:
        """Whether the move may change the words of a thread that is in this local state in the place of this slot."""
        if self.system.kind_of[slot].index != local.kind:
            return False
        key = (id(move), slot, local)
        found = self._changes.get(key)
        if found is None:
            row = {name: _known(word) for name, word in zip(self.system.owned[slot], local.words, strict=True)}
            found = any(self._value(term, row) != row[name] for name, term in move.writes.items() if name in row)
            self._changes[key] = found
        return found

    def _creating(self, move: SystemMove, env: Env, slot: int, local: Local) -> MoveOutcome:
        """The outcome if the move creates the thread that is in this local state."""
        row = self.system.owned[slot]
        env = env | {name: _known(word) for name, word in zip(row, local.words, strict=True)}
        words = [self._value(move.writes[name], env) if name in move.writes else word for name, word in zip(row, local.words, strict=True)]
        after = self._after(move, env, None)
        return MoveOutcome(after.whole, after.names, self.shape.local(local.kind, dict(after.names).get(local.name, 0), words))

    def _value(self, term: Expr, env: Env) -> int:
        """The term's value; ANY if it depends on words that are."""
        found = self._terms.get(term)
        if found is None:
            leaves = tuple(sorted(term.reads))
            found = self._terms[term] = (leaves, compiled(term, leaves))
        leaves, function = found
        values = [env.get(leaf, ANY) for leaf in leaves]
        if ANY not in values:
            return int(function(*values))
        rest = fill(term, {leaf: const(env[leaf], self.shape.width(leaf)) for leaf in leaves if env.get(leaf, ANY) != ANY})
        return rest.value if rest.is_const else ANY


def _known(word: int) -> int:
    """A word of a thread that does not move: who OTHER is, is not known."""
    return ANY if word == OTHER else word


__all__ = ["MoveOutcome", "Outcomes"]
