"""Files that `fsoft check` writes beside what it prints: witnesses, SARIF, JUnit.

Where each goes is checked before the work begins; they are written after the verdict has been printed, each under a temporary name first.
So a full disk costs neither the verdict nor the report of yesterday.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from fsoft.cli.arguments import Request
from fsoft.cli.exits import UsageError
from fsoft.frontend.source import InputError
from fsoft.process.files import check_writable
from fsoft.program.program import Program
from fsoft.program.verdict import Verdict

if TYPE_CHECKING:
    from fsoft.trace.outcome import ReportedAnswer

GRAPHML = (".graphml", ".xml")
YAML = (".yml", ".yaml")
VERSIONS = ("1.0", "2.0", "2.2")


def add_reports(group: argparse._ArgumentGroup) -> None:
    """The options."""
    known = "write a witness there: SV-COMP GraphML (.graphml) or YAML (.yml); with a model file, the stimulus (aigsim or BTOR2)"
    group.add_argument("--witness", metavar="FILE", help=known)
    group.add_argument("--graphml-witness", metavar="FILE", help="the same as --witness FILE, in GraphML whatever the name")
    group.add_argument("--witness-version", choices=VERSIONS, help="1.0 is GraphML; 2.0 or 2.2 (with threads) for YAML")
    group.add_argument("--sarif", metavar="FILE", help="write violations as SARIF 2.1.0, one thread flow per thread")
    group.add_argument("--junit", metavar="FILE", help="write JUnit XML, one test case per property")


def check_reports(args: argparse.Namespace, runs: bool = False) -> None:
    """UsageError or InputError, before any work is done, for files that could not be written. `runs`: properties of runs are asked."""
    if runs and args.witness and args.witness.endswith(YAML):
        raise UsageError("--witness: YAML witnesses have no lassos; .graphml, --sarif and --json do")
    if args.witness and not args.witness.endswith((*GRAPHML, *YAML)):
        raise UsageError(f"--witness {args.witness}: the name must end in .graphml or .yml")
    if args.witness_version is not None:
        _check_version(args)
    for name in ("witness", "graphml_witness", "sarif", "junit", "html", "trace_file"):
        if getattr(args, name, None) is not None:
            check_writable(getattr(args, name))


def _check_version(args: argparse.Namespace) -> None:
    if args.witness is None and args.graphml_witness is None:
        raise UsageError("--witness-version needs --witness FILE")
    graphml = args.witness is None or args.witness.endswith(GRAPHML)
    if graphml != (args.witness_version == "1.0"):
        wanted = "1.0" if graphml else "2.0 or 2.2"
        raise UsageError(f"--witness-version {args.witness_version}: {args.witness or args.graphml_witness} can only be {wanted}")


Told = Callable[[], "Sequence[ReportedAnswer]"]


Job = Callable[[], None]
"""Writes one file."""


def write_all(jobs: Iterable[Job]) -> None:
    """All of them: one that fails keeps no other from being written. What went wrong is said here, the last of it as an InputError."""
    failed: list[InputError] = []
    for job in jobs:
        try:
            job()
        except InputError as error:
            failed.append(error)
    for other in failed[:-1]:
        print(other, file=sys.stderr)
    if failed:
        raise failed[-1]


def write_reports(
    args: argparse.Namespace, asked: Request, program: Program | None, verdict: Verdict, code: int, before: Sequence[Job] = ()
) -> None:
    """All the files about a verdict on properties of states, and those that `before` writes."""
    jobs = [*before]
    if wanted(args):
        from fsoft.cli.report_files import answer_jobs  # XML and SARIF: only where such a file is asked for

        jobs += answer_jobs(args, asked, program, verdict, code)
    write_all(jobs)


def write_run_reports(args: argparse.Namespace, asked: Request, outcomes: Told, code: int, shown: tuple[int, Program | None, str]) -> None:
    """All the files about several verdicts. A witness is about one of them: its number, its Program, and its formula if it has one."""
    if not wanted(args):
        return
    from fsoft.cli.report_files import run_jobs  # the same

    write_all(run_jobs(args, asked, outcomes(), code, shown))


def wanted(args: argparse.Namespace) -> bool:
    """Whether any of these files is asked for."""
    return any(path is not None for path in (args.witness, args.graphml_witness, args.sarif, args.junit))


def shown(args: argparse.Namespace) -> bool:
    """Whether anybody will see the trace."""
    return bool(args.trace or args.json or args.trace_file or args.html or wanted(args))
