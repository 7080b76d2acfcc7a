"""What `fsoft run --schedule` says: which thread makes each move."""

from __future__ import annotations

from fsoft.cli.exits import UsageError
from fsoft.program.program import Program
from fsoft.program.run import Turn
from fsoft.trace.schedule import BadSchedule, Schedule, read_schedule


def read_turns(text: str, program: Program) -> Schedule:
    """What `--schedule` says."""
    try:
        return read_schedule(text, program)
    except BadSchedule as error:
        raise UsageError(f"--schedule: {error}") from None


def schedule_turns(text: str, program: Program) -> list[Turn]:
    """The turns that `--schedule` names; there is no loop."""
    found = read_turns(text, program)
    if found.loop is not None:
        raise UsageError("--schedule: a loop '(...)' is for properties of runs: --ltl, or --property termination")
    return found.turns
