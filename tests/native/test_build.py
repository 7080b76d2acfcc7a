"""A compilation that is given up leaves nothing behind."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import pytest

from fsoft.native.build import Build, available

SLOW = "\n".join(f"int f{k}(int x) {{ int s = 0; for (int i = 0; i < x; i++) s += i * {k} ^ x; return s; }}" for k in range(2000))


@pytest.mark.skipif(not available(), reason="no gcc")
def test_a_compiler_that_is_killed_leaves_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, temporary = tmp_path / "cache", tmp_path / "temporary"
    for folder in (cache, temporary):
        folder.mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", None)
    build = Build(SLOW)
    (work,) = temporary.iterdir()
    until = time.monotonic() + 20
    while not list(work.glob("cc*")) and time.monotonic() < until:
        time.sleep(0.01)
    assert list(work.glob("cc*")), "gcc writes its temporary files elsewhere"
    build.close()
    assert list(temporary.iterdir()) == []
    assert list((cache / "fsoft" / "native").iterdir()) == []
