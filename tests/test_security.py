"""`SECURITY.md` tells the truth about limits."""

from __future__ import annotations

from pathlib import Path

from fsoft.cli.replay import _TIMEOUT
from fsoft.frontend.inputs import MOST
from fsoft.process.fence import FenceLimits

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def test_the_fence_is_as_high_as_the_page_says() -> None:
    limits = FenceLimits(_TIMEOUT)
    said = (
        f"{_TIMEOUT:g} s of wall time (`--timeout`)",
        f"{limits.memory >> 30} GB of address space",
        f"{limits.processes} processes and threads",
    )
    assert [text for text in said if text not in PAGE] == []
    assert f"{limits.file >> 20} MB for each file and for the output" in PAGE


def test_inputs_are_as_large_as_the_page_says() -> None:
    assert f"At most {MOST >> 20} MB of a file" in PAGE


def test_the_page_is_found_from_the_documents() -> None:
    assert "SECURITY.md" in (ROOT / "docs" / "replay.md").read_text(encoding="utf-8")
