"""The built-in preprocessor against gcc's, on a few random macro programs; `python -m tests.fuzz.macros` does many."""

import shutil
from pathlib import Path

import pytest

from tests.fuzz.macros import agree, compare


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("first", range(0, 100, 20))
def test_words_are_gccs(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + 20):
        ours, theirs = compare(seed, str(tmp_path))
        assert agree(ours, theirs), seed
