"""Constants along the control flow of templates that one slot runs: values that a register, or a cell of memory that no other
slot touches, certainly has. `pthread_join(t, ...)` then names the thread it waits for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from fsoft.analysis.actions import defined, rewritten
from fsoft.analysis.constants import Constants
from fsoft.analysis.points_to import PointsTo
from fsoft.passes.graph import Graph, each_template, shortened
from fsoft.program.expr import fill
from fsoft.program.program import Action, Assign, Load, Program, Step, Tag, Template


@dataclass(frozen=True)
class Known:
    """`largest`: templates with more locations are left alone."""

    name: str = "known"
    largest: int = 2000

    def apply(self, program: Program) -> Program:
        runs: dict[int, list[int]] = {}
        for slot, thread in enumerate(program.threads):
            runs.setdefault(id(thread.template), []).append(slot)
        points_to = PointsTo(program)
        return each_template(program, lambda t: self._template(points_to, t, runs[id(t)]))

    def _template(self, points_to: PointsTo, template: Template, slots: list[int]) -> Template:
        if len(slots) != 1 or len(template.locations) > self.largest:
            return template
        constants = Constants(points_to, slots[0], points_to.private(slots[0]))
        graph = Graph(template)
        for node, steps in enumerate(graph.out):
            graph.out[node] = [_filled(s, constants) for s in steps if constants.possible(s)]
        return graph.finish()


def _filled(step: Step, constants: Constants) -> Step:
    """The step with constants in place of registers; what is constant for the slot only (its `own` values) stays as it is."""
    known = {str(name): value for name, value in constants.before(step.source).items() if isinstance(name, str)}
    rewrite = partial(fill, known=known)
    guard = rewrite(step.guard)
    tags = tuple([t if t.operand is None else Tag(t.kind, rewrite(t.operand)) for t in step.tags])
    actions: list[Action] = []
    for action, result in constants.results(step):
        new = rewritten(action, rewrite)
        name = defined(new)
        if name is not None:
            known.pop(name, None)
            if result is not None:
                known[name] = result
                if isinstance(new, Load):
                    new = Assign(name, result, new.when)
        actions.append(new)
    return Step(step.source, guard, shortened(actions), step.target, step.loc, step.text, tags, step.calls)
