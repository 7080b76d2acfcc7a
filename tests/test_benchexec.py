"""The tool-info module, with BenchExec's own test command and on real runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("benchexec")

from benchexec.tools.template import BaseTool2
from benchexec.util import ProcessExitCode

from fsoft.benchexec import Tool

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT)}


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder with bin/fsoft, and a task with its property."""
    script = tmp_path / "bin" / "fsoft"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m fsoft "$@"\n')
    script.chmod(0o755)
    (tmp_path / "race.prp").write_text("CHECK( init(main()), LTL(G ! data-race) )\n")
    source = (ROOT / "models/classic/account.c").read_text()
    (tmp_path / "account.c").write_text(source.replace("#ifndef UNLOCKED", "#if 0"))
    (tmp_path / "task.yml").write_text(
        "format_version: '2.0'\ninput_files: 'account.c'\nproperties:\n  - property_file: race.prp\n    expected_verdict: false\n"
        "options:\n  language: C\n  data_model: LP64\n"
    )
    return tmp_path


def test_benchexecs_own_test(installed: Path) -> None:
    command = [sys.executable, "-m", "benchexec.test_tool_info", "fsoft.benchexec", "--no-container", "--tool-directory", str(installed)]
    done = subprocess.run([*command, "--task-definition", str(installed / "task.yml")], capture_output=True, text=True, env=ENVIRONMENT)
    assert done.returncode == 0
    warnings = [line for line in done.stderr.splitlines() if "WARNING" in line and "Path to executable is absolute" not in line]
    assert not warnings and "Traceback" not in done.stderr, done.stderr
    assert "Version: “0" in done.stderr
    assert f"'--property', '{installed}/race.prp', '--64', '{installed}/account.c'" in done.stderr


def result(output: str, code: int) -> str:
    lines = BaseTool2.RunOutput([line + "\n" for line in output.splitlines()])
    run = BaseTool2.Run(["fsoft"], ProcessExitCode.create(value=code), lines, None)
    return Tool().determine_result(run)


@pytest.mark.parametrize(
    ("output", "code", "wanted"),
    [
        ("all 57 states explored\nTRUE", 0, "true"),
        ("TRUE\na trace\nFALSE(unreach-call)", 10, "false(unreach-call)"),
        ("FALSE(no-data-race)", 10, "false(no-data-race)"),
        ("a bound cuts\nUNKNOWN", 5, "unknown"),
        ("time limit reached\nUNKNOWN", 31, "TIMEOUT"),
        ("", 2, "ERROR (input)"),
        ("FALSE(unreach-call)", 2, "ERROR (input)"),
        ("", 6, "ERROR (internal error)"),
        ("", 1, "ERROR (usage)"),
        ("", 137, "ERROR"),
    ],
)
def test_results(output: str, code: int, wanted: str) -> None:
    assert result(output, code) == wanted


def test_a_run_as_benchexec_makes_it(installed: Path) -> None:
    tool = Tool()
    task = BaseTool2.Task.with_files(
        [str(ROOT / "models/classic/account.c")],
        property_file=str(installed / "race.prp"),
        options={"language": "C", "data_model": "ILP32"},
    )
    limits: Any = BaseTool2.ResourceLimits()
    command = tool.cmdline(str(installed / "bin/fsoft"), ["-D", "UNLOCKED", "--stats"], task, limits)
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, cwd=installed)
    assert result(done.stdout, done.returncode) == "false(no-data-race)"
    lines = done.stderr.splitlines()
    assert int(tool.get_value_from_output(lines, "states") or 0) > 1
    assert tool.get_value_from_output(lines, "nothing of that name") is None


def test_a_task_by_itself(installed: Path) -> None:
    done = subprocess.run(
        [str(installed / "bin/fsoft"), "check", str(installed / "task.yml"), "--no-trace"], capture_output=True, text=True, env=ENVIRONMENT
    )
    assert (done.stdout.splitlines()[-1], done.stderr, done.returncode) == ("FALSE(no-data-race)", "", 10)
