"""Nodes of the reachability tree, and what the search keeps about those on its path."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from fsoft.bounded.outcomes import Executed, StepEnd
from fsoft.program.expr import Expr
from fsoft.search.dpor import EntryMasks
from fsoft.search.loops import Visits


@dataclass(slots=True)
class SearchCounts:
    """`interleavings`: complete ones; `failed`: those that violate a property; `blocked`: given up because all that is left was tried in
    another order; `merged`: ended in a state that was explored before; `infeasible`: branches that the solver excluded early."""

    interleavings: int = 0
    failed: int = 0
    blocked: int = 0
    merged: int = 0
    infeasible: int = 0
    steps: int = 0


@dataclass(slots=True)
class SearchNode:
    """`counts` are the steps that each slot has made, `forks` its branches that the path decided, `visits` how often it returned to the
    heads of its loops; `ready` has the steps from where each slot is, once they have been executed."""

    values: list[Expr]
    active: int
    switches: int
    counts: list[int]
    forks: list[int]
    visits: Visits
    ready: list[list[Executed] | None]


@dataclass(slots=True)
class PathChoice:
    """A way on: a step, how it ends, and the condition of that as far as the path has not decided it."""

    executed: Executed
    outcome: StepEnd
    when: Expr


@dataclass(slots=True)
class Ongoing:
    """The event that is under way: begun by a slot at a frame."""

    slot: int
    frame: SearchFrame
    footprint: EntryMasks


@dataclass(slots=True, eq=False)
class SearchFrame:
    """A node with what is left to try there. `order` are the slots, `todo` the choices of the `current` one; `whole`: every slot that can
    move is tried here. `number` is the place in the stack, the lengths are those of the path on arrival."""

    number: int
    node: SearchNode
    options: dict[int, list[PathChoice]]
    order: list[int]
    sleep: dict[int, EntryMasks]
    lengths: tuple[int, int, int, int]
    whole: bool = True
    event: Ongoing | None = None  # in the middle of one, where nothing is scheduled
    key: Hashable = None
    current: int = -1
    todo: list[PathChoice] = field(default_factory=list)
    tried: dict[int, EntryMasks] = field(default_factory=dict)
