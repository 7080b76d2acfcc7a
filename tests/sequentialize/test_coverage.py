"""Coverage by rounds: exactly the runs whose next block has no place are those that need more."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product

from fsoft.program.expr import FALSE, TRUE
from fsoft.sequentialize.coverage import beyond


def _needs_more(blocks: list[int], following: int, slots: int, count: int) -> bool | None:
    """What `beyond` says of a run, arranged without gaps, after which one thread can go on; None if the run has no place itself."""
    place, places = -1, []
    for slot in blocks:
        place += (slot - place) % slots or slots
        places.append(place)
    if place >= count:
        return None
    rounds = [[TRUE if k in places else FALSE for k in range(start, min(start + slots, count))] for start in range(0, count, slots)]
    found = beyond(rounds, [TRUE if slot == following else FALSE for slot in range(slots)])
    assert found in (TRUE, FALSE)
    late = place + ((following - place) % slots or slots) >= count
    assert (found is TRUE) == late, (blocks, following, count)
    return late


def _runs(slots: int, most: int) -> Iterator[list[int]]:
    """Blocks of threads, no two in a row of the same one."""
    for length in range(most + 1):
        for blocks in product(range(slots), repeat=length):
            if all(one != other for one, other in pairwise(blocks)):
                yield list(blocks)


def test_a_run_needs_more_if_its_next_block_has_no_place() -> None:
    seen = set()
    for slots, most in ((2, 5), (3, 4)):
        for run in _runs(slots, most):
            for following, count in product(range(slots), range(1, 3 * slots + 1)):
                if not run or run[-1] != following:
                    seen.add(_needs_more(run, following, slots, count))
    assert seen == {True, False, None}
