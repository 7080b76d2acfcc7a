"""Leaks as a bad of the circuit: the definition of `properties.leaks` over terms.

Which heap objects chains of pointers from static storage reach is a transitive closure, spelled out as many times as a chain can be
long; points-to says which objects can hold pointers in pieces. The process ends in a step that says so, and then the words
after that step count, or when all threads have finished.
"""

from __future__ import annotations

from collections.abc import Callable

from fsoft.circuit.encode.deadlocks import at_rest, unfinished
from fsoft.circuit.encode.pending import Candidate, PendingSteps, any_of
from fsoft.program.expr import FALSE, TRUE, Expr, conj, const, disj, eq, make, negate, resize
from fsoft.program.state import ALIVE, Place
from fsoft.properties.leaks import ROOTS

Read = Callable[[int], Expr]
"""The term of an entry of the state vector."""


def leak(pending: PendingSteps) -> tuple[Expr, dict[str, Expr]]:
    """The process ends, or all threads have finished, with a live heap object that nothing points to; beside it the bounds."""
    heap = [place for place in pending.layout.places if place is not None and place.object.storage == "heap"]
    if not heap:
        return FALSE, {}
    words = _Words(pending)
    lost = _lost(words, heap, pending.words.leaf)
    slots = range(len(pending.program.threads))
    rest, bounds = at_rest(pending, spurious=False)
    finished = negate(any_of(unfinished(pending, slot) for slot in slots))
    bad = conj(conj(rest, finished), lost)
    bounds = {name: conj(conj(term, finished), lost) for name, term in bounds.items()}
    return bad, bounds


def leak_at_end(pending: PendingSteps, one: Candidate) -> Expr:
    """The step ends the process, which nobody has ended before, and leaves something behind."""
    heap = [place for place in pending.layout.places if place is not None and place.object.storage == "heap"]
    if one.effect.ends is FALSE or one.when is FALSE or not heap:
        return FALSE
    first = negate(any_of(
        pending.at(slot, thread.template.stops["ended"])
        for slot, thread in enumerate(pending.program.threads)
        if slot != one.slot and "ended" in thread.template.stops
    ))  # fmt: skip
    after = one.effect.writes

    def read(index: int) -> Expr:
        return after.get(index) or pending.words.leaf(index)

    return conj(conj(conj(one.when, one.effect.ends), first), _lost(_Words(pending), heap, read))


def _lost(words: _Words, heap: list[Place], read: Read) -> Expr:
    """Some live object of the heap is not reachable from static storage."""
    live = {place.object.id: eq(read(place.status), const(ALIVE, 2)) for place in heap}
    roots = [place for place in words.pending.layout.places if place is not None and place.object.storage in ROOTS]
    reached = dict.fromkeys(live, FALSE)
    for place in roots:
        there = eq(read(place.status), const(ALIVE, 2)) if place.status >= 0 else TRUE  # a thread-local ends with its thread
        for number, term in words.pointing(place, list(live), read).items():
            reached[number] = disj(reached[number], conj(conj(term, live[number]), there))
    edges = {place.object.id: words.pointing(place, list(live), read) for place in heap}
    for _ in range(len(heap)):
        new = dict(reached)
        for source, targets in edges.items():
            for number, term in targets.items():
                if number != source:
                    new[number] = disj(new[number], conj(conj(reached[source], term), live[number]))
        if all(new[number] is reached[number] for number in new):
            break
        reached = new
    return any_of(conj(live[number], negate(reached[number])) for number in live)


class _Words:
    """Values in objects that may be pointers, as `properties.leaks` reads them."""

    def __init__(self, pending: PendingSteps):
        self.pending = pending
        self.word, self.bits = pending.program.word, pending.program.offset_bits

    def pointing(self, place: Place, targets: list[int], read: Read) -> dict[int, Expr]:
        """For each target the condition that some word of the object points into it; those of FALSE are left out."""
        found: dict[int, Expr] = {}
        for value in self._values(place, targets, read):
            number = make("extract", self.word - self.bits, (value,), self.bits)
            for target in targets:
                term = eq(number, const(target, number.width))
                if term is not FALSE:
                    found[target] = disj(found.get(target, FALSE), term)
        return found

    def _values(self, place: Place, targets: list[int], read: Read) -> list[Expr]:
        def cell(number: int, size: int) -> Expr:
            if place.rom is not None:
                value = place.rom[number]
                return const(value if isinstance(value, int) else 0, 8 * size)
            return read(place.base + number)

        values: list[Expr] = []
        small: dict[int, Expr] = {}
        pieces = any(self.pending.facts.points_to.contents(place.object.id) >> target & 1 for target in targets)
        for one in place.cells:
            if 8 * one.size >= self.word:
                whole = cell(one.number, one.size)
                values += [self._word(whole, shift) for shift in range(0, 8 * one.size, self.word)]
            elif pieces:
                value = cell(one.number, one.size)
                small.update({one.offset + k: make("extract", 8, (value,), 8 * k) for k in range(one.size)})
        return values + self._joined(small)

    def _word(self, whole: Expr, shift: int) -> Expr:
        part = make("extract", min(self.word, whole.width - shift), (whole,), shift)
        return resize(part, self.word, False)

    def _joined(self, small: dict[int, Expr]) -> list[Expr]:
        """Pointers kept in pieces, at aligned offsets."""
        step = self.word // 8
        values = []
        for start in sorted({offset - offset % step for offset in small}):
            value: Expr = const(0, self.word)
            for k in range(step):
                part = resize(small.get(start + k, const(0, 8)), self.word, False)
                value = make("or", self.word, (value, make("shl", self.word, (part, const(8 * k, self.word)))))
            values.append(value)
        return values
