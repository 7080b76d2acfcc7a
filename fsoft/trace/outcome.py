"""One answer as report files tell it: the property, the verdict, and the run that shows a violation."""

from __future__ import annotations

from dataclasses import dataclass

from fsoft.program.program import Program
from fsoft.program.verdict import Verdict
from fsoft.trace.statements import ThreadStory, told


@dataclass(frozen=True, slots=True)
class ReportedAnswer:
    """`name` is what was asked: a property, a formula, or "" for several properties at once. `story` is there if there is a run to tell."""

    name: str
    verdict: Verdict
    story: ThreadStory | None = None

    @property
    def message(self) -> str:
        """The first reason, without the place that it begins with."""
        first = next(iter(self.verdict.lines()), self.verdict.last_line())
        return first.removeprefix(f"{self.verdict.loc}: ")


def outcome(program: Program | None, verdict: Verdict, name: str = "", loop: int | None = None) -> ReportedAnswer:
    """The outcome with its run told. `loop` is the number of the move with which the loop of a lasso begins."""
    if program is None or verdict.kind != "FALSE":
        return ReportedAnswer(name, verdict)
    return ReportedAnswer(name, verdict, told(program, verdict.trace, verdict.prop, loop, verdict.loc))


__all__ = ["ReportedAnswer", "outcome"]
