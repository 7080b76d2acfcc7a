"""A slice of `tests/models/parity.py`: the command line and Python build the same question."""

from __future__ import annotations

from pathlib import Path

import pytest

import fsoft
from fsoft.cli.main import main
from tests.models.parity import HowAsked, difference
from tests.models.table import rows

ROWS = [row for row in rows() if row.program in ("classic/account.c", "sync/lost_wakeup.c", "ltl/lights.c", "threads/created_last.c")]
TCBMC = HowAsked(engine=None, encoding="tcbmc", incremental=True)
GROWS = """#include <pthread.h>
#include <assert.h>
int n;
void *f(void *a) { return 0; }
int main(int argc, char **argv) {
    pthread_t t;
    int k = argc > 4 ? 4 : argc;
    for (int i = 0; i < k; i++) { pthread_create(&t, 0, f, 0); n++; }
    assert(n == k);
    return 0;
}
"""


@pytest.mark.parametrize("row", ROWS[:10], ids=lambda row: row.name)
def test_both_doors_say_the_same(row: object) -> None:
    assert difference(row, HowAsked()) == ""  # type: ignore[arg-type]


@pytest.mark.parametrize("row", [row for row in ROWS if row.program == "classic/account.c"][:3], ids=lambda row: row.name)
def test_bounded_encodings_say_the_same(row: object) -> None:
    assert difference(row, TCBMC) == ""  # type: ignore[arg-type]


def test_bounds_of_the_program_grow_through_both_doors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three slots are not enough for five threads: an incremental question raises `--threads` itself."""
    path = tmp_path / "r.c"
    path.write_text(GROWS)
    assert main(["check", str(path), "--encoding", "tcbmc", "--incremental"]) == 0
    assert "with --threads" in capsys.readouterr().out
    result = fsoft.load(path).check(encoding="tcbmc", incremental=True)
    assert result.holds and any("with --threads" in line for line in result.reasons)
    fixed = fsoft.load(path, threads=3).check(encoding="tcbmc", incremental=True)
    assert fixed.unknown and fixed.cuts[0].kind == "slot"
