"""Programs whose violation a reduction once lost, or that ended it: each must be found under every reduction of the explorer, and in
the reduced circuit."""

from __future__ import annotations

import pytest

from tests.models.agree import ask
from tests.models.table import Row, rows

LOST = (
    "races/beside_lock.c", "locks/given_back.c", "locks/flag_of_index.c", "locks/half_flag.c", "locks/rwlock_twice.c",
    "checks/index_before_wait.c", "sync/wait_then_choose.c",
)  # fmt: skip
ROWS = [row for row in rows() if row.program in LOST]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_verdict_is_kept(row: Row) -> None:
    for kind in ("none", "lockset", "lock-pattern"):
        outcome = ask(row, 60, "explicit", ["--por", "cstub", "--transactions", kind])
        assert outcome.decided, outcome
    outcome = ask(row, 60, "bmc", ["--por", "cstub", "--depth", "40"])
    assert outcome.decided, outcome
