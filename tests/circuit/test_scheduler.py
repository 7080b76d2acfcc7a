"""Bounded schedulers cut exactly the runs that need more: against a count of the contexts and rounds of all runs of the interpreter."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.ask.circuits import decide
from fsoft.ask.load import Options, load
from fsoft.circuit.encode.scheduler import ContextScheduler, FixedScheduler, RoundsScheduler, Scheduler
from fsoft.program.interpreter import Machine
from fsoft.program.program import Program
from fsoft.program.verdict import Verdict

HEAD = "#include <pthread.h>\nint x, y;\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
PROGRAMS = {
    "alone": "int main(void) { x = 1; x = 2; return 0; }",
    "free": "void *f(void *a) { x = 1; x = 2; return 0; }\n"
    "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); y = x; y = x; return 0; }",
    "locked": "void *f(void *a) { pthread_mutex_lock(&m); x = 1; y = 1; pthread_mutex_unlock(&m); return 0; }\n"
    "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); x = 2; pthread_mutex_unlock(&m); return 0; }",
    "joined": "void *f(void *a) { x = 1; x = 2; return 0; }\n"
    "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return x; }",
    "stuck": "void *f(void *a) { pthread_mutex_lock(&m); x = 1; return 0; }\n"
    "int main(void) { pthread_t t; pthread_mutex_lock(&m); pthread_create(&t, 0, f, 0); y = 1; y = 2; return 0; }",
}


def program(name: str, tmp_path: Path) -> Program:
    path = tmp_path / "in.c"
    path.write_text(HEAD + PROGRAMS[name])
    return load([str(path)], Options(checks=frozenset({"unreach-call"})))


def most(loaded: Program, rounds: bool) -> int:
    """The largest number of contexts (or rounds) that a run needs; every run of the programs ends."""
    machine = Machine(loaded, compiled=False)
    start = (machine.initial(), 0 if rounds else -1, 1 if rounds else 0)
    seen, stack, highest = {start}, [start], 0
    while stack:
        state, last, count = stack.pop()
        highest = max(highest, count)
        for slot, index in machine.enabled(state):
            more = slot < last if rounds else slot != last
            for _, after, _ in machine.successors(state, slot, index):
                entry = (after, slot, count + more)
                if entry not in seen:
                    seen.add(entry)
                    stack.append(entry)
    return highest


def verdict(loaded: Program, scheduler: Scheduler) -> Verdict:
    return decide(loaded, "bdd", scheduler=scheduler, timeout=60)


@pytest.mark.parametrize("rounds", [False, True], ids=["contexts", "rounds"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_bound_is_reached_when_a_run_needs_more(name: str, rounds: bool, tmp_path: Path) -> None:
    loaded = program(name, tmp_path)
    needed = most(loaded, rounds)
    kind, option = (RoundsScheduler, "--rounds") if rounds else (ContextScheduler, "--contexts")
    for number in range(1, needed + 2):
        found = verdict(loaded, kind(number))
        if number >= needed:
            assert found.kind == "TRUE", (number, needed, found)
        else:
            assert found.kind == "UNKNOWN" and option in str(found.cuts[0]), (number, needed, found)


def test_counts_that_are_known(tmp_path: Path) -> None:
    assert most(program("alone", tmp_path), False) == 1
    assert most(program("joined", tmp_path), False) == 3  # main creates, the thread runs, main joins
    assert most(program("stuck", tmp_path), True) == 1  # the thread never moves


def test_a_given_schedule_cuts_whatever_it_leaves_out(tmp_path: Path) -> None:
    """A schedule that asks for a thread which cannot move says nothing about the program."""
    for order in ((1,), (0, 1, 1, 1, 1), (0,) * 20):
        found = verdict(program("stuck", tmp_path), FixedScheduler(order))
        assert found.kind == "UNKNOWN" and found.cuts[0].kind == "schedule", (order, found)
    assert verdict(program("alone", tmp_path), FixedScheduler((0,) * 20)).kind == "TRUE"


def test_narrow_words_leave_the_scheduler_alone(tmp_path: Path) -> None:
    """Nobody has moved before the first context: with four slots that is a number which no move ever puts there."""
    threads = "pthread_create(&t, 0, f, 0); " * 3
    text = f"void *f(void *a) {{ y = 1; return 0; }}\nint main(void) {{ pthread_t t; {threads} __VERIFIER_assert(y == 0); return 0; }}"
    path = tmp_path / "in.c"
    path.write_text("extern void __VERIFIER_assert(int);\n" + HEAD + text)
    loaded = load([str(path)], Options(checks=frozenset({"unreach-call"})))
    assert decide(loaded, "bmc", scheduler=ContextScheduler(2), depth=30).kind == "UNKNOWN"
    assert decide(loaded, "bmc", scheduler=ContextScheduler(3), depth=30).kind == "FALSE"


def test_a_thread_that_the_schedule_leaves_out_is_no_deadlock(tmp_path: Path) -> None:
    path = tmp_path / "in.c"
    path.write_text(HEAD + PROGRAMS["joined"])
    loaded = load([str(path)], Options(checks=frozenset({"no-deadlock"})))
    for order in ((1,), (0, 0), (0,) * 6):
        found = verdict(loaded, FixedScheduler(order))
        assert found.kind == "UNKNOWN" and found.cuts[0].kind == "schedule", (order, found)
