"""The run that is shown has as few switches as possible."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from fsoft.ask.encodings import answer
from fsoft.ask.load import load
from fsoft.ask.switches import fewest_switches
from fsoft.bounded.sequential import LazyBounds
from fsoft.passes.bounds import Bounds
from fsoft.passes.unwind import Unwound, unwind
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.program.verdict import Verdict
from fsoft.trace.shorten import switches
from tests.bounded.oracles import TooMany, within_contexts
from tests.fuzz.concurrent import Generator
from tests.models.table import MODELS

ACCOUNT = MODELS / "classic" / "account.c"


def wrong_programs(seeds: range) -> Iterator[tuple[Program, Unwound, Verdict]]:
    """Random programs with an error that rounds find, and its run."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.c"
        for seed in seeds:
            path.write_text(Generator(seed, small=True).program())
            program = load([str(path)], Options())
            found = answer(program, "lazy", LazyBounds(Bounds(1), rounds=3))
            if found.kind == "FALSE":
                yield program, unwind(program, Bounds(1)), found


def test_no_run_of_a_random_program_has_fewer() -> None:
    compared = before = after = 0
    for program, unwound, found in wrong_programs(range(25)):
        best = fewest_switches(program, unwound, found, 5.0)
        count = switches(best.trace)
        assert best.last_line() == found.last_line() and count <= switches(found.trace)
        try:
            assert within_contexts(unwound.program, count + 1, "free")
            assert not count or not within_contexts(unwound.program, count, "free")
        except TooMany:
            continue
        compared, before, after = compared + 1, before + switches(found.trace), after + count
    print(f"{compared} programs: {before} switches, {after} at the end")
    assert compared >= 5 and after < before


@pytest.mark.parametrize("encoding", ["tcbmc", "lazy", "mu"])
def test_the_command_says_so(encoding: str) -> None:
    """A lost update: main, the first until it has read, the second to its end, the first, main."""
    command = [sys.executable, "-m", "fsoft", "check", str(ACCOUNT), "-D", "UNLOCKED", "--encoding", encoding, "--incremental", "--verbose"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 10
    assert "4 switches: no run has fewer" in done.stderr
    assert "--schedule '0*3,1*2,2*4,1*2,0*2'" in done.stdout
    as_found = subprocess.run([*command, "--no-shorten"], capture_output=True, text=True, check=False)
    assert as_found.returncode == 10 and "switches" not in as_found.stderr
