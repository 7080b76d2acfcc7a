"""Random small concurrent programs, and the comparison of every way fsoft has to answer about them.

The explicit explorer without any reduction on the unfolded program is the oracle. Everything else (folding, one copy per
function, the explorer's own reduction, circuits under each engine) must agree wherever it decides.
`python -m tests.fuzz.concurrent --count 500` is the campaign over Programs, and `python -m tests.fuzz.concurrent --small --engine all
--each 2 --count 2000` the one over engines on circuits; tests take slices. What is printed begins with the mix of the programs.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from fsoft.ask.load import load
from fsoft.checkers.explicit.engine import explore
from fsoft.checkers.registry import model_engines
from fsoft.program.options import Options
from fsoft.program.program import Alloc, Free, Program
from fsoft.program.verdict import Limits

HEAD = """#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <assert.h>
_Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_assume(int);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int x, y, z, *cell;
struct { int pad; pthread_mutex_t lock[2]; } locks;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
pthread_once_t once = PTHREAD_ONCE_INIT;
pthread_barrier_t barrier;
sem_t sem;
_Atomic int shared;
void setup(void) { y = 2; }
void *helper(void *a) { z = z ^ 1; return 0; }
"""
MUTEX = ("&locks.lock[0]", "&locks.lock[1]")
LIMITS = Limits(seconds=10, states=40_000)
TAGS = (
    "acquire", "arrive", "atomic", "barrier", "broadcast", "cancel", "create", "destroy", "detach", "exit", "init", "join", "once", "post",
    "rdlock", "release", "rwunlock", "section", "semwait", "signal", "spurious", "start", "try", "update", "wait", "wake", "wrlock",
)  # fmt: skip
"""What a step can be marked with, but for `marker`, which stands for an approximation."""
FEATURES = ("alloc", "free", "loop")
"""What has no tag: heap memory, and loops that stay loops in the Program."""


class Generator:
    """One program per seed: up to three threads of a few statements each; `small` ones have fewer. `blocking`: most of them wait for
    something, so that deadlocks are not rare. `bounded`: every loop ends, so that unwinding can cover all runs."""

    def __init__(self, seed: int, small: bool = False, blocking: bool = False, bounded: bool = False):
        self.random = random.Random(seed)
        self.small, self.blocking, self.bounded = small, blocking, bounded
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
        if depth == 0 or self.random.random() < 0.05:
            return self.simple()
        inner = " ".join(self.statement(depth - 1) for _ in range(self.random.randint(1, 1 if self.small else 2)))
        self.fresh += 1
        kinds = [self.control, self.locking, self.locking, self.waiting, self.waiting, self.threads, self.memory]
        if self.blocking and self.random.random() < 0.6:
            kinds = [self.locking, self.waiting, self.keeping]
        return self.random.choice(kinds)(inner, f"k{self.fresh}")

    def keeping(self, inner: str, k: str) -> str:
        """Takes and does not give back."""
        return self.random.choice((f"pthread_mutex_lock({self.random.choice(MUTEX)}); {inner}", f"sem_wait(&sem); {inner}"))

    def control(self, inner: str, k: str) -> str:
        return self.random.choice((
            f"if ({self.condition()}) {{ {inner} }}",
            f"if ({self.condition()}) {{ {inner} }} else {{ {self.simple()} }}",
            f"for (int {k} = 0; {k} < 2; {k}++) {{ {self.simple()} }}",
            f"{self.loop('x == 3', k)} {{ {self.simple()} }}",
            f"__VERIFIER_assume({self.condition()});",
            f"assert({self.claim()});",
        ))  # fmt: skip

    def loop(self, condition: str, k: str) -> str:
        """The head of a loop that goes on while the condition holds."""
        return f"for (int {k} = 0; {k} < 2 && ({condition}); {k}++)" if self.bounded else f"while ({condition})"

    def locking(self, inner: str, k: str) -> str:
        pick = self.random
        lock = pick.choice(MUTEX)
        return pick.choice((
            f"pthread_mutex_lock({lock}); {inner} pthread_mutex_unlock({lock});",
            f"if (pthread_mutex_trylock({lock}) == 0) {{ {inner} pthread_mutex_unlock({lock}); }}",
            f"pthread_rwlock_rdlock(&rw); {inner} pthread_rwlock_unlock(&rw);",
            f"pthread_rwlock_wrlock(&rw); {inner} pthread_rwlock_unlock(&rw);",
            f"__VERIFIER_atomic_begin(); {inner} __VERIFIER_atomic_end();" if "create" not in inner else inner,
        ))  # fmt: skip

    def waiting(self, inner: str, k: str) -> str:
        pick, lock = self.random, MUTEX[0]
        until = self.loop(f"!{pick.choice('xy')}", k)
        return pick.choice((
            f"pthread_mutex_lock({lock}); {until} pthread_cond_wait(&cond, {lock}); {self.simple()} "
            f"pthread_mutex_unlock({lock});",
            f"pthread_mutex_lock({lock}); {pick.choice('xy')} = 1; pthread_cond_signal(&cond); pthread_mutex_unlock({lock});",
            f"pthread_mutex_lock({lock}); {pick.choice('xy')} = 1; pthread_cond_broadcast(&cond); pthread_mutex_unlock({lock});",
            f"pthread_cond_broadcast(&cond); {inner}",
            f"sem_wait(&sem); {inner} sem_post(&sem);",
            f"{self.simple()} pthread_barrier_wait(&barrier); {self.simple()}",
            f"pthread_once(&once, setup); {inner}",
        ))  # fmt: skip

    def threads(self, inner: str, k: str) -> str:
        start = f"pthread_t {k}; pthread_create(&{k}, 0, helper, 0);"
        return self.random.choice((
            f"{{ {start} {self.simple()} pthread_join({k}, 0); }}",
            f"{{ {start} pthread_detach({k}); {self.simple()} }}",
            f"{{ {start} pthread_cancel({k}); pthread_join({k}, 0); }}",
        ))  # fmt: skip

    def memory(self, inner: str, k: str) -> str:
        return self.random.choice((
            f"{{ int {k} = {self.expression()}; {self.simple()} x = {k}; }}",
            f"{{ int *{k} = malloc(sizeof(int)); *{k} = {self.expression()}; {self.simple()} x = *{k}; free({k}); }}",
            f"*cell = {self.expression()}; x = *cell;",
        ))  # fmt: skip

    def claim(self) -> str:
        pick = self.random
        return pick.choice((f"x <= {pick.randint(0, 2)}", f"y != {pick.randint(0, 2)}", f"x + y < {pick.randint(1, 3)}", "z == 0",
                            f"shared <= {pick.randint(0, 1)}", "x == 0 || y == 0"))  # fmt: skip

    def program(self) -> str:
        pick = self.random
        most, depth = ((1, 2), 1) if self.small else ((3, 3), 2)
        bodies = [" ".join(self.statement(depth) for _ in range(pick.randint(1, n))) for n in most]
        lines = [HEAD]
        lines += [f"void *t{k}(void *a) {{ {body} return 0; }}" for k, body in enumerate(bodies)]
        if pick.random() < 0.3:
            create = "pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, t0, 0);"
        else:
            create = "pthread_t t[2]; pthread_create(&t[0], 0, t0, 0); pthread_create(&t[1], 0, t1, 0);"
        join = "pthread_join(t[0], 0); pthread_join(t[1], 0);" if pick.random() < 0.7 else ""
        if join and pick.random() < 0.2:
            join += f" pthread_mutex_destroy({MUTEX[1]});"
        lines.append(f"int main(void) {{ {self.start(bodies)} {create} {self.simple()} {join} assert({self.claim()}); return 0; }}")
        return "\n".join(lines) + "\n"

    def start(self, bodies: list[str]) -> str:
        """What main sets up of what the threads use."""
        text, parts = " ".join(bodies), []
        if "sem_" in text:
            parts.append(f"sem_init(&sem, 0, {self.random.randint(0, 2)});")
        if "barrier" in text:
            parts.append("pthread_barrier_init(&barrier, 0, 2);")
        if "cell" in text:
            parts.append("cell = malloc(sizeof(int)); *cell = 0;")
        return " ".join(parts)


@dataclass
class Tally:
    """What a campaign has seen. `tags` counts programs with each step tag."""

    programs: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    tags: Counter[str] = field(default_factory=Counter)
    decided: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    wrong: list[str] = field(default_factory=list)

    def violated(self) -> float:
        """The part of the programs that have the error."""
        return sum(n for verdict, n in self.verdicts.items() if verdict.startswith("FALSE")) / max(1, self.programs)

    def lines(self) -> list[str]:
        out = [f"{self.programs} programs: {dict(sorted(self.verdicts.items()))}"]
        out.append(f"FALSE: {self.violated():.0%}; programs with each tag: " + ", ".join(f"{t} {n}" for t, n in sorted(self.tags.items())))
        rare = [name for name in (*TAGS, *FEATURES) if self.tags[name] * 20 < self.programs]
        out += [f"in less than 5%: {', '.join(rare)}"] if rare else []
        out += [f"{way}: decided {self.decided[way]}/{self.asked[way]}, {self.seconds[way]:.1f} CPU s" for way in sorted(self.asked)]
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


QUICK: dict[str, dict[str, Any]] = {
    "bmc": {"depth": 14, "complete": False}, "kinduction": {"depth": 10}, "smt": {"depth": 10, "induct": False}, "bdd": {"nodes": 60_000},
    "portfolio": {"engines": ("pdr", "kinduction")}, "simulation": {"work": 4_000_000},
}  # fmt: skip
"""Limits on the work of engines that would otherwise search on until the time is up."""

ASSERTIONS = frozenset({"unreach-call"})


def circuit_way(engine: str, seconds: float, quick: bool = False, checks: frozenset[str] = ASSERTIONS) -> Way:
    """The answer of a model engine on the circuit."""

    def way(path: Path) -> str:
        from fsoft.ask.circuits import decide

        options = QUICK.get(engine, {}) if quick else {}
        return decide(_loaded(path.read_text(), path, checks), engine, timeout=seconds, **options).last_line()

    return way


@lru_cache(maxsize=1)
def _loaded(text: str, path: Path, checks: frozenset[str]) -> Program:
    """The program that the circuits are made of; `text` is what is in the file now."""
    return load([str(path)], _options(checks))


def campaign(
    seeds: Iterator[int], checks: frozenset[str], more: dict[str, Way], deadline: float = math.inf, *, small: bool = False, each: int = 0
) -> Tally:
    """Compare ways on the programs of the seeds: all of them, or, if `each` is given, the oracle and that many of `more` in turn."""
    tally = Tally()
    names = list(more)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.c"
        for number, seed in enumerate(seeds):
            if time.monotonic() > deadline:
                break
            path.write_text(Generator(seed, small, "no-deadlock" in checks).program())
            ways = program_ways(checks)
            if each:
                turn = [names[(number * each + k) % len(names)] for k in range(each)]
                ways = {"oracle": ways["oracle"], **{name: more[name] for name in turn}}
            else:
                ways.update(more)
            compare(seed, path, ways, tally)
    return tally


def features(program: Program) -> set[str]:
    """The tags of its steps, and what else it has of FEATURES."""
    found = {tag.kind for template in program.templates() for step in template.steps for tag in step.tags}
    actions = {type(action) for template in program.templates() for step in template.steps for action in step.actions}
    found |= {name for name, kind in (("alloc", Alloc), ("free", Free)) if kind in actions}
    back = any(0 < step.target <= step.source for template in program.templates() for step in template.steps)
    return found | ({"loop"} if back else set())


def compare(seed: int, path: Path, ways: dict[str, Way], tally: Tally) -> None:
    """Ask about the program in the file in all ways; the first is the oracle."""
    tally.programs += 1
    tally.tags.update(features(_loaded(path.read_text(), path, ASSERTIONS)))
    start = _cpu()
    expected = ways["oracle"](path)
    tally.seconds["oracle"] += _cpu() - start
    tally.verdicts[expected] += 1
    for name, way in ways.items():
        start = _cpu()
        got = expected if name == "oracle" else way(path)
        tally.seconds[name] += _cpu() - start
        tally.asked[name] += 1
        tally.decided[name] += got != "UNKNOWN"
        if "UNKNOWN" not in (got, expected) and got != expected:
            tally.wrong.append(f"seed {seed}: {name} says {got}, the oracle {expected}")


def _cpu() -> float:
    """CPU seconds of this process and of the children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def available_engines() -> list[str]:
    """The engines that take a Model and can be used here."""
    return [name for name, entry in model_engines().items() if entry.missing() is None and not entry.stateless]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--check", default="unreach-call")
    parser.add_argument("--engine", action="append", default=[], help="compare this one too (all: every engine on circuits)")
    parser.add_argument("--each", type=int, default=0, help="only the oracle and so many engines per program, in turn")
    parser.add_argument("--small", action="store_true", help="smaller programs")
    parser.add_argument("--quick", action="store_true", help="engines stop early, as in the tests")
    parser.add_argument("--seconds", type=float, default=20, help="for an engine on a program")
    arguments = parser.parse_args()
    engines = available_engines() if "all" in arguments.engine else arguments.engine
    checks = frozenset({arguments.check})
    more = {engine: circuit_way(engine, arguments.seconds, arguments.quick, checks) for engine in engines}
    seeds = iter(range(arguments.first, arguments.first + arguments.count))
    tally = campaign(seeds, checks, more, small=arguments.small, each=min(arguments.each, len(more)))
    print("\n".join(tally.lines()))
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
