"""`fsoft test` measured: `python -m benchmarks.compiled models|sctbench|convul|speed|agree [WORD...]`.

models    every FALSE row of a safety property of models/: found within --seconds (10)? Every TRUE row: no finding in --runs (200) runs?
sctbench  the programs of SCTBench (--folder: a checkout of mc-imperial/sctbench), found within 1,000 schedules?
convul    the CVE programs of ConVul (--folder: a checkout of wcventure/PERIOD)
speed     instrumented accesses a second while no thread is switched to
agree     the exhaustive strategy against the explorer, on rows without inputs
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fsoft.compiled.campaign import Campaign, TestRequest
from fsoft.compiled.findings import TestSummary, confirm
from fsoft.compiled.toolchain import compile_program
from fsoft.frontend.source import InputError, Source
from tests.models.table import RUNS, Row, rows

NO_PLACE = {"valid-deref": ("valid-deref", "no-bad-index"), "no-bad-index": ("no-bad-index", "valid-deref")}
"""Properties that gcc and the heap of the runtime cannot always tell apart."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of one program: the properties found, and when the first was."""

    name: str
    expected: str
    found: tuple[str, ...]
    runs: int
    seconds: float
    why: str = ""
    confirmed: bool = True


def left_out(row: Row) -> str:
    """Why a row cannot be asked about here; "" if it can."""
    if row.prop in RUNS:
        return "a property of infinite runs"
    if row.model != "LP64":
        return "32 bits"
    if "c11" in row.options and row.verdict.startswith("FALSE"):
        return "only memory orders show it"
    for option in ("--malloc-may-fail", "--library-may-fail"):
        if option in row.options:
            return option
    if "--eval-order" in row.options and "left" not in row.options:
        return "another order of evaluation than gcc's"
    if row.program.startswith("arguments/"):
        return "arguments of the program"
    return ""


def ask(
    name: str,
    expected: str,
    sources: Sequence[Source],
    request: Callable[[str], TestRequest],
    wanted: tuple[str, ...],
    flags: Sequence[str] = (),
) -> Tried:
    """Compile and run until something wanted is found, or the limits are reached."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="fsoft-bench-") as folder:
        try:
            program = compile_program(sources, 64, folder, flags)
        except InputError as error:
            return Tried(name, expected, (), 0, 0.0, str(error))
        campaign = Campaign(request(program), folder)
        campaign.run(lambda c: not any(not wanted or g.raw.prop in wanted for g in c.groups.values()))
        seconds = time.monotonic() - start
        summary = confirm(campaign, frozenset(wanted), 0.3)
    props = tuple(dict.fromkeys(one.raw.prop for one in summary.found if one.confirmed))
    return Tried(name, expected, props, campaign.totals.runs, seconds, _why(summary, campaign), all(one.confirmed for one in summary.found))


def _why(summary: TestSummary, campaign: Campaign) -> str:
    parts = [f"{one.title}: {one.message} ({one.repeated}/{one.tried})" for one in summary.found[:3]]
    if campaign.totals.hangs:
        parts.append(f"{campaign.totals.hangs} hangs")
    if campaign.killed:
        parts.append(f"{len(campaign.killed)} killed by a signal")
    return "; ".join(parts)


def models(args: argparse.Namespace) -> int:
    asked = [row for row in rows() if all(word in row.name for word in args.words) and row.verdict != "UNKNOWN"]
    if args.only:
        asked = [row for row in asked if row.verdict.startswith(args.only)]
    found, total, left, wrong = Counter[str](), Counter[str](), Counter[str](), []
    for row in asked[:: args.every]:
        if reason := left_out(row):
            left[reason] += 1
            continue
        false = row.verdict.startswith("FALSE")
        wanted = NO_PLACE.get(row.prop, (row.prop,)) if false else (row.prop,)

        def request(program: str, false: bool = false) -> TestRequest:
            return TestRequest(
                program, seconds=args.seconds if false else 60.0, runs=10**9 if false else args.runs, run_seconds=args.run_seconds
            )

        tried = ask(row.name, row.verdict, [Source(str(row.path), define=row.defines)], request, wanted)
        good = bool(tried.found) == false
        total[row.verdict] += 1
        found[row.verdict] += good
        if not good or args.verbose:
            wrong.append(tried)
            print("ok  " if good else "FAIL", row.verdict, tried.name, f"{tried.runs} runs {tried.seconds:.1f} s", tried.why, flush=True)
    print("left out:", dict(left))
    for verdict in sorted(total):
        print(f"{verdict:<28}{found[verdict]:>4} / {total[verdict]}")
    false_total = sum(count for verdict, count in total.items() if verdict != "TRUE")
    false_found = sum(found[verdict] for verdict in total if verdict != "TRUE")
    print(f"{'FALSE':<28}{false_found:>4} / {false_total}")
    return 0


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.compiled", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=PARTS)
    parser.add_argument("words", nargs="*", help="only programs whose name contains all of these")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--run-seconds", type=float, default=2.0)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth row")
    parser.add_argument("--only", choices=("TRUE", "FALSE"), default="", help="of models: rows with that verdict")
    parser.add_argument("--folder", type=Path, help="where the programs are")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args(argv)
    return PARTS[args.what](args)


PARTS: dict[str, Callable[[argparse.Namespace], int]] = {"models": models}

if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
