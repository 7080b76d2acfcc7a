"""Transactions as single steps: where threads meet nobody, what is joined, and the way back to the program's own steps."""

from __future__ import annotations

from pathlib import Path

import pytest

import fsoft.transactions.merge as merge
from fsoft.ask.circuits import decide
from fsoft.ask.load import load
from fsoft.checkers.explicit.engine import explore
from fsoft.por.facts import StubbornFacts
from fsoft.program.interpreter import Machine
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.program.replay import play
from fsoft.properties.confirmation import confirm_run
from fsoft.transactions import Reduction, in_steps, patterns
from fsoft.transactions.quiet import quiet_locations
from tests.por.defects import DERIVED

WITH_LOCKS = Reduction("cstub", "lock-pattern")
TEXT = """#include <pthread.h>
#include <assert.h>
void __VERIFIER_assume(int);
_Bool __VERIFIER_nondet_bool(void);
int x, y, z, cell[2];
pthread_mutex_t m, lock[2];
void *t(void *a) { int i = *(int *)a; BODY return 0; }
void *other(void *a) { OTHER return 0; }
int main(void) {
    pthread_t p[2], q;
    static int number[2];
    number[0] = __VERIFIER_nondet_bool();
    number[1] = !number[0];
    for (int k = 0; k < 2; k++) pthread_create(&p[k], 0, t, &number[k]);
    pthread_create(&q, 0, other, 0);
    for (int k = 0; k < 2; k++) pthread_join(p[k], 0);
    pthread_join(q, 0);
    assert(END);
    return 0;
}
"""
LOCKED = "pthread_mutex_lock(&m); x = x + 1; x = x + 1; pthread_mutex_unlock(&m);"
ARRAY = "pthread_mutex_lock(&lock[i]); cell[i] = cell[i] + 1; pthread_mutex_unlock(&lock[i]);"


def loaded(folder: Path, body: str, other: str = "", end: str = "1", prop: str = "unreach-call") -> Program:
    path = folder / "p.c"
    path.write_text(TEXT.replace("BODY", body).replace("OTHER", other).replace("END", end))
    return load([str(path)], Options(checks=frozenset({prop})))


def steps_of(program: Program) -> int:
    """Of the template of t."""
    return len(next(template for template in program.templates() if template.name == "t").steps)


@pytest.mark.parametrize(
    ("body", "other", "joined"),
    [
        (LOCKED, "", True),
        (LOCKED, "pthread_mutex_lock(&m); x = 0; pthread_mutex_unlock(&m);", True),
        (LOCKED, "pthread_mutex_lock(&lock[0]); x = 0; pthread_mutex_unlock(&lock[0]);", False),  # another lock
        (LOCKED, "if (pthread_mutex_trylock(&m)) x = 0; else pthread_mutex_unlock(&m);", False),  # without having it
        (ARRAY, "", True),
        (ARRAY, "pthread_mutex_lock(&lock[1]); cell[1] = 0; pthread_mutex_unlock(&lock[1]);", True),
        (ARRAY, "pthread_mutex_lock(&lock[0]); cell[1] = 0; pthread_mutex_unlock(&lock[0]);", False),  # not the lock of that cell
        ("x = x + 1; x = x + 1;", "", False),
    ],
)
def test_what_becomes_one_step(tmp_path: Path, body: str, other: str, joined: bool) -> None:
    """The accesses between lock and unlock join the lock, if all others to the same cells need that lock."""
    program = loaded(tmp_path, body, other)
    made = WITH_LOCKS.merged(program)
    assert (steps_of(made) <= steps_of(program) - 4) == joined
    assert explore(made, reduce=False).last_line() == explore(program, reduce=False).last_line()


def test_without_locks_there_is_nothing_to_join(tmp_path: Path) -> None:
    program = loaded(tmp_path, LOCKED)
    assert steps_of(Reduction("cstub", "none").merged(program)) == steps_of(program)
    assert Reduction().merged(program) is program
    assert Reduction("cstub", "lock-pattern", merge=False).merged(program) is program


def test_a_derived_lock_joins_steps_too(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(DERIVED.replace("STATEMENT", "").replace("assert(x == 4);", ""))
    program = load([str(path)], Options())
    quiet = quiet_locations(StubbornFacts(program, patterns("lock-pattern")))["t"]
    reads = {step.source for step in program.templates()[1].steps if step.text.startswith("x = x + 1")}
    assert reads and reads <= quiet


def test_a_run_of_joined_steps_is_one_of_the_program(tmp_path: Path) -> None:
    again = LOCKED.replace("pthread_mutex_unlock", "assert(x < 8); pthread_mutex_unlock")
    program = loaded(tmp_path, f"{again} {again}")
    made = WITH_LOCKS.merged(program)
    found = explore(made, reduce=False)
    moves = in_steps(made, found.trace)
    assert len(moves) > len(found.trace)
    assert confirm_run(program, moves, "unreach-call", found.stats).last_line() == "FALSE(unreach-call)"
    verdict = decide(program, "bmc", reduction=WITH_LOCKS)
    assert verdict.last_line() == "FALSE(unreach-call)"
    assert len(play(Machine(program, compiled=False), verdict.trace)) > verdict.stats.depth


def test_a_loop_in_a_critical_section_is_not_taken_for_one_step(tmp_path: Path) -> None:
    """The thread turns for ever; the other one still comes to its assertion."""
    program = loaded(tmp_path, "pthread_mutex_lock(&m); while (x == 0) y = x; pthread_mutex_unlock(&m);", "z = 1; assert(z == 0);")
    assert explore(WITH_LOCKS.merged(program), reduce=False).last_line() == "FALSE(unreach-call)"


STOPS = "pthread_mutex_lock(&lock[i]); z = 1; cell[i] = 1; __VERIFIER_assume(cell[i] == 2); cell[i] = 0; pthread_mutex_unlock(&lock[i]);"


def test_who_stops_inside_keeps_nobody_from_going_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others see what was done before the stop. Unlocking is marked as one piece, in which stopping would end the run."""
    program = loaded(tmp_path, STOPS, "assert(z == 0);")
    assert any(tag.kind == "atomic" for template in program.templates() for step in template.steps for tag in step.tags)
    assert explore(WITH_LOCKS.merged(program), reduce=False).last_line() == "FALSE(unreach-call)"
    monkeypatch.setattr(merge._Merging, "_fits", lambda *_: True)
    assert explore(WITH_LOCKS.merged(program), reduce=False).last_line() == "TRUE"


def test_joined_accesses_are_in_no_race(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = loaded(tmp_path, LOCKED, prop="no-data-race")
    assert explore(WITH_LOCKS.merged(program), reduce=False).last_line() == "TRUE"
    monkeypatch.setattr(merge, "_without_race", lambda action: action)
    assert explore(WITH_LOCKS.merged(program), reduce=False).last_line() == "FALSE(no-data-race)"


def test_what_is_one_piece_hides_no_race(tmp_path: Path) -> None:
    """Unlocking is marked as one piece, whose accesses are atomic: that of x, which may race, is not part of it."""
    body = "pthread_mutex_lock(&lock[i]); x = 0; if (cell[i] < 2) cell[i]++; pthread_mutex_unlock(&lock[i]);"
    program = loaded(tmp_path, body, prop="no-data-race")
    assert explore(program, reduce=False).last_line() == "FALSE(no-data-race)"
    assert explore(WITH_LOCKS.merged(program), reduce=False).last_line() == "FALSE(no-data-race)"
    assert decide(program, "bmc", reduction=WITH_LOCKS).last_line() == "FALSE(no-data-race)"


@pytest.mark.parametrize(("other", "prop"), [("y = x;", "no-data-race"), ("pthread_mutex_lock(&m); while (1) ;", "no-deadlock")])
def test_what_is_wrong_stays_wrong(tmp_path: Path, other: str, prop: str) -> None:
    program = loaded(tmp_path, LOCKED, other, prop=prop)
    expected = explore(program, reduce=False).last_line()
    assert explore(WITH_LOCKS.merged(program), reduce=False).last_line() == expected
    assert decide(program, "bmc", reduction=WITH_LOCKS, depth=30).last_line() in (expected, "UNKNOWN")
