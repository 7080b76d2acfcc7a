"""The search over paths: verdicts, properties in one run, bounds, limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.ask.load import load
from fsoft.frontend.source import Source
from fsoft.passes.bounds import Bounds
from fsoft.program.options import Options
from fsoft.program.verdict import Verdict
from fsoft.search.paths import PathsBounds, check_paths, search_paths
from fsoft.search.settings import Settings
from fsoft.solve.terms import SOLVERS
from tests.models.table import MODELS
from tests.search.programs import LOCKS, main_with, program

INPUT = """
int x;
void *f(void *a) { int n = __VERIFIER_nondet_int(); __VERIFIER_assume(n > 3 && n < 7); x = n; return 0; }
void *g(void *a) { int y = x; assert(y * y != 36); return 0; }
""" + main_with("f", "g")
CROSSED = (
    LOCKS
    + """
void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); pthread_mutex_unlock(&m); return 0; }
void *g(void *a) { pthread_mutex_lock(&n); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&n); return 0; }
"""
    + main_with("f", "g")
)


def verdict_on(folder: Path, text: str, checks: str = "unreach-call", **settings: object) -> Verdict:
    return check_paths(program(folder, text, checks=checks), Settings(**settings))[0]  # type: ignore[arg-type]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("eager", [False, True])
def test_the_solver_finds_the_value(tmp_path: Path, solver: str, eager: bool) -> None:
    verdict = verdict_on(tmp_path, INPUT, solver=solver, eager=eager)
    assert verdict.last_line() == "FALSE(unreach-call)"
    assert any(6 in move.choices for move in verdict.trace)


def test_values_that_the_assumption_excludes(tmp_path: Path) -> None:
    verdict = verdict_on(tmp_path, INPUT.replace("36", "49"), por="source")
    assert verdict.kind == "TRUE"
    assert verdict.stats.counts["questions"] > 0


def test_constants_need_no_solver(tmp_path: Path) -> None:
    text = "int x; void *f(void *a) { x = 1; if (x > 1) assert(0); return 0; }" + main_with("f")
    verdict = verdict_on(tmp_path, text)
    assert verdict.kind == "TRUE" and verdict.stats.counts["questions"] == 0


def test_decided_branches_do_not_fork(tmp_path: Path) -> None:
    """The second branch on the same condition is decided by the first."""
    body = "int n = __VERIFIER_nondet_int(); if (n > 5) x = 1; else x = 2; if (n > 5) assert(x == 1); else assert(x == 2);"
    text = f"int x; void *f(void *a) {{ {body} return 0; }}" + main_with("f")
    verdict = verdict_on(tmp_path, text)
    assert verdict.kind == "TRUE"
    assert verdict.stats.counts["interleavings"] <= 2 * 3


def test_eager_guards_cut_what_cannot_be(tmp_path: Path) -> None:
    body = "int n = __VERIFIER_nondet_int(); if (n > 5) { x = 1; if (n < 3) { x = 2; x = 3; } }"
    text = f"int x; void f(void) {{ {body} }} void g(void) {{ x = 7; }}"
    lazy = check_paths(program(tmp_path, text, "f", "g"), Settings())[0]
    eager = check_paths(program(tmp_path, text, "f", "g"), Settings(eager=True))[0]
    assert lazy.kind == eager.kind == "TRUE"
    assert eager.stats.counts["infeasible"] > 0
    assert eager.stats.counts["interleavings"] < lazy.stats.counts["interleavings"]


@pytest.mark.parametrize("por", ["none", "sleep", "persistent", "source"])
def test_deadlock(tmp_path: Path, por: str) -> None:
    assert verdict_on(tmp_path, CROSSED, "no-deadlock", por=por).last_line() == "FALSE(no-deadlock)"
    straight = CROSSED.replace("lock(&n); pthread_mutex_lock(&m)", "lock(&m); pthread_mutex_lock(&n)")
    assert verdict_on(tmp_path, straight, "no-deadlock", por=por, merge=por == "none").kind == "TRUE"


@pytest.mark.parametrize("por", ["none", "sleep", "persistent", "source"])
def test_a_deadlock_from_which_a_thread_may_wake_for_no_reason(tmp_path: Path, por: str) -> None:
    """That state is not the end of a path, and no race leads there."""
    text = (MODELS / "sync" / "never_signalled.c").read_text()
    assert verdict_on(tmp_path, text, "no-deadlock", por=por).last_line() == "FALSE(no-deadlock)"
    assert verdict_on(tmp_path, "#define SIGNAL\n" + text, "no-deadlock", por=por, merge=por == "none").kind == "TRUE"


@pytest.mark.parametrize("por", ["none", "sleep", "persistent", "source"])
@pytest.mark.parametrize("define", ["", "SHARED", "SECTION", "LOOP", "LOCKED", "CREATED", "SAFE"])
def test_others_go_on_where_a_thread_waits_or_ends_the_run(por: str, define: str) -> None:
    """Where values that the path leaves open decide whether a thread can move, or the run ends with it, the others are tried as well."""
    source = Source(str(MODELS / "probes/others_go_on.c"), define=(define,) if define else ())
    loaded = load([source], Options(checks=frozenset({"unreach-call"})))
    assert check_paths(loaded, Settings(por=por))[0].kind == ("TRUE" if define == "SAFE" else "FALSE")


@pytest.mark.parametrize("por", ["sleep", "persistent", "source"])
@pytest.mark.parametrize("define", ["", "BOTH", "COPY", "SAFE"])
def test_what_comes_between_the_steps_of_an_endless_loop(por: str, define: str) -> None:
    source = Source(str(MODELS / "probes/blinking.c"), define=(define,) if define else ())
    loaded = load([source], Options(checks=frozenset({"unreach-call"})))
    assert check_paths(loaded, Settings(por=por))[0].kind == ("TRUE" if define == "SAFE" else "FALSE")


def test_relocking_is_tested(tmp_path: Path) -> None:
    """Where the paper's figure 8 takes the mutex again without a test: a waiter that is woken must wait for the mutex."""
    text = (
        LOCKS
        + """
pthread_cond_t c = PTHREAD_COND_INITIALIZER; int ready, inside;
void *f(void *a) { pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m); inside = 1; inside = 0; pthread_mutex_unlock(&m);
  return 0; }
void *g(void *a) { pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); assert(!inside); pthread_mutex_unlock(&m); return 0; }
"""
        + main_with("f", "g")
    )
    assert verdict_on(tmp_path, text, "unreach-call no-deadlock", merge=True).kind == "TRUE"


def test_properties_in_one_run(tmp_path: Path) -> None:
    """One search, a verdict for each property."""
    text = """
int x, a[3];
void *f(void *unused) { x = __VERIFIER_nondet_int(); a[x & 3] = 1; assert(10 / (x | 1) <= 10); return 0; }
""" + main_with("f")
    checks = "unreach-call valid-deref no-division-by-zero no-overflow no-data-race no-deadlock"
    found = {one.prop: one.kind for one in check_paths(program(tmp_path, text, checks=checks), Settings(several=True))}
    assert found.pop("valid-deref") == "FALSE"
    assert found.pop("unreach-call") == "UNKNOWN"  # runs stop where memory is not valid
    assert set(found.values()) == {"UNKNOWN"}


BEFORE_ANOTHER = {
    "quiet": ("int x = 0; assert(x);", "z = 0; z = 1;", "int y = 5 / z;"),  # nobody sees the step that fails
    "folded": ("z = 0; assert(0);", "", "int y = 5 / z;"),  # the step that fails does something first
    "undefined": ("int x = 0; x = 5 / x;", "z = 0; z = 1;", "assert(z);"),
}


@pytest.mark.parametrize("por", ["none", "sleep", "persistent", "source"])
@pytest.mark.parametrize("bodies", BEFORE_ANOTHER.values(), ids=BEFORE_ANOTHER)
def test_what_the_others_do_before_a_violation(tmp_path: Path, bodies: tuple[str, ...], por: str) -> None:
    """With one property the search ends at a violation; with several it has to know what the others may do instead."""
    threads = "".join(f"void *{name}(void *unused) {{ {body} return 0; }}\n" for name, body in zip("fgh", bodies, strict=True))
    loaded = program(tmp_path, "int z = 1;\n" + threads + main_with("f", "g", "h"), checks="unreach-call no-division-by-zero no-overflow")
    found = {one.prop: one.kind for one in check_paths(loaded, Settings(several=True, por=por))}
    assert found == {"unreach-call": "FALSE", "no-division-by-zero": "FALSE", "no-overflow": "UNKNOWN"}


def test_who_waits_for_a_thread_that_failed_is_in_no_deadlock(tmp_path: Path) -> None:
    text = LOCKS + "void *f(void *a) { pthread_mutex_lock(&m); assert(0); pthread_mutex_unlock(&m); return 0; }" + main_with("f", "f")
    found = check_paths(program(tmp_path, text, checks="unreach-call no-deadlock"), Settings(several=True))
    assert [one.last_line() for one in found] == ["TRUE", "FALSE(unreach-call)"]


def test_several_become_one(tmp_path: Path) -> None:
    text = "int x; void *f(void *a) { x++; assert(x < 2); return 0; }" + main_with("f", "f")
    loaded = program(tmp_path, text, checks="unreach-call no-deadlock")
    verdict = search_paths(loaded, PathsBounds(several=True, merge=True))
    assert verdict.last_line() == "FALSE(unreach-call)"
    assert [line.split(":")[:2] for line in verdict.reasons[:2]] == [["no-deadlock", " TRUE"], ["unreach-call", " FALSE"]]


def test_races(tmp_path: Path) -> None:
    text = "int x; void *f(void *a) { x++; return 0; }" + main_with("f", "f")
    for por in ("none", "sleep", "persistent", "source"):
        assert verdict_on(tmp_path, text, "no-data-race", por=por).last_line() == "FALSE(no-data-race)"
    locked = LOCKS + text.replace("x++;", "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);")
    assert verdict_on(tmp_path, locked, "no-data-race", por="source").kind == "TRUE"


def test_leaks(tmp_path: Path) -> None:
    text = "void *f(void *a) { void *p = malloc(4); free(p); return 0; }" + main_with("f")
    assert verdict_on(tmp_path, text, "valid-memtrack").kind == "TRUE"
    assert verdict_on(tmp_path, text.replace("free(p);", ""), "valid-memtrack").last_line() == "FALSE(valid-memtrack)"


# ---------------------------------------------------------------- bounds and limits

LOOP = "int x; void *f(void *a) { int n = __VERIFIER_nondet_int(); while (n > 0) { n--; x++; } assert(x < 4); return 0; }" + main_with("f")


@pytest.mark.parametrize("por", ["none", "sleep", "persistent", "source"])
@pytest.mark.parametrize("define", ["", "GLOBAL", "OWN", "JOINED"])
def test_the_end_of_the_process_looks_at_memory_of_all_threads(por: str, define: str) -> None:
    source = Source(str(MODELS / "heap/leak_at_work.c"), define=(define,) if define else ())
    loaded = load([source], Options(checks=frozenset({"valid-memtrack"})))
    assert check_paths(loaded, Settings(por=por))[0].kind == ("TRUE" if define == "JOINED" else "FALSE")


def test_a_loop_is_cut_and_named(tmp_path: Path) -> None:
    verdict = verdict_on(tmp_path, LOOP, loops=Bounds(unwind=2))
    assert verdict.kind == "UNKNOWN"
    assert "--unwindset f.0:N" in verdict.cuts[0].remedy
    assert verdict_on(tmp_path, LOOP, loops=Bounds(unwind=4)).last_line() == "FALSE(unreach-call)"
    assert verdict_on(tmp_path, LOOP, loops=Bounds(each=((("", "f.0"), 4),))).last_line() == "FALSE(unreach-call)"


def test_bounds_grow(tmp_path: Path) -> None:
    heard: list[str] = []
    verdict = search_paths(program(tmp_path, LOOP), PathsBounds(loops=Bounds(unwind=1), incremental=True), say=heard.append)
    assert verdict.last_line() == "FALSE(unreach-call)"
    assert len(heard) > 2 and heard[0].startswith("at most 1 context switches, --unwind 1: UNKNOWN")


def test_waiting_in_a_loop_ends(tmp_path: Path) -> None:
    """A path that comes back to a state that it was in ends there: no bound is needed, and none is cut."""
    text = "_Atomic int flag; int x; void *f(void *a) { while (!flag) ; assert(x == 1); return 0; }"
    text += "void *g(void *a) { x = 1; flag = 1; return 0; }" + main_with("f", "g")
    for settings in ({}, {"merge": True}, {"por": "source"}, {"por": "sleep"}, {"por": "persistent"}):
        assert verdict_on(tmp_path, text, **settings).kind == "TRUE", settings
        broken = text.replace("x = 1; flag = 1;", "flag = 1; x = 1;")
        assert verdict_on(tmp_path, broken, **settings).kind == "FALSE", settings


def test_time_limit(tmp_path: Path) -> None:
    """Too many interleavings: the counts so far, and no verdict."""
    text = "int x; void f(void) { x = 1; x = 2; x = 3; x = 4; x = 5; x = 6; x = 7; }"
    verdict = check_paths(program(tmp_path, text, "f", "f", "f", "f"), Settings(seconds=0.3))[0]
    assert verdict.kind == "UNKNOWN"
    assert verdict.stats.counts["interleavings"] > 0
    assert "time limit reached" in verdict.reasons[0]


def test_impossible_settings() -> None:
    with pytest.raises(ValueError, match="context bound of 0"):
        Settings(contexts=0)
    with pytest.raises(ValueError, match="no reduction 'all'"):
        Settings(por="all")


def test_no_reduction_under_a_context_bound(tmp_path: Path) -> None:
    verdict = verdict_on(tmp_path, CROSSED, contexts=2, por="source")
    assert verdict.kind == "UNKNOWN" and verdict.reasons[-1].startswith("without reduction")


def test_every_question_as_a_file(tmp_path: Path) -> None:
    """The files say the same as the search: Z3 reads them."""
    z3 = pytest.importorskip("z3")
    folder = tmp_path / "questions"
    verdict = verdict_on(tmp_path, INPUT, dump=str(folder))
    files = sorted(folder.iterdir())
    assert len(files) == verdict.stats.counts["questions"] > 0
    answers = []
    for file in files:
        solver = z3.Solver()
        solver.from_file(str(file))
        answers.append(str(solver.check()))
    assert answers == ["unsat"] * (len(files) - 1) + ["sat"]
