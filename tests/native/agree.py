"""The compiled search against the search in Python: `python -m tests.native.agree [WORD...]` asks every question of the table of models
both ways, `--random N` asks about random programs.

Both must give the same verdict; the same numbers of states, transitions and levels where all states are seen, and the same level where
something is found. What takes longer than the limits in Python is left out and counted.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from fsoft.ask.load import load
from fsoft.checkers.explicit.search import Explorer
from fsoft.frontend.source import InputError
from fsoft.native import build
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.program.verdict import Limits
from fsoft.properties import monitors
from tests.fuzz import concurrent
from tests.models.table import RUNS, Row, rows

LIMITS = Limits(seconds=20, states=60_000)


def loaded(row: Row) -> Program:
    """The program of a row; its own options are for the command line and are left out."""
    return load([str(row.path)], Options(checks=frozenset({row.prop})), bits=row.bits, define=row.defines)


def disagreement(program: Program, limits: Limits = LIMITS, jobs: int = 2, reduce: bool = True) -> str:
    """What is different; "" if nothing is, "open" if the search in Python does not end within the limits, "none" if there is no machine
    code for the program."""
    asked = sorted(program.checks)
    plain = Explorer(program, asked, monitors(asked), hunts=False, limits=limits, reduce=reduce)
    expected = plain.run()[0]
    if expected.kind == "UNKNOWN" and "limit of" in expected.reasons[0]:
        return "open"
    found = Explorer(program, asked, monitors(asked), hunts=False, limits=Limits(seconds=60), reduce=reduce).run_compiled(jobs)
    if found is None:
        return "none"
    if found.last_line() != expected.last_line():
        return f"{found.last_line()} {found.reasons}, expected {expected.last_line()} {expected.reasons}"
    mine, theirs = found.stats, expected.stats
    if expected.kind == "FALSE" or expected.trace:
        return "" if mine.depth == theirs.depth else f"found on level {mine.depth}, expected {theirs.depth}"
    if set(found.cuts) != set(expected.cuts):
        return f"cuts {found.cuts}, expected {expected.cuts}"
    counts = [(one.states, one.transitions, one.depth) for one in (mine, theirs)]
    return "" if counts[0] == counts[1] else f"states, transitions, levels {counts[0]}, expected {counts[1]}"


def compare_rows(words: list[str], reduce: bool, every: int = 1) -> Counter[str]:
    """Every so many of the rows whose names have the words; what was different is printed."""
    tally: Counter[str] = Counter()
    for row in rows()[every - 1 :: every]:
        if row.prop in RUNS or not all(word in row.name for word in words):
            continue
        start = time.monotonic()
        try:
            outcome = disagreement(loaded(row), reduce=reduce)
        except InputError as error:
            outcome = f"none ({error})"
        said = outcome.split()[0] if outcome[:4] in ("open", "none") else "WRONG" if outcome else "same"
        tally[said] += 1
        if said != "same":
            print(f"{said:6} {time.monotonic() - start:5.1f}s {row.name}: {outcome}", flush=True)
    return tally


def compare_random(count: int, first: int) -> Counter[str]:
    """Random programs with the checks of all kinds."""
    tally: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            path = Path(folder, "program.c")
            path.write_text(concurrent.Generator(seed).program())
            checks = frozenset(random.Random(seed).choice([("unreach-call",), ("no-data-race",), ("no-deadlock", "valid-deref")]))
            try:
                outcome = disagreement(load([str(path)], Options(checks=checks)), Limits(seconds=10, states=20_000))
            except InputError:
                outcome = "none"
            said = outcome if outcome in ("open", "none") else "WRONG" if outcome else "same"
            tally[said] += 1
            if said == "WRONG":
                print(f"WRONG  {seed} {sorted(checks)}: {outcome}", flush=True)
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--random", type=int, default=0, metavar="N")
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--every", type=int, default=1, metavar="K", help="only every so many rows")
    parser.add_argument("--plain", action="store_true", help="without the reductions of the search")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as kept:
        os.environ["XDG_CACHE_HOME"] = kept
        build.OPTIMISED = "-O0"
        tally = compare_random(args.random, args.first) if args.random else compare_rows(args.words, not args.plain, args.every)
    print(", ".join(f"{number} {word}" for word, number in sorted(tally.items())))
    return int(tally["WRONG"] > 0)


if __name__ == "__main__":
    sys.exit(main())
