"""A slice of the campaign over random formulas on random programs: all engines agree with the explicit product."""

from __future__ import annotations

import pytest

from tests.fuzz.temporal import Tally, campaign, circuit


def check(tally: Tally, least: float) -> None:
    print("\n".join(tally.lines()))
    assert tally.wrong == []
    for way, asked in tally.asked.items():
        assert tally.decided[way] >= asked * least, f"{way} decides too little"


@pytest.mark.parametrize("block", range(4))
def test_folding(block: int) -> None:
    """100 pairs in all, of which no verdict has more than its share."""
    tally = campaign(iter(range(block * 25, block * 25 + 25)), {})
    check(tally, 0.9)
    assert 0.25 <= tally.verdicts["FALSE"] / tally.pairs <= 0.75


def test_fair_cycles() -> None:
    check(campaign(iter(range(1000, 1012)), {"bdd": circuit("bdd", 8)}), 0.8)


def test_liveness_to_safety_and_counting() -> None:
    check(campaign(iter(range(2000, 2006)), {name: circuit(name, 3) for name in ("bmc", "pdr", "klive")}), 0.3)
