"""Every bounded encoding against the explorer: the slice of the campaign that runs everywhere, 200 programs, half with endless loops."""

from __future__ import annotations

import pytest

from tests.bounded.campaign import VARIANTS, campaign, report

PARTS = 10
COUNT = 200 // PARTS


@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs(part: int) -> None:
    rows = campaign(range(COUNT * part, COUNT * (part + 1)), seconds=0.5, bounded=part % 2 == 0)
    text, wrong = report(rows)
    print(text)
    known = [row for about in rows.values() for row in about if row[1] != "UNKNOWN"]
    assert not wrong
    assert {what.split(",")[0] for what, _, _ in known} == {one for of_one in VARIANTS for one in of_one}
    assert sum(got != "UNKNOWN" for _, _, got in known) * 10 >= len(known) * 4


@pytest.mark.parametrize("check", ["no-deadlock", "no-data-race"])
def test_properties_of_states(check: str) -> None:
    text, wrong = report(campaign(range(300, 306), seconds=0.5, check=check))
    print(text)
    assert not wrong
