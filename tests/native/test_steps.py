"""Steps as machine code do on any state what the generated Python does, and seeded defects of the generator and the runtime are caught."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fsoft.ask.load import load
from fsoft.native import build, ctext, source, steps
from fsoft.native.build import available
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.program.verdict import InternalError
from tests.models.table import rows
from tests.native.agree import disagreement, loaded
from tests.native.step_runs import differences

pytestmark = pytest.mark.skipif(not available(), reason="there is no C compiler")

MIXED = """
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
unsigned u, w = 1;
int a[3], *p;
char bytes[2];
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
void *worker(void *x) {
    unsigned k = u, l = w;
    if (k < l) a[k + l] = (int)k;
    *(short *)(bytes + k) = (short)l;
    p[k] = a[l];
    free(p);
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t t[3];
    p = malloc(sizeof(int));
    for (int k = 0; k < 3; k++) pthread_create(&t[k], 0, worker, 0);
    int x = __VERIFIER_nondet_int();
    u = x & 1;
    pthread_cond_signal(&c);
    return 0;
}
"""
COMPARED = (
    "memory/misaligned_copy.c valid-deref",
    "heap/realloc_grow.c valid-memtrack",
    "sync/prodcons_cond.c no-deadlock",
    "atomics/compare_exchange.c unreach-call",
)


def _row(name: str) -> Program:
    return loaded(next(row for row in rows() if row.name == name))


@pytest.fixture
def mixed(tmp_path: Path) -> Program:
    """A program with a bit of everything, asked about memory."""
    path = tmp_path / "mixed.c"
    path.write_text(MIXED)
    return load([str(path)], Options(checks=frozenset({"valid-deref"})))


@pytest.fixture(autouse=True)
def _quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(build, "OPTIMISED", "-O0")


@pytest.mark.parametrize("name", COMPARED)
def test_steps_on_random_states(name: str) -> None:
    assert differences(_row(name)) == []


Seed = Callable[[pytest.MonkeyPatch], None]


def _operator(table: dict[str, str], op: str, wrong: str) -> Seed:
    return lambda monkeypatch: monkeypatch.setitem(table, op, wrong)


def _runtime(old: str, new: str) -> Seed:
    """A defect of the runtime: some text of it is another."""

    def seed(monkeypatch: pytest.MonkeyPatch) -> None:
        whole = source.runtime

        def wrong(name: str) -> str:
            return whole(name).replace(old, new)

        assert any(old in whole(name) for name in ("base.h", "memory.h", "store.h", "expand.h", "search.h"))
        monkeypatch.setattr(source, "runtime", wrong)

    return seed


IN_STEPS: dict[str, Seed] = {
    "order": _operator(ctext._PLAIN, "ult", "<="),
    "addition": _operator(ctext._MASKED, "add", "-"),
    "dead registers": lambda patch: patch.setattr(steps._Step, "_zero", lambda self, names: None),
    "lifetime": _runtime("if (o->status.mask && get(s, &o->status) != ALIVE) return 0;", ""),
    "parts of cells": _runtime("old = (old & ~((u64)0xFF << 8 * k)) | byte << 8 * k;", ""),
}
IN_THE_SEARCH = {
    "atomic accesses race": ("atomics/message.c no-data-race", "&& !(a->sync && b->sync)", ""),
    "sections are stuck": ("probes/atomic_blocked.c no-deadlock", "if (in_section(s, slot)) return 0;", ""),
    "successors are lost": ("mutex/peterson.c unreach-call", "outcome == NEW) push", "outcome == NEW && c->out_size < 3) push"),
    "stopped threads are stuck": ("probes/halt_deadlock.c no-deadlock -DASSUME", "if (location(s, slot)->stop) return 0;", ""),
    "cuts are forgotten": ("arguments/strings.c valid-deref -DFAR", "if (!c->search->matching && !c->search->seen_event[event])", "if (0)"),
}


@pytest.mark.parametrize("name", IN_STEPS)
def test_defects_of_steps_are_caught(name: str, mixed: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    IN_STEPS[name](monkeypatch)
    assert differences(mixed, number=1500)


@pytest.mark.parametrize("name", IN_THE_SEARCH)
def test_defects_of_the_search_are_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    row, old, new = IN_THE_SEARCH[name]
    program = _row(row)
    _runtime(old, new)(monkeypatch)
    try:
        outcome = disagreement(program, jobs=1)
    except InternalError:  # what was found does not replay
        return
    assert outcome not in ("", "open", "none")


def test_a_comparison_of_everything_else(mixed: Program) -> None:
    assert differences(mixed, number=1500) == []
    assert disagreement(mixed) in ("", "open")
