"""A slice of the campaign over traces of random programs."""

from __future__ import annotations

from tests.fuzz.traces import campaign


def test_traces_of_random_programs_are_shortened_and_happen_again() -> None:
    tally = campaign(100, 4)
    assert tally.traces > 4 and tally.wrong == []
    assert tally.switches[1] < tally.switches[0] and tally.moves[1] <= tally.moves[0]
