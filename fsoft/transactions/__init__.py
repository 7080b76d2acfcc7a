"""Transactions: locks make stubborn sets smaller (F-Soft sections 3 and 4.2)."""

from __future__ import annotations

from dataclasses import dataclass

from fsoft.circuit.encode import Restrict
from fsoft.por.explicit import Stubborn
from fsoft.por.facts import Facts
from fsoft.por.order import ORDERS, ordered
from fsoft.por.patterns import NO_PATTERNS, Patterns
from fsoft.por.terms import StubbornTerms
from fsoft.program.explorer import Choice
from fsoft.program.program import Program
from fsoft.transactions.lockset import LOCKSET
from fsoft.transactions.pattern import LOCK_PATTERN

KINDS: dict[str, Patterns] = {"lock-pattern": LOCK_PATTERN, "lockset": LOCKSET, "none": NO_PATTERNS}
"""The values of --transactions."""


def patterns(kind: str) -> Patterns:
    return KINDS[kind]


@dataclass(frozen=True)
class Reduction:
    """What --por and --transactions ask for."""

    por: str = "none"
    transactions: str = "none"

    def __str__(self) -> str:
        return self.por if self.transactions == "none" else f"{self.por}, {self.transactions} transactions"

    def facts(self, program: Program) -> Facts:
        return Facts(program, patterns(self.transactions))

    def choice(self, program: Program) -> Choice | None:
        """For the explorer, which has stubborn sets only."""
        if self.por in ORDERS:
            raise ValueError(f"the explorer has no {self.por} reduction")
        return None if self.por == "none" or len(program.threads) < 2 else Stubborn(self.facts(program))

    def restrict(self, program: Program) -> Restrict | None:
        """For circuits."""
        if self.por == "none" or len(program.threads) < 2:
            return None
        if self.por in ORDERS:
            return ordered(self.por, program)
        facts = self.facts(program)
        return lambda moves: StubbornTerms(facts, moves).allowed()


NO_REDUCTION = Reduction()

__all__ = ["KINDS", "NO_REDUCTION", "ORDERS", "Reduction", "patterns"]
