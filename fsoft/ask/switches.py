"""The fewest switches between threads that a violation needs: a second query about a run that a bounded encoding has found.

A run with n switches has n + 1 contexts, and `tcbmc` in free order finds exactly the violations within so many contexts
(`bounded/contexts.py`). So the run is simplified first (`trace/shorten.py`), and then the formula is asked for one with a context less,
until there is none: then no run through these loops has fewer switches.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from fsoft.ask.models import ask
from fsoft.bounded.home import choices
from fsoft.bounded.tcbmc import TcbmcBounds, tcbmc
from fsoft.circuit.model.verdict import Proved, Unknown, Violated
from fsoft.passes.unwind import Unwound
from fsoft.program.program import Program
from fsoft.program.verdict import Move, Verdict
from fsoft.properties.confirmation import confirm_run
from fsoft.trace.shorten import shortened, switches

ENGINE = "sat"


def fewest_switches(
    program: Program, unwound: Unwound, verdict: Verdict, seconds: float, say: Callable[[str], None] = lambda _line: None
) -> Verdict:
    """The FALSE with a simpler run to a violation of the same property. Queries begin within so many seconds, and get what is left."""
    end, best = time.monotonic() + seconds, shortened(program, verdict)
    while best.kind == "FALSE" and (count := switches(best.trace)) and time.monotonic() < end:
        found = _within(unwound, best.prop, count, end - time.monotonic())
        if not isinstance(found, tuple):
            say(f"{count} switches{': no run has fewer' if isinstance(found, Proved) else ''}")
            break
        fewer = confirm_run(program, unwound.home(found[0], best.prop), best.prop, best.stats, found[1])
        best = min((one for one in (shortened(program, fewer), fewer, best) if one.kind == "FALSE"), key=lambda one: switches(one.trace))
        if switches(best.trace) == count:
            break
    return best


def _within(unwound: Unwound, prop: str, contexts: int, seconds: float) -> tuple[list[Move], list[tuple[int, int]]] | Proved | Unknown:
    """The moves of a run to a violation within so many contexts, and its choices; or the answer that is none."""
    formula = tcbmc(unwound, TcbmcBounds(contexts=contexts, order="free"))
    formula.model.bad = {prop: formula.model.bad[prop]}
    formula.model.bounds = {}
    found = ask(formula.model, ENGINE, lambda _depth: None, max(0.1, seconds), {})
    if not isinstance(found, Violated):
        return found
    inputs = found.stimulus.inputs[-1]
    return formula.run(inputs, prop), choices(inputs, formula.model.inputs)


__all__ = ["fewest_switches"]
