"""How often a slot can be started: counted on the unwound templates of those that can start it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fsoft.analysis.validity import constants_in
from fsoft.program import descriptor
from fsoft.program.program import Program, Step, Store, Template, Thread


def _array(program: Program) -> int:
    return next((o.id for o in program.objects if o.name == descriptor.ARRAY), 0)


def _state(program: Program, slot: int) -> int:
    """The address of the state of a slot."""
    return (_array(program) << program.offset_bits) + descriptor.offset(slot, "state", program.word // 8)


def runs_at_start(program: Program, slot: int) -> int:
    """1 if the slot runs from the start."""
    array = _array(program)
    return (
        1
        if not array
        else int(program.objects[array].initial.get(descriptor.offset(slot, "state", program.word // 8)) == descriptor.RUNNING)
    )


def possible_starts(program: Program, creators: Iterable[Thread], slot: int) -> int:
    """The largest number of steps of the creators (unwound) that may start the slot."""
    state = _state(program, slot)
    return sum(_longest(thread.template, lambda step: _starts(step, state)) for thread in creators) if _array(program) else 0


def _starts(step: Step, state: int) -> bool:
    """The step may store RUNNING into the word at that address."""
    for action in step.actions:
        if isinstance(action, Store):
            values, places = constants_in(action.value, {}), constants_in(action.address, {})
            if (values is None or descriptor.RUNNING in values) and (places is None or state in places):
                if places is not None or any(t.kind == "create" for t in step.tags):
                    return True
    return False


def _longest(template: Template, counts: Callable[[Step], bool]) -> int:
    """The largest number of steps that count on any way; locations are in topological order."""
    most = [0] * len(template.locations)
    for step in sorted(template.steps, key=lambda s: s.source):
        most[step.target] = max(most[step.target], most[step.source] + counts(step))
    return max(most)
