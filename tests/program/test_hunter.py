"""Guided runs: what they find lies beyond the states that were searched; it replays, and it is the same every time."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.ask.load import Options, load
from fsoft.checkers.explicit.engine import explore
from fsoft.checkers.explicit.hunter import STRATEGIES, Hunter
from fsoft.checkers.explicit.search import Explorer
from fsoft.program.interpreter import Machine
from fsoft.program.program import Program
from fsoft.program.replay import play
from fsoft.program.verdict import Limits
from fsoft.properties import monitors

MODELS = Path(__file__).resolve().parents[2] / "models"
FEW = Limits(states=2600)  # guided runs come after 2000
DEEP = """#include <pthread.h>
extern void reach_error(void);
int x;
void *f(void *a) { for (int i = 0; i < 4; i++) x = x + 1; return a; }
int main(void) {
    pthread_t t[4];
    for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, f, 0);
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
    if (x != 16) reach_error();
    return 0;
}
"""


def model(name: str, prop: str, *defines: str) -> Program:
    return load([str(MODELS / name)], Options(checks=frozenset({prop})), bits=64, define=defines)


DEADLOCKS = {
    "philosophers": ("philosophers.c", "N=8"),
    "units of a semaphore": ("semaphore.c", "N=8"),
    "lost signal": ("lost_signal.c", "N=6", "FLAG", "NO_LOCK"),
    "one is told": ("lost_signal.c", "N=6", "FLAG", "ONE"),
    "barrier": ("barrier.c", "N=7", "FEW"),
    "joins": ("join_ring.c", "N=7"),
    "readers": ("rw_cross.c", "N=6"),
    "heap": ("transfer.c", "N=6", "HEAP"),
}


@pytest.mark.parametrize("name", DEADLOCKS)
def test_deadlocks_of_many_threads(name: str) -> None:
    file, *defines = DEADLOCKS[name]
    program = model(f"deadlocks/{file}", "no-deadlock", *defines)
    verdict = explore(program, limits=FEW)
    assert verdict.kind == "FALSE" and verdict.stats.states < 2600
    assert play(Machine(program, compiled=False), verdict.trace)


def test_not_without_hunting() -> None:
    program = model("deadlocks/philosophers.c", "no-deadlock", "N=8")
    assert Explorer(program, ["no-deadlock"], monitors(["no-deadlock"]), limits=FEW, hunts=False).run()[0].kind == "UNKNOWN"


def test_assertions(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(DEEP)
    verdict = explore(load([str(path)], Options()), limits=FEW)
    assert verdict.kind == "FALSE" and verdict.prop == "unreach-call"


def test_the_same_every_time() -> None:
    program = model("deadlocks/philosophers.c", "no-deadlock", "N=6")
    first, second = (explore(program, limits=FEW) for _ in range(2))
    assert first.trace == second.trace and first.trace


def test_nothing_is_found_where_nothing_is() -> None:
    program = model("deadlocks/philosophers.c", "no-deadlock", "N=4", "ORDERED")
    explorer = Explorer(program, ["no-deadlock"], monitors(["no-deadlock"]))
    explorer._started = 0.0
    hunter = Hunter(explorer)
    assert hunter.hunt(len(STRATEGIES) * 100, 1) is None and hunter.seen >= len(STRATEGIES) * 100


def test_what_shows_after_all_others_have_done_their_work(tmp_path: Path) -> None:
    text = """#include <pthread.h>
extern void reach_error(void);
int x;
void *reader(void *a) { if (x >= 12) reach_error(); return a; }
void *writer(void *a) { int t = x; x = t + 1; return a; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, reader, 0);
    for (int i = 0; i < 12; i++) pthread_create(&t, 0, writer, 0);
}
"""
    (tmp_path / "late.c").write_text(text)
    verdict = explore(load([str(tmp_path / "late.c")]), limits=FEW)
    assert verdict.kind == "FALSE" and verdict.stats.states < 2600
