"""docs/architecture.md walks a file through the rooms: the functions that it names are called, in that order, and are few."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType

import pytest

from fsoft.cli.main import main

ROOT = Path(__file__).parent.parent
ACCOUNT = str(ROOT / "models/classic/account.c")
PAGE = ROOT / "docs/architecture.md"
MOST = 12


def walks() -> dict[str, list[str]]:
    """The functions of each walk, by the command that begins it."""
    section = PAGE.read_text().split("## One file through the rooms")[1].split("\n## ")[0]
    found = {}
    for item in section.split("\n- ")[1:]:
        command, *names = re.findall(r"`([^`]+)`", item)
        found[command] = names
    return found


def function(name: str) -> Callable[..., object]:
    """The function of that name."""
    module, _, last = name.rpartition(".")
    found: Callable[..., object] = getattr(import_module(module), last)
    return found


def called(command: list[str]) -> list[CodeType]:
    """The functions that a command calls, in the order of their first calls."""
    seen: dict[CodeType, None] = {}

    def look(frame: FrameType, event: str, _arg: object) -> None:
        if event == "call":
            seen.setdefault(frame.f_code)

    threading.setprofile(look)  # deep texts are read in a thread of their own
    sys.setprofile(look)
    try:
        main(command)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    return list(seen)


@pytest.fixture
def witness(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """A counterexample of the circuit that `build` writes."""
    model, path = str(tmp_path / "m.aag"), str(tmp_path / "m.cex")
    assert main(["build", ACCOUNT, "-D", "UNLOCKED", "-o", model]) == 0
    assert main(["check", model, "--engine", "bmc", "--witness", path]) == 10
    return path


@pytest.mark.parametrize("command", list(walks()))
def test_the_walk_is_what_happens(command: str, tmp_path: Path, witness: str) -> None:
    names = walks()[command]
    assert len(names) <= MOST
    model = str(Path(witness).with_suffix(".aag"))
    words = {"account.c": ACCOUNT, "m.aag": model, "WITNESS": witness}
    given = [words.get(word, word) for word in command.split()[1:]]
    more = ["-D", "UNLOCKED"] if ACCOUNT in given else []
    codes = called([*given, *more])
    places = [codes.index(code) if (code := function(name).__code__) in codes else -1 for name in names]  # type: ignore[attr-defined]
    assert -1 not in places, names[places.index(-1)]
    assert places == sorted(places), names[next(k for k in range(len(places) - 1) if places[k] > places[k + 1])]
