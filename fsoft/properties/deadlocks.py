"""Global deadlock: the process has not ended, no thread is pruned, cut or undefined, some thread is unfinished, and nobody has
an enabled step other than a spurious wake-up. A thread that waits inside an atomic section prunes the run: no deadlock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fsoft.frontend.source import Loc
from fsoft.program.expr import evaluate
from fsoft.program.interpreter import Machine
from fsoft.program.program import Step
from fsoft.program.replay import Finding, View
from fsoft.program.state import OVER


def has_tag(step: Step, kind: str) -> bool:
    return any(tag.kind == kind for tag in step.tags)


def candidates(machine: Machine, v: Sequence[Any], slot: int) -> list[Step]:
    """Steps from where the slot is whose guard holds, blocked or not."""
    leaf = machine.interpreter.leaf(v, slot)
    steps = (machine.step(slot, index) for index in machine.outgoing(slot, v[machine.layout.pc[slot]]))
    return [step for step in steps if evaluate(step.guard, leaf)]


def unfinished(machine: Machine, v: Sequence[Any]) -> list[int]:
    return [slot for slot in range(len(machine.program.threads)) if not machine.finished(v, slot)]


def at_rest(view: View) -> bool:
    """Nobody has stopped early, and nobody has a step other than a spurious wake-up."""
    machine, v = view.machine, view.v
    if v[OVER] or any(not has_tag(machine.step(slot, index), "spurious") for slot, index in view.enabled):
        return False
    return not any(machine.layout.stopped(v, slot) for slot in range(len(machine.program.threads)))


class Deadlocks:
    """The monitor of `no-deadlock`."""

    prop = "no-deadlock"
    logs = False

    def state(self, view: View) -> Finding | None:
        machine, v = view.machine, view.v
        if not at_rest(view) or machine.holder(v) is not None:
            return None
        stuck = unfinished(machine, v)
        waiting = [(slot, candidates(machine, v, slot)) for slot in stuck]
        if not stuck or any(steps and all(has_tag(step, "section") for step in steps) for _, steps in waiting):
            return None
        lines = tuple(self._line(machine, v, slot, steps) for slot, steps in waiting)
        who = f"{len(stuck)} thread{'s' if len(stuck) != 1 else ''}"
        return Finding(self.prop, f"deadlock: {who} can never go on", self._loc(waiting), lines, tuple(stuck))

    def end(self, machine: Machine, v: Sequence[Any], slot: int) -> Finding | None:
        return None

    def _loc(self, waiting: list[tuple[int, list[Step]]]) -> Loc:
        return next((step.loc for _, steps in waiting for step in steps), Loc("<fsoft>", 0))

    def _line(self, machine: Machine, v: Sequence[Any], slot: int, steps: list[Step]) -> str:
        thread = machine.program.threads[slot]
        place = thread.template.locations[v[machine.layout.pc[slot]]]
        loc, text = (steps[0].loc, steps[0].text) if steps else (place.loc, "")
        return f"{loc}: thread {slot} ({thread.name}) waits" + (f" in {text}" if text else "")
