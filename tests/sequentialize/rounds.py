"""What a program does in a bounded number of rounds, by plain search of states: the oracle for lazy sequentialization.

A round goes through the threads in order; a step of a thread that has had its turn begins a new round.
"""

from __future__ import annotations

from fsoft.program.interpreter import Machine
from fsoft.program.program import Program
from fsoft.program.state import Violation


def violated_within(program: Program, rounds: int, limit: int = 20_000) -> bool | None:
    """Whether an assertion fails within so many rounds; None if there are too many states."""
    machine = Machine(program)
    start = (machine.initial(), 1, 0)
    seen, work = {start}, [start]
    while work:
        state, number, turn = work.pop()
        for slot in machine.movable(state):
            now = number + (slot < turn)
            if now > rounds:
                continue
            for index in machine.outgoing(slot, state[machine.layout.pc[slot]]):
                for _, after, events in machine.successors(state, slot, index):
                    if any(isinstance(event, Violation) for event in events):
                        return True
                    new = (after, now, slot)
                    if new not in seen:
                        seen.add(new)
                        work.append(new)
        if len(seen) > limit:
            return None
    return False
