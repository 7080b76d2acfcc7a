"""The circuit does what the interpreter does: random runs of the circuits of `models/`, step by step, on words and on bits."""

from __future__ import annotations

import random
import time
from collections import defaultdict
from itertools import pairwise

import pytest

from fsoft.ask.load import Options, load
from fsoft.circuit.bits import pack, unpack
from fsoft.circuit.bits.bitblast import bitblast
from fsoft.circuit.bits.simulate import Simulator
from fsoft.circuit.encode.encoding import ProgramCircuit, encode
from fsoft.circuit.encode.lift import Lifter, LiftWalk, random_walk
from fsoft.circuit.encode.scheduler import ContextScheduler, FixedScheduler, RoundsScheduler, Scheduler
from fsoft.program.program import Program
from tests.models.table import Row, rows

STATE_PROPERTIES = ("no-data-race", "no-deadlock", "valid-memtrack")  # test_states.py has those
SECONDS = 0.2  # for the runs of one program
RUNS, STEPS = 40, 60


def chosen() -> dict[str, list[Row]]:
    """One row of every program, by folder; which variant it is varies."""
    by_program: dict[str, list[Row]] = defaultdict(list)
    for row in rows():
        if row.prop not in STATE_PROPERTIES and not row.options:
            by_program[row.program].append(row)
    folders: dict[str, list[Row]] = defaultdict(list)
    for number, (program, choices) in enumerate(by_program.items()):
        folders[program.split("/")[0]].append(choices[number % len(choices)])
    return folders


CHOSEN = chosen()


def program_of(row: Row) -> Program:
    return load([str(row.path)], Options(checks=frozenset({row.prop})), bits=row.bits, define=row.defines)


@pytest.mark.parametrize("folder", CHOSEN)
def test_random_runs_agree_with_the_interpreter(folder: str) -> None:
    moves = 0
    for row in CHOSEN[folder]:
        lifter, rng = Lifter(encode(program_of(row))), random.Random(row.name)
        end = time.monotonic() + SECONDS
        for _ in range(RUNS):
            moves += random_walk(lifter, rng, STEPS)
            if time.monotonic() > end:
                break
    assert moves > 20 * len(CHOSEN[folder]), "the runs are too short to say anything"


@pytest.mark.parametrize("name", ["mutex/peterson.c", "heap/treiber.c", "memory/union_bytes.c", "sync/barrier.c", "probes/floats.c"])
def test_bits_agree_with_words(name: str) -> None:
    row = next(row for row in rows() if row.program == name and row.prop not in STATE_PROPERTIES)
    encoding = encode(program_of(row))
    bits, lifter, rng = bitblast(encoding.model), Lifter(encoding), random.Random(name)
    watch = [*bits.next, *bits.targets().values()]
    simulator = Simulator(bits.aig, watch, 1)
    for _ in range(5):
        initial = {name: rng.getrandbits(width) for name, width in encoding.model.states.items()}
        walk = LiftWalk(lifter, initial)
        for _ in range(30):
            given = {name: rng.getrandbits(rng.choice((width, min(2, width)))) for name, width in encoding.model.inputs.items()}
            for literal, value in zip(bits.latches, unpack(bits.latch_words, walk.values)):
                simulator.set(literal, value)
            for literal, value in zip(bits.inputs, unpack(bits.input_words, given)):
                simulator.set(literal, value)
            simulator.run()
            walk.advance(given)
            assert pack(bits.latch_words, (simulator.get(x) for x in bits.next)) == walk.values


# ---------------------------------------------------------------- cases that once went wrong, or easily could


def encoded(text: str, tmp_path: object, checks: str = "unreach-call", scheduler: Scheduler | None = None) -> ProgramCircuit:
    path = f"{tmp_path}/in.c"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return encode(load([path], Options(checks=frozenset(checks.split()))), scheduler)


def walks(encoding: ProgramCircuit, runs: int = 30, steps: int = 40) -> int:
    lifter, rng = Lifter(encoding), random.Random(7)
    return sum(random_walk(lifter, rng, steps) for _ in range(runs))


PREFIX = """#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
int __VERIFIER_nondet_int(void);
"""

CASES = {
    "a local that is born and read in one step": "int main(void) { int x; int *p = &x; int y = *p; assert(y == *p); return y; }",
    "heap memory read before it is written": "int main(void) { int *p = malloc(4); assert(*p == *p); *p = 1; free(p);"
    " p = malloc(4); return *p; }",
    "a narrow read inside a wide cell": "struct s { int a, b; long long c; } v[2]; int main(void) { int i = __VERIFIER_nondet_int() & 7;"
    " return *(int *)((char *)v + 4 * i); }",
    "bytes of a wide cell": "int x; int main(void) { unsigned i = __VERIFIER_nondet_int() & 3; ((char *)&x)[i] = 5; return x; }",
    "a store across cells": "char c[8]; int main(void) { int i = __VERIFIER_nondet_int() & 3; *(int *)(c + i) = 0x01020304; return c[4]; }",
    "names that the circuit uses itself": "int over, schedule, which; void *f(void *a) { over++; return 0; } int main(void) { pthread_t t;"
    " pthread_create(&t, 0, f, 0); which = over; schedule = which; pthread_join(t, 0); return schedule; }",
    "two objects of one name": "int f(void) { static int x; return ++x; } int g(void) { static int x; return x += 2; }"
    " int main(void) { return f() + g(); }",
    "division and shifts by anything": "int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();"
    " unsigned u = x; return x / y + x % y + (u << (y & 31)) + (x >> (y & 31)) + u / (unsigned)y; }",
    "a loop over an array": "int a[5], s; int main(void) { for (int i = 0; i < 5; i++) { a[i] = i * i; s += a[i]; } assert(s == 30);"
    " return 0; }",
    "a heap object of any size": "int main(void) { unsigned n = __VERIFIER_nondet_int() & 31; char *p = malloc(n); p[n / 2] = 1;"
    " free(p); return 0; }",
    "an integer that spells an address": "int x, y; int main(void) { int *p = (int *)__VERIFIER_nondet_int(); y = 3; return p ? *p : 0; }",
    "a multiplication that wraps": "struct s { int a, b, c; } v[3]; int main(void) { return v[__VERIFIER_nondet_int()].b; }",
    "memory that is copied": "struct s { int a; char b[5]; } x, y; int main(void) { x.a = 3; x.b[2] = 'c'; memcpy(&y, &x, sizeof x);"
    " return y.b[2]; }",
}


@pytest.mark.parametrize("checks", ["unreach-call", "unreach-call valid-deref valid-free no-overflow"])
@pytest.mark.parametrize("name", CASES)
def test_case(name: str, checks: str, tmp_path: object) -> None:
    assert walks(encoded(PREFIX + CASES[name], tmp_path, checks)) > 0


TWO = (
    PREFIX
    + """int x; void *f(void *a) { x++; x++; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x += 4; return 0; }
"""
)


@pytest.mark.parametrize(
    "scheduler", [ContextScheduler(2), RoundsScheduler(2), FixedScheduler((0, 0, 1, 0, 1))], ids=lambda s: type(s).__name__
)
def test_schedulers_run_the_same_program(scheduler: Scheduler, tmp_path: object) -> None:
    encoding = encoded(TWO, tmp_path, scheduler=scheduler)
    assert walks(encoding) > 0


def test_a_given_schedule_is_followed(tmp_path: object) -> None:
    encoding = encoded(TWO, tmp_path, scheduler=FixedScheduler((0, 0, 1, 0, 1)))
    walk = LiftWalk(Lifter(encoding), {})
    moves = [walk.advance({}) for _ in range(10)]
    assert [move.slot for move in moves if move is not None] == [0, 0, 1, 0, 1]


def test_contexts_are_counted(tmp_path: object) -> None:
    encoding = encoded(TWO, tmp_path, scheduler=ContextScheduler(2))
    lifter, rng = Lifter(encoding), random.Random(3)
    for _ in range(50):
        walk = LiftWalk(lifter, {})
        order = []
        for _ in range(40):
            move = walk.advance({name: rng.getrandbits(width) for name, width in encoding.model.inputs.items()})
            order += [move.slot] if move is not None else []
        assert sum(a != b for a, b in pairwise(order)) <= 1


def test_encoding_twice_gives_the_same_model(tmp_path: object) -> None:
    first, second = encoded(TWO, tmp_path), encoded(TWO, tmp_path)
    assert list(first.model.states.items()) == list(second.model.states.items())
    assert all(first.model.next[name] is second.model.next[name] for name in first.model.states)
    assert first.model.bad == second.model.bad and list(first.model.bounds) == list(second.model.bounds)
