"""Races, deadlocks and leaks in the circuit: the same as the monitors of the explorer, state by state and verdict by verdict."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fsoft.ask.circuits import decide
from fsoft.ask.load import Options, load
from fsoft.circuit.encode.encoding import encode
from fsoft.circuit.encode.lift import Answers, Lifter, LiftWalk
from fsoft.circuit.model.simulate import evaluate_all
from fsoft.program.expr import postorder
from fsoft.program.interpreter import Machine
from fsoft.program.replay import observe
from fsoft.properties import MONITORS
from tests.models.table import Row, rows

STATES, IDLE = 40, 15  # looked at for each program; frames without a move that end a run


def chosen(prop: str, every: int) -> list[Row]:
    found = [row for row in rows() if row.prop == prop and not row.options and not row.program.startswith(("deadlocks/", "races/"))]
    return found[::every]


def compare_states(row: Row, rng: random.Random) -> tuple[int, int]:
    """Random runs; how many states were looked at and how many of them are bad. Circuit and monitor must agree on each."""
    program = load([str(row.path)], Options(checks=frozenset({row.prop})), bits=row.bits, define=row.defines)
    encoding = encode(program)
    lifter, monitor, bad = Lifter(encoding), MONITORS[row.prop](), encoding.model.bad[row.prop]
    exact = not any(name.startswith(("in.", "other.")) for name in bad.reads)
    order, plain = postorder((bad,)), Machine(program, compiled=False)
    looked = found = 0
    while looked < STATES:
        walk, idle = LiftWalk(lifter, {name: rng.getrandbits(width) for name, width in encoding.model.states.items()}), 0
        while idle < IDLE and looked < STATES and not walk.lost:
            given = {name: rng.getrandbits(rng.choice((width, min(width, 2)))) for name, width in encoding.model.inputs.items()}
            frame = {**walk.values, **given}
            answers = Answers(encoding, plain, frame)
            ours = bool(evaluate_all(order, frame)[bad])
            theirs = monitor.state(observe(plain, walk.state, answers)) is not None
            assert ours == theirs or (theirs and not exact) or answers.undefined, f"{row.name}: circuit {ours}, monitor {theirs}"
            looked, found = looked + 1, found + theirs
            idle = 0 if walk.advance(given) is not None else idle + 1
    return looked, found


@pytest.mark.parametrize(("prop", "every"), [("no-data-race", 5), ("no-deadlock", 4)])
def test_states_agree_with_the_monitors(prop: str, every: int) -> None:
    total = bad = 0
    for row in chosen(prop, every):
        looked, found = compare_states(row, random.Random(row.name))
        total, bad = total + looked, bad + found
    assert total > 500 and bad > 5


PREFIX = "#include <pthread.h>\n#include <stdlib.h>\n#include <semaphore.h>\n"
PREFIX += "int __VERIFIER_nondet_int(void);\n_Bool __VERIFIER_nondet_bool(void);\n"
TWO = "int main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0); "
JOIN = "pthread_join(a, 0); pthread_join(b, 0); "
LOCKS = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER; int x, y, a[4];\n"


def body(one: str, two: str, end: str = JOIN) -> str:
    return f"{PREFIX}{LOCKS}void *f(void *p) {{ {one} return 0; }} void *g(void *p) {{ {two} return 0; }} {TWO}{end}return 0; }}"


ORDER = ("pthread_mutex_lock(&m); pthread_mutex_lock(&n); x++; pthread_mutex_unlock(&n); pthread_mutex_unlock(&m);",
         "pthread_mutex_lock(&n); pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); pthread_mutex_unlock(&n);")  # fmt: skip
WIDE = "unsigned i = __VERIFIER_nondet_int(); if (i < 4) a[i] = 1;"

CASES = {
    "lock order": ("no-deadlock", body(*ORDER), "FALSE(no-deadlock)"),
    "same order": ("no-deadlock", body(ORDER[0], ORDER[0]), "TRUE"),
    "main returns": ("no-deadlock", body("sem_t s; sem_init(&s, 0, 0); sem_wait(&s);", "x = 1;", ""), "TRUE"),
    "main waits for a waiting thread": ("no-deadlock", body("sem_t s; sem_init(&s, 0, 0); sem_wait(&s);", "x = 1;"), "FALSE(no-deadlock)"),
    "inputs choose the cell": ("no-data-race", body(WIDE, WIDE), "FALSE(no-data-race)"),
    "neighbours": ("no-data-race", body("a[0] = 1; a[1] = 2;", "a[2] = 1; a[3] = a[2];"), "TRUE"),
    "locked": ("no-data-race", body(ORDER[0], ORDER[0]), "TRUE"),
    "read and free": ("no-data-race", body("int *q = malloc(4); *q = 1; free(q);", "x = 1;"), "TRUE"),
    "leak": ("valid-memtrack", body("int *q = malloc(4); *q = 1;", "x = 1;"), "FALSE(valid-memtrack)"),
    "freed": ("valid-memtrack", body("int *q = malloc(4); *q = 1; free(q);", "x = 1;"), "TRUE"),
    "kept": ("valid-memtrack", PREFIX + "struct n { struct n *next; } *head; int main(void) { head = malloc(sizeof *head); "
             "head->next = malloc(sizeof *head); head->next->next = 0; return 0; }", "TRUE"),
    "cut off": ("valid-memtrack", PREFIX + "struct n { struct n *next; } *head; int main(void) { head = malloc(sizeof *head); "
                "head->next = malloc(sizeof *head); if (__VERIFIER_nondet_bool()) head->next = 0; return 0; }", "FALSE(valid-memtrack)"),
}  # fmt: skip


QUESTIONS = [(name, engine) for name in CASES for engine in ("bmc", "pdr") if engine == "pdr" or CASES[name][2] != "TRUE"]


@pytest.mark.parametrize(("name", "engine"), QUESTIONS)
def test_engines_answer(name: str, engine: str, tmp_path: Path) -> None:
    prop, text, expected = CASES[name]
    path = tmp_path / "p.c"
    path.write_text(text)
    verdict = decide(load([str(path)], Options(checks=frozenset({prop}))), engine)
    assert verdict.last_line() == expected
    assert verdict.kind != "FALSE" or verdict.trace
