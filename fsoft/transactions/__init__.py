"""Transactions: locks make stubborn sets smaller (F-Soft sections 3 and 4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsoft.circuit.encode.encoding import ProgramCircuit, Restrict, encode
from fsoft.circuit.encode.scheduler import FreeScheduler, Scheduler
from fsoft.por.facts import StubbornFacts
from fsoft.por.order import ORDERS, ordered
from fsoft.por.patterns import NO_PATTERNS, Patterns
from fsoft.por.stubborn import Stubborn
from fsoft.por.terms import StubbornTerms
from fsoft.program.program import Program
from fsoft.transactions.lockset import LOCKSET
from fsoft.transactions.merge import in_steps, merged
from fsoft.transactions.pattern import LOCK_PATTERN

if TYPE_CHECKING:
    from fsoft.por.visible import AtomReads

KINDS: dict[str, Patterns] = {"lock-pattern": LOCK_PATTERN, "lockset": LOCKSET, "none": NO_PATTERNS}
"""The values of --transactions."""


def patterns(kind: str) -> Patterns:
    return KINDS[kind]


@dataclass(frozen=True)
class Reduction:
    """What --por and --transactions ask for. `seen`, where it is given, is what a property of runs looks at. `merge`: in circuits
    transactions become single steps (`merge.py`)."""

    por: str = "none"
    transactions: str = "none"
    merge: bool = True

    def __str__(self) -> str:
        return self.por if self.transactions == "none" else f"{self.por}, {self.transactions} transactions"

    def kept(self, program: Program, scheduler: Scheduler | None = None) -> Reduction:
        """The reduction, where it keeps verdicts about states: not if a scheduler counts moves or the end of the whole run is looked at."""
        counts = scheduler is not None and not isinstance(scheduler, FreeScheduler)
        return NO_REDUCTION if counts or "valid-memtrack" in program.checks else self

    def facts(self, program: Program, seen: AtomReads | None = None) -> StubbornFacts:
        return StubbornFacts(program, patterns(self.transactions), seen)

    def choice(self, program: Program, seen: AtomReads | None = None) -> Stubborn | None:
        """For the explorer, which has stubborn sets only."""
        if self.por in ORDERS:
            raise ValueError(f"the explorer has no {self.por} reduction")
        if self.kept(program).por == "none" or len(program.threads) < 2:
            return None
        return Stubborn(self.facts(program, seen))

    def circuit(self, program: Program, scheduler: Scheduler | None = None, arrays: int = 0) -> ProgramCircuit:
        """The circuit of the program under this reduction. Its runs are those of `merged(program)`; `in_steps` takes them back."""
        reduction = self.kept(program, scheduler)
        joined = reduction.merged(program)
        return encode(joined, scheduler, arrays, reduction.restrict(joined))

    def merged(self, program: Program) -> Program:
        """The program with transactions as single steps, where these are asked for and the properties allow it: not where accesses are
        compared by their order (c11)."""
        wanted = self.merge and self.por == "cstub" and self.transactions != "none" and len(program.threads) > 1
        ordered_races = program.race_model == "c11" and "no-data-race" in program.checks
        if not wanted or ordered_races or self.kept(program) is not self:
            return program
        return merged(self.facts(program))

    def restrict(self, program: Program, seen: AtomReads | None = None) -> Restrict | None:
        """For circuits."""
        if self.por == "none" or len(program.threads) < 2:
            return None
        if self.por in ORDERS:
            if seen is not None:
                raise ValueError(f"{self.por} reduction is for properties of states")
            return ordered(self.por, program)
        facts = self.facts(program, seen)
        return lambda moves: StubbornTerms(facts, moves).allowed()


NO_REDUCTION = Reduction()

__all__ = ["KINDS", "NO_REDUCTION", "ORDERS", "Reduction", "in_steps", "patterns"]
