"""Seeded defects of the reduction: each must make a program come out wrong that is right without the defect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import fsoft.por.facts as facts
import fsoft.por.stubborn as stubborn
from fsoft.ask.circuits import decide
from fsoft.ask.load import load
from fsoft.checkers.explicit.engine import explore
from fsoft.program.options import Options
from fsoft.transactions import Reduction
from tests.por import defects, mutants

Mutant = Callable[[pytest.MonkeyPatch], None]

WITH_LOCKS = Reduction("cstub", "lock-pattern")
FALSE = "FALSE(unreach-call)"


def verdicts(folder: Path, text: str, circuit: bool = True, prop: str = "unreach-call") -> set[str]:
    """What the reduced explorer and the reduced circuit say."""
    path = folder / "p.c"
    path.write_text(text)
    program = load([str(path)], Options(checks=frozenset({prop})))
    found = {explore(program, choice=WITH_LOCKS.choice(program)).last_line()}
    if circuit:
        found.add(decide(program, "bmc", reduction=WITH_LOCKS, depth=26).last_line())
    return found


@pytest.mark.parametrize(
    ("text", "mutant"),
    [
        (defects.STICKY, mutants.none_sticky),
        (defects.DISABLED, mutants.blocked_for_ever),
        (defects.CREATOR, mutants.creators_ignored),
        (defects.ENTRY, mutants.entry_ignored),
        (defects.TRYLOCK, mutants.try_acquires),
    ],
    ids=["sticky", "disabled", "creator", "atomic entry", "trylock"],
)
def test_a_dropped_rule_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, mutant: Mutant) -> None:
    assert verdicts(tmp_path, text) == {FALSE}
    mutant(monkeypatch)
    assert FALSE not in verdicts(tmp_path, text)


def test_a_bit_that_others_set_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert verdicts(tmp_path, defects.OWN_BIT, prop="no-deadlock") == {"FALSE(no-deadlock)"}
    mutants.setters_ignored(monkeypatch)
    assert "FALSE(no-deadlock)" not in verdicts(tmp_path, defects.OWN_BIT, prop="no-deadlock")


def test_a_reader_that_keeps_readers_out_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that holds the lock for reading is taken for its holder (the cell of the readers follows that of the writer)."""
    assert verdicts(tmp_path, defects.READERS) == {FALSE}
    path = tmp_path / "p.c"
    layout = facts.StubbornFacts(load([str(path)], Options())).layout
    place = next(p for p in layout.places if p is not None and p.object.name == "rw")
    names = {place.cells.name(cell.number): place.base + cell.number for cell in place.cells}
    writer = next(index for name, index in names.items() if "writer" in name or name.endswith("rw"))
    readers = next(index for name, index in names.items() if "readers" in name)

    def holds(v: Sequence[Any], lock: int, number: int) -> bool:
        return bool(v[lock] == number or (lock == writer and v[readers] >> (number - 1) & 1))

    def reliable(*_: object) -> int:
        return 1 << writer

    monkeypatch.setattr(stubborn, "holds", holds)
    monkeypatch.setattr(facts, "reliable_cells", reliable)
    assert FALSE not in verdicts(tmp_path, defects.READERS, circuit=False)
