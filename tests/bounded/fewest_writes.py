"""The oracle for `--writes`: the smallest number of writes, or of clusters of writes, with which a program can fail an assertion.

A shortest-path search over the states of the interpreter. A cluster goes on as long as it can: intra-thread, while nobody else has
looked at shared memory or written; inter-thread, while threads touch shared memory in the order of their slots.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from fsoft.bounded.mu_walk import first_meeting
from fsoft.bounded.shared import SharedEntries
from fsoft.bounded.walk import WalkGround
from fsoft.program.inputs import Sampler
from fsoft.program.interpreter import Chooser, Machine
from fsoft.program.program import Program
from fsoft.program.state import Access, Event, Violation, in_section

Cluster = tuple[int, bool]
"""Intra-thread: whose it is, and whether somebody else has looked. Inter-thread: the last thread in it, and the same."""
CLOSED: Cluster = (-1, True)


class TooLarge(Exception):
    """More states than the search may visit."""


class Fewest:
    """One search."""

    def __init__(self, program: Program, grain: str, states: int = 20_000):
        self.program, self.grain, self.states = program, grain, states
        self.machine = Machine(program, logging=True)
        self.shared = SharedEntries(program)
        self.border = first_meeting(WalkGround(program), self.shared)
        self.sampler = Sampler(program)

    def search(self) -> int | None:
        """The number, or None if no assertion can fail."""
        first = (self.machine.initial(), CLOSED)
        costs, queue = {first: 0}, deque([first])
        while queue:
            node = queue.popleft()
            cost = costs[node]
            for extra, after, failed in self._moves(*node):
                if failed and extra == 0:
                    return cost
                if failed:
                    after = (None, CLOSED)
                if cost + extra < costs.get(after, 1 << 30):
                    costs[after] = cost + extra
                    (queue.append if extra else queue.appendleft)(after)
            if node[0] is None:
                return cost
            if len(costs) > self.states:
                raise TooLarge
        return None

    def _moves(self, state: Any, cluster: Cluster) -> Iterator[tuple[int, tuple[Any, Cluster], bool]]:
        """What can happen: the cost, the state after it, and whether an assertion fails."""
        if state is None:
            return
        machine = self.machine
        for slot in machine.movable(state):
            for index in machine.outgoing(slot, state[machine.layout.pc[slot]]):
                chooser, function = Chooser(self.sampler), machine.function(slot, index)
                while True:
                    v: list[Any] = list(state)
                    events: list[Event] = []
                    log: list[Access] = []
                    if function(v, chooser, events, log):
                        failed = any(isinstance(event, Violation) and event.prop == "unreach-call" for event in events)
                        unseen = bool(events) and in_section(self.program, slot, machine.step(slot, index))
                        writes = not unseen and self._writes(state, v, slot, index, log)
                        cost, after = self._told(state, slot, index, writes, cluster)
                        yield cost, (tuple(v), after), failed
                    if not chooser.advance():
                        break

    def _alone(self, state: Sequence[Any], slot: int) -> bool:
        return slot == 0 and bool(state[self.machine.layout.pc[0]] < self.border)

    def _writes(self, state: Sequence[Any], after: Sequence[Any], slot: int, index: int, log: Sequence[Access]) -> bool:
        """The step writes what threads share."""
        mask = self.shared.mask
        if self._alone(state, slot):
            return False
        if self.shared.held_after(slot, self.machine.step(slot, index)) is not None:
            return True
        for access in log:
            place = self.machine.layout.places[access.object]
            if access.write and place is not None and place.rom is None:
                if any(mask >> place.base + cell.number & 1 for cell in place.cells.overlapping(access.offset, access.size)):
                    return True
        return any(old != new and mask >> entry & 1 for entry, (old, new) in enumerate(zip(state, after, strict=True)))

    def _told(self, state: Sequence[Any], slot: int, index: int, writes: bool, cluster: Cluster) -> tuple[int, Cluster]:
        """How many positions the step costs, and the cluster after it."""
        touches = writes or (not self._alone(state, slot) and self.shared.step_touches[slot][index] & self.shared.mask != 0)
        last, closed = cluster
        if self.grain == "fine" or not touches:
            return int(writes), cluster
        goes_on = not closed and (slot == last if self.grain == "intra" else slot >= last)
        if writes:
            return (0, (slot, False)) if goes_on else (1, (slot, False))
        if goes_on:
            return 0, (slot, False)
        return 0, CLOSED
