"""Partial-order reduction by conditional stubborn sets: what is touched, conflicts, closure, who is enough to be scheduled."""

from fsoft.por.explicit import Stubborn
from fsoft.por.facts import Facts

__all__ = ["Facts", "Stubborn"]
