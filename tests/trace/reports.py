"""Programs with known violations, checked once, for the tests of report files."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from fsoft.ask.load import Options, check, load
from fsoft.program.program import Program
from fsoft.trace.outcome import ReportedAnswer, outcome
from fsoft.trace.task import ReportTask

MODELS = Path(__file__).resolve().parents[2] / "models"
CASES = {
    "race": ("classic/account.c", ("UNLOCKED",), "no-data-race"),
    "assertion": ("classic/account.c", ("UNLOCKED",), "unreach-call"),
    "deadlock": ("sync/lost_wakeup.c", ("GAP",), "no-deadlock"),
    "true": ("classic/account.c", (), "unreach-call"),
}


@cache
def answered(name: str) -> tuple[ReportTask, Program, ReportedAnswer]:
    """The task, the program and the outcome of a case."""
    path, define, prop = CASES[name]
    return answer(str(MODELS / path), prop, define)


def answer(path: str, prop: str, define: tuple[str, ...] = ()) -> tuple[ReportTask, Program, ReportedAnswer]:
    options = Options(checks=frozenset({prop}))
    program = load([path], options, define=define)
    verdict = check([path], options, define=define)
    return ReportTask((path,), 32, options.checks, command="fsoft check"), program, outcome(program, verdict, prop)
