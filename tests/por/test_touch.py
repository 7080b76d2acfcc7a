"""What threads may touch: philosopher i touches forks i and i + 1, readers of the facts agree, descriptors of threads about to start."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.analysis.actions import members
from fsoft.ask.load import load
from fsoft.por.facts import StubbornFacts
from fsoft.por.stubborn import Stubborn
from fsoft.program.options import Options
from fsoft.transactions import patterns
from tests.por.states import chosen, conflict, run_to

PHILOSOPHERS = """#include <pthread.h>
#define N 4
pthread_mutex_t fork_of[N];
void *philosopher(void *a) {
    int i = (int)(long)a;
    while (1) {
        pthread_mutex_lock(&fork_of[i]);
        pthread_mutex_lock(&fork_of[i == N - 1 ? 0 : i + 1]);
        pthread_mutex_unlock(&fork_of[i == N - 1 ? 0 : i + 1]);
        pthread_mutex_unlock(&fork_of[i]);
    }
    return 0;
}
int main(void) {
    pthread_t t[N];
    for (long i = 0; i < N; i++) pthread_create(&t[i], 0, philosopher, (void *)i);
    pthread_join(t[0], 0);
    return 0;
}
"""


def loaded(folder: Path, text: str, kind: str = "none") -> StubbornFacts:
    path = folder / "p.c"
    path.write_text(text)
    return StubbornFacts(load([str(path)], Options(), bits=32), patterns(kind))


@pytest.mark.parametrize("line", [0, 8])
def test_a_philosopher_touches_two_forks(tmp_path: Path, line: int) -> None:
    """Before the first step, when the argument is in the descriptor, and later, when it is in a register."""
    facts = loaded(tmp_path, PHILOSOPHERS)
    choice = Stubborn(facts)
    v = run_to(facts.program, dict.fromkeys((1, 3), line) if line else {})
    place = next(p for p in facts.layout.places if p is not None and p.object.name == "fork_of")
    cells = {place.base + cell.number: cell.offset // 24 for cell in place.cells}
    for slot in (1, 3):
        touched = 0
        for _, reads, writes, _ in choice.present(v, slot).later:
            touched |= reads | writes
        assert {cells[n] for n in members(touched) if n in cells} == {slot - 1, slot % 4}


def test_the_forks_are_reliable_locks(tmp_path: Path) -> None:
    assert loaded(tmp_path, PHILOSOPHERS).locks.bit_count() == 4


def test_philosophers_that_share_no_fork_are_independent(tmp_path: Path) -> None:
    """Thread 1 about to take fork 1, thread 3 fork 3, and thread 2 may take fork 1."""
    facts = loaded(tmp_path, PHILOSOPHERS, "lock-pattern")
    choice = Stubborn(facts)
    v = run_to(facts.program, {1: 8, 3: 8})
    assert conflict(facts.program, choice, v, 1, 2)
    assert not conflict(facts.program, choice, v, 1, 3)


def test_the_first_step_of_a_thread_is_alone(tmp_path: Path) -> None:
    """Nobody touches the descriptor of a thread that is about to start."""
    facts = loaded(tmp_path, PHILOSOPHERS)
    v = run_to(facts.program, {})
    assert all(v[facts.layout.pc[slot]] == 0 for slot in (1, 2, 3, 4))
    assert len(chosen(facts.program, Stubborn(facts), v)) == 1


@pytest.mark.parametrize(
    ("unlocking", "reliable"),
    [
        ("pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m);", 1),
        ("if (pthread_mutex_trylock(&m) == 0) pthread_mutex_unlock(&m);", 1),
        ("x = 1; pthread_mutex_unlock(&m);", 0),
        ("pthread_mutex_init(&m, 0);", 0),
        ("if (x) pthread_mutex_lock(&m); pthread_mutex_unlock(&m);", 0),
        ("pthread_mutex_trylock(&m); pthread_mutex_unlock(&m);", 0),
        ("*(int *)((char *)&m + x) = 0;", 0),
    ],
)
def test_which_locks_are_reliable(tmp_path: Path, unlocking: str, reliable: int) -> None:
    """A lock counts only if nobody changes it without owning it."""
    text = f"""#include <pthread.h>
int x;
pthread_mutex_t m;
void *t(void *a) {{ pthread_mutex_lock(&m); x = 2; pthread_mutex_unlock(&m); return 0; }}
void *u(void *a) {{ {unlocking} return 0; }}
int main(void) {{ pthread_t p, q; pthread_create(&p, 0, t, 0); pthread_create(&q, 0, u, 0); return 0; }}
"""
    assert loaded(tmp_path, text).locks.bit_count() == reliable
