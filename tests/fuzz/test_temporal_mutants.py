"""Seeded defects: each of them must be caught by what CI runs, by a case about one rule or by a few random pairs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fsoft.analysis import sharing
from fsoft.circuit.encode import live
from fsoft.passes import fold
from fsoft.program.expr import TRUE
from fsoft.program.program import Program
from fsoft.properties import ltl
from tests.fuzz.temporal import Way, campaign, circuit
from tests.properties.ltl.test_runs import CASES, ask


def caught(seeds: range, engines: dict[str, Way] | None = None) -> bool:
    """Whether some seed gives a contradiction, or a counterexample that does not replay."""
    from fsoft.program.verdict import InternalError

    for seed in seeds:
        try:
            if campaign(iter([seed]), engines or {}).wrong:
                return True
        except InternalError:
            return True
    return False


def cases_catch(folder: Path) -> bool:
    """Whether one of the cases about single rules gets a wrong verdict."""
    return any(ask(folder, formula, thread, main, fairness).verdict.kind != right for formula, thread, main, fairness, right in CASES)


def test_folding_that_does_not_see_the_observer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The visibility rule of LTL dropped: steps that only the formula can see are folded."""

    class Blind(sharing.Sharing):
        def __init__(self, program: Program, *rest: Any):
            super().__init__(replace(program, threads=program.threads[:-1]), *rest)

    monkeypatch.setattr(fold, "Sharing", Blind)
    assert cases_catch(tmp_path)


def test_a_stop_in_one_step_with_an_access(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The end of the process swallows the steps that others could take before it."""
    plain = fold.Fold.apply
    monkeypatch.setattr(fold.Fold, "apply", lambda self, program: plain(replace(self, stops=False), program))
    assert cases_catch(tmp_path)


def test_executions_may_idle_in_the_circuit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live.Scene, "legal", lambda self: TRUE)
    assert caught(range(0, 12), {"bdd": circuit("bdd", 10)})


def test_eventualities_without_justice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Promises that are put off for ever."""
    plain = ltl.tableau

    def lax(formula: Any) -> Any:
        made = plain(formula)
        made.justice.clear()
        return made

    monkeypatch.setattr(ltl, "tableau", lax)
    assert caught(range(0, 30))
