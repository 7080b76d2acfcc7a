"""A slice of the campaign: every approach and every solver agrees with the explorer, with and without reduction."""

from __future__ import annotations

import pytest

from tests.search.campaign import WAYS, campaign

FLOORS = {"none": 0.3, "eager": 0.3, "contexts": 0.1, "schedule": 0.1, "uw": 0.1}
"""The part of its programs that a way decides at least; of the others it is 0.7."""


def test_agrees_with_the_explorer(capsys: pytest.CaptureFixture[str]) -> None:
    """100 programs, two ways each."""
    tally = campaign(range(100), each=2, seconds=0.5)
    with capsys.disabled():
        print("\n" + "\n".join(tally.lines()))
    assert tally.wrong == []
    for way in WAYS:
        assert tally.asked[way] >= 15
        assert tally.decided[way] >= FLOORS.get(way, 0.7) * tally.asked[way], f"{way} decides too little"
