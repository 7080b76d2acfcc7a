"""States of the representatives, found by running the Program at random: what a candidate for an invariant must agree with.

Every state seen is a state of the real program (threads without a slot did not move), so a clause that is false in one of them is no
invariant. There is one exception: the counter of a long loop is now and then set to one of its last values, or no run would see what comes
after the loop. Nothing but the candidates depends on the samples: a poor choice costs candidates, never soundness.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from fsoft.analysis.loops import loops
from fsoft.parametric.counters import WordTuple
from fsoft.parametric.identity import SELF
from fsoft.parametric.system import System
from fsoft.program.expr import postorder
from fsoft.program.interpreter import Machine
from fsoft.program.state import OVER, ChoicePoint, Event, Violation

ClauseView = tuple[WordTuple, ...]
"""The shared words, then the words of the threads of a clause. Words that do not matter where the thread is are 0."""

_UNDEFINED = (0, 1, 77)  # what stands for any value
_STAY = 0.6  # how likely the thread that moved moves again
_LONG = 12  # rounds of a loop that may be left out
_SKIP = 0.15  # how likely they are


@dataclass(slots=True)
class Samples:
    """`views[kinds]`: what was seen of the shared words and of different threads of these kinds. `violated`: a run violated a property."""

    views: dict[tuple[int, ...], set[ClauseView]] = field(default_factory=dict)
    states: int = 0
    violated: Violation | None = None


def constants_of(system: System) -> dict[int, list[int]]:
    """By width: the constants of the program, with 0, 1 and -1."""
    found: dict[int, set[int]] = {}
    for move in system.moves:
        for node in postorder((move.enabled, move.bad, *move.writes.values())):
            if node.op == "const" and not node.index:
                found.setdefault(node.width, set()).add(node.value)
    for width in set(system.widths.values()) | set(found):
        found.setdefault(width, set()).update(value & (1 << width) - 1 for value in (0, 1, -1))
    return {width: sorted(values) for width, values in found.items()}


class RunSampler:
    """Random runs from the initial state."""

    def __init__(self, system: System, seed: int = 1):
        self.system, self.random = system, random.Random(seed)
        self.machine = Machine(system.program)
        self.constants = constants_of(system)
        self.samples = Samples()
        for kind in system.kinds:
            self.samples.views[kind.index,] = set()
            for other in system.kinds[kind.index :]:
                if other is not kind or kind.many:
                    self.samples.views[kind.index, other.index] = set()
        self.samples.views[()] = set()
        self._shared = [system.entries[name] for name in system.shared]
        self._owned = [[system.entries[name] for name in row] for row in system.owned]
        self._skips = self._long_loops()

    def _long_loops(self) -> dict[tuple[int, int], tuple[int, tuple[int, ...]]]:
        """By slot and location of the head: where the counter of the loop is, and its last values."""
        found = {}
        long = [loop for loop in loops(self.system.program) if loop.count is not None and loop.count > _LONG]
        for slot, thread in enumerate(self.system.program.threads):
            registers = self.system.layout.registers[slot]
            for loop in long:
                if loop.template == thread.template.name and loop.counter in registers:
                    found[slot, loop.head] = (registers[loop.counter], loop.last)
        return found

    def run(self, states: int, length: int, seconds: float) -> Samples:
        """Until that many states were seen, in runs of that length, or the time is up."""
        deadline = time.monotonic() + seconds
        while self.samples.states < states and time.monotonic() < deadline and self.samples.violated is None:
            self._walk(length)
        return self.samples

    def _start(self) -> list[Any]:
        layout = self.system.layout
        v = layout.initial()
        for slot, thread in enumerate(self.system.program.threads):
            if SELF in thread.template.registers:
                v[layout.registers[slot][SELF]] = slot + 1
        for place in layout.places:
            if place is not None and place.rom is None and place.object.alive:
                for cell in place.cells:
                    if v[place.base + cell.number] is None:
                        v[place.base + cell.number] = self._value(8 * cell.size)
        return v

    def _value(self, width: int) -> int:
        kind, mask = self.random.random(), (1 << width) - 1
        if kind < 0.5 and width in self.constants:
            return (self.random.choice(self.constants[width]) + self.random.choice((0, 0, 0, 1, -1))) & mask
        return (self.random.randrange(8) if kind < 0.8 else self.random.getrandbits(width)) & mask

    def _choose(self, question: ChoicePoint, options: Sequence[int] | None) -> int:
        return self.random.choice(options) if options is not None else self._value(question.width)

    def _walk(self, length: int) -> None:
        v, slot, skipped = self._start(), 0, set[tuple[int, int]]()
        self._record(v)
        for _ in range(length):
            moved = self._move(v, slot if self.random.random() < _STAY else None)
            if moved is None:
                return
            v, slot = moved
            here = slot, v[self.system.layout.pc[slot]]
            if here in self._skips and here not in skipped and self.random.random() < _SKIP:
                skipped.add(here)  # once: a second time it might go back
                counter, last = self._skips[here]
                v[counter] = self.random.choice(last)
            self._record(v)

    def _move(self, v: list[Any], preferred: int | None) -> tuple[list[Any], int] | None:
        """Some step of the preferred thread, or of any that can move."""
        slots = self.machine.movable(v)
        self.random.shuffle(slots)
        if preferred in slots:
            slots.insert(0, preferred)
        for slot in slots:
            steps = list(self.machine.outgoing(slot, v[self.system.layout.pc[slot]]))
            self.random.shuffle(steps)
            for step in steps:
                after, events = list(v), list[Event]()
                if self.machine.function(slot, step)(after, self._choose, events, []):
                    violation = next((event for event in events if isinstance(event, Violation)), None)
                    if violation is not None and violation.prop in self.system.program.checks:
                        self.samples.violated = violation
                    if not after[OVER]:  # what ends the run is not worth being seen
                        return after, slot
        return None

    # ------------------------------------------------------------ what was seen

    def _words(self, v: list[Any], entries: list[int]) -> list[int]:
        out = []
        for entry in entries:
            value = v[entry]
            out.append(value if isinstance(value, int) else self.random.choice(_UNDEFINED))
        return out

    def _record(self, v: list[Any]) -> None:
        self.samples.states += 1
        system, views = self.system, self.samples.views
        shared = tuple(self._words(v, self._shared))
        threads = []
        for slot, kind in enumerate(system.kind_of):
            words = self._words(v, self._owned[slot])
            live = system.live[kind.index][words[0]]
            threads.append(tuple([word if k in live else 0 for k, word in enumerate(words)]))
        views[()].add((shared,))
        for slot, kind in enumerate(system.kind_of):
            views[kind.index,].add((shared, threads[slot]))
            for other in range(len(threads)):
                second = system.kind_of[other]
                if other != slot and (kind.index, second.index) in views:
                    views[kind.index, second.index].add((shared, threads[slot], threads[other]))


__all__ = ["RunSampler", "Samples", "ClauseView", "constants_of"]
