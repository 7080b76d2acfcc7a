"""`docs/library.md` answers for each modelled function what it reads, writes, waits for and returns, and the models do what it says."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from fsoft.frontend import library
from fsoft.frontend.effects import rows
from fsoft.frontend.library import answers, table

PAGE = Path(__file__).parent.parent / "docs" / "library.md"
ACCEPTED = [name for name, entry in table.entries().items() if entry.status != table.REJECTED]
MODELLED = [name for name in ACCEPTED if table.entries()[name].builtin or name in library.names()]
IN_C = [name for name in MODELLED if not table.entries()[name].builtin]
_PROTOTYPE = re.compile(r"^(?!\s)[^{}\n]*\);$", re.MULTILINE)
_CALL = re.compile(r"\b(\w+)\s*\(")


@cache
def whole_text(name: str) -> str:
    """The C text of a model with all library functions that it calls."""
    seen, work, out = set[str](), [name], ""
    while work:
        current = work.pop()
        text = None if current in seen else library.find(current)
        seen.add(current)
        if text is not None:
            out += _PROTOTYPE.sub("", text)
            work += set(_CALL.findall(_PROTOTYPE.sub("", text)))
    return out


def test_page_shows_the_answers() -> None:
    shown = PAGE.read_text(encoding="utf-8").split(answers.BEGIN)[1].split(answers.END)[0]
    assert shown.strip() == answers.page().strip(), "run: python -m fsoft.frontend.library.answers docs/library.md"


def test_every_modelled_function_has_its_answers_and_no_other() -> None:
    assert set(MODELLED) - set(answers.answers()) == set(), "add a row to fsoft/frontend/library/answers.py"
    assert set(answers.answers()) - set(MODELLED) == set()


def test_what_has_no_model_has_a_row_of_effects() -> None:
    assert set(ACCEPTED) - set(MODELLED) - set(rows()) == set()


@pytest.mark.parametrize("name", IN_C)
def test_the_model_does_what_the_answers_say(name: str) -> None:
    answer, text = answers.answers()[name], whole_text(name)
    assert bool(answer.blocks) == ("__fsoft_require(" in text)
    assert ("--library-may-fail" in answer.fails) == ("__fsoft_library_may_fail(" in text)
    assert ("--malloc-may-fail" in answer.fails) == ("__fsoft_malloc_may_fail(" in text)
    assert ("errno" in answer.writes) == ("__fsoft_errno =" in text)
    if "__fsoft_plain" in text:
        assert answer.reads or answer.writes
    if "__VERIFIER_nondet" in (library.find(name) or ""):
        assert "any" in f"{answer.writes} {answer.blocks} {answer.fails} {answer.result}"


@pytest.mark.parametrize("name", [name for name in IN_C if name not in ("__errno_location",)])
def test_what_only_reads_or_writes_registers_touches_no_memory(name: str) -> None:
    """A function that takes no pointer has nothing to read or write through."""
    head = library.find(name) or ""
    declared = re.search(rf"\b{name}\(([^()]*)\) \{{", head)
    if declared is not None and "*" not in declared[1] and "errno" not in answers.answers()[name].writes:
        assert not answers.answers()[name].reads and not answers.answers()[name].writes
