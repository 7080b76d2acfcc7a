"""A thread's own bit in a mask of waiting threads: `por/bits.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.ask.load import load
from fsoft.checkers.explicit.engine import explore
from fsoft.por.bits import new_bits
from fsoft.por.facts import StubbornFacts
from fsoft.program.expr import TRUE, Expr, binary, const, ite, make, reg
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.transactions import Reduction

BARRIER = str(Path(__file__).parents[2] / "models/deadlocks/barrier.c")
OLD, OTHER = reg("#0", 8), reg("r", 8)


def barrier(*define: str, prop: str = "no-deadlock") -> Program:
    return load([BARRIER], Options(checks=frozenset({prop})), bits=64, define=define)


@pytest.mark.parametrize(("value", "bits"), [
    (OLD, 0), (OTHER, 255), (const(6, 8), 6), (binary("or", OLD, const(4, 8)), 4), (binary("and", OLD, OTHER), 0),
    (binary("and", OTHER, const(3, 8)), 3), (make("not", 8, (OLD,)), 255), (binary("add", OLD, const(1, 8)), 255),
    (ite(reg("c", 1), binary("or", OLD, const(1, 8)), const(8, 8)), 9), (ite(TRUE, OLD, OTHER), 0),
])  # fmt: skip
def test_bits_that_a_store_may_set(value: Expr, bits: int) -> None:
    assert new_bits(value, {"#0"}) == bits


def test_leaving_a_barrier_is_independent_of_arriving() -> None:
    program = barrier("N=5", "TWICE")
    verdict = explore(program, choice=Reduction("cstub", "lock-pattern").choice(program))
    assert verdict.last_line() == "TRUE" and verdict.stats.states < 300  # 1,887 without


def test_who_asks_for_races_gets_every_read() -> None:
    assert any(StubbornFacts(barrier("N=2")).spared) and not any(StubbornFacts(barrier("N=2", prop="no-data-race")).spared)


def test_a_step_that_asks_the_mask_for_more_keeps_its_read(tmp_path: Path) -> None:
    """With requests to cancel a thread, a wake-up also takes the thread out of the set."""
    text = """#include <pthread.h>
pthread_mutex_t m; pthread_cond_t c; int go;
void *f(void *a) { pthread_mutex_lock(&m); while (!go) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); %s pthread_cond_signal(&c); return 0; }
"""
    found = []
    for line in ("", "pthread_cancel(t);"):
        (tmp_path / "p.c").write_text(text % line)
        found.append(any(StubbornFacts(load([str(tmp_path / "p.c")], Options(checks=frozenset({"no-deadlock"})))).spared))
    assert found == [True, False]
