"""The encodings on the command line: what is refused, what is said."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fsoft.cli.main import main
from tests.search.programs import main_with, write

TEXT = "int x; void *f(void *a) { x++; return 0; }" + main_with("f", "f")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["check", *arguments])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--encoding", "paths", "--context-bound", "0"], "must be at least 1, not 0"),
        (["--encoding", "paths", "--context-bound", "-3"], "must be at least 1, not -3"),
        (["--encoding", "paths", "--por", "cstub"], "--encoding paths has --por sleep, persistent or source"),
        (["--encoding", "uw", "--por", "source"], "--encoding uw has no --por"),
        (["--encoding", "uw", "--merge-states"], "--encoding uw has no --merge-states"),
        (["--encoding", "paths", "--solver", "cadical195"], "one of bitwuzla, z3, pysat"),
        (["--encoding", "paths", "--engine", "pdr"], "choose one with --solver"),
        (["--por", "source"], "--por source is for --encoding paths"),
        (["--context-bound", "3"], "is for bounded encodings"),
    ],
)
def test_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str) -> None:
    code, _, err = run(capsys, str(write(tmp_path, TEXT)), *options)
    assert code == 1 and message in err and len(err.splitlines()) == 1


def test_a_folder_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    taken = tmp_path / "taken"
    taken.write_text("")
    code, _, err = run(capsys, str(write(tmp_path, TEXT)), "--encoding", "paths", "--smt-dump", str(taken))
    assert code == 2 and "cannot write questions there" in err


def test_counts_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, str(write(tmp_path, TEXT)), "--encoding", "paths", "--por", "source")
    assert code == 0 and "all 4 interleavings explored" in out and out.endswith("TRUE\n")


def test_the_widening_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "int y; void *f(void *a) { assert(!y); return 0; } void *g(void *a) { y = 1; return 0; }" + main_with("f", "g")
    code, out, err = run(capsys, str(write(tmp_path, text)), "--encoding", "uw", "--context-bound", "3", "--verbose")
    assert code == 10 and out.endswith("FALSE(unreach-call)\n") and "control literals released" in out
    assert err.startswith("fsoft: iteration 1: released ts.")


def test_too_many_interleavings(tmp_path: Path) -> None:
    text = "int x; void *f(void *a) { x = 1; x = 2; x = 3; x = 4; x = 5; x = 6; return 0; }" + main_with("f", "f", "f", "f")
    command = [sys.executable, "-m", "fsoft", "check", str(write(tmp_path, text)), "--encoding", "paths", "--timeout", "5"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 31 and "interleavings" in done.stdout and done.stdout.endswith("UNKNOWN\n")
