"""Memory unwinding as a sequential Program and as C: the same answers as the formula, and runs that come home."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks.sequentialized import Plan, campaign, counterexample, of_states
from fsoft.ask.circuits import ask
from fsoft.ask.load import load
from fsoft.bounded.mu import BOUND, GRAINS, MuBounds, mu_scheme
from fsoft.bounded.sequential import SequentialFormula
from fsoft.circuit.model.verdict import Unknown, Violated
from fsoft.cli import exits
from fsoft.cli.main import main
from fsoft.passes.bounds import Bounds
from fsoft.passes.unwind import unwind
from fsoft.program.legal import check_legal
from fsoft.program.options import Options
from fsoft.program.verdict import Stats
from fsoft.properties.confirmation import confirm_run

gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
TEXT = """#include <pthread.h>
#include <assert.h>
int x;
void *worker(void *a) { x++; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, worker, 0); x++; pthread_join(t, 0); assert(x == 2); return 0; }
"""


@pytest.mark.parametrize("grain", GRAINS)
def test_runs_of_the_sequential_program_come_home(tmp_path: Path, grain: str) -> None:
    path = tmp_path / "p.c"
    path.write_text(TEXT)
    program = load([str(path)], Options())
    unwound = unwind(program, Bounds(1))
    few = SequentialFormula(mu_scheme(unwound, MuBounds(Bounds(1), writes=1, grain=grain)))
    found = ask(few.model, "sat", lambda _depth: None, 60, {})
    assert isinstance(found, Unknown) and BOUND in found.bounds
    formula = SequentialFormula(mu_scheme(unwound, MuBounds(Bounds(1), writes=6, grain=grain)))
    check_legal(formula.sequential.program)
    found = ask(formula.model, "sat", lambda _depth: None, 60, {})
    assert isinstance(found, Violated)
    moves = unwound.home(formula.run(found.stimulus.inputs[-1], found.bad), found.bad)
    assert confirm_run(program, moves, found.bad, Stats()).kind == "FALSE"


def test_the_file_names_the_users_lines(tmp_path: Path) -> None:
    path, out = tmp_path / "p.c", tmp_path / "seq.c"
    path.write_text(TEXT)
    assert main(["sequentialize", str(path), "--scheme", "mu", "--mu-grain", "inter", "--writes", "2", "-o", str(out)]) == 0
    assert "2 inter-thread clusters of writes" in out.read_text() and f'#line 4 "{path}"' in out.read_text()


def test_the_trace_of_a_back_end_comes_home(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The back end is a script that says what a verifier would: the values of a counterexample."""
    path, verifier = tmp_path / "p.c", tmp_path / "verifier"
    path.write_text(TEXT)
    found = counterexample(mu_scheme(unwind(load([str(path)], Options()), Bounds(2)), MuBounds(Bounds(2), writes=3, grain="inter")), 60)
    assert found is not None
    lines = [f"echo '  in_{site}={value}u'" for site, value in found[1].items()]
    verifier.write_text("\n".join(["#!/bin/sh", *lines, "echo VERIFICATION FAILED"]))
    verifier.chmod(0o755)
    command = ["check", str(path), "--encoding", "mu", "--mu-grain", "inter", "--writes", "3", "--backend", f"{verifier} {{file}}"]
    assert main(command) == exits.FALSE
    assert capsys.readouterr().out.endswith("FALSE(unreach-call)\n")


@gcc
def test_rows_of_the_models_compile_and_fail_as_they_should() -> None:
    small = sorted(of_states(), key=lambda row: (row.path.stat().st_size, row.name))[:80:16]
    tally = campaign(small, Plan(MuBounds(Bounds(1), writes=3, grain="inter"), runs=500, seconds=10, scheme="mu"))
    assert tally.seen and not tally.wrong
