"""Seeded defects of the argument for any number of threads: each must make a wrong program provable."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fsoft.parametric import NotCovered
from fsoft.program.interpreter import Machine
from tests.parametric import mutants
from tests.parametric.programs import NAMED, PLACED, UNLOCKED, proved

Mutant = Callable[[pytest.MonkeyPatch], None]


def tried(folder: Path, source: str) -> bool:
    try:
        return proved(folder, source)
    except NotCovered:
        return False


@pytest.mark.parametrize(
    ("source", "mutant"),
    [(UNLOCKED, mutants.own_kind_ignored), (NAMED, mutants.nobody_is_named), (PLACED, mutants.position_ignored)],
    ids=["interference of the own kind", "names of other threads", "position of a slot"],
)
def test_a_dropped_rule_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, mutant: Callable[[pytest.MonkeyPatch], None]
) -> None:
    monkeypatch.setattr(Machine, "movable", lambda self, v: [0, 1])  # runs must not show what the proof misses
    assert not tried(tmp_path, source)
    mutant(monkeypatch)
    assert tried(tmp_path, source)
