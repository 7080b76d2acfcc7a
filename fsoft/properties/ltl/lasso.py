"""A run that ends in a loop, and the judgement of one: no FALSE without it.

`confirm` runs a lasso on the definition of the semantics, closes the loop (equal states, undefined cells and all), checks that every frame
is one that an execution may have and that the run is fair, and evaluates the formula on it by the definition of LTL (`word.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fsoft.program.interpreter import Script
from fsoft.program.state import State
from fsoft.program.verdict import InternalError, Move
from fsoft.properties.ltl.formula import Atom, Formula
from fsoft.properties.ltl.runs import Around, Frame, Runs
from fsoft.properties.ltl.word import Letter, holds

FAIRNESS = ("none", "weak", "strong")
_PASSES = 3  # through the loop, until it closes: the first may define what was undefined


@dataclass(frozen=True, slots=True)
class Lasso:
    """Moves to the loop and moves of the loop; None where the state repeats."""

    stem: tuple[Move | None, ...]
    loop: tuple[Move | None, ...]

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


Same = Callable[[State, State], bool]


def confirm(runs: Runs, formula: Formula, lasso: Lasso, fairness: str, same: Same | None = None) -> Lasso:
    """The lasso as it is: perhaps with the first pass of the loop in the stem. `runs` runs the definition; `formula` is the property
    that is violated; `same` says when two states are equal for all that matters (else: equal).

    NotALasso if anything is wrong with it."""
    seen: list[_Seen] = []
    state = runs.initial()
    for move in lasso.stem:
        state = _advance(runs, state, move, seen)
    stem, starts = list(lasso.stem), [state]
    for _ in range(_PASSES):
        for move in lasso.loop:
            state = _advance(runs, state, move, seen)
        if (same or _equal)(starts[-1], state):
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
    return Lasso(tuple(stem), lasso.loop)


def _equal(one: State, two: State) -> bool:
    return one == two


def _advance(runs: Runs, state: State, move: Move | None, seen: list[_Seen]) -> State:
    around = runs.around(state)
    if around is None:
        raise Unconfirmed(next(iter(runs.bounds), "the run is pruned"))
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
    letter = around.atoms | runs.moving(Frame(move, after))
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
