"""Ask an engine every question of the table and compare: `python -m tests.models.agree [WORD...] [--timeout S] [--jobs N]`.

Words choose the rows whose name contains all of them. A row is *decided* if the engine answered as expected within the time
limit, *late* if it ran out of time, and *wrong* otherwise: another verdict, or an error.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.models.table import Row, rows

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_CODE = 31


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one row. `answer` is the last line of the engine, or what went wrong instead of an answer."""

    row: Row
    answer: str
    late: bool
    seconds: float

    @property
    def decided(self) -> bool:
        return not self.late and self.answer == self.row.verdict

    @property
    def wrong(self) -> bool:
        return not self.late and not self.decided

    def __str__(self) -> str:
        word = "ok   " if self.decided else "late " if self.late else "WRONG"
        return f"{word} {self.seconds:6.1f}s  {self.row.name}: {self.answer}" + (f", expected {self.row.verdict}" if self.wrong else "")


def ask(row: Row, timeout: float = 60, engine: str = "explicit") -> Outcome:
    """One row, in a process of its own."""
    command = [sys.executable, "-m", "fsoft", "check", "--engine", engine, "--no-trace", "--timeout", str(int(timeout)), *row.arguments()]
    start = time.perf_counter()
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=timeout + 15)
    except subprocess.TimeoutExpired:
        return Outcome(row, "no answer", True, time.perf_counter() - start)
    lines = (done.stdout.splitlines() if done.returncode in (0, 5, 10, TIMEOUT_CODE) else done.stderr.splitlines()) or ["nothing"]
    return Outcome(row, lines[-1], done.returncode == TIMEOUT_CODE, time.perf_counter() - start)


def ask_all(chosen: Iterable[Row], timeout: float = 60, jobs: int = 2, engine: str = "explicit") -> Iterator[Outcome]:
    """The outcomes in the order of the rows, `jobs` at a time."""
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(lambda row: ask(row, timeout, engine), chosen)


def summary(outcomes: list[Outcome]) -> str:
    decided, late, wrong = (sum(getattr(o, kind) for o in outcomes) for kind in ("decided", "late", "wrong"))
    quick = sum(o.decided and o.seconds < 2 for o in outcomes)
    return f"models: decided {decided}/{len(outcomes)} ({quick} in less than 2 s), late {late}, wrong {wrong}"


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("words", nargs="*")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--engine", default="explicit")
    parser.add_argument("--quiet", action="store_true", help="print only what is not decided")
    args = parser.parse_args(argv)
    chosen = [row for row in rows() if all(word in row.name for word in args.words)]
    outcomes = []
    for outcome in ask_all(chosen, args.timeout, args.jobs, args.engine):
        outcomes.append(outcome)
        if not (args.quiet and outcome.decided):
            print(outcome, flush=True)
    print(summary(outcomes))
    return 1 if any(o.wrong for o in outcomes) else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
