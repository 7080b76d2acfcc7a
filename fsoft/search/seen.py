"""States that were explored before.

Terms are interned, so two nodes have the same state exactly if their words are the same objects. A node need not be explored if one with
the same state was, or is being, under conditions that are all among its own: whatever it leads to, the other one led to.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsoft.program.expr import Expr
from fsoft.search.loops import Visits


class SeenStates:
    """`active`: states are remembered. With a bound on context switches, only a node that has made no more of them, and has the same
    active thread, covers another one; and only one that has made as many rounds of loops that count."""

    def __init__(self, active: bool, contexts: bool):
        self.active, self._contexts = active, contexts
        self._known: dict[tuple[object, ...], list[tuple[int, frozenset[Expr]]]] = {}

    def before(self, values: Sequence[Expr], active: int, switches: int, visits: Visits, terms: Sequence[Expr]) -> bool:
        """Whether a node is covered; from now on it is."""
        if not self.active:
            return False
        key: tuple[object, ...] = (
            *values,
            active if self._contexts else -1,
            tuple(sorted((place, rounds) for place, (rounds, _) in visits.items() if rounds)),
        )
        spent, conditions = switches if self._contexts else 0, frozenset(terms)
        rows = self._known.setdefault(key, [])
        if any(other <= spent and weaker <= conditions for other, weaker in rows):
            return True
        rows[:] = [(other, weaker) for other, weaker in rows if not (spent <= other and conditions <= weaker)]
        rows.append((spent, conditions))
        return False
