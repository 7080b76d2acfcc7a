"""Properties of whole states as bads of the circuit: races, deadlocks, leaks."""

from __future__ import annotations

from fsoft.circuit.encode.deadlocks import deadlock
from fsoft.circuit.encode.leaks import leak, leak_at_end
from fsoft.circuit.encode.pending import PendingSteps
from fsoft.circuit.encode.races import race
from fsoft.circuit.encode.steps import Inputs
from fsoft.circuit.model import Model
from fsoft.program.expr import FALSE, Expr, disj

OF_STATES = frozenset({"no-data-race", "no-deadlock", "valid-memtrack"})
BEFORE = frozenset({"no-data-race", "no-deadlock"})
"""Their bads speak of the state before the last step of a run that shows them."""


def add_state_properties(model: Model, pending: PendingSteps) -> None:
    """The bads of those that are on, and the bounds where the circuit cannot tell."""
    checks = pending.program.checks
    if "no-data-race" in checks:
        others = Inputs("other")
        model.bad["no-data-race"] = race(pending, others)
        model.inputs.update(sorted(others.widths.items()))
    if "no-deadlock" in checks:
        model.bad["no-deadlock"], bounds = deadlock(pending)
        _join(model, bounds)
    if "valid-memtrack" in checks:
        bad, bounds = leak(pending)
        for one in pending.steps:
            bad = disj(bad, leak_at_end(pending, one))
        model.bad["valid-memtrack"] = bad
        _join(model, bounds)


def _join(model: Model, bounds: dict[str, Expr]) -> None:
    for name, term in bounds.items():
        model.bounds[name] = disj(model.bounds.get(name, FALSE), term)
