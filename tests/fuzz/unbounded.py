"""Random small programs that create threads without end, and the test of proofs for any number of threads on them.

Whatever the engine `parametric` calls TRUE, by invariants or by counting, must have no violation with two, three or four threads at each
creation: the plain explorer says so. Every third program is asked about data races.
`python -m tests.fuzz.unbounded --count 300` is the campaign; tests take a slice.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from fsoft.ask.load import load
from fsoft.checkers.explicit.engine import explore
from fsoft.parametric import Counted, NotCovered, Proof, count, prove, refuted, system_of, uncovered
from fsoft.parametric.proving import EFFORTS
from fsoft.program.options import Options
from fsoft.program.verdict import Limits
from fsoft.solve.sat import SolverTimeout

HEAD = """#include <pthread.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __VERIFIER_assume(int);
int __VERIFIER_nondet_bool(void);
void reach_error(void);
#define assert(e) if (!(e)) reach_error()
int x, y, z, taken, many;
unsigned long who;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
__thread int mine;
"""
TAKE = "__VERIFIER_assume(!taken); taken = 1;"
ENTER = "__VERIFIER_atomic_begin(); __VERIFIER_assume(many < 2); many++; __VERIFIER_atomic_end();"
LEAVE = "__VERIFIER_atomic_begin(); many--; __VERIFIER_atomic_end();"
STEPS, RACES = frozenset({"unreach-call"}), frozenset({"no-data-race"})
LIMITS = Limits(seconds=20, states=60_000)


class Generator:
    """One program per seed: one or two start routines of a few statements, most of them under some kind of lock."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)

    def value(self) -> str:
        return self.random.choice(("0", "1", "2", "x", "y", "z", "l", "(x + 1) & 3", "(l + 1) & 3", "(y + z) & 3", "x ^ 1", "mine"))

    def condition(self) -> str:
        tests = ("x == y", "l == x", "x", "!y", "z != l", "l < 2", "x <= y", "z == 1", "__VERIFIER_nondet_bool()", "mine")
        return self.random.choice(tests)

    def statement(self, depth: int = 0) -> str:
        pick = self.random.random()
        if pick < 0.35:
            return f"{self.random.choice(('x', 'y', 'z', 'l', 'mine'))} = {self.value()};"
        if pick < 0.5:
            return f"assert({self.condition()});"
        if pick < 0.6 and depth < 2:
            return f"if ({self.condition()}) {{ {self.block(depth + 1, 2)} }}"
        if pick < 0.66:
            return "who = pthread_self();"
        if pick < 0.72:
            return f"assert({self.random.choice(('!', ''))}pthread_equal(who, pthread_self()));"
        return self.section(depth) if depth < 2 else "l = l ^ 1;"

    def section(self, depth: int) -> str:
        body = self.block(depth + 1, 3)
        return self.random.choice((
            f"pthread_mutex_lock(&m); {body} pthread_mutex_unlock(&m);",
            f"__VERIFIER_atomic_begin(); {body} __VERIFIER_atomic_end();",
            f"__VERIFIER_atomic_begin(); {TAKE} __VERIFIER_atomic_end(); {body} taken = 0;",
            f"{ENTER} {body} {LEAVE}",
        ))  # fmt: skip

    def block(self, depth: int = 0, most: int = 4) -> str:
        return " ".join(self.statement(depth) for _ in range(self.random.randint(1, most)))

    def careful(self) -> str:
        """A critical section with an assertion that often holds."""
        return self.section(1) + " " + self.random.choice((
            "pthread_mutex_lock(&m); l = x; x = x ^ 1; assert(x != l); x = l; pthread_mutex_unlock(&m);",
            f"__VERIFIER_atomic_begin(); {TAKE} __VERIFIER_atomic_end(); z = 1; assert(z == 1); z = 0; taken = 0;",
            "pthread_mutex_lock(&m); who = pthread_self(); assert(pthread_equal(who, pthread_self())); pthread_mutex_unlock(&m);",
            "__VERIFIER_atomic_begin(); l = y; y = (y + 1) & 3; assert(l != y); __VERIFIER_atomic_end();",
            f"{ENTER} l = many; assert(l <= 2); {LEAVE}",
            f"{ENTER} x = x + 1; assert(many); {LEAVE}",
        ))  # fmt: skip

    def program(self) -> str:
        names = ["first", "second"][: self.random.choice((1, 1, 2))]
        lines = [HEAD]
        for name in names:
            body = self.careful() if self.random.random() < 0.6 else self.block()
            lines.append(f"void *{name}(void *a) {{ int l = 0; {body} return 0; }}")
        once = f"pthread_create(&t, 0, {names[0]}, 0); " if len(names) == 2 else ""
        before = self.random.choice(("", "x = 1; ", "y = x; z = 2; "))
        lines.append(f"int main(void) {{ pthread_t t; int l = 0; {before}{once}while (1) pthread_create(&t, 0, {names[-1]}, 0); }}")
        return "\n".join(lines) + "\n"


@dataclass(slots=True)
class Tally:
    programs: int = 0
    proved: int = 0
    counted: int = 0
    violated: int = 0
    not_covered: int = 0
    wrong: list[str] = field(default_factory=list)

    def line(self) -> str:
        right = f"{self.programs} programs: {self.proved} proved, {self.counted} by counting"
        return f"{right}, {self.violated} of the others violated, {self.not_covered} not covered, {len(self.wrong)} wrong"


def proved(path: Path, checks: frozenset[str] = STEPS, states: int = 3000, seconds: float = 60) -> bool | None:
    """Whether there is a certified proof for any number of threads; None if the program is not covered."""
    program, deadline = load([str(path)], Options(unbounded=True, checks=checks)), time.monotonic() + seconds
    try:
        found = prove(system_of(program), deadline, states=states, efforts=EFFORTS[:2])
        return isinstance(found, Proof) and refuted(system_of(program), found.clauses, deadline) is None
    except NotCovered:
        return None
    except SolverTimeout:
        return False


def counted(path: Path, states: int = 500) -> bool:
    """Whether there is a certified proof by counting."""
    program, deadline = load([str(path)], Options(unbounded=True)), time.monotonic() + 60
    try:
        found = count(system_of(program), deadline, states=(states,))
        return isinstance(found, Counted) and uncovered(system_of(program), found.states) is None
    except (NotCovered, SolverTimeout):
        return False


def violated(path: Path, threads: int, checks: frozenset[str] = STEPS) -> bool:
    return explore(load([str(path)], Options(threads=threads, checks=checks)), limits=LIMITS).kind == "FALSE"


def campaign(seeds: range, most: int = 3, counting_only: bool = False) -> Tally:
    """Proofs against all runs with up to `most` threads."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.c"
        for seed in seeds:
            path.write_text(Generator(seed).program())
            tally.programs += 1
            checks = RACES if seed % 3 == 2 and not counting_only else STEPS
            answer, by_counting = (None if counting_only else proved(path, checks)), checks == STEPS and counted(path)
            tally.not_covered += answer is None and not counting_only
            tally.counted += by_counting
            answer = answer or by_counting
            tally.proved += answer is True
            numbers = range(2, most + 1) if answer else (2,)
            bad = any(violated(path, threads, checks) for threads in numbers)
            tally.violated += bad and not answer
            if bad and answer:
                tally.wrong.append(f"seed {seed}")
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--most", type=int, default=4)
    parser.add_argument("--counting", action="store_true", help="ask for proofs by counting only")
    args = parser.parse_args()
    tally = campaign(range(args.first, args.first + args.count), args.most, args.counting)
    print(tally.line(), *tally.wrong, sep="\n")
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
