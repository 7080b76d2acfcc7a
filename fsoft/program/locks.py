"""Which locks each thread holds at the end of a trace, as the tags of its steps tell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from fsoft.program.expr import Expr, evaluate
from fsoft.program.interpreter import Machine
from fsoft.program.replay import Finding, Played, play
from fsoft.program.state import State
from fsoft.program.verdict import Move

_TAKES = ("acquire", "rdlock", "wrlock")
_GIVES = ("release", "rwunlock")


def operand_address(machine: Machine, one: Played, operand: Expr) -> int | None:
    """The address of a tag's object; it may be computed in the step itself."""
    for state in (one.before, one.after):
        address = evaluate(operand, machine.interpreter.leaf(state, one.move.slot))
        if machine.layout.place_of(address) is not None:
            return address
    return None


def _owner_set(machine: Machine, before: Sequence[Any], after: State, slot: int, address: int) -> bool:
    """Whether a `try` succeeded: some cell of the object now holds the thread's id."""
    place = machine.layout.place_of(address)
    if place is None:
        return False
    low, high = machine.layout.span_of_object(place)
    return any(old != new and new == slot + 1 for old, new in zip(before[low:high], after[low:high]))


class LockHolders:
    """Who holds which lock, move by move: addresses in the order of taking them."""

    def __init__(self, machine: Machine):
        self.machine = machine
        self.locks: dict[int, list[int]] = {slot: [] for slot in range(len(machine.program.threads))}

    def after(self, one: Played) -> None:
        slot, held = one.move.slot, self.locks[one.move.slot]
        for tag in self.machine.step(slot, one.move.step).tags:
            address = operand_address(self.machine, one, tag.operand) if tag.operand is not None else None
            if address is None:
                continue
            if tag.kind in _TAKES or (tag.kind == "try" and _owner_set(self.machine, one.before, one.after, slot, address)):
                held.append(address)
            elif tag.kind in _GIVES and address in held:
                held.remove(address)

    def names(self, slot: int) -> list[str]:
        return list(dict.fromkeys(lock_name(self.machine, address) for address in self.locks[slot]))


def held_locks(machine: Machine, played: Iterable[Played]) -> dict[int, list[str]]:
    """Names of the locks that each slot holds, in the order of taking them."""
    held = LockHolders(machine)
    for one in played:
        held.after(one)
    return {slot: held.names(slot) for slot in held.locks}


def lock_lines(machine: Machine, moves: Sequence[Move], finding: Finding) -> list[str]:
    """The locks that the threads of a race or a deadlock hold, a line for each."""
    held = held_locks(machine, play(machine, moves)) if finding.slots else {}
    threads = machine.program.threads
    if finding.past is not None:
        first = finding.slots[0]
        held[first] = held_locks(machine, play(machine, moves[: finding.past]))[first]
    return [f"thread {slot} ({threads[slot].name}) holds {', '.join(held[slot]) or 'no lock'}" for slot in finding.slots]


def lock_name(machine: Machine, address: int) -> str:
    """`forks[1]` for the first hidden field of that lock."""
    place = machine.layout.place_of(address)
    cells = place.cells.overlapping(address & machine.layout.offset_mask, 1) if place is not None else []
    name = place.cells.name(cells[0].number) if place is not None and cells else machine.layout.describe(address)
    return name.split(".__")[0]
