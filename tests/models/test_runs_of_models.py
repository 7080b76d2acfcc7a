"""The rows about runs: enough of them, of both kinds, and engines on circuits agree with them."""

from __future__ import annotations

from tests.models.agree import ask
from tests.models.table import RUNS, rows


def test_there_are_enough() -> None:
    found = [row for row in rows() if row.prop in RUNS]
    assert len(found) >= 40
    assert {(row.prop, row.verdict) for row in found} >= {(p, v) for p in RUNS for v in ("TRUE", f"FALSE({p})")}
    assert {row.fairness for row in found} >= {"", "weak", "strong"}


def test_fair_cycles_agree() -> None:
    chosen = [row for row in rows() if row.program in ("ltl/lights.c", "ltl/server.c", "ltl/assumptions.c")]
    outcomes = [ask(row, timeout=30, engine="bdd") for row in chosen]
    assert [str(o) for o in outcomes if o.wrong] == []
    assert sum(o.decided for o in outcomes) >= 0.8 * len(outcomes)
