"""Tables 1 and 2 of the ESBMC paper (Cordeiro and Fischer, ICSE'11), on programs of ours in the same families and sizes.

    python benchmarks/esbmc_tables.py [--table 1] [--row reorder] [--column lazy] [--seconds 60]

Each cell is a run of `fsoft check` in a process of its own; seconds are its processor time, its start included. `lazy` is --encoding
paths with a context bound that grows up to the row's (--incremental-context-bound), `merged` the same with --merge-states, `source`
and `persistent` have partial-order reduction instead of a bound on contexts, `schedule` and `uw` are one formula each; `values` is the
proof from the values that single threads know and `auto` what fsoft does if nobody chooses, both without a bound. The paper's
seconds (its own machines, 2 and 3 GHz, 2011) stand beside the best cell of each row; the summary names the rows that are slower or
not decided. A safe row with a context bound is decided if nothing but that bound cuts.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "benchmarks" / "programs" / "esbmc"


@dataclass(frozen=True)
class Row:
    """`contexts`: the column C of the paper, 0 for none. `paper`: seconds of its lazy, schedule and UW approach (0.99 for "<1", 0 for
    none), its #FI/#I and its iterations."""

    table: int
    name: str
    file: str
    define: tuple[str, ...]
    bad: bool
    contexts: int
    paper: tuple[float, float, float]
    interleavings: str
    iterations: int


def _family(table: int, name: str, file: str, define: str, bad: bool, contexts: int, lazy: float, schedule: float, uw: float,
            interleavings: str, iterations: int) -> Row:  # fmt: skip
    return Row(table, name, f"{file}.c", tuple(define.split()), bad, contexts, (lazy, schedule, uw), interleavings, iterations)


LESS = 0.99  # "<1"
ROWS = [
    _family(1, "reorder_3_bad", "reorder", "SETS=2", True, 4, LESS, LESS, LESS, "1/29", 4),
    _family(1, "reorder_4_bad", "reorder", "SETS=3", True, 5, LESS, 1, 4, "1/82", 5),
    _family(1, "reorder_5_bad", "reorder", "SETS=4", True, 6, LESS, 4, 18, "1/277", 6),
    _family(1, "reorder_6_bad", "reorder", "SETS=5", True, 7, LESS, 36, 72, "1/853", 7),
    _family(1, "reorder_6_bad", "reorder", "SETS=5", True, 8, LESS, 225, 592, "1/2810", 7),
    _family(1, "reorder_6_bad", "reorder", "SETS=5", True, 9, LESS, 0, 0, "1/8124", 1),
    _family(1, "twostage_3_bad", "twostage", "TWOS=2", True, 4, 1, 1, 3, "1/35", 5),
    _family(1, "twostage_4_bad", "twostage", "TWOS=3", True, 4, 2, 1, 4, "1/42", 5),
    _family(1, "twostage_5_bad", "twostage", "TWOS=4", True, 4, 2, 1, 5, "1/44", 5),
    _family(1, "twostage_6_bad", "twostage", "TWOS=5", True, 4, 2, 2, 5, "1/45", 5),
    _family(1, "wronglock_4_bad", "wronglock", "WRONG=3", True, 8, 5, 10, 89, "2/489", 9),
    _family(1, "wronglock_5_bad", "wronglock", "WRONG=4", True, 8, 10, 50, 408, "3/2869", 9),
    _family(1, "wronglock_6_bad", "wronglock", "WRONG=5", True, 8, 18, 225, 2060, "4/12106", 9),
    _family(1, "wronglock_7_bad", "wronglock", "WRONG=6", True, 8, 34, 0, 0, "5/39100", 1),
    _family(1, "micro_2_ok", "micro", "THREADS=2", False, 2, LESS, LESS, LESS, "0/4", 1),
    _family(1, "micro_2_ok", "micro", "THREADS=2", False, 17, 1095, 0, 0, "0/131072", 1),
    _family(1, "micro_3_ok", "micro", "THREADS=3", False, 2, LESS, LESS, LESS, "0/9", 1),
    _family(1, "micro_3_ok", "micro", "THREADS=3", False, 12, 1021, 0, 0, "0/121393", 1),
    _family(2, "circular_buffer_ok", "circular_buffer", "", False, 0, 477, 0, 0, "0/12870", 1),
    _family(2, "circular_buffer_bad", "circular_buffer", "BAD", True, 5, LESS, 2, 11, "3/32", 6),
    _family(2, "queue_ok", "queue", "", False, 0, 3, 3, 3, "0/6", 1),
    _family(2, "queue_bad", "queue", "BAD", True, 8, 3, 50, 373, "91/256", 7),
    _family(2, "stack_ok", "stack", "", False, 12, 225, 1026, 1097, "0/4094", 1),
    _family(2, "stack_bad", "stack", "BAD", True, 4, LESS, 2, 6, "4/16", 4),
    _family(2, "fsbench_ok", "fsbench", "THREADS=26", False, 2, 252, 304, 301, "0/676", 1),
    _family(2, "fsbench_bad", "fsbench", "THREADS=27 BAD", True, 2, LESS, 360, 786, "729/729", 2),
    _family(2, "indexer_ok", "indexer", "THREADS=13", False, 4, 595, 220, 218, "0/17160", 1),
    _family(2, "stateful20_ok", "stateful", "N=20", False, 10, 95, 487, 518, "0/1024", 1),
    _family(2, "sync02_ok", "sync", "N=20", False, 21, 44, 60, 60, "0/121", 1),
    _family(2, "sync02_bad", "sync", "N=20 BAD", True, 21, 8, 132, 383, "5/186", 3),
    _family(2, "reorder_10_bad", "reorder", "SETS=9", True, 11, LESS, 0, 0, "1/154574", 1),
    _family(2, "twostage_100_bad", "twostage", "TWOS=99", True, 4, 88, 93, 195, "1/139", 5),
    _family(2, "wronglock_8_bad", "wronglock", "WRONG=7", True, 8, 90, 0, 0, "6/104015", 1),
    _family(2, "micro_10_ok", "micro", "THREADS=10", False, 17, 254, 0, 0, "0/29260", 1),
]


COLUMNS = {
    "lazy": lambda row: ["--encoding", "paths", *_growing(row)],
    "merged": lambda row: ["--encoding", "paths", "--merge-states", *_growing(row)],
    "source": lambda row: ["--encoding", "paths", "--por", "source"],
    "persistent": lambda row: ["--encoding", "paths", "--por", "persistent", "--merge-states"],
    "schedule": lambda row: ["--encoding", "schedule", *_bound(row)],
    "uw": lambda row: ["--encoding", "uw", *_bound(row)],
    "values": lambda row: ["--engine", "values"],
    "auto": lambda row: [],
    "tcbmc": lambda row: ["--encoding", "tcbmc", "--order", "free", *(["--contexts", str(row.contexts + 1)] if row.contexts else [])],
    "explicit": lambda row: ["--engine", "explicit"],
}
"""The options of each column; the last two are for comparison."""


def _bound(row: Row) -> list[str]:
    return ["--context-bound", str(row.contexts)] if row.contexts else []


def _growing(row: Row) -> list[str]:
    return ["--incremental-context-bound", *_bound(row)] if row.contexts else []


@dataclass
class Cell:
    """`verdict`: the last line, or "time". `decided`: as the row should be."""

    column: str
    seconds: float
    verdict: str
    decided: bool
    more: str = ""

    def text(self) -> str:
        return f"{self.column} {self.seconds:.1f} s {self.verdict}" + (f" {self.more}" if self.more else "")


def run(row: Row, column: str, seconds: float) -> Cell:
    """One cell."""
    options = [part for name in row.define for part in ("-D", name)]
    options += ["--32", "--no-trace", "--timeout", f"{seconds:g}"]
    command = [sys.executable, "-m", "fsoft", "check", str(PROGRAMS / row.file), *options]
    before = _processor()
    done = subprocess.run(
        [*command, *COLUMNS[column](row)], capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    spent = _processor() - before
    lines = done.stdout.splitlines() or ["no answer"]
    if done.returncode in (1, 2, 6):
        return Cell(column, spent, f"error: {(done.stderr.splitlines() or [''])[-1]}", False)
    verdict = "time" if done.returncode == 31 or "time limit reached" in done.stdout else lines[-1]
    bounded = verdict == "UNKNOWN" and len(lines) == 3 and ("context-bound" in lines[1] or "contexts" in lines[1])
    if bounded:
        verdict = f"safe within {row.contexts} switches"
    decided = verdict.startswith("FALSE") if row.bad else verdict == "TRUE" or bounded
    return Cell(column, spent, verdict, decided, _counts(done.stdout))


def _processor() -> float:
    """Seconds of the children that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def _counts(text: str) -> str:
    """What the verdict says about interleavings or iterations."""
    if found := re.search(r"(\d+) interleavings explored \((?:(\d+) failed)?", text):
        return f"#FI/#I {found.group(2) or 0}/{found.group(1)}"
    if found := re.search(r"(\d+) iterations, (\d+) of (\d+)", text):
        return f"iter {found.group(1)}, {found.group(2)}/{found.group(3)} literals"
    return ""


def _paper(row: Row) -> str:
    shown = ["<1" if t == LESS else f"{t:g}" if t else "-" for t in row.paper]
    return f"paper: lazy {shown[0]} s {row.interleavings}, schedule {shown[1]} s, uw {shown[2]} s iter {row.iterations}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", type=int, choices=(1, 2))
    parser.add_argument("--row", default="", help="only rows whose name contains this")
    parser.add_argument("--column", action="append", choices=list(COLUMNS), help="only these; default: all but the last two")
    parser.add_argument("--seconds", type=float, default=60, help="limit for a cell")
    arguments = parser.parse_args()
    columns = arguments.column or list(COLUMNS)[:-2]
    slower, undecided, rows, most = list[str](), list[str](), 0, list[str]()
    for number, row in enumerate(ROWS, 1):
        if (arguments.table or row.table) != row.table or arguments.row not in row.name:
            continue
        rows += 1
        name = f"{number}. {row.name} C={row.contexts or '-'}"
        print(f"{name}   {_paper(row)}", flush=True)
        cells = []
        for column in columns:
            cells.append(run(row, column, arguments.seconds))
            print(f"    {cells[-1].text()}", flush=True)
        good = [cell for cell in cells if cell.decided]
        if not good:
            undecided.append(name)
        elif (best := min(good, key=lambda cell: cell.seconds)).seconds > min(t for t in row.paper if t):
            slower.append(f"{name} ({best.column} {best.seconds:.1f} s)")
        most += [f"{name}: {cell.more}" for cell in cells if cell.column == "uw" and cell.decided and _many(cell, row)]
    decided = rows - len(undecided)
    print(f"\n{rows} rows: {decided} decided, {decided - len(slower)} of them no slower than the paper's figure")
    beyond = "uw beyond the paper's iterations or half of the literals"
    for title, names in (("slower", slower), ("not decided", undecided), (beyond, most)):
        if names:
            print(f"{title}: " + "; ".join(names))
    return 0


def _many(cell: Cell, row: Row) -> bool:
    """More iterations than in the paper (if it came to an end there), or more than half of the literals."""
    found = re.search(r"iter (\d+), (\d+)/(\d+)", cell.more)
    return found is not None and ((row.paper[2] > 0 and int(found[1]) > row.iterations) or 2 * int(found[2]) > int(found[3]))


if __name__ == "__main__":
    sys.exit(main())
