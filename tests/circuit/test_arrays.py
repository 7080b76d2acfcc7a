"""Arrays: the constructor's rules, simulation, bits, flat words."""

from __future__ import annotations

import random

import pytest

from fsoft.checkers.certify import certify_answer
from fsoft.checkers.registry import model_engine
from fsoft.circuit.bits import pack, to_bits
from fsoft.circuit.bits.aig import Aig
from fsoft.circuit.bits.bitblast import Blaster, bitblast
from fsoft.circuit.bits.simulate import Simulator, run_bits
from fsoft.circuit.formats.btor2 import read_btor2, write_btor2
from fsoft.circuit.formats.smtlib import write_smtlib
from fsoft.circuit.formats.smv import write_smv
from fsoft.circuit.formats.witness import read_btor2_witness, write_btor2_witness
from fsoft.circuit.model import Model, check_model, leaf, properties
from fsoft.circuit.model.compiled import compile_terms
from fsoft.circuit.model.flatten_arrays import flatten_arrays
from fsoft.circuit.model.lower import lower
from fsoft.circuit.model.reduce import reduce_model
from fsoft.circuit.model.simulate import simulate, violates
from fsoft.circuit.model.verdict import Answer, Proved, Stimulus, Violated
from fsoft.frontend.source import InputError
from fsoft.program import expr
from fsoft.program.expr import const, constant_array, reg, select, store
from tests.circuit.random_arrays import growth, random_array_model


def test_rules_keep_the_meaning() -> None:
    """Every term equals what its operators give one by one: on words, compiled, and in bits."""
    rng = random.Random(1)
    for _ in range(60):
        grown, given = growth(rng)
        for _ in range(12):
            grown.grow()
        pairs = [*grown.arrays, *grown.words, *grown.places, *grown.bits]
        run = compile_terms([term for term, _ in pairs])
        for number, values in enumerate(given):
            wanted = [known[number] for _, known in pairs]
            assert [expr.evaluate(term, lambda leaf: values[str(leaf.data)]) for term, _ in pairs] == wanted  # noqa: B023
            assert run(values) == wanted
        term, known = grown.arrays[-1]
        assert blasted(term, given) == list(known)


def blasted(term: expr.Expr, given: list[dict[str, int]]) -> list[int]:
    """The values of a term through its circuit."""
    aig = Aig()
    blaster = Blaster(aig)
    leaves = {str(node.data): node for node in expr.postorder((term,)) if node.op == "reg"}
    inputs = {name: [aig.input() for _ in range(node.width)] for name, node in leaves.items()}
    for name, literals in inputs.items():
        blaster.bind(name, literals)
    bits = blaster.bits(term)
    simulator = Simulator(aig, bits, len(given))
    for name, literals in inputs.items():
        for i, literal in enumerate(literals):
            simulator.set(literal, sum((values[name] >> i & 1) << j for j, values in enumerate(given)))
    simulator.run()
    rows = [simulator.get(literal) for literal in bits]
    return [sum((row >> j & 1) << i for i, row in enumerate(rows)) for j in range(len(given))]


def test_rules_fire() -> None:
    a, i, j = reg("a", 32, 3), reg("i", 3), reg("j", 3)
    one, two, v, w = const(1, 3), const(2, 3), reg("v", 4), reg("w", 4)
    assert (a.element, select(a, i).width, store(a, i, v).index, reg("a", 32) is a) == (4, 4, 3, False)
    assert select(store(a, i, v), i) is v
    assert select(store(store(a, one, v), two, w), one) is v
    assert select(store(a, one, v), two) is select(a, two)
    assert select(store(a, i, v), j).args[0] is store(a, i, v)
    assert store(store(a, i, v), i, w) is store(a, i, w)
    assert store(a, i, select(a, i)) is a
    assert select(constant_array(v, 3), i) is v
    assert select(store(constant_array(v, 3), one, w), two) is v
    assert store(constant_array(v, 3), i, v) is constant_array(v, 3)
    assert constant_array(const(5, 4), 3) is const(0x55555555, 32, 3)
    assert select(const(0x55555555, 32, 3), i) is const(5, 4)
    assert select(const(0x76543210, 32, 3), two) is const(2, 4)
    assert store(const(0x55555555, 32, 3), i, const(5, 4)) is const(0x55555555, 32, 3)
    assert store(const(0, 32, 3), two, const(7, 4)) is const(0x700, 32, 3)
    c = reg("c", 1)
    assert expr.ite(c, store(a, i, v), store(a, i, w)) is store(a, i, expr.ite(c, v, w))
    assert expr.ite(c, a, a) is a and expr.eq(a, a) is expr.TRUE


def test_deep_chains_of_stores() -> None:
    a = reg("a", 4 << 10, 10)
    term = a
    for k in range(20_000):
        term = store(term, const(k % 1000, 10), const(k, 4)) if k % 7 else store(term, reg("i", 10), const(k, 4))
    bad = expr.eq(select(term, reg("i", 10)), const(3, 4))
    model = Model({"i": 10}, {"a": 4 << 10}, {"a": None}, {"a": term}, {"b": bad}, arrays={"a": 10})
    check_model(model)
    assert simulate(lower(model), Stimulus({}, ({"i": 3}, {"i": 9})))[1].holds(model.bad["b"]) in (True, False)


def some_array_models(count: int, seed: int) -> list[tuple[Model, Stimulus]]:
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        model = random_array_model(rng, rng.randint(1, 3), rng.randint(1, 4))
        check_model(model)
        initial = {n: rng.getrandbits(w) for n, w in model.states.items() if model.init[n] is None}
        found.append((model, Stimulus(initial, tuple({n: rng.getrandbits(w) for n, w in model.inputs.items()} for _ in range(8)))))
    return found


def observed(model: Model, run: Stimulus) -> list[list[int]]:
    return [[step.terms[term] for _, term in properties(model)] for step in simulate(model, run)]


def test_flat_models_run_alike() -> None:
    for model, run in some_array_models(40, 3):
        flat, home = flatten_arrays(model)
        check_model(flat)
        assert not flat.arrays and not any(node.index for term in flat.next.values() for node in expr.postorder((term,)))
        small = Stimulus(home.flat(run.initial), tuple(home.flat(step) for step in run.inputs))
        assert home.run(small) == run and observed(flat, small) == observed(model, run)
        for long, short in zip(simulate(model, run), simulate(flat, small)):
            assert home.values(short.values) == long.values


def test_bits_run_alike() -> None:
    for model, run in some_array_models(40, 4):
        bits = bitblast(model)
        rows = run_bits(bits, to_bits(bits, run), [*bits.latches, *bits.property_literals()])
        for step, row in zip(simulate(model, run), rows):
            assert pack(bits.latch_words, row) == {name: step.values[name] for name in model.states}
            assert row[len(bits.latches) :] == [step.terms[term] for _, term in properties(model)]


def test_reductions_carry_arrays() -> None:
    kept = 0
    for model, run in some_array_models(40, 5):
        model.states["same"], model.arrays["same"] = model.states["a"], model.arrays["a"]
        model.init["same"] = model.init["a"]
        swap = {"a": reg("same", model.states["a"], model.arrays["a"])}
        model.next["same"] = expr.fill(model.next["a"], swap) if "a" in model.next["a"].reads else model.next["a"]
        model.bad["differ"] = expr.negate(expr.eq(*(select(leaf(model, name), leaf(model, "at")) for name in ("a", "same"))))
        check_model(model)
        small, restore = reduce_model(model)
        check_model(small)
        kept += len(small.arrays)
        short = Stimulus({n: v for n, v in run.initial.items() if n in small.states}, run.inputs)
        assert observed(small, short) == observed(model, run)
        for row, whole in zip(simulate(small, short), simulate(model, run)):
            assert restore.values({n: row.values[n] for n in small.states}).items() <= whole.values.items()
    assert kept > 40


def test_btor2_round_trip() -> None:
    for model, run in some_array_models(60, 6):
        text = write_btor2(model, "with arrays")
        again = read_btor2(text)
        check_model(again)
        assert write_btor2(again, "with arrays") == text
        assert again.inputs == model.inputs and model.states.items() <= again.states.items()
        assert model.arrays.items() <= again.arrays.items()
        assert all(again.init[name] is start for name, start in model.init.items())
        assert observed(again, run) == observed(model, run)


def test_btor2_starts_stand_before_their_states() -> None:
    """btor2tools refuses an `init` whose value has a larger number than its state."""
    checked = 0
    for model, _ in some_array_models(30, 7):
        for line in write_btor2(model).splitlines():
            words = line.split()
            if words[1] == "init":
                assert int(words[4]) < int(words[3])
                checked += 1
    assert checked > 60


def test_btor2_by_hand() -> None:
    text = """
1 sort bitvec 2
2 sort bitvec 8
3 sort array 1 2
4 const 2 00000111
5 state 3 zero
6 init 3 5 4
7 one 1
8 ones 2
9 write 3 5 7 8
10 state 3 mem
11 init 3 10 9
12 input 1 at
13 input 3 other
14 read 2 10 12
15 sort bitvec 1
16 eq 15 14 8
17 ite 3 16 13 10
18 next 3 10 17
19 neq 15 10 5
20 bad 16 hit
21 bad -19 same
"""
    model = read_btor2(text)
    check_model(model)
    assert (model.states, model.inputs) == ({"zero": 32, "mem": 32}, {"at": 2, "other": 32, "zero.next": 32})
    start = model.init["mem"]
    assert start is not None and expr.array_elements(start) == [7, 255, 7, 7]
    steps = simulate(model, Stimulus({}, ({"at": 0, "other": 1}, {"at": 1, "other": 0x07070707, "zero.next": 0x07070707}, {})))
    assert [[step.terms[term] for term in model.bad.values()] for step in steps] == [[0, 0], [1, 0], [0, 1]]
    assert steps[2].values["mem"] == 0x07070707


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("5 sort array 1 9", "no sort 9"),
        ("5 sort array 1", "too few operands"),
        ("5 sort array 3 1", "arrays of arrays"),
        ("5 sort array 6 2", "too large"),
        ("5 zero 3", "too few operands"),
        ("5 read 2 4 4", "an array and an index"),
        ("5 write 3 4 7 7", "a value of the array's elements"),
        ("5 not 3 4", "wants bit-vectors"),
        ("5 add 3 4 4", "wants bit-vectors"),
        ("5 eq 1 -4 4", "negation of an array"),
        ("5 concat 3 7 4", "operands of one sort"),
        ("5 ite 3 7 4 4", "wants a bit"),
        ("5 init 3 4 7", "a value of its sort"),
        ("5 read 3 4 7", "or one of them is an array"),
        ("5 bad 4", "not 1"),
    ],
)
def test_btor2_mistakes(line: str, message: str) -> None:
    text = f"1 sort bitvec 2\n2 sort bitvec 8\n6 sort bitvec 40\n3 sort array 1 2\n4 state 3 mem\n7 input 1 at\n{line}\n"
    with pytest.raises(InputError, match=message):
        read_btor2(text, "m.btor2")


def test_btor2_witnesses() -> None:
    for model, run in some_array_models(20, 8):
        again, target = read_btor2_witness(write_btor2_witness(model, run, 1), model)
        assert target == 1 and observed(model, again) == observed(model, run) and again.inputs == run.inputs


def test_btor2_witness_with_some_elements() -> None:
    model = Model({"x": 16}, {"a": 16}, {"a": None}, {"a": reg("x", 16, 2)}, {"b": expr.TRUE}, arrays={"a": 2, "x": 2})
    run, _ = read_btor2_witness("sat\nb0\n#0\n0 [10] 1001 a#0\n0 [00] 0001 a#0\n@0\n0 [11] 1111 x@0\n.\n", model)
    assert run == Stimulus({"a": 0x0901}, ({"x": 0xF000},))
    for line, message in (("0 1001", "index of 0"), ("0 [1] 1001", "index of 1"), ("0 [10] 10", "4 bits")):
        with pytest.raises(InputError, match=message):
            read_btor2_witness(f"sat\nb0\n#0\n{line}\n@0\n.\n", model)


def test_smtlib_is_satisfiable_when_a_bad_is_reachable() -> None:
    bitwuzla = pytest.importorskip("bitwuzla")
    seen = set()
    for model, _ in some_array_models(14, 9):
        manager, options = bitwuzla.TermManager(), bitwuzla.Options()
        parser = bitwuzla.Parser(manager, options)
        model.bad = {"read": model.bad["read"]}
        assert not parser.parse(write_smtlib(model, 2), True, False)
        answer = bmc(model, 2)
        assert (parser.bitwuzla().check_sat() == bitwuzla.Result.SAT) == isinstance(answer, Violated)
        seen.add(type(answer))
    assert len(seen) > 1


def bmc(model: Model, depth: int) -> Answer:
    return model_engine("bmc").made(depth=depth).check(model)


def test_smv_has_words_only() -> None:
    for model, _ in some_array_models(5, 10):
        text = write_smv(model)
        assert "select" not in text and "store" not in text and "-- a[1]" in text


def test_engines_agree() -> None:
    """Word level, bit level and the flat model give one answer; proofs are certified, counterexamples simulated."""
    pytest.importorskip("bitwuzla")
    seen: dict[type, int] = {}
    for model, _ in some_array_models(12, 11):
        flat, _ = flatten_arrays(model)
        answers = [model_engine(name).made().check(model, timeout=60) for name in ("smt", "pdr", "bdd")]
        answers.append(model_engine("pdr").made().check(flat, timeout=60))
        assert len({type(answer) for answer in answers}) == 1
        for answer in answers[:3]:
            if isinstance(answer, Proved):
                assert certify_answer(bitblast(model), answer) is None
            elif isinstance(answer, Violated):
                assert violates(model, answer.stimulus, model.bad[answer.bad])
        seen[type(answers[0])] = seen.get(type(answers[0]), 0) + 1
    assert seen[Proved] > 1 and seen[Violated] > 1
