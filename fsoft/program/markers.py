"""Markers that a run passes: the bounds and approximations of its Program."""

from __future__ import annotations

from collections.abc import Sequence

from fsoft.program.interpreter import Machine
from fsoft.program.program import Program, Step
from fsoft.program.replay import play
from fsoft.program.verdict import Move


def step_markers(step: Step) -> tuple[int, ...]:
    """Markers that a step passes without stopping: `Tag("marker", const(index))`."""
    return tuple(tag.operand.value for tag in step.tags if tag.kind == "marker" and tag.operand is not None and tag.operand.is_const)


def approximations(machine: Machine, moves: Sequence[Move]) -> list[str]:
    """The markers on a trace that may add behaviour: they forbid FALSE. A marker is on a step, or on an input that was asked for."""
    program, passed = machine.program, dict[int, None]()
    if not any(marker.adds for marker in program.markers):
        return []
    for one in play(machine, moves):
        passed.update(dict.fromkeys(step_markers(machine.step(one.move.slot, one.move.step))))
        passed.update((question.marker, None) for question, _ in one.asked if question.marker is not None)
    found = dict.fromkeys(program.markers[k] for k in passed)
    return [f"{m.loc}: the trace relies on an approximation: {m.message}" + (f" ({m.remedy})" if m.remedy else "") for m in found if m.adds]


def marker_line(program: Program, index: int) -> str:
    marker = program.markers[index]
    return f"{marker.loc}: {marker.kind}: {marker.message}" + (f" ({marker.remedy})" if marker.remedy else "")
