"""Proofs for any number of threads: thread-modular invariants about two threads at a time (docs/parametric.md)."""

from fsoft.parametric.arrays import summarised
from fsoft.parametric.certificate import refuted
from fsoft.parametric.clauses import Clause, text_of
from fsoft.parametric.proving import Failed, Proof, prove
from fsoft.parametric.system import NotCovered, System, system_of

__all__ = ["Clause", "Failed", "NotCovered", "Proof", "System", "prove", "refuted", "summarised", "system_of", "text_of"]
