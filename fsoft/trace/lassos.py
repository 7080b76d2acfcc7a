"""Simpler lassos: what threads do in one go is left out, or brought to what they did before, in the stem and in the loop.

Every candidate is judged as a whole (`properties/ltl/lasso.py`): it must be a run, close, be fair, and violate the formula.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fsoft.program.verdict import Move
from fsoft.properties.ltl import Lasso
from fsoft.trace.shorten import blocks_of, switches

FRAMES = 2_000
"""Frames that may be looked at in the search for a simpler lasso."""

Judge = Callable[[Lasso], Lasso | None]
"""The lasso as it is, or None if it is none."""


def simpler(lasso: Lasso, judge: Judge, frames: int = FRAMES) -> Lasso:
    """The simplest lasso that is found. One with frames in which nobody moves between moves is left as it is."""
    if any(move is None for move in lasso.stem) or (None in lasso.loop and len(lasso.loop) > 1):
        return lasso
    best, again = lasso, True
    while again:
        again = False
        for candidate in _candidates(best):
            if _size(candidate) >= _size(best):
                continue
            frames -= len(candidate.stem) + 2 * len(candidate.loop)
            if frames < 0:
                return best
            found = judge(candidate)
            if found is not None and _size(found) < _size(best):
                best, again = found, True
                break
    return best


def _size(lasso: Lasso) -> tuple[int, int]:
    moves = lasso.moves()
    return len(moves) + 2 * switches(moves), len(lasso.stem)


def _candidates(lasso: Lasso) -> Iterator[Lasso]:
    stem = [move for move in lasso.stem if move is not None]
    loop = [move for move in lasso.loop if move is not None]
    for moves in _variants(stem):
        yield Lasso(tuple(moves), lasso.loop)
    for moves in _variants(loop):
        if moves:
            yield Lasso(lasso.stem, tuple(moves))


def _variants(moves: list[Move]) -> Iterator[list[Move]]:
    """Without a block, without all that its thread does from there on, and with the block next to the one before of its thread."""
    blocks = blocks_of(moves)
    for number in range(len(blocks) - 1, -1, -1):
        low, high = blocks[number]
        yield [move for k, move in enumerate(moves) if k < low or move.slot != moves[low].slot]
        yield moves[:low] + moves[high:]
        earlier = [b for b in blocks[:number] if moves[b[0]].slot == moves[low].slot]
        if earlier:
            start, end = earlier[-1]
            yield moves[:end] + moves[low:high] + moves[end:low] + moves[high:]
            yield moves[:start] + moves[end:low] + moves[start:end] + moves[low:]


__all__ = ["FRAMES", "simpler"]
