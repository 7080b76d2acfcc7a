"""Registers as terms over other registers, where all ways to a location agree: constants and copies along the control flow of a slot.

Two terms for the same address, written with different registers, become one and the same term that way. A step whose guard is false for all
that is known is not followed.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsoft.analysis.flow import depth_first, successors
from fsoft.analysis.loops import template_loops
from fsoft.por.footprint import Footprint, settled
from fsoft.program.expr import FALSE, Expr, fill, reg
from fsoft.program.program import Template

Definitions = dict[str, Expr]


def definitions(template: Template, prints: Sequence[Footprint]) -> list[Definitions | None]:
    """By location; None where the slot never comes. One pass, sources first: at the head of a loop only what the loop leaves alone is kept,
    so that nothing has to be taken back."""
    succ = successors(template)
    _, post, retreating = depth_first(lambda n: succ[n])
    kills = _changed_in_loops(template, prints)
    into: dict[int, list[Definitions]] = {}
    out = template.outgoing()
    numbers = {id(step): index for index, step in enumerate(template.steps)}
    at: list[Definitions | None] = [None] * len(template.locations)
    for location in reversed(post):
        ways = into.get(location, [])
        if location == 0:
            here: Definitions = {}
        elif not ways:
            continue
        else:
            here = {r: e for r, e in ways[0].items() if all(way.get(r) is e for way in ways[1:])}
            here = _without(here, kills.get(location, set()))
        at[location] = here
        for step in out[location]:
            one = prints[numbers[id(step)]]
            if one.possible and step.target and (location, step.target) not in retreating and fill(one.guard, here) is not FALSE:
                into.setdefault(step.target, []).append(after_step(one, here))
    return at


def _changed_in_loops(template: Template, prints: Sequence[Footprint]) -> dict[int, set[str]]:
    """By the head of each loop the registers that its steps change."""
    found: dict[int, set[str]] = {}
    for loop in template_loops(template):
        names = found.setdefault(loop.head, set())
        for one in prints:
            if template.steps[one.index].source in loop.body:
                names.update(one.after)
    return found


def _without(known: Definitions, names: set[str]) -> Definitions:
    return {r: e for r, e in known.items() if r not in names and names.isdisjoint(e.reads)}


def after_step(one: Footprint, before: Definitions) -> Definitions:
    """What holds after a step of what held before it, and what the step itself defines. What a load or an input gives is known by the
    register that keeps it: after `b := *p; m := f(b)` the register m is f(b)."""
    changed = one.after.keys()
    new = {name: term for name, term in before.items() if name not in changed and changed.isdisjoint(term.reads)}
    keepers: dict[str, Expr] = {}
    for name, value in one.after.items():
        if value.op == "reg" and not settled(value):
            keepers.setdefault(str(value.data), reg(name, value.width))
    for name, value in one.after.items():
        term = fill(value, before)
        if not changed.isdisjoint(term.reads):
            continue
        term = fill(term, keepers)
        if settled(term) and name not in term.reads:
            new[name] = term
    return new
