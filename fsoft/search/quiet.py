"""Steps at which the scheduler has nothing to choose: its thread takes them as soon as it can.

- *Invisible* (rules R1 and R2 of the paper): the step touches only what no other thread can reach. It commutes with everything. One that
  may have to wait is not: where it waits for ever, the others go on.
- *Starting* a thread and *creating* one (R5) touch, beside that, the descriptor of the created thread, which nobody else looks at yet.
- *Ending* a thread and *joining* one (R6): nobody but the joining thread looks at the descriptor, and it waits until the thread has ended.
  A join that is possible stays so. These two, and creating, are quiet only in programs in which all creating and joining is done by main,
  and nobody detaches or cancels a thread or looks at descriptors in another way.

A loop whose number of rounds is not plain to see keeps its head as a place where others may come in: a thread may not run there for ever.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsoft.analysis.actions import Touching
from fsoft.analysis.loops import loops
from fsoft.bounded.outcomes import Executed, Executor, start_cells
from fsoft.program.expr import TRUE
from fsoft.program.local import Locality
from fsoft.program.program import Program, Require, Step
from fsoft.program.state import OVER, Layout

_LIFE = frozenset({"start", "exit", "create", "join"})
_EARLY = frozenset({"detach", "cancel"})


class Quiet:
    """Answers for the steps of one program."""

    def __init__(self, executor: Executor):
        self.executor, program, layout = executor, executor.program, executor.layout
        slots = range(len(program.threads))
        self._private = [_private(layout, slot, Locality(program).private) for slot in slots]
        self._start = [_mask(start_cells(layout, slot)) for slot in slots]
        self._descriptors = _descriptors(layout) if _plain(executor) else 0
        counted = {(loop.template, loop.head) for loop in loops(program) if loop.count is None}
        self._heads = [{head for name, head in counted if name == thread.template.name} for thread in program.threads]
        self._atomic = [[place.atomic for place in thread.template.locations] for thread in program.threads]

    def at(self, slot: int, location: int, executed: Sequence[Executed]) -> bool:
        """Whether the slot moves on at once. `executed` are its steps that may be enabled."""
        if not executed or location in self._heads[slot]:
            return False
        return all(self._one(slot, one) for one in executed)

    def _one(self, slot: int, one: Executed) -> bool:
        step = self.executor.step(slot, one.index)
        if self._atomic[slot][step.target] or one.write_mask >> OVER & 1:
            return False
        if any(outcome.kind == "ended" for outcome in one.outcomes):
            return False
        seen = (one.read_mask | one.write_mask) & ~self._private[slot]
        if not seen:
            return one.enabled is TRUE or not waits(step)
        kinds = {tag.kind for tag in step.tags} & _LIFE
        if not kinds or one.enabled is not TRUE:
            return False
        return not seen & ~self._descriptors or ("start" in kinds and not one.write_mask and not seen & ~self._start[slot])


def waits(step: Step) -> bool:
    """The step may have to wait; others are possible whatever memory holds."""
    return any(isinstance(action, Require) for action in step.actions)


def _mask(entries: frozenset[int]) -> int:
    return sum(1 << entry for entry in entries)


def _private(layout: Layout, slot: int, owner: dict[int, int]) -> int:
    """The entries of the objects that only the slot can reach."""
    mask = 0
    for number, who in owner.items():
        place = layout.places[number]
        if who == slot and place is not None:
            low, high = layout.span_of_object(place)
            mask |= (1 << high) - (1 << low)
    return mask


def _descriptors(layout: Layout) -> int:
    """The entries of all thread descriptors."""
    place = layout.places[layout.descriptors.id] if layout.descriptors is not None else None
    if place is None:
        return 0
    low, high = layout.span_of_object(place)
    return (1 << high) - (1 << low)


def _plain(executor: Executor) -> bool:
    """Threads are created and joined by main only, and descriptors are not looked at in any other way."""
    program, layout = executor.program, executor.layout
    if layout.descriptors is None:
        return False
    number, touched = layout.descriptors.id, executor.facts.points_to.touched
    for slot, thread in enumerate(program.threads):
        for step in thread.template.steps:
            kinds = _kinds(step)
            if kinds & _EARLY or (slot and kinds & {"create", "join"}):
                return False
            if not kinds & _LIFE and any(isinstance(a, Touching) and touched(slot, a) >> number & 1 for a in step.actions):
                return False
    return not _shared_main(program)


def _kinds(step: Step) -> set[str]:
    return {tag.kind for tag in step.tags}


def _shared_main(program: Program) -> bool:
    """Some other slot runs main's code."""
    return any(thread.template is program.threads[0].template for thread in program.threads[1:])
