"""Runs as statements of threads."""

from __future__ import annotations

from pathlib import Path

from fsoft.frontend.source import Loc
from fsoft.trace.task import ReportTask
from tests.trace.reports import answer, answered


def test_threads_are_numbered_by_creation() -> None:
    story = answered("race")[2].story
    assert story is not None
    assert [(a.number, a.name, a.creator) for a in story.actors] == [(0, "main", None), (1, "deposit", 0), (2, "withdraw", 0)]
    assert [s.creates for s in story.statements if s.creates] == [[1], [2]]


def test_a_slot_that_runs_two_threads_gives_two_numbers(tmp_path: Path) -> None:
    path = tmp_path / "again.c"
    path.write_text(
        "#include <assert.h>\n#include <pthread.h>\nint n;\nvoid *f(void *p) { n = n + 1; return 0; }\n"
        "int main(void) {\n  for (int i = 0; i < 2; i++) {\n    pthread_t t;\n    pthread_create(&t, 0, f, 0);\n"
        "    pthread_join(t, 0);\n  }\n"
        "  assert(n == 0);\n  return 0;\n}\n"
    )
    story = answer(str(path), "unreach-call")[2].story
    assert story is not None
    assert [(a.number, a.creator) for a in story.actors] == [(0, None), (1, 0), (2, 0)]
    assert [s.thread for s in story.statements if "n" in s.changes] == [1, 2]


def test_the_end_of_a_race_are_both_accesses() -> None:
    story = answered("race")[2].story
    assert story is not None and story.about == "balance"
    assert [(p.thread, p.loc.line, p.function, p.what) for p in story.points] == [
        (1, 14, "add", "writes balance"),
        (2, 14, "add", "reads balance"),
    ]


def test_the_end_of_a_deadlock_is_who_waits() -> None:
    story = answered("deadlock")[2].story
    assert story is not None
    assert [(p.thread, p.loc.line, p.function) for p in story.points] == [(0, 41, "main"), (1, 16, "sleeper")]


def test_the_end_of_an_assertion_is_its_place() -> None:
    story = answered("assertion")[2].story
    assert story is not None
    assert [(p.thread, p.loc.line, p.what) for p in story.points] == [(0, 38, "unreach-call: an assertion fails")]
    last = {name: new for s in story.statements for name, (_, new) in s.changes.items()}
    assert last["balance"] != "12"


def test_columns_of_statements_and_of_closing_parentheses(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("int main(void) { int x = f(g(1), 2); y = f(3); return 0; }\nx =\n  f(\n")
    task = ReportTask((str(path),), 32, frozenset())
    loc = Loc(str(path), 1, 22)
    assert task.column_of(loc, "int x = f(g(1), 2);") == 18
    assert task.column_of(loc, "while (1)") == 0
    assert task.closing(loc, "f") == 35
    assert task.closing(Loc(str(path), 1, 38), "f") == 45
    assert task.closing(Loc(str(path), 3, 1), "f") == 0
    assert task.line(Loc(str(path), 99)) == "" and task.line(Loc(str(tmp_path / "gone.c"), 1)) == ""
