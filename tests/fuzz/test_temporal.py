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
    check(campaign(iter(range(block * 25, block * 25 + 25)), {}), 0.9)


def test_circuits() -> None:
    """Liveness to safety with a bounded and an unbounded engine, k-liveness, fair cycles."""
    tally = campaign(iter(range(1000, 1014)), {name: circuit(name, 5) for name in ("bmc", "pdr", "klive", "bdd")})
    check(tally, 0.5)


def test_the_pairs_are_a_fair_mix() -> None:
    tally = campaign(iter(range(2000, 2030)), {})
    assert 0.3 <= tally.verdicts["FALSE"] / tally.pairs <= 0.7
