"""How long traces are for a reader, and whether what they show is enough to see the failure again.

    python benchmarks/traces.py                      # the 40 longest traces of models/, by the moves that the engine found
    python benchmarks/traces.py --longest 0 peterson # all rows whose names contain a word
    python benchmarks/traces.py --engine simulation

For every FALSE row of `models/table.toml`: the moves and switches that the engine found and those after shortening, the processor time of
that, and the lines that `fsoft check` prints at a width of 120 (a longer line counts as often as it wraps). Then the command that
the output names (`again: fsoft run ...`) is run: it must violate the same property. The exit code is 1 if a trace has more than 50 lines or
does not happen again.
"""

from __future__ import annotations

import argparse
import io
import os
import shlex
import sys
import time
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from fsoft.cli.main import main as fsoft  # noqa: E402
from fsoft.program.program import Program  # noqa: E402
from fsoft.program.verdict import Move, Verdict  # noqa: E402
from fsoft.trace import shorten  # noqa: E402
from tests.models.table import Row, rows  # noqa: E402

WIDTH = 120
SCREEN = 50
Sizes = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Measured:
    """`found` and `left`: moves and switches before and after shortening. `again`: the command that repeats it, `code` its exit code."""

    row: Row
    found: Sizes
    left: Sizes
    seconds: float
    lines: int
    again: tuple[str, ...]
    code: int | None = None

    @property
    def good(self) -> bool:
        return self.lines <= SCREEN and self.code == 10

    def __str__(self) -> str:
        sizes = "{:5d}/{:4d} -> {:4d}/{:3d}".format(*self.found, *self.left)
        word = "" if self.good else "  TOO LONG" if self.code == 10 else "  NOT AGAIN"
        return f"{sizes}  {self.seconds:5.2f} s  {self.lines:3d} lines  {self.row.name}{word}"


def command(argv: Sequence[str]) -> tuple[int, str]:
    """Exit code and output of a command of fsoft."""
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        code = fsoft(list(argv))
    return code, out.getvalue()


def measure(row: Row, engine: str) -> Measured | None:
    """One row; None if the engine does not find the violation."""
    sizes: list[tuple[Sizes, Sizes, float]] = []
    plain = shorten.shortened

    def watched(program: Program, verdict: Verdict, work: int = shorten.WORK) -> Verdict:
        start = time.process_time()
        result = plain(program, verdict, work)
        spent = time.process_time() - start
        sizes.append((_sizes(verdict.trace), _sizes(result.trace), spent))
        return result

    shorten.shortened = watched
    try:
        code, text = command(["check", "--engine", engine, *row.arguments()])
    finally:
        shorten.shortened = plain
    again = [line for line in text.splitlines() if line.startswith("again: fsoft ")]
    if code != 10 or not again:
        return None
    words = shlex.split(again[0].removeprefix("again: fsoft "))
    found, left, seconds = sizes[0] if sizes else (_lasso(words), _lasso(words), 0.0)
    lines = sum(max(1, -(-len(line) // WIDTH)) for line in text.splitlines())
    return Measured(row, found, left, seconds, lines, tuple(words))


def _sizes(moves: Sequence[Move]) -> Sizes:
    return len(moves), shorten.switches(moves)


def _lasso(words: Sequence[str]) -> Sizes:
    """The size of a run that is not shortened, from its schedule."""
    parts = [part for part in words[words.index("--schedule") + 1].replace("(", ",").replace(")", "").split(",") if part]
    return sum(int(part.partition("*")[2] or 1) for part in parts), max(0, len(parts) - 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("words", nargs="*", help="only rows whose names contain all of these")
    parser.add_argument("--longest", type=int, default=40, metavar="N", help="show the N longest (0: all)")
    parser.add_argument("--engine", default="explicit")
    args = parser.parse_args()
    os.environ["COLUMNS"] = str(WIDTH)
    chosen = [row for row in rows() if row.verdict.startswith("FALSE") and all(word in row.name for word in args.words)]
    measured = [found for row in chosen if (found := measure(row, args.engine)) is not None]
    measured.sort(key=lambda one: one.found, reverse=True)
    shown = [replace(one, code=command(one.again)[0]) for one in measured[: args.longest or None]]
    print("\n".join(map(str, shown)))
    good = sum(one.good for one in shown)
    longest = max((one.lines for one in shown), default=0)
    print(f"{good}/{len(shown)} within {SCREEN} lines and seen again; the longest has {longest} lines ({len(measured)} traces in all)")
    return 0 if good == len(shown) else 1


if __name__ == "__main__":
    sys.exit(main())
