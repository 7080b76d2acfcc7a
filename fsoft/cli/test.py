"""`fsoft test`: the user's own program, compiled by gcc and executed many times under schedules of ours."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fsoft.cli import exits
from fsoft.cli.arguments import Parser, add_reading, positive, seconds, sources_of
from fsoft.cli.finding_reports import write_reports
from fsoft.compiled.campaign import STRATEGIES, Campaign, TestRequest
from fsoft.compiled.findings import BuildRecipe, Found, TestSummary, confirm, finding_json, report_json
from fsoft.compiled.telling import stack_of
from fsoft.compiled.toolchain import compile_program
from fsoft.frontend.source import InputError, Loc, Source
from fsoft.frontend.types import HOST
from fsoft.process.fence import tool
from fsoft.process.files import check_writable, utf8, write_file
from fsoft.process.interrupts import scratch
from fsoft.program.options import PROPERTIES
from fsoft.trace.text import Style, text_of_story

NO_ABORT = "no-abort"
_RUNS, _SECONDS, _RUN = 10000, 60.0, 5.0
_SHIMS = {"gcc": "cc", "cc": "cc", "g++": "cxx", "c++": "cxx", "clang": "cc", "clang++": "cxx"}


@dataclass(frozen=True, slots=True)
class _Built:
    program: str
    arguments: tuple[str, ...]
    recipe: BuildRecipe


def run(argv: Sequence[str]) -> int:
    end = argv.index("--") if "--" in argv else len(argv)
    args = _parser().parse_args(list(argv[:end]))
    rest = tuple(argv[end + 1 :])
    _check(args, rest)
    with scratch("fsoft-test-") as folder:
        built = _build(args, rest, folder)
        return _test(args, built, folder)


def _parser() -> Parser:
    what = "Execute the program, compiled by gcc, many times under schedules of ours. Exit code 10 if it fails, 5 if it does not."
    parser = Parser("test", what)
    parser.usage = "fsoft test FILE... [options] [-- ARGUMENT...]   or   fsoft test --build 'make prog' [options] -- ./prog ARGUMENT..."
    add_reading(parser)
    group = parser.add_argument_group("the program")
    group.add_argument("--build", metavar="COMMAND", help="build it with this command instead; what follows -- is then the program")
    group.add_argument("--cflags", metavar="FLAGS", default="", help="more flags for gcc or g++ (files ending in .cc, .cpp, ...)")
    group.add_argument("--stdin", metavar="FILE", default="", help="the standard input of every run (nothing)")
    group = parser.add_argument_group("the runs")
    group.add_argument(
        "--strategy", choices=STRATEGIES, default="mix", help="who goes on; " + "; ".join(f"{k}: {v}" for k, v in STRATEGIES.items())
    )
    group.add_argument("--depth", type=positive, default=0, metavar="D", help="of pct: bugs that need so many orders (2 to 4 in turn)")
    group.add_argument("--bound", type=int, default=-1, metavar="N", help="of exhaustive: at most so many preemptions (any number)")
    group.add_argument("--seed", type=int, default=1, metavar="N", help="where the choices of the runs begin (1)")
    group.add_argument("--runs", type=positive, default=_RUNS, metavar="N", help=f"at most so many ({_RUNS})")
    group.add_argument("--timeout", type=seconds, default=_SECONDS, metavar="S", help=f"stop after so many seconds ({_SECONDS:g})")
    group.add_argument("--run-timeout", type=seconds, default=_RUN, metavar="S", help=f"for one run ({_RUN:g})")
    group.add_argument("--jobs", type=positive, default=1, metavar="N", help="so many runs at the same time (1)")
    group.add_argument("--corpus", metavar="DIR", help="keep findings and coverage in this folder, and go on from there")
    group.add_argument("--until-found", action="store_true", help="stop at the first finding")
    group.add_argument("--network", action="store_true", help="let the program use the network of this machine")
    names = ", ".join((*PROPERTIES, NO_ABORT))
    group.add_argument("--check", action="append", default=[], metavar="PROPERTY", help=f"only findings about this property: {names} (all)")
    group = parser.add_argument_group("the answer")
    group.add_argument("--json", action="store_true", help="print findings and coverage as JSON")
    group.add_argument("--output", metavar="DIR", help="write each finding to DIR/finding-N.json, for fsoft replay")
    group.add_argument("--html", metavar="FILE", help="write the first finding as a page for a browser")
    group.add_argument("--sarif", metavar="FILE", help="write findings as SARIF 2.1.0")
    group.add_argument("--junit", metavar="FILE", help="write findings as JUnit XML")
    group.add_argument("--all-steps", action="store_true", help="show every step of a run")
    return parser


def _check(args: argparse.Namespace, rest: Sequence[str]) -> None:
    if args.build is not None and args.files:
        raise exits.UsageError("--build says how the program is made: give no C files beside it")
    if args.build is not None and not rest:
        raise exits.UsageError("--build needs the program after --: fsoft test --build 'make prog' -- ./prog")
    if args.build is None and not args.files:
        raise exits.UsageError("no input file (or --build COMMAND -- PROGRAM)")
    for name in args.check:
        if name not in (*PROPERTIES, NO_ABORT):
            raise exits.UsageError(f"no property '{name}': one of {', '.join((*PROPERTIES, NO_ABORT))}")
    if args.stdin and not os.path.isfile(args.stdin):
        raise InputError(Loc(args.stdin, 0), "cannot be read: no such file")
    for name in ("html", "sarif", "junit"):
        if getattr(args, name):
            check_writable(getattr(args, name))


# ---------------------------------------------------------------- the program


def _build(args: argparse.Namespace, rest: tuple[str, ...], folder: str) -> _Built:
    bits = args.bits or HOST.pointer_bits
    stdin = os.path.abspath(args.stdin) if args.stdin else ""
    if args.build is not None:
        _own_build(args.build, folder)
        program = shutil.which(rest[0]) or rest[0]
        if not os.access(program, os.X_OK):
            raise InputError(Loc(rest[0], 0), f"is not a program that can be executed after '{args.build}'")
        return _Built(program, rest[1:], BuildRecipe(build=args.build, command=rest, arguments=rest[1:], bits=bits, stdin=stdin))
    sources = sources_of(args)
    flags = tuple(shlex.split(args.cflags))
    program = compile_program(sources, bits, folder, flags)
    return _Built(program, rest, _recipe(sources, flags, bits, rest, stdin))


def _recipe(sources: Sequence[Source], flags: tuple[str, ...], bits: int, rest: tuple[str, ...], stdin: str) -> BuildRecipe:
    first = sources[0]
    return BuildRecipe(
        tuple(source.path for source in sources), flags, bits, "", (), rest, stdin, first.define, first.include, first.undefine
    )


def _own_build(command: str, folder: str) -> None:
    """The user's command, with compilers of ours first on the PATH."""
    shims = Path(folder) / "compilers"
    shims.mkdir()
    before = os.environ.get("PATH", os.defpath)
    for name, wrapper in _SHIMS.items():
        real = shutil.which(name)
        if real is None:
            continue
        call = shlex.join([sys.executable, "-m", "fsoft", wrapper])
        text = f'#!/bin/sh\nFSOFT_COMPILER={shlex.quote(real)} PATH={shlex.quote(before)} exec {call} "$@"\n'
        (shims / name).write_text(text, encoding="utf-8")
        (shims / name).chmod(0o755)
    environment = {**os.environ, "PATH": f"{shims}{os.pathsep}{before}", "CC": str(shims / "cc"), "CXX": str(shims / "c++")}
    done = tool(["/bin/sh", "-c", command], environment=environment)
    if done.returncode:
        lines = os.fsdecode(done.stderr or done.stdout).strip().splitlines()
        raise InputError(Loc("--build", 0), f"'{command}' fails with code {done.returncode}: {lines[-1] if lines else 'no message'}")


# ---------------------------------------------------------------- the runs


def _test(args: argparse.Namespace, built: _Built, folder: str) -> int:
    request = TestRequest(
        built.program, built.arguments, args.strategy, args.seed, args.depth, args.bound, args.runs, args.timeout, args.run_timeout,
        jobs=args.jobs, stdin=built.recipe.stdin, apart=not args.network,
    )  # fmt: skip
    state = ""
    if args.corpus:
        os.makedirs(args.corpus, exist_ok=True)
        state = os.path.abspath(os.path.join(args.corpus, "state"))
    campaign = Campaign(request, folder, state)
    campaign.run(_Progress(args))
    if not campaign.totals.runs:
        raise InputError(
            Loc(built.program, 0),
            "the runtime of fsoft test does not get to run: was it built with fsoft cc, and is it dynamically linked?",
        )
    summary = confirm(campaign, frozenset(args.check))
    _write_files(args, campaign, summary, built.recipe)
    if args.json:
        print(report_json(campaign, summary, built.recipe), end="")
    else:
        _print(args, campaign, summary)
    return exits.FALSE if summary.verdict != "UNKNOWN" else exits.UNKNOWN


class _Progress:
    """Shows how far the runs are, on a terminal; says whether to go on."""

    def __init__(self, args: argparse.Namespace):
        self._until_found, self._checks, self._shown = args.until_found, frozenset(args.check), sys.stderr.isatty()
        self._start = time.monotonic()

    def __call__(self, campaign: Campaign) -> bool:
        totals = campaign.totals
        found = [group for group in campaign.groups.values() if not self._checks or group.raw.prop in self._checks]
        if self._shown:
            rate = totals.runs / max(time.monotonic() - self._start, 0.01)
            line = f"{totals.runs} runs, {rate:.0f}/s, {totals.distinct} interleavings, {totals.pairs} pairs, {len(found)} findings"
            print(f"\r{line:<100}", end="", file=sys.stderr, flush=True)
        return not (found and self._until_found)


def _print(args: argparse.Namespace, campaign: Campaign, summary: TestSummary) -> None:
    if sys.stderr.isatty():
        print("\r" + " " * 100 + "\r", end="", file=sys.stderr, flush=True)
    for number, found in enumerate(summary.found, 1):
        _print_finding(args, campaign, number, found)
    for line in _covered(campaign, summary):
        print(line)
    print(summary.verdict)


def _print_finding(args: argparse.Namespace, campaign: Campaign, number: int, found: Found) -> None:
    if found.story is not None and (number == 1 or args.all_steps):
        print(text_of_story(found.story, Style.of_terminal(everything=args.all_steps)), end="\n\n")
    times = f"{found.count} of {campaign.totals.runs} runs"
    print(f"{found.loc}: {found.title}: {found.message} [{found.raw.prop}; {times}; {found.switches} switches]")
    if not found.confirmed:
        print(f"  not certain: it came up again in {found.repeated} of {found.tried} repetitions")
    for side in found.raw.sides:
        print("  " + f"thread {side.thread}: " + " < ".join(map(str, stack_of(side, campaign.book)[:6])))


def _covered(campaign: Campaign, summary: TestSummary) -> list[str]:
    totals = campaign.totals
    rate = totals.runs / max(totals.seconds, 0.001)
    lines = [
        f"{totals.runs} runs ({rate:.0f} a second), {totals.distinct} different interleavings, "
        f"{totals.operations} operations, {totals.switches} switches",
        f"{totals.pairs} pairs of places accessed the same memory one after the other, {totals.both} of them in both orders",
    ]
    if totals.hangs:
        lines.append(
            f"hang: {totals.hangs} runs took longer than {campaign.request.run_seconds:g} s (a finding, but no proof that they never end)"
        )
    if totals.cuts:
        lines.append(f"{totals.cuts} runs were cut after {campaign.request.operations} operations")
    if campaign.killed:
        lines.append(f"{len(campaign.killed)} runs were ended by a signal that the runtime did not see")
    if totals.complete:
        lines.append("all interleavings with these inputs were seen" if not summary.found else "the search ended")
    return lines


# ---------------------------------------------------------------- files


def _write_files(args: argparse.Namespace, campaign: Campaign, summary: TestSummary, recipe: BuildRecipe) -> None:
    folder = args.output or args.corpus
    if folder:
        os.makedirs(folder, exist_ok=True)
        for number, found in enumerate(summary.found, 1):
            write_file(os.path.join(folder, f"finding-{number}.json"), utf8(json.dumps(finding_json(found, recipe), indent=1) + "\n"))
    if args.html or args.sarif or args.junit:
        write_reports(args, campaign, summary, recipe)


__all__ = ["run"]
