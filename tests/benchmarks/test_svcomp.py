"""The competition: verdicts in names, answers of tools, limits, going on after an interruption, exit codes."""

from __future__ import annotations

import csv
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks.contest import Task, expected_verdict, find_tasks, peer_tool, read_answer, run, sample
from benchmarks.svcomp import main, read_log

SAFE = "int main(void) { return 0; }\n"


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("mix000_tso.oepc_false-unreach-call.i", "FALSE"), ("stack_true-unreach-call.c", "TRUE"), ("older_true.i", "TRUE"),
        ("gcd_true-unreach-call_true-termination.i", "TRUE"), ("older_false.c", "FALSE"), ("trueish.i", None),
        ("singleton_with-uninit-problems-true.i", None),
    ],
)  # fmt: skip
def test_verdicts_in_names(name: str, verdict: str | None) -> None:
    assert expected_verdict(name) == verdict


def test_preprocessed_files_come_first(tmp_path: Path) -> None:
    for name in ("a_true.c", "a_true.i", "b_false.c", "b_false.cil.c", "c.i", "d_true-unreach-call.i"):
        (tmp_path / name).write_text(SAFE)
    tasks = find_tasks([str(tmp_path)])
    assert sorted(Path(task.path).name for task in tasks) == ["a_true.i", "b_false.c", "d_true-unreach-call.i"]
    assert len(sample(tasks, 2)) == 2 and sample(tasks, 9) == tasks


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("trace\nanswered by tcbmc\nFALSE(unreach-call)\n", "FALSE"), ("all states\nTRUE\n", "TRUE"), ("out of time\nUNKNOWN\n", "UNKNOWN"),
        ("VERIFICATION SUCCESSFUL\n", "TRUE"), ("x\nVERIFICATION FAILED\n", "FALSE"), ("", "UNKNOWN"), ("FALSEHOOD\n", "UNKNOWN"),
        ("** Verification result: FALSE(unreach-call).\n", "FALSE"),
    ],
)  # fmt: skip
def test_answers_of_tools(text: str, verdict: str) -> None:
    assert read_answer(text)[0] == verdict


def test_a_tool_that_takes_too_long_is_ended() -> None:
    started = time.monotonic()
    result = run(peer_tool("slow=sh -c 'echo TRUE; exec sleep 600' {file}"), Task("t_true.i", "TRUE"), 0.5, 1000)
    assert result.verdict == "UNKNOWN" and result.judgement == "unknown" and time.monotonic() - started < 60


def test_a_tool_that_uses_up_its_processor_time_is_ended() -> None:
    started = time.monotonic()
    result = run(peer_tool("busy=sh -c 'while :; do :; done' {file}"), Task("t_true.i", "TRUE"), 300, 1000, 0.3)
    assert (result.verdict, result.how) == ("UNKNOWN", "out of time")
    assert result.cpu > 0.2 and time.monotonic() - started < 60


def test_results_are_kept_and_wrong_verdicts_are_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tasks = tmp_path / "tasks"
    tasks.mkdir()
    (tasks / "one_true.c").write_text(SAFE)
    (tasks / "two_false.c").write_text("void reach_error(void); int main(void) { reach_error(); return 0; }\n")
    calls = tmp_path / "calls"
    peer = tmp_path / "peer.py"
    peer.write_text(f"open({str(calls)!r}, 'a').write('x'); print('TRUE')")
    given = [str(tasks), "--out", str(tmp_path / "out"), "--peer", f"yes={sys.executable} {peer} {{file}}", "--jobs", "2"]
    assert main(given) == 1
    out = capsys.readouterr().out
    assert "wrong: yes: tasks/two_false.c: TRUE" in out and "| tasks | fsoft | 2 | 1 of 1 | 1 of 1 | 0 | 0 |" in out
    assert len(read_log(tmp_path / "out" / "log.jsonl")) == 4
    with (tmp_path / "out" / "results.csv").open() as file:
        table = list(csv.DictReader(file))
    assert [row["judgement"] for row in table if row["tool"] == "fsoft"] == ["right", "right"]
    for plot in ("cactus.svg", "scatter.svg"):
        assert ElementTree.parse(tmp_path / "out" / plot).getroot().tag.endswith("svg")
    with (tmp_path / "out" / "log.jsonl").open("a") as log:
        log.write('{"tool": "ye')  # a run that was interrupted
    assert main(given) == 1 and calls.read_text() == "xx"
    assert main([str(tasks / "one_true.c"), "--out", str(tmp_path / "other")]) == 0
    assert main([str(tmp_path / "out")]) == 2
