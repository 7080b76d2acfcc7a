"""Remove what no one reads: assignments and inputs to dead registers, and loads of them that can neither fail nor race."""

from __future__ import annotations

from dataclasses import dataclass

from fsoft.analysis.liveness import Droppable
from fsoft.analysis.validity import Validity
from fsoft.passes.graph import Graph, each_template
from fsoft.passes.tidy import tidy_template
from fsoft.program.program import Load, Program, Template


@dataclass(frozen=True)
class Dead:
    """Uninitialised variables are inputs at their declaration; those that are written before they are read go here too."""

    name: str = "dead"

    def apply(self, program: Program) -> Program:
        validity = Validity(program)
        return each_template(program, lambda t: Graph(tidy_template(t, droppable(program, validity, t))).finish())


def droppable(program: Program, validity: Validity, template: Template) -> Droppable:
    """Loads of a template that may go if their result is dead: certainly valid, and nobody asks about races. An atomic load races with
    plain writes, too, and under c11 it orders its thread behind whoever stored what it sees."""
    races = "no-data-race" in program.checks

    def test(action: Load) -> bool:
        return not races and validity.safe(template, action)

    return test
