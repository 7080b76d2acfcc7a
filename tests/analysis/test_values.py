"""The engine values: what it claims, what it must not, and the checker of what it found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fsoft.analysis.lock_evidence import check_certificate
from fsoft.analysis.lock_order import LockOrderCertificate
from fsoft.analysis.slot_memory import MemoryView
from fsoft.analysis.thread_evidence import Refuted, check_facts
from fsoft.analysis.thread_states import ThreadFacts, ThreadStates
from fsoft.ask.load import Options, load
from fsoft.checkers.values import ByValues
from fsoft.program.program import Program
from fsoft.program.verdict import Verdict
from tests.fuzz.values import campaign

HEAD = """#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x, y, table[8]; unsigned u; pthread_t t[20];
void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void); int __VERIFIER_nondet_int(void);
"""
CAPPED = "__VERIFIER_atomic_begin(); x++; if (x > 1) x--; __VERIFIER_atomic_end();"
TORN = "x++; if (x > 1) x--;"
LOCKED = "pthread_mutex_lock(&m); x = 2; assert(x == 2); x = 1; pthread_mutex_unlock(&m);"
INDEX = "int h = i * 3 % 8; while (table[h]) { h = (h + 1) % 8; assert(h >= 0 && h < 8); } table[h] = i + 1;"


def program(tmp_path: Path, body: str, threads: int = 2, check: str = "unreach-call", main: str = "") -> Program:
    path = tmp_path / "p.c"
    create = f"for (long k = 0; k < {threads}; k++) pthread_create(&t[k], 0, thread, (void *)k);"
    thread = f"void *thread(void *a) {{ int i = (int)(long)a; {body} return 0; }}\n"
    path.write_text(f"{HEAD}{thread}int main(void) {{ {create} {main} return 0; }}\n")
    return load([str(path)], Options(checks=frozenset({check})), bits=64)


def asked(loaded: Program) -> Verdict:
    return ByValues().check(loaded, lambda _stats: None)


PROVED = {
    "what only this thread knows": (INDEX, 12, "unreach-call"),
    "atomic, whatever the others do": (f"{CAPPED} {CAPPED} assert(x == 1);", 9, "unreach-call"),
    "under a lock": (LOCKED, 5, "unreach-call"),
    "indices": ("table[(i + 3) % 8]++;", 4, "valid-deref"),
    "division": ("y = 8 / ((i & 3) + 1);", 6, "no-division-by-zero"),
}
NOT_CLAIMED = {
    "not atomic": (f"{TORN} assert(x == 1);", 2, "unreach-call"),
    "another thread writes without the lock": (f"{LOCKED} x = 3;", 2, "unreach-call"),
    "a value of many": ("x = __VERIFIER_nondet_int(); assert(x != 77);", 2, "unreach-call"),
    "outside": ("table[i * 5] = 1;", 3, "valid-deref"),
    "zero": ("y = 8 / (i & 3);", 2, "no-division-by-zero"),
}


@pytest.mark.parametrize("name", PROVED)
def test_claims(name: str, tmp_path: Path) -> None:
    verdict = asked(program(tmp_path, *PROVED[name]))
    assert verdict.kind == "TRUE" and "certificate checked" in verdict.reasons[0]


@pytest.mark.parametrize("name", NOT_CLAIMED)
def test_does_not_claim(name: str, tmp_path: Path) -> None:
    assert asked(program(tmp_path, *NOT_CLAIMED[name])).kind == "UNKNOWN"


def test_a_number_that_happens_to_be_an_address(tmp_path: Path) -> None:
    """Folding takes it for granted that nobody writes to x: main reads it twice in one step."""
    body = "extern long __VERIFIER_nondet_long(void); long n = __VERIFIER_nondet_long(); if (n == (long)&x) { int *p = (int *)n; *p = 1; }"
    verdict = asked(program(tmp_path, body, main="int v = x, w = x; assert(v == w);"))
    assert verdict.kind == "UNKNOWN" and "used as an address" in verdict.reasons[0]


def test_the_last_write_of_a_step_counts(tmp_path: Path) -> None:
    """In the middle of an atomic step x is 2, and nobody sees it."""
    loaded = program(tmp_path, CAPPED)
    cell = next(loaded.address(one) for one in loaded.objects if one.name == "x")
    facts = ThreadStates(loaded, loaded.checks).solve()
    assert {cells[cell] for cells in facts.writes.values() if cell in cells} == {frozenset({1})}


def test_other_properties_are_not_answered(tmp_path: Path) -> None:
    verdict = asked(program(tmp_path, CAPPED, check="no-data-race"))
    assert verdict.kind == "UNKNOWN" and "checks inside steps" in verdict.reasons[0]


def test_a_cut_forbids_the_claim(tmp_path: Path) -> None:
    verdict = asked(program(tmp_path, CAPPED, main="while (__VERIFIER_nondet_int()) pthread_create(&t[0], 0, thread, 0);"))
    assert verdict.kind == "UNKNOWN" and "slots" in verdict.reasons[0]


def drop_a_state(facts: ThreadFacts) -> None:
    facts.states[1].pop()


def drop_a_write(facts: ThreadFacts) -> None:
    facts.writes.pop(max(facts.writes, key=repr))


def drop_a_start(facts: ThreadFacts) -> None:
    facts.starts[2] = None


def forget_a_value(facts: ThreadFacts) -> None:
    for state in facts.states[2]:
        for cell, values in state.view.items():
            if values is not None and len(values) > 1:
                state.view[cell] = frozenset(sorted(values)[:1])


@pytest.mark.parametrize("tamper", [drop_a_state, drop_a_write, drop_a_start, forget_a_value], ids=lambda f: f.__name__)
@pytest.mark.parametrize("locks", [True, False])
def test_wrong_facts_are_refuted(tamper: Callable[[ThreadFacts], None], locks: bool, tmp_path: Path) -> None:
    loaded = program(tmp_path, "if (x < 3) x = i; y = x; assert(y < 3);")
    facts = ThreadStates(loaded, loaded.checks, locks).solve()
    check_facts(loaded, loaded.checks, facts)
    tamper(facts)
    with pytest.raises(Refuted):
        check_facts(loaded, loaded.checks, facts)


def test_an_order_of_locks_needs_facts_about_locks(tmp_path: Path) -> None:
    loaded = program(tmp_path, "x = 1;")
    facts = ThreadStates(loaded, loaded.checks, locks=False).solve()
    with pytest.raises(Refuted, match="holds a lock"):
        check_certificate(loaded, loaded.checks, LockOrderCertificate(facts, {}, {}))


def test_random_programs() -> None:
    tally = campaign(0, 8, states=2000)
    assert not tally.wrong and tally.proved >= 3, str(tally)


def test_forgotten_interference_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(*_: object) -> MemoryView:
        return {}

    monkeypatch.setattr(ThreadStates, "_from_others", nothing)
    assert campaign(0, 30, states=2000).wrong
