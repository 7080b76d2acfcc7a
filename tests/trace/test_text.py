"""Traces and single runs as a person reads them."""

from __future__ import annotations

from fsoft.program.expr import own
from fsoft.program.interpreter import Machine
from fsoft.program.program import Alloc, Check, Free, Input, Load, Object, Program, Run, Store
from fsoft.program.run import random_run, scheduled_run
from fsoft.properties import explore
from fsoft.trace import text_of_trace
from tests.program.build import Builder, c, is_, isnt


def program() -> Program:
    b = Builder()
    x = b.object("x", 4, (Run(0, 4, 4, 1, "", True, "int"),))
    p = b.object("p", 4, (Run(0, 4, 4, 1, "", False, "int *"),))
    pool = b.pool(1, 8)
    t = b.template("main", a=32)
    t.step(0, 1, Store(x, c(-5), 4), text="x = -5;")
    t.step(1, 2, Store(p, x, 4), text="p = &x;")
    t.step(2, 3, Input("a", "nondet()", None, signed=True), text="a = nondet();")
    t.step(3, 4, Alloc("_t", c(8), pool), text="free(malloc(8));")
    t.step(4, 5, Free(t["_t"]), text="free(malloc(8));")
    t.step(5, 6, Check(isnt(t["a"], 0xFFFFFFFF), "unreach-call", "a != -1"), text="assert(a != -1);")
    t.registers["_t"].symbol = ""
    return b.program(("main", t))


def test_a_trace_names_places_statements_changes_inputs_and_the_failure() -> None:
    verdict = explore(program())
    assert verdict.last_line() == "FALSE(unreach-call)"
    assert text_of_trace(program(), verdict.trace).splitlines() == [
        "0 main  main.c:1  x = -5;           x: 0 -> -5",
        "0 main  main.c:2  p = &x;           p: NULL -> &x",
        "0 main  main.c:3  a = nondet();     nondet() = -1; a: 0 -> -1",
        "0 main  main.c:4  free(malloc(8));  heap0.0: unused -> allocated",
        "0 main  main.c:5  free(malloc(8));  heap0.0: alive -> freed",
        "0 main  main.c:6  assert(a != -1);  unreach-call: a != -1",
    ]


def two_threads() -> Program:
    b = Builder()
    x = b.variable("x")
    t = b.template("t", a=32)
    t.store(0, 1, x, own("self", 32))
    t.load(1, 2, "a", x)
    t.check(2, 3, is_(t["a"], 1))
    return b.program(("one", t), ("two", t))


def test_a_schedule_decides_who_moves() -> None:
    machine = Machine(two_threads())
    run = scheduled_run(machine, [1, 0, 0, 0, 1, 1])
    assert [move.slot for move in run.moves] == [1, 0, 0, 0, 1, 1] and run.why == "finished"
    run = scheduled_run(machine, [0, 1, 0, 0])
    assert run.why == "violated" and [move.slot for move in run.moves] == [0, 1, 0, 0]


def test_a_random_run_depends_on_its_seed_alone() -> None:
    machine, plain = Machine(two_threads()), Machine(two_threads(), compiled=False)
    runs = [random_run(machine, seed) for seed in range(12)]
    assert [random_run(plain, seed).moves for seed in range(12)] == [run.moves for run in runs]
    assert {run.why for run in runs} == {"violated"} or len({tuple(run.moves) for run in runs}) > 1


def test_runs_take_inputs_and_stop_at_limits_and_deadlocks() -> None:
    machine = Machine(program())
    assert scheduled_run(machine, [], inputs=[-1]).why == "violated"
    assert scheduled_run(machine, [], inputs=[4]).why == "finished"
    assert random_run(machine, 1, limit=2).why == "limit"
    b = Builder()
    x = b.variable("x", 1)
    t = b.template("main")
    t.goto(0, 1)
    t.lock(1, 2, x)
    assert scheduled_run(Machine(b.program(("main", t))), []).why == "deadlock"


def test_fsofts_own_objects_are_left_out() -> None:
    b = Builder()
    x = b.variable("__hidden", storage="system")
    t = b.template("main")
    t.store(0, 1, x, c(1))
    t.load(1, 2, "_t", x)
    made = b.program(("main", t))
    assert isinstance(made.objects[1], Object)
    moves = scheduled_run(Machine(made), []).moves
    assert "__hidden" not in text_of_trace(made, moves)
    assert isinstance(made.threads[0].template.steps[1].actions[0], Load)
