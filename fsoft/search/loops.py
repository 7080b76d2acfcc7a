"""Bounds on loops along a path: how often a thread may return to a loop's head."""

from __future__ import annotations

from fsoft.analysis.loops import Loop, loops
from fsoft.passes.bounds import Bounds, LoopLimits
from fsoft.program.cuts import Cut
from fsoft.program.program import Program

Visits = dict[tuple[int, int], tuple[int, int]]
"""For a slot and a head: the rounds that count, and how many branches the slot had decided when it was last there."""


class LoopBounds:
    """The loops of one program. `endless`: there is one whose number of rounds is not plain to see."""

    def __init__(self, program: Program, bounds: Bounds):
        self.bounds, limits = bounds, LoopLimits(bounds, program)
        found = loops(program)
        by_template: dict[str, dict[int, Loop]] = {}
        for loop in found:
            by_template.setdefault(loop.template, {})[loop.head] = loop
        self._heads = [by_template.get(thread.template.name, {}) for thread in program.threads]
        self._given = [{head: limits.of(thread, loop.id) for head, loop in heads.items()}
                       for thread, heads in zip(program.threads, self._heads, strict=True)]  # fmt: skip
        self._ids = {loop.id: loop for loop in found}
        self.endless = any(loop.count is None for loop in found)

    def arrive(self, visits: Visits, slot: int, source: int, target: int, forks: int) -> tuple[Visits, str]:
        """The visits after a step, and the name of the bound if it cuts here. `forks`: branches of the slot that its path decided."""
        loop = self._heads[slot].get(target)
        given = None if loop is None else self._given[slot][target]
        if loop is None or (given is None and loop.count is not None):
            return visits, ""
        rounds, before = visits.get((slot, target), (0, forks))
        if source not in loop.body:
            rounds = 0
        elif given is not None or forks > before:
            rounds += 1
        if rounds > (self.bounds.unwind if given is None else given):
            return visits, f"unwind.{loop.id}"
        return {**visits, (slot, target): (rounds, forks)}, ""

    def cut(self, name: str) -> Cut:
        """What a bound on a loop is, and where."""
        loop = self._ids[name.removeprefix("unwind.")]
        return Cut("loop", loop.loc, f"{loop.id} runs more often than was allowed", f"--unwind, --unwindset {loop.id}:N")
