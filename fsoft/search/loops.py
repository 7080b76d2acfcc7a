"""Bounds on loops along a path: how often a thread may return to a loop's head."""

from __future__ import annotations

from fsoft.analysis.loops import Loop, loops
from fsoft.program import descriptor
from fsoft.program.program import Program
from fsoft.program.state import Layout
from fsoft.search.settings import Settings

Visits = dict[tuple[int, int], int]


class LoopBounds:
    """`endless`: some loop has neither a bound nor a number of rounds that is plain to see."""

    def __init__(self, program: Program, settings: Settings):
        self.settings = settings
        found = loops(program)
        by_template: dict[str, dict[int, Loop]] = {}
        for loop in found:
            by_template.setdefault(loop.template, {})[loop.head] = loop
        self._heads = [by_template.get(thread.template.name, {}) for thread in program.threads]
        self._names = [thread.name for thread in program.threads]
        self._ids = {loop.id: loop for loop in found}
        self.bounded = settings.unwind is not None or bool(settings.unwindset)
        self.endless = any(loop.count is None and self._limit(slot, loop) is None
                           for slot, heads in enumerate(self._heads) for loop in heads.values())  # fmt: skip
        self._cells: dict[int, frozenset[int]] = {}

    def _limit(self, slot: int, loop: Loop) -> int | None:
        given = self.settings.unwindset
        return given.get(f"{self._names[slot]}:{loop.id}", given.get(loop.id, self.settings.unwind))

    def arrive(self, visits: Visits, slot: int, source: int, target: int) -> tuple[Visits, str]:
        """The visits after a step, and the name of the bound if it cuts here."""
        loop = self._heads[slot].get(target)
        if loop is None or not self.bounded:
            return visits, ""
        count = visits.get((slot, target), 0) + 1 if source in loop.body else 0
        limit = self._limit(slot, loop)
        if limit is not None and count > limit:
            return visits, f"unwind.{loop.id}"
        return {**visits, (slot, target): count}, ""

    def line(self, name: str) -> str:
        """What a bound on a loop is, and where."""
        loop = self._ids[name.removeprefix("unwind.")]
        return f"{loop.loc}: loop: {loop.id} runs more often than was allowed (--unwind, --unwindset {loop.id}:N)"

    def descriptor(self, layout: Layout, slot: int) -> frozenset[int]:
        """The entries of a slot's descriptor that nobody else writes between its creation and its start."""
        if slot not in self._cells:
            place = layout.places[layout.descriptors.id] if layout.descriptors is not None else None
            word = layout.program.word // 8
            numbers = [place.cells.exact(descriptor.offset(slot, name, word), word) for name in ("state", "arg")] if place else []
            self._cells[slot] = frozenset(place.base + n for n in numbers if place is not None and n is not None)
        return self._cells[slot]
