"""Model checkers on programs: evidence comes home, bounds are named, and no answer contradicts the table of `models/`."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from fsoft.ask.circuits import decide, verdict_of
from fsoft.ask.engines import ask_engine
from fsoft.ask.load import Options, check, load
from fsoft.checkers.registry import UnknownEngine, any_engine
from fsoft.circuit.encode.encoding import encode
from fsoft.circuit.encode.scheduler import ContextScheduler, FixedScheduler, RoundsScheduler
from fsoft.circuit.model.verdict import Proved, Unknown
from fsoft.program.cuts import cut_of_bound
from fsoft.program.interpreter import Machine
from fsoft.program.program import Program
from fsoft.program.replay import play
from fsoft.program.state import Violation
from fsoft.program.verdict import Stats, Verdict
from tests.models.table import Row, rows

ENGINES = ("bmc", "kinduction", "pdr", "bdd", "abc")

PREFIX = """#include <assert.h>
#include <stdlib.h>
#include <pthread.h>
int __VERIFIER_nondet_int(void);
"""
RACE = (
    PREFIX
    + """int x;
void *f(void *a) { int y = x; x = y + 1; return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  int y = x; x = y + 1;
  pthread_join(t, 0);
  assert(x == 2);
  return 0;
}
"""
)
LOCKED = RACE.replace("int x;", "int x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;").replace(
    "int y = x; x = y + 1;", "pthread_mutex_lock(&m); { int y = x; x = y + 1; } pthread_mutex_unlock(&m);"
)


def program(text: str, folder: Path, **options: object) -> Program:
    (folder / "in.c").write_text(text)
    return load([str(folder / "in.c")], Options(**options))  # type: ignore[arg-type]


def usable(name: str) -> None:
    from fsoft.checkers.registry import model_engine

    why = model_engine(name).missing()
    if why:
        pytest.skip(why)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_counterexample_is_replayed(engine: str, tmp_path: Path) -> None:
    usable(engine)
    loaded = program(RACE, tmp_path)
    verdict = decide(loaded, engine, timeout=60)
    assert verdict.last_line() == "FALSE(unreach-call)"
    assert verdict.loc.line == 12
    last = play(Machine(loaded, compiled=False), verdict.trace)[-1]
    assert any(isinstance(event, Violation) for event in last.events)


@pytest.mark.parametrize("engine", ["pdr", "bdd", "abc"])
def test_a_proof_has_a_certificate(engine: str, tmp_path: Path) -> None:
    usable(engine)
    verdict = decide(program(LOCKED, tmp_path), engine, timeout=60)
    assert verdict.kind == "TRUE"
    assert any("invariant" in line for line in verdict.reasons)


def test_bmc_says_how_far_it_came(tmp_path: Path) -> None:
    verdict = decide(program(LOCKED, tmp_path), "bmc", depth=4)
    assert verdict.kind == "UNKNOWN" and verdict.reasons == ["no violation within 4 steps"]
    assert verdict.stats.depth == 4


def test_progress_is_heard(tmp_path: Path) -> None:
    depths: list[int] = []
    decide(program(LOCKED, tmp_path), "bmc", depth=3, progress=lambda stats: depths.append(stats.depth))
    assert depths == [0, 1, 2, 3]


BOUNDED = {
    "slot": ("void *f(void *a) { return 0; } int main(void) { while (__VERIFIER_nondet_int()) { pthread_t t; pthread_create(&t, 0, f, 0); }"
             " return 0; }", r"slot: more threads are created"),
    "heap": ("int main(void) { while (__VERIFIER_nondet_int()) { int *p = malloc(4); *p = 1; } return 0; }", r"heap: "),
    "recursion": ("int f(int n) { return n ? f(n - 1) : 0; } int main(void) { return f(9); }", r"recursion: "),
    "undefined": ("int main(void) { int *p = 0; if (__VERIFIER_nondet_int()) return *p; return 0; }", r"in\.c:5: undefined behaviour"),
    "division": ("int main(void) { int n = __VERIFIER_nondet_int(); return 1 / n; }", r"undefined behaviour: .*zero"),
}  # fmt: skip


@pytest.mark.parametrize("name", BOUNDED)
def test_a_reachable_bound_forbids_true_and_is_named(name: str, tmp_path: Path) -> None:
    import re

    text, pattern = BOUNDED[name]
    verdict = decide(program(PREFIX + text, tmp_path), "pdr", timeout=60)
    assert verdict.kind == "UNKNOWN", verdict
    assert verdict.reasons[0] == "no violation is reachable, but a bound cuts"
    assert re.search(pattern, str(verdict.cuts[0])), verdict.cuts


def test_schedulers_bound(tmp_path: Path) -> None:
    loaded = program(RACE, tmp_path)
    assert decide(loaded, "bmc", scheduler=ContextScheduler(2), depth=30).kind == "UNKNOWN"
    assert decide(loaded, "bmc", scheduler=ContextScheduler(4), depth=30).kind == "FALSE"
    assert decide(loaded, "bmc", scheduler=RoundsScheduler(3), depth=40).kind == "FALSE"
    bounded = decide(loaded, "pdr", scheduler=FixedScheduler((0, 0)), timeout=30)
    assert bounded.kind == "UNKNOWN" and bounded.cuts[0].kind == "schedule"


def test_several_properties_at_once(tmp_path: Path) -> None:
    checks = frozenset({"unreach-call", "valid-deref", "no-overflow"})
    text = PREFIX + "int a[3]; int main(void) { int i = __VERIFIER_nondet_int(); if (i >= 0 && i < 4) a[i] = 1; return 0; }"
    verdict = decide(program(text, tmp_path, checks=checks), "bmc")
    assert verdict.last_line() == "FALSE(valid-deref)"


def test_an_approximation_on_the_trace_forbids_false(tmp_path: Path) -> None:
    text = PREFIX + "int unknown(void); int main(void) { int n = unknown(); assert(n != 7); return 0; }"
    for engine in ("bmc", "explicit"):
        verdict = ask_engine(any_engine(engine), program(text, tmp_path))
        assert verdict.kind == "UNKNOWN" and "depends on: what 'unknown' does" in str(verdict.cuts[0]), verdict


@pytest.mark.parametrize("engine", ["bmc", "pdr"])
def test_values_that_random_runs_never_take_are_found(engine: str, tmp_path: Path) -> None:
    text = PREFIX + "int x; int main(void) { int n = __VERIFIER_nondet_int(); if (n == 70000) x = -100000; assert(x == 0); return 0; }"
    assert decide(program(text, tmp_path), engine, timeout=60).kind == "FALSE"
    safe = decide(program(text.replace("x == 0", "x <= 0"), tmp_path), engine, timeout=60)
    assert safe.kind == "TRUE", safe


def test_answers_in_words(tmp_path: Path) -> None:
    encoding = encode(program(LOCKED, tmp_path))

    def words(answer: Proved | Unknown) -> Verdict:
        return verdict_of(encoding, answer, Stats(), "some")

    assert words(Proved(())).reasons == ["proved by some, uncertified: trusts some"]
    assert words(Unknown(-1, "no memory")).reasons == ["nothing is known: no memory"]
    assert words(Unknown(7, "time limit reached")).reasons == ["no violation within 7 steps (time limit reached)"]
    assert words(Unknown(7, "x", proved=True)).reasons == ["no violation is reachable, but whether a bound cuts is not known (x)"]
    several = words(Unknown(7, "x", ("contexts", "rounds"), proved=True, more=True))
    assert [cut.kind for cut in several.cuts] == ["contexts", "rounds", "others"]
    assert str(cut_of_bound(encoding.program, "access@a.c:3")).startswith("a.c:3: the circuit does not follow")
    assert "--contexts" in str(cut_of_bound(encoding.program, "contexts"))


def test_engines_are_found_by_name(tmp_path: Path) -> None:
    assert any_engine("explicit").takes == "program"
    assert any_engine("bmc").takes == "model"
    with pytest.raises(UnknownEngine, match="no engine 'warp': one of explicit, lock-order, parametric, values, bmc"):
        any_engine("warp")


def test_the_python_door_takes_model_checkers(tmp_path: Path) -> None:
    (tmp_path / "in.c").write_text(RACE)
    assert check([str(tmp_path / "in.c")], engine="bmc").last_line() == "FALSE(unreach-call)"


# ---------------------------------------------------------------- the table

STATE_PROPERTIES = ("no-data-race", "no-deadlock", "valid-memtrack")  # test_states.py has those
SMALL = (
    "mutex/peterson.c", "mutex/dekker.c", "mutex/burns.c", "classic/account.c", "classic/fsoft_figure1.c", "classic/fsoft_figure2.c",
    "checks/overflow.c", "checks/division.c", "checks/shift.c", "memory/null.c", "memory/bounds.c", "memory/negative.c",
    "heap/double_free.c", "heap/use_after_free.c", "heap/reuse.c", "probes/halt.c", "probes/prune.c", "probes/atomic_section.c",
    "probes/fold_assume.c", "sync/lost_wakeup.c", "locks/trylock.c", "threads/join_result.c", "atomics/store_buffer.c", "atomics/counter.c",
)  # fmt: skip


def small_rows() -> list[Row]:
    return [row for row in rows() if row.program in SMALL and row.prop not in STATE_PROPERTIES and not row.options]


def ask(row: Row, engine: str, seconds: float) -> tuple[str, float]:
    loaded = load([str(row.path)], Options(checks=frozenset({row.prop})), bits=row.bits, define=row.defines)
    start = time.monotonic()
    return decide(loaded, engine, timeout=seconds).last_line(), time.monotonic() - start


def test_bmc_finds_the_bugs_of_the_small_models(capsys: pytest.CaptureFixture[str]) -> None:
    chosen = [row for row in small_rows() if row.verdict.startswith("FALSE")]
    answers = {row.name: (ask(row, "bmc", 30)[0], row.verdict) for row in chosen}
    wrong = {name: answer for name, (answer, expected) in answers.items() if answer not in (expected, "UNKNOWN")}
    decided = sum(answer == expected for answer, expected in answers.values())
    with capsys.disabled():
        print(f"\nbmc: {decided}/{len(chosen)} of the FALSE rows decided")
    assert wrong == {}
    assert decided >= 0.9 * len(chosen)


@pytest.mark.parametrize(("engine", "seconds"), [("pdr", 3.0), ("kinduction", 1.0)])
def test_provers_never_contradict_the_table(engine: str, seconds: float, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = small_rows()[::2]
    answers = {row.name: (ask(row, engine, seconds)[0], row.verdict) for row in chosen}
    wrong = {name: answer for name, (answer, expected) in answers.items() if answer not in (expected, "UNKNOWN")}
    decided = sum(answer == expected for answer, expected in answers.values())
    with capsys.disabled():
        print(f"\n{engine}: {decided}/{len(chosen)} rows decided in {seconds:g} s each")
    assert wrong == {}
