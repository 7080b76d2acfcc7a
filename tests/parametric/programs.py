"""Small programs that create threads without end, and proofs about them."""

from __future__ import annotations

import time
from pathlib import Path

from fsoft.ask.load import load
from fsoft.parametric import NoProof, Proof, System, prove, refuted, system_of
from fsoft.program.options import Options
from fsoft.program.program import Program

HEAD = """#include <pthread.h>
#include <assert.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __VERIFIER_assume(int);
int x, y;
unsigned long who;
int *place;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
"""
FOREVER = "pthread_t t; while (1) pthread_create(&t, 0, worker, 0);"
STATES = 2000


def text(worker: str, main: str = FOREVER) -> str:
    return f"{HEAD}void *worker(void *a) {{ {worker} return 0; }}\nint main(void) {{ {main} return 0; }}\n"


LOCKED = text("pthread_mutex_lock(&m); x = 1; x = 0; assert(x == 0); pthread_mutex_unlock(&m);")
"""Right for any number of threads, wrong without the lock."""

UNLOCKED = text("x = 1; x = 0; assert(x == 0);")
"""Wrong with two threads of one kind, right with one."""

NAMED = text("unsigned long seen = who; if (seen) assert(seen != (unsigned long)pthread_self()); who = (unsigned long)pthread_self();",
             "pthread_t t; who = 5; while (1) pthread_create(&t, 0, worker, 0);")  # fmt: skip
"""Wrong, because 5 may be the number of a thread."""

PLACED = text("int mine = 1; if (place) assert(place == &mine); place = &mine;")
"""Wrong with two threads: each has a place of its own."""


def program_of(folder: Path, source: str) -> Program:
    path = folder / "p.c"
    path.write_text(source)
    return load([str(path)], Options(unbounded=True))


def system_in(folder: Path, source: str) -> System:
    return system_of(program_of(folder, source))


def attempt(system: System) -> Proof | NoProof:
    return prove(system, time.monotonic() + 300, states=STATES)


def proved(folder: Path, source: str) -> bool:
    """Whether there is a proof that the judge accepts."""
    system = system_in(folder, source)
    found = attempt(system)
    return isinstance(found, Proof) and refuted(system, found.clauses) is None


__all__ = ["FOREVER", "LOCKED", "NAMED", "PLACED", "UNLOCKED", "attempt", "program_of", "proved", "system_in", "text"]
