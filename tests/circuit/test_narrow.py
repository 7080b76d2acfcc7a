"""Narrow words: the guess is checked by the model itself, proofs and counterexamples hold for the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.ask.load import load
from fsoft.circuit.encode.encoding import ProgramCircuit, encode
from fsoft.circuit.encode.narrow import LOST, RANGE, narrow, widened
from fsoft.circuit.encode.ranges import Ranges, WordShape
from fsoft.circuit.model import check_model
from fsoft.circuit.model.simulate import simulate
from fsoft.circuit.model.verdict import Stimulus

LOOP = "#include <assert.h>\nint x; int main(void) { for (int i = 0; i < %d; i++) x = i; assert(x < %d); return 0; }\n"


def encoding(text: str, folder: Path) -> ProgramCircuit:
    path = folder / "p.c"
    path.write_text(text)
    return encode(load([str(path)]))


def test_a_counter_gets_the_bits_it_needs(tmp_path: Path) -> None:
    made = encoding(LOOP % (5, 9), tmp_path)
    shapes = Ranges(made).shapes()
    assert shapes["thread_0.main.i"] == WordShape(3, False)
    assert shapes["x"] == WordShape(3, False)
    small = narrow(made.model, shapes)
    check_model(small)
    assert sum(small.states.values()) < sum(made.model.states.values()) / 4


@pytest.mark.parametrize(("engine", "limit", "claim", "expected"), [("pdr", 5, 5, "TRUE"), ("bmc", 5, 4, "FALSE(unreach-call)")])
def test_verdicts_are_those_of_the_program(tmp_path: Path, engine: str, limit: int, claim: int, expected: str) -> None:
    from fsoft.ask.circuits import decide

    assert decide(encoding(LOOP % (limit, claim), tmp_path).program, engine, timeout=60).last_line() == expected


def test_a_guess_that_is_too_small_is_noticed(tmp_path: Path) -> None:
    """With one bit for the counter the model must say `range` and then hold its tongue."""
    made = encoding(LOOP % (5, 3), tmp_path)
    small = narrow(made.model, {"thread_0.main.i": WordShape(1, False)})
    steps = simulate(small, Stimulus({}, tuple({} for _ in range(20))))
    held = [step.holds(small.bounds[RANGE]) for step in steps]
    assert any(held)
    lost = held.index(True) + 1
    assert all(step.values[LOST] for step in steps[lost:])
    assert not any(step.holds(small.bad["unreach-call"]) for step in steps[lost:])


def test_a_run_of_the_narrow_model_is_one_of_the_original(tmp_path: Path) -> None:
    made = encoding(LOOP % (5, 4), tmp_path)
    shapes = Ranges(made).shapes()
    small = narrow(made.model, shapes)
    run = Stimulus({}, tuple({} for _ in range(20)))
    for narrow_step, step in zip(simulate(small, run), simulate(made.model, widened(made.model, run, shapes)), strict=True):
        for name in made.model.states:
            assert narrow_step.values[name] == step.values[name] & ((1 << small.states[name]) - 1)
