"""A run that ends in a loop, and the judgement of one: no FALSE without it.

`confirm` runs a lasso on the definition of the semantics, closes the loop (equal states, undefined cells and all; only what is never
read again may differ), checks that every frame is one that an execution may have and that the run is fair, and evaluates the
formula on it by the definition of LTL (`word.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fsoft.program.interpreter import Script
from fsoft.program.liveness import live_registers
from fsoft.program.state import State
from fsoft.program.verdict import InternalError, Move
from fsoft.properties.ltl.formula import Atom, TemporalFormula
from fsoft.properties.ltl.runs import Around, RunFrame, Runs
from fsoft.properties.ltl.word import Letter, holds

FAIRNESS = ("none", "weak", "strong")
_PASSES = 3  # through the loop, until it closes: the first may define what was undefined


@dataclass(frozen=True, slots=True)
class Lasso:
    """Moves to the loop and moves of the loop; None where the state repeats. `drift` names what has another value after each pass,
    because nothing depends on it that decides how the run goes on."""

    stem: tuple[Move | None, ...]
    loop: tuple[Move | None, ...]
    drift: tuple[str, ...] = ()

    def moves(self) -> list[Move]:
        """The stem and one pass of the loop, without the frames in which nothing moves."""
        return [move for move in (*self.stem, *self.loop) if move is not None]


class NotALasso(InternalError):
    """The run that an engine found is no counterexample."""


class Unconfirmed(Exception):
    """The run cannot be judged: it passes a bound or an atom that has no value there. The argument says which."""


@dataclass(slots=True)
class _Seen:
    around: Around
    letter: dict[Atom, bool]
    moved: int | None


SameState = Callable[[State, State], bool]


def closing(runs: Runs, ignore: frozenset[int]) -> SameState:
    """Equality of states but for registers that are dead where their thread is, and for the entries of the vector in `ignore`."""
    owner = {index: (slot, name) for slot, table in enumerate(runs.layout.registers) for name, index in table.items()}
    live = [live_registers(thread.template) for thread in runs.program.threads]

    def dead(index: int, state: State) -> bool:
        if index not in owner:
            return False
        slot, name = owner[index]
        return name not in live[slot][state[runs.layout.pc[slot]]]

    def same(one: State, two: State) -> bool:
        differing = [k for k, (a, b) in enumerate(zip(one, two)) if a != b or type(a) is not type(b)]
        return all(k in ignore or (dead(k, one) and dead(k, two)) for k in differing)

    return same


def confirm(runs: Runs, formula: TemporalFormula, lasso: Lasso, fairness: str, ignore: frozenset[int] = frozenset()) -> Lasso:
    """The lasso as it is: perhaps with the first pass of the loop in the stem. `runs` runs the definition; `formula` is the property
    that is violated; `ignore` are entries of the state vector on which nothing depends that matters here.

    NotALasso if anything is wrong with it."""
    seen: list[_Seen] = []
    state = runs.initial()
    for move in lasso.stem:
        state = _advance(runs, state, move, seen)
    stem, starts, same = list(lasso.stem), [state], closing(runs, ignore)
    for _ in range(_PASSES):
        for move in lasso.loop:
            state = _advance(runs, state, move, seen)
        if same(starts[-1], state):
            break
        stem += lasso.loop
        starts.append(state)
    else:
        raise NotALasso("the loop does not close")
    letters: list[Letter] = [one.letter for one in seen]
    if holds(formula, letters, len(stem)):
        raise NotALasso("the run satisfies the property")
    wrong = _unfair(seen[len(stem) :], fairness, len(runs.program.threads))
    if wrong:
        raise NotALasso(wrong)
    changed = [k for k in sorted(ignore) if starts[-1][k] != state[k]]
    return Lasso(tuple(stem), lasso.loop, tuple(name for k in changed if (name := _name(runs, k))))


def _name(runs: Runs, index: int) -> str:
    """A cell of the user's memory by its name; "" for anything else."""
    for place in runs.layout.places:
        if place is not None and place.rom is None and place.object.storage not in ("system", "function"):
            if place.base <= index < place.base + place.cells.count:
                return place.cells.name(index - place.base)
    return ""


def _advance(runs: Runs, state: State, move: Move | None, seen: list[_Seen]) -> State:
    around = runs.around(state)
    if around is None:
        raise Unconfirmed(next((str(cut) for cut in runs.cuts), "the run is pruned"))
    if move is None:
        if not any(frame.move is None for frame in around.frames):
            raise NotALasso("nobody moves although somebody could")
        after = state
    else:
        if around.ended:
            raise NotALasso("somebody moves although the process has ended")
        script = Script(move.choices)
        try:
            after, events = runs.machine.execute(state, move.slot, move.step, script)
        except ValueError as error:
            raise NotALasso(f"a move does not replay: {error}") from None
        stopped = [line for line in map(runs.obstacle, events) if line]
        if stopped:
            raise Unconfirmed(stopped[0])
    letter = around.atoms | runs.moving(RunFrame(move, after))
    seen.append(_Seen(around, letter, None if move is None else move.slot))
    return after


def _unfair(loop: Sequence[_Seen], fairness: str, slots: int) -> str:
    """Which thread the loop treats unfairly, if any."""
    for slot in range(slots):
        could = [slot in one.around.enabled for one in loop]
        if any(one.moved == slot for one in loop) or fairness == "none":
            continue
        if all(could) if fairness == "weak" else any(could):
            return f"thread {slot} is starved, which is not fair"
    return ""


__all__ = ["FAIRNESS", "Lasso", "NotALasso", "Unconfirmed", "confirm"]
