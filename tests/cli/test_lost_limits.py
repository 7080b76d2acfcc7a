"""A time limit that strikes where an exception would be lost, or where Python cannot be interrupted, still ends the run in order."""

from __future__ import annotations

import subprocess
import sys
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


def test_looking_at_the_memory_imports_nothing() -> None:
    """A timer's handler looks, and may interrupt an import: another one inside it would end in a KeyError."""
    look = "import sys; from fsoft.cli import supervisor; seen = set(sys.modules); supervisor.resident(); print(set(sys.modules) - seen)"
    found = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"
