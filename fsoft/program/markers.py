"""Markers that a run passes: the bounds and approximations of its Program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fsoft.program.cuts import Cut, cut_of_marker
from fsoft.program.interpreter import Machine
from fsoft.program.program import Marker, Program, Step
from fsoft.program.replay import play
from fsoft.program.state import Halted
from fsoft.program.verdict import Move


def step_markers(step: Step) -> tuple[int, ...]:
    """Markers that a step passes without stopping: `Tag("marker", const(index))`."""
    return tuple(tag.operand.value for tag in step.tags if tag.kind == "marker" and tag.operand is not None and tag.operand.is_const)


def approximations(machine: Machine, moves: Sequence[Move]) -> list[Cut]:
    """What a trace depends on that the program may not do: such a trace is a candidate, no counterexample. A marker is on a step, or on an
    input that was asked for."""
    program, passed = machine.program, dict[int, list[str]]()
    if not any(marker.adds for marker in program.markers):
        return []
    for one in play(machine, moves):
        for number in step_markers(machine.step(one.move.slot, one.move.step)):
            passed.setdefault(number, [])
        for question, answer in one.asked:
            if question.marker is not None:
                passed.setdefault(question.marker, []).append(f"{question.name} = {answer}")
    found = [(program.markers[number], values) for number, values in passed.items() if program.markers[number].adds]
    return [dependence(marker, values) for marker, values in found]


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
