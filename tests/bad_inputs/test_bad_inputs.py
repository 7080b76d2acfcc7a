"""Every row of the table: one clear line, the right exit code, no traceback, no hang, no verdict that is not due."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bad_inputs.table import ROWS, Row

PATIENCE = 60  # seconds before an answer counts as a hang; an idle machine needs at most ten
PLACE = re.compile(r"(fsoft: error: |\S+: error: )\S")


def run(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "FSOFT_DEBUG": ""}
    command = [sys.executable, "-m", "fsoft", *arguments]
    return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=PATIENCE, env=environment)


def write(row: Row, folder: Path) -> list[str]:
    """Put the row's files into the folder; its arguments."""
    files = dict(row.files)
    if row.text is not None:
        files["in.c"] = row.text
    for name, content in files.items():
        if content is None:
            (folder / name).mkdir()
        else:
            (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return row.args.replace("{}", str(folder)).split()


def one_line(result: subprocess.CompletedProcess[str], pattern: str) -> None:
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    assert PLACE.match(lines[0]), lines[0]
    assert re.search(pattern, lines[0]), lines[0]
    assert len(lines[0]) < 400, lines[0]


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_row(row: Row, tmp_path: Path) -> None:
    result = run(write(row, tmp_path))
    assert "Traceback" not in result.stderr
    assert result.returncode == row.code, result.stdout + result.stderr
    if row.verdict:
        assert result.stdout.splitlines()[-1] == row.verdict
    else:
        one_line(result, row.line)
        assert result.stdout == ""


def test_there_are_enough() -> None:
    assert len(ROWS) >= 45
    assert len({row.name for row in ROWS}) == len(ROWS)


def test_unreadable_file(tmp_path: Path) -> None:
    """Root reads everything, so for root the file is one that the system itself refuses to read."""
    file = tmp_path / "in.c"
    file.write_text("int main(void) { return 0; }\n")
    file.chmod(0)
    target = "/proc/self/mem" if os.geteuid() == 0 else str(file)
    result = run(["check", target])
    assert result.returncode == 2
    one_line(result, "error: ")


def test_show_and_run_refuse_alike(tmp_path: Path) -> None:
    file = tmp_path / "in.c"
    file.write_text("int main(void) { return nowhere; }\n")
    for command in ("show", "run", "check"):
        result = run([command, str(file)])
        assert result.returncode == 2
        one_line(result, r"in\.c:1:25: error: .*nowhere")
