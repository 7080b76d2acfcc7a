"""From a system to a proof: samples, candidates, inference; with a richer language where the first does not suffice."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from fsoft.parametric.candidates import Candidates, Effort
from fsoft.parametric.clauses import ThreadClause
from fsoft.parametric.infer import Inference, Stuck
from fsoft.parametric.samples import RunSampler
from fsoft.parametric.system import System
from fsoft.program.verdict import CountProgress

EFFORTS = (Effort(), Effort(), Effort(values=3, values_of_two=3, guarded_pairs=True))
STATES = 20_000
_LENGTH = 150
_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Proof:
    """Clauses that `certificate.refuted` should accept."""

    clauses: tuple[ThreadClause, ...]


@dataclass(frozen=True, slots=True)
class NoProof:
    """No proof was found; `why` is a line for a person. `wrong`: there is none, a run violates a property."""

    why: str
    wrong: bool = False


def prove(
    system: System,
    deadline: float,
    seed: int = 0,
    hear: CountProgress = lambda _states: None,
    states: int = STATES,
    efforts: Sequence[Effort] = EFFORTS,
) -> Proof | NoProof:
    """A proof that no move is bad, for any number of threads of the unbounded kinds. SolverTimeout past the deadline."""
    samples = RunSampler(system, seed + 1).run(states, _LENGTH, min(_SECONDS, deadline - time.monotonic()))
    hear(samples.states)
    if samples.violated is not None:
        violation = samples.violated
        why = f"a run violates {violation.prop} at {violation.loc}: {violation.message} (--engine explicit shows such a run)"
        return NoProof(why, wrong=True)
    stuck: Stuck | None = None
    dropped: list[ThreadClause] = []
    for effort in efforts:
        candidates = Candidates(system, samples, effort, dropped)
        inference = Inference(system, candidates.clauses() + candidates.unseen(), deadline)
        found = inference.prove()
        if not isinstance(found, Stuck):
            return Proof(tuple(found))
        stuck, dropped = found, dropped + inference.dropped()
    assert stuck is not None
    return NoProof(stuck.why)


__all__ = ["EFFORTS", "NoProof", "Proof", "prove"]
