"""`--encoding tcbmc`: the Model of an unwound Program in a bounded number of contexts, its coverage, and the way home of its runs.

Coverage: the bound `contexts` holds if some run uses all contexts, cannot be arranged in fewer, and has somebody who can go on. In free
order it uses all if none is empty and no two in a row are of the same thread; in round robin a new round begins only with a thread that
comes before the one that ran last.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from fsoft.bounded.common import common_of
from fsoft.bounded.contexts import ORDERS, Contexts, ContextWalk
from fsoft.bounded.final import FinalState
from fsoft.bounded.given import BoundedEncoding, Given, longer_loops, rounds_for
from fsoft.bounded.home import InputValues, happened, moves_of
from fsoft.bounded.walk import Taken, WalkGround, add_violations
from fsoft.circuit.model import Model, check_model
from fsoft.option import option
from fsoft.passes.bounds import BadBound
from fsoft.passes.unwind import Unwound
from fsoft.program.expr import FALSE, TRUE, Expr, conj, disj, negate
from fsoft.program.verdict import Move
from fsoft.sequentialize.coverage import beyond

BOUND = "contexts"
FIRST = 2
"""How many contexts a thread has if nothing is said; main has one more, to look at what the others have left."""
MOST = 4096


@dataclass(frozen=True)
class TcbmcBounds(Given):
    """See the options."""

    contexts: int | None = option(None, "at most N blocks of steps of one thread", metavar="N", least=1)
    order: str | None = option(None, "whose each context is (round-robin)", allowed=ORDERS)


@dataclass(slots=True)
class Tcbmc:
    """The formula."""

    unwound: Unwound
    given: TcbmcBounds
    ground: WalkGround
    contexts: Contexts
    steps: list[Taken]
    final: FinalState

    @property
    def model(self) -> Model:
        return self.ground.model

    def run(self, inputs: Mapping[str, int], prop: str) -> list[Move]:
        """The moves of the unwound Program that the inputs choose, up to where `prop` is violated."""
        program, value = self.unwound.program, InputValues(inputs, self.model.inputs)
        chosen = happened(program, self.steps, value)
        order = sorted(range(len(chosen)), key=lambda k: (self._number(chosen[k], value), k))
        run = [chosen[k] for k in order] + self.final.last_step(prop, value)
        return moves_of(program, run, value, lambda event: event.prop == prop)

    def _number(self, one: Taken, value: InputValues) -> int:
        """The context in which a step happens."""
        return self.contexts.turns[one.slot][sum(value(late) for late in one.turn)].number

    def describe(self) -> str:
        return f"{self.contexts.count} contexts ({self.contexts.order}), {self.given.loops}"

    def grown(self, given: TcbmcBounds, cuts: tuple[str, ...]) -> TcbmcBounds:
        """One more unwinding where a loop is cut, with more rounds as loops grow; a round more (in free order: half as many contexts again)
        where that is not enough."""
        after, count, slots = longer_loops(self.unwound, given, cuts), self.contexts.count, self.contexts.slots
        more = count + (max(1, count // 2) if self.contexts.order == "free" else slots)
        if after == given:
            return replace(given, contexts=more) if BOUND in cuts else given
        return replace(after, contexts=min(more, max(count, slots * rounds_for(after.loops.unwind) + (slots > 1))))


def tcbmc(unwound: Unwound, given: TcbmcBounds) -> Tcbmc:
    """The formula for at most `given.contexts` contexts (two per thread and one more for main, if nothing is said)."""
    program, order = unwound.program, given.order or ORDERS[0]
    slots = len(program.threads)
    count = FIRST * slots + (slots > 1) if given.contexts is None else given.contexts
    if not 1 <= count <= MOST:
        raise BadBound(f"--contexts: from 1 to {MOST}, not {count}")
    common = common_of(unwound)
    ground = common.ground()
    contexts = Contexts(ground, common, count, order)
    for slot in range(slots):
        walk = ContextWalk(ground, contexts, slot)
        walk.run()
        contexts.walked[slot] = walk
    walks = [contexts.walked[slot] for slot in range(slots)]
    steps = [one for walk in walks for one in walk.steps]
    final = FinalState(ground, walks, lambda entry: contexts.start(count, entry))
    add_violations(ground.model, program, steps)
    final.add_states()
    ground.model.bounds[BOUND] = _needs_more(contexts, final)
    contexts.close()
    check_model(ground.model)
    return Tcbmc(unwound, given, ground, contexts, steps, final)


# ---------------------------------------------------------------- coverage


def _needs_more(contexts: Contexts, final: FinalState) -> Expr:
    """Some run that cannot be arranged in fewer contexts goes on after the last."""
    walks = [contexts.walked[slot] for slot in range(contexts.slots)]
    more = [final.can_go_on(walk) for walk in walks]
    busy = [_busy(walk) for walk in walks]
    if contexts.order == "free":
        return _needs_more_free(contexts, busy, more)
    rounds = range(0, contexts.count, contexts.slots)
    used = [[row[r] for row in busy if r < len(row)] for r in range(len(rounds))]  # the last may end before all had their turn
    return beyond(used, more)


def _busy(walk: ContextWalk) -> list[Expr]:
    """For each turn of a thread whether it takes a step in it."""
    found: list[Expr] = [FALSE] * len(walk.turns)
    for one in walk.steps:
        for j, inside in enumerate(walk.within(one.turn)):
            found[j] = disj(found[j], conj(one.when, inside))
    return found


def _needs_more_free(contexts: Contexts, busy: list[list[Expr]], more: list[Expr]) -> Expr:
    """No context is empty, no two in a row are of one thread, and another thread than the last can go on."""
    tight: Expr = TRUE
    for number in range(contexts.count):
        someone: Expr = FALSE
        for slot in range(contexts.slots):
            owned = contexts.turns[slot][number].owned
            fresh = owned if number == 0 else conj(owned, negate(contexts.turns[slot][number - 1].owned))
            someone = disj(someone, conj(fresh, busy[slot][number]))
        tight = conj(tight, someone)
    other: Expr = FALSE
    for slot in range(contexts.slots):
        other = disj(other, conj(more[slot], negate(contexts.turns[slot][-1].owned)))
    return conj(tight, other)


ENCODING = BoundedEncoding("tcbmc", "threads meet at context switches (TCBMC)", TcbmcBounds, tcbmc)
