"""Deadlocks as a bad of the circuit: the definition of `properties.deadlocks` over terms.

That nobody can move is a statement about all answers that a step may get. Where an enabling condition depends on many bits of
input, the circuit cannot say it: such a state is not bad but raises the bound `blocked`.
"""

from __future__ import annotations

from fsoft.circuit.encode.pending import Candidate, PendingSteps, any_of
from fsoft.circuit.encode.waits import circle, waiting
from fsoft.program import descriptor
from fsoft.program.expr import FALSE, TRUE, Expr, conj, const, disj, eq, negate
from fsoft.program.program import Step
from fsoft.properties.deadlocks import has_tag
from fsoft.properties.waits import Waits


def unfinished(pending: PendingSteps, slot: int) -> Expr:
    """The slot has something left to do. (Asked only where nobody can move.)"""
    found = [(location, steps) for location, steps in enumerate(pending.program.threads[slot].template.outgoing()) if steps]
    busy = any_of(pending.at(slot, location) for location, steps in found if not _entry(steps))
    waits = any_of(pending.at(slot, location) for location, steps in found if _entry(steps))
    return disj(busy, conj(waits, _started(pending, slot)))


def _entry(steps: list[Step]) -> bool:
    """The location of the steps is where a slot waits to be started; an unwound one has several. See `Machine.finished`."""
    return steps[0].source == 0 or any(has_tag(step, "start") for step in steps)


def _started(pending: PendingSteps, slot: int) -> Expr:
    """At an entry: the slot's descriptor says that it runs."""
    layout = pending.layout
    place = layout.places[layout.descriptors.id] if layout.descriptors is not None else None
    word = pending.program.word // 8
    number = place.cells.exact(descriptor.offset(slot, "state", word), word) if place is not None else None
    if place is None or number is None:
        return FALSE if slot > 0 else TRUE
    if place.rom is not None:
        return TRUE if place.rom[number] == descriptor.RUNNING else FALSE
    state = pending.words.leaf(place.base + number)
    return eq(state, const(descriptor.RUNNING, state.width))


def at_rest(pending: PendingSteps, spurious: bool) -> tuple[Expr, dict[str, Expr]]:
    """Nobody has stopped early and nobody has a step (with `spurious`: other than a spurious wake-up); beside it the bounds
    where the circuit cannot tell."""
    rest = pending.going_on()
    for slot, thread in enumerate(pending.program.threads):
        for location in sorted(set(thread.template.stops.values())):
            rest = conj(rest, negate(pending.at(slot, location)))
    open_steps: list[Candidate] = []
    for one in pending.steps:
        if spurious and has_tag(one.step, "spurious"):
            continue
        enabled = pending.for_some_answer(one.effect.enabled)
        if enabled is None:
            open_steps.append(one)
            rest = conj(rest, negate(pending.ready(one)))
        else:
            rest = conj(rest, negate(conj(pending.at(one.slot, one.step.source), enabled)))
    bounds: dict[str, Expr] = {}
    for one in open_steps:
        name = f"blocked@{one.step.loc.file}:{one.step.loc.line}".replace(" ", "_")
        bounds[name] = disj(bounds.get(name, FALSE), conj(rest, pending.guard(one)))
    return conj(rest, negate(any_of(bounds.values()))), bounds


def deadlock(pending: PendingSteps) -> tuple[Expr, dict[str, Expr]]:
    """Global or local deadlock, and the bounds where the circuit cannot tell."""
    found, bounds = global_deadlock(pending)
    return disj(found, local_deadlock(pending)), bounds


def local_deadlock(pending: PendingSteps, waits: Waits | None = None) -> Expr:
    """Threads wait in a circle, and nobody is inside an atomic section."""
    outside = negate(any_of(_at_atomic(pending, slot) for slot in range(len(pending.program.threads))))
    return conj(conj(pending.going_on(), outside), circle(waiting(pending, waits)))


def global_deadlock(pending: PendingSteps) -> tuple[Expr, dict[str, Expr]]:
    """Nobody can move and someone is unfinished; beside it the bounds where the circuit cannot tell."""
    slots = range(len(pending.program.threads))
    stuck = any_of(unfinished(pending, slot) for slot in slots)
    stuck = conj(stuck, negate(any_of(_inside(pending, slot) for slot in slots)))
    rest, bounds = at_rest(pending, spurious=True)
    return conj(rest, stuck), {name: conj(term, stuck) for name, term in bounds.items()}


def _inside(pending: PendingSteps, slot: int) -> Expr:
    """The slot is at an atomic location, or waits to enter an atomic section: no deadlock, the run is pruned."""
    template = pending.program.threads[slot].template
    return disj(_at_atomic(pending, slot), any_of(_entering(pending, slot, steps) for steps in template.outgoing()))


def _at_atomic(pending: PendingSteps, slot: int) -> Expr:
    locations = pending.program.threads[slot].template.locations
    return any_of(pending.at(slot, number) for number, location in enumerate(locations) if location.atomic)


def _entering(pending: PendingSteps, slot: int, steps: list[Step]) -> Expr:
    """Of the steps from one location whose guard holds there is one, and all are sections."""
    sections = [step for step in steps if has_tag(step, "section")]
    if not sections:
        return FALSE
    some = any_of(pending.term(slot, step.guard) for step in sections)
    other = any_of(pending.term(slot, step.guard) for step in steps if step not in sections)
    started = _started(pending, slot) if _entry(steps) else TRUE
    return conj(conj(pending.at(slot, steps[0].source), started), conj(some, negate(other)))
