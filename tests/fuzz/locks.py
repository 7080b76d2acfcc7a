"""Random programs about locks, for the engine lock-order: what it proves must be so. `python -m tests.fuzz.locks [COUNT [FIRST]]`.

Threads take and give back mutexes, spin locks, readers-writer locks and units of semaphores, mostly in good order; they look at shared
variables, try locks, end early, join each other. Every claim is compared with all states of the program.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from fsoft.ask.load import Options, load
from fsoft.checkers.explicit.engine import explore
from fsoft.checkers.lock_order import LockOrder
from fsoft.checkers.registry import ProgramChecker
from fsoft.program.verdict import Limits

HEAD = """#include <pthread.h>
#include <semaphore.h>
pthread_mutex_t m[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
pthread_mutex_t e = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
pthread_spinlock_t s;
sem_t u;
int x, y;
pthread_t t[3];
"""


class Generator:
    """One program."""

    def __init__(self, seed: int):
        self.chance = Random(seed)
        self.disorder = self.chance.choice((0.0, 0.0, 0.1, 0.4))

    def take(self, index: str) -> tuple[int, str, str]:
        """A lock with its place in the good order: how to take it, how to give it back."""
        k = self.chance.randrange(3)
        return self.chance.choice((
            (k, f"pthread_mutex_lock(&m[{k}]);", f"pthread_mutex_unlock(&m[{k}]);"),
            (k, f"pthread_mutex_lock(&m[{k}]);", f"pthread_mutex_unlock(&m[{k}]);"),
            (k, f"pthread_mutex_lock(&m[{index} % 3]);", f"pthread_mutex_unlock(&m[{index} % 3]);"),
            (3, "pthread_mutex_lock(&e);", "pthread_mutex_unlock(&e);"),
            (4, "pthread_rwlock_rdlock(&rw);", "pthread_rwlock_unlock(&rw);"),
            (4, "pthread_rwlock_wrlock(&rw);", "pthread_rwlock_unlock(&rw);"),
            (5, "pthread_spin_lock(&s);", "pthread_spin_unlock(&s);"),
            (6, "sem_wait(&u);", "sem_post(&u);"),
        ))  # fmt: skip

    def body(self, level: int, depth: int) -> str:
        parts = []
        for _ in range(self.chance.randrange(1, 3)):
            kind = self.chance.random()
            if kind < 0.25 or depth == 0:
                parts.append(self.plain())
            elif kind < 0.35:
                parts.append(self.tried(depth))
            elif kind < 0.42:
                parts.append(f"if ({self.chance.choice(('x', 'y', 'i == 1', 'i'))}) {{ {self.body(level, depth - 1)} }}")
            else:
                parts.append(self.locked(level, depth))
        return " ".join(parts)

    def plain(self) -> str:
        return self.chance.choice(("x++;", "y = x;", "x = 0;", "y = i;", "if (x == 2) y = 1;"))

    def tried(self, depth: int) -> str:
        k = self.chance.randrange(3)
        return f"if (!pthread_mutex_trylock(&m[{k}])) {{ {self.body(k, depth - 1)} pthread_mutex_unlock(&m[{k}]); }}"

    def locked(self, level: int, depth: int) -> str:
        for _ in range(4):
            rank, take, give = self.take(self.chance.choice(("i", "(i + 1)")))
            if rank > level or self.chance.random() < self.disorder:
                inner = self.body(rank, depth - 1)
                if self.chance.random() < 0.04:
                    give = self.chance.choice((f"if (x) {give}", f"{give} if (y) return 0;", ""))
                return f"{take} {inner} {give}"
        return "y++;"

    def program(self) -> str:
        threads = self.chance.randrange(2, 4)
        kinds = range(self.chance.randrange(1, 3))
        bodies = [f"void *f{k}(void *a) {{ int i = (int)(long)a; {self.body(-1, 3)} return 0; }}" for k in kinds]
        main = ["pthread_spin_init(&s, 0);", f"sem_init(&u, 0, {self.chance.choice((1, 1, 2, 3, 0))});", "long i = 0;"]
        main += [f"pthread_create(&t[{k}], 0, f{k % len(bodies)}, (void *){k}L);" for k in range(threads)]
        if self.chance.random() < 0.4:
            main.append(self.body(-1, 2))
        joins = [f"pthread_join(t[{k}], 0);" for k in range(threads)]
        if self.chance.random() < 0.2:
            main.append(f"pthread_mutex_lock(&m[0]); {joins[0]} pthread_mutex_unlock(&m[0]);")
            joins = joins[1:]
        main += joins if self.chance.random() < 0.8 else ["pthread_exit(0);"]
        return HEAD + "\n".join(bodies) + "\nint main(void) { " + " ".join(main) + " return 0; }\n"


@dataclass(slots=True)
class Tally:
    """How many programs are safe, how many of those were proved, and the wrong claims."""

    programs: int = 0
    safe: int = 0
    unsafe: int = 0
    proved: int = 0
    wrong: list[int] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.programs} programs: {self.safe} safe, {self.unsafe} unsafe, {self.proved} proved, wrong: {self.wrong}"


def campaign(
    first: int,
    count: int,
    states: int = 20000,
    made: Callable[[int], Generator] = Generator,
    engine: Callable[[], ProgramChecker] = LockOrder,
    prop: str = "no-deadlock",
) -> Tally:
    """What the engine claims about the programs that `made` makes of the seeds, compared with all their states."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            path = Path(folder) / "p.c"
            path.write_text(made(seed).program())
            program = load([str(path)], Options(checks=frozenset({prop})))
            claim = engine().check(program, lambda _stats: None).kind
            verdict = explore(program, limits=Limits(states=states))
            answer = verdict.kind
            tally.programs += 1
            tally.safe += answer == "TRUE"
            tally.unsafe += answer == "FALSE"
            tally.proved += claim == "TRUE"
            if claim == "TRUE" and (answer == "FALSE" or verdict.cuts):
                tally.wrong.append(seed)
    return tally


if __name__ == "__main__":
    numbers = [int(a) for a in sys.argv[1:]]
    print(campaign(numbers[1] if len(numbers) > 1 else 0, numbers[0] if numbers else 100))
