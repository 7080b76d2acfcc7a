"""Answers as JUnit XML, for the dashboards of continuous integration: one test case per property.

TRUE passes, FALSE is a failure with its reasons, UNKNOWN is an error: it is no test that passed. When several properties are asked at once,
the search ends with the first violation; the others are then skipped, because nothing is known about them.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from fsoft.trace.outcome import ReportedAnswer
from fsoft.trace.statements import ThreadStory
from fsoft.trace.task import PRODUCER, ReportTask, creation_time


def junit(task: ReportTask, outcomes: Sequence[ReportedAnswer]) -> str:
    """One suite for the program."""
    cases = [case for one in outcomes for case in _cases(task, one)]
    counts = {tag: sum(f"<{tag} " in case for case in cases) for tag in ("failure", "error", "skipped")}
    seconds = sum(one.verdict.stats.seconds for one in outcomes)
    numbers = f'tests="{len(cases)}" failures="{counts["failure"]}" errors="{counts["error"]}" skipped="{counts["skipped"]}"'
    name = quoteattr(" ".join(task.files))
    head = f'<testsuite name={name} {numbers} time="{seconds:.3f}" timestamp="{creation_time().rstrip("Z")}">'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuites name="{PRODUCER}" {numbers} time="{seconds:.3f}">', f"  {head}"]
    return "\n".join([*lines, *cases, "  </testsuite>", "</testsuites>", ""])


def _cases(task: ReportTask, one: ReportedAnswer) -> list[str]:
    names = [one.name] if one.name else sorted(task.checks)
    return [_case(task, one, name, one.verdict.stats.seconds / len(names)) for name in names]


def _case(task: ReportTask, one: ReportedAnswer, name: str, seconds: float) -> str:
    verdict = one.verdict
    body = ""
    if verdict.kind == "FALSE" and not one.name and name != verdict.prop:
        body = f"<skipped message={_attribute(f'not decided: the search ended with a violation of {verdict.prop}')}/>"
    elif verdict.kind == "FALSE":
        text = escape(_printable("\n".join([*verdict.lines(), *_run(one.story)])))
        body = f"<failure type={_attribute(verdict.prop)} message={_attribute(one.message)}>{text}</failure>"
    elif verdict.kind != "TRUE":
        text = escape(_printable("\n".join(verdict.lines())))
        body = f'<error type="UNKNOWN" message={_attribute(one.message)}>{text}</error>'
    head = f'    <testcase classname={_attribute(task.files[0])} name={_attribute(name)} time="{seconds:.3f}"'
    return f"{head}>{body}</testcase>" if body else f"{head}/>"


def _run(story: ThreadStory | None) -> list[str]:
    """The run, a line per statement."""
    statements = story.statements if story is not None else []
    return ["", *(f"thread {s.thread}  {s.loc.file}:{s.loc.line}  {s.text}" for s in statements if s.text)]


def _attribute(text: str) -> str:
    return quoteattr(_printable(text))


def _printable(text: str) -> str:
    """Without the characters that XML cannot hold."""
    return "".join(c if c in "\t\n" or ord(c) >= 32 else "?" for c in text)


__all__ = ["junit"]
