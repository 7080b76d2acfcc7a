"""Deadlocks, global and local.

Global: the process has not ended, no thread is pruned, cut or undefined, some thread is unfinished, and nobody has an enabled step other
than a spurious wake-up. A thread that waits inside an atomic section prunes the run: no deadlock. Local: threads wait in a circle, each for
a resource that the next one owns (`waits.py`), whatever the others do. A mutex counts as unlocked by its owner only: anything else is
undefined for a normal mutex, an error for the others, and a violation of `no-lock-misuse`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fsoft.frontend.source import Loc
from fsoft.program.expr import evaluate
from fsoft.program.interpreter import Machine
from fsoft.program.locks import lock_name
from fsoft.program.program import Step
from fsoft.program.replay import Finding, GuiltyThread, View
from fsoft.program.state import OVER
from fsoft.properties.waits import Waits, cycle


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

    def __init__(self) -> None:
        self._waits: Waits | None = None

    def waits(self, machine: Machine) -> Waits:
        if self._waits is None or self._waits.program is not machine.program:
            self._waits = Waits(machine.program)
        return self._waits

    def state(self, view: View) -> Finding | None:
        machine, v = view.machine, view.v
        if v[OVER] or machine.holder(v) is not None:
            return None
        edges = self.waits(machine).waiting(view)
        circle = cycle(edges) if edges else []
        stuck = self._stuck(view)
        if not stuck and not circle:
            return None
        guilty = [self._waiting(machine, v, slot, edges.get(slot, {})) for slot in stuck or circle]
        lines = [self._line(machine, v, one) for one in guilty]
        if circle:
            lines.append(self._circle(machine, circle, edges))
        who = len(stuck or circle)
        if stuck:
            message = f"deadlock: {who} thread{'s' if who != 1 else ''} can never go on"
        else:
            message = "deadlock: a thread waits for itself" if who == 1 else f"deadlock: {who} threads wait for each other"
        return Finding(self.prop, message, self._loc(machine, v, stuck or circle), tuple(lines), tuple(stuck or circle), tuple(guilty))

    def _stuck(self, view: View) -> list[int]:
        """The threads of a global deadlock."""
        machine, v = view.machine, view.v
        if not at_rest(view):
            return []
        stuck = unfinished(machine, v)
        waiting = [candidates(machine, v, slot) for slot in stuck]
        return [] if any(steps and all(has_tag(step, "section") for step in steps) for steps in waiting) else stuck

    def end(self, machine: Machine, v: Sequence[Any], slot: int) -> Finding | None:
        return None

    # ------------------------------------------------------------ in words

    def _loc(self, machine: Machine, v: Sequence[Any], slots: list[int]) -> Loc:
        return next((step.loc for slot in slots for step in candidates(machine, v, slot)), Loc("<fsoft>", 0))

    def _waiting(self, machine: Machine, v: Sequence[Any], slot: int, edges: dict[int, int]) -> GuiltyThread:
        place = machine.program.threads[slot].template.locations[v[machine.layout.pc[slot]]]
        steps = candidates(machine, v, slot)
        owners = "; ".join(f"for {self._resource(machine, at, who)}" for who, at in edges.items())
        return GuiltyThread(slot, steps[0].loc if steps else place.loc, f"waits {owners}".rstrip())

    def _line(self, machine: Machine, v: Sequence[Any], one: GuiltyThread) -> str:
        text = next((step.first_text() for step in candidates(machine, v, one.slot)), "")
        thread = f"thread {one.slot} ({machine.program.threads[one.slot].name})"
        return f"{one.loc}: {thread} waits" + (f" in {text}" if text else "") + one.what.removeprefix("waits")

    def _resource(self, machine: Machine, address: int, who: int) -> str:
        name = f"thread {who} ({machine.program.threads[who].name})"
        lock = self._lock(machine, address)
        return f"{lock}, which {name} holds" if lock else f"the end of {name}"

    def _lock(self, machine: Machine, address: int) -> str:
        """The name of the lock with its owner at the address; "" for a thread descriptor."""
        place = machine.layout.place_of(address)
        return "" if place is None or place.object.storage == "system" else lock_name(machine, address)

    def _circle(self, machine: Machine, circle: list[int], edges: dict[int, dict[int, int]]) -> str:
        parts = []
        for slot, other in zip(circle, [*circle[1:], circle[0]]):
            lock = self._lock(machine, edges[slot][other])
            parts.append(f"thread {slot} -> {lock or 'join'} -> ")
        return "who waits for whom: " + "".join(parts) + f"thread {circle[0]}"
