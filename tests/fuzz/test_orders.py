"""The race model c11 against its definition, on a few random programs; `python -m tests.fuzz.orders` does many."""

from pathlib import Path

import pytest

from tests.fuzz.orders import compare


@pytest.mark.parametrize("seed", [10, 14, 21, 25, 28, 29, 0, 4, 13])
def test_the_monitor_says_what_the_definition_says(seed: int, tmp_path: Path) -> None:
    right, answer = compare(seed, str(tmp_path))
    assert right in (None, answer)
