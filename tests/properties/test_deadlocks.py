"""no-deadlock: circles of waiting threads, and the report that draws them; no-data-race under the two race models."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.ask.circuits import decide
from fsoft.ask.load import Options, load
from fsoft.checkers.explicit.engine import explore
from fsoft.program.program import Program
from fsoft.program.verdict import Verdict
from fsoft.properties.waits import Waits, cycle

HEAD = """#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t again = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
pthread_t s, t; int x; atomic_int flag;
static const struct timespec soon = {1, 0};
void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);
"""
SPIN = "for (;;) { flag = !flag; }"  # main runs on: nothing here is a global deadlock


def program(tmp_path: Path, one: str, two: str, main: str, prop: str = "no-deadlock") -> Program:
    path = tmp_path / "p.c"
    create = "pthread_create(&s, 0, one, 0); pthread_create(&t, 0, two, 0);"
    path.write_text(
        f"{HEAD}void *one(void *a) {{\n{one}\nreturn a; }}\nvoid *two(void *a) {{\n{two}\nreturn a; }}\n"
        f"int main(void) {{ {create}\n{main}\nreturn 0; }}\n"
    )
    return load([str(path)], Options(checks=frozenset({prop})), bits=64)


def both(loaded: Program) -> Verdict:
    """The explorer's verdict, which bmc on the circuit must not contradict."""
    verdict = explore(loaded)
    assert decide(loaded, "bmc", depth=16, timeout=30).last_line() in (verdict.last_line(), "UNKNOWN")
    return verdict


def lock(*names: str) -> str:
    return " ".join(f"pthread_mutex_lock(&{name});" for name in names)


def unlock(*names: str) -> str:
    return " ".join(f"pthread_mutex_unlock(&{name});" for name in names)


CASES = {
    "two locks": (lock("m", "n"), lock("n", "m"), "FALSE"),
    "one order": (lock("m", "n") + unlock("n", "m"), lock("m", "n") + unlock("n", "m"), "TRUE"),
    "relock": (lock("m", "m"), "", "FALSE"),
    "recursive": (lock("again", "again"), "", "TRUE"),
    "recursive in a section of another": (lock("again", "again") + unlock("again", "again"),
                                          "__VERIFIER_atomic_begin(); x = 1; x = 2; __VERIFIER_atomic_end();", "TRUE"),
    "upgrade": ("pthread_rwlock_rdlock(&rw); pthread_rwlock_wrlock(&rw);", "", "FALSE"),
    "reader and writer": ("pthread_rwlock_rdlock(&rw);" + lock("m"), lock("m") + "pthread_rwlock_wrlock(&rw);", "FALSE"),
    "two readers": ("pthread_rwlock_rdlock(&rw);" + lock("m") + unlock("m"),
                    lock("m") + "pthread_rwlock_rdlock(&rw);" + unlock("m"), "TRUE"),
    "joins a waiting thread": (lock("m") + "pthread_join(t, 0);" + unlock("m"), lock("m") + unlock("m"), "FALSE"),
    "held by nobody who waits": (lock("m"), lock("m"), "TRUE"),
    "signalled, but the lock is gone": (lock("m") + "pthread_cond_wait(&c, &m);" + lock("n"),
                                        lock("n", "m") + "pthread_cond_signal(&c);", "FALSE"),
    "time-outs are steps": (lock("m") + "pthread_mutex_timedlock(&n, &soon);", lock("n") + "pthread_mutex_timedlock(&m, &soon);", "TRUE"),
    "inside a section": ("__VERIFIER_atomic_begin();" + lock("m", "m") + "__VERIFIER_atomic_end();", "", "TRUE"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_circles_while_others_run_on(name: str, tmp_path: Path) -> None:
    one, two, kind = CASES[name]
    assert both(program(tmp_path, one, two, SPIN)).kind == kind


def test_detaching_may_end_a_join(tmp_path: Path) -> None:
    one = lock("m") + "pthread_join(t, 0);"
    assert both(program(tmp_path, one, lock("m"), "pthread_detach(t);" + SPIN)).kind != "FALSE"


def test_the_report_draws_who_waits_for_whom(tmp_path: Path) -> None:
    verdict = explore(program(tmp_path, lock("m") + "\n" + lock("n"), lock("n") + "\n" + lock("m"), SPIN))
    told = "\n".join(verdict.reasons)
    assert "deadlock: 2 threads wait for each other" in told
    assert "for n, which thread 2 (two) holds" in told and "thread 1 (one) waits in pthread_mutex_lock(&n);" in told
    assert "who waits for whom: thread 1 -> n -> thread 2 -> m -> thread 1" in told
    assert "thread 2 (two) holds n" in told


def test_a_join_is_drawn_as_a_join(tmp_path: Path) -> None:
    verdict = explore(program(tmp_path, lock("m") + "pthread_join(t, 0);", lock("m"), "pthread_join(s, 0);"))
    assert any("for the end of thread 2 (two)" in line for line in verdict.reasons)
    assert any("thread 1 -> join -> thread 2 -> m -> thread 1" in line for line in verdict.reasons)


def test_blocking_steps_name_their_owners(tmp_path: Path) -> None:
    """Passes may rewrite addresses; the sources must survive, or circles would be missed."""
    loaded = program(tmp_path, lock("m") + "pthread_rwlock_wrlock(&rw);", "pthread_rwlock_rdlock(&rw); pthread_join(s, 0);", "")
    found = {source.kind for slot in (1, 2) for rows in Waits(loaded).at(slot).values() for _, all_of in rows for source in all_of}
    assert found == {"owner", "readers", "join"}


def test_cycle() -> None:
    assert cycle({}) == []
    assert cycle({1: {2: 0}, 2: {3: 0}}) == []
    assert cycle({1: {1: 0}}) == [1]
    assert cycle({0: {1: 0}, 1: {2: 0}, 2: {3: 0, 1: 0}}) == [1, 2]
