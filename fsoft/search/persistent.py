"""Persistent sets on a path: the stubborn sets of `fsoft.por`, where the words that they depend on are constants."""

from __future__ import annotations

from collections.abc import Sequence

from fsoft.bounded.outcomes import Executed, Executor, Values
from fsoft.por.explicit import Stubborn
from fsoft.por.facts import Facts
from fsoft.por.patterns import NO_PATTERNS
from fsoft.program.explorer import Ready, Strayed
from fsoft.program.state import OVER


class Persistent:
    """`select` is for one node. A step that touches what the facts do not foresee raises Strayed: then nothing may be left out."""

    def __init__(self, executor: Executor):
        self.executor = executor
        self.stubborn = Stubborn(Facts(executor.program, NO_PATTERNS))

    def select(self, values: Values, executed: dict[int, list[Executed]], enabled: Sequence[int]) -> list[int] | None:
        """Slots that are enough; None where it takes all of them, or where a word that matters is not known."""
        state = [value.data if value.op == "const" else None for value in values]
        for found in executed.values():
            for one in found:
                self._watch(one)
        ready = {slot: [self._ready(slot, one, executed[slot]) for one in self._from(values, slot)] for slot in executed}
        try:
            return self.stubborn.select(state, ready, list(enabled))
        except TypeError:  # a word is no number
            return None

    def _from(self, values: Values, slot: int) -> list[int]:
        return self.executor.out[slot][self.executor.location(values, slot)]

    def _ready(self, slot: int, index: int, executed: list[Executed]) -> Ready:
        one = next((found for found in executed if found.index == index), None)
        over = one is not None and any(OVER in outcome.writes for outcome in one.outcomes)
        spurious = any(tag.kind == "spurious" for tag in self.executor.step(slot, index).tags)
        return Ready(index, one is not None, over, spurious)

    def _watch(self, one: Executed) -> None:
        prints = self.stubborn.facts.prints[one.slot][one.index]
        reads, writes = prints.full
        lives = self.stubborn.facts.ground.lives
        for entries, allowed in ((one.reads, reads | writes | lives), (one.writes - {OVER}, writes | lives)):
            if any(not allowed >> entry & 1 for entry in entries):
                raise Strayed
