"""Figures 1 and 2 of the F-Soft paper: which accesses count as conflicts, with and without locks on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.ask.load import load
from fsoft.checkers.explicit.engine import explore
from fsoft.frontend.source import Source
from fsoft.por.facts import StubbornFacts
from fsoft.por.stubborn import Stubborn
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.transactions import patterns
from tests.models.table import MODELS
from tests.por.states import chosen, conflict, run_to

FIGURE_1 = """#include <pthread.h>
#include <assert.h>
int a, z, x;
pthread_mutex_t lk;
void *t1(void *p) {
    a = 0;
    pthread_mutex_lock(&lk);
    x = 1;
    pthread_mutex_unlock(&lk);
    a = 4;
    return 0;
}
void *t2(void *p) {
    z = 5;
    pthread_mutex_lock(&lk);
    x = 2;
    pthread_mutex_unlock(&lk);
    x = 6;
    return 0;
}
int main(void) {
    pthread_t p, q;
    pthread_create(&p, 0, t1, 0); pthread_create(&q, 0, t2, 0);
    pthread_join(p, 0); pthread_join(q, 0);
    assert(a + x + z >= 0);
}
"""
LINE_1 = {"3a": 8, "4a": 9, "1b": 14, "5b": 18}

FIGURE_2 = """#include <pthread.h>
#include <assert.h>
int a, b, x, y, z;
pthread_mutex_t lk1, lk2;
void *t1(void *p) {
    a = 1;
    pthread_mutex_lock(&lk1);
    pthread_mutex_lock(&lk2);
    y = 1;
    pthread_mutex_unlock(&lk2);
    x = 0;
    pthread_mutex_unlock(&lk1);
    return 0;
}
void *t2(void *p) {
    b = 0;
    pthread_mutex_lock(&lk2);
    pthread_mutex_lock(&lk1);
    z = 2;
    pthread_mutex_unlock(&lk1);
    x = 1;
    pthread_mutex_unlock(&lk2);
    return 0;
}
int main(void) {
    pthread_t p, q;
    pthread_create(&p, 0, t1, 0); pthread_create(&q, 0, t2, 0);
    pthread_join(p, 0); pthread_join(q, 0);
    assert(a + b + x + y + z >= 0);
}
"""
LINE_2 = {"6a": 11, "1b": 16}
KINDS = ("none", "lockset", "lock-pattern")


def first_conflicts_with_second(folder: Path, text: str, kind: str, lines: dict[int, int]) -> tuple[bool, set[int]]:
    """conflict_1(2) in the state where the threads are at the lines, and the slots that are enough there."""
    path = folder / "figure.c"
    path.write_text(text)
    program = load([str(path)], Options(fold=False))
    choice = Stubborn(StubbornFacts(program, patterns(kind)))
    v = run_to(program, lines)
    return conflict(program, choice, v, 1, 2), chosen(program, choice, v)


@pytest.mark.parametrize(("kind", "expected"), [("lock-pattern", False), ("lockset", True), ("none", True)])
def test_figure_1_before_the_lock(tmp_path: Path, kind: str, expected: bool) -> None:
    """x = 6 is unprotected, but from 1b it comes only after lk, which thread 1 holds at 3a."""
    found, _ = first_conflicts_with_second(tmp_path, FIGURE_1, kind, {1: LINE_1["3a"], 2: LINE_1["1b"]})
    assert found is expected


@pytest.mark.parametrize("kind", ["lock-pattern", "lockset", "none"])
def test_figure_1_behind_the_lock(tmp_path: Path, kind: str) -> None:
    """At 5b thread 2 is about to write x without any lock: a conflict for everybody."""
    found, enough = first_conflicts_with_second(tmp_path, FIGURE_1, kind, {2: LINE_1["5b"], 1: LINE_1["3a"]})
    assert found
    assert enough == {1, 2}


@pytest.mark.parametrize(("kind", "expected"), [("lock-pattern", False), ("lockset", True), ("none", True)])
def test_figure_2(tmp_path: Path, kind: str, expected: bool) -> None:
    """No common lock protects x, but the way from 1b to 6b takes lk1 and gives it back."""
    found, _ = first_conflicts_with_second(tmp_path, FIGURE_2, kind, {1: LINE_2["6a"], 2: LINE_2["1b"]})
    assert found is expected


@pytest.mark.parametrize(
    ("name", "defines", "counts"),
    [
        ("figure1", (), ((37, 40), (37, 40), (37, 38))),
        ("figure1", ("FOUR",), ((3512, 5379), (3512, 5379), (2989, 4236))),
        ("figure2", ("FOUR",), ((439, 512), (439, 512), (385, 426))),
    ],
)
def test_the_figures_in_states_and_transitions(name: str, defines: tuple[str, ...], counts: tuple[tuple[int, int], ...]) -> None:
    """Without locks, with locksets, with lock patterns: x is under no lock throughout, so only the last saves something."""
    program = load([Source(str(MODELS / f"classic/fsoft_{name}.c"), define=defines)])
    assert tuple(visited(program, kind) for kind in KINDS) == counts


SEVERAL = [
    "sync/barrier.c", "sync/philosophers.c", "threads/c11_threads.c", "locks/given_back.c", "deadlocks/spin.c", "sync/prodcons_cond.c",
]  # fmt: skip


@pytest.mark.parametrize("name", SEVERAL)
def test_locks_never_cost_states(name: str) -> None:
    """Theorem 2: what lock patterns choose in a state is a part of what locksets choose, and that of what is chosen without locks."""
    program = load([Source(str(MODELS / name), define=("N=3",))])
    plain, locksets, locks = (visited(program, kind) for kind in KINDS)
    assert plain >= locksets >= locks and plain[1] >= locksets[1] >= locks[1]


def visited(program: Program, kind: str) -> tuple[int, int]:
    stats = explore(program, choice=Stubborn(StubbornFacts(program, patterns(kind)))).stats
    return stats.states, stats.transitions


def test_releasing_does_not_conflict_with_acquiring(tmp_path: Path) -> None:
    found, enough = first_conflicts_with_second(tmp_path, FIGURE_1, "lock-pattern", {1: LINE_1["4a"], 2: LINE_1["1b"]})
    assert not found
    assert len(enough) == 1
    assert first_conflicts_with_second(tmp_path, FIGURE_1, "none", {1: LINE_1["4a"], 2: LINE_1["1b"]})[0]
