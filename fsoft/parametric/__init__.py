"""Proofs for any number of threads: thread-modular invariants about two threads at a time, and counter abstraction (docs/parametric.md)."""

from fsoft.parametric.arrays import summarised, variants
from fsoft.parametric.certificate import refuted
from fsoft.parametric.clauses import ThreadClause, text_of
from fsoft.parametric.counting import Counted, count
from fsoft.parametric.coverage import uncovered
from fsoft.parametric.proving import NoProof, Proof, prove
from fsoft.parametric.system import NotCovered, System, system_of

__all__ = [
    "ThreadClause",
    "Counted",
    "NoProof",
    "NotCovered",
    "Proof",
    "System",
    "count",
    "prove",
    "refuted",
    "summarised",
    "system_of",
    "text_of",
    "uncovered",
    "variants",
]
