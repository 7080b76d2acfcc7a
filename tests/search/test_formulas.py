"""Schedule recording and underapproximation with widening: verdicts, coverage, cores."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.ask.by_name import encoding_of, given_for
from fsoft.ask.encodings import answer
from fsoft.bounded.schedule import ScheduleBounds, schedule
from fsoft.checkers.registry import model_engine
from fsoft.circuit.bits.bitblast import bitblast
from fsoft.passes.unwind import unwind
from fsoft.program.program import Program
from fsoft.search.uw import UwBounds, first_interleaving, search_uw
from fsoft.solve.terms import SOLVERS
from tests.search.programs import LOCKS, main_with, program

SWAPPED = "int y; void *f(void *a) { assert(!y); return 0; } void *g(void *a) { y = 1; return 0; }" + main_with("f", "g")
"""Wrong where the second thread comes before the first."""
LATE = """
int a, b;
void *set(void *x) { a = 1; b = -1; return 0; }
void *check(void *x) { int p = a, q = b; assert(p + q == 0); return 0; }
""" + main_with("set", "check")
"""Wrong where the second thread comes between the two writes."""


def test_the_first_interleaving(tmp_path: Path) -> None:
    """Each thread goes on while it can: main until it joins, then the first, then main again, and so on."""
    assert first_interleaving(program(tmp_path, LATE)) == [0, 1, 0, 2, 0]


@pytest.mark.parametrize("solver", SOLVERS)
def test_widening_follows_the_core(tmp_path: Path, solver: str) -> None:
    """The first interleaving is right; the literals that the core names let the bug in, and not all of them are needed."""
    heard: list[str] = []
    verdict = search_uw(program(tmp_path, SWAPPED), UwBounds(context_bound=3, solver=solver), say=heard.append)
    assert verdict.last_line() == "FALSE(unreach-call)"
    counts = verdict.stats.counts
    assert 2 <= counts["iterations"] == len(heard) <= 3
    assert 0 < counts["released"] <= counts["literals"] / 2
    assert heard[0].startswith("iteration 1: released ts.") and ": a violation (" in heard[-1]


@pytest.mark.parametrize("solver", SOLVERS)
def test_no_literal_in_the_core(tmp_path: Path, solver: str) -> None:
    """What holds whatever the schedule needs one question, or as many as the cores have reasons."""
    right = LATE.replace("p + q == 0", "p + q < 2")
    verdict = search_uw(program(tmp_path, right), UwBounds(context_bound=3, solver=solver))
    assert verdict.kind == "UNKNOWN" and verdict.cuts[0].kind == "switches"
    assert verdict.stats.counts["iterations"] <= 3


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_core_is_asked_again_whether_it_is_needed(tmp_path: Path, solver: str) -> None:
    """Capped counters are what they are in every schedule: one iteration, whatever the solver blames first."""
    capped = "__VERIFIER_atomic_begin(); x++; if (x > 1) x--; __VERIFIER_atomic_end();"
    text = f"int x; void *f(void *a) {{ for (int i = 0; i < 2; i++) {{ {capped} }} assert(x == 1); return 0; }}" + main_with("f", "f")
    verdict = search_uw(program(tmp_path, text), UwBounds(context_bound=2, solver=solver))
    counts = verdict.stats.counts
    assert verdict.kind == "UNKNOWN" and verdict.cuts[0].kind == "switches"
    assert (counts["iterations"], counts["released"]) == (1, 0)


def test_all_of_it(tmp_path: Path) -> None:
    """Bounds grow until they cut nothing: then it is TRUE."""
    text = LOCKS + "int x; void *f(void *a) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }"
    text += "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); assert(x == 2); return 0; }"
    loaded = program(tmp_path, text)
    for encoding in ("schedule", "uw"):
        given = encoding_of(encoding).bounds(context_bound=2, incremental=True)  # type: ignore[call-arg]
        assert answer(loaded, encoding, given).kind == "TRUE"
        broken = program(tmp_path, text.replace("x == 2", "x != 2"))
        assert answer(broken, encoding, given).last_line() == "FALSE(unreach-call)"


@pytest.mark.parametrize("encoding", ["schedule", "uw"])
def test_states(tmp_path: Path, encoding: str) -> None:
    """Races, deadlocks and leaks are asked about the last state of a run, which may be any."""
    race = "int x; void *f(void *a) { x++; return 0; }" + main_with("f", "f")
    assert _on(program(tmp_path, race, checks="no-data-race"), encoding) == "FALSE(no-data-race)"
    deadlock = LOCKS + "void *f(void *a) { pthread_mutex_lock(&m); return 0; }" + main_with("f", "f")
    assert _on(program(tmp_path, deadlock, checks="no-deadlock"), encoding) == "FALSE(no-deadlock)"
    leak = "void *f(void *a) { malloc(4); return 0; }" + main_with("f")
    assert _on(program(tmp_path, leak, checks="valid-memtrack"), encoding) == "FALSE(valid-memtrack)"


def _on(loaded: Program, encoding: str) -> str:
    return answer(loaded, encoding, given_for(encoding, context_bound=4)).last_line()


@pytest.mark.parametrize("engine", ["sat", "smt", "bmc"])
def test_any_engine_takes_the_formula(tmp_path: Path, engine: str) -> None:
    formula = schedule(unwind(program(tmp_path, LATE)), ScheduleBounds(context_bound=3))
    assert not formula.model.states
    given = formula.model if engine == "smt" else bitblast(formula.model)
    found = model_engine(engine).made().check(given, bad="unreach-call")
    moves = formula.run(found.stimulus.inputs[-1], "unreach-call")  # type: ignore[union-attr]
    assert [move.slot for move in moves if move.slot][-1] == 2


def test_blocking_inside_an_atomic_section_ends_the_run(tmp_path: Path) -> None:
    """Nobody sees a section half done."""
    text = """
int x, y;
void *f(void *a) { __VERIFIER_atomic_begin(); x = 1; __VERIFIER_assume(y); x = 0; __VERIFIER_atomic_end(); return 0; }
void *g(void *a) { assert(!x); y = 1; return 0; }
""" + main_with("f", "g")
    for encoding in ("schedule", "uw", "paths"):
        verdict = answer(program(tmp_path, text), encoding, given_for(encoding, context_bound=4))
        assert verdict.kind != "FALSE"
