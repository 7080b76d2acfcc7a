"""Every engine on random small models against the enumerated truth; every proof certified, every counterexample simulated on words."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from functools import cache

import pytest

from fsoft.checkers.certify import certify, certify_answer
from fsoft.checkers.registry import model_engine, model_engines
from fsoft.circuit.bits import BitModel
from fsoft.circuit.bits.bitblast import bitblast
from fsoft.circuit.bits.sweep import sweep
from fsoft.circuit.model import Model
from fsoft.circuit.model.simulate import violates
from fsoft.circuit.model.verdict import Certificate, Proved, Unknown, Violated
from fsoft.frontend.source import InputError
from fsoft.program import expr
from tests.checkers.oracle import shortest
from tests.circuit.random_models import random_model

COUNT = 160


@cache
def cases() -> tuple[tuple[Model, int | None], ...]:
    """Models that are not trivial, with the length of their shortest counterexample; half of them safe."""
    rng = random.Random(42)
    safe: list[tuple[Model, int | None]] = []
    unsafe: list[tuple[Model, int | None]] = []
    while len(safe) < COUNT // 2 or len(unsafe) < COUNT // 2:
        model = random_model(rng)
        bits = bitblast(model)
        if len(sweep(bits, bits.bad).bits.latches) < 3 and rng.random() < 0.9:
            continue
        depth = shortest(model, list(model.bad.values()))
        group = safe if depth is None else unsafe
        if len(group) < COUNT // 2 and (depth is None or depth > 0 or rng.random() < 0.2):
            group.append((model, depth))
    return tuple(safe + unsafe)


def available(name: str) -> None:
    missing = model_engine(name).missing()
    if missing:
        pytest.skip(missing)


def judge_case(name: str, model: Model, depth: int | None, shortest_first: bool, options: dict[str, object]) -> bool:
    """Whether the engine decided the model, rightly."""
    answer = model_engine(name).made(**options).check(model, timeout=60)
    if isinstance(answer, Violated):
        assert depth is not None, (name, model)
        assert violates(model, answer.stimulus, model.bad[answer.bad]), (name, model)
        assert answer.depth >= depth and (not shortest_first or answer.depth == depth)
        return True
    if isinstance(answer, Proved):
        assert depth is None, (name, model)
        assert certify_answer(bitblast(model), answer) is None
        assert {trusted.whom for trusted in answer.trusted} <= may_trust(name, options)
        assert answer.certificates or answer.trusted
        return True
    assert isinstance(answer, Unknown)
    assert depth is None or answer.depth < depth, (name, answer, depth)
    return False


def may_trust(name: str, options: dict[str, object]) -> set[str]:
    """Whom an uncertified proof of the engine may rely on."""
    if name == "nuxmv":
        return {"nuXmv", "NuSMV"}
    if name == "abc" and options:
        return {"abc reach" if "method" in options else "abc scorr"}
    return set()


CONFIGURATIONS = [
    ("bmc", True, {"depth": 40, "complete": False}, 0.5),
    ("bmc", True, {"depth": 60}, 0.9),
    ("kinduction", True, {}, 1.0),
    ("pdr", False, {}, 1.0),
    ("pdr", False, {"simulate": False}, 1.0),
    ("pdr", False, {"learn": False}, 1.0),
    ("pdr", False, {"simulate": False, "pairs": False}, 1.0),
    ("pdr", False, {"ctg": 0, "solver": "cadical195", "pairs": False, "simulate": False, "learn": False}, 1.0),
    ("simulation", False, {"work": 1_000_000}, 0.3),
    ("bdd", True, {}, 1.0),
    ("bdd", True, {"backend": "autoref", "cluster": 1}, 1.0),
    ("bdd", True, {"backend": "pyeda"}, 1.0),
    ("smt", True, {}, 1.0),
    ("portfolio", False, {}, 1.0),
    ("abc", False, {}, 1.0),
    ("abc", True, {"method": "bmc3", "depth": 40}, 0.5),
    ("abc", True, {"method": "reach"}, 0.9),
    ("abc", False, {"simplify": True}, 1.0),
    ("nuxmv", False, {}, 1.0),
]


@pytest.mark.parametrize("name,shortest_first,options,floor", CONFIGURATIONS)
def test_agreement(name: str, shortest_first: bool, options: dict[str, object], floor: float) -> None:
    available(name)
    if options.get("backend") == "pyeda":
        pytest.importorskip("pyeda")
    chosen = cases()[:: 4 if name in ("abc", "nuxmv", "portfolio") else 1]  # processes take a while to start
    decided = sum(judge_case(name, model, depth, shortest_first, options) for model, depth in chosen)
    print(f"{name} {options}: decided {decided}/{len(chosen)}")
    assert decided >= floor * len(chosen)


def test_corrupted_certificates_are_refused() -> None:
    rng = random.Random(6)
    refused = total = 0
    for model, depth in cases():
        if depth is not None:
            continue
        bits = bitblast(model)
        answer = model_engine("pdr").made().check(bits)
        assert isinstance(answer, Proved)
        certificate = answer.certificates[0]
        assert certify(bits, certificate) is None
        assert certify(bits, replace(certificate, model="0" * 64))
        assert certify(bits, replace(certificate, targets=()))
        assert certify(bits, replace(certificate, clauses=((2 * len(bits.latches),),)))
        if not bits.constraints:
            assert certify(bits, replace(certificate, clauses=(*certificate.clauses, ())))
        for i, clause in enumerate(certificate.clauses):
            total += 1
            wrong = list(certificate.clauses)
            wrong[i] = tuple(x ^ (rng.random() < 0.7) for x in clause[:-1]) if len(clause) > 1 else (clause[0] ^ 1,)
            refused += certify(bits, replace(certificate, clauses=tuple(wrong))) is not None
    print(f"refused {refused}/{total} corrupted clauses")  # a changed clause may still be an invariant
    assert refused > total / 2


def proofs(name: str) -> list[tuple[BitModel, Certificate]]:
    """The certificates of the engine for the safe models; each passes."""
    found = []
    for model, depth in cases():
        if depth is None:
            bits = bitblast(model)
            answer = model_engine(name).made().check(bits)
            assert isinstance(answer, Proved) and certify(bits, answer.certificates[0]) is None
            found.append((bits, answer.certificates[0]))
    return found


def test_corrupted_proofs_by_induction_are_refused() -> None:
    """The engine finds the smallest k, so that none below it is a proof; and facts about latches must be facts."""
    total = 0
    for bits, certificate in proofs("kinduction"):
        for k in range(certificate.k):
            total += 1
            assert certify(bits, replace(certificate, k=k)), "a smaller k"
        if not bits.constraints:
            assert certify(bits, replace(certificate, clauses=(*certificate.clauses, ())))
        assert certify(bits, replace(certificate, over=(len(bits.latches),)))
        assert certify(bits, replace(certificate, k=-1))
    assert total > COUNT / 5


def test_corrupted_sets_of_states_are_refused() -> None:
    """A set that is turned around misses the initial states; one with a changed gate is mostly no invariant."""
    rng = random.Random(9)
    refused = total = 0
    for bits, certificate in proofs("bdd"):
        if not certificate.circuit or bits.constraints:  # where the constraints contradict each other anything is an invariant
            continue
        assert certify(bits, replace(certificate, outputs=(certificate.outputs[0] ^ 1,)))
        for _ in range(3):
            gates = list(certificate.circuit)
            place = rng.randrange(len(gates))
            gates[place] = (gates[place][0] ^ 1, gates[place][1])
            total += 1
            refused += certify(bits, replace(certificate, circuit=tuple(gates))) is not None
        late = ((2 * (len(bits.latches) + len(certificate.circuit)), 2), *certificate.circuit[1:])
        assert certify(bits, replace(certificate, circuit=late))
    print(f"refused {refused}/{total} changed circuits")
    assert total > COUNT / 4 and refused > total / 2


def test_a_false_certificate_for_an_unsafe_model_is_refused() -> None:
    for model, depth in cases():
        if depth is None or depth == 0:
            continue
        bits = bitblast(model)
        good = model_engine("pdr").made().check(replace(bits, bad={"never": 0}))
        assert isinstance(good, Proved)
        for kind, k in (("invariant", 0), ("induction", 0), ("induction", depth), ("induction", depth + 2)):
            from fsoft.circuit.bits import fingerprint

            forged = replace(good.certificates[0], kind=kind, k=k, model=fingerprint(bits), targets=tuple(bits.bad))
            assert certify(bits, forged)


def counter(limit: int, bad_at: int, bound_at: int) -> Model:
    x = expr.reg("x", 4)
    up = expr.ite(expr.eq(x, expr.const(limit, 4)), expr.const(0, 4), expr.binary("add", x, expr.const(1, 4)))
    model = Model(states={"x": 4}, init={"x": expr.const(0, 4)}, next={"x": up})
    model.bad["bad"] = expr.eq(x, expr.const(bad_at, 4))
    model.bounds["loop"] = expr.eq(x, expr.const(bound_at, 4))
    return model


@pytest.mark.parametrize("name", ["kinduction", "pdr", "bdd", "smt", "portfolio"])
def test_bounds_forbid_true(name: str) -> None:
    engine = model_engine(name).made()
    reached = engine.check(counter(5, 9, 3))
    assert isinstance(reached, Unknown) and reached.bounds == ("loop",) and reached.proved
    clean = engine.check(counter(5, 9, 8))
    assert isinstance(clean, Proved) and certify_answer(bitblast(counter(5, 9, 8)), clean) is None
    found = engine.check(counter(5, 4, 3))
    assert isinstance(found, Violated) and found.depth == 4


@pytest.mark.parametrize("name", ["bmc", "kinduction", "pdr", "bdd", "smt"])
def test_all_bounds_that_are_easy_to_reach_are_named(name: str) -> None:
    model = counter(5, 9, 3)
    x = expr.reg("x", 4)
    model.bounds["heap"] = expr.eq(x, expr.const(5, 4))
    engine = model_engine(name).made()
    both = engine.check(model)
    assert isinstance(both, Unknown) and set(both.bounds) == {"loop", "heap"} and not both.more
    model.bounds["never"] = expr.eq(x, expr.const(12, 4))
    some = engine.check(model)
    assert isinstance(some, Unknown) and set(some.bounds) == {"loop", "heap"} and some.more


def test_models_without_states() -> None:
    x = expr.reg("x", 8)
    square = expr.binary("mul", x, x)
    model = Model(inputs={"x": 8}, bad={"two": expr.eq(square, expr.const(2, 8)), "nine": expr.eq(square, expr.const(9, 8))})
    for name in ("bmc", "kinduction", "pdr", "bdd", "smt"):
        engine = model_engine(name).made()
        assert isinstance(engine.check(model, bad="two"), Proved)
        found = engine.check(model)
        assert isinstance(found, Violated) and found.bad == "nine" and found.depth == 0


def test_the_registry_lists_all() -> None:
    assert set(model_engines()) >= {"bmc", "kinduction", "pdr", "bdd", "smt", "abc", "nuxmv", "simulation", "portfolio"}
    for name, engine in model_engines().items():
        assert engine.name == name
        for option in engine.options:
            assert option.wrong(option.default) is None and option.help, (name, option.name)


def slow() -> Model:
    """Two factors of a prime of 62 bits, not equal to one: nobody decides that in a second."""
    x, y = expr.reg("x", 64), expr.reg("y", 64)
    small = expr.conj(expr.binary("ult", x, expr.const(1 << 32, 64)), expr.binary("ult", y, expr.const(1 << 32, 64)))
    product = expr.eq(expr.binary("mul", x, y), expr.const(2305843009213693951, 64))
    return Model(inputs={"x": 64, "y": 64}, bad={"factors": expr.conj(small, product)})


def test_a_killed_engine_still_reports() -> None:
    from fsoft.checkers.process import run_limited

    start = time.monotonic()
    answer = run_limited("bmc", slow(), timeout=1.0, solver="cadical153")
    assert isinstance(answer, Unknown) and answer.why == "time limit reached" and time.monotonic() - start < 10
    heard: list[int] = []
    answer = run_limited("bmc", counter(5, 9, 8), timeout=20, depth=12, complete=False, progress=heard.append)
    assert isinstance(answer, Unknown) and answer.depth == 12 and heard == list(range(13))


def test_engines_keep_their_time_limit() -> None:
    for name in ("bmc", "pdr", "kinduction", "smt", "abc"):
        if model_engine(name).missing():
            continue
        start = time.monotonic()
        answer = model_engine(name).made().check(slow(), timeout=1.0)
        assert isinstance(answer, Unknown), name
        assert time.monotonic() - start < 20, name


def test_errors_of_a_child_come_home() -> None:
    from fsoft.checkers.process import run_limited

    x = expr.reg("x", 8)
    with pytest.raises(InputError, match="no proof: choose another"):
        model = Model(inputs={"x": 8}, bad={"two": expr.eq(expr.binary("mul", x, x), expr.const(2, 8))})
        run_limited("sat", model, solver="minicard", proof="/nowhere/proof.drat")


@pytest.mark.parametrize("name", ["bmc", "kinduction", "pdr", "bdd", "smt"])
def test_models_without_bads(name: str) -> None:
    """What is asked then is whether a bound is reachable."""
    safe, cut = counter(5, 9, 8), counter(5, 9, 3)
    safe.bad.clear()
    cut.bad.clear()
    answer = model_engine(name).made().check(safe)
    assert isinstance(answer, Proved) and certify_answer(bitblast(safe), answer) is None
    answer = model_engine(name).made().check(cut)
    assert isinstance(answer, Unknown) and answer.bounds == ("loop",)
