"""A slice of the campaign: every approach and every solver agrees with the explorer, with and without reduction."""

from __future__ import annotations

import pytest

from tests.search.campaign import WAYS, campaign

LIGHT = ("merge", "sleep", "persistent", "persistent, merge", "source")
"""Ways that decide at least a third of their programs, on a machine that has other things to do, too."""


def test_agrees_with_the_explorer(capsys: pytest.CaptureFixture[str]) -> None:
    """100 programs, two ways each."""
    tally = campaign(range(100), each=2, seconds=0.3)
    with capsys.disabled():
        print("\n" + "\n".join(tally.lines()))
    assert tally.wrong == []
    assert all(tally.asked[way] >= 15 for way in WAYS)
    for way in LIGHT:
        assert tally.decided[way] * 3 >= tally.asked[way], f"{way} decides too little"
