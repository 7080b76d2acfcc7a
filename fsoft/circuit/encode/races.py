"""Data races as a bad of the circuit: the definition of `properties.races` over terms.

Pending accesses are sorted by what they cover. The bytes of an object fall into **parts** that every access covers wholly or not at
all; for each part and slot four terms say whether the slot is about to touch it, to touch it plainly, to write it plainly or
atomically. Slots are then compared part by part, each with all before it, so the size grows with slots times accesses and not with
pairs of accesses. Steps that nobody else can see (`analysis.sharing`) are left out, and so are parts that only one slot touches.

The choices of the two threads are independent: the later one of a pair has inputs of its own.

Bytes of arrays that have no cells (`passes/truncate`) are in no part. Circuits need none, because there such an access is a cut;
`race_beyond` compares accesses to them by their addresses, two by two.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from fsoft.analysis.sharing import Sharing
from fsoft.circuit.encode.memory_terms import AccessWay, Beyond
from fsoft.circuit.encode.pending import Candidate, PendingSteps
from fsoft.circuit.encode.steps import Inputs, StepTouch
from fsoft.program.expr import FALSE, Expr, binary, conj, const, disj, make
from fsoft.properties.race_objects import ByteRanges, counts, race_ranges

Part = tuple[int, int]
"""An object and the offset where the part starts."""


@dataclass(slots=True)
class _Use:
    """What a slot is about to do with a part: anything, a plain access, a plain write, an atomic write."""

    any: Expr = FALSE
    plain: Expr = FALSE
    plain_write: Expr = FALSE
    atomic_write: Expr = FALSE

    def add(self, touch: StepTouch, when: Expr) -> None:
        self.any = disj(self.any, when)
        if not touch.sync:
            self.plain = disj(self.plain, when)
        if touch.write and touch.sync:
            self.atomic_write = disj(self.atomic_write, when)
        elif touch.write:
            self.plain_write = disj(self.plain_write, when)

    def join(self, other: _Use) -> _Use:
        return _Use(
            disj(self.any, other.any),
            disj(self.plain, other.plain),
            disj(self.plain_write, other.plain_write),
            disj(self.atomic_write, other.atomic_write),
        )

    def meets(self, other: _Use) -> Expr:
        """One of the two writes, and not both are atomic."""
        plainly = disj(conj(self.plain_write, other.any), conj(self.any, other.plain_write))
        mixed = disj(conj(self.atomic_write, other.plain), conj(self.plain, other.atomic_write))
        return disj(plainly, mixed)


_Uses = dict[Part, _Use]


class _Parts:
    """The parts of each object, as the accesses of the program cut it; without those on which races do not count."""

    def __init__(self, steps: list[Candidate], ranges: ByteRanges | None):
        edges: dict[int, set[int]] = {}
        for one in steps:
            for touch in one.effect.touches:
                for way in touch.ways:
                    edges.setdefault(way.place.object.id, set()).update((way.offset, way.offset + touch.size))
        self._parts = {
            number: [(low, high) for low, high in pairwise(sorted(found)) if counts(ranges, number, low, high)]
            for number, found in edges.items()
        }

    def covered(self, obj: int, offset: int, size: int) -> list[Part]:
        return [(obj, low) for low, high in self._parts[obj] if offset <= low and high <= offset + size]


def race(pending: PendingSteps, others: Inputs, sharing: Sharing | None = None) -> Expr:
    """Two slots are about to access the same byte (one on which races count), one writes, and not both are atomic. `others` collects the
    inputs of the later slot. `sharing` can be given where the question is asked often."""
    threads, steps = pending.program.threads, [one for one in pending.steps if one.effect.touches]
    if pending.layout.descriptors is not None:  # without them nothing says who runs when
        sharing = sharing or Sharing(pending.program, pending.facts.points_to)
        steps = [one for one in steps if sharing.visible(threads[one.slot].template, one.step)]
    parts = _Parts(steps, race_ranges(pending.program))
    found: Expr = FALSE
    before: _Uses = {}
    for slot in range(len(threads)):
        mine = [one for one in steps if one.slot == slot]
        later = _uses(pending, parts, [pending.again(one, others) for one in mine])
        for part, use in later.items():
            if part in before:
                found = disj(found, use.meets(before[part]))
        for part, use in _uses(pending, parts, mine).items():
            before[part] = before[part].join(use) if part in before else use
    return conj(found, pending.going_on())


def race_beyond(pending: PendingSteps, others: Inputs, sharing: Sharing) -> Expr:
    """The same for accesses of two slots of which at least one is to bytes without cells. Objects on which races do not count are not told
    from others, so this may claim too much."""
    threads = pending.program.threads
    steps = [one for one in pending.steps if one.effect.touches and sharing.visible(threads[one.slot].template, one.step)]
    found: Expr = FALSE
    for one in steps:
        for other in (pending.again(other, others) for other in steps if other.slot > one.slot):
            both = conj(pending.ready(one), pending.ready(other))
            for a in one.effect.touches:
                for b in other.effect.touches:
                    if (a.write or b.write) and not (a.sync and b.sync) and (a.beyond or b.beyond):
                        found = disj(found, conj(both, _meet(a, b)))
    return conj(found, pending.going_on())


def _meet(a: StepTouch, b: StepTouch) -> Expr:
    """The two accesses overlap, at least one of them where there are no cells."""
    found: Expr = FALSE
    for x, beyond in [*((x, True) for x in a.beyond), *((_fixed(way, b), False) for way in a.ways)]:
        for y in [*b.beyond, *((_fixed(way, a) for way in b.ways) if beyond else ())]:
            if x.place.object is y.place.object:
                width = x.low.width
                before = binary("ult", x.low, make("add", width, (y.low, const(b.size, width))))
                after = binary("ult", y.low, make("add", width, (x.low, const(a.size, width))))
                found = disj(found, conj(conj(x.when, y.when), conj(before, after)))
    return found


def _fixed(way: AccessWay, other: StepTouch) -> Beyond:
    """A way like an access whose offset is computed."""
    width = next((one.low.width for one in other.beyond), 1)
    return Beyond(way.place, const(way.offset, width), way.when)


def _uses(pending: PendingSteps, parts: _Parts, steps: list[Candidate]) -> _Uses:
    """What one slot is about to do with each part."""
    uses: _Uses = {}
    for one in steps:
        ready = pending.ready(one)
        for touch in one.effect.touches:
            for way in touch.ways:
                when = conj(ready, way.when)
                if when is FALSE:
                    continue
                for part in parts.covered(way.place.object.id, way.offset, touch.size):
                    uses.setdefault(part, _Use()).add(touch, when)
    return uses
