"""From C files to Programs and verdicts, as the commands do it."""

from __future__ import annotations

from pathlib import Path

import pytest

import fsoft
from fsoft.ask.load import Options, Source, check, load, stages
from fsoft.frontend.source import InputError

TEXT = """#include <pthread.h>
int x;
void *f(void *p) { x = x + STEP; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x = x + 1; pthread_join(t, 0); return 0; }
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "prog.c").write_text(TEXT)
    return str(tmp_path / "prog.c")


def test_load_tells_of_every_stage(file: str) -> None:
    heard: list[str] = []
    program = load([file], define=["STEP=1"], after=lambda name, _: heard.append(name))
    assert heard == stages()
    assert [thread.name for thread in program.threads] == ["main", "f"]


def test_both_data_models(file: str) -> None:
    assert [load([file], define=["STEP=1"], bits=bits).word for bits in (32, 64)] == [32, 64]


def test_without_folding_there_are_more_steps(file: str) -> None:
    def steps(fold: bool) -> int:
        program = load([file], Options(fold=fold), define=["STEP=1"])
        return sum(len(t.steps) for t in program.templates())

    assert steps(False) > steps(True)


def test_check(file: str) -> None:
    source = Source(file, define=("STEP=2",))
    assert check([source]).kind == "TRUE"
    verdict = check([source], Options(checks=frozenset({"no-data-race"})))
    assert verdict.last_line() == "FALSE(no-data-race)" and verdict.trace


def test_errors_are_input_errors(file: str) -> None:
    with pytest.raises(InputError, match="STEP"):
        load([file])


def test_unknown_attribute() -> None:
    with pytest.raises(AttributeError):
        fsoft.nothing  # noqa: B018
