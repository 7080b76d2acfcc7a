"""The table of `models/` is complete and well formed, its programs are clean C, and the explorer gives the expected verdicts."""

from __future__ import annotations

import shutil
import subprocess
from collections import defaultdict

import pytest

from fsoft.checkers.registry import model_engine
from tests.models.agree import ask_all, sample, summary
from tests.models.table import MODELS, PROPERTIES, Row, rows

GCC = ["gcc", "-std=gnu11", "-Wall", "-Wextra", "-pthread", "-fsyntax-only"]
FLOOR = 0.9  # of the rows, in 60 s each
PARTS = 12  # of the table, for several processors
FAMILIES = ("deadlocks/", "races/", "ltl/", "daisy/")


def test_every_row_has_its_program_and_every_program_a_row() -> None:
    named = {row.program for row in rows()}
    there = {path.relative_to(MODELS).as_posix() for path in MODELS.rglob("*.c")}
    assert named == there
    assert len(there) >= 90


def test_no_row_occurs_twice() -> None:
    names = [row.name for row in rows()]
    assert len(names) == len(set(names))


def test_every_property_holds_somewhere_and_fails_somewhere() -> None:
    verdicts = {(row.prop, row.verdict) for row in rows()}
    assert verdicts >= {(name, "TRUE") for name in PROPERTIES} | {(name, f"FALSE({name})") for name in PROPERTIES}
    assert any(row.verdict == "UNKNOWN" for row in rows())


def test_every_program_begins_with_a_comment() -> None:
    assert [row.program for row in rows() if not row.path.read_text().startswith("/* ")] == []


def test_every_define_is_used() -> None:
    unused = [row.name for row in rows() for d in row.defines if d.split("=")[0] not in text_of(row)]
    assert unused == []


def text_of(row: Row) -> str:
    """The program and the headers that stand beside it."""
    return "".join(path.read_text() for path in [row.path, *sorted(row.path.parent.glob("*.h"))])


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
def test_every_variant_compiles_without_warnings() -> None:
    variants: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for row in rows():
        variants[row.program].add(row.defines)
    bad = []
    for program, choices in variants.items():
        for defines in sorted(choices):
            done = subprocess.run([*GCC, *(f"-D{d}" for d in defines), str(MODELS / program)], capture_output=True, text=True)
            if done.returncode or done.stderr:
                bad.append(f"{program} {defines}: {done.stderr}")
    assert bad == []


def chosen() -> list[Row]:
    """Every second row, of the large families every third: `python -m tests.models.agree` asks them all."""
    families = [row for row in rows() if row.program.startswith(FAMILIES)]
    return [row for row in rows() if not row.program.startswith(FAMILIES)][::2] + families[::3]


@pytest.mark.parametrize("part", range(PARTS))
def test_the_explorer_agrees(part: int, capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = list(ask_all(chosen()[part::PARTS], timeout=60, jobs=1))
    with capsys.disabled():
        print(f"\n{summary(outcomes)}")
    assert [str(o) for o in outcomes if o.wrong] == []
    assert sum(o.decided for o in outcomes) >= FLOOR * len(outcomes)


FLOORS = {"pdr": 0.7, "bdd": 0.6, "abc": 0.6, "portfolio": 0.6, "bmc": 0.5, "kinduction": 0.4, "smt": 0.3, "nuxmv": 0.3}
"""What each engine decides at least of the rows of the smallest programs, on a machine that has other things to do."""


@pytest.mark.parametrize("engine", FLOORS)
def test_every_engine_on_circuits_agrees(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    """All rows: `python -m tests.models.agree --engine all`."""
    missing = model_engine(engine).missing()
    if missing:
        pytest.skip(missing)
    outcomes = list(ask_all(sample(engine, 12), timeout=4, jobs=1, engine=engine))
    with capsys.disabled():
        print(f"\n{summary(outcomes, engine)}")
    assert [str(o) for o in outcomes if o.wrong] == []
    assert sum(o.decided for o in outcomes) >= FLOORS[engine] * len(outcomes)
