"""Seeded defects of the argument for any number of threads: each must make a wrong program provable."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import fsoft.parametric.clauses as clauses
import fsoft.parametric.samples as samples
import fsoft.parametric.system as system
from fsoft.parametric import NotCovered
from tests.parametric.programs import NAMED, PLACED, UNLOCKED, proved


def tried(folder: Path, source: str) -> bool:
    try:
        return proved(folder, source)
    except NotCovered:
        return False


@pytest.mark.parametrize(
    ("source", "module", "defect"),
    [(UNLOCKED, clauses, "_own_kind_ignored"), (NAMED, system, "_nobody_is_named"), (PLACED, system, "_position_ignored")],
    ids=["interference of the own kind", "names of other threads", "position of a slot"],
)
def test_a_dropped_rule_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, module: Any, defect: str) -> None:
    monkeypatch.setattr(samples.Machine, "movable", lambda self, v: [0, 1])  # runs must not show what the proof misses
    assert not tried(tmp_path, source)
    monkeypatch.setattr(module, defect, True)
    assert tried(tmp_path, source)
