"""The monitor of races for the model c11: `passes/watch.py`, and what becomes of its verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest

import fsoft
from fsoft.ask.load import Options, load
from fsoft.checkers.explicit.engine import explore
from fsoft.passes.watch import CHECK, PICK, under_race_model
from fsoft.program.program import Input, Program

HEAD = """#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
int x, y; atomic_int flag; atomic_char small; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int *p;
pthread_barrier_t b, c; pthread_cond_t k = PTHREAD_COND_INITIALIZER;
"""


RACES = ("no-data-race",)


def program(folder: Path, one: str, two: str, model: str = "c11", checks: tuple[str, ...] = RACES, **options: object) -> Program:
    path = folder / "orders.c"
    path.write_text(
        f"{HEAD}void *one(void *a) {{ {one} return 0; }}\nvoid *two(void *a) {{ {two} return 0; }}\n"
        "int main(void) { pthread_t s, t; pthread_create(&s, 0, one, 0); pthread_create(&t, 0, two, 0); return 0; }\n"
    )
    return load([str(path)], Options(checks=frozenset(checks), race_model=model, **options), bits=64)  # type: ignore[arg-type]


def answer(loaded: Program) -> str:
    return under_race_model(loaded, explore(loaded))[1].last_line()


def store(order: str, value: str = "1") -> str:
    return f"atomic_store_explicit(&flag, {value}, memory_order_{order});"


def look(order: str) -> str:
    return f"if (atomic_load_explicit(&flag, memory_order_{order}))"


def test_only_where_something_orders_less(tmp_path: Path) -> None:
    assert program(tmp_path, "x = 1;" + store("seq_cst"), look("seq_cst") + " x = 2;").plain is None
    assert program(tmp_path, "x = 1;" + store("release"), look("acquire") + " x = 2;", "svcomp").plain is None
    assert program(tmp_path, "x = 1;" + store("release"), look("acquire") + " x = 2;", checks=("unreach-call",)).plain is None
    watched = program(tmp_path, "x = 1;" + store("release"), look("acquire") + " x = 2;")
    assert watched.plain is not None and watched.checks == {CHECK}


def test_a_race_is_one_in_both_models(tmp_path: Path) -> None:
    assert answer(program(tmp_path, "x = 1;" + store("relaxed"), "x = 2;")) == "FALSE(no-data-race)"


def test_the_trace_is_one_of_the_program_without_the_monitor(tmp_path: Path) -> None:
    lock = "pthread_mutex_lock(&m);"
    two = look("acquire") + f" {{ {lock} y = 1; x = 2; }}"
    watched = program(tmp_path, f"{lock} x = 1; pthread_mutex_unlock(&m); {store('relaxed')}", two)
    assert answer(watched) == "TRUE"  # the mutex orders the two
    watched = program(tmp_path, f"{lock} x = 1; {store('relaxed')} pthread_mutex_unlock(&m);", look("acquire") + " x = 2;")
    plain, verdict = under_race_model(watched, explore(watched))
    assert plain is watched.plain and verdict.last_line() == "FALSE(no-data-race)"
    assert not any(isinstance(a, Input) and a.name == PICK for t in plain.templates() for s in t.steps for a in s.actions)
    text = "\n".join(verdict.reasons)
    assert "thread 1 (one) writes x" in text and "thread 2 (two) writes x" in text and "does not happen before" in text
    assert "thread 1 (one) holds m" in text and "thread 2 (two) holds no lock" in text


def test_the_comparison_that_fails_has_an_order_of_its_own(tmp_path: Path) -> None:
    swap = "int e = 1; if ({}atomic_compare_exchange_strong_explicit(&flag, &e, 2, memory_order_{}, memory_order_{})) x = 2;"
    one = "x = 1;" + store("release")
    assert answer(program(tmp_path, one, swap.format("", "acquire", "relaxed"))) == "TRUE"
    assert answer(program(tmp_path, one, swap.format("", "relaxed", "relaxed"))) == "FALSE(no-data-race)"
    failed = "int e = 0; if (!atomic_compare_exchange_strong_explicit(&flag, &e, 2, memory_order_acquire, memory_order_{})) x = 2;"
    assert answer(program(tmp_path, one, failed.format("acquire"))) == "TRUE"
    assert answer(program(tmp_path, one, failed.format("relaxed"))) == "FALSE(no-data-race)"


def test_an_object_that_is_allocated_again_is_another_one(tmp_path: Path) -> None:
    one = "int *q = malloc(4); *q = 1; free(q);" + store("relaxed")
    assert answer(program(tmp_path, one, look("relaxed") + " { int *q = malloc(4); *q = 2; free(q); }")) == "TRUE"


def test_an_order_that_is_computed_leaves_the_question_open(tmp_path: Path) -> None:
    two = "int order = y; if (__atomic_load_n(&flag, order)) x = 2;"
    loaded = program(tmp_path, "x = 1;" + store("release"), two)
    assert loaded.plain is None and "is computed" in loaded.unwatched
    assert answer(loaded) == "UNKNOWN"


def test_races_on_other_objects_do_not_count(tmp_path: Path) -> None:
    one, two = "x = 1; y = 1;" + store("relaxed"), look("relaxed") + " { x = 2; }"
    assert answer(program(tmp_path, one, two, race_on=("y",))) == "TRUE"
    assert answer(program(tmp_path, one, two, race_on=("x",))) == "FALSE(no-data-race)"


@pytest.mark.parametrize(("engine", "define", "verdict"), [
    ("pdr", [], "TRUE"), ("pdr", ["LOAD=memory_order_relaxed"], "FALSE"), ("bmc", ["STORE=memory_order_relaxed"], "FALSE"),
])  # fmt: skip
def test_model_checkers_answer_too(engine: str, define: list[str], verdict: str) -> None:
    loaded = fsoft.load("models/orders/message.c", define=define)
    assert loaded.check("no-data-race", engine=engine, race_model="c11").verdict == verdict


PASSES = "x = 1; pthread_barrier_init(&b, 0, 1); pthread_barrier_wait(&b); pthread_barrier_destroy(&b); " + store("relaxed")


def test_conditions_are_not_ordered_by_barriers(tmp_path: Path) -> None:
    """Where both are destroyed, one word of the library says who may leave."""
    waits = "pthread_mutex_lock(&m); pthread_cond_wait(&k, &m); pthread_mutex_unlock(&m); x = 2; pthread_cond_destroy(&k);"
    loaded = program(tmp_path, PASSES, f"if (atomic_load_explicit(&flag, memory_order_relaxed)) {{ {waits} }}")
    assert answer(loaded) == "FALSE(no-data-race)"


def test_several_barriers_that_are_destroyed_are_no_proof(tmp_path: Path) -> None:
    waits = "pthread_barrier_init(&c, 0, 1); pthread_barrier_wait(&c); x = 2;"
    loaded = program(tmp_path, PASSES, f"if (atomic_load_explicit(&flag, memory_order_relaxed)) {{ {waits} }}")
    assert answer(loaded) == "UNKNOWN" and "several barriers" in loaded.unwatched
    kept = PASSES.replace("pthread_barrier_destroy(&b);", "")
    loaded = program(tmp_path, kept, f"if (atomic_load_explicit(&flag, memory_order_relaxed)) {{ {waits} }}")
    assert answer(loaded) == "FALSE(no-data-race)"
