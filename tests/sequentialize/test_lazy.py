"""Lazy sequentialization: what the paper says about rounds and schedules, halting, coverage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fsoft.ask.by_name import encoding_of
from fsoft.ask.encodings import answer
from fsoft.ask.load import load
from fsoft.bounded.sequential import LazyBounds, lazy_scheme
from fsoft.checkers.explicit.engine import explore
from fsoft.frontend.source import InputError
from fsoft.passes.bounds import Bounds
from fsoft.passes.unwind import unwind
from fsoft.program.expr import TRUE, Expr
from fsoft.program.legal import check_legal
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.program.verdict import Verdict
from fsoft.sequentialize import lazy as lazy_module
from fsoft.sequentialize.schedule import schedule_of

HEAD = """#include <pthread.h>
#include <assert.h>
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);
int x, y, flag;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
"""


def program(folder: Path, text: str, check: str = "unreach-call") -> Program:
    path = folder / "p.c"
    path.write_text(HEAD + text)
    return load([str(path)], Options(checks=frozenset({check})))


def asked(folder: Path, text: str, check: str = "unreach-call", **bounds: object) -> Verdict:
    return answer(program(folder, text, check), "lazy", LazyBounds(Bounds(2), **bounds))  # type: ignore[arg-type]


LOST = """void *worker(void *p) { x++; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, worker, 0); x++; pthread_join(t, 0); assert(x == 2); return 0; }"""
"""Main reads x, the worker increments it, main goes on: two rounds."""


@pytest.mark.parametrize("rounds, line", [(1, "UNKNOWN"), (2, "FALSE(unreach-call)"), (3, "FALSE(unreach-call)")])
def test_as_many_rounds_as_the_error_needs(tmp_path: Path, rounds: int, line: str) -> None:
    verdict = asked(tmp_path, LOST, rounds=rounds)
    assert verdict.last_line() == line
    assert line != "UNKNOWN" or any(cut.kind == "rounds" for cut in verdict.cuts)


def test_a_thread_function_need_not_return(tmp_path: Path) -> None:
    """What it gives is read, and nothing writes it."""
    text = LOST.replace("x++; return 0; }\nint", "x++; }\nint")
    kept = text.replace("pthread_join(t, 0);", "void *r; pthread_join(t, &r); flag = !r;")
    assert text != LOST
    assert asked(tmp_path, kept, rounds=2).last_line() == explore(program(tmp_path, kept)).last_line() == "FALSE(unreach-call)"


@pytest.mark.parametrize("schedule, line", [("+:+", "FALSE(unreach-call)"), ("+:0", "FALSE(unreach-call)"), ("1:0", "FALSE(unreach-call)"),
                                            ("+:1", "UNKNOWN"), ("+:worker", "UNKNOWN"), ("0:0:0", "UNKNOWN")])  # fmt: skip
def test_schedules_leave_out_runs(tmp_path: Path, schedule: str, line: str) -> None:
    assert asked(tmp_path, LOST, schedule=schedule).last_line() == line


@pytest.mark.parametrize("rounds, schedule", [(0, None), (1001, None), (None, ""), (None, "+:7"), (None, "nobody"), (3, "+:+")])
def test_schedules_that_mean_nothing(tmp_path: Path, rounds: int | None, schedule: str | None) -> None:
    with pytest.raises(InputError):
        schedule_of(program(tmp_path, LOST), rounds, schedule)


def test_enough_rounds_prove(tmp_path: Path) -> None:
    safe = LOST.replace("x++; pthread_join", "pthread_join").replace("x == 2", "x == 1")
    assert asked(tmp_path, safe, incremental=True).last_line() == "TRUE"


def test_the_sequential_program_is_a_program(tmp_path: Path) -> None:
    """Legal, without cycles, and the explorer agrees with the formula."""
    unwound = unwind(program(tmp_path, LOST), Bounds(2))
    for rounds, kind in ((1, "UNKNOWN"), (2, "FALSE")):
        sequential = lazy_scheme(unwound, LazyBounds(rounds=rounds)).make(True)
        check_legal(sequential.program)
        assert len(sequential.program.threads) == 1
        assert all(step.target > step.source for step in sequential.program.threads[0].template.steps)
        assert explore(sequential.program).kind == kind


def test_a_store_before_a_failed_assume_is_seen(tmp_path: Path) -> None:
    text = """void *worker(void *p) { x = 1; __VERIFIER_assume(0); return 0; }
    int main(void) { pthread_t t; pthread_create(&t, 0, worker, 0); assert(x == 0); return 0; }"""
    assert asked(tmp_path, text).last_line() == "FALSE(unreach-call)"


def test_what_others_do_after_main_has_returned_is_found(tmp_path: Path) -> None:
    text = """void *worker(void *p) { assert(x == 0); return 0; }
    int main(void) { pthread_t t; pthread_create(&t, 0, worker, 0); x = 1; return 0; }"""
    assert asked(tmp_path, text).last_line() == "FALSE(unreach-call)"


ORDER = """void *worker(void *p) {
pthread_mutex_lock(&b); pthread_mutex_lock(&a); pthread_mutex_unlock(&a); pthread_mutex_unlock(&b); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, worker, 0); pthread_mutex_lock(&a); pthread_mutex_lock(&b); %s
pthread_mutex_unlock(&b); pthread_mutex_unlock(&a); pthread_join(t, 0); return 0; }"""


def test_deadlocks(tmp_path: Path) -> None:
    assert asked(tmp_path, ORDER % "", "no-deadlock").last_line() == "FALSE(no-deadlock)"
    safe = ORDER.replace("lock(&b); pthread_mutex_lock(&a)", "lock(&a); pthread_mutex_lock(&b)", 1)
    assert asked(tmp_path, safe % "", "no-deadlock", incremental=True).last_line() == "TRUE"


def test_a_circle_beside_a_thread_that_runs(tmp_path: Path) -> None:
    text = "void *busy(void *p) { while (1) x++; return 0; }\n" + ORDER.replace(
        "pthread_t t;", "pthread_t t, u; pthread_create(&u, 0, busy, 0);"
    )
    assert asked(tmp_path, text % "", "no-deadlock").last_line() == "FALSE(no-deadlock)"


@pytest.mark.parametrize(
    "body, line", [("x = 1;", "FALSE(no-data-race)"), ("pthread_mutex_lock(&a); x = 1; pthread_mutex_unlock(&a);", "TRUE")]
)
def test_races(tmp_path: Path, body: str, line: str) -> None:
    text = f"""void *worker(void *p) {{ {body} return 0; }}
    int main(void) {{ pthread_t t; pthread_create(&t, 0, worker, 0); {body} pthread_join(t, 0); return 0; }}"""
    assert asked(tmp_path, text, "no-data-race", incremental=True).last_line() == line


SECTION = """#include <semaphore.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
sem_t held, go;
void *worker(void *p) { pthread_mutex_lock(&locks[1]); sem_post(&held); sem_wait(&go); pthread_mutex_unlock(&locks[1]); return 0; }
int main(void) {
    pthread_t t;
    unsigned one = __VERIFIER_nondet_int(), zero = __VERIFIER_nondet_int(), which;
    if (one != 1 || zero != 0) return 0;
    sem_init(&held, 0, 0); sem_init(&go, 0, 0);
    pthread_mutex_lock(&locks[0]);
    pthread_create(&t, 0, worker, 0);
    sem_wait(&held); sem_post(&go);
    __VERIFIER_atomic_begin(); x = one; one = zero; which = x; pthread_mutex_lock(&locks[which]); __VERIFIER_atomic_end();
    x = one;
    assert(0);
    return 0;
}"""


def test_another_round_is_asked_for_by_what_was_stored_then(tmp_path: Path) -> None:
    """Main goes on in a third round: the lock that it waits for is the one that the register named when it was stored."""
    assert asked(tmp_path, SECTION, rounds=2).last_line() == "UNKNOWN"
    assert asked(tmp_path, SECTION, incremental=True).last_line() == "FALSE(unreach-call)"
    assert explore(program(tmp_path, SECTION)).last_line() == "FALSE(unreach-call)"


@pytest.mark.parametrize(
    "body, line",
    [
        ("unsigned char *p = malloc(2); p[i] = 3; if (p[i] == 3) x = 1;", "FALSE(no-data-race)"),
        ("unsigned char *p = malloc(2); p[i] = 3; if (p[i] != 3) x = 1;", "TRUE"),
        ("unsigned char *p = malloc(2), q = p[i]; if (q != p[i]) x = 1;", "TRUE"),
        ("unsigned char *p = calloc(2, 1); if (p[i]) x = 1;", "TRUE"),
        ("int *p = malloc(4), *q = malloc(4); if (p == q) x = 1;", "TRUE"),
        ("int *p = malloc(4); free(p); int *q = malloc(4); if (p == q) x = 1;", "FALSE(no-data-race)"),
        ("unsigned char *p = malloc(i); p[0] = 1; if (!i) x = 1;", "UNKNOWN"),  # undefined
        ("union word u; u.w = 0x01020304; u.b[2 * i] = 9; if (u.w == 0x01090304) x = 1;", "FALSE(no-data-race)"),
        ("union word u; u.w = 0x01020304; u.b[2 * i] = 9; if (u.w == 0x01020309) x = 1;", "FALSE(no-data-race)"),
        ("union word u; u.w = 0x01020304; u.b[2 * i] = 9; if (u.w == 0x01020304) x = 1;", "TRUE"),
    ],
)  # fmt: skip
def test_what_a_section_would_access(tmp_path: Path, body: str, line: str) -> None:
    """A section is one step: its last access depends on what it would do to memory before, if it were taken."""
    text = f"""#include <stdlib.h>
    union word {{ unsigned w; unsigned char b[4]; }};
    _Bool __VERIFIER_nondet_bool(void);
    void __VERIFIER_atomic_begin(void);
    void __VERIFIER_atomic_end(void);
    void *worker(void *a) {{ unsigned i = __VERIFIER_nondet_bool(); __VERIFIER_atomic_begin(); {body} __VERIFIER_atomic_end(); return a; }}
    int main(void) {{ pthread_t t; pthread_create(&t, 0, worker, 0); x = 2; pthread_join(t, 0); return 0; }}"""
    assert asked(tmp_path, text, "no-data-race", incremental=True).last_line() == line
    assert explore(program(tmp_path, text, "no-data-race")).last_line() == line


@pytest.mark.parametrize("last, line", [("free(p);", "TRUE"), ("q = p;", "TRUE"), ("p = 0;", "FALSE(valid-memtrack)")])
def test_leaks(tmp_path: Path, last: str, line: str) -> None:
    text = f"""#include <stdlib.h>
    int *q;
    void *worker(void *a) {{ int *p = malloc(sizeof *p); {last} return 0; }}
    int main(void) {{ pthread_t t; pthread_create(&t, 0, worker, 0); pthread_join(t, 0); return 0; }}"""
    assert asked(tmp_path, text, "valid-memtrack", incremental=True).last_line() == line


def test_forced_completion_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The seeded defect: threads that must not stop where they like hide what happens before a blocked step."""
    text = """void *worker(void *p) { assert(x == 0); return 0; }
    int main(void) { pthread_t t; pthread_create(&t, 0, worker, 0); x = 1; pthread_mutex_lock(&a); pthread_mutex_lock(&a); return 0; }"""
    assert asked(tmp_path, text, rounds=1).last_line() == "FALSE(unreach-call)"
    runs_on = lazy_module._Playing._runs_on

    def forced(self: Any, number: int, *rest: Any) -> Expr:
        return TRUE if number == len(self.options.schedule.rounds) - 1 else runs_on(self, number, *rest)

    monkeypatch.setattr(lazy_module._Playing, "_runs_on", forced)
    assert asked(tmp_path, text, rounds=1).last_line() != "FALSE(unreach-call)"


@pytest.mark.parametrize("p", ["buffer + 1", "(buffer + 2 - (y > 0))"])
def test_accesses_that_are_not_aligned_are_no_races_where_they_are_violations(tmp_path: Path, p: str) -> None:
    path = tmp_path / "p.c"
    path.write_text(
        HEAD
        + f"""char buffer[16];
void *worker(void *p) {{ *(int *)({p}) = 1; return 0; }}
int main(void) {{ pthread_t t; pthread_create(&t, 0, worker, 0); x = *(int *)({p}); return 0; }}"""
    )
    both = load([str(path)], Options(checks=frozenset({"valid-deref", "no-data-race"})))
    assert answer(both, "lazy", LazyBounds(Bounds(2))).last_line() == "FALSE(valid-deref)"


def test_of_two_locks_only_the_one_that_is_waited_for_is_looked_at(tmp_path: Path) -> None:
    """The other pointer is null then."""
    path = tmp_path / "p.c"
    path.write_text(
        HEAD
        + """void *worker(void *arg) {
  int c = __VERIFIER_nondet_int();
  pthread_mutex_t *p = c ? &a : (pthread_mutex_t *)0;
  if (c) pthread_mutex_lock(p); else pthread_mutex_lock(&b);
  return 0;
}
int main(void) {
  pthread_t t; pthread_mutex_lock(&b); pthread_create(&t, 0, worker, 0); pthread_mutex_lock(&a); pthread_mutex_unlock(&b); return 0;
}"""
    )
    both = load([str(path)], Options(checks=frozenset({"valid-deref", "no-deadlock"})))
    assert answer(both, "lazy", LazyBounds(Bounds(2), rounds=3)).last_line() == explore(both).last_line() == "FALSE(no-deadlock)"


@pytest.mark.parametrize("encoding", ["lazy", "tcbmc", "mu", "schedule", "paths", "uw"])
def test_a_thread_that_some_undefined_value_lets_go_on_is_not_in_a_deadlock(tmp_path: Path, encoding: str) -> None:
    """Nor is it known that there is none."""
    text = "#include <semaphore.h>\nint main(void) { sem_t s; sem_wait(&s); return 0; }"
    verdict = answer(program(tmp_path, text, "no-deadlock"), encoding, encoding_of(encoding).bounds(Bounds(2)))
    assert verdict.last_line() == "UNKNOWN"
    assert any("undefined memory" in str(cut) for cut in verdict.cuts)
