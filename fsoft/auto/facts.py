"""What the choice of engines depends on: sizes and shapes of a Program, never its names."""

from __future__ import annotations

from functools import cached_property
from math import log2

from fsoft.analysis.loops import Loop, loops
from fsoft.program.program import Halt, Program

_BOUNDS = ("slot", "heap", "recursion")


class Facts:
    """Facts about a Program, computed when they are asked for."""

    def __init__(self, program: Program):
        self.program = program
        self.checks = program.checks
        self.threads = len(program.threads)

    @cached_property
    def steps(self) -> int:
        """Steps of all slots."""
        return sum(len(thread.template.steps) for thread in self.program.threads)

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
    def bounds(self) -> frozenset[str]:
        """The kinds of bounds of the Program itself that may cut: slot (threads without a known number), heap, recursion."""
        kinds = set()
        for template in self.program.templates():
            for step in template.steps:
                for action in step.actions:
                    if isinstance(action, Halt) and action.marker is not None:
                        kinds.add(self.program.markers[action.marker].kind)
        return frozenset(kinds & set(_BOUNDS))
