"""Sticky locations (F-Soft section 4.2, "Cycle detection"): on every cycle of states some thread leaves a sticky location, and there every
thread is expanded, so that nobody is put off for ever.

A cycle of states is, for each thread that moves on it, a closed walk in that thread's graph. The walk stays inside some outermost loop and
takes one of the steps back to its head. A loop whose counter moves on in every round (`analysis/loops` knows how often it runs) has no such
walk: the counter would have to come back. Of all other loops the last location that every round passes is sticky: the nearest that
dominates the sources of all steps back. (A walk from the head to such a source passes it; so `while (taken) wait();` is not sticky for
those that need not wait.) Where the head does not dominate these sources, it is the head. Location 0 is where a slot starts again; on a
cycle somebody must have created its thread again, so it is enough that it is sticky for slots that can, through others, come to be
created by themselves.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsoft.analysis.flow import depth_first, dominates, dominators, successors
from fsoft.analysis.loops import template_loops
from fsoft.program.program import Template


def sticky_locations(template: Template, starts_itself: bool) -> frozenset[int]:
    """The sticky locations of a template; `starts_itself` says whether location 0 counts."""
    succ = successors(template)
    _, _, retreating = depth_first(lambda n: succ[n])
    counted = {loop.head for loop in template_loops(template) if loop.count is not None}
    idom = dominators(succ)
    heads = {target for _, target in retreating if target} - counted
    found = {_last(head, [source for source, target in retreating if target == head], idom) for head in heads}
    return frozenset(found | {0}) if starts_itself else frozenset(found)


def _last(head: int, sources: list[int], idom: dict[int, int]) -> int:
    """The last location that every round of the loop passes."""
    if not all(dominates(head, source, idom) for source in sources):
        return head
    found = sources[0]
    while not all(dominates(found, source, idom) for source in sources):
        found = idom[found]
    return found


def reaches_itself(starts: Sequence[int]) -> list[bool]:
    """For each slot whether it may activate itself, directly or through others; `starts[k]` is the mask of slots that k may activate."""
    out = []
    for slot in range(len(starts)):
        seen, work = 0, starts[slot]
        while work:
            low = work & -work
            seen |= low
            work = (work | starts[low.bit_length() - 1]) & ~seen
        out.append(bool(seen >> slot & 1))
    return out
