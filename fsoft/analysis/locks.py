"""Locks that are certainly held, and the order in which locks are taken. Read off the tags of steps.

`acquire`, `rdlock` and `wrlock` steps block until the lock is theirs, `release` and `rwunlock` give it back; a condition wait shows as a
release and, later, an acquire. `try`, semaphores and barriers do not count as holding. A lock is named by its address, and counts only
where that is constant in the slot; a release of an unknown lock releases all. Recursive locks are held until the first release, which
errs on the safe side.

That a lock call succeeds and that nobody else unlocks is taken for granted, as the tags say it: what engines rely on is proved from
what steps do (`por/locks.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from fsoft.analysis.validity import constant_in
from fsoft.frontend.source import Loc
from fsoft.program.program import Program, Step, Tag

TAKES = frozenset({"acquire", "rdlock", "wrlock"})
GIVES = frozenset({"release", "rwunlock", "destroy", "init"})

Held = frozenset[int]
Holds = frozenset[tuple[int, bool]]
"""(address, shared): a lock that is held for writing is in there as both, so that ways that meet keep what they have in common."""


@dataclass(frozen=True, slots=True)
class Order:
    """While a slot held `first`, it took (or waited for) `second` at `loc`. Both are addresses."""

    slot: int
    first: int
    second: int
    loc: Loc


class CertainLocks:
    """What is certainly held where; None where the slot never comes."""

    def __init__(self, program: Program):
        self.program = program
        self._held = [self._solve(slot) for slot in range(len(program.threads))]

    def held(self, slot: int) -> list[Held | None]:
        """By location the addresses of the locks that the slot holds, for reading or for writing."""
        return [None if at is None else frozenset(lock for lock, shared in at if shared) for at in self._held[slot]]

    def alone(self, slot: int) -> list[Held | None]:
        """By location those that nobody else can hold meanwhile: not those held for reading, which keep out writers only."""
        return [None if at is None else frozenset(lock for lock, shared in at if not shared) for at in self._held[slot]]

    def order(self) -> list[Order]:
        """The edges of the lock-order graph, slot by slot in the order of their steps."""
        edges: dict[tuple[int, int, int], Order] = {}
        for slot, thread in enumerate(self.program.threads):
            held = self.held(slot)
            for step in thread.template.steps:
                before = held[step.source]
                for taken in (self._lock(slot, tag) for tag in step.tags if tag.kind in TAKES):
                    for first in sorted(before or ()):
                        if taken is not None and first != taken:
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

    def _lock(self, slot: int, tag: Tag) -> int | None:
        return None if tag.operand is None else constant_in(tag.operand, self.program.threads[slot].own)

    def _after(self, slot: int, step: Step, before: Holds) -> Holds:
        """What is held after the step; its tags are in the order of what it does."""
        for tag in step.tags:
            lock = self._lock(slot, tag) if tag.kind in TAKES or tag.kind in GIVES else None
            if tag.kind in GIVES:
                before = frozenset() if lock is None else frozenset(one for one in before if one[0] != lock)
            elif lock is not None:
                before |= {(lock, True)} if tag.kind == "rdlock" else {(lock, True), (lock, False)}
        return before

    def _solve(self, slot: int) -> list[Holds | None]:
        template = self.program.threads[slot].template
        held: list[Holds | None] = [None] * len(template.locations)
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
