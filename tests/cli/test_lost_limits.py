"""A time limit that strikes inside a destructor, where Python drops exceptions, still ends the run."""

from __future__ import annotations

import time

import pytest

from fsoft.cli import exits
from fsoft.cli.limits import limited


class Slow:
    def __del__(self) -> None:
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            pass


def test_a_limit_is_met_again_after_a_destructor(capfd: pytest.CaptureFixture[str]) -> None:
    def work() -> int:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            Slow()
        return exits.TRUE

    start = time.monotonic()
    assert limited(work, 0.3, None) == exits.TIMEOUT
    assert time.monotonic() - start < 30
    assert "ignored" not in capfd.readouterr().err
