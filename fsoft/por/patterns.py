"""How locks count on the way to an access; `transactions/` has the ways, here is the one that ignores them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from fsoft.por.footprint import Footprint
from fsoft.por.later import NOTHING, Locks

if TYPE_CHECKING:
    from fsoft.por.facts import StubbornFacts


class Patterns(Protocol):
    """`standing`: locks that a thread certainly holds where it makes an access count for that access, too. `weaker`: others that rule out
    less, in every state (None: nothing does)."""

    name: str
    standing: bool

    @property
    def weaker(self) -> Patterns | None: ...

    def own(self, facts: StubbornFacts, one: Footprint) -> Locks:
        """The locks that must be free for the accesses of a step."""

    def passing(self, facts: StubbornFacts, one: Footprint) -> Locks:
        """The locks that must be free for what comes after a step."""

    def exempt(self, facts: StubbornFacts) -> int:
        """Entries whose touches never count."""


class NoPatterns:
    name = "none"
    standing = False
    weaker = None

    def own(self, facts: StubbornFacts, one: Footprint) -> Locks:
        return NOTHING

    def passing(self, facts: StubbornFacts, one: Footprint) -> Locks:
        return NOTHING

    def exempt(self, facts: StubbornFacts) -> int:
        return 0


NO_PATTERNS = NoPatterns()
