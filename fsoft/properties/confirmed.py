"""FALSE, for a run that has been replayed."""

from __future__ import annotations

from collections.abc import Sequence

from fsoft.program.explorer import approximations
from fsoft.program.inputs import Sampler
from fsoft.program.interpreter import Machine
from fsoft.program.locks import lock_lines
from fsoft.program.program import Program
from fsoft.program.replay import Finding, confirm_played, played_without_halts
from fsoft.program.verdict import Move, Stats, Verdict
from fsoft.properties import monitors


def false_verdict(machine: Machine, moves: list[Move], finding: Finding, stats: Stats) -> Verdict:
    """FALSE for a run that has been replayed, unless it passes an approximation that adds behaviour."""
    reasons = [f"{finding.loc}: {finding.message}", *finding.lines, *lock_lines(machine, moves, finding)]
    added = approximations(machine, moves)
    if added:
        return Verdict("UNKNOWN", finding.prop, [*reasons, *added], moves, stats, added)
    return Verdict("FALSE", finding.prop, reasons, moves, stats, loc=finding.loc)


def confirmed(program: Program, found: Sequence[Move], prop: str, stats: Stats) -> Verdict:
    """The verdict for a run of the Program that violates `prop`, replayed by the definition."""
    plain = Machine(program, compiled=False)
    played = played_without_halts(plain, found)
    finding = confirm_played(plain, played, Finding(prop, ""), monitors([prop]), Sampler(program))
    return false_verdict(plain, [one.move for one in played], finding, stats)
