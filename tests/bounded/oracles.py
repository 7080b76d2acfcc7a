"""What a program does within few contexts or rounds, by plain search of states: the oracles for `--contexts` and `--rounds`.
(That for `--writes` is `fewest_writes.py`.)"""

from __future__ import annotations

from fsoft.program.inputs import Sampler
from fsoft.program.interpreter import Machine
from fsoft.program.program import Program
from fsoft.program.state import Violation

MOST_STATES = 60_000


class TooMany(Exception):
    """The search gives up."""


def within_contexts(program: Program, contexts: int, order: str) -> bool:
    """Whether an assertion fails within so many contexts: all states, together with the context in which they are reached."""
    machine, slots, sampler = Machine(program), len(program.threads), Sampler(program)
    todo = [(machine.initial(), 0, slot) for slot in (range(slots) if order == "free" else (0,))]
    seen = set(todo)
    while todo:
        state, context, owner = todo.pop()
        following = []
        if context + 1 < contexts:
            owners = range(slots) if order == "free" else ((context + 1) % slots,)
            following = [(state, context + 1, other) for other in owners]
        if owner in machine.movable(state):
            for index in machine.outgoing(owner, state[machine.layout.pc[owner]]):
                for _, after, events in machine.successors(state, owner, index, sampler):
                    if any(isinstance(e, Violation) and e.prop in program.checks for e in events):
                        return True
                    following.append((after, context, owner))
        new = [one for one in following if one not in seen]
        seen.update(new)
        todo += new
        if len(seen) > MOST_STATES:
            raise TooMany
    return False


def within_rounds(program: Program, rounds: int) -> bool:
    """Whether an assertion fails within so many rounds. A round goes through the threads in order; a step of a thread that has had its turn
    begins a new one."""
    machine, sampler = Machine(program), Sampler(program)
    start = (machine.initial(), 1, 0)
    seen, work = {start}, [start]
    while work:
        state, number, turn = work.pop()
        for slot in machine.movable(state):
            now = number + (slot < turn)
            if now > rounds:
                continue
            for index in machine.outgoing(slot, state[machine.layout.pc[slot]]):
                for _, after, events in machine.successors(state, slot, index, sampler):
                    if any(isinstance(e, Violation) and e.prop in program.checks for e in events):
                        return True
                    new = (after, now, slot)
                    if new not in seen:
                        seen.add(new)
                        work.append(new)
        if len(seen) > MOST_STATES:
            raise TooMany
    return False
