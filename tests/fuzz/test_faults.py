"""Slices of the campaigns `tests.fuzz.faults` and `tests.fuzz.broken_files`."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux")


def campaign(*arguments: str) -> str:
    """What a campaign says; it runs by itself, because it reaps all processes that it finds."""
    done = subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@LINUX
@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize("name", ["reports", "auto", "build"])
def test_faults(name: str) -> None:
    said = campaign("tests.fuzz.faults", "--count", "8", "--spaces", "0", "--command", name)
    assert int(said.split()[1]) >= 10, said


@LINUX
def test_small_address_spaces() -> None:
    assert "4 tried" in campaign("tests.fuzz.faults", "--count", "0", "--spaces", "4")


@LINUX
def test_broken_files() -> None:
    assert "24 tried" in campaign("tests.fuzz.broken_files", "--count", "15", "--seed", "11")
