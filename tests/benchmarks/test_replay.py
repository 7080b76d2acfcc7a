"""Which rows of `models/` the compiled program replays: those that it does not are named with a reason, and the page has the count."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from benchmarks.replay import LEFT, RUNS, left_out, replay
from tests.models.agree import warm_up
from tests.models.table import Row, rows

ROOT = Path(__file__).parents[2]
FALSE = [row for row in rows() if row.verdict.startswith("FALSE")]
REPLAYED = [row for row in FALSE if row.name not in left_out()]
NAMED = [row for row in FALSE if row.name in left_out() and row.prop not in RUNS]
needs_gcc = pytest.mark.skipif(not all(map(shutil.which, ("gcc", "objcopy", "nm", "objdump"))), reason="gcc or binutils are not installed")


def test_rows_that_are_left_out_are_rows_and_have_a_reason() -> None:
    names = {row.name for row in FALSE}
    assert [name for name in left_out() if name not in names] == []
    assert [name for name, why in left_out().items() if len(why) < 20] == []
    text = LEFT.read_text(encoding="utf-8")
    assert [name for name in left_out() if text.count(f'"{name}"') > 1] == []


def test_the_page_has_the_count() -> None:
    text = (ROOT / "docs" / "replay.md").read_text(encoding="utf-8")
    said = re.search(r"(\d+) rows are properties of infinite runs; (\d+) others are named", text)
    assert said is not None
    assert tuple(map(int, said.groups())) == (sum(row.prop in RUNS for row in FALSE), len(NAMED))


@needs_gcc
@pytest.mark.parametrize("row", REPLAYED[40::110], ids=lambda row: row.name)
def test_a_slice_is_replayed(row: Row, tmp_path: Path) -> None:
    warm_up()
    result = replay(row, tmp_path, "explicit", 60)
    assert result.replayed, result.reason
