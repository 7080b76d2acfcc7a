"""The engine `parametric` on the programs of `models/` that are right for any number of threads, and on random ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.api import check
from fsoft.cli.main import main
from tests.fuzz.unbounded import campaign
from tests.models.table import Row, rows
from tests.parametric.programs import LOCKED


@pytest.mark.parametrize("row", rows("unbounded.toml"), ids=lambda row: row.name)
def test_models_are_proved(row: Row, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--engine", "parametric", *row.arguments()]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[-1] == row.verdict == "TRUE"
    assert "any number of threads" in out[0] and "certificate checked" in out[0]


@pytest.mark.parametrize("row", [row for row in rows() if row.program.startswith("parametric/")][:2], ids=lambda row: row.name)
def test_wrong_variants_are_not(row: Row, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--engine", "parametric", *row.arguments()]) == 5
    assert capsys.readouterr().out.splitlines()[-1] == "UNKNOWN"


def test_the_python_door(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(LOCKED)
    assert check([str(path)], engine="parametric").kind == "TRUE"
    assert check([str(path)], engine="explicit").kind == "UNKNOWN"


def test_what_is_proved_has_no_violation_with_a_few_threads() -> None:
    tally = campaign(range(6))
    print(tally.line())
    assert tally.wrong == []
    assert tally.proved >= 2 and tally.counted >= 2 and tally.violated >= 2
