"""The engine `explicit`: every reachable state, one by one. This is its entry with its options; what it needs is imported when it is asked
to work.

`engine.py` is the engine and `explore`, which asks about any properties; `search.py` the search; `hunter.py` its guided runs; `collapse.py`
states in few bytes; `product.py` the search for runs that violate a formula; `certificate.py` proves with a certificate, from all states
(`reachable.py`) as a formula (`state_set.py`). What a reduction tells the search is `fsoft/program/choice.py`; a run that was found is
judged in `fsoft/properties/confirmation.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsoft.checkers.registry import ANYTHING, Engine, Progress
from fsoft.option import option
from fsoft.program.program import Program
from fsoft.program.verdict import Verdict

if TYPE_CHECKING:
    from fsoft.transactions import Reduction


@dataclass(frozen=True, slots=True)
class Explicit:
    """The search behind the common interface."""

    seed: int = option(0, "a different order among equals (0: as written)", metavar="N")
    jobs: int = option(0, "cores for the compiled search (0: all)", metavar="N")
    certify: bool = option(False, "a certificate for TRUE, made of all states; proofs of other engines are certified in any case")

    def check(self, program: Program, progress: Progress, *, timeout: float | None = None, reduction: Reduction | None = None) -> Verdict:
        from fsoft.checkers.explicit.engine import answered  # the search takes a while to import, here and below

        verdict = answered(program, progress, self.seed, timeout, reduction, self.jobs)
        if self.certify:
            from fsoft.checkers.explicit.certificate import with_certificate  # with SAT solvers: only with --certify

            return with_certificate(program, verdict)
        return verdict


ENGINE = Engine(
    name="explicit",
    summary="explores every state, breadth first; a counterexample found so is a shortest one",
    properties=ANYTHING,
    proves=True,
    refutes=True,
    maker=Explicit,
    reduces=True,
)
