"""A template taken apart for rewriting: steps by source, and back again with dense numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from fsoft.analysis.actions import defined, ends, reads
from fsoft.program.expr import Expr, reg
from fsoft.program.program import Action, Check, Location, Program, Register, Require, Step, Tag, Template


class Graph:
    """`out[l]` are the steps from location l in order. Edit freely, then `finish`."""

    def __init__(self, template: Template):
        self.name = template.name
        self.locations = list(template.locations)  # shared with the template: replace, never change
        self.out = template.outgoing()
        self.stops = dict(template.stops)
        self.registers = dict(template.registers)
        self._fresh = 0

    def incoming(self) -> list[int]:
        """Number of steps into each location."""
        count = [0] * len(self.locations)
        for steps in self.out:
            for step in steps:
                count[step.target] += 1
        return count

    def location(self, like: int) -> int:
        """A new location, not atomic, at the place of another."""
        where = self.locations[like]
        self.locations.append(Location(where.loc, where.function))
        self.out.append([])
        return len(self.locations) - 1

    def register(self, kind: str, width: int) -> Expr:
        """A new register."""
        name = f"{kind}.{self._fresh}"
        while name in self.registers:
            self._fresh += 1
            name = f"{kind}.{self._fresh}"
        self.registers[name] = Register(name, width, signed=False)
        return reg(name, width)

    def fixed(self) -> set[int]:
        """Locations that must stay what they are: the entry and the stops."""
        return {0, *self.stops.values()}

    def finish(self) -> Template:
        """The template, with locations numbered in the order in which a depth-first walk reaches them, unreachable ones left out."""
        number: dict[int, int] = {}
        stack = [0]
        while stack:
            node = stack.pop()
            if node not in number:
                number[node] = len(number)
                stack.extend(s.target for s in reversed(self.out[node]) if s.target not in number)
        for stop in self.stops.values():
            number.setdefault(stop, len(number))
        locations = [self.locations[old] for old in number]
        steps = [_renumbered(step, number) for old in number for step in self.out[old]]
        stops = {kind: number[old] for kind, old in self.stops.items()}
        return Template(self.name, self.mentioned(steps), locations, steps, stops)

    def mentioned(self, steps: list[Step]) -> dict[str, Register]:
        """The registers that these steps read or write."""
        used: set[str] = set()
        for step in steps:
            used |= step.guard.reads
            for tag in step.tags:
                used |= tag.operand.reads if tag.operand is not None else frozenset()
            for action in step.actions:
                used |= reads(action)
                name = defined(action)
                if name is not None:
                    used.add(name)
        return {name: register for name, register in self.registers.items() if name in used}


def _renumbered(step: Step, number: dict[int, int]) -> Step:
    source, target = number[step.source], number[step.target]
    if source == step.source and target == step.target:
        return step
    return Step(source, step.guard, step.actions, target, step.loc, step.text, step.tags, step.calls)


def changed(step: Step, guard: Expr, actions: tuple[Action, ...], tags: tuple[Tag, ...]) -> Step:
    """The step with new contents; the same object if they are the same."""
    if guard is step.guard and tags is step.tags and len(actions) == len(step.actions) and all(map(_same, actions, step.actions)):
        return step
    return Step(step.source, guard, actions, step.target, step.loc, step.text, tags, step.calls)


def _same(a: object, b: object) -> bool:
    return a is b


def each_template(program: Program, rewrite: Callable[[Template], Template]) -> Program:
    """The program with every template rewritten once; slots that shared a template share its image."""
    image = {id(t): rewrite(t) for t in program.templates()}
    threads = [replace(thread, template=image[id(thread.template)]) for thread in program.threads]
    return replace(program, threads=threads)


def shortened(actions: Iterable[Action]) -> tuple[Action, ...]:
    """Without actions that never run, conditions that always hold, and what follows a certain stop."""
    kept: list[Action] = []
    for action in actions:
        if action.when.op == "const" and not action.when.data:
            continue
        if isinstance(action, (Check, Require)) and action.condition.op == "const" and action.condition.data:
            continue
        kept.append(action)
        if ends(action):
            break
    return tuple(kept)


def empty(step: Step) -> bool:
    """Nothing happens in the step: it only decides where control goes."""
    return not step.actions and not step.tags
