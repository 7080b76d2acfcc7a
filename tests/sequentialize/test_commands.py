"""`fsoft sequentialize` and `fsoft check --backend`: files, answers that are read back, and back ends that misbehave."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from fsoft.ask.backend import backend_of, check_with
from fsoft.ask.load import load
from fsoft.bounded.sequential import LazyBounds, lazy_scheme
from fsoft.cli import exits
from fsoft.cli.main import main
from fsoft.frontend.source import InputError
from fsoft.passes.bounds import Bounds
from fsoft.passes.unwind import unwind
from fsoft.program.program import Program
from fsoft.sequentialize.sites import Sites

TEXT = """#include <pthread.h>
#include <assert.h>
int x;
void *worker(void *p) { x++; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, worker, 0); x++; pthread_join(t, 0); assert(x == 2); return 0; }
"""
GIVEN = LazyBounds(Bounds(2), rounds=2)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "p.c"
    path.write_text(TEXT)
    return path


@pytest.fixture
def program(source: Path) -> Program:
    return load([str(source)])


def script(folder: Path, text: str) -> str:
    """A back end that is a shell script."""
    path = folder / "verifier"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return f"{path} {{file}}"


def test_a_file_for_a_tool(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "seq.c"
    assert main(["sequentialize", str(source), "--rounds", "3", "-o", str(out), "--for", "esbmc"]) == exits.TRUE
    assert "__ESBMC_assert(" in out.read_text() and "3 rounds, --unwind 2" in out.read_text()


@pytest.mark.parametrize("arguments, code", [
    (["--scheme", "nothing"], exits.USAGE), (["--rounds", "0"], exits.USAGE), (["--for", "nobody"], exits.USAGE),
    (["--rounds", "5000"], exits.USAGE), (["--schedule", "+:9"], exits.USAGE), (["--unwindset", "nowhere.0:2"], exits.USAGE),
    (["--ltl", "G x < 3"], exits.USAGE), (["-o", "/nowhere/seq.c"], exits.BAD_INPUT), (["--unwind", "0"], exits.USAGE),
    (["--rounds", "-1"], exits.USAGE), (["--unwind", "9" * 30], exits.USAGE), (["--scheme", "mu", "--writes", "9" * 30], exits.USAGE),
    (["--scheme", "mu", "--writes", "-2"], exits.USAGE), (["--scheme", "mu", "--rounds", "2"], exits.USAGE),
    (["--writes", "2"], exits.USAGE),
    (["--schedule", "nobody"], exits.USAGE), (["--schedule", ""], exits.USAGE), (["--schedule", "+:0,,1"], exits.USAGE),
    (["--schedule", "+:+", "--rounds", "3"], exits.USAGE), (["--unwindset", "main.0:" + "9" * 30], exits.USAGE),
])  # fmt: skip
def test_bad_bounds_are_named(source: Path, arguments: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        found = main(["sequentialize", str(source), *arguments])
    except SystemExit as error:
        found = int(str(error.code))
    said = capsys.readouterr()
    assert found == code
    assert said.out == "" and ": error: " in said.err and len(said.err.splitlines()) == 1


def test_a_trace_is_read_back_and_replayed(program: Program, tmp_path: Path) -> None:
    """Main reads x in the first round, the worker runs, main goes on in the second: three context switches in the words of CBMC."""
    sequential = lazy_scheme(unwind(program, GIVEN.loops), GIVEN).plain
    sites = Sites(sequential.program)
    stops = {f"thread {t}": n for t, n in (("0 (main) in round 1", 2), ("1 (worker) in round 1", 7), ("0 (main) in round 2", 7))}
    lines = [f"echo '  in_{k}={stops[w.removeprefix('context switch of ')]}u (00000010)'" for k, w in enumerate(sites.what)
             if w.removeprefix("context switch of ") in stops]  # fmt: skip
    assert len(lines) == 3
    others = [line.split("=")[0] + "=0u'" for line in lines]
    for traces in ([*lines], ["echo Trace for a:", *lines, "echo Trace for b:", *others]):
        verdict = check_with(program, GIVEN, backend_of(script(tmp_path, "\n".join([*traces, "echo VERIFICATION FAILED"]))))
        assert verdict.last_line() == "FALSE(unreach-call)" and verdict.trace


@pytest.mark.skipif(shutil.which("cbmc") is None, reason="no cbmc")
@pytest.mark.parametrize("scheme", ["lazy", "mu"])
def test_cbmc_itself(source: Path, scheme: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It takes the file, its trace replays, and what is safe within the bounds it proves."""
    assert main(["check", str(source), "--encoding", scheme, "--backend", "cbmc {file}"]) == exits.FALSE
    assert capsys.readouterr().out.endswith("FALSE(unreach-call)\n")
    bound = ["--rounds", "1"] if scheme == "lazy" else ["--writes", "1", "--mu-grain", "inter"]
    assert main(["check", str(source), "--encoding", scheme, *bound, "--backend", "cbmc {file}"]) == exits.UNKNOWN
    assert "only, by cbmc" in capsys.readouterr().out


@pytest.mark.parametrize("says, word", [("echo VERIFICATION FAILED", "lead to none"), ("echo VERIFICATION SUCCESSFUL", "2 rounds"),
                                        ("echo UNKNOWN", "does not know"),
                                        ("printf 'in_1=%05000d\\nVERIFICATION FAILED\\n' 7", "lead to none")])  # fmt: skip
def test_what_does_not_replay_or_is_bounded_is_unknown(program: Program, tmp_path: Path, says: str, word: str) -> None:
    verdict = check_with(program, GIVEN, backend_of(script(tmp_path, says)))
    assert verdict.kind == "UNKNOWN" and word in verdict.lines()[0]


@pytest.mark.parametrize("does", ["kill -SEGV $$", "echo nonsense", "true"])
def test_back_ends_that_crash_or_talk_nonsense(program: Program, tmp_path: Path, does: str) -> None:
    with pytest.raises(InputError, match="--backend"):
        check_with(program, GIVEN, backend_of(script(tmp_path, does)))


def test_a_back_end_that_prints_without_end_is_ended(program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fsoft.ask.backend._MOST_OUTPUT", 1 << 20)
    with pytest.raises(InputError, match="--backend: it prints more than 1 MB"):
        check_with(program, GIVEN, backend_of(script(tmp_path, "yes nonsense")))


def test_a_last_line_that_cannot_be_printed(program: Program, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the last line is 'a\?b'"):
        check_with(program, GIVEN, backend_of(script(tmp_path, r"printf 'a\033b'")))


def test_a_back_end_that_hangs_is_ended(program: Program, tmp_path: Path) -> None:
    with pytest.raises(TimeoutError):
        check_with(program, GIVEN, backend_of(script(tmp_path, f"echo $$ > {tmp_path}/pid; sleep 1000")), timeout=0.5)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_what_a_back_end_leaves_behind_is_ended(program: Program, tmp_path: Path) -> None:
    """It keeps the output open, but the answer is there."""
    verdict = check_with(program, GIVEN, backend_of(script(tmp_path, f"sleep 1000 & echo $! > {tmp_path}/pid; echo UNKNOWN")))
    assert "does not know" in verdict.lines()[0]
    left = Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}/stat")
    for _ in range(100):  # it has been told to end; that takes its time on a busy machine
        if not left.exists() or left.read_text().split()[2] == "Z":
            return
        time.sleep(0.1)
    pytest.fail("what the back end has started still runs")


@pytest.mark.parametrize("does, code, word", [
    ("kill -SEGV $$", exits.BAD_INPUT, "ended by signal 11"), ("echo nonsense", exits.BAD_INPUT, "the last line is 'nonsense'"),
    ("exit 3", exits.BAD_INPUT, "no answer"), ("sleep 1000", exits.TIMEOUT, "the back end did not end"),
    ("head -c 3000000 /dev/zero", exits.BAD_INPUT, "1 MB"),
])  # fmt: skip
def test_on_the_command_line_each_is_one_line(source: Path, tmp_path: Path, does: str, code: int, word: str,
                                              capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.setattr("fsoft.ask.backend._MOST_OUTPUT", 1 << 20)
    limit = ["--timeout", "2"] if code == exits.TIMEOUT else []
    assert main(["check", str(source), "--backend", script(tmp_path, does), *limit]) == code
    said = capfd.readouterr()
    assert word in (said.out if limit else said.err)
    if limit:
        assert not said.err and said.out.splitlines()[-1] == "UNKNOWN"
    else:
        assert not said.out and len(said.err.splitlines()) == 1


def test_bounds_for_a_back_end_need_no_encoding(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It gets the lazy scheme, so the bounds of that are meant."""
    bounds = ["--rounds", "3", "--unwind", "4", "--unwindset", "start:1"]
    assert main(["check", str(source), *bounds, "--backend", script(tmp_path, "echo VERIFICATION SUCCESSFUL")]) == exits.UNKNOWN
    assert "proved for 3 rounds, --unwind 4, --unwindset start:1 only, by verifier" in capsys.readouterr().out


@pytest.mark.parametrize("option, why", [(["--proof", "p.drat"], "--proof is for"), (["--contexts", "3"], "lazy has no --contexts")])
def test_options_that_a_back_end_does_not_have(source: Path, option: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(source), *option, "--backend", "true {file}"]) == exits.USAGE
    assert why in capsys.readouterr().err


@pytest.mark.parametrize("command", ["cbmc", "no-such-verifier {file}", "sh 'x {file}"])
def test_commands_that_are_none(source: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(source), "--backend", command]) == exits.USAGE
    assert capsys.readouterr().err.startswith("fsoft: error: --backend: ")
