"""A slice of the campaign that compares texts, formats, lists and jumps with gcc and glibc."""

from __future__ import annotations

import shutil

import pytest

from tests.fuzz.language import KINDS, judge

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is the other side of the comparison")


@pytest.mark.parametrize("kind", KINDS)
def test_programs_agree_with_gcc_and_glibc(kind: str) -> None:
    done = [judge(kind, seed) for seed in range(500, 504)]
    assert [outcome for outcome in done if outcome.agree is False] == []
    assert sum(outcome.agree is not None for outcome in done) >= 3
