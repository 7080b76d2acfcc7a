"""A slice of the campaign over random formulas on random programs: all engines agree with the explicit product."""

from __future__ import annotations

import time

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
    assert 0.2 <= tally.verdicts["FALSE"] / tally.pairs <= 0.85


@pytest.fixture
def processor_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits are in seconds of the processor: a busy machine decides as much."""
    monkeypatch.setattr(time, "monotonic", time.process_time)


@pytest.mark.usefixtures("processor_time")
def test_fair_cycles() -> None:
    check(campaign(iter(range(1000, 1012)), {"bdd": circuit("bdd", 8)}), 0.8)


@pytest.mark.usefixtures("processor_time")
def test_liveness_to_safety_and_counting() -> None:
    check(campaign(iter(range(2012, 2016)), {name: circuit(name, 2) for name in ("bmc", "pdr", "klive")}), 0.5)
