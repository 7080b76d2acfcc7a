"""What a property of runs can see, and the locations from which a step may change it (docs/reduction.md, "Runs").

A thread at such a location conflicts with everybody, as at a sticky location. Visible are, in every state: a step that may write what an
atom may read; one that leaves or reaches a place which an atom names; one that may change who has nothing to do, if that is asked; and
one that may stop its thread, because the end of a run is observed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fsoft.analysis.actions import Touching
from fsoft.por.cells import Ground
from fsoft.por.footprint import Footprint
from fsoft.por.threads import Descriptors
from fsoft.program.expr import FALSE
from fsoft.program.program import Alloc, Program, Step, Template
from fsoft.program.state import Layout
from fsoft.properties.ltl import Atom, Text, Watched


@dataclass(frozen=True, slots=True)
class AtomReads:
    """What the atoms of a property look at: `entries` of the state vector as a mask; `idle`: slots of which is asked whether they have
    something to do; `ended`: that is asked of all together; `places`: by slot, locations that are told from the others."""

    entries: int
    idle: frozenset[int]
    ended: bool
    places: tuple[tuple[int, frozenset[int]], ...]


def seen_by(watched: Watched, atoms: Sequence[tuple[Atom, Text]]) -> AtomReads:
    """What these atoms look at, in states of `watched.program`."""
    idle = frozenset(watched.slot(a, s) for a, s in atoms if a.kind == "idle")
    places = [place for a, s in atoms if a.kind in ("label", "line") for place in watched.locations(a, s).items()]
    steps = [watched.readings[a].step for a, _ in atoms if a.kind in ("c", "holds")]
    return AtomReads(_read(watched, steps), idle, any(a.kind == "ended" for a, _ in atoms), tuple(places))


def _read(watched: Watched, steps: Sequence[int]) -> int:
    """The entries that steps of the observer may touch, without those of its own."""
    if not steps:
        return 0
    ground, slot = Ground(watched.whole), len(watched.program.threads)
    mask = 0
    for step in (watched.whole.threads[slot].template.steps[k] for k in steps):
        for action in step.actions:
            if isinstance(action, Touching):
                reads, writes = ground.static(slot, action, None if isinstance(action, Alloc) else action.address)
                mask |= reads | writes
    return _without(ground.layout, slot, mask)


def _without(layout: Layout, slot: int, mask: int) -> int:
    """A mask over a state vector as one over the same vector without the last slot."""
    low, high = layout.spans[slot]
    return mask & (1 << low) - 1 | mask >> high << low


def visible_locations(
    program: Program, descriptors: Descriptors, prints: Sequence[Sequence[Footprint]], seen: AtomReads
) -> list[frozenset[int]]:
    """By slot: the locations from which a step may change what is seen, or stop the thread."""
    entries, idle = seen.entries, set(seen.idle)
    if seen.ended and _rests(program.threads[0].template, prints[0]):
        idle.update(range(len(prints)))
    for slot in idle:
        entries |= 1 << descriptors.state[slot] if descriptors.state[slot] >= 0 else 0
    out = []
    for slot, thread in enumerate(program.threads):
        template = thread.template
        turning = _turning(template) if slot in idle else frozenset[int]()
        named = [places for owner, places in seen.places if owner == slot]
        steps = [(template.steps[one.index], one) for one in prints[slot] if one.possible]
        found = {step.source for step, one in steps if one.full[1] & entries or stopping(template, step, one)}
        found |= {step.source for step, _ in steps if step.source in turning or step.target in turning}
        found |= {step.source for step, _ in steps if any((step.source in p) != (step.target in p) for p in named)}
        out.append(frozenset(found))
    return out


def stopping(template: Template, step: Step, one: Footprint) -> bool:
    """The step may stop its thread (an invalid access apart: such a run is not followed, and forbids TRUE)."""
    return one.stops is not FALSE or step.target in template.stops.values()


def _turning(template: Template) -> frozenset[int]:
    """Where a thread has nothing to do, or may have nothing to do: its start, and locations without steps."""
    return frozenset({0, *(k for k, steps in enumerate(template.outgoing()) if not steps)})


def _rests(template: Template, prints: Sequence[Footprint]) -> bool:
    """The slot can come to have nothing to do without ending the process."""
    rest = _turning(template) - set(template.stops.values())
    return any(template.steps[one.index].target in rest for one in prints if one.possible)


__all__ = ["AtomReads", "seen_by", "visible_locations"]
