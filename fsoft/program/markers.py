"""Markers that a run passes: the bounds and approximations of its Program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fsoft.program.cuts import Cut, cut_of_marker
from fsoft.program.dependence import UnknownValues
from fsoft.program.interpreter import Machine
from fsoft.program.program import Marker, Program, Step
from fsoft.program.replay import play
from fsoft.program.state import Halted
from fsoft.program.verdict import Move


def step_markers(step: Step) -> tuple[int, ...]:
    """Markers that a step passes without stopping: `Tag("marker", const(index))`."""
    return tuple(tag.operand.value for tag in step.tags if tag.kind == "marker" and tag.operand is not None and tag.operand.is_const)


def approximations(machine: Machine, moves: Sequence[Move], prop: str) -> list[Cut]:
    """What a trace to a violation of `prop` depends on that the program may not do: such a trace is a candidate, no counterexample. A step
    that passes a marker may do what is not in the program; an input that names one has a value that nobody knows."""
    program, passed, values = machine.program, dict[int, None](), dict[int, list[str]]()
    if not any(marker.adds for marker in program.markers):
        return []
    played = play(machine, moves)
    for one in played:
        markers = step_markers(machine.step(one.move.slot, one.move.step))
        passed.update((number, None) for number in markers if not program.markers[number].values)
        for question, answer in one.asked:
            if question.marker is not None:
                values.setdefault(question.marker, []).append(f"{question.name} = {answer}")
    if values:
        passed.update(dict.fromkeys(UnknownValues(machine).follow(played, prop)))
    return [dependence(program.markers[number], values.get(number, ())) for number in passed if program.markers[number].adds]


def dependence(marker: Marker, values: Sequence[str] = ()) -> Cut:
    """What a trace depends on, with the values that were taken."""
    return replace(cut_of_marker(marker), adds=True, values=tuple(values))


def cut_of_event(program: Program, event: Halted) -> Cut | None:
    """What is left out where a thread stops in this way, if anything."""
    if event.kind not in ("cut", "undefined"):
        return None
    if event.marker is not None:
        return cut_of_marker(program.markers[event.marker])
    return Cut(event.kind, event.loc, event.message)
