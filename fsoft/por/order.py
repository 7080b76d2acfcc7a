"""Reductions of the order of independent steps, for circuits: peephole (Wang, Yang, Kahlon, Gupta, TACAS'08) and monotonic (Kahlon, Wang,
Gupta, CAV'09).

Two steps are independent if neither touches what the other writes. Runs that differ only in the order of independent steps end in the same
state, and one of them is enough. `peephole` forbids a thread to move right after an independent step of a thread with a higher number:
sorting adjacent pairs never ends in such a run. `monotonic` looks further back: a thread may move only if every step of a higher thread
since is connected with this one by a chain of dependent steps, or with a step of a thread lower still that came in between. For two
threads no two runs that are left are equivalent.

What has to be remembered of the past is in latches: the last step (of each thread), and for monotonic whether a chain leads from the last
step of one thread to the last of another. All reachable states stay reachable, at the same depth, so every property of states is preserved.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fsoft.circuit.encode.encoding import Fired, Moves
from fsoft.circuit.model import Model
from fsoft.por.cells import Ground
from fsoft.program.expr import FALSE, TRUE, Expr, conj, const, disj, eq, ite, reg
from fsoft.program.program import Program
from fsoft.program.state import in_section

ORDERS = ("peephole", "monotonic")


class Dependence:
    """Which steps of which slots may not change places."""

    def __init__(self, program: Program):
        self.program, ground = program, Ground(program)
        self.masks = [[self._masks(ground, slot, k) for k in range(len(t.template.steps))] for slot, t in enumerate(program.threads)]

    def _masks(self, ground: Ground, slot: int, index: int) -> tuple[int, int]:
        """(touched, written); a step into, out of or within an atomic section has to do with everything."""
        template = self.program.threads[slot].template
        step = template.steps[index]
        if in_section(self.program, slot, step) or template.locations[step.target].atomic:
            return -1, -1
        return ground.of_step(slot, index)

    def __call__(self, slot: int, index: int, other: int, number: int) -> bool:
        (touches, writes), (others, their) = self.masks[slot][index], self.masks[other][number]
        return -1 in (writes, their) or bool(touches & their or writes & others)


class Ordered:
    """The base of both: latches with the last step of each slot (its number + 1; 0: none yet)."""

    def __init__(self, program: Program):
        self.program, self.dependent = program, Dependence(program)
        self.slots = len(program.threads)
        self.widths = [len(thread.template.steps).bit_length() for thread in program.threads]
        self.last = [reg(f"<last>.{slot}", max(1, width)) for slot, width in enumerate(self.widths)]

    def __call__(self, moves: Moves) -> list[Expr]:
        """For each slot when it may move: some step that it can take is in order."""
        return [
            self._any(conj(conj(at, effect.enabled), self.in_order(slot, index)) for index, at, effect in moves.steps[slot])
            for slot in range(self.slots)
        ]

    def in_order(self, slot: int, index: int) -> Expr:
        raise NotImplementedError

    def remember(self, model: Model, fired: Sequence[Fired]) -> None:
        """The next values of the latches."""
        for slot, last in enumerate(self.last):
            following = last
            for one in fired:
                if one.slot == slot:
                    following = ite(one.when, const(one.index + 1, last.width), following)
            _latch(model, last, following)

    def depends(self, other: int, slot: int, index: int) -> Expr:
        """The last step of `other` has to do with this one."""
        last = self.last[other]
        steps = range(len(self.program.threads[other].template.steps))
        return self._any(eq(last, const(k + 1, last.width)) for k in steps if self.dependent(other, k, slot, index))

    @staticmethod
    def _any(terms: Iterable[Expr]) -> Expr:
        total: Expr = FALSE
        for term in terms:
            total = disj(total, term)
        return total


class Peephole(Ordered):
    """Only the step just before counts: `who` says whose it was."""

    def __init__(self, program: Program):
        super().__init__(program)
        self.who = reg("<last>.thread", self.slots.bit_length())

    def in_order(self, slot: int, index: int) -> Expr:
        allowed = self._any(eq(self.who, const(k, self.who.width)) for k in range(slot + 2))  # nobody, a lower thread, or itself
        for other in range(slot + 1, self.slots):
            just_before = eq(self.who, const(other + 1, self.who.width))
            allowed = disj(allowed, conj(just_before, self.depends(other, slot, index)))
        return allowed

    def remember(self, model: Model, fired: Sequence[Fired]) -> None:
        super().remember(model, fired)
        following: Expr = self.who
        for one in fired:
            following = ite(one.when, const(one.slot + 1, self.who.width), following)
        _latch(model, self.who, following)


class Monotonic(Ordered):
    """`chain[i][j]`: dependent steps lead from the last step of i to the last step of j (or i has made none)."""

    def __init__(self, program: Program):
        super().__init__(program)
        slots = range(self.slots)
        self.chain = [[reg(f"<chain>.{i}.{j}", 1) if i != j else TRUE for j in slots] for i in slots]

    def in_order(self, slot: int, index: int) -> Expr:
        allowed: Expr = TRUE
        for other in range(slot + 1, self.slots):
            idle = eq(self.last[other], const(0, self.last[other].width))
            lower = self._any(conj(self._moved(low), self.chain[other][low]) for low in range(slot))
            allowed = conj(allowed, disj(idle, disj(lower, self._reaches(other, slot, index))))
        return allowed

    def _moved(self, slot: int) -> Expr:
        return eq(eq(self.last[slot], const(0, self.last[slot].width)), FALSE)

    def _reaches(self, start: int, slot: int, index: int) -> Expr:
        """A chain leads from the last step of `start` to this one."""
        ways = (conj(self.chain[start][k], self.depends(k, slot, index)) for k in range(self.slots) if k != slot)
        own = conj(self._moved(slot), self.chain[start][slot])  # steps of one thread depend on each other
        return disj(own, self._any(ways))

    def remember(self, model: Model, fired: Sequence[Fired]) -> None:
        super().remember(model, fired)
        for i in range(self.slots):
            for j in range(self.slots):
                if i != j:
                    _latch(model, self.chain[i][j], self._chain_after(i, j, fired))

    def _chain_after(self, i: int, j: int, fired: Sequence[Fired]) -> Expr:
        following = self.chain[i][j]
        for one in fired:
            if one.slot == i:  # a new last step, which leads nowhere yet
                following = ite(one.when, FALSE, following)
            elif one.slot == j:
                reached = conj(self._moved(i), self._reaches(i, j, one.index))
                following = ite(one.when, reached, following)
        return following


def _latch(model: Model, leaf: Expr, following: Expr) -> None:
    name = str(leaf.data)
    model.states[name], model.init[name], model.next[name] = leaf.width, const(0, leaf.width), following


def ordered(kind: str, program: Program) -> Ordered:
    """The reduction of that name."""
    return Peephole(program) if kind == "peephole" else Monotonic(program)


__all__ = ["ORDERS", "Monotonic", "Ordered", "Peephole", "ordered"]
