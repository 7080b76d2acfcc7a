"""One thread against a memory unwinding.

A thread has a position in the sequence, which only grows; `here.turn` says by one bit per position (inter-thread: two) whether the thread
has come so far, and by a last bit whether it has stopped for good. Before a step that touches what threads share it may jump ahead: to
any position, or, where all that it reads is read implicitly, to one that matters for the step.

Fine grain: a step that writes takes the next position, which must be the thread's own and say the same; no jump leads over a position of
the thread's own, and every such position must be taken by one of its steps. Coarse grain: a thread inside a cluster sees and adds to what
the cluster has written so far; when all threads have been walked, that must be what the sequence says. Inside an
inter-thread cluster threads take turns by slot.

Until main does something that lets others start, it is alone: what it does then is no write, but decides position 0.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsoft.analysis.actions import members
from fsoft.bounded.sequence import Clusters, Steps, Unwinding
from fsoft.bounded.shared import SharedEntries, SharedWalk, written_where
from fsoft.bounded.walk import Here, WalkGround, WalkScene, joined
from fsoft.circuit.encode.states import OF_STATES
from fsoft.circuit.encode.steps import Inputs, StepTerms
from fsoft.program.expr import FALSE, TRUE, Expr, conj, const, disj, eq, ite, negate

Bits = tuple[Expr, ...]
Written = dict[int, tuple[Expr, Expr]]
"""Entries: when a step writes them, and what."""


class MuWalk(SharedWalk):
    """What the grains have in common. `border`: the first location of main where it is no longer alone (`first_meeting`)."""

    def __init__(self, ground: WalkGround, sequence: Unwinding, slot: int, border: int):
        super().__init__(ground, sequence.shared, slot)
        self.sequence, self.count = sequence, sequence.count
        self.border = border if slot == 0 else 0
        self._alone = self.border > 0
        self._values: dict[int, Expr] = {}

    def run(self) -> None:
        super().run()
        self._meet_others([])

    def start(self) -> Here:
        here = super().start()
        here.turn = (FALSE,) * (self.bits() + 1)
        return here

    def enter(self, location: int, here: Here, steps: list[int]) -> Expr:
        self._values.clear()
        if self._alone and location >= self.border:
            self._meet_others([here])
        *bits, stopped = here.turn
        touched = 0
        for index in steps:
            touched |= self.shared.step_touches[self.slot][index] & self.shared.mask
        good: Expr = TRUE
        if touched and not self._alone:
            after = self.jump(location, tuple(bits))
            if self.sequence.implicit(touched):
                good = self._worth_it(tuple(bits), after, touched)
            bits = list(after)
        if self.may_stop() and (touched or any(self.shared.visible(self.slot, index) for index in steps)):
            stopped = disj(stopped, self.ground.input(f"stop.{self.slot}.{location}", 1))
        here.turn = (*bits, stopped)
        if self.shared.sections and not self._alone:
            good = conj(good, self.unheld(here))
        return conj(negate(stopped), good)

    # ------------------------------------------------------------ what the grains decide

    def bits(self) -> int:
        """How many bits say where the thread is."""
        return self.count

    def may_stop(self) -> bool:
        """Whether it matters that a thread does not go on where it could."""
        return True

    def jump(self, location: int, bits: Bits) -> Bits:
        """Ahead to a position of the thread's choice."""
        raise NotImplementedError

    def landed(self, bits: Bits) -> list[tuple[Expr, Expr, int]]:
        """Where the thread can be: whether it is there, whether it can write from there, the last position that it may know about."""
        raise NotImplementedError

    def past(self, bits: Bits) -> Sequence[Expr]:
        """For each position whether the thread sees what it leaves."""
        raise NotImplementedError

    def _worth_it(self, before: Bits, after: Bits, touched: int) -> Expr:
        """If the thread has jumped, then to where it can write or where something that it touches has just been written."""
        good: Expr = TRUE
        for (there, writes, position), old in zip(self.landed(after), self._landed_before(before), strict=True):
            reason = writes
            for entry in members(touched):
                reason = disj(reason, self.sequence.writes(position, entry) if position else FALSE)
            good = conj(good, disj(negate(there), disj(old, reason)))
        return good

    def _landed_before(self, before: Bits) -> list[Expr]:
        return [there for there, _, _ in self.landed(before)]

    # ------------------------------------------------------------ shared memory

    def is_shared(self, index: int) -> bool:
        return not self._alone and super().is_shared(index)

    def shared_value(self, index: int, here: Here) -> Expr:
        if index not in self._values:
            self._values[index] = self.seen_value(index, here.turn[:-1])
        return self._values[index]

    def seen_value(self, entry: int, bits: Bits) -> Expr:
        """A shared entry where the thread is."""
        return self.sequence.read(entry, self.past(bits))

    def written(self, terms: StepTerms) -> Written:
        """The shared entries that a step writes."""
        found: Written = {}
        if self._alone:
            return found
        seen = self.seen(terms)
        for entry, value in terms.effect.writes.items():
            if entry not in self._own and self.is_shared(entry):
                when, new = written_where(value, terms.words.leaf(entry))
                if conj(when, seen) is not FALSE:
                    found[entry] = conj(when, seen), new
        held = self.shared.held_after(self.slot, terms.step)
        if held is not None and self.is_shared(self.shared.holder):
            found[self.shared.holder] = terms.running, held
        return found

    # ------------------------------------------------------------ main alone

    def _meet_others(self, here: list[Here]) -> None:
        """Main is no longer alone: what it has done to shared memory, on any of the ways to where it is now, is position 0."""
        if not self._alone:
            return
        self._alone = False
        ways = here + [way for arrived in self.arrivals.values() for way in arrived]
        ends = [(way.when, way) for way in ways] + [(when, way) for when, _, way in self.stays]
        ends += [(conj(one.when, negate(one.goes_on)), way) for one, way in self.stopped]
        for entry in members(self.shared.mask):
            if any(entry in way.memory for _, way in ends):
                self.sequence.first[entry] = joined((when, way.memory.get(entry, self.initial(entry))) for when, way in ends)
        for _, way in ends:
            way.memory = {entry: value for entry, value in way.memory.items() if not self.shared.mask >> entry & 1}


class StepWalk(MuWalk):
    """Fine grain. `taken[p - 1]` says when the thread writes position p."""

    sequence: Steps

    def __init__(self, ground: WalkGround, sequence: Steps, slot: int, border: int):
        super().__init__(ground, sequence, slot, border)
        self.own = [sequence.owner(position, slot) for position in range(1, self.count + 1)]
        self.taken: list[Expr] = [FALSE] * self.count

    def may_stop(self) -> bool:
        """Only for the state at the end: a step that does not write changes nothing for others, and one that does needs a position."""
        return bool(self.program.checks & OF_STATES)

    def jump(self, location: int, bits: Bits) -> Bits:
        before: Expr = TRUE
        after = []
        for position, (late, own) in enumerate(zip(bits, self.own, strict=True), 1):
            ahead = conj(self.ground.input(f"jump.{self.slot}.{location}.{position}", 1), negate(own))
            before = disj(late, conj(before, ahead))
            after.append(before)
        return tuple(after)

    def landed(self, bits: Bits) -> list[tuple[Expr, Expr, int]]:
        since, own = (TRUE, *bits, FALSE), (*self.own, FALSE)  # who is at p writes p + 1
        return [(conj(since[p], negate(since[p + 1])), own[p], p) for p in range(self.count + 1)]

    def past(self, bits: Bits) -> Sequence[Expr]:
        return bits

    def meet(self, index: int, terms: StepTerms, when: Expr, here: Here) -> tuple[Expr, Bits, Bits]:
        bits = here.turn[:-1]
        written = self.written(terms)
        some: Expr = FALSE
        for one, _ in written.values():
            some = disj(some, one)
        if some is FALSE:
            return when, (*bits, *bits, TRUE), here.turn
        ready: Expr = FALSE
        for there, own, _ in self.landed(bits):
            ready = disj(ready, conj(there, own))
        when = conj(when, disj(negate(some), ready))
        now = conj(when, some)
        since = (TRUE, *bits)
        for k in range(self.count):
            self.taken[k] = disj(self.taken[k], conj(now, conj(since[k], negate(bits[k]))))
        self.sequence.constrain(f"match.{self.slot}.{index}", disj(negate(now), self._match(written, bits)))
        after = tuple(ite(some, since[k], bits[k]) for k in range(self.count))
        return when, (*after, *after, negate(some)), (*after, here.turn[-1])

    def _match(self, written: Written, bits: Bits) -> Expr:
        """The next position says what the step writes."""
        sequence, positions = self.sequence, range(1, self.count + 1)
        if not self.count:
            return FALSE
        same: Expr = TRUE
        codes = [const(0, len(column).bit_length()) for column in sequence.columns]
        for entry, (when, value) in written.items():
            column, number = sequence.code(entry)
            codes[column] = ite(when, number, codes[column])
            word = sequence.next_of(bits, [sequence.word(p, column) for p in positions])
            same = conj(same, disj(negate(when), eq(sequence.cut(word, entry), value)))
        for column, code in enumerate(codes):
            same = conj(same, eq(sequence.next_of(bits, [sequence.variable(p, column) for p in positions]), code))
        return same

    def close(self) -> None:
        """Every position that is the thread's own is taken by one of its steps."""
        for position, (own, taken) in enumerate(zip(self.own, self.taken, strict=True), 1):
            self.sequence.constrain(f"taken.{self.slot}.{position}", disj(negate(own), taken))


class ClusterOverlay:
    """What the clusters have written so far: for a position and an entry whether, and what. Threads are walked one after the other."""

    def __init__(self, sequence: Clusters, inter: bool):
        self.sequence, self.inter = sequence, inter
        self.entries: dict[int, dict[int, tuple[Expr, Expr]]] = {}

    def add(self, entry: int, position: int, when: Expr, value: Expr) -> None:
        by_position = self.entries.setdefault(entry, {})
        known = by_position.get(position)
        by_position[position] = (when, value) if known is None else (disj(known[0], when), ite(when, value, known[1]))

    def close(self) -> None:
        """The sequence says what has been written."""
        sequence = self.sequence
        for entry in members(sequence.shared.mask):
            for position in range(1, sequence.count + 1):
                when, value = self.entries.get(entry, {}).get(position, (FALSE, sequence.value(position, entry)))
                claimed, guess = sequence.writes(position, entry), sequence.value(position, entry)
                same = eq(claimed, when)
                if not guess.is_const:  # else it is the only value that the entry can have
                    same = conj(same, disj(negate(claimed), eq(guess, value)))
                sequence.constrain(f"cluster.{position}.{sequence.name(entry)}", same)


class ClusterWalk(MuWalk):
    """Coarse grain. Intra-thread: the cluster is of one thread, and bit p says that the thread has come to position p. Inter-thread: any
    thread may go into a cluster; bit 2p - 1 says that it has done so, bit 2p that it is past it. `active[p]` says when the thread touches
    shared memory inside cluster p, `writing[p]` when it writes there, `observing[p]` when it does so after it."""

    sequence: Clusters

    def __init__(self, ground: WalkGround, sequence: Clusters, slot: int, border: int, overlay: ClusterOverlay):
        self.overlay, self.inter = overlay, overlay.inter
        super().__init__(ground, sequence, slot, border)
        self.own = [FALSE] + [TRUE if self.inter else sequence.owner(position, slot) for position in range(1, self.count + 1)]
        self.active: list[Expr] = [FALSE] * (self.count + 1)
        self.writing: list[Expr] = [FALSE] * (self.count + 1)
        self.observing: list[Expr] = [FALSE] * (self.count + 1)

    def bits(self) -> int:
        return self.count * (2 if self.inter else 1)

    def jump(self, location: int, bits: Bits) -> Bits:
        before: Expr = TRUE
        after = []
        for place, late in enumerate(bits, 1):
            before = disj(late, conj(before, self.ground.input(f"jump.{self.slot}.{location}.{place}", 1)))
            after.append(before)
        return tuple(after)

    def landed(self, bits: Bits) -> list[tuple[Expr, Expr, int]]:
        since = (TRUE, *bits, FALSE)
        at = [conj(since[k], negate(since[k + 1])) for k in range(len(bits) + 1)]
        if not self.inter:
            return [(there, self.own[p], p) for p, there in enumerate(at)]
        return [(there, TRUE if k % 2 else FALSE, (k + 1) // 2) for k, there in enumerate(at)]

    def past(self, bits: Bits) -> Sequence[Expr]:
        if self.inter:
            return bits[1::2]
        since = (*bits, FALSE)
        return [disj(since[p], conj(since[p - 1], negate(self.own[p]))) for p in range(1, self.count + 1)]

    def inside(self, bits: Bits) -> dict[int, Expr]:
        """For each position whether the thread is inside its cluster."""
        found = {p: conj(there, own) for there, own, p in self.landed(bits) if own is not FALSE}
        return {p: when for p, when in found.items() if when is not FALSE}

    def seen_value(self, entry: int, bits: Bits) -> Expr:
        value = super().seen_value(entry, bits)
        inside = self.inside(bits)
        for position, (when, new) in self.overlay.entries.get(entry, {}).items():
            value = ite(conj(inside.get(position, FALSE), when), new, value)
        return value

    def meet(self, index: int, terms: StepTerms, when: Expr, here: Here) -> tuple[Expr, Bits, Bits]:
        bits = here.turn[:-1]
        inside = self.inside(bits)
        within: Expr = FALSE
        some: Expr = FALSE
        for there in inside.values():
            within = disj(within, there)
        written = self.written(terms)
        for one, _ in written.values():
            some = disj(some, one)
        when = conj(when, disj(negate(some), within))
        for position, there in inside.items():
            self.writing[position] = disj(self.writing[position], conj(conj(when, some), there))
            for entry, (one, value) in written.items():
                self.overlay.add(entry, position, conj(conj(when, one), there), value)
        if not self._alone and self.shared.step_touches[self.slot][index] & self.shared.mask:
            for there, own, position in self.landed(bits):
                self.active[position] = disj(self.active[position], conj(when, conj(there, own)))
                self.observing[position] = disj(self.observing[position], conj(when, conj(there, negate(own))))
        return when, bits if self.inter else (*bits, *bits, negate(within)), here.turn


def first_meeting(ground: WalkGround, shared: SharedEntries) -> int:
    """The first location of main from which it does something that other threads wait for at their start; 0 if one of them can start
    at once. Locations are in topological order."""
    program, needed = ground.program, 0
    for slot, thread in enumerate(program.threads[1:], 1):
        zeros = {name: const(0, one.width) for name, one in thread.template.registers.items()}
        for index, step in enumerate(thread.template.steps):
            if step.source == 0:
                scene = WalkScene(ground.words, slot, zeros, ground.initial)
                if StepTerms(scene, Inputs(), ground.facts, None, slot, step).effect.enabled is not FALSE:
                    return 0
                needed |= shared.step_touches[slot][index]
    main = program.threads[0].template
    first = [s.source for k, s in enumerate(main.steps) if shared.step_writes[0][k] & needed]
    return min(first, default=len(main.locations))


__all__ = ["ClusterWalk", "MuWalk", "ClusterOverlay", "StepWalk", "first_meeting"]
