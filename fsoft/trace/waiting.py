"""Synchronisation in words: what a step does to locks and threads, and why a thread does not go on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fsoft.program import descriptor
from fsoft.program.expr import Expr, evaluate
from fsoft.program.interpreter import Machine
from fsoft.program.locks import LockHolders, lock_name, operand_address
from fsoft.program.replay import Played
from fsoft.program.state import State
from fsoft.properties.deadlocks import candidates
from fsoft.trace.values import Names

_DOES = {
    "acquire": "takes {}", "release": "gives back {}", "rdlock": "takes {} for reading", "wrlock": "takes {} for writing",
    "rwunlock": "gives back {}", "wait": "waits on {}", "wake": "is woken on {}", "signal": "signals {}", "broadcast": "wakes all on {}",
    "semwait": "takes one of {}", "post": "posts {}", "arrive": "arrives at {}", "barrier": "passes {}", "destroy": "destroys {}",
    "once": "runs once: {}",
}  # fmt: skip
BEGINS = "begins"
_ALONE = {"spurious": "wakes up for no reason", "timeout": "times out", "start": BEGINS}
_WAITS = {
    "acquire": "lock {}", "rdlock": "lock {}", "wrlock": "lock {}", "semwait": "semaphore {}", "wake": "condition {}",
    "barrier": "barrier {}", "once": "once flag {}",
}  # fmt: skip


class StepWords:
    """What steps of a program mean to a person."""

    def __init__(self, machine: Machine, names: Names):
        self.machine, self.names, self.program = machine, names, machine.program

    def thread(self, slot: int) -> str:
        return f"{slot} ({self.program.threads[slot].name})"

    # ------------------------------------------------------------ what a move does

    def does(self, one: Played, held: LockHolders) -> list[str]:
        """The synchronisation in a move; `held` says who holds what after it."""
        found = []
        for tag in self.machine.step(one.move.slot, one.move.step).tags:
            address = operand_address(self.machine, one, tag.operand) if tag.operand is not None else None
            if tag.kind == "try" and address is not None:
                taken = address in held.locks[one.move.slot]
                found.append(f"{'takes' if taken else 'does not get'} {self._lock(address)}")
            elif tag.kind in _ALONE:
                found.append(_ALONE[tag.kind])
            elif tag.kind in _DOES and address is not None:
                found.append(_DOES[tag.kind].format(self._lock(address)))
        return [*dict.fromkeys(found), *self._threads(one)]

    def _lock(self, address: int) -> str:
        name = lock_name(self.machine, address)
        place = self.machine.layout.place_of(address)
        return name if place is None else self.names.plain(place.object, name)

    def _threads(self, one: Played) -> list[str]:
        """Threads that a move starts, ends or joins, as their descriptors tell."""
        found = []
        for slot in range(1, len(self.program.threads)):
            old, new = (self.machine.layout.descriptor(v, slot, "state") for v in (one.before, one.after))
            if old == new:
                continue
            if new == descriptor.RUNNING:
                found.append(f"starts {self.thread(slot)}")
            elif slot == one.move.slot:
                found.append("ends")
            elif new != descriptor.FINISHED:
                found.append(f"joins {self.thread(slot)}")
        return found

    # ------------------------------------------------------------ why another thread goes on

    def stopped(self, v: State, slot: int, held: LockHolders) -> str:
        """Why a slot does not move on in a state: finished, stopped, blocked on something, or preempted."""
        machine = self.machine
        if machine.layout.stopped(v, slot):
            return "stops"
        if machine.finished(v, slot):
            return "is done"
        outgoing = machine.outgoing(slot, v[machine.layout.pc[slot]])
        if any(machine.pending(v, slot, index)[0] for index in outgoing):
            return "preempted"
        return self.blocked(v, slot, held)

    def blocked(self, v: Sequence[Any], slot: int, held: LockHolders) -> str:
        """What a thread that cannot move waits for."""
        for step in candidates(self.machine, v, slot):
            for tag in step.tags:
                address = self._address(v, slot, tag.operand)
                if address is None:
                    continue
                if tag.kind == "join":
                    return f"waits for the end of {self.thread(self._joined(address))}"
                if tag.kind in _WAITS:
                    owners = [self.thread(who) for who, locks in held.locks.items() if address in locks]
                    what = f"waits for {_WAITS[tag.kind].format(self._lock(address))}"
                    return f"{what}, held by {', '.join(owners)}" if owners else what
        return "waits"

    def _address(self, v: Sequence[Any], slot: int, operand: Expr | None) -> int | None:
        if operand is None:
            return None
        address = evaluate(operand, self.machine.interpreter.leaf(v, slot))
        return address if self.machine.layout.place_of(address) is not None else None

    def _joined(self, address: int) -> int:
        word = self.program.word // 8
        return (address & self.machine.layout.offset_mask) // (word * len(descriptor.FIELDS))


__all__ = ["BEGINS", "StepWords"]
