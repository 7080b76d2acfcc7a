"""Random small concurrent programs, and the comparison of every way fsoft has to answer about them.

The explicit explorer without any reduction on the unfolded program is the oracle. Everything else (folding, one copy per
function, the explorer's own reduction, circuits under each engine) must agree wherever it decides.
`python -m tests.fuzz.concurrent --count 500` is the campaign; tests take a slice.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from fsoft.api import load
from fsoft.program.explorer import Limits
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.properties import explore

HEAD = """#include <pthread.h>
#include <semaphore.h>
#include <assert.h>
_Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_assume(int);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int x, y, z;
struct { int pad; pthread_mutex_t lock[2]; } locks;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
sem_t sem;
_Atomic int shared;
"""
MUTEX = ("&locks.lock[0]", "&locks.lock[1]")
LIMITS = Limits(seconds=10, states=40_000)


BLOCKING = (7, 8, 8, 10, 12, 16, 20, 21)  # statements that wait; the last two keep what they took


class Generator:
    """One program per seed: up to three threads of a few statements each. `blocking`: most of them wait for something, so that
    deadlocks are not rare."""

    def __init__(self, seed: int, blocking: bool = False):
        self.random = random.Random(seed)
        self.blocking = blocking
        self.fresh = 0

    def expression(self) -> str:
        pick = self.random
        return pick.choice(("0", "1", "2", "x", "y", "z", "x + 1", "y + z", "shared", "x == y", "z < 2", "!x", "(y & 1)"))

    def condition(self) -> str:
        return self.random.choice(("x", "y == 1", "z < 2", "x != y", "__VERIFIER_nondet_bool()", "shared > 0", "x && y", "!z || y"))

    def simple(self) -> str:
        pick = self.random
        target = pick.choice("xyz")
        return pick.choice((
            f"{target} = {self.expression()};", f"{target} = {self.expression()};", f"if (z < 3) {target}++;",
            "shared++;", "__sync_fetch_and_add(&x, 1);", f"__sync_bool_compare_and_swap(&y, 0, {pick.randint(1, 2)});",
        ))  # fmt: skip

    def statement(self, depth: int) -> str:
        pick = self.random
        kind = pick.randrange(20) if depth > 0 else pick.randrange(4)
        if self.blocking and depth > 0 and pick.random() < 0.6:
            kind = pick.choice(BLOCKING)
        if kind < 4:
            return self.simple()
        inner = " ".join(self.statement(depth - 1) for _ in range(pick.randint(1, 2)))
        lock = pick.choice(MUTEX)
        self.fresh += 1
        k = f"k{self.fresh}"
        return {
            4: f"if ({self.condition()}) {{ {inner} }}",
            5: f"if ({self.condition()}) {{ {inner} }} else {{ {self.simple()} }}",
            6: f"for (int {k} = 0; {k} < 2; {k}++) {{ {self.simple()} }}",
            7: f"pthread_mutex_lock({lock}); {inner} pthread_mutex_unlock({lock});",
            8: f"pthread_mutex_lock({lock}); {inner} pthread_mutex_unlock({lock});",
            9: f"if (pthread_mutex_trylock({lock}) == 0) {{ {inner} pthread_mutex_unlock({lock}); }}",
            10: f"pthread_mutex_lock({MUTEX[0]}); while (!{pick.choice('xy')}) pthread_cond_wait(&cond, {MUTEX[0]}); {self.simple()} "
                f"pthread_mutex_unlock({MUTEX[0]});",
            11: f"pthread_mutex_lock({MUTEX[0]}); {pick.choice('xy')} = 1; pthread_cond_{pick.choice(('signal', 'broadcast'))}(&cond); "
                f"pthread_mutex_unlock({MUTEX[0]});",
            12: f"sem_wait(&sem); {inner} sem_post(&sem);",
            13: f"__VERIFIER_atomic_begin(); {inner} __VERIFIER_atomic_end();" if "create" not in inner else inner,
            14: f"__VERIFIER_assume({self.condition()});",
            15: f"assert({self.claim()});",
            16: f"pthread_rwlock_{pick.choice(('rdlock', 'wrlock'))}(&rw); {inner} pthread_rwlock_unlock(&rw);",
            17: f"{{ int {k} = {self.expression()}; {self.simple()} x = {k}; }}",
            18: f"while (x == 3) {{ {self.simple()} }}",
            20: f"pthread_mutex_lock({lock}); {inner}",
            21: f"sem_wait(&sem); {inner}",
            19: f"{{ pthread_t {k}; pthread_create(&{k}, 0, helper, 0); {self.simple()} pthread_join({k}, 0); }}",
        }[kind]  # fmt: skip

    def claim(self) -> str:
        pick = self.random
        return pick.choice((f"x <= {pick.randint(0, 3)}", f"y != {pick.randint(0, 3)}", f"x + y < {pick.randint(1, 5)}", "z >= 0 || x",
                            f"shared <= {pick.randint(0, 2)}", "x == 0 || y == 0"))  # fmt: skip

    def program(self) -> str:
        pick = self.random
        bodies = [" ".join(self.statement(2) for _ in range(pick.randint(1, 3))) for _ in range(2)]
        lines = [HEAD, "void *helper(void *a) { z = z ^ 1; return 0; }"]
        lines += [f"void *t{k}(void *a) {{ {body} return 0; }}" for k, body in enumerate(bodies)]
        if pick.random() < 0.3:
            create = "pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, t0, 0);"
        else:
            create = "pthread_t t[2]; pthread_create(&t[0], 0, t0, 0); pthread_create(&t[1], 0, t1, 0);"
        join = "pthread_join(t[0], 0); pthread_join(t[1], 0);" if pick.random() < 0.7 else ""
        start = f"sem_init(&sem, 0, {pick.randint(0, 2)});"
        lines.append(f"int main(void) {{ {start} {create} {self.simple()} {join} assert({self.claim()}); return 0; }}")
        return "\n".join(lines) + "\n"


@dataclass
class Tally:
    """What a campaign has seen. `tags` counts programs with each step tag."""

    programs: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    tags: Counter[str] = field(default_factory=Counter)
    decided: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        out = [f"{self.programs} programs: {dict(sorted(self.verdicts.items()))}"]
        out.append("tags: " + ", ".join(f"{t} {n}" for t, n in sorted(self.tags.items())))
        out += [f"{way}: decided {self.decided[way]}/{self.asked[way]}" for way in sorted(self.asked)]
        return [*out, *self.wrong]


Way = Callable[[Path], str]


def _options(checks: frozenset[str], **changes: object) -> Options:
    return replace(Options(checks=checks), **changes)  # type: ignore[arg-type]


def _explored(program: Program, reduce: bool) -> str:
    return explore(program, reduce=reduce, limits=LIMITS).last_line()


def program_ways(checks: frozenset[str]) -> dict[str, Way]:
    """Ways to an answer that read the Program. The first is the oracle."""
    return {
        "oracle": lambda p: _explored(load([str(p)], _options(checks, fold=False)), False),
        "fold": lambda p: _explored(load([str(p)], _options(checks)), False),
        "fold, reduced": lambda p: _explored(load([str(p)], _options(checks)), True),
        "once": lambda p: _explored(load([str(p)], _options(checks, calls="once")), True),
    }


def circuit_way(engine: str, seconds: float, checks: frozenset[str] = frozenset({"unreach-call"})) -> Way:
    """The answer of a model engine on the circuit."""

    def way(path: Path) -> str:
        from fsoft.decide import decide

        return decide(load([str(path)], _options(checks)), engine, timeout=seconds).last_line()

    return way


def campaign(seeds: Iterator[int], checks: frozenset[str], more: dict[str, Way], deadline: float = float("inf")) -> Tally:
    """Compare all ways on the programs of the seeds."""
    tally = Tally()
    ways = {**program_ways(checks), **more}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.c"
        for seed in seeds:
            if time.monotonic() > deadline:
                break
            path.write_text(Generator(seed, blocking="no-deadlock" in checks).program())
            _one(seed, path, ways, tally)
    return tally


def _one(seed: int, path: Path, ways: dict[str, Way], tally: Tally) -> None:
    tally.programs += 1
    program = load([str(path)], Options())
    tally.tags.update({t.kind for template in program.templates() for s in template.steps for t in s.tags})
    expected = ways["oracle"](path)
    tally.verdicts[expected] += 1
    for name, way in ways.items():
        got = expected if name == "oracle" else way(path)
        tally.asked[name] += 1
        tally.decided[name] += got != "UNKNOWN"
        if "UNKNOWN" not in (got, expected) and got != expected:
            tally.wrong.append(f"seed {seed}: {name} says {got}, the oracle {expected}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--check", default="unreach-call")
    parser.add_argument("--engine", action="append", default=[])
    arguments = parser.parse_args()
    checks = frozenset({arguments.check})
    more = {engine: circuit_way(engine, 20, checks) for engine in arguments.engine}
    seeds = iter(range(arguments.first, arguments.first + arguments.count))
    tally = campaign(seeds, checks, more)
    print("\n".join(tally.lines()))
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
