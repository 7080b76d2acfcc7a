"""The classical lockset discipline, to compare with: a cell of which every access holds one and the same lock needs no context switch.

Accesses of main before any thread exists and after all have ended do not count. Releasing a lock does not conflict with acquiring it
(release is a left mover). One access without the lock anywhere, and the cell is not disciplined (Stoller 2002, Flanagan and Qadeer 2003).
"""

from __future__ import annotations

from fsoft.analysis.actions import members
from fsoft.analysis.sharing import Sharing
from fsoft.por.cells import Where
from fsoft.por.facts import StubbornFacts
from fsoft.por.footprint import Footprint
from fsoft.por.later import NOTHING, Locks
from fsoft.por.patterns import NO_PATTERNS


class Lockset:
    name = "lockset"
    standing = False  # what is kept by a lock throughout is exempt
    weaker = NO_PATTERNS

    def own(self, facts: StubbornFacts, one: Footprint) -> Locks:
        return facts.acquired(one)

    def passing(self, facts: StubbornFacts, one: Footprint) -> Locks:
        return NOTHING

    def exempt(self, facts: StubbornFacts) -> int:
        """Mask of the disciplined cells."""
        running = Sharing(facts.program, facts.ground.points_to).running
        common: dict[int, int] = {}
        for slot, rows in enumerate(facts.prints):
            steps = facts.program.threads[slot].template.steps
            for one in rows:
                if one.possible and (slot or running[steps[one.index].source]):
                    held = self._held(facts, slot, steps[one.index].source)
                    for item in one.items:
                        for cell in members(item.reads | item.writes):
                            common[cell] = common.get(cell, -1) & held
        return sum(1 << cell for cell, locks in common.items() if locks > 0)

    @staticmethod
    def _held(facts: StubbornFacts, slot: int, location: int) -> int:
        """Mask of the reliable locks with a constant address that the slot certainly holds."""
        known = facts.held[slot].at[location]
        mask = 0
        for address in known.held if known is not None else ():
            if address.is_const:
                mask |= facts.ground.at(Where("load", 1), address.value)[0] & facts.locks
        return mask


LOCKSET = Lockset()
