"""`--por` and `--transactions` on the command line: verdicts, files, refusals."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fsoft.cli.main import main

LOCKED = """#include <assert.h>
#include <pthread.h>
int x;
pthread_mutex_t m[2];
void *f(void *a) { int i = (int)(long)a; pthread_mutex_lock(&m[i]); x = x + 1; pthread_mutex_unlock(&m[i]); return 0; }
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, f, (void *)0);
  pthread_create(&u, 0, f, (void *)LOCK);
  pthread_join(t, 0);
  pthread_join(u, 0);
  assert(x == 2);
  return 0;
}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "same.c").write_text(LOCKED.replace("LOCK", "0"))
    (tmp_path / "other.c").write_text(LOCKED.replace("LOCK", "1"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fsoft(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str], list[str]]:
    code = main(list(arguments))
    out = capsys.readouterr()
    return code, out.out.splitlines(), out.err.splitlines()


@pytest.mark.parametrize("engine", ["explicit", "bmc"])
@pytest.mark.parametrize("kind", ["lock-pattern", "lockset", "none"])
def test_verdicts(engine: str, kind: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--engine", engine, "--por", "cstub", "--transactions", kind]
    code, out, _ = fsoft(capsys, "check", "same.c", *options)
    assert (code, out[-1]) == (0, "TRUE")
    assert any(line.startswith("relies on: cstub") for line in out)
    code, out, _ = fsoft(capsys, "check", "other.c", *options)
    assert (code, out[-1]) == (10, "FALSE(unreach-call)")


def test_a_proof_says_what_it_relies_on(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = fsoft(capsys, "check", "same.c", "--engine", "bmc", "--por", "cstub")[1]
    assert "relies on: cstub, lock-pattern transactions" in out
    assert not any("relies" in line for line in fsoft(capsys, "check", "same.c", "--engine", "bmc", "--por", "none")[1])


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--engine", "bmc", "--contexts", "3", "--depth", "3"], "--scheduler context-bounded"),
        (["--engine", "bmc", "--rounds", "2", "--depth", "3"], "--scheduler round-robin"),
        (["--property", "valid-memtrack"], "valid-memtrack"),
    ],
)
def test_where_it_would_not_be_sound_it_is_off(options: list[str], why: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    err = fsoft(capsys, "check", "same.c", "--por", "cstub", *options)[2]
    assert any("no reduction" in line and why in line for line in err)


def test_options_that_make_no_sense(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = fsoft(capsys, "check", "same.c", "--transactions", "lockset")
    assert code == 1 and "--por cstub" in err[0]
    fsoft(capsys, "build", "same.c", "-o", "m.aag")
    code, _, err = fsoft(capsys, "check", "m.aag", "--por", "cstub")
    assert code == 1 and "part of the model" in err[0]


def test_a_reduced_model_comes_home(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fsoft(capsys, "build", "other.c", "-o", "m.aag", "--por", "cstub")[0] == 0
    assert json.loads((folder / "m.map.json").read_text())["reduction"] == ["cstub", "lock-pattern"]
    assert fsoft(capsys, "check", "m.aag", "--engine", "bmc", "--witness", "w")[0] == 10
    code, out, err = fsoft(capsys, "explain", "m.aag", "w")
    assert (code, err) == (10, [])
    assert out[-1] == "FALSE(unreach-call)"


def test_building_twice_gives_the_same_bytes(folder: Path) -> None:
    for name, seed in (("one", "1"), ("two", "77")):
        command = [sys.executable, "-m", "fsoft", "build", "other.c", "-o", f"{name}.aag", "--por", "cstub"]
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])}
        subprocess.run(command, check=True, env=environment, capture_output=True)
    assert (folder / "one.aag").read_bytes() == (folder / "two.aag").read_bytes()
