"""What the choice of engines depends on: sizes and shapes of a Program, never its names."""

from __future__ import annotations

from functools import cached_property
from math import log2

from fsoft.analysis.loops import Loop, loops
from fsoft.program.program import Halt, Program, Step


class ProgramFacts:
    """Facts about a Program, computed when they are asked for."""

    def __init__(self, program: Program):
        self.program = program
        self.checks = program.checks
        self.threads = len(program.threads)

    @cached_property
    def control(self) -> float:
        """How many combinations of locations the slots have, as a power of two: what interleaving alone makes of the program."""
        return sum(log2(max(1, len(t.template.locations) - len(t.template.stops))) for t in self.program.threads)

    @cached_property
    def loops(self) -> list[Loop]:
        return loops(self.program)

    @cached_property
    def endless(self) -> bool:
        """Some loop runs a number of times that is not known."""
        return any(loop.count is None for loop in self.loops)

    @cached_property
    def longest(self) -> int:
        """The rounds of the longest loop whose number of rounds is known."""
        return max((loop.count for loop in self.loops if loop.count is not None), default=0)

    @cached_property
    def unbounded_threads(self) -> bool:
        """Threads are created in a loop that runs a number of times that is not known, or more often than there are slots: how many there
        are may be a bound of the Program."""
        endless = [loop for loop in self.loops if loop.count is None or loop.count > self.threads]
        bodies = {(loop.template, at) for loop in endless for at in loop.body}
        return any(
            (template.name, step.source) in bodies and self._lacks_slots(step)
            for template in self.program.templates()
            for step in template.steps
        )

    def _lacks_slots(self, step: Step) -> bool:
        markers = [action.marker for action in step.actions if isinstance(action, Halt) and action.marker is not None]
        return any(self.program.markers[marker].kind == "slot" for marker in markers)
