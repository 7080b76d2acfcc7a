"""The engine `parametric` on the programs of `models/` that are right for any number of threads, and on random ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.ask.load import check, load
from fsoft.checkers.parametric import Parametric
from fsoft.checkers.registry import Unanswered, engine
from fsoft.cli.main import main
from fsoft.program.options import Options
from tests.fuzz.unbounded import campaign
from tests.models.table import Row, rows
from tests.parametric.programs import LOCKED, UNLOCKED


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


@pytest.mark.parametrize("asked", ["no-deadlock", "valid-memtrack"])
def test_no_door_asks_about_whole_states(tmp_path: Path, asked: str) -> None:
    path = tmp_path / "p.c"
    path.write_text(UNLOCKED)
    program = load([str(path)], Options(checks=frozenset({asked}), unbounded=True))
    with pytest.raises(Unanswered, match=f"parametric does not answer {asked}"):
        check([str(path)], Options(checks=frozenset({asked})), engine="parametric")
    for ask in (engine("parametric").check, Parametric().check):
        with pytest.raises(Unanswered):
            ask(program, lambda _stats: None)
    with pytest.raises(Unanswered, match="explicit does not answer for any number of threads"):
        engine("explicit").check(program, lambda _stats: None)


def test_options_that_an_engine_does_not_have(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(LOCKED)
    program = load([str(path)])
    for name, option in (("values", "reduction"), ("lock-order", "seed"), ("explicit", "depth"), ("parametric", "reduction")):
        with pytest.raises(Unanswered, match=f"{name} has no option '{option}'"):
            engine(name).check(program, lambda _stats: None, **{option: 3})


def test_an_error_of_many_rounds_is_not_proved_away(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text("#include <assert.h>\nint main(void) { int n = 0, a = 0; while (1) { n++; if (n == 100000) a = 1; assert(!a); } }\n")
    verdict = check([str(path)], engine="parametric")
    assert verdict.kind == "UNKNOWN" and "no invariant" in verdict.reasons[0]


def test_what_is_proved_has_no_violation_with_a_few_threads() -> None:
    tally = campaign(range(6))
    print(tally.line())
    assert tally.wrong == []
    assert tally.proved >= 2 and tally.counted >= 2 and tally.violated >= 2
