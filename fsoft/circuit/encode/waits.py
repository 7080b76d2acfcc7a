"""Who waits for whom, as terms: `properties.waits` in the circuit."""

from __future__ import annotations

from fsoft.circuit.encode.memory_terms import MemoryTerms
from fsoft.circuit.encode.pending import PendingSteps, any_of
from fsoft.program import descriptor
from fsoft.program.expr import FALSE, TRUE, Expr, conj, const, disj, eq, make, negate
from fsoft.program.program import Step
from fsoft.properties.waits import Waits, WaitSource

Edges = dict[int, dict[int, Expr]]
"""slot, other slot: the condition under which the one waits for the other; never FALSE."""


def waiting(pending: PendingSteps, waits: Waits | None = None) -> Edges:
    """The edges of the graph in the current state. `waits` can be given where the question is asked often."""
    waits = waits or Waits(pending.program)
    known = {(one.slot, id(one.step)): one.effect.enabled for one in pending.steps}
    edges: Edges = {}
    for slot, thread in enumerate(pending.program.threads):
        for location, rows in waits.at(slot).items():
            if pending.at(slot, location) is FALSE:
                continue
            steps = [thread.template.steps[index] for index, _ in rows]
            tried = [
                (step, known.get((slot, id(step)), FALSE), sources) for step, (_, sources) in zip(steps, rows, strict=True)
            ]  # a step that the circuit leaves out is never enabled
            for other, term in _Place(pending, waits, slot, location).edges(tried).items():
                mine = edges.setdefault(slot, {})
                mine[other] = disj(mine.get(other, FALSE), term)
    return edges


class _Place:
    """One location of one slot, from which steps may wait."""

    def __init__(self, pending: PendingSteps, waits: Waits, slot: int, location: int):
        self.pending, self.waits, self.slot, self.location = pending, waits, slot, location
        self.memory = MemoryTerms(pending.program, pending.layout, pending.words.leaf, pending.facts, slot)
        self.count = len(pending.program.threads)

    def edges(self, tried: list[tuple[Step, Expr, tuple[WaitSource, ...]]]) -> dict[int, Expr]:
        """Every step (with its enabling condition and its sources) whose guard holds is blocked, and by something of that slot."""
        guards = [self.pending.term(self.slot, step.guard) for step, _, _ in tried]
        blocked: Expr = TRUE
        for guard, (_, enabled, _) in zip(guards, tried, strict=True):
            some = self.pending.for_some_answer(enabled)
            blocked = conj(blocked, negate(guard if some is None else some))
        if blocked is FALSE:
            return {}
        here = conj(conj(self.pending.at(self.slot, self.location), any_of(guards)), blocked)
        names = [self._named(sources) for _, _, sources in tried]
        result: dict[int, Expr] = {}
        for other in range(self.count):
            term = here
            for guard, named in zip(guards, names, strict=True):
                term = conj(term, disj(negate(guard), named.get(other, FALSE)))
            if term is not FALSE:
                result[other] = term
        return result

    def _named(self, sources: tuple[WaitSource, ...]) -> dict[int, Expr]:
        """For each slot the condition that one of the sources names it."""
        found: dict[int, Expr] = {}
        for source in sources:
            for other, term in self._one(source).items():
                found[other] = disj(found.get(other, FALSE), term)
        return found

    def _one(self, source: WaitSource) -> dict[int, Expr]:
        address = self.pending.term(self.slot, source.address)
        reach = self.memory.reach(address, source.address, source.size, False)
        exact = [way for way in reach.ways if way.place.cells.exact(way.offset, source.size) is not None]
        if source.kind == "join":
            array = self.pending.layout.descriptors
            return self._joined([(way.offset, way.when) for way in exact if array is not None and way.place.object.id == array.id], source)
        value = self.memory.value(reach, source.size)
        valid = any_of(way.when for way in exact)
        if source.kind == "owner":
            terms = {k: eq(value, const(k + 1, value.width)) for k in range(self.count)}
        else:
            terms = {k: make("extract", 1, (value,), k) for k in range(min(self.count, value.width))}
        return {k: conj(valid, term) for k, term in terms.items()}

    def _joined(self, ways: list[tuple[int, Expr]], source: WaitSource) -> dict[int, Expr]:
        layout = self.pending.layout
        assert layout.descriptors is not None or not ways
        found: dict[int, Expr] = {}
        for offset, when in ways:
            assert layout.descriptors is not None
            other = self.waits.joined(offset)
            place = layout.places[layout.descriptors.id]
            number = place.cells.exact(offset, source.size) if place is not None else None
            if place is None or number is None or place.rom is not None:
                continue
            state = self.pending.words.leaf(place.base + number)
            runs = conj(when, eq(state, const(descriptor.RUNNING, state.width)))
            found[other] = disj(found.get(other, FALSE), runs)
        return found


def circle(edges: Edges) -> Expr:
    """Some slot waits for itself, directly or through others (Warshall's closure over the slots that can be in a circle)."""
    edges = _in_circles(edges)
    slots = sorted(edges)
    reach = {(a, b): term for a, row in edges.items() for b, term in row.items()}
    for middle in slots:
        into = [(a, term) for a in slots if (term := reach.get((a, middle))) is not None]
        out = [(b, term) for b in slots if (term := reach.get((middle, b))) is not None]
        for a, first in into:
            for b, second in out:
                reach[a, b] = disj(reach.get((a, b), FALSE), conj(first, second))
    return any_of(term for (a, b), term in sorted(reach.items(), key=lambda item: item[0]) if a == b)


def _in_circles(edges: Edges) -> Edges:
    """Without the slots that nobody can wait for, or that can wait for nobody."""
    while True:
        targets = {b for row in edges.values() for b in row}
        kept = {a: {b: term for b, term in row.items() if b in edges} for a, row in edges.items() if a in targets}
        kept = {a: row for a, row in kept.items() if row}
        if kept.keys() == edges.keys() and all(kept[a].keys() == edges[a].keys() for a in kept):
            return kept
        edges = kept
