"""`fsoft test` measured: `python -m benchmarks.compiled models|sctbench|convul|speed|agree [WORD...]`.

models    every FALSE row of a safety property of models/: found within --seconds (10)? Every TRUE row: no finding in --runs (200) runs?
sctbench  the programs of SCTBench (--folder: a checkout of mc-imperial/sctbench), found within 1,000 schedules?
convul    the CVE programs of ConVul (--folder: a checkout of wcventure/PERIOD)
speed     instrumented accesses a second while no thread is switched to
agree     the exhaustive strategy against the explorer, on rows without inputs
"""

from __future__ import annotations

import argparse
import subprocess
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
FAILURES = ("unreach-call", "no-deadlock", "valid-deref", "valid-free", "no-abort", "no-division-by-zero")
"""Failures that end a program; a race alone does not count."""


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


def sctbench(args: argparse.Namespace) -> int:
    """Programs whose name ends in _bad (or, for the philosophers, _sat) fail; the others do not."""
    folder = args.folder / "benchmarks" / "concurrent-software-benchmarks"
    tried = []
    for path in sorted(folder.glob("*.c")):
        bad = path.stem.endswith(("_bad", "_sat"))
        if not all(word in path.stem for word in args.words) or not bad:
            continue

        def request(program: str) -> TestRequest:
            return TestRequest(program, seconds=args.seconds, runs=1000, run_seconds=args.run_seconds)

        one = ask(path.stem, "fails", [Source(str(path))], request, FAILURES, ("-w", "-Wno-implicit"))
        alone = under_tsan(path, one.seconds) if args.tsan else ""
        print(
            "ok  " if one.found else "FAIL",
            one.name,
            f"{one.runs} runs {one.seconds:.1f} s",
            one.why[:160],
            f"| ThreadSanitizer: {alone}",
            flush=True,
        )
        tried.append(one)
    print(f"found {sum(bool(one.found) for one in tried)} / {len(tried)}")
    return 0


def under_tsan(path: Path, seconds: float) -> str:
    """What the plain program under ThreadSanitizer shows in the same time: how often it failed by itself (or hung for a second), and in
    how many runs a race was reported."""
    with tempfile.TemporaryDirectory(prefix="fsoft-bench-") as folder:
        program = Path(folder) / "program"
        command = ["gcc", "-g", "-O0", "-w", "-fsanitize=thread", str(path), "-o", str(program), "-lpthread", "-lm"]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            return "does not compile"
        failures = races = runs = 0
        end = time.monotonic() + max(seconds, 1.0)
        while time.monotonic() < end:
            try:
                done = subprocess.run(
                    ["setarch", "-R", str(program)], capture_output=True, timeout=max(end - time.monotonic(), 0.1), check=False
                )
            except subprocess.TimeoutExpired:
                failures += 1  # it hangs
                break
            runs += 1
            failures += done.returncode not in (0, 66)
            races += b"data race" in done.stderr
        return f"{failures} failures, {races} races in {runs} runs"


def convul(args: argparse.Namespace) -> int:
    """The CVE programs of ConVul: any memory error or crash counts."""
    tried = []
    for path in sorted((args.folder / "evaluation" / "ConVul-CVE-Benchmarks").glob("CVE-*/*.c*")):
        if not all(word in str(path) for word in args.words):
            continue

        def request(program: str) -> TestRequest:
            return TestRequest(program, seconds=60.0, runs=10**9, run_seconds=args.run_seconds)

        one = ask(path.parent.name, "fails", [Source(str(path))], request, ("valid-deref", "valid-free", "no-abort", "unreach-call"))
        print("ok  " if one.found else "FAIL", one.name, f"{one.runs} runs {one.seconds:.1f} s", one.why[:200], flush=True)
        tried.append(one)
    print(f"found {sum(bool(one.found) for one in tried)} / {len(tried)}")
    return 0


SPEED = """#include <pthread.h>
#include <stdio.h>
static int data[1024];
static void *work(void *p) {
  int *mine = p;
  for (long k = 0; k < ROUNDS; k++) mine[k & 1023] += (int)k;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, data);
  pthread_join(t, 0);
  return data[3] == -1;
}
"""


def speed(args: argparse.Namespace) -> int:
    """One thread writes to its own array: instrumented accesses a second, beside ThreadSanitizer and the plain program."""
    with tempfile.TemporaryDirectory(prefix="fsoft-bench-") as folder:
        path, rounds = Path(folder) / "speed.c", 20_000_000
        path.write_text(SPEED.replace("ROUNDS", str(rounds)), encoding="utf-8")
        program = compile_program([Source(str(path))], 64, folder, ["-O1"])
        times = {}
        for name, flags in (("plain", []), ("ThreadSanitizer", ["-fsanitize=thread"])):
            subprocess.run(["gcc", "-O1", "-g", *flags, str(path), "-o", f"{folder}/{name}", "-lpthread"], check=True)
            times[name] = min(_timed(["setarch", "-R", f"{folder}/{name}"]) for _ in range(3))
        campaign = Campaign(TestRequest(program, seconds=60.0, runs=3, run_seconds=30.0, operations=10**12), folder)
        campaign.run(lambda _: True)
    seconds = campaign.totals.seconds / max(campaign.totals.runs, 1)
    print(f"{campaign.totals.operations / campaign.totals.seconds / 1e6:.1f} million instrumented accesses a second")
    print(f"a run: {seconds:.2f} s; ThreadSanitizer {times['ThreadSanitizer']:.2f} s; plain {times['plain']:.2f} s")
    return 0


def _timed(command: Sequence[str]) -> float:
    start = time.monotonic()
    subprocess.run(command, check=False)
    return time.monotonic() - start


NOT_FIXED = ("nondet", "timedwait", "timedlock", "timedrdlock", "timedwrlock", "rand(", "compare_exchange_weak", "sleep")
"""What the exhaustive strategy fixes and the explorer does not: inputs, time, weak exchanges."""


def agree(args: argparse.Namespace) -> int:
    """The exhaustive strategy on rows whose programs have nothing else that is open. A search that ended must find what there is."""
    counts = Counter[str]()
    for row in [row for row in rows() if all(word in row.name for word in args.words) and row.verdict != "UNKNOWN"][:: args.every]:
        text = row.path.read_text(encoding="utf-8")
        if left_out(row) or any(word in text for word in NOT_FIXED):
            counts["left out"] += 1
            continue
        wanted = NO_PLACE.get(row.prop, (row.prop,))
        with tempfile.TemporaryDirectory(prefix="fsoft-bench-") as folder:
            try:
                program = compile_program([Source(str(row.path), define=row.defines)], 64, folder)
            except InputError:
                counts["does not compile"] += 1
                continue
            request = TestRequest(program, strategy="exhaustive", runs=200_000, seconds=args.seconds, run_seconds=args.run_seconds)
            campaign = Campaign(request, folder)
            campaign.run(lambda _: False)
        found = any(group.raw.prop in wanted for group in campaign.groups.values())
        false = row.verdict.startswith("FALSE")
        what = "not ended" if not campaign.totals.complete and not found else "agrees" if found == false else "DISAGREES"
        counts[what] += 1
        if what == "DISAGREES" or args.verbose:
            print(what, row.verdict, row.name, f"{campaign.totals.runs} runs", flush=True)
    print(dict(counts))
    return 1 if counts["DISAGREES"] else 0


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
    parser.add_argument("--tsan", action="store_true", help="of sctbench: the plain program under ThreadSanitizer beside it")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args(argv)
    return PARTS[args.what](args)


PARTS: dict[str, Callable[[argparse.Namespace], int]] = {
    "models": models,
    "sctbench": sctbench,
    "convul": convul,
    "speed": speed,
    "agree": agree,
}

if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
