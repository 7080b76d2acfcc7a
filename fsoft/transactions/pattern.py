"""Lock-acquisition patterns: a touch does not count if every way to it acquires a lock that the other thread holds now.

The F-Soft paper's `touch_now_later_LS`. `por/later.py` carries with every access the sets of locks acquired on the ways to it; here is what
counts as acquired: the reliable locks of each step, for the step's own accesses and for everything behind it. (The step that acquires is
itself disabled while another thread holds the lock, so releasing never conflicts with acquiring.) What is under one lock throughout, while
threads run, is exempt as for locksets, which are a special case.
"""

from __future__ import annotations

from fsoft.por.facts import StubbornFacts
from fsoft.por.footprint import Footprint
from fsoft.por.later import Locks
from fsoft.transactions.lockset import LOCKSET


class LockPattern:
    name = "lock-pattern"
    standing = True
    weaker = LOCKSET

    def own(self, facts: StubbornFacts, one: Footprint) -> Locks:
        return facts.acquired(one)

    def passing(self, facts: StubbornFacts, one: Footprint) -> Locks:
        return facts.acquired(one)

    def exempt(self, facts: StubbornFacts) -> int:
        return LOCKSET.exempt(facts)


LOCK_PATTERN = LockPattern()
