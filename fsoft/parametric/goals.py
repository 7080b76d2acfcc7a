"""Conditions that the proof needs, found backwards from what can fail.

At the source of a step, the step must not fail: that is a condition on the shared words and the thread's own. One step earlier in the same
thread, the condition is that of the state after the step, if no other thread comes between. These weakest preconditions are candidates like
others, and so is that a word still is what a step made it: `definitions`.
"""

from __future__ import annotations

from itertools import product

from fsoft.parametric.clauses import role_name
from fsoft.parametric.system import System, SystemMove
from fsoft.program.expr import FALSE, TRUE, Expr, conj, const, disj, eq, fill, negate, postorder, reg

_LARGEST = 400  # nodes of a condition, written out as a tree
_SMALL = 30  # nodes of an equation
_DEPTH = 10  # steps back
_MOST = 12  # conditions at one location

GoalConditions = dict[tuple[int, int], list[Expr]]
"""By kind and location."""

Meetings = dict[tuple[tuple[int, ...], tuple[int, ...]], list[Expr]]
"""By kinds and locations."""


def failure_conditions(system: System) -> GoalConditions:
    """By kind and location: conditions that must hold of a thread there, as literals of clauses."""
    found: GoalConditions = {}
    layer: GoalConditions = {}
    for move in system.moves:
        _add(system, found, layer, move, negate(conj(move.enabled, move.bad)))
    for _ in range(_DEPTH):
        following: GoalConditions = {}
        for move in system.moves:
            kind = system.kind_of[move.slot]
            for condition in layer.get((kind.index, move.step.target), ()):
                words = {role_name(0, k): move.writes.get(name, system.word(name)) for k, name in enumerate(system.owned[move.slot])}
                shared = {name: move.writes[name] for name in system.shared if name in move.writes}
                after = fill(condition, words | shared)
                _add(system, found, following, move, disj(negate(conj(move.enabled, negate(move.over))), after))
        layer = following
    return found


def clash_conditions(system: System) -> Meetings:
    """By two kinds and a location of each: that threads there do not race, as a literal about both."""
    found: Meetings = {}
    for clash in system.clashes:
        kinds = tuple(system.kind_of[slot].index for slot in clash.slots)
        places = [_places(system, slot) for slot in clash.slots]
        roles = {
            name: reg(role_name(role, k), system.widths[name])
            for role, slot in enumerate(clash.slots)
            for k, name in enumerate(system.owned[slot])
        }
        pcs = [system.owned[slot][0] for slot in clash.slots]
        for here in product(*places):
            fixed = {name: const(place, system.widths[name]) for name, place in zip(pcs, here, strict=True)}
            condition = fill(negate(fill(clash.condition, fixed)), roles)
            if condition is not TRUE and _size(condition) <= _LARGEST:
                found.setdefault((kinds, here), []).append(condition)
    return found


def _places(system: System, slot: int) -> list[int]:
    """The locations from which the slot's kind moves."""
    first = system.kind_of[slot].slots[0]
    return sorted({move.step.source for move in system.moves if move.slot == first})


def _add(system: System, found: GoalConditions, layer: GoalConditions, move: SystemMove, condition: Expr) -> None:
    """Keep a condition on the words before the move, if it is one and not too large."""
    mine = {name: reg(role_name(0, k), system.widths[name]) for k, name in enumerate(system.owned[move.slot])}
    condition = fill(condition, mine)
    known = set(system.shared) | {str(word.data) for word in mine.values()}
    if condition in (TRUE, FALSE) or not condition.reads <= known or _size(condition) > _LARGEST:
        return
    key = (system.kind_of[move.slot].index, move.step.source)
    if condition not in found.setdefault(key, []) and len(found[key]) < _MOST:
        found[key].append(condition)
        layer.setdefault(key, []).append(condition)


def _size(term: Expr) -> int:
    """Nodes of a term, written out as a tree."""
    sizes: dict[Expr, int] = {}
    for node in postorder((term,)):
        sizes[node] = 1 + sum(sizes[a] for a in node.args)
    return sizes[term]


def definitions(system: System) -> dict[int, list[Expr]]:
    """By kind: equations between a word and what some move of the kind assigns to it."""
    found: dict[int, dict[Expr, None]] = {kind.index: {} for kind in system.kinds}
    for move in system.moves:
        mine = {name: reg(role_name(0, k), system.widths[name]) for k, name in enumerate(system.owned[move.slot])}
        known = set(system.shared) | {str(word.data) for word in mine.values()}
        for name, term in list(move.writes.items()):
            if term.op not in ("const", "reg") and name != system.owned[move.slot][0]:
                equation = fill(eq(system.word(name), term), mine)
                if name not in term.reads and equation.reads <= known and _size(equation) <= _SMALL:
                    found[system.kind_of[move.slot].index][equation] = None
    return {kind: list(equations) for kind, equations in found.items()}


__all__ = ["clash_conditions", "definitions", "failure_conditions"]
