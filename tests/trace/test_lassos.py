"""Simpler lassos: what the judge does not need goes, what it needs stays."""

from __future__ import annotations

from fsoft.program.verdict import Move
from fsoft.properties.ltl import Lasso
from fsoft.trace.lassos import simpler

STEM = tuple(Move(slot, step) for slot, step in ((0, 0), (2, 0), (1, 0), (0, 1), (2, 1), (1, 1)))
LOOP = tuple(Move(slot, step) for slot, step in ((1, 2), (2, 2), (1, 3)))


def needs_one(lasso: Lasso) -> Lasso | None:
    """A judge that wants all moves of slots 0 and 1, each slot's in order."""
    moves = lasso.moves()
    ordered = all([m.step for m in moves if m.slot == slot] == steps for slot, steps in ((0, [0, 1]), (1, [0, 1, 2, 3])))
    return lasso if ordered and [m for m in lasso.loop if m is not None and m.slot == 1] == [LOOP[0], LOOP[2]] else None


def test_what_is_not_needed_goes_and_threads_stay_together() -> None:
    found = simpler(Lasso(STEM, LOOP), needs_one)
    assert found.stem == (Move(0, 0), Move(0, 1), Move(1, 0), Move(1, 1)) and found.loop == (Move(1, 2), Move(1, 3))


def test_nothing_is_done_without_work_or_against_the_judge() -> None:
    lasso = Lasso(STEM, LOOP)
    assert simpler(lasso, needs_one, frames=0) is lasso
    assert simpler(lasso, lambda _candidate: None) is lasso


def test_frames_in_which_nobody_moves_are_respected() -> None:
    resting = Lasso(STEM, (None,))
    assert simpler(resting, lambda candidate: candidate if len(candidate.moves()) >= 4 else None).loop == (None,)
    mixed = Lasso((None, *STEM), LOOP)
    assert simpler(mixed, needs_one) is mixed
