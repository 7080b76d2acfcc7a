"""Random programs with memory orders, for the race model c11: `python -m tests.fuzz.orders [COUNT [FIRST]]`.

The verdict of the engine explicit on the Program with its monitor (`passes/watch.py`) is compared with what the definition
(`properties/happens_before.py`) says about every run of the Program without it.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

from fsoft.ask.load import Options, load
from fsoft.checkers.explicit.engine import explore
from fsoft.passes.watch import under_race_model
from fsoft.program.interpreter import Machine
from fsoft.program.program import Program
from fsoft.program.state import Access
from fsoft.program.verdict import Move
from fsoft.properties.happens_before import HappensBefore
from fsoft.properties.races import _race

HEAD = """#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
int x;
atomic_int a, b;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
sem_t u;
"""
LOADS = ("relaxed", "acquire", "consume", "seq_cst")
STORES = ("relaxed", "release", "seq_cst")
UPDATES = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")
MOST_RUNS = 400


class Generator:
    """One program."""

    def __init__(self, seed: int):
        self.chance = Random(seed)

    def order(self, among: tuple[str, ...]) -> str:
        return f"memory_order_{self.chance.choice(among)}"

    def plain(self) -> str:
        return self.chance.choice(("x = 1;", "r = x;", "x++;"))

    def signal(self) -> str:
        """Something that may tell another thread."""
        cell = self.chance.choice("aaab")
        return self.chance.choice((
            f"atomic_store_explicit(&{cell}, 1, {self.order(STORES)});",
            f"atomic_store_explicit(&{cell}, 1, {self.order(STORES)});",
            f"atomic_fetch_add_explicit(&{cell}, 1, {self.order(UPDATES)});",
            f"atomic_thread_fence({self.order(UPDATES)}); atomic_store_explicit(&{cell}, 1, memory_order_relaxed);",
            "sem_post(&u);",
        ))  # fmt: skip

    def heard(self) -> str:
        """A plain access for whoever was told."""
        cell, then = self.chance.choice("aaab"), self.plain()
        swap = f"atomic_compare_exchange_strong_explicit(&{cell}, &e, 2, {self.order(UPDATES)}, {self.order(LOADS)})"
        return self.chance.choice((
            f"if (atomic_load_explicit(&{cell}, {self.order(LOADS)})) {then}",
            f"if (atomic_load_explicit(&{cell}, {self.order(LOADS)})) {{ atomic_thread_fence({self.order(UPDATES)}); {then} }}",
            f"if (atomic_exchange_explicit(&{cell}, 0, {self.order(UPDATES)})) {then}",
            f"{{ int e = 1; if ({swap}) {then} }}",
            f"if (pthread_mutex_trylock(&m)) {then}",
            f"if (sem_trywait(&u) == 0) {then}",
        ))  # fmt: skip

    def guarded(self) -> str:
        lock, unlock = self.chance.choice((
            ("pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"),
            ("pthread_rwlock_rdlock(&rw);", "pthread_rwlock_unlock(&rw);"),
            ("pthread_rwlock_wrlock(&rw);", "pthread_rwlock_unlock(&rw);"),
        ))  # fmt: skip
        return f"{lock} {self.chance.choice((self.plain(), self.heard()))} {unlock}"

    def thread(self, first: bool) -> str:
        kind = self.chance.random()
        if kind < 0.25:
            return f"{self.guarded()} {self.signal() if first else self.heard()}"
        return f"x = 1; {self.signal()}" if first else self.heard()

    def text(self) -> str:
        middle = self.chance.random() < 0.2
        mine, *others = [self.thread(True), self.thread(False), *([self.signal()] if middle else [])]
        parts = [f"void *t{k}(void *arg) {{ int r; {body} return 0; }}" for k, body in enumerate(others)]
        start = " ".join(f"pthread_create(&t, 0, t{k}, 0);" for k in range(len(others)))
        return HEAD + "\n".join(parts) + f"\nint main(void) {{ pthread_t t; int r; sem_init(&u, 0, 0); {start} {mine} return 0; }}\n"


class _Judge(HappensBefore):
    """Notices a race when its second access is made."""

    found = False

    def made(self, slot: int, access: Access) -> None:
        self.found = self.found or self.unordered({slot: [access]}, _race) is not None
        super().made(slot, access)


def runs(program: Program) -> Iterator[list[Move]]:
    """All runs, each to its end."""
    machine = Machine(program)
    stack = [(machine.initial(), list[Move]())]
    while stack:
        state, moves = stack.pop()
        enabled = machine.enabled(state)
        if not enabled:
            yield moves
        for slot, step in enabled:
            for choices, after, _ in machine.successors(state, slot, step):
                stack.append((after, [*moves, Move(slot, step, choices)]))


def by_definition(program: Program) -> str | None:
    """The verdict on races that the definition gives; None if there are too many runs."""
    for count, moves in enumerate(runs(program)):
        if count == MOST_RUNS:
            return None
        judge = _Judge(Machine(program, compiled=False))
        judge.follow(moves)
        if judge.found:
            return "FALSE(no-data-race)"
    return "TRUE"


def compare(seed: int, folder: str) -> tuple[str | None, str]:
    """What the definition says, and what the engine says."""
    path = Path(folder) / f"orders{seed}.c"
    path.write_text(Generator(seed).text())
    program = load([str(path)], Options(checks=frozenset({"no-data-race"}), race_model="c11"), bits=64)
    _, verdict = under_race_model(program, explore(program))
    return by_definition(program.plain or program), verdict.last_line()


def main(argv: list[str]) -> int:
    count, first = (int(argv[0]) if argv else 100), (int(argv[1]) if len(argv) > 1 else 0)
    seen: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            right, answer = compare(seed, folder)
            seen[str(right)] += 1
            if right is not None and right != answer:
                print(f"seed {seed}: {answer}, by definition {right}\n{Generator(seed).text()}")
                return 1
    print(f"{count} programs agree: {dict(seen)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
