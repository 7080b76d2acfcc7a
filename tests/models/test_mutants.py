"""Seeded defects: each must make some row of the table come out wrong, or the table would not notice the real one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

import fsoft.properties.deadlocks as deadlock
from fsoft.ask.load import load
from fsoft.checkers.explicit.engine import explore
from fsoft.program.interpreter import Machine
from fsoft.program.options import Options
from fsoft.program.program import Step
from fsoft.program.verdict import Limits
from tests.models.table import Row, rows
from tests.passes.mutants import assume_in_guard

LIMITS = Limits(seconds=20)


def wrong(chosen: list[Row]) -> list[str]:
    """Rows whose verdict is decided and not the expected one."""
    out = []
    for row in chosen:
        program = load([str(row.path)], replace(Options(), checks=frozenset({row.prop})), bits=row.bits, define=row.defines)
        verdict = explore(program, limits=LIMITS).last_line()
        if verdict not in (row.verdict, "UNKNOWN"):
            out.append(row.name)
    return out


def of(prefix: str, prop: str) -> list[Row]:
    found = [r for r in rows() if r.program.startswith(prefix) and r.prop == prop and not r.options]
    assert found, f"no rows under {prefix}"
    return found


def test_a_spurious_wake_up_that_counts_as_progress_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = of("sync/lost_wakeup", "no-deadlock")
    assert wrong(chosen) == []
    original = deadlock.has_tag

    def blind(step: Step, kind: str) -> bool:
        return kind != "spurious" and original(step, kind)

    monkeypatch.setattr(deadlock, "has_tag", blind)
    assert wrong(chosen)


def test_an_assume_folded_into_a_guard_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = of("probes/fold_assume", "unreach-call")
    assert wrong(chosen) == []
    assume_in_guard(monkeypatch)
    assert wrong(chosen)


def test_eager_halting_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = of("probes/halt", "unreach-call")
    assert wrong(chosen) == []
    original = Machine.holder

    def eager(self: Machine, v: Sequence[Any]) -> int | None:
        """As soon as one thread stops, only that one may move: the process ends for everybody."""
        stopped = [slot for slot in range(len(self.program.threads)) if self.layout.stopped(v, slot)]
        return stopped[0] if stopped else original(self, v)

    monkeypatch.setattr(Machine, "holder", eager)
    assert wrong(chosen)
