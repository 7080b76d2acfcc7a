"""Spin loops: a loop that only looks at memory until it likes what it sees.

If no round leaves anything behind that a later round could read, then every round can be taken for the first one, and the thread
might as well have waited before it. So only the last round is kept (for properties of states other than deadlocks): what leads
round once more is an assume that fails. A round that is not the last must not be needed for anything else: what is
left out accesses no memory that could be invalid or race, and checks nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsoft.analysis.actions import defined
from fsoft.analysis.liveness import Droppable, Liveness
from fsoft.analysis.nesting import Nesting
from fsoft.program.program import Assign, Input, Load, Step, Template

KEPT_OUT = frozenset({"no-deadlock"})
"""With these properties no loop counts as a spin loop."""


def spin_heads(template: Template, nest: Nesting, droppable: Droppable) -> dict[int, frozenset[int]]:
    """The heads of spin loops, each with the locations that can still leave the loop in the same round."""
    live = Liveness(template)
    out = template.outgoing()
    found: dict[int, frozenset[int]] = {}
    for head, members in nest.members.items():
        if any(s.source not in members and s.target in members - {head} for s in template.steps):
            continue  # who enters elsewhere has not begun a round
        steps = [s for node in sorted(members) for s in out[node] if s.target in members]
        if not _idle(template, steps, live.names(live.at[head])):
            continue
        leaving = _leaving(head, members, out)
        lost = [s for s in steps if s.target == head or s.target not in leaving]
        if all(_no_loss(step, droppable) for step in lost):
            found[head] = leaving
    return found


def _idle(template: Template, steps: Sequence[Step], live: frozenset[str]) -> bool:
    """The steps only load and compute, and nothing that they compute is read in the next round."""
    for step in steps:
        if template.locations[step.source].atomic or template.locations[step.target].atomic or step.tags:
            return False
        for action in step.actions:
            if not isinstance(action, (Assign, Input, Load)) or defined(action) in live:
                return False
    return True


def _leaving(head: int, members: frozenset[int], out: Sequence[Sequence[Step]]) -> frozenset[int]:
    """Locations of the loop from which a way leads out of it without going round."""
    leaving: set[int] = set()
    grown = True
    while grown:
        new = {n for n in members - leaving if any(s.target not in members or (s.target in leaving and s.target != head) for s in out[n])}
        grown = bool(new)
        leaving |= new
    return frozenset(leaving)


def _no_loss(step: Step, droppable: Droppable) -> bool:
    return all(droppable(action) for action in step.actions if isinstance(action, Load))
