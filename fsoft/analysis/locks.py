"""Locks that are certainly held, and the order in which locks are taken. Read off the tags of steps.

`acquire` and `wrlock` steps block until the lock is theirs; `release` gives it back; a condition wait shows as a release and, later, an
acquire. `try`, `rdlock`, semaphores and barriers do not count as holding. A lock is named by its address, and counts only where that is
constant in the slot; a release of an unknown lock releases all. Recursive locks are held until the first release, which errs on
the safe side.
"""

from __future__ import annotations

from dataclasses import dataclass

from fsoft.analysis.validity import constant_in
from fsoft.frontend.source import Loc
from fsoft.program.program import Program, Step

TAKES = frozenset({"acquire", "wrlock"})
GIVES = frozenset({"release", "unlock", "destroy", "init"})

Held = frozenset[int]


@dataclass(frozen=True, slots=True)
class Order:
    """While a slot held `first`, it took (or waited for) `second` at `loc`. Both are addresses."""

    slot: int
    first: int
    second: int
    loc: Loc


class Locks:
    """`held(slot)[location]` are the addresses of the locks certainly held there; None where the slot never comes."""

    def __init__(self, program: Program):
        self.program = program
        self._held = [self._solve(slot) for slot in range(len(program.threads))]

    def held(self, slot: int) -> list[Held | None]:
        return self._held[slot]

    def order(self) -> list[Order]:
        """The edges of the lock-order graph, slot by slot in the order of their steps."""
        edges: dict[tuple[int, int, int], Order] = {}
        for slot, thread in enumerate(self.program.threads):
            for step in thread.template.steps:
                before = self._held[slot][step.source]
                for taken in self._taken(slot, step):
                    for first in sorted(before or ()):
                        if first != taken:
                            edges.setdefault((slot, first, taken), Order(slot, first, taken, step.loc))
        return list(edges.values())

    def cycles(self) -> list[list[int]]:
        """Sets of locks that may be taken in a circle (strongly connected parts of the order), each sorted. None: no lock cycle by tags."""
        succ: dict[int, set[int]] = {}
        for edge in self.order():
            succ.setdefault(edge.first, set()).add(edge.second)
        reach = {lock: _reachable(lock, succ) for lock in succ}
        rings = {tuple(sorted({lock, *(o for o in reach[lock] if lock in reach.get(o, set()))})) for lock in succ if lock in reach[lock]}
        return [list(ring) for ring in sorted(rings)]

    def _operand(self, slot: int, step: Step, kinds: frozenset[str]) -> list[int | None]:
        own = self.program.threads[slot].own
        return [None if t.operand is None else constant_in(t.operand, own) for t in step.tags if t.kind in kinds]

    def _taken(self, slot: int, step: Step) -> list[int]:
        return [lock for lock in self._operand(slot, step, TAKES) if lock is not None]

    def _after(self, slot: int, step: Step, before: Held) -> Held:
        for lock in self._operand(slot, step, GIVES):
            before = frozenset() if lock is None else before - {lock}
        return before | frozenset(self._taken(slot, step))

    def _solve(self, slot: int) -> list[Held | None]:
        template = self.program.threads[slot].template
        held: list[Held | None] = [None] * len(template.locations)
        held[0] = frozenset()
        out = template.outgoing()
        work = [0]
        while work:
            node = work.pop()
            before = held[node]
            assert before is not None
            for step in out[node]:
                after = self._after(slot, step, before)
                old = held[step.target]
                new = after if old is None else old & after
                if new != old:
                    held[step.target] = new
                    work.append(step.target)
        return held


def _reachable(start: int, succ: dict[int, set[int]]) -> set[int]:
    """What can be reached in one step or more."""
    found: set[int] = set()
    work = sorted(succ.get(start, ()))
    while work:
        node = work.pop()
        if node not in found:
            found.add(node)
            work.extend(sorted(succ.get(node, ())))
    return found
