"""The fence around foreign programs: limits, and nothing left of what they started."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from fsoft.process.fence import Ended, FenceLimits, fenced, tool
from fsoft.process.names import as_path

both = pytest.mark.parametrize("apart", [True, False], ids=["namespaces", "alone"])


def shell(text: str, limits: FenceLimits = FenceLimits(20), apart: bool = True) -> Ended:  # noqa: B008
    return fenced(["/bin/sh", "-c", text], limits, os.environ, apart=apart)


def alive(mark: str) -> list[str]:
    """The processes whose command line has a word."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = Path(f"/proc/{entry}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if mark.encode() in words:
            found.append(entry)
    return found


@both
def test_output_and_code(apart: bool) -> None:
    ended = shell("echo out; echo err >&2; exit 7", apart=apart)
    assert (ended.code, ended.output, ended.why) == (7, b"out\nerr\n", "")
    assert shell("kill -SEGV $$", apart=apart).code == -11


@both
def test_whatever_it_started_ends_with_it(apart: bool) -> None:
    ended = shell("setsid sleep 71.5 & (setsid sleep 71.5 &) ; sleep 0.1; exit 0", apart=apart)
    assert ended.code == 0 and not alive("71.5")


@both
def test_time(apart: bool) -> None:
    since = time.monotonic()
    ended = shell("(setsid sleep 72.5 &) ; sleep 72.5", FenceLimits(0.5), apart)
    assert ended.why == "time" and time.monotonic() - since < 10 and not alive("72.5")


def test_output_has_an_end() -> None:
    ended = fenced(["/usr/bin/yes"], FenceLimits(30, file=1 << 20), os.environ)
    assert len(ended.output) == 1 << 20 and ended.code != 0


def test_memory() -> None:
    assert shell(f"exec {sys.executable} -c 'bytearray(1 << 31)'", FenceLimits(20, memory=1 << 30)).code == 1


def test_processes() -> None:
    ended = shell("i=0; while [ $i -lt 400 ]; do sleep 73.5 & i=$((i+1)); done; sleep 73.5", FenceLimits(30, processes=50))
    assert (ended.why == "processes" or ended.code != 0) and not alive("73.5")


def test_no_network() -> None:
    ended = shell("cat /proc/net/dev | wc -l")
    if "network" not in ended.missing:
        assert int(ended.output) <= 3  # two lines of head, and a loopback that is down


def test_its_folder_goes_if_nobody_waits(tmp_path: Path) -> None:
    """A process that is killed while it waits for the program."""
    folder = tmp_path / "made"
    folder.mkdir()
    text = ("import os, sys; from fsoft.process.fence import *; "
            f"fenced(['/bin/sh', '-c', 'setsid sleep 74.5'], FenceLimits(60), os.environ, {str(folder)!r})")  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    process = os.spawnvpe(os.P_NOWAIT, sys.executable, [sys.executable, "-c", text], environment)
    deadline = time.monotonic() + 20
    while not alive("74.5") and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(process, 9)
    os.waitpid(process, 0)
    while (folder.exists() or alive("74.5")) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not folder.exists() and not alive("74.5")


def test_a_tool_is_limited_too() -> None:
    assert tool(["cat"], b"text").stdout == b"text"
    with pytest.raises(TimeoutError, match="does not end"):
        tool(["/bin/sh", "-c", "sleep 75.5"], limits=FenceLimits(0.3))
    deadline = time.monotonic() + 5
    while alive("75.5") and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not alive("75.5")


@pytest.mark.parametrize(("name", "path"), [
    ("prog.c", "prog.c"), ("/a/b.c", "/a/b.c"), ("./x", "./x"), ("-o", "./-o"), ("@list", "./@list"), ("", "./"), ("\n.c", "./\n.c"),
])  # fmt: skip
def test_names(name: str, path: str) -> None:
    assert as_path(name) == path
