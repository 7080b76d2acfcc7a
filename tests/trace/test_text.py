"""Traces and single runs as a person reads them."""

from __future__ import annotations

from pathlib import Path

from fsoft.ask.load import load
from fsoft.checkers.explicit.engine import explore
from fsoft.program.expr import own
from fsoft.program.interpreter import Machine
from fsoft.program.program import Alloc, CellRun, Check, Free, Input, Load, Object, Program, Store
from fsoft.program.run import random_run, scheduled_run
from fsoft.trace import Line, Story, Style, shortened, tell, text_of_story, text_of_trace
from fsoft.trace.text import Folded, folded
from tests.program.build import Builder, c, is_, isnt
from tests.trace.programs import LOST, judged


def program() -> Program:
    b = Builder()
    x = b.object("x", 4, (CellRun(0, 4, 4, 1, "", True, "int"),))
    p = b.object("p", 4, (CellRun(0, 4, 4, 1, "", False, "int *"),))
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


# ---------------------------------------------------------------- stories as text


def lost(folder: Path) -> Story:
    program, verdict = judged(LOST, "unreach-call", folder)
    verdict = shortened(program, verdict)
    return tell(program, verdict.trace, prop="unreach-call")


def test_a_wide_terminal_gets_a_column_per_thread(tmp_path: Path) -> None:
    lines = text_of_story(lost(tmp_path), Style(width=130)).splitlines()
    head = lines[0]
    assert [name in head for name in ("0 main", "1 deposit", "2 withdraw", "what happens")] == [True] * 4
    starts = {slot: head.index(name) for slot, name in enumerate(("0 main", "1 deposit", "2 withdraw"))}
    write = next(line for line in lines if "balance: 10 -> " in line)
    assert write.index("balance = old + amount;") in (starts[1], starts[2])
    assert all(len(line) <= 130 for line in lines)
    assert lines[-1].split()[0] == "16" and "assertion fails" in lines[-1]


def test_a_narrow_terminal_gets_a_line_per_step_that_fits(tmp_path: Path) -> None:
    lines = text_of_story(lost(tmp_path), Style(width=78)).splitlines()
    assert all(len(line) <= 80 for line in lines) and any(line.startswith("1 deposit ") for line in lines)
    assert any("prog.c:16" in line for line in lines)


def test_a_pipe_gets_whole_lines_with_whole_paths(tmp_path: Path) -> None:
    lines = text_of_story(lost(tmp_path), Style()).splitlines()
    assert any(f"{tmp_path}/prog.c:16" in line for line in lines)


def test_call_stacks_come_on_demand(tmp_path: Path) -> None:
    told = lost(tmp_path)
    assert "in deposit:8 > change:" in text_of_story(told, Style(stack=True))
    assert "in deposit:8" not in text_of_story(told, Style())


def long_run(folder: Path) -> Story:
    busy = "for (int i = 0; i < 40; i++) {\n        ticks[0]++;\n        ticks[1]++;\n    }\n    int old = balance;"
    text = LOST.replace("int old = balance;", busy).replace("int balance = 10;", "int balance = 10, ticks[2];")
    file = folder / "prog.c"
    file.write_text(text)
    program = load([str(file)])
    schedule = [0] * 6 + [1] * 124 + [2] * 126 + [1] * 60 + [2] * 60
    return tell(program, scheduled_run(Machine(program), schedule, limit=900).moves)


def test_what_does_not_matter_is_folded_and_a_screen_is_enough(tmp_path: Path) -> None:
    told = long_run(tmp_path)
    whole = text_of_story(told, Style(everything=True)).splitlines()
    short = text_of_story(told, Style(rows=20)).splitlines()
    assert len(whole) > 150 and len(short) <= 20
    assert any(line.startswith("... ") and " steps of " in line for line in short)
    shown = sum((isinstance(item, Line) and item.last - item.first + 1) or 0 for item in folded(told, Style(rows=20)))
    hidden = [item for item in folded(told, Style(rows=20)) if isinstance(item, Folded)]
    assert shown + sum(one.last - one.first + 1 for item in hidden for one in item.lines) <= len(told.moves) + 1


def test_the_end_of_a_run_is_shown_before_its_beginning(tmp_path: Path) -> None:
    told = long_run(tmp_path)
    items = folded(told, Style(rows=8))
    assert items[-1] is told.lines[-1]
