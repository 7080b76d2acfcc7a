"""Who may run: the scheduler of a Model is a type of its own, chosen apart from the encoding.

A scheduler adds inputs and states to the Model and says, for each slot, when it is allowed to run. The encoding ands that
with what the slot itself needs (`execute_i`). A slot that is picked but not enabled leaves the state as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from fsoft.circuit.model import Model
from fsoft.program.expr import FALSE, TRUE, Expr, binary, conj, const, disj, eq, ite, make, negate, reg

PICK = "schedule"


def width_for(count: int) -> int:
    """Bits for `count` values."""
    return max(1, (count - 1).bit_length())


class Scheduler(Protocol):
    def allow(self, model: Model, slots: int) -> list[Expr]:
        """For each slot, the condition under which the scheduler lets it run now. May add inputs and states to the model."""

    def close(self, model: Model, moved: Sequence[Expr]) -> None:
        """Given when each slot actually moves, define the next values of the scheduler's states."""


@dataclass(frozen=True)
class Free:
    """Any slot at any time."""

    def allow(self, model: Model, slots: int) -> list[Expr]:
        width = width_for(slots)
        model.inputs[PICK] = width
        if slots == 1:
            return [TRUE]
        picked = reg(PICK, width)
        return [eq(picked, const(k, width)) for k in range(slots)]

    def close(self, model: Model, moved: Sequence[Expr]) -> None:
        return None


@dataclass
class ContextBounded:
    """At most `contexts` maximal blocks of steps of one slot. Needing one more raises the bound `contexts`."""

    contexts: int

    def allow(self, model: Model, slots: int) -> list[Expr]:
        free = Free().allow(model, slots)
        last, count = width_for(slots + 1), width_for(self.contexts + 1)
        model.states["scheduler.last"], model.states["scheduler.contexts"] = last, count
        model.init["scheduler.last"], model.init["scheduler.contexts"] = const(slots, last), const(0, count)
        used_up = eq(reg("scheduler.contexts", count), const(self.contexts, count))
        same = [eq(reg("scheduler.last", last), const(k, last)) for k in range(slots)]
        self._new = [conj(f, negate(s)) for f, s in zip(free, same, strict=True)]
        self._used_up = used_up
        return [conj(f, disj(s, negate(used_up))) for f, s in zip(free, same, strict=True)]

    def close(self, model: Model, moved: Sequence[Expr]) -> None:
        last, count = model.states["scheduler.last"], model.states["scheduler.contexts"]
        latest, total = reg("scheduler.last", last), reg("scheduler.contexts", count)
        switched: Expr = FALSE
        for slot, (move, new) in enumerate(zip(moved, self._new, strict=True)):
            latest = ite(move, const(slot, last), latest)
            switched = disj(switched, conj(move, new))
        model.next["scheduler.last"] = latest
        model.next["scheduler.contexts"] = ite(switched, make("add", count, (total, const(1, count))), total)
        wanted: Expr = FALSE
        for new in self._new:
            wanted = disj(wanted, new)
        model.bounds["contexts"] = conj(self._used_up, wanted)


@dataclass
class RoundRobin:
    """Slots take turns in order; each may run any number of steps (none included) in its turn, for `rounds` rounds."""

    rounds: int

    def allow(self, model: Model, slots: int) -> list[Expr]:
        width = width_for(slots * self.rounds + 1)
        self._end = const(slots * self.rounds, width)
        model.states["scheduler.turn"], model.init["scheduler.turn"] = width, const(0, width)
        model.inputs["schedule.pass"] = 1
        turn = reg("scheduler.turn", width)
        stay = negate(reg("schedule.pass", 1))
        out = []
        for slot in range(slots):
            mine: Expr = FALSE
            for k in range(self.rounds):
                mine = disj(mine, eq(turn, const(k * slots + slot, width)))
            out.append(conj(stay, mine))
        return out

    def close(self, model: Model, moved: Sequence[Expr]) -> None:
        width = model.states["scheduler.turn"]
        turn = reg("scheduler.turn", width)
        onward = conj(reg("schedule.pass", 1), binary("ult", turn, self._end))
        model.next["scheduler.turn"] = ite(onward, make("add", width, (turn, const(1, width))), turn)
        model.bounds["rounds"] = eq(turn, self._end)


@dataclass
class Given:
    """The slots of `order`, one step each, then nobody."""

    order: tuple[int, ...]

    def allow(self, model: Model, slots: int) -> list[Expr]:
        width = width_for(len(self.order) + 1)
        model.states["scheduler.step"], model.init["scheduler.step"] = width, const(0, width)
        now = reg("scheduler.step", width)
        out: list[Expr] = [FALSE] * slots
        for k, slot in enumerate(self.order):
            out[slot] = disj(out[slot], eq(now, const(k, width)))
        return out

    def close(self, model: Model, moved: Sequence[Expr]) -> None:
        width = model.states["scheduler.step"]
        now = reg("scheduler.step", width)
        someone: Expr = FALSE
        for move in moved:
            someone = disj(someone, move)
        model.next["scheduler.step"] = ite(someone, make("add", width, (now, const(1, width))), now)
        model.bounds["schedule"] = eq(now, const(len(self.order), width))
