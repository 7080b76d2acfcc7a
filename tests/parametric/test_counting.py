"""Counter abstraction: what it proves, what it does not, the judge of its states, and seeded defects of the search."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

import fsoft.checkers.parametric
import fsoft.parametric
import fsoft.parametric.counters as counters
from fsoft.ask.load import check
from fsoft.cli.main import main
from fsoft.parametric import Counted, NoProof, NotCovered, System, count, system_of, uncovered
from fsoft.parametric.counters import OMEGA, CounterShape, CounterState, Local
from fsoft.parametric.counting import Search
from fsoft.python.loaded import load
from tests.models.table import MODELS
from tests.parametric.programs import FOREVER, LOCKED, UNLOCKED, program_of, system_in, text

ATOMIC = "__VERIFIER_atomic_begin(); %s __VERIFIER_atomic_end();"
WAIT = "extern int __VERIFIER_nondet_bool(void); pthread_t t; while (__VERIFIER_nondet_bool()) pthread_create(&t, 0, worker, 0);"
PAIR = text(
    ATOMIC % "__VERIFIER_assume(x < 2); x++;" + ATOMIC % "y++;" + "assert(y <= 2);" + ATOMIC % "y--;" + ATOMIC % "x--;",
)
"""At most two are inside."""

LATE = text("while (!y) {} " + ATOMIC % "x++; assert(x <= 9);", WAIT + " y = 1; while (1) {}")
"""Wrong with ten threads, all of which are there before one of them moves."""

FIVE = text("if (who) assert(who != (unsigned long)pthread_self());", "who = 5; " + FOREVER)
"""Wrong, because 5 may be the number of a thread."""

SECTION = text(ATOMIC % "for (int i = 0; i < 3; i++) { x = !x; y = !y; }" + ATOMIC % "assert(x == y);")
"""Right: an atomic section of many steps changes both."""

NUMBERS = text("unsigned long seen = who; who = (unsigned long)pthread_self(); if (seen) assert(seen != (unsigned long)pthread_self());")
"""Right: what a thread has seen before it has written its number is the number of another."""

STALE = text("unsigned long seen = who; if (seen) assert(seen != who); who = (unsigned long)pthread_self();")
"""Wrong: what was seen may still be there, or not."""

CHOICE = text("int c = __VERIFIER_nondet_int(); if (c > 7) { " + ATOMIC % "x = 1; x = 0;" + " } assert(x == 0);")
CHOICE = CHOICE.replace("int x,", "int __VERIFIER_nondet_int(void); int x,")
"""Right, whatever a wide input is."""


def counted(system: System, **limits: Any) -> Counted | NoProof:
    return count(system, time.monotonic() + 60, **limits)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[System, Counted]:
    system = system_in(tmp_path_factory.mktemp("pair"), PAIR)
    states = counted(system)
    assert isinstance(states, Counted)
    return system, states


# ---------------------------------------------------------------- proofs


def test_two_threads_need_a_counter_of_two(found: tuple[System, Counted]) -> None:
    system, states = found
    assert states.level == 2 and uncovered(system, states.states) is None
    assert any(OMEGA in state.counts.values() and 2 in state.counts.values() for state in states.states)
    failed = counted(system, levels=(1,))
    assert isinstance(failed, NoProof) and "counters up to 1" in failed.why and "a failure here is not excluded" in failed.why


@pytest.mark.parametrize("source", [LOCKED, NUMBERS, CHOICE, SECTION], ids=["lock", "numbers", "wide input", "section"])
def test_right_programs_are_proved(tmp_path: Path, source: str) -> None:
    program = program_of(tmp_path, source)
    states = counted(system_of(program))
    assert isinstance(states, Counted) and uncovered(system_of(program), states.states) is None


@pytest.mark.parametrize("source", [UNLOCKED, LATE, STALE], ids=["no lock", "ten threads", "stale number"])
def test_wrong_programs_are_not(tmp_path: Path, source: str) -> None:
    failed = counted(system_in(tmp_path, source))
    assert isinstance(failed, NoProof) and "a failure here is not excluded" in failed.why


def test_what_does_not_end_says_how_far_it_came(tmp_path: Path) -> None:
    endless = text("pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); assert(x || !x || y);" + "assert(x != -5);")
    system = system_in(tmp_path, endless)
    many, crowded = counted(system, states=(200,)), counted(system, states=(40,))
    assert isinstance(many, NoProof) and "more than 200 abstract states" in many.why
    assert isinstance(crowded, NoProof) and "local states at a time" in crowded.why


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (FIVE, "may be the same"),
        (text("who = (unsigned long)pthread_self() + 1; assert(who != x);"), "computes with the number"),
    ],
    ids=["another number", "arithmetic"],
)
def test_numbers_of_threads_are_copied_and_compared_only(tmp_path: Path, source: str, why: str) -> None:
    with pytest.raises(NotCovered, match=why):
        counted(system_in(tmp_path, source))


# ---------------------------------------------------------------- the judge


def test_every_state_is_needed(found: tuple[System, Counted]) -> None:
    system, states = found
    for missing in range(len(states.states)):
        assert uncovered(system, states.states[:missing] + states.states[missing + 1 :]) is not None
    assert uncovered(system, ()) == "the initial state is not covered"


def test_every_number_is_needed(found: tuple[System, Counted]) -> None:
    system, states = found
    for k, state in list(enumerate(states.states))[::4]:
        for local, number in state.counts.items():
            less = {one: many for one, many in state.counts.items() if one != local}
            if number > 1:
                less[local] = 1
            assert uncovered(system, (*states.states[:k], CounterState(state.whole, less), *states.states[k + 1 :])) is not None


def test_more_than_is_reachable_may_be_bad(found: tuple[System, Counted]) -> None:
    system, states = found
    worse = [CounterState(state.whole, dict.fromkeys(state.counts, OMEGA)) for state in states.states]
    assert uncovered(system, worse) is not None
    wrong = states.states[0]._replace(whole=states.states[0].whole[1:])
    assert uncovered(system, (*states.states, wrong)) == "a state is not one of this system"


def test_nobody_may_be_forgotten_inside_an_atomic_section(tmp_path: Path) -> None:
    system = system_in(tmp_path, SECTION)
    shape, states = CounterShape(system), counted(system)
    assert isinstance(states, Counted)
    inside, outside = next(
        (state.counts, {local: n for local, n in state.counts.items() if not shape.inside(local)})
        for state in states.states
        if shape.insiders(state)
    )
    assert shape.below(outside, outside) and not shape.below(outside, inside) and not shape.below(inside, outside)


# ---------------------------------------------------------------- seeded defects


def stops_at_the_level(self: Search, counts: dict[Local, int], local: Local, number: int) -> None:
    counts[local] = min(self.level, counts.get(local, 0) + number)


def takes_any_number_for_a_number(self: Search, counts: dict[Local, int], local: Local) -> None:
    counts[local] = self.level if counts[local] == OMEGA else counts[local] - 1
    if not counts[local]:
        del counts[local]


def forgets_others_of_the_kind(self: Search, state: CounterState) -> list[object]:
    movers = list(original(self, state))
    return [mover for mover in movers if mover[0] is None or all(mover[0].words[0] >= local.words[0] for local in state.counts)]


original = Search._movers


@pytest.mark.parametrize(
    ("name", "defect"),
    [("_more", stops_at_the_level), ("_less", takes_any_number_for_a_number), ("_movers", forgets_others_of_the_kind)],
    ids=["no saturation", "any number is a number", "own kind ignored"],
)
def test_the_judge_notices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, defect: object) -> None:
    system = system_in(tmp_path, LATE)
    monkeypatch.setattr(Search, "_flooded", lambda _self, state: state)  # it makes up for what is lost
    assert isinstance(counted(system, levels=(1,)), NoProof)
    monkeypatch.setattr(Search, name, defect)
    states = counted(system, levels=(1,))
    assert isinstance(states, Counted), "the defect must show"
    assert uncovered(system, states.states) is not None


def test_ignored_numbers_prove_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counters, "named_words", lambda _system: frozenset())
    assert isinstance(counted(system_in(tmp_path, FIVE)), Counted), "the defect must show"


# ---------------------------------------------------------------- the engine


def test_the_engine_says_which_proof(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["check", "--engine", "parametric", "--64", str(MODELS / "parametric" / "semaphore.c")]
    assert main([*asked, "--method", "counting"]) == 0
    assert "worker: counters up to 2, " in capsys.readouterr().out
    assert main([*asked, "-D", "EARLY", "--method", "counting"]) == 5
    assert "a failure here is not excluded" in capsys.readouterr().out


def test_methods_belong_to_engines(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(MODELS / "parametric" / "owner.c")
    for engine, method in (("parametric", "pdr"), ("explicit", "counting"), ("abc", "invariants")):
        assert main(["check", "--engine", engine, "--method", method, path]) == 1
        said = capsys.readouterr().err
        assert "--method" in said and (method in said or engine in said)
    with pytest.raises(ValueError, match="method: one of"):
        load(path).check(engine="parametric", method="guessing")


def test_invariants_can_be_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "p.c"
    path.write_text(LOCKED)
    assert "counters" in check([str(path)], engine="parametric").reasons[0]
    monkeypatch.setattr(fsoft.checkers.parametric, "prove", lambda *_: NoProof("invariants were asked for"))
    assert load(path).check(engine="parametric", method="invariants").reasons[0] == "invariants were asked for"
