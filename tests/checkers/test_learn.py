"""Samples are reachable, cubes of samples are right, and what is learnt from them is a proof or nothing, however few they are."""

from __future__ import annotations

import random

import pytest

from fsoft.checkers import learn as learning
from fsoft.checkers.certify import certify
from fsoft.checkers.learn import learn
from fsoft.checkers.safety import Excluded, Goal, Reached
from fsoft.checkers.samples import ModelSamples
from fsoft.checkers.transition import TransitionSystem, certified
from fsoft.circuit.bits import BitModel, fingerprint
from fsoft.circuit.bits.bitblast import bitblast
from fsoft.circuit.bits.simulate import confirm, run_bits
from fsoft.circuit.model import Model
from fsoft.circuit.model.verdict import Certificate
from fsoft.program import expr
from tests.checkers.test_engines import cases


def nothing() -> None:
    """A clock that never ends anything."""


def samples_of(bits: BitModel, steps: int = 4000, limit: int = 500) -> ModelSamples:
    found = ModelSamples(bits, (), nothing)
    found.grow(steps, limit)
    return found


def rotor(width: int) -> Model:
    """One bit that goes round: all but `width` of its states are unreachable."""
    bits = [expr.reg(f"bit{i}", 1) for i in range(width)]
    go, none, several, seen = expr.reg("go", 1), expr.TRUE, expr.FALSE, expr.FALSE
    for bit in bits:
        several = expr.disj(several, expr.conj(seen, bit))
        seen = expr.disj(seen, bit)
        none = expr.conj(none, expr.negate(bit))
    return Model(
        inputs={"go": 1},
        states={f"bit{i}": 1 for i in range(width)},
        init={f"bit{i}": expr.const(int(i == 0), 1) for i in range(width)},
        next={f"bit{i}": expr.ite(go, bits[i - 1], bit) for i, bit in enumerate(bits)},
        bad={"several": several, "none": none},
    )


def test_samples_are_reachable() -> None:
    for model, _ in cases()[::8]:
        bits = bitblast(model)
        found = samples_of(bits)
        for number in range(0, len(found.states), 7):
            run = found.run_to(number, (0,) * len(bits.inputs))
            assert "".join(map(str, run_bits(bits, run, bits.latches)[-1])) == found.states[number]


def test_the_same_model_gives_the_same_samples() -> None:
    bits = bitblast(cases()[0][0])
    assert samples_of(bits).states == samples_of(bits).states


def test_all_states_of_a_small_model_are_found() -> None:
    assert len(samples_of(bitblast(rotor(9))).states) == 9


def test_cubes_of_samples() -> None:
    rng = random.Random(3)
    apart = 0
    for model, _ in cases()[::8]:
        found = samples_of(bitblast(model))
        for _ in range(20):
            state = [rng.choice("01") for _ in found.states[0]]
            cube = [i + 1 if value == "1" else -(i + 1) for i, value in enumerate(state)]
            part = rng.sample(cube, rng.randint(1, len(cube)))
            inside = [all(sample[abs(x) - 1] == "01"[x > 0] for x in part) for sample in found.states]
            assert found.inside(part) == sum(1 << i for i, yes in enumerate(inside) if yes)
            if not any(inside):
                small = found.apart(part)
                assert set(small) <= set(part) and not found.inside(small)
                apart += 1
    assert apart > 10


def judged(model: Model, depth: int | None) -> str:
    """What learning comes to, after its evidence has been checked."""
    bits = bitblast(model)
    goal = Goal(bits, dict(bits.bad))
    found = learn(goal, TransitionSystem(goal), [], "minisat22")
    if isinstance(found, Reached):
        assert depth is not None and confirm(bits, found.run, bits.aig.disjoin(bits.bad.values())) is None
        return "reached"
    targets = tuple(bits.bad)
    if isinstance(found, Excluded):
        assert depth is None and found.certificate is not None
        certificate = Certificate("invariant", fingerprint(bits), targets, found.certificate.clauses)
        assert certify(bits, certificate) is None
        return "proved"
    assert isinstance(found, list)
    bits.bad = {"never": 0}
    clauses = tuple(certified(clause) for clause in found)
    assert certify(bits, Certificate("invariant", fingerprint(bits), ("never",), clauses)) is None
    return "open"


@pytest.mark.parametrize(("stages", "floor"), [(learning._STAGES, 0.95), (((1, 1, 40), (0, 2, 200)), 0.6), (((1, 1, 3),), 0.1)])
def test_what_is_learnt_is_a_proof_or_an_inductive_part(
    stages: tuple[tuple[int, int, int], ...], floor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning, "_STAGES", stages)
    answers = [judged(model, depth) for model, depth in cases()[::2]]
    decided = len(answers) - answers.count("open")
    print(f"decided {decided}/{len(answers)}")
    assert decided >= floor * len(answers) and (floor > 0.5 or decided < len(answers))


def test_a_proof_without_frames() -> None:
    assert judged(rotor(12), None) == "proved"
