"""`docs/supported.md` tells the truth about library functions: it is the table, and the table is what the library has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fsoft.frontend import library
from fsoft.frontend.library import table

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "supported.md"
INTERNAL = {name for name in library.names() if name.startswith("__fsoft_")}
ENTRIES = table.entries()


def test_page_shows_the_table() -> None:
    text = PAGE.read_text(encoding="utf-8")
    shown = text.split(table.BEGIN)[1].split(table.END)[0]
    assert shown.strip() == table.page().strip(), "run: python -m fsoft.frontend.library.table docs/supported.md"


@pytest.mark.parametrize("name", [n for n, e in ENTRIES.items() if e.status != table.REJECTED and not e.builtin])
def test_what_is_said_to_be_modelled_has_a_model(name: str) -> None:
    assert library.find(name) is not None


@pytest.mark.parametrize("name", [n for n, e in ENTRIES.items() if e.status == table.REJECTED])
def test_what_is_said_to_be_rejected_has_no_model_and_a_reason(name: str) -> None:
    assert library.find(name) is None
    assert table.why_rejected(name)


def test_every_model_is_in_the_table() -> None:
    assert set(library.names()) - set(ENTRIES) == INTERNAL


def test_approximations_say_how() -> None:
    assert [e.name for e in ENTRIES.values() if e.status == table.APPROXIMATED and not e.how] == []


def test_every_function_of_our_headers_is_in_the_table() -> None:
    include = Path(library.__file__).parent.parent / "include"
    declared = set()
    for header in include.rglob("*.h"):
        declared |= set(re.findall(r"^(?!#|\s|typedef).*?\b(\w+)\(.*\);$", header.read_text(encoding="utf-8"), re.MULTILINE))
    assert len(declared) > 200
    assert declared - set(ENTRIES) - INTERNAL == set()


def test_every_macro_of_stdatomic_is_in_the_table() -> None:
    text = (Path(library.__file__).parent.parent / "include" / "stdatomic.h").read_text(encoding="utf-8")
    macros = {m.removesuffix("_explicit") for m in re.findall(r"^#define (atomic_\w+)\(", text, re.MULTILINE)}
    assert macros == {n for n, e in ENTRIES.items() if n.startswith("atomic_")}
