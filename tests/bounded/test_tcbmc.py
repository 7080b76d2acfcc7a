"""TCBMC: the same verdicts as the explorer, the same bugs within the same contexts, and coverage that means what it says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fsoft.ask.by_name import encoding_of, given_for
from fsoft.ask.encodings import answer
from fsoft.ask.load import load
from fsoft.bounded import tcbmc as module
from fsoft.bounded.contexts import ORDERS
from fsoft.bounded.sequential import LazyBounds
from fsoft.bounded.tcbmc import BOUND, Tcbmc, TcbmcBounds, tcbmc
from fsoft.frontend.source import InputError
from fsoft.passes.unwind import Bounds, Unwound, unwind
from fsoft.program.expr import FALSE, TRUE, conj, negate, postorder
from fsoft.program.options import Options
from fsoft.program.program import Program
from tests.bounded.campaign import answers, report
from tests.models.agree import ask
from tests.models.table import rows

HANDOVER = """
#include <pthread.h>
#include <assert.h>
int turn, seen;
void *other(void *a) { if (turn == 1) turn = 2; return 0; }
int main(void) {
  pthread_t t; pthread_create(&t, 0, other, 0);
  turn = 1;
  if (turn == 2) assert(0);
}
"""

BEFORE_A_DEADLOCK = """
#include <pthread.h>
#include <assert.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
void *other(void *a) { pthread_mutex_lock(&m); x = 1; pthread_mutex_lock(&m); return 0; }
int main(void) {
  pthread_t t; pthread_create(&t, 0, other, 0);
  assert(x == 0);
  pthread_join(t, 0);
}
"""

RACE_AND_DEADLOCK = """
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int x;
void *other(void *p) { pthread_mutex_lock(&b); pthread_mutex_lock(&a); x = 2; pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b); return 0; }
int main(void) {
  pthread_t t; pthread_create(&t, 0, other, 0);
  pthread_mutex_lock(&a); pthread_mutex_lock(&b); pthread_mutex_unlock(&b); pthread_mutex_unlock(&a);
  x = 1;
  pthread_join(t, 0);
}
"""


def program_of(tmp_path: Path, text: str, check: str = "unreach-call") -> Program:
    path = tmp_path / "p.c"
    path.write_text(text)
    return load([str(path)], Options(checks=frozenset({check})))


@pytest.mark.parametrize("order", ORDERS)
def test_context_switches_are_counted(tmp_path: Path, order: str) -> None:
    """main, the other thread, main again: three contexts; in round robin of two threads that is the same number."""
    program = program_of(tmp_path, HANDOVER)
    verdicts = [answer(program, "tcbmc", TcbmcBounds(contexts=n, order=order)).kind for n in (1, 2, 3)]
    assert verdicts == ["UNKNOWN", "UNKNOWN", "FALSE"]


def test_what_is_written_first_is_constant(tmp_path: Path) -> None:
    """Three additions of constants in the first turn of a thread: main's last turn, which comes after that, has nothing to add up."""
    adding = """
#include <pthread.h>
#include <assert.h>
int x, seen;
void *other(void *a) { x += 3; x += 5; x += 7; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, other, 0); seen = x; assert(seen <= 15); }
"""
    program = program_of(tmp_path, adding)
    bad = tcbmc(unwind(program, Bounds()), TcbmcBounds(contexts=3)).model.bad["unreach-call"]
    assert not any(node.op == "add" for node in postorder((bad,)))
    assert answer(program, "tcbmc", TcbmcBounds(contexts=3)).last_line() == "UNKNOWN"
    assert answer(program_of(tmp_path, adding.replace("seen <= 15", "seen < 15")), "tcbmc", TcbmcBounds(contexts=3)).kind == "FALSE"


@pytest.mark.parametrize("order", ORDERS)
def test_all_contexts_are_a_proof(tmp_path: Path, order: str) -> None:
    program = program_of(tmp_path, HANDOVER.replace("turn == 2) assert(0)", "turn == 0) assert(0)"))
    few = answer(program, "tcbmc", TcbmcBounds(contexts=2, order=order))
    assert few.kind == "UNKNOWN" and any(cut.kind == "contexts" for cut in few.cuts)
    assert answer(program, "tcbmc", TcbmcBounds(incremental=True, order=order)).kind == "TRUE"


@pytest.mark.parametrize("order", ORDERS)
def test_a_last_round_that_stays_empty_is_no_proof(order: str) -> None:
    late = load([str(next(row.path for row in rows() if "late_turn" in row.name))], Options())
    kinds = [answer(late, "tcbmc", TcbmcBounds(contexts=n, order=order)).kind for n in range(2, 10)]
    assert "TRUE" not in kinds and kinds[-1] == "FALSE"


def test_a_cut_loop_forbids_true_and_grows(tmp_path: Path) -> None:
    program = program_of(tmp_path, "int n; int main(void) { while (n < __VERIFIER_nondet_int()) n++; return 0; }")
    verdict = answer(program, "tcbmc", TcbmcBounds(loops=Bounds(unwind=2)))
    assert verdict.kind == "UNKNOWN" and any("--unwind" in cut.remedy for cut in verdict.cuts)
    heard: list[str] = []
    answer(program, "tcbmc", TcbmcBounds(loops=Bounds(unwind=1), incremental=True), timeout=1, say=heard.append)
    assert len(heard) > 1 and "--unwind 2" in heard[1]


@pytest.mark.parametrize(("check", "verdict"), [("no-data-race", "FALSE"), ("no-deadlock", "FALSE"), ("unreach-call", "TRUE")])
def test_properties_of_states(tmp_path: Path, check: str, verdict: str) -> None:
    program = program_of(tmp_path, RACE_AND_DEADLOCK, check)
    assert answer(program, "tcbmc", TcbmcBounds(incremental=True)).kind == verdict


@pytest.mark.parametrize("encoding", ["tcbmc", "lazy", "mu"])
@pytest.mark.parametrize("name", ["leak_overwritten", "leak_after_loop"])
def test_leaks_at_the_end_of_the_process(name: str, encoding: str) -> None:
    """The step that ends the process is one that no other thread sees; what is lost is asked of the state before it."""
    for row in rows():
        if row.program == f"heap/{name}.c":
            outcome = ask(row, 30, encoding)
            assert outcome.decided, outcome


@pytest.mark.parametrize("encoding", ["tcbmc", "mu"])
def test_a_slot_that_waits_to_be_started_again_has_finished(encoding: str) -> None:
    for row in rows():
        if row.program == "heap/leak_restart.c":
            outcome = ask(row, 30, encoding)
            assert outcome.decided, outcome


def test_a_thread_may_stop_before_its_deadlock(tmp_path: Path) -> None:
    assert answer(program_of(tmp_path, BEFORE_A_DEADLOCK), "tcbmc", TcbmcBounds(incremental=True)).kind == "FALSE"


def _forced(unwound: Unwound, given: TcbmcBounds) -> Tcbmc:
    """The defect that DESIGN.md warns of: every thread that is started has to finish."""
    formula = tcbmc(unwound, given)
    done = TRUE
    for walk in formula.final.walks:
        sources = {step.source for step in walk.template.steps} - {0}
        for when, location, _ in walk.stays:
            done = conj(done, negate(when) if location in sources else TRUE)
    formula.model.constraints["forced"] = done
    formula.model.bounds[BOUND] = FALSE
    return formula


def test_forced_completion_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ENCODING", replace(module.ENCODING, door=_forced))
    _, wrong = report({1: answers(program_of(tmp_path, BEFORE_A_DEADLOCK), 1)})
    assert wrong


@pytest.mark.parametrize("contexts", [0, -1, 10**9])
def test_impossible_bounds(tmp_path: Path, contexts: int) -> None:
    program = program_of(tmp_path, HANDOVER)
    with pytest.raises(InputError, match="--contexts"):
        tcbmc(unwind(program, Bounds()), TcbmcBounds(contexts=contexts))


def test_a_proof_can_be_checked(tmp_path: Path) -> None:
    """Every clause of the DRAT file follows by unit propagation (what the solver wrote here needs no more), and the last is empty."""
    program = program_of(tmp_path, HANDOVER.replace("turn == 2) assert(0)", "turn == 0) assert(0)"))
    path = tmp_path / "proof.drat"
    verdict = answer(program, "tcbmc", TcbmcBounds(contexts=8), proof=str(path), solver="glucose4")
    assert verdict.kind == "TRUE"
    clauses = [set(map(int, line.split()[:-1])) for line in (tmp_path / "proof.drat.cnf").read_text().splitlines()[1:]]
    lines = [line.split() for line in path.read_text().splitlines()]
    for words in lines:
        if words[0] == "d":
            continue
        clause = set(map(int, words[:-1]))
        assert _follows(clauses, clause), words
        clauses.append(clause)
    assert lines[-1] == ["0"]


def _follows(clauses: list[set[int]], clause: set[int]) -> bool:
    """Assuming the opposite of the clause, unit propagation runs into a conflict."""
    true = {-literal for literal in clause}
    while True:
        before = len(true)
        for one in clauses:
            if one & true:
                continue
            left = [literal for literal in one if -literal not in true]
            if not left:
                return True
            if len(left) == 1:
                true.add(left[0])
        if len(true) == before:
            return False


def test_a_built_formula_is_the_one_that_is_checked(tmp_path: Path) -> None:
    from fsoft.cli.main import main

    path, model = tmp_path / "p.c", tmp_path / "m.aag"
    path.write_text(HANDOVER)
    for contexts, code in ((2, 5), (3, 10)):
        assert main(["build", str(path), "--encoding", "tcbmc", "--contexts", str(contexts), "-o", str(model)]) == 0
        assert main(["check", str(model), "--engine", "sat"]) == code


def test_incremental_creates_more_threads(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Five threads are needed, three per creating statement are the default."""
    from fsoft.cli.main import main

    path = tmp_path / "p.c"
    path.write_text("""
        #include <pthread.h>
        #include <assert.h>
        _Atomic int n;
        void *count(void *a) { n++; return 0; }
        int main(void) { pthread_t t; while (__VERIFIER_nondet_int()) pthread_create(&t, 0, count, 0); assert(n < 5); }
    """)
    common = ["check", str(path), "--encoding", "tcbmc", "--incremental", "--no-trace"]
    assert main([*common, "--threads", "3", "--timeout", "20"]) in (5, 31)
    assert main(common) == 10
    assert "--threads" in capfd.readouterr().out


DETACHED = """
#include <pthread.h>
#include <assert.h>
int __VERIFIER_nondet_int(void);
int g;
void *f(void *a) { g++; return 0; }
int main(void) {
  while (__VERIFIER_nondet_int()) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_detach(t); }
  assert(g < 3);
}
"""


@pytest.mark.parametrize("encoding", ["tcbmc", "lazy", "mu", "schedule"])
def test_a_bound_that_cannot_grow_does_not_keep_others_from_growing(tmp_path: Path, encoding: str) -> None:
    """One slot, used again and again: that there is no other cuts, but so does the loop, and the error is in its third round."""
    path = tmp_path / "p.c"
    path.write_text(DETACHED)
    one = load([str(path)], Options(threads=1))
    assert answer(one, encoding, encoding_of(encoding).bounds(Bounds(1), incremental=True)).last_line() == "FALSE(unreach-call)"
    raised = answer(one, "tcbmc", TcbmcBounds(Bounds(1), incremental=True), raised=lambda verdict: verdict.cuts[0].kind == "slot")
    assert raised.last_line() == "UNKNOWN"


ENDLESS = """
#include <pthread.h>
#include <assert.h>
int __VERIFIER_nondet_int(void);
int x, y;
void *worker(void *a) { while (__VERIFIER_nondet_int()) x++; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, worker, 0); y = 1; assert(y == 1); return 0; }
"""


@pytest.mark.parametrize("encoding", ["tcbmc", "lazy", "mu", "schedule"])
def test_a_loop_that_the_user_has_bounded_does_not_grow(tmp_path: Path, encoding: str) -> None:
    """It cuts, and nothing else does: there is no more to do. (All others grew, until one was too large.)"""
    path, said = tmp_path / "p.c", []
    path.write_text(ENDLESS)
    given = given_for(encoding, unwindset=((("", "worker.0"), 1),), incremental=True)
    verdict = answer(load([str(path)]), encoding, given, say=said.append)
    assert verdict.last_line() == "UNKNOWN" and len(said) < 8
    assert "may run more than 1 time (--unwindset worker:worker.0:2)" in str(verdict.cuts[0])
    assert all("--unwind 1, --unwindset worker.0:1: " in line for line in said)
    assert "loop worker.0 of thread worker may run more than 1 time, " in said[-1]


def test_bounds_that_cannot_grow_further_end_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The verdict is that of the last step."""
    monkeypatch.setattr("fsoft.passes.bounds.MOST", 2)
    path = tmp_path / "p.c"
    path.write_text(ENDLESS)
    verdict = answer(load([str(path)]), "lazy", LazyBounds(Bounds(1), incremental=True))
    assert verdict.last_line() == "UNKNOWN" and verdict.stats.covered.endswith("and main once more, --unwind 2")
    assert verdict.reasons[-1] == "no bound can grow further: loops cannot be unwound 3 times: --unwind wants a number from 1 to 2"


def test_what_was_covered_when_the_time_is_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from fsoft.cli import exits, stages
    from fsoft.cli.main import main

    path = tmp_path / "p.c"
    path.write_text(ENDLESS)
    steps = iter(range(2))

    def say(_watch: object, _line: str) -> None:
        if next(steps, None) is None:
            raise exits.OutOfTime

    monkeypatch.setattr(stages.CheckWatch, "say", say)
    assert main(["check", str(path), "--encoding", "tcbmc", "--incremental"]) == 31
    assert "time limit reached: no violation within 7 contexts (round-robin), --unwind 3, " in capsys.readouterr().out
