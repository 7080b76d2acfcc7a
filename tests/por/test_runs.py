"""Stubborn sets for properties of runs: reduced and unreduced agree, something is left out, and a dropped rule is noticed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fsoft.ask.runs import Answered, check_circuit, check_explicit, load_watched
from fsoft.circuit.encode import live
from fsoft.program.options import Options
from fsoft.properties.ltl import Text, Watched, read
from fsoft.transactions import NO_REDUCTION, Reduction
from tests.fuzz.temporal import campaign
from tests.por import mutants
from tests.por.defects import _program

WITH_LOCKS = Reduction("cstub", "lock-pattern")

BETWEEN = (_program("x = 1; x = 2;", "y = 1; y = 2;"), "G !(x == 1 && y == 1)")
"""Nobody else touches x, and nobody y: only the formula sees that both are 1 at the same time."""

HALTING = (_program("x = 1;", main="pthread_t p; pthread_create(&p, 0, t0, 0);"), "G !x")
"""The end of the process keeps the other thread from its write."""

CIRCLING = (_program("while (1) { r = 1 - r; }", "x = 1;"), "G !x")
"""A thread that turns in its own circle must not keep the other from its write."""

RESTING = (
    "#include <pthread.h>\nint x; pthread_mutex_t m; pthread_cond_t c;\n"
    "void *w(void *p) { pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); x = 1; pthread_mutex_unlock(&m); return 0; }\n"
    "int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); pthread_join(t, 0); return 0; }\n",
    "F x",
)
"""Nobody signals. A spurious wake-up may come, but need not."""


def loaded(folder: Path, case: tuple[str, str]) -> tuple[Watched, Any]:
    (folder / "p.c").write_text(case[0])
    prop = read(Text(case[1]))
    return load_watched([str(folder / "p.c")], Options(), [prop]), prop


def answers(folder: Path, case: tuple[str, str], reduction: Reduction = WITH_LOCKS) -> set[str]:
    """What the reduced product and the reduced circuit say."""
    watched, prop = loaded(folder, case)
    found = [check_explicit(watched, prop, reduction=reduction), check_circuit(watched, prop, "bdd", reduction=reduction)]
    return {one.verdict.kind for one in found}


@pytest.mark.parametrize("case", [BETWEEN, HALTING, CIRCLING, RESTING], ids=["between", "halting", "circling", "resting"])
def test_violations_that_one_rule_decides(tmp_path: Path, case: tuple[str, str]) -> None:
    assert answers(tmp_path, case) == answers(tmp_path, case, NO_REDUCTION) == {"FALSE"}


@pytest.mark.parametrize(
    ("case", "mutant"),
    [(BETWEEN, mutants.nothing_visible), (HALTING, mutants.nobody_stops), (CIRCLING, mutants.none_sticky)],
    ids=["visibility", "halting", "sticky"],
)
def test_a_dropped_rule_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: tuple[str, str], mutant: Callable[[pytest.MonkeyPatch], None]
) -> None:
    mutant(monkeypatch)
    assert answers(tmp_path, case) == {"TRUE"}


def test_that_somebody_has_to_move_would_be_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The constraint that restricted circuits have for states is wrong for runs: nobody moves after the end."""
    watched, prop = loaded(tmp_path, (HALTING[0], "F x"))
    assert check_circuit(watched, prop, "bdd", reduction=WITH_LOCKS).verdict.kind == "FALSE"
    monkeypatch.setattr(live, "SCHEDULE", "no constraint of that name")
    assert check_circuit(watched, prop, "bdd", reduction=WITH_LOCKS).verdict.kind == "TRUE"


def _both(watched: Watched, prop: Any) -> list[Answered]:
    return [check_explicit(watched, prop, reduction=one) for one in (NO_REDUCTION, WITH_LOCKS)]


def test_something_is_left_out(tmp_path: Path) -> None:
    busy = "pthread_mutex_lock(&m); y++; y++; pthread_mutex_unlock(&m);"
    whole, reduced = _both(*loaded(tmp_path, (_program(busy, busy, "x = 1;"), "G (x == 0 || x == 1)")))
    assert whole.verdict.kind == reduced.verdict.kind == "TRUE"
    assert reduced.verdict.stats.transitions < whole.verdict.stats.transitions / 2 and reduced.verdict.stats.skipped
    assert reduced.verdict.reasons[-1] == "relies on: cstub, lock-pattern transactions"


@pytest.mark.parametrize(
    ("formula", "fairness", "why"), [("F x", "weak", "weak fairness"), ("X x", "none", "X in"), ("F running(1)", "none", "running")]
)
def test_where_steps_count_there_is_no_reduction(tmp_path: Path, formula: str, fairness: str, why: str) -> None:
    (tmp_path / "p.c").write_text(BETWEEN[0])
    prop = read(Text(formula), fairness)
    watched = load_watched([str(tmp_path / "p.c")], Options(), [prop])
    assert why in prop.unreducible()
    whole, asked = _both(watched, prop)
    assert asked.verdict.stats.states == whole.verdict.stats.states and asked.verdict.kind == whole.verdict.kind


def test_places_can_be_told_apart(tmp_path: Path) -> None:
    text = _program("a: y = 1; b: y = 2;", "c: x = 1; d: x = 2;")
    assert answers(tmp_path, (text, "G !(at(t0, b) && at(t1, d))")) == {"FALSE"}


def test_an_atom_that_reads_what_no_pointer_leads_to(tmp_path: Path) -> None:
    """The address comes from an integer: the reduction is given up."""
    text = BETWEEN[0].replace("int x, y;", "int x, y; unsigned long where;")
    text = text.replace("pthread_t p0;", "where = (unsigned long)&y; pthread_t p0;")
    whole, reduced = _both(*loaded(tmp_path, (text, "G (where == 0 || *(int *)where < 2)")))
    assert whole.verdict.kind == reduced.verdict.kind == "FALSE"


def test_random_pairs() -> None:
    tally = campaign(range(30_000, 30_016), {}, reducible=True)
    assert tally.wrong == [] and tally.decided["explicit, reduced"] >= 13
