"""A slice of the campaign over random concurrent programs: all ways to an answer agree with the plain explorer."""

from __future__ import annotations

import pytest

from tests.fuzz.concurrent import Tally, campaign, circuit_way


def check(tally: Tally) -> None:
    print("\n".join(tally.lines()))
    assert tally.wrong == []
    for way, asked in tally.asked.items():
        assert tally.decided[way] * 10 >= asked * 8, f"{way} decides too little"


@pytest.mark.parametrize("block", range(4))
def test_assertions(block: int) -> None:
    check(campaign(iter(range(block * 12, block * 12 + 12)), frozenset({"unreach-call"}), {}))


@pytest.mark.parametrize("block", range(3))
def test_deadlocks(block: int) -> None:
    check(campaign(iter(range(100 + block * 9, 109 + block * 9)), frozenset({"no-deadlock"}), {}))


@pytest.mark.parametrize("block", range(3))
def test_races(block: int) -> None:
    check(campaign(iter(range(200 + block * 9, 209 + block * 9)), frozenset({"no-data-race"}), {}))


def test_the_programs_are_a_fair_mix() -> None:
    tally = campaign(iter(range(300, 330)), frozenset({"unreach-call"}), {})
    false = tally.verdicts["FALSE(unreach-call)"] / tally.programs
    assert 0.3 <= false <= 0.7
    for tag in ("acquire", "release", "try", "wait", "semwait", "post", "section", "update", "create", "join", "rdlock", "wrlock"):
        assert tally.tags[tag] * 20 >= tally.programs, f"{tag} is in too few programs"


@pytest.mark.parametrize(("prop", "first"), [("no-deadlock", 500), ("no-data-race", 600)])
def test_states_in_circuits(prop: str, first: int) -> None:
    """The same for properties of whole states."""
    checks = frozenset({prop})
    tally = campaign(iter(range(first, first + 6)), checks, {"bmc": circuit_way("bmc", 4, checks)})
    print("\n".join(tally.lines()))
    assert tally.wrong == []
    assert tally.decided["bmc"] >= 2


def test_circuits() -> None:
    """Bounded and unbounded engines on the circuit never contradict the explorer, and find most bugs in a few seconds."""
    ways = {"bmc": circuit_way("bmc", 6), "pdr": circuit_way("pdr", 6)}
    tally = campaign(iter(range(400, 408)), frozenset({"unreach-call"}), ways)
    print("\n".join(tally.lines()))
    assert tally.wrong == []
    assert tally.decided["bmc"] + tally.decided["pdr"] >= 4
