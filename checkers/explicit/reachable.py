"""All states that a program reaches, as they are: no thread moves alone, nobody is left out, every stop is followed.

The set is closed under every step of the program, so it is an inductive invariant of any encoding whose states are those of the
interpreter (`state_set.py` makes a circuit of it). It is complete or it is not given: an input whose values cannot all be
tried, or too many states, raise `TooMany`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fsoft.checkers.explicit.collapse import Collapse
from fsoft.program.interpreter import Chooser, Machine
from fsoft.program.program import Program
from fsoft.program.state import OVER, ChoicePoint, Event, State, Vector

_WIDEST = 8  # bits of an input that is tried with every value
_CHECK_EVERY = 256  # states between looks at the clock


class TooMany(Exception):
    """The set is not complete, and why."""


def _all_answers(question: ChoicePoint, options: Sequence[int] | None) -> Sequence[int]:
    if options is not None:
        return options
    if question.width > _WIDEST:
        raise TooMany(f"{question.name} has {question.width} bits")
    return range(1 << question.width)


@dataclass(frozen=True, slots=True)
class States:
    """A set of states in few bytes: `keys` pack the numbers of components, whose values `collapse` knows."""

    collapse: Collapse
    keys: list[bytes]

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[State]:
        for key in self.keys:
            yield tuple(self.collapse.decode(self.collapse.unpack(key)))


def reachable(program: Program, most: int, deadline: float | None = None) -> States:
    """Every reachable state, in the order of a breadth-first search; registers that nobody reads any more are 0. At most `most`."""
    machine = Machine(program, canonical=True)
    collapse = Collapse(machine.layout)
    numbers = [0] * len(collapse.spans)
    collapse.encode(machine.layout.initial(), numbers, range(len(numbers)))
    keys = [collapse.pack(*numbers)]
    seen = set(keys)
    for count, key in enumerate(keys):  # grows on the way
        if count % _CHECK_EVERY == 0 and deadline is not None and time.monotonic() > deadline:
            raise TooMany(f"time limit reached after {len(keys)} states")
        numbers = list(collapse.unpack(key))
        state = collapse.decode(numbers)
        for new in successors(machine, state):
            changed = list(numbers)
            collapse.encode(new, changed, [k for k, (low, high) in enumerate(collapse.spans) if new[low:high] != state[low:high]])
            packed = collapse.pack(*changed)
            if packed not in seen:
                seen.add(packed)
                keys.append(packed)
        if len(keys) > most:
            raise TooMany(f"more than {most} states")
    return States(collapse, keys)


def successors(machine: Machine, state: Vector) -> list[Vector]:
    """The states after one step, for every answer."""
    found: list[Vector] = []
    if state[OVER]:
        return found
    chooser = Chooser(_all_answers)
    for slot in machine.movable(state):
        for index in machine.outgoing(slot, state[machine.layout.pc[slot]]):
            guard, function = machine.guard(slot, index), machine.function(slot, index)
            if guard is not None and not guard(state):
                continue
            chooser.reset()
            while True:
                new = state[:]
                events: list[Event] = []
                if function(new, chooser, events, []):
                    found.append(new)
                if not chooser.picks or not chooser.advance():
                    break
    return found
