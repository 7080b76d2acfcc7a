"""Long arrays as summaries: any cell has any value of a range. What the range is, is a guess from random runs and the constants of the
program; the truncated Program checks it itself (`passes/truncate.py`), so a proof about it is a proof about the program.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from fsoft.analysis.actions import expressions
from fsoft.analysis.points_to import PointsTo
from fsoft.passes.truncate import Truncate, ValueBounds, ranged
from fsoft.program.expr import postorder, to_signed
from fsoft.program.interpreter import Machine
from fsoft.program.program import Load, Object, Program
from fsoft.program.run import random_values
from fsoft.program.state import OVER, Choose, Vector

LIMITS = (4, 16)
"""Cells up to which an array stays as it is: first only what is tiny, then all that is small enough."""
_RUNS, _MOVES = 30, 300


def variants(program: Program) -> Iterator[tuple[Program, list[str]]]:
    """The Program with long arrays as summaries, in the ways worth trying, and a line for each range. Where data races are asked about,
    values rarely matter: first without ranges."""
    if "no-data-race" in program.checks:
        yield Truncate(LIMITS[1], kept=0, races=True).apply(program), []
    first, last = ([obj for obj in program.objects if ranged(obj, limit) is not None] for limit in LIMITS)
    for limit in LIMITS if first != last else LIMITS[1:]:
        small, lines = summarised(program, limit)
        if lines or "no-data-race" not in program.checks:
            yield small, lines


def summarised(program: Program, limit: int = LIMITS[1]) -> tuple[Program, list[str]]:
    """The Program with arrays of more than `limit` cells as summaries, and a line for each range."""
    found = [(obj, size) for obj in _read(program) for size in [ranged(obj, limit)] if size is not None]
    seen = _seen(program, [obj for obj, _ in found]) if found else {}
    bounds = _constants(program) if found else {}
    ranges = {obj.id: _widened(seen[obj.id], bounds.get(8 * size, set()), 8 * size) for obj, size in found}
    lines = [f"elements of {obj.name} are {ranges[obj.id][0]} to {ranges[obj.id][1]}" for obj, _ in found]
    return Truncate(limit, kept=0, ranges=ranges, races=True).apply(program), lines


def _read(program: Program) -> list[Object]:
    """Objects that some step may load from: the values of others do not matter."""
    points_to, mask = PointsTo(program), 0
    for thread in program.threads:
        for step in thread.template.steps:
            for action in step.actions:
                if isinstance(action, Load):
                    mask |= points_to.value(thread.index, action.address)
    return [obj for obj in program.objects if mask >> obj.id & 1]


def _seen(program: Program, objects: list[Object]) -> dict[int, ValueBounds]:
    """The least and the greatest value in each array in some runs."""
    machine = Machine(program)
    values: dict[int, set[int]] = {obj.id: {0} for obj in objects}
    for seed in range(_RUNS):
        source = Random(seed)
        state = _walk(machine, source, random_values(source))
        for obj in objects:
            place = machine.layout.places[obj.id]
            assert place is not None
            for cell in place.cells if place.rom is None else ():
                value = state[place.base + cell.number]
                if isinstance(value, int):
                    values[obj.id].add(to_signed(value, 8 * cell.size))
    return {number: (min(found), max(found)) for number, found in values.items()}


def _walk(machine: Machine, source: Random, choose: Choose) -> Vector:
    """The state after some random moves. Threads that stop early do not end it."""
    v = machine.layout.initial()
    for _ in range(_MOVES):
        slots = machine.movable(v)
        source.shuffle(slots)
        moved = (after for slot in slots for after in [_move(machine, source, v, slot, choose)] if after is not None)
        after = next(moved, None)
        if after is None or after[OVER]:
            break
        v = after
    return v


def _move(machine: Machine, source: Random, v: Vector, slot: int, choose: Choose) -> Vector | None:
    steps = list(machine.outgoing(slot, v[machine.layout.pc[slot]]))
    source.shuffle(steps)
    for step in steps:
        after = list(v)
        if machine.function(slot, step)(after, choose, [], []):
            return after
    return None


def _constants(program: Program) -> dict[int, set[int]]:
    """By width: the constants of the program, signed."""
    found: dict[int, set[int]] = {}
    for template in program.templates():
        for step in template.steps:
            for node in postorder((step.guard, *[e for action in step.actions for e in (action.when, *expressions(action))])):
                if node.op == "const" and not node.index:
                    found.setdefault(node.width, set()).add(to_signed(node.value, node.width))
    return found


def _widened(seen: ValueBounds, constants: set[int], width: int) -> ValueBounds:
    """From the greatest constant, or neighbour of one, that is not above to the least that is not below, else the bounds of the type."""
    near = {c + step for c in constants | {0} for step in (-1, 0, 1)}
    low, high = -(1 << width - 1), (1 << width - 1) - 1
    return max((c for c in near if low <= c <= seen[0]), default=low), min((c for c in near if seen[1] <= c <= high), default=high)


__all__ = ["LIMITS", "summarised", "variants"]
