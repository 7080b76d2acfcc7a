"""The order of locks: what it claims, what it must not, and the checker of its certificates."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fsoft.analysis.lock_evidence import check_certificate
from fsoft.analysis.lock_order import LockOrderCertificate, prove
from fsoft.analysis.slot_memory import NoClaim
from fsoft.analysis.thread_evidence import Refuted
from fsoft.analysis.thread_states import ThreadFacts, ThreadStates
from fsoft.analysis.value_sets import evaluate_set
from fsoft.ask.load import Options, check, load
from fsoft.checkers.explicit.engine import explore
from fsoft.checkers.lock_order import LockOrder
from fsoft.program.expr import binary, const, ite, reg
from fsoft.program.interpreter import Machine
from fsoft.program.layout import Cells
from fsoft.program.program import Program
from tests.fuzz.locks import campaign

MODELS = Path(__file__).resolve().parents[2] / "models"
ASKED = frozenset({"no-deadlock"})
HEAD = """#include <pthread.h>
#include <semaphore.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER, g = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; sem_t u; int x; pthread_t s, t;
#define LOCK pthread_mutex_lock
#define UNLOCK pthread_mutex_unlock
"""
JOIN = "pthread_join(s, 0); pthread_join(t, 0);"
IN_ORDER = "LOCK(&m); LOCK(&n); x++; UNLOCK(&n); UNLOCK(&m);"
AGAINST = "LOCK(&n); LOCK(&m); x++; UNLOCK(&m); UNLOCK(&n);"


def model(name: str, *defines: str) -> Program:
    return load([str(MODELS / name)], Options(checks=ASKED), bits=64, define=defines)


def program(tmp_path: Path, one: str, two: str, main: str = JOIN, before: str = "", checks: frozenset[str] = ASKED) -> Program:
    path = tmp_path / "p.c"
    create = "pthread_create(&s, 0, one, 0); pthread_create(&t, 0, two, 0);"
    functions = "".join(f"void *{name}(void *a) {{ {body} return a; }}\n" for name, body in (("one", one), ("two", two)))
    path.write_text(f"{HEAD}{functions}int main(void) {{ {before} {create} {main} return 0; }}\n")
    return load([str(path)], Options(checks=checks), bits=64)


def why_not(loaded: Program) -> str:
    with pytest.raises(NoClaim) as caught:
        prove(loaded, loaded.checks)
    return str(caught.value)


PROVED = {
    "ranks": ("philosophers.c", "N=6", "ORDERED"),
    "one left-handed": ("philosophers.c", "N=6", "LEFTY"),
    "semaphore as gate": ("philosophers.c", "N=4", "BUTLER"),
    "trylock": ("philosophers.c", "N=4", "PUT_BACK"),
    "mutex as gate": ("lock_order.c", "N=3", "GATE"),
    "enough units": ("semaphore.c", "N=4", "ENOUGH"),
    "one claims at a time": ("semaphore.c", "N=4", "AT_ONCE"),
    "readers only": ("rw_cross.c", "N=2", "READ_ONLY"),
    "upgrade with release": ("rw_upgrade.c", "N=2", "LET_GO"),
    "time-outs": ("timed.c", "N=2"),
    "joins": ("join_holding.c", "N=2", "LET_GO"),
    "heap": ("transfer.c", "N=3", "ORDERED", "HEAP"),
    "C11": ("c11.c", "N=3", "ORDERED"),
}


@pytest.mark.parametrize("name", PROVED)
def test_claims(name: str) -> None:
    file, *defines = PROVED[name]
    verdict = LockOrder().check(model(f"deadlocks/{file}", *defines), lambda _stats: None)
    assert verdict.kind == "TRUE" and "certificate checked" in verdict.reasons[0]


NOT_PROVED = {
    "a circle": (IN_ORDER, AGAINST, JOIN, "", "in a circle"),
    "a gate on one side": (f"LOCK(&g); {IN_ORDER} UNLOCK(&g);", AGAINST, JOIN, "", "in a circle"),
    "a lock taken twice": ("LOCK(&m); LOCK(&m); UNLOCK(&m);", "", JOIN, "", "no thread owns"),
    "join under a lock": (IN_ORDER, "", f"LOCK(&m); {JOIN}", "", "in a circle"),
    "an unlock by another": ("UNLOCK(&m);", IN_ORDER, JOIN, "", "does not own"),
    "a thread ends with a lock": ("LOCK(&m);", IN_ORDER, JOIN, "", "may end while it holds"),
    "a lock that main keeps": ("LOCK(&m); UNLOCK(&m);", "", JOIN, "LOCK(&m);", "in a circle"),
    "a condition": ("LOCK(&m); pthread_cond_wait(&c, &m); UNLOCK(&m);", "pthread_cond_broadcast(&c);", JOIN, "", "held to"),
    "an empty semaphore": ("sem_wait(&u); sem_post(&u);", "", JOIN, "sem_init(&u, 0, 0);", "nobody has"),
    "a semaphore as signal": ("sem_wait(&u); sem_post(&u);", "sem_post(&u);", JOIN, "sem_init(&u, 0, 1);", "has not waited"),
    "units that are kept": ("sem_wait(&u);", "sem_wait(&u); sem_post(&u);", JOIN, "sem_init(&u, 0, 2);", "may end while it holds"),
    "an upgrade": ("pthread_rwlock_rdlock(&rw); pthread_rwlock_wrlock(&rw); pthread_rwlock_unlock(&rw);", "", JOIN, "", ""),
    "an unknown lock": ("LOCK(x ? &m : &n); LOCK(&g); UNLOCK(&g);", "x = 1;", JOIN, "", ""),
    "a null pointer": ("int *p = x ? &x : 0; *p = 1;", "x = 1;", JOIN, "", "may be invalid"),
}


@pytest.mark.parametrize("name", NOT_PROVED)
def test_does_not_claim(name: str, tmp_path: Path) -> None:
    one, two, main, before, reason = NOT_PROVED[name]
    assert reason in why_not(program(tmp_path, one, two, main, before))


@pytest.mark.parametrize("defines", [(), ("SECTION",)])
def test_what_happens_before_threads_run_is_kept_apart(defines: tuple[str, ...]) -> None:
    assert "initialised twice" in why_not(model("deadlocks/unit_taken_early.c", *defines))


def test_a_cut_forbids_the_claim(tmp_path: Path) -> None:
    more = "for (;;) pthread_create(&t, 0, two, 0);"
    assert "more threads are created" in why_not(program(tmp_path, "", "", more))


def test_assertions_that_may_fail_forbid_it_only_if_asked(tmp_path: Path) -> None:
    body = "extern void reach_error(void); if (x == 2) reach_error();"
    asked = frozenset({"no-deadlock", "unreach-call"})
    assert LockOrder().check(program(tmp_path, body, "x = 2;"), lambda _: None).kind == "TRUE"
    assert "unreach-call may be violated" in why_not(program(tmp_path, body, "x = 2;", checks=asked))
    assert LockOrder().check(program(tmp_path, body, "x = 1;", checks=asked), lambda _: None).kind == "TRUE"


def test_other_properties_are_not_answered(tmp_path: Path) -> None:
    races = program(tmp_path, IN_ORDER, IN_ORDER, checks=frozenset({"no-deadlock", "no-data-race"}))
    assert LockOrder().check(races, lambda _: None).kind == "UNKNOWN"


def test_explicit_asks_for_the_order_of_locks() -> None:
    verdict = check([str(MODELS / "deadlocks/philosophers.c")], Options(checks=ASKED), bits=64, define=("N=7", "ORDERED"))
    assert verdict.kind == "TRUE" and "in order" in verdict.reasons[0]


def drop_a_state(proof: LockOrderCertificate) -> None:
    proof.facts.states[1].pop()


def drop_a_write(proof: LockOrderCertificate) -> None:
    proof.facts.writes.pop(max(proof.facts.writes, key=repr))


def drop_a_start(proof: LockOrderCertificate) -> None:
    proof.facts.starts[2] = None


def forget_a_value(proof: LockOrderCertificate) -> None:
    for state in proof.facts.states[2]:
        for cell, values in state.view.items():
            if values is not None and len(values) > 1:
                state.view[cell] = frozenset(sorted(values)[:1])


def turn_ranks_round(proof: LockOrderCertificate) -> None:
    proof.ranks = {resource: -rank for resource, rank in proof.ranks.items()}


def one_rank_for_all(proof: LockOrderCertificate) -> None:
    proof.ranks = dict.fromkeys(proof.ranks, 0)


def another_gate(proof: LockOrderCertificate) -> None:
    proof.gates = dict.fromkeys(proof.gates, None)


def larger_semaphore(proof: LockOrderCertificate) -> None:
    proof.facts.protocol.capacity = dict.fromkeys(proof.facts.protocol.capacity, 4)


TAMPERINGS = [drop_a_state, drop_a_write, drop_a_start, forget_a_value, turn_ranks_round, one_rank_for_all, another_gate, larger_semaphore]


@pytest.mark.parametrize("tamper", TAMPERINGS, ids=lambda f: f.__name__)
def test_wrong_certificates_are_refuted(tamper: Callable[[LockOrderCertificate], None]) -> None:
    loaded = model("deadlocks/philosophers.c", "N=3", "BUTLER")
    proof = prove(loaded, ASKED)
    check_certificate(loaded, ASKED, proof)
    tamper(proof)
    with pytest.raises(Refuted):
        check_certificate(loaded, ASKED, proof)


@pytest.mark.parametrize("locks", [True, False])
@pytest.mark.parametrize("defines", [("ORDERED",), ("BUTLER",), ("PUT_BACK",)])
def test_every_reachable_state_is_described(defines: tuple[str, ...], locks: bool) -> None:
    loaded = model("deadlocks/philosophers.c", "N=2", *defines)
    facts = ThreadStates(loaded, ASKED, locks).solve()
    memory = ThreadStates(loaded, ASKED).memory
    machine = Machine(loaded, compiled=False)
    seen = {machine.initial()}
    work = list(seen)
    while work:
        state = work.pop()
        for slot in range(len(loaded.threads)):
            assert described(loaded, machine, facts, memory, state, slot)
        for slot in machine.movable(state):
            for index in machine.outgoing(slot, state[machine.layout.pc[slot]]):
                new = {after for _, after, _ in machine.successors(state, slot, index)} - seen
                seen |= new
                work.extend(new)
    assert len(seen) > 100


def described(loaded, machine, facts: ThreadFacts, memory, state, slot: int) -> bool:  # type: ignore[no-untyped-def]
    """A slot that runs is in one of the states that were found for it."""
    layout, location = machine.layout, state[machine.layout.pc[slot]]
    if location == 0 or layout.stopped(state, slot):
        return True

    def has(values, value) -> bool:  # type: ignore[no-untyped-def]
        return values is None or value is None or value in values

    cells = [(loaded.address(o, cell.offset), cell.size) for o in loaded.objects[1:] for cell in Cells(o)]
    return any(
        local.location == location
        and all(has(values, state[layout.registers[slot][name]]) for name, values in local.registers.items())
        and all(has(memory.read(local.view, address), layout.cell(state, address, size)) for address, size in cells)
        for local in facts.states[slot]
    )


def test_sets_of_values() -> None:
    x, y = reg("x", 8), reg("y", 8)
    known = {"x": frozenset({1, 2}), "y": None}
    assert evaluate_set(binary("add", x, const(3, 8)), lambda node: known[str(node.data)]) == {4, 5}
    assert evaluate_set(binary("and", y, const(0, 8)), lambda node: known[str(node.data)]) == {0}
    assert evaluate_set(ite(binary("eq", x, const(7, 8)), y, x), lambda node: known[str(node.data)]) == {1, 2}
    assert evaluate_set(binary("eq", x, y), lambda node: known[str(node.data)]) == {0, 1}


def test_random_programs() -> None:
    tally = campaign(0, 6, states=2000)
    assert not tally.wrong and tally.proved >= 3, str(tally)


def test_agrees_with_all_states(tmp_path: Path) -> None:
    assert explore(program(tmp_path, IN_ORDER, IN_ORDER)).kind == "TRUE"
    assert explore(program(tmp_path, IN_ORDER, AGAINST)).kind == "FALSE"
