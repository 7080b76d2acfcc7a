"""States to look at, reached by letting threads run to a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fsoft.checkers.explicit.search import Explorer
from fsoft.por.stubborn import Stubborn
from fsoft.program.interpreter import Machine, Script
from fsoft.program.program import Program


def line_of(machine: Machine, v: list[Any], slot: int) -> int:
    """The line of the step that a slot is about to take."""
    steps = machine.outgoing(slot, v[machine.layout.pc[slot]])
    return machine.step(slot, steps[0]).loc.line if steps else 0


def run_to(program: Program, lines: Mapping[int, int]) -> list[Any]:
    """Let main run as far as it can, then each slot up to its line, in the order given."""
    machine = Machine(program)
    v: list[Any] = machine.layout.initial()
    _run(machine, v, 0, -1)
    for slot, line in lines.items():
        _run(machine, v, slot, line)
        assert line_of(machine, v, slot) == line, f"thread {slot} does not come to line {line}"
    return v


def _run(machine: Machine, v: list[Any], slot: int, line: int) -> None:
    while v[machine.layout.pc[slot]] == 0 or line_of(machine, v, slot) != line:
        for index in machine.outgoing(slot, v[machine.layout.pc[slot]]):
            new = v[:]
            if machine.function(slot, index)(new, Script(()), [], []):
                v[:] = new
                break
        else:
            return


def conflict(program: Program, choice: Stubborn, v: list[Any], i: int, j: int) -> bool:
    """conflict_i(j) in the state."""
    explorer = Explorer(program, [], choice=choice)
    return j in choice.conflicts(v, i, explorer._ready(v, i))


def chosen(program: Program, choice: Stubborn, v: list[Any]) -> set[int]:
    """The slots that the choice wants expanded."""
    explorer = Explorer(program, [], choice=choice)
    ready = {slot: explorer._ready(v, slot) for slot in explorer.order}
    some = choice.select(v, ready, explorer.order)
    return {slot for slot in explorer.order if any(s.enabled for s in ready[slot])} if some is None else set(some)
