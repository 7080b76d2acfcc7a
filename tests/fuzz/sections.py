"""Random programs of what is rare elsewhere, and all ways to an answer about them: `python -m tests.fuzz.sections --count 300`.

Atomic sections that have loops, wait, halt, allocate or create inside; steps that wait after they have done something; pointers that
change in loops; memory that only one thread has when the process ends. Each program is asked about one property, in turn. The oracle
is the explorer without any reduction on the unfolded program; explorers with reductions, every bounded encoding (its variants in turn),
`schedule` and `paths` must agree wherever they decide. Prints asked and decided by way, and the seeds of what does not agree.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterable
from functools import cache, partial
from pathlib import Path

from fsoft.ask.encodings import answer
from fsoft.ask.load import load
from fsoft.bounded.schedule import ScheduleBounds
from fsoft.checkers.explicit.engine import explore
from fsoft.passes.bounds import Bounds
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.program.verdict import InternalError, Limits
from fsoft.search.paths import PathsBounds
from tests.bounded.campaign import VARIANTS, grown, in_time
from tests.fuzz.concurrent import Generator, Tally, Way, compare

LIMITS = Limits(seconds=5, states=10_000)
SECONDS = 2.0
HEAD = """#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <assert.h>
_Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_assume(int);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int x, y, z, a[2], *g;
_Thread_local int *own;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
sem_t sem;
void *helper(void *arg) { z = 1; return 0; }
"""


AT_RISK = {
    "unreach-call": ("assert(!x);", "assert(y < 1);", "assert(x == y);", "x = 2;", "y = x + 1;"),
    "no-data-race": ("x = 1;", "y = x;", "a[0] = z;"),
    "no-deadlock": ("pthread_mutex_lock(&m); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); pthread_mutex_unlock(&m);",
                    "pthread_mutex_lock(&n); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&n);",
                    "sem_wait(&sem);", "pthread_mutex_lock(&m);"),
    "valid-memtrack": ("g = malloc(4);", "g = 0;", "own = malloc(4);", "own = 0;"),
    "valid-deref": ("if (g) *g = 1;", "g = malloc(4);", "free(g); g = 0;", "if (x || y) *g = 1;", "y = 1;", "own = g; if (own) *own = 1;"),
}  # fmt: skip
"""What makes violations of a property more likely."""
CHECKS = tuple(AT_RISK)


class Sections(Generator):
    """One program per seed: two threads and main, a statement or two each; many may violate the property."""

    def __init__(self, seed: int, check: str):
        super().__init__(seed)
        self.at_risk = AT_RISK[check]

    def piece(self) -> str:
        """What may stand in a section, or anywhere."""
        pick, v = self.random, self.random.choice("xyz")
        if pick.random() < 0.4:
            return pick.choice(self.at_risk)
        self.fresh += 1
        k = f"k{self.fresh}"
        return pick.choice((
            f"{v} = {pick.randint(0, 2)};", f"{v} = {self.value()};", f"a[__VERIFIER_nondet_bool()] = {self.value()};",
            f"for (int {k} = 0; {k} < 1 + (x & 1); {k}++) a[{k}] = {k};",
            f"for (int {k} = 0; {k} < 2 && y; {k}++) {v} = {k};",
            f"{{ int *{k} = __VERIFIER_nondet_bool() ? &x : &y; for (int i = 0; i < 2; i++) {{ *{k} = i; {k} = &z; }} }}",
            "sem_post(&sem); sem_wait(&sem);", "sem_wait(&sem);", "sem_post(&sem);",
            f"pthread_mutex_lock(&m); {v} = 1; pthread_mutex_unlock(&m);", "pthread_mutex_lock(&n);", "pthread_mutex_unlock(&n);",
            f"__VERIFIER_assume({v} == {pick.randint(0, 1)});", f"assert({v} < {pick.randint(1, 2)});", f"if ({v}) exit(0);",
            f"if ({v}) pthread_exit(0);", "own = malloc(4); free(own);", "g = malloc(4);", "free(g); g = 0;", "own = g; g = 0; g = own;",
            f"{{ pthread_t {k}; pthread_create(&{k}, 0, helper, 0); pthread_join({k}, 0); }}",
        ))  # fmt: skip

    def value(self) -> str:
        return self.random.choice(("x", "y", "z", "a[0]", "a[x & 1]", "1", "x + 1"))

    def whole(self) -> str:
        """Pieces, as they are or in a section."""
        pick = self.random
        inner = " ".join(self.piece() for _ in range(pick.randint(1, 3)))
        if pick.random() < 0.5 and "pthread_exit" not in inner:  # no thread may end inside
            inner = f"__VERIFIER_atomic_begin(); {inner} __VERIFIER_atomic_end();"
        return pick.choice((inner, inner, inner, f"if (__VERIFIER_nondet_bool()) {{ {inner} }}"))

    def program(self) -> str:
        pick = self.random
        bodies = [self.whole(), " ".join(self.whole() for _ in range(pick.randint(1, 2)))]
        threads = [f"void *t{k}(void *arg) {{ {body} return 0; }}" for k, body in enumerate(bodies)]
        start = f"sem_init(&sem, 0, {pick.randint(0, 1)}); pthread_t s, t; pthread_create(&s, 0, t0, 0); pthread_create(&t, 0, t1, 0);"
        end = pick.choice(("pthread_join(s, 0); pthread_join(t, 0);", "pthread_join(t, 0);", "", self.whole()))
        return "\n".join([HEAD, *threads, f"int main(void) {{ {start} {end} assert(x < 2); return 0; }}", ""])


def ways(checks: frozenset[str], seed: int, seconds: float) -> dict[str, Way]:
    """Ways to an answer, the oracle first; the seed chooses the variants."""
    turn = seed // len(CHECKS)
    por = ("none", "sleep", "persistent", "source")[turn % 4]
    asked: dict[str, Callable[[Program], str]] = {
        variant: partial(grown, variant) for variant in (of_one[turn % len(of_one)] for of_one in VARIANTS)
    }
    asked["schedule"] = lambda program: answer(program, "schedule", ScheduleBounds(Bounds(3))).last_line()
    asked[f"paths {por}"] = lambda program: answer(program, "paths", PathsBounds(Bounds(3), por=por)).last_line()
    asked["folded"] = lambda program: explore(program, limits=LIMITS).last_line()

    def oracle(path: Path) -> str:
        return explore(load([str(path)], Options(checks=checks, fold=False)), reduce=False, limits=LIMITS).last_line()

    @cache
    def folded(path: Path) -> Program:
        return load([str(path)], Options(checks=checks))

    def way(question: Callable[[Program], str], path: Path) -> str:
        program = folded(path)
        try:
            return in_time(seconds, lambda: question(program))
        except InternalError as error:
            return f"internal error: {error}"

    return {"oracle": oracle, **{name: partial(way, question) for name, question in asked.items()}}


def campaign(seeds: Iterable[int], seconds: float = SECONDS, check: str = "") -> Tally:
    """All ways, on the programs of the seeds."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.c"
        for seed in seeds:
            asked = check or CHECKS[seed % len(CHECKS)]
            path.write_text(Sections(seed, asked).program())
            compare(seed, path, ways(frozenset({asked}), seed, seconds), tally)
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--check", default="", choices=("", *CHECKS), help="ask all programs about this property")
    args = parser.parse_args()
    tally = campaign(range(args.first, args.first + args.count), args.seconds, args.check)
    print("\n".join(tally.lines()))
    return int(bool(tally.wrong))


if __name__ == "__main__":
    sys.exit(main())
