"""The registry of engines: lazy, with declared capabilities, open to other packages, strict about names."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from dataclasses import replace

import pytest

import fsoft.checkers.registry as registry
from fsoft.checkers.explicit import ENGINE
from fsoft.program.options import PROPERTIES


class Point:
    """A stand-in for an installed package's entry point."""

    def __init__(self, name: str, thing: object):
        self.name, self.value, self.thing = name, f"elsewhere:{name}", thing

    def load(self) -> object:
        return self.thing


def installed(monkeypatch: pytest.MonkeyPatch, *points: Point) -> None:
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: list(points) if group == registry.GROUP else [])


def test_capabilities_of_explicit() -> None:
    engine = registry.engine("explicit")
    assert engine.takes == "program" and engine.proves and engine.refutes
    assert engine.properties == (*PROPERTIES, *registry.RUNS)


def test_asking_for_an_engine_does_not_import_it() -> None:
    code = "import sys, fsoft.checkers.registry as r; r.engine('explicit'); print('fsoft.checkers.explicit.search' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


def test_other_packages_join(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, Point("other", replace(ENGINE, name="other")))
    assert list(registry.engines())[-1] == "other"
    assert registry.engine("other").name == "other"


def test_a_name_is_taken_once(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, Point("explicit", ENGINE))
    with pytest.raises(ValueError, match="two engines are called 'explicit'"):
        registry.engines()


def test_what_joins_is_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, Point("odd", object()))
    with pytest.raises(TypeError, match="is no Engine"):
        registry.engines()


def test_unknown_names_list_the_known() -> None:
    with pytest.raises(registry.UnknownEngine, match="no engine 'warp': one of explicit"):
        registry.engine("warp")
