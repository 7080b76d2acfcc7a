"""What the documentation shows is what happens: the examples of the Python API and of docs/."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import fsoft

ROOT = Path(__file__).resolve().parents[1]
MODULES = ("fsoft.python.loaded", "fsoft.python.result")
PAGES = tuple(str(page.relative_to(ROOT)) for page in sorted((ROOT / "docs").rglob("*.md")) if ">>> " in page.read_text())


@pytest.fixture(autouse=True)
def at_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("name", MODULES)
def test_modules(name: str) -> None:
    outcome = doctest.testmod(import_module(name), extraglobs={"fsoft": fsoft})
    assert outcome.attempted and not outcome.failed


@pytest.mark.parametrize("page", PAGES)
def test_pages(page: str) -> None:
    outcome = doctest.testfile(str(ROOT / page), module_relative=False)
    assert outcome.attempted and not outcome.failed
