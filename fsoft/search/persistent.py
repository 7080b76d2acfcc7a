"""Persistent sets on a path: the stubborn sets of `fsoft.por`, where the words that they depend on are constants."""

from __future__ import annotations

from collections.abc import Sequence, Set

from fsoft.bounded.outcomes import EntryTerms, Executed, Executor
from fsoft.por.facts import StubbornFacts
from fsoft.por.patterns import NO_PATTERNS
from fsoft.por.stubborn import Stubborn
from fsoft.program.choice import Ready, Strayed
from fsoft.program.state import OVER


class Persistent:
    """`select` is for one node. A step that touches what the facts do not foresee raises Strayed: then nothing may be left out."""

    def __init__(self, executor: Executor):
        self.executor = executor
        self.stubborn = Stubborn(StubbornFacts(executor.program, NO_PATTERNS))

    def select(self, values: EntryTerms, executed: dict[int, list[Executed]], enabled: Sequence[int], unsure: Set[int]) -> list[int] | None:
        """Slots that are enough; None where it takes all of them, or where a word that matters is not known. Of slots that are `unsure`
        the path does not say whether they can move: who needs one of them needs everybody."""
        state = [value.value if value.is_const else None for value in values]
        if self._perhaps_created(state):
            return None
        for found in executed.values():
            for one in found:
                self._watch(one)
        ready = {slot: [self._ready(slot, k, executed[slot], slot in unsure) for k in self._from(values, slot)] for slot in executed}
        try:
            return self.stubborn.select(state, ready, list(enabled))
        except TypeError:  # a word is no number
            return None

    def _from(self, values: EntryTerms, slot: int) -> list[int]:
        return self.executor.out[slot][self.executor.location(values, slot)]

    def _perhaps_created(self, state: Sequence[int | None]) -> bool:
        """Whether some slot has been created depends on values that are not known."""
        pcs, states = self.stubborn.layout.pc, self.stubborn.facts.descriptors.state
        return any(entry >= 0 and state[entry] is None and state[pc] == 0 for pc, entry in zip(pcs, states, strict=True))

    def _ready(self, slot: int, index: int, executed: list[Executed], unsure: bool) -> Ready:
        one = next((found for found in executed if found.index == index), None)
        over = one is not None and (unsure or any(OVER in outcome.writes for outcome in one.outcomes))
        spurious = any(tag.kind == "spurious" for tag in self.executor.step(slot, index).tags)
        return Ready(index, one is not None, over, spurious)

    def _watch(self, one: Executed) -> None:
        prints = self.stubborn.facts.prints[one.slot][one.index]
        reads, writes = prints.full
        lives = self.stubborn.facts.ground.lives
        for entries, allowed in ((one.reads, reads | writes | lives), (one.writes - {OVER}, writes | lives)):
            if any(not allowed >> entry & 1 for entry in entries):
                raise Strayed
