"""Whether some run needs more rounds than there are.

Threads run round by round, in each round by their slots. A run is arranged without gaps if every block of steps of a thread is in the first
round in which it can be: then a new round begins only with a thread that comes before the last one that ran in the round before. Take a
run that needs more rounds than there are: its arrangement without gaps, up to the block that comes too late, is one that the formula has,
and the thread of that block can go on after it. The last round may be for the first few slots only; it may also stay empty, when
the block that comes too late is of a thread that has no turn in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from fsoft.program.expr import FALSE, TRUE, Expr, conj, disj, negate

Keep = Callable[[Expr], Expr]


def beyond(rounds: Sequence[Sequence[Expr]], more: Sequence[Expr], tight: Expr = TRUE, keep: Keep = lambda term: term) -> Expr:
    """A run that cannot be arranged in fewer rounds goes on after the last. `rounds` says who takes steps in each, by slot, the last may be
    for the first slots only; `more` says who can go on then. `tight`: what else must hold. `keep`: intermediate terms go through it."""
    *full, last = rounds
    short = len(last)
    late = _any(more[short:])  # those who have no turn in the last round
    if short == len(more) or not full:
        for before, after in pairwise(rounds):
            tight = keep(conj(tight, _descends(before, after)))
        return conj(tight, disj(late, _descends(last, more)))
    for before, after in pairwise(full):
        tight = keep(conj(tight, _descends(before, after)))
    skipped = conj(negate(_any(last)), _descends(full[-1], [*[FALSE] * short, *more[short:]]))
    taken = conj(_descends(full[-1], last), disj(late, _descends(last, more)))
    return conj(tight, disj(skipped, taken))


def _descends(before: Sequence[Expr], after: Sequence[Expr]) -> Expr:
    """Of a round and the next (given who runs in them): somebody runs in the next who comes before the last of this one."""
    total: Expr = FALSE
    later: Expr = FALSE  # somebody behind this slot runs in the round
    for slot in reversed(range(max(len(before), len(after)))):
        total = disj(total, conj(after[slot], later)) if slot < len(after) else total
        later = disj(later, before[slot]) if slot < len(before) else later
    return total


def _any(conditions: Sequence[Expr]) -> Expr:
    total: Expr = FALSE
    for condition in conditions:
        total = disj(total, condition)
    return total
