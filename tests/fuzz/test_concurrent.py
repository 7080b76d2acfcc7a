"""A slice of the campaign over random concurrent programs: all ways to an answer agree with the plain explorer."""

from __future__ import annotations

import pytest

from tests.fuzz.concurrent import FEATURES, TAGS, Tally, available_engines, campaign, circuit_way


def check(tally: Tally) -> None:
    print("\n".join(tally.lines()))
    assert tally.wrong == []
    for way, asked in tally.asked.items():
        assert tally.decided[way] * 10 >= asked * 8, f"{way} decides too little"


@pytest.mark.parametrize("block", range(4))
def test_assertions(block: int) -> None:
    check(campaign(iter(range(block * 12, block * 12 + 12)), frozenset({"unreach-call"}), {}, small=True))


@pytest.mark.parametrize("block", range(3))
def test_deadlocks(block: int) -> None:
    check(campaign(iter(range(100 + block * 9, 109 + block * 9)), frozenset({"no-deadlock"}), {}, small=True))


@pytest.mark.parametrize("block", range(3))
def test_races(block: int) -> None:
    check(campaign(iter(range(200 + block * 9, 209 + block * 9)), frozenset({"no-data-race"}), {}, small=True))


def fair(tally: Tally) -> None:
    """30 to 70% of the programs are wrong, and every tag is in at least 5% of them."""
    assert 0.3 <= tally.violated() <= 0.7
    assert [name for name in (*TAGS, *FEATURES) if tally.tags[name] * 20 < tally.programs] == []


@pytest.mark.parametrize(("prop", "first"), [("no-deadlock", 500), ("no-data-race", 600)])
def test_states_in_circuits(prop: str, first: int) -> None:
    """The same for properties of whole states."""
    checks = frozenset({prop})
    tally = campaign(iter(range(first, first + 4)), checks, {"bmc": circuit_way("bmc", 4, checks=checks)}, small=True)
    print("\n".join(tally.lines()))
    assert tally.wrong == []
    assert tally.decided["bmc"] >= 1


FLOORS = {"pdr": 0.4, "bdd": 0.4, "abc": 0.4, "portfolio": 0.25, "bmc": 0.1, "simulation": 0.1, "kinduction": 0.04, "smt": 0.03}
"""The part of its programs that an engine decides at least, on a machine that has other things to do."""
HUNTERS = ("bmc", "kinduction", "smt")
"""Engines that seldom prove: most of their time they run into their limit."""


def test_every_engine_on_circuits(capsys: pytest.CaptureFixture[str]) -> None:
    """No engine contradicts the plain explorer on 100 programs, two engines on each."""
    ways = {engine: circuit_way(engine, 1.2 if engine in HUNTERS else 2, quick=True) for engine in available_engines()}
    tally = campaign(iter(range(100)), frozenset({"unreach-call"}), ways, small=True, each=2)
    with capsys.disabled():
        print("\n" + "\n".join(tally.lines()))
    assert tally.wrong == []
    fair(tally)
    for engine in ways:
        assert tally.asked[engine] >= 20
        assert tally.decided[engine] >= FLOORS.get(engine, 0) * tally.asked[engine], f"{engine} decides too little"
