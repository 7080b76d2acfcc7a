"""A slice of the campaign that compares verdicts on random calls of library functions with the sanitizers of gcc."""

from __future__ import annotations

import pytest

from tests.fuzz.library_calls import available, campaign

pytestmark = pytest.mark.skipif(not available(), reason="gcc's sanitizers are the other side of the comparison")


@pytest.mark.parametrize("block", range(4))
def test_the_sanitizers_agree(block: int) -> None:
    tally = campaign(block * 6, 6)
    print("\n".join(tally.lines()))
    assert tally.wrong == []
    assert tally.decided * 4 >= tally.asked * 3  # of six programs; of 300 it is nine in ten
