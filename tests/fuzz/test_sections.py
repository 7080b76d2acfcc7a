"""A slice of the random programs of atomic sections, late waits and memory at the end of the process."""

from __future__ import annotations

import pytest

from tests.fuzz.sections import CHECKS, campaign

COUNT = 5


@pytest.mark.parametrize("number", range(len(CHECKS)))
def test_all_ways_agree(number: int) -> None:
    first = 100 + number
    tally = campaign(range(first, first + COUNT * len(CHECKS), len(CHECKS)), seconds=0.7)
    print("\n".join(tally.lines()))
    assert not tally.wrong
    assert sum(tally.decided.values()) * 2 >= sum(tally.asked.values()) > 0
