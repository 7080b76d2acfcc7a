"""Why a step is disabled, and who can change that (Algo 1 of the F-Soft paper, step 2(a)ii).

Of the conditions that a step needs, each a conjunction, one false conjunct is chosen: only threads that may write what it reads can
make the step possible, and if it reads a reliable lock that somebody holds, only that thread. What else decides whether the step comes to
this condition (`when`, an earlier stop, the life of an object) belongs to what it reads.
"""

from __future__ import annotations

from dataclasses import dataclass

from fsoft.analysis.actions import members
from fsoft.passes.ways import conjuncts
from fsoft.por.footprint import Footprint, LoadedValue
from fsoft.por.locks import value_of
from fsoft.program.expr import Expr, const, eq


@dataclass(frozen=True)
class Conjunct:
    """One part of a condition. `loads` are the numbers of the loads whose value it needs, addresses included; `lock` is the load of the
    lock that it wants to be free."""

    term: Expr
    loads: tuple[int, ...]
    lock: int | None


@dataclass(frozen=True)
class Barrier:
    """A condition of a step: false `conjuncts` block if `when` holds and the thread has not stopped (`stops`); `context` are the loads that
    those two need."""

    when: Expr
    stops: Expr
    conjuncts: tuple[Conjunct, ...]
    context: tuple[int, ...]


@dataclass(frozen=True)
class Blockade:
    """All barriers of a step, and the entries that only its accesses' validity depends on."""

    loads: tuple[LoadedValue, ...]
    barriers: tuple[Barrier, ...]
    life: int


def blockade(one: Footprint, sizes: list[int], locks: int) -> Blockade | None:
    """None if the step is not simple enough (a load after a store of the same cell, an input in a condition)."""
    if not one.plain:
        return None
    support = _Support(one.loads)
    barriers = []
    for need in one.needs:
        parts = []
        for term in conjuncts(need.condition):
            loads = support.of(term)
            if loads is None:
                return None
            parts.append(Conjunct(term, loads, _lock(one, term, locks, sizes)))
        context = support.of(need.when, need.stops)
        if context is None:
            return None
        parts.sort(key=lambda p: p.lock is None)  # a held lock names one thread: ask that first
        barriers.append(Barrier(need.when, need.stops, tuple(parts), context))
    life = 0
    for item in one.items:
        life |= sum(1 << n for n in members(item.reads) if n < len(sizes) and not sizes[n])
    return Blockade(tuple(one.loads), tuple(barriers), life)


def _lock(one: Footprint, term: Expr, locks: int, sizes: list[int]) -> int | None:
    """The load whose cell, a reliable lock, the term wants to be 0."""
    for number, load in enumerate(one.loads):
        if load.masks[0] and not load.masks[0] & ~locks and term is eq(value_of(load), const(0, 8 * load.size)):
            return number
    return None


class _Support:
    """Which loads a term needs, through addresses and conditions of other loads."""

    def __init__(self, loads: list[LoadedValue]):
        self.loads = loads
        self._numbers = {load.name: k for k, load in enumerate(loads)}

    def of(self, *terms: Expr) -> tuple[int, ...] | None:
        found: dict[int, None] = {}
        work = list(terms)
        while work:
            for name in sorted(work.pop().reads):
                if name[0] == "?":
                    return None
                if name[0] == "#" and self._numbers[name] not in found:
                    load = self.loads[self._numbers[name]]
                    found[self._numbers[name]] = None
                    work += [load.address, load.when]
        return tuple(sorted(found))
