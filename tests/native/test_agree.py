"""The compiled search and the search in Python give the same answers (`python -m tests.native.agree` asks about everything)."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.ask.load import load
from fsoft.checkers.explicit import Explicit
from fsoft.checkers.explicit.search import Explorer
from fsoft.native.build import available
from fsoft.process import tools
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.program.verdict import Verdict
from fsoft.properties import monitors
from tests.fuzz.concurrent import Generator
from tests.models.table import Row, rows
from tests.native.agree import disagreement, loaded

needs_compiler = pytest.mark.skipif(not available(), reason="there is no C compiler")

CHOSEN = (
    "mutex/szymanski.c unreach-call -DNO_QUEUE",
    "mutex/ticket.c no-data-race -DTORN",
    "sync/philosophers.c no-deadlock",
    "threads/thread_local_end.c valid-memtrack -DFREED",
    "heap/double_free.c valid-free",
    "memory/misaligned_copy.c valid-deref",
)
"""Rows with which everything that is generated is met: races, circles of locks, leaks, heap objects that stand for others, accesses
that do not fit a cell, undefined cells."""

WIDE = """
#include <pthread.h>
#include <assert.h>
int a, b;
void *worker(void *p) { for (int k = 0; k < 7; k++) a += b + 1; return 0; }
void *other(void *p) { for (int k = 0; k < 7; k++) b += a ^ k; return 0; }
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, worker, 0);
    pthread_create(&u, 0, other, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(a != WRONG);
    return 0;
}
"""


@pytest.fixture(autouse=True)
def _kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def compiled(program: Program, jobs: int = 2) -> Verdict:
    asked = sorted(program.checks)
    verdict = Explorer(program, asked, monitors(asked), hunts=False).run_compiled(jobs)
    assert verdict is not None
    return verdict


def wide(folder: Path, wrong: str) -> Program:
    path = folder / "wide.c"
    path.write_text(WIDE)
    return load([str(path)], Options(checks=frozenset({"unreach-call"})), define=[f"WRONG={wrong}"])


@needs_compiler
@pytest.mark.parametrize("row", [row for row in rows() if row.name in CHOSEN], ids=lambda row: row.name)
def test_rows_of_the_table(row: Row) -> None:
    assert disagreement(loaded(row)) == ""


@needs_compiler
@pytest.mark.parametrize("seed", [3, 8, 11])
def test_random_programs(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(Generator(seed, small=True).program())
    assert disagreement(load([str(path)], Options(checks=frozenset({"no-data-race", "valid-deref"})))) in ("", "open")


@needs_compiler
def test_workers_do_not_change_the_answer(tmp_path: Path) -> None:
    """All states, and the same shortest trace, whoever is faster."""
    program = wide(tmp_path, "77")
    one, three = compiled(program, 1), compiled(program, 3)
    assert one.last_line() == "FALSE(unreach-call)"
    assert (one.trace, one.stats.states) == (three.trace, three.stats.states)


@needs_compiler
def test_takes_over_from_the_search_in_python(tmp_path: Path) -> None:
    verdict = Explicit().check(wide(tmp_path, "-1234567"), lambda stats: None)
    assert verdict.last_line() == "TRUE"
    assert "words" in verdict.stats.counts


def test_without_a_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search in Python answers then."""
    monkeypatch.setattr(tools, "_which", lambda name: None)
    row = next(row for row in rows() if row.name == "mutex/peterson3.c unreach-call")
    verdict = Explicit().check(loaded(row), lambda stats: None)
    assert verdict.last_line() == "TRUE"
    assert "words" not in verdict.stats.counts


@needs_compiler
def test_what_a_time_limit_cuts(tmp_path: Path) -> None:
    verdict = Explicit().check(wide(tmp_path, "-1234567"), lambda stats: None, timeout=2.0)
    assert verdict.last_line() == "UNKNOWN" or verdict.stats.seconds < 2.2
