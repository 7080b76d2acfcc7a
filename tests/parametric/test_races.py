"""Data races among any number of threads: the proofs, what must not be proved, and the defects that would show."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.ask.load import check, load
from fsoft.parametric import system_of
from fsoft.program.expr import FALSE
from fsoft.program.options import Options
from fsoft.program.verdict import Verdict
from tests.parametric.programs import FOREVER, text

RACES = frozenset({"no-data-race"})
CELLS = """#include <pthread.h>
%s
void *worker(void *given) { long i = (long)given; %s return 0; }
int main(void) { pthread_t t[%d]; for (long i = 0; i < %d; i++) pthread_create(&t[i], 0, worker, (void *)i); %s return 0; }
"""
LOCKED = "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);"
SAFE = {
    "one lock": text(LOCKED),
    "atomic": text("__atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST);"),
    "before the threads": text("int here = x; (void)here;", "x = 7; " + FOREVER),
    "a cell each": CELLS % ("int a[10000];", "a[i] = 1;", 10_000, 10_000, ""),
    "a cell each, and joins": CELLS % ("long a[99];", "a[i]++;", 99, 99, "pthread_join(t[7], 0);"),
}
RACY = {
    "no lock": text("x++;"),
    "main, too": text(LOCKED, "pthread_t t; while (1) { pthread_create(&t, 0, worker, 0); x = 0; }"),
    "atomic and plain": text("__atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST); int here = x; (void)here;"),
    "the next cell": CELLS % ("int a[10001];", "a[i] = 1; a[i + 1] = 2;", 10_000, 10_000, ""),
    "half of the next cell": CELLS % ("char a[40004];", "*(int *)(a + 2 * i) = 1;", 10_000, 10_000, ""),
    "two share a cell": CELLS % ("int a[10000];", "a[i / 2] = 1;", 10_000, 10_000, ""),
    "joins that may fail": CELLS % ("int a[100];", "a[i] = 1;", 99, 99, "pthread_join(t[5], 0); a[7] = 2;"),
}


def asked(folder: Path, program: str) -> Verdict:
    path = folder / "p.c"
    path.write_text(program)
    return check([str(path)], Options(checks=RACES), engine="parametric")


@pytest.mark.parametrize("name", SAFE)
def test_proofs(name: str, tmp_path: Path) -> None:
    verdict = asked(tmp_path, SAFE[name])
    assert verdict.kind == "TRUE" and "any number of threads" in verdict.reasons[0]


@pytest.mark.parametrize("name", RACY)
def test_what_races_is_not_proved(name: str, tmp_path: Path) -> None:
    assert asked(tmp_path, RACY[name]).kind == "UNKNOWN"


def test_two_threads_of_one_kind_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "p.c"
    path.write_text(RACY["no lock"])
    system = system_of(load([str(path)], Options(checks=RACES, unbounded=True)))
    assert [clash.slots for clash in system.clashes] == [(1, 2)]
    monkeypatch.setattr("fsoft.parametric.system.race", lambda *_: FALSE)
    monkeypatch.setattr("fsoft.parametric.system.race_beyond", lambda *_: FALSE)
    assert asked(tmp_path, RACY["no lock"]).kind == "TRUE", "the defect must show"


def test_accesses_beyond_the_cells_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fsoft.parametric.system.race_beyond", lambda *_: FALSE)
    assert asked(tmp_path, RACY["two share a cell"]).kind == "TRUE", "the defect must show"
