"""Unwinding: the shape of the result, where it cuts, spin loops, restarts; and agreement with the explorer on random programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.ask.load import load
from fsoft.checkers.explicit.engine import explore
from fsoft.passes.bounds import BadBound, read_unwindset
from fsoft.passes.unwind import Bounds, Unwound, unwind
from fsoft.program.options import Options
from fsoft.program.program import Halt
from tests.passes.unwinding import acyclic, campaign, replays

HEAD = "#include <pthread.h>\n#include <assert.h>\nint __VERIFIER_nondet_int(void);\nint x, flag;\n"


def unwound(folder: Path, text: str, bounds: Bounds | None = None, check: str = "unreach-call") -> Unwound:
    path = folder / "p.c"
    path.write_text(HEAD + text)
    result = unwind(load([str(path)], Options(checks=frozenset({check}))), bounds)
    assert acyclic(result)
    return result


def halts(result: Unwound, kind: str) -> int:
    actions = [a for t in result.program.threads for s in t.template.steps for a in s.actions]
    return sum(isinstance(a, Halt) and a.kind == kind and a.marker in (None, *loop_markers(result)) for a in actions)


def loop_markers(result: Unwound) -> list[int]:
    return [k for k, marker in enumerate(result.program.markers) if marker.kind == "loop"]


def test_a_loop_that_constants_decide_is_unwound_in_full(tmp_path: Path) -> None:
    result = unwound(tmp_path, "int main() { for (int i = 0; i < 7; i++) { x++; assert(x < 7); } return 0; }", Bounds(1))
    assert not loop_markers(result)
    verdict = explore(result.program)
    assert verdict.kind == "FALSE" and replays(result, verdict)


@pytest.mark.parametrize("bound, kind", [(2, "UNKNOWN"), (3, "TRUE"), (4, "TRUE")])
def test_a_cut_forbids_true(tmp_path: Path, bound: int, kind: str) -> None:
    text = "int main() { int n = __VERIFIER_nondet_int(); if (n > 3) n = 3; int i = 0; while (i < n) i++; assert(i <= 3); return 0; }"
    verdict = explore(unwound(tmp_path, text, Bounds(bound)).program)
    assert verdict.kind == kind
    assert kind == "TRUE" or any("--unwind" in str(cut) and "main.0" in str(cut) for cut in verdict.cuts)


@pytest.mark.parametrize(
    "each, kind", [("main.0:3", "TRUE"), ("main:main.0:3", "TRUE"), ("0:main.0:2", "UNKNOWN"), ("main.0:0", "UNKNOWN")]
)
def test_bounds_of_single_loops(tmp_path: Path, each: str, kind: str) -> None:
    text = "int main() { int n = __VERIFIER_nondet_int(); if (n > 3) n = 3; int i = 0; while (i < n) i++; assert(i <= 3); return 0; }"
    assert explore(unwound(tmp_path, text, Bounds(1, read_unwindset([each]))).program).kind == kind


@pytest.mark.parametrize("bounds", [Bounds(0), Bounds(1, ((("", "nowhere.0"), 2),)), Bounds(1, ((("nobody", "main.0"), 2),))])
def test_bounds_that_mean_nothing(tmp_path: Path, bounds: Bounds) -> None:
    with pytest.raises(BadBound):
        unwound(tmp_path, "int main() { while (__VERIFIER_nondet_int()) x++; return 0; }", bounds)


def test_a_bound_for_a_loop_of_another_thread(tmp_path: Path) -> None:
    text = """void *worker(void *a) { while (__VERIFIER_nondet_int()) x++; return a; }
    int main() { pthread_t t; pthread_create(&t, 0, worker, 0); return 0; }"""
    for thread in ("worker", "1"):
        unwound(tmp_path, text, Bounds(1, read_unwindset([f"{thread}:worker.0:2,{thread}:start:1"])))
    for thread in ("main", "0"):
        with pytest.raises(BadBound, match=f"thread '{thread}' has no loop 'worker.0'"):
            unwound(tmp_path, text, Bounds(1, read_unwindset([f"{thread}:worker.0:2"])))


@pytest.mark.parametrize("text", ["", "main.0", "a:b:c:1", "main.0:-1", ":main.0:1", "main.0:" + "9" * 5000])
def test_sets_of_bounds_that_cannot_be_read(text: str) -> None:
    with pytest.raises(BadBound):
        read_unwindset([text])


SPIN = """
void *worker(void *a) { x = 1; flag = 1; return 0; }
int main() { pthread_t t; pthread_create(&t, 0, worker, 0); while (%s) %s; assert(x == %d); return 0; }
"""


def test_only_the_last_round_of_a_spin_loop_is_kept(tmp_path: Path) -> None:
    safe = unwound(tmp_path, SPIN % ("!flag", "", 1))
    assert not loop_markers(safe) and halts(safe, "pruned") == 1
    assert explore(safe.program).kind == "TRUE"
    unsafe = unwound(tmp_path, SPIN % ("!flag", "", 0))
    verdict = explore(unsafe.program)
    assert verdict.kind == "FALSE" and replays(unsafe, verdict)


@pytest.mark.parametrize("condition, body", [("!flag", "x = 1"), ("!flag", "assert(x < 2)"), ("i++ < x", "")])
def test_loops_that_do_something_are_no_spin_loops(tmp_path: Path, condition: str, body: str) -> None:
    assert loop_markers(unwound(tmp_path, "int i;" + SPIN % (condition, body, 1)))


def test_spinning_counts_where_deadlocks_are_asked_for(tmp_path: Path) -> None:
    assert loop_markers(unwound(tmp_path, SPIN % ("!flag", "", 1), check="no-deadlock"))


RESTARTS = """
void *worker(void *a) { x++; return 0; }
int main() { pthread_t t; while (x < 2) { pthread_create(&t, 0, worker, 0); pthread_join(t, 0); } assert(x %s); return 0; }
"""


def test_a_slot_that_is_started_again(tmp_path: Path) -> None:
    assert explore(unwound(tmp_path, RESTARTS % "== 2", Bounds(2)).program).kind == "TRUE"
    assert explore(unwound(tmp_path, RESTARTS % "== 2", Bounds(1)).program).kind == "UNKNOWN"
    unsafe = unwound(tmp_path, RESTARTS % "< 2", Bounds(2))
    verdict = explore(unsafe.program)
    assert verdict.kind == "FALSE" and replays(unsafe, verdict)


def test_a_finished_slot_is_no_deadlock(tmp_path: Path) -> None:
    assert explore(unwound(tmp_path, RESTARTS % "== 2", Bounds(2), "no-deadlock").program).kind == "TRUE"


def test_a_restart_beyond_the_bound_is_a_cut(tmp_path: Path) -> None:
    bounds = Bounds(2, read_unwindset(["start:1"]))
    verdict = explore(unwound(tmp_path, RESTARTS % "== 2", bounds).program)
    assert verdict.kind == "UNKNOWN" and any("started more than 1 time" in cut.what for cut in verdict.cuts)


def test_one_copy_of_a_function_for_all_its_calls(tmp_path: Path) -> None:
    text = "int f(int a) { x += a; return x; }\nint main() { f(1); f(2); f(3); assert(x == 6); return 0; }"
    path = tmp_path / "p.c"
    path.write_text(HEAD + text)
    result = unwind(load([str(path)], Options(calls="once")), Bounds(1))
    assert acyclic(result) and explore(result.program).kind == "TRUE"


def test_jumps_into_loops(tmp_path: Path) -> None:
    text = """int main() { int n = 0; if (__VERIFIER_nondet_int()) goto inside; while (n < 3) { n++; inside: x++; if (x > 9) break; }
    assert(x == 3 || x == 4); return 0; }"""
    verdict = explore(unwound(tmp_path, text, Bounds(4)).program)
    assert verdict.kind == "TRUE"


@pytest.mark.parametrize("check", ["unreach-call", "no-deadlock", "no-data-race"])
def test_random_programs(check: str) -> None:
    tally = campaign(range(1000, 1015), check)
    assert not tally.wrong
    assert tally.decided >= 0.8 * tally.asked
