"""A run as two short lists: who moves, and what the program is told. `fsoft run` makes the run happen again from them.

    0*3,1,2/2*4     thread 0 moves three times, thread 1 once, then thread 2 four times, each time taking the second of its ways
    0*3(1,2)        the same for ever: after three moves of thread 0, threads 1 and 2 take turns (a lasso)

Threads are numbers or names. A way is needed only where a thread could take several steps and does not take the first that it can.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from fsoft.program.interpreter import Machine
from fsoft.program.program import Program
from fsoft.program.run import Turn, turns_of
from fsoft.program.verdict import Move


class BadSchedule(ValueError):
    """The text is no schedule of the program."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """`loop` is the number of the turn with which the loop of a lasso begins (None: there is no loop)."""

    turns: list[Turn]
    loop: int | None = None


def text_of_turns(turns: Sequence[Turn], loop: int | None = None) -> str:
    """The compact form."""
    if loop is not None:
        return f"{text_of_turns(turns[:loop])}({text_of_turns(turns[loop:])})"
    parts = []
    for turn, group in groupby(turns):
        count = len(list(group))
        parts.append(f"{turn.slot}" + (f"/{turn.way}" if turn.way else "") + (f"*{count}" if count > 1 else ""))
    return ",".join(parts)


def schedule_of(machine: Machine, moves: Sequence[Move], loop: int | None = None) -> tuple[str, str]:
    """The schedule and the inputs of a run, as `--schedule` and `--inputs` take them."""
    return text_of_turns(turns_of(machine, moves), loop), ",".join(str(value) for move in moves for value in move.choices)


def read_schedule(text: str, program: Program) -> Schedule:
    """The inverse of `text_of_turns`."""
    stem, bracket, rest = text.partition("(")
    turns = _turns(stem, program)
    if not bracket:
        return Schedule(turns)
    inside, closed, after = rest.partition(")")
    if not closed or after.strip():
        raise BadSchedule("a loop '(...)' is the end of a schedule")
    return Schedule(turns + _turns(inside, program), len(turns))


def _turns(text: str, program: Program) -> list[Turn]:
    turns: list[Turn] = []
    for word in re.split(r"[,\s]+", text):
        if not word:
            continue
        match = re.fullmatch(r"(.+?)(?:/(\d+))?(?:\*(\d+))?", word)
        matching = [t.index for t in program.threads if match and match[1] in (str(t.index), t.name)]
        if match is None or not matching:
            known = ", ".join(f"{t.index} ({t.name})" for t in program.threads)
            raise BadSchedule(f"'{word}' is no thread; there are {known}")
        turns += [Turn(matching[0], int(match[2] or 0))] * int(match[3] or 1)
    return turns


__all__ = ["BadSchedule", "Schedule", "read_schedule", "schedule_of", "text_of_turns"]
