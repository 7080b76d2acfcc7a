"""A command run to its end, with what it cost: shared by the benchmarks that run `fsoft` on programs of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = ROOT / "benchmarks" / "programs"


@dataclass(frozen=True, slots=True)
class Run:
    """`answer` is the last line on stdout; `seconds` of the processor, of this command and its children."""

    answer: str
    seconds: float
    wall: float


def fsoft(arguments: list[str], timeout: float) -> Run:
    """`fsoft` with these arguments; past the limit the answer is "time"."""
    before, start = os.times(), time.monotonic()
    command = [sys.executable, "-m", "fsoft", *arguments, "--timeout", f"{timeout:g}"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout + 30, env=environment, check=False)
        answer = (done.stdout.splitlines() or [done.stderr.strip() or f"exit code {done.returncode}"])[-1]
        answer = "time" if done.returncode == 31 else answer
    except subprocess.TimeoutExpired:
        answer = "time"
    after = os.times()
    used = after.children_user - before.children_user + after.children_system - before.children_system
    return Run(answer, used, time.monotonic() - start)


def table(header: list[str], rows: list[list[str]]) -> str:
    """Markdown."""
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])
