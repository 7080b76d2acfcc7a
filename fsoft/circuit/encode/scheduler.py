"""Who may run: the scheduler of a Model is a type of its own, chosen apart from the encoding.

A scheduler adds inputs and states to the Model and says, for each slot, when it is allowed to run. The encoding ands that
with what the slot itself needs (`execute_i`). A slot that is picked but not enabled leaves the state as it is, and does not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from fsoft.circuit.model import Model
from fsoft.program.expr import FALSE, TRUE, Expr, binary, conj, const, disj, eq, ite, make, negate, reg

PICK = "schedule"
LAST = "scheduler.last"


def width_for(count: int) -> int:
    """Bits for `count` values."""
    return max(1, (count - 1).bit_length())


class Scheduler(Protocol):
    def allow(self, model: Model, slots: int) -> list[Expr]:
        """For each slot, the condition under which the scheduler lets it run now. May add inputs and states to the model."""

    def close(self, model: Model, moved: Sequence[Expr], able: Sequence[Expr]) -> None:
        """Given when each slot moves, and when it could move if it were allowed, define the next values of the scheduler's states and the
        bound that says that a slot which could move is held back."""


def _some(terms: Iterable[Expr]) -> Expr:
    result: Expr = FALSE
    for term in terms:
        result = disj(result, term)
    return result


def _held_back(able: Sequence[Expr], may: Sequence[Expr]) -> Expr:
    """Some slot could move, and the scheduler will not let it whatever is picked."""
    return _some(conj(can, negate(ok)) for can, ok in zip(able, may, strict=True))


def _latest(model: Model, name: str, moved: Sequence[Expr]) -> Expr:
    """The slot that moves, else the one before."""
    width = model.states[name]
    latest = reg(name, width)
    for slot, move in enumerate(moved):
        latest = ite(move, const(slot, width), latest)
    return latest


def _count(model: Model, name: str, when: Expr) -> Expr:
    """The counter, one higher where the condition holds."""
    width = model.states[name]
    return ite(when, make("add", width, (reg(name, width), const(1, width))), reg(name, width))


@dataclass(frozen=True)
class FreeScheduler:
    """Any slot at any time."""

    def allow(self, model: Model, slots: int) -> list[Expr]:
        width = width_for(slots)
        model.inputs[PICK] = width
        if slots == 1:
            return [TRUE]
        picked = reg(PICK, width)
        return [eq(picked, const(k, width)) for k in range(slots)]

    def close(self, model: Model, moved: Sequence[Expr], able: Sequence[Expr]) -> None:
        return None


@dataclass
class ContextScheduler:
    """At most `contexts` maximal blocks of steps of one slot. A run that goes on with one more raises the bound `contexts`."""

    contexts: int

    def allow(self, model: Model, slots: int) -> list[Expr]:
        free = FreeScheduler().allow(model, slots)
        last, count = width_for(slots + 1), width_for(self.contexts + 1)
        model.states[LAST], model.states["scheduler.contexts"] = last, count
        model.init[LAST], model.init["scheduler.contexts"] = const(slots, last), const(0, count)
        used_up = eq(reg("scheduler.contexts", count), const(self.contexts, count))
        self._same = [eq(reg(LAST, last), const(k, last)) for k in range(slots)]
        self._may = [disj(same, negate(used_up)) for same in self._same]
        return [conj(f, may) for f, may in zip(free, self._may, strict=True)]

    def close(self, model: Model, moved: Sequence[Expr], able: Sequence[Expr]) -> None:
        switched = _some(conj(move, negate(same)) for move, same in zip(moved, self._same, strict=True))
        model.next[LAST] = _latest(model, LAST, moved)
        model.next["scheduler.contexts"] = _count(model, "scheduler.contexts", switched)
        model.bounds["contexts"] = _held_back(able, self._may)


@dataclass
class RoundsScheduler:
    """Slots take turns in order; each makes any number of steps (none included) in its turn, for `rounds` rounds. A run that goes on with
    one more raises the bound `rounds`."""

    rounds: int

    def allow(self, model: Model, slots: int) -> list[Expr]:
        free = FreeScheduler().allow(model, slots)
        last, count = width_for(slots), width_for(self.rounds)
        model.states[LAST], model.states["scheduler.round"] = last, count
        model.init[LAST], model.init["scheduler.round"] = const(0, last), const(0, count)
        used_up = eq(reg("scheduler.round", count), const(self.rounds - 1, count))
        self._earlier = [binary("ult", const(k, last), reg(LAST, last)) for k in range(slots)]
        self._may = [negate(conj(used_up, earlier)) for earlier in self._earlier]
        return [conj(f, may) for f, may in zip(free, self._may, strict=True)]

    def close(self, model: Model, moved: Sequence[Expr], able: Sequence[Expr]) -> None:
        again = _some(conj(move, earlier) for move, earlier in zip(moved, self._earlier, strict=True))
        model.next[LAST] = _latest(model, LAST, moved)
        model.next["scheduler.round"] = _count(model, "scheduler.round", again)
        model.bounds["rounds"] = _held_back(able, self._may)


@dataclass
class FixedScheduler:
    """The slots of `order`, one step each, then nobody. Whatever else the program could do raises the bound `schedule`."""

    order: tuple[int, ...]

    def allow(self, model: Model, slots: int) -> list[Expr]:
        width = width_for(len(self.order) + 1)
        model.states["scheduler.step"], model.init["scheduler.step"] = width, const(0, width)
        now = reg("scheduler.step", width)
        self._may: list[Expr] = [FALSE] * slots
        for k, slot in enumerate(self.order):
            self._may[slot] = disj(self._may[slot], eq(now, const(k, width)))
        return self._may

    def close(self, model: Model, moved: Sequence[Expr], able: Sequence[Expr]) -> None:
        model.next["scheduler.step"] = _count(model, "scheduler.step", _some(moved))
        model.bounds["schedule"] = _held_back(able, self._may)
