"""The files about a verdict, each with whoever writes it: witnesses, SARIF, JUnit."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace

from fsoft.cli.arguments import Request
from fsoft.cli.reports import GRAPHML, Job
from fsoft.process.files import utf8, write_file
from fsoft.program.program import Program
from fsoft.program.verdict import Verdict
from fsoft.trace.junit import junit
from fsoft.trace.outcome import ReportedAnswer, outcome
from fsoft.trace.sarif import sarif
from fsoft.trace.task import ReportTask
from fsoft.trace.witness import witness


def answer_jobs(args: argparse.Namespace, asked: Request, program: Program | None, verdict: Verdict, code: int) -> list[Job]:
    """Those about a verdict on properties of states."""
    name = next(iter(asked.options.checks)) if len(asked.options.checks) == 1 else ""
    task, told = task_of(args, asked), outcome(program, verdict, name)
    return [*_logs(args, task, [told], code), *_witnesses(args, task, program, told)]


def run_jobs(
    args: argparse.Namespace, asked: Request, told: Sequence[ReportedAnswer], code: int, shown: tuple[int, Program | None, str]
) -> list[Job]:
    """Those about several verdicts; `shown` is the one that a witness is about: its number, its Program, and its formula if it has one."""
    number, program, formula = shown
    task = task_of(args, asked)
    return [*_logs(args, task, told, code), *_witnesses(args, replace(task, formula=formula), program, told[number])]


def task_of(args: argparse.Namespace, asked: Request) -> ReportTask:
    """What was asked, as the files name it."""
    command = shlex.join(["fsoft", "check", *getattr(args, "argv", [])])
    return ReportTask(tuple(source.path for source in asked.sources), asked.bits, asked.options.checks, asked.options.entry, command)


def _logs(args: argparse.Namespace, task: ReportTask, outcomes: Sequence[ReportedAnswer], code: int) -> Iterator[Job]:
    if args.sarif is not None:
        yield lambda: write_file(args.sarif, utf8(sarif(task, outcomes, code)))
    if args.junit is not None:
        yield lambda: write_file(args.junit, utf8(junit(task, outcomes)))


def _witnesses(args: argparse.Namespace, task: ReportTask, program: Program | None, one: ReportedAnswer) -> Iterator[Job]:
    if args.graphml_witness is not None:
        yield lambda: _write_witness(args.graphml_witness, "1.0", task, program, one)
    if args.witness is not None:
        version = "1.0" if args.witness.endswith(GRAPHML) else args.witness_version
        yield lambda: _write_witness(args.witness, version, task, program, one)


def _write_witness(path: str, version: str | None, task: ReportTask, program: Program | None, one: ReportedAnswer) -> None:
    """The witness of a verdict. UNKNOWN has none: a witness of an earlier run under that name would be taken for it, and goes."""
    text = None if program is None else witness(task, program, one, version)
    if text is not None:
        write_file(path, utf8(text))
    elif os.path.isfile(path):
        os.unlink(path)
