"""A sequential Program that stands for many runs of a concurrent one, and the tools to write it.

It has one thread, whose steps follow each other in a line: what may or may not happen is said by the predicates of actions, so symbolic
execution merges nothing and the text is plain C without jumps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from fsoft.frontend.source import NOWHERE
from fsoft.program.expr import TRUE, Expr, reg
from fsoft.program.interpreter import Machine
from fsoft.program.program import STOPS, Action, Halt, Location, Marker, Program, Register, Step, Template, Thread
from fsoft.program.replay import play
from fsoft.program.verdict import Move

GO = "go"
"""The register that says whether the step of the concurrent Program happens that a step of the sequential one stands for."""


@dataclass(slots=True)
class Sequential:
    """`origin[k]`: the slot and the step of the concurrent Program that step k stands for, None for steps of the driver."""

    program: Program
    concurrent: Program
    origin: list[tuple[int, int] | None]

    def home(self, moves: Sequence[Move]) -> list[Move]:
        """A run of the sequential Program as a run of the concurrent one."""
        machine = Machine(self.program, compiled=False)
        go = machine.layout.registers[0][GO]
        found = []
        for one in play(machine, moves):
            where = self.origin[one.move.step]
            if where is not None and one.after[go]:
                found.append(Move(*where, one.move.choices))
        return found


@dataclass(slots=True)
class TemplateWriter:
    """Writes the template, step after step."""

    concurrent: Program
    registers: dict[str, Register] = field(default_factory=dict)
    locations: list[Location] = field(default_factory=lambda: [Location(NOWHERE, "main")])
    steps: list[Step] = field(default_factory=list)
    origin: list[tuple[int, int] | None] = field(default_factory=list)
    markers: list[Marker] = field(default_factory=list)

    def register(self, name: str, width: int, like: Register | None = None) -> Expr:
        """A register, made when it is first asked for."""
        if name not in self.registers:
            new = Register(name, width, signed=False) if like is None else replace(like, name=name)
            self.registers[name] = new
        return reg(name, width)

    def marker(self, marker: Marker) -> int:
        """Its number among those of the Program."""
        self.markers.append(marker)
        return len(self.concurrent.markers) + len(self.markers) - 1

    def step(self, actions: Iterable[Action], text: str, like: Step | None = None, origin: tuple[int, int] | None = None) -> None:
        """The next step; with the place of a step of the concurrent Program."""
        here = len(self.locations)
        loc, calls = (like.loc, like.calls) if like is not None else (NOWHERE, ())
        self.locations.append(Location(loc, "main"))
        self.steps.append(Step(here - 1, TRUE, tuple(actions), here, loc, text, (), calls))
        self.origin.append(origin)

    def finish(self) -> Sequential:
        """The Program; a run that comes to the end of it ends."""
        self.step([Halt("ended")], "the end")
        stops = {}
        for kind in STOPS:
            stops[kind] = len(self.locations)
            self.locations.append(Location(NOWHERE, "main"))
        self.steps[-1] = self.steps[-1].to(stops["ended"])
        old = self.concurrent
        objects = [replace(obj, slot=0) if obj.slot is not None else obj for obj in old.objects]
        thread = Thread(0, "main", Template("main", self.registers, self.locations, self.steps, stops))
        program = replace(old, threads=[thread], objects=objects, markers=[*old.markers, *self.markers])
        return Sequential(program, old, self.origin)
