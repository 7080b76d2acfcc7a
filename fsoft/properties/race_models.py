"""What counts as a data race: `svcomp` or `c11`.

In the model of SV-COMP two conflicting accesses that are pending together race (`races.py`). In C11 two conflicting accesses race
if neither happens before the other. As long as all atomic operations are sequentially consistent that is the same: a program with a
race has an interleaving in which the two accesses are next to each other. A weaker operation orders less. So a race of the first
model is always one of the second, but the absence of races carries over only if no weaker order is used.
"""

from __future__ import annotations

from fsoft.program.options import WEAKER_ORDER
from fsoft.program.program import Program
from fsoft.program.verdict import Verdict

RACE_MODELS = ("svcomp", "c11")


def under_race_model(program: Program, verdict: Verdict, model: str) -> Verdict:
    """A verdict on `program.checks` under a race model, given that of the model of SV-COMP."""
    if model != "c11" or verdict.kind != "TRUE" or "no-data-race" not in program.checks or WEAKER_ORDER not in program.notes:
        return verdict
    why = "race model c11: an atomic operation weaker than seq_cst may leave accesses unordered (svcomp: no race)"
    return Verdict("UNKNOWN", verdict.prop, [*verdict.reasons, why], [], verdict.stats, [why])
