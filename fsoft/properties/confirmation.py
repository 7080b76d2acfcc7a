"""FALSE, for a run that has been replayed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from fsoft.program.cuts import Cut
from fsoft.program.inputs import Sampler
from fsoft.program.interpreter import Machine
from fsoft.program.locks import lock_lines
from fsoft.program.markers import approximations
from fsoft.program.program import Program
from fsoft.program.replay import Finding, Played, confirm_played, played_without_halts
from fsoft.program.state import ChoicePoint
from fsoft.program.verdict import InternalError, Move, Stats, Verdict
from fsoft.properties import monitors


def false_verdict(machine: Machine, moves: list[Move], finding: Finding, stats: Stats) -> Verdict:
    """FALSE for a run that has been replayed, unless it passes an approximation that adds behaviour."""
    reasons = [f"{finding.loc}: {finding.message}", *finding.lines, *lock_lines(machine, moves, finding)]
    added = approximations(machine, moves, finding.prop)
    if added:
        return Verdict("UNKNOWN", finding.prop, reasons, moves, stats, added)
    return Verdict("FALSE", finding.prop, reasons, moves, stats, loc=finding.loc)


class Recording(Protocol):
    """Answers to try when the end of a run is looked at. `undefined` names the undefined cells that were asked for."""

    undefined: dict[str, None]

    def __call__(self, question: ChoicePoint, options: Sequence[int] | None) -> Sequence[int]: ...


class _Tried:
    """The usual answers, or those that are `given`, by their width."""

    def __init__(self, program: Program, given: dict[int, list[int]] | None = None):
        self.usual, self.given = Sampler(program), given
        self.undefined: dict[str, None] = {}

    def __call__(self, question: ChoicePoint, options: Sequence[int] | None) -> Sequence[int]:
        if question.kind == "undefined":
            self.undefined[question.name] = None
        if options is None and self.given is not None:
            return self.given.get(question.width, [0])
        return self.usual(question, options)


def judge_run(machine: Machine, played: list[Played], prop: str, answers: Recording, stats: Stats) -> Verdict:
    """The verdict for a run that has just been played and is said to violate `prop`: FALSE, or an InternalError. A deadlock that some
    values of undefined memory end is none, but then it is not known what other runs there are."""
    moves = [one.move for one in played]
    try:
        finding = confirm_played(machine, played, Finding(prop, ""), monitors([prop]), answers)
    except InternalError:
        if prop != "no-deadlock" or not answers.undefined:
            raise
        cuts = [Cut("said", what=f"a thread is blocked only for some values of undefined memory: {name}") for name in answers.undefined]
        return Verdict("UNKNOWN", prop, [], moves, stats, cuts)
    return false_verdict(machine, moves, finding, stats)


def confirm_run(program: Program, found: Sequence[Move], prop: str, stats: Stats, given: Iterable[tuple[int, int]] = ()) -> Verdict:
    """The verdict for a run of the Program that violates `prop`, replayed by the definition. `given` are values (with their widths) that
    choices had where the run was found: a pending access may depend on one that nobody would guess."""
    plain = Machine(program, compiled=False)
    played = played_without_halts(plain, found)
    try:
        return judge_run(plain, played, prop, _Tried(program), stats)
    except InternalError:
        values: dict[int, list[int]] = {}
        for width, value in dict.fromkeys(given):
            values.setdefault(width, []).append(value)
        if not values:
            raise
        return judge_run(plain, played, prop, _Tried(program, values), stats)
