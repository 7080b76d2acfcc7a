"""BTOR2, SMT-LIB 2, SMV, py-aiger and the witnesses: round trips, other readers, hostile files."""

from __future__ import annotations

import random
import re

import pytest

from fsoft.circuit.bits import to_bits, to_words
from fsoft.circuit.bits.bitblast import bitblast
from fsoft.circuit.bits.simulate import run_bits
from fsoft.circuit.bits.transform import fold_constraints
from fsoft.circuit.bits.words import to_model
from fsoft.circuit.formats.btor2 import read_btor2, write_btor2
from fsoft.circuit.formats.pyaiger import from_pyaiger, to_pyaiger
from fsoft.circuit.formats.smtlib import write_smtlib
from fsoft.circuit.formats.smv import write_smv
from fsoft.circuit.formats.witness import read_btor2_witness, read_stimulus, write_btor2_witness, write_stimulus
from fsoft.circuit.model import Model, check_model, properties
from fsoft.circuit.model.lower import lower
from fsoft.circuit.model.reduce import reduce_model
from fsoft.circuit.model.simulate import simulate
from fsoft.circuit.model.verdict import Stimulus
from fsoft.frontend.source import InputError
from fsoft.program import expr
from tests.checkers.oracle import shortest
from tests.circuit.random_models import random_model


def random_run(model: Model, rng: random.Random, length: int = 8) -> Stimulus:
    initial = {n: rng.getrandbits(w) for n, w in model.states.items() if model.init[n] is None}
    return Stimulus(initial, tuple({n: rng.getrandbits(w) for n, w in model.inputs.items()} for _ in range(length)))


def observed(model: Model, run: Stimulus) -> list[list[int]]:
    """All one-bit terms at each step."""
    return [[step.terms[term] for _, term in properties(model)] for step in simulate(model, run)]


def some_models(count: int, seed: int) -> list[Model]:
    rng = random.Random(seed)
    models = [random_model(rng) for _ in range(count)]
    for i, model in enumerate(models):
        model.bounds["loop.1"] = expr.negate(next(iter(model.bad.values())))
        if i % 3 == 0:
            model.justice["live"] = tuple(model.bad.values())
            model.fairness["fair"] = next(iter(model.bad.values()))
    return models


def test_btor2_round_trip() -> None:
    rng = random.Random(1)
    for model in some_models(60, 1):
        text = write_btor2(model, "a comment")
        again = read_btor2(text)
        check_model(again)
        assert write_btor2(again, "a comment") == text
        assert again.inputs == model.inputs and again.states == model.states and list(again.bounds) == ["loop.1"]
        run = random_run(model, rng)
        assert observed(again, run) == observed(model, run)


def test_lowering_keeps_the_meaning() -> None:
    rng = random.Random(2)
    for model in some_models(40, 2):
        low = lower(model)
        assert not any(node.op == "padd" for node in expr.postorder(tuple(t for _, t in properties(low))))
        run = random_run(model, rng)
        assert observed(low, run) == observed(model, run)


def test_bits_back_to_words() -> None:
    rng = random.Random(3)
    for model in some_models(40, 3):
        again = to_model(bitblast(model))
        check_model(again)
        run = random_run(model, rng)
        assert observed(again, run) == observed(model, run)


def test_reductions_keep_the_properties() -> None:
    rng = random.Random(4)
    dropped = 0
    for model in some_models(150, 4):
        small, restore = reduce_model(model)
        check_model(small)
        dropped += len(model.states) - len(small.states)
        run = random_run(small, rng)
        home = restore.run(run)
        assert observed(small, run) == observed(model, home)
        for short, long in zip(simulate(small, run), simulate(model, home)):
            kept = {name: short.values[name] for name in small.states}
            assert restore.values(kept).items() <= {n: long.values[n] for n in model.states}.items()
    assert dropped > 20


@pytest.mark.parametrize("tool", ["bitwuzla", "z3"])
def test_smtlib_against_the_truth(tool: str) -> None:
    pytest.importorskip(tool)
    rng = random.Random(5)
    for _ in range(25):
        model = random_model(rng, state_bits=5, input_bits=2)
        depth = shortest(model, list(model.bad.values()))
        for bound in (0, 2, 5):
            expected = depth is not None and depth <= bound
            assert satisfiable(tool, write_smtlib(model, bound)) == expected


@pytest.mark.parametrize("tool", ["bitwuzla", "z3"])
def test_smtlib_asks_nothing_of_steps_after_the_bad_one(tool: str) -> None:
    """A counter is bad at 2 and must not be 3: two steps lead there, and no run has three."""
    x = expr.reg("x", 4)
    model = Model(states={"x": 4}, init={"x": expr.const(0, 4)}, next={"x": expr.binary("add", x, expr.const(1, 4))})
    model.bad["two"], model.constraints["not three"] = expr.eq(x, expr.const(2, 4)), expr.negate(expr.eq(x, expr.const(3, 4)))
    pytest.importorskip(tool)
    assert [satisfiable(tool, write_smtlib(model, bound)) for bound in (1, 2, 3, 9)] == [False, True, True, True]
    model.bad["two"] = expr.eq(x, expr.const(4, 4))
    assert not satisfiable(tool, write_smtlib(model, 5))


def satisfiable(tool: str, text: str) -> bool:
    if tool == "z3":
        import z3

        solver = z3.Solver()
        solver.from_string(text)
        return bool(solver.check() == z3.sat)
    import bitwuzla

    parser = bitwuzla.Parser(bitwuzla.TermManager(), bitwuzla.Options(), "smt2")
    parser.parse(text, True, False)
    return bool(parser.bitwuzla().check_sat() == bitwuzla.Result.SAT)


def test_texts_are_deterministic() -> None:
    for write in (write_btor2, write_smv, lambda m: write_smtlib(m, 2)):
        first = [write(model) for model in some_models(10, 6)]
        assert first == [write(model) for model in some_models(10, 6)]


def test_smv_text() -> None:
    x = expr.reg("thread_1.x", 4)
    model = Model(inputs={"go": 1}, states={"thread_1.x": 4}, init={"thread_1.x": expr.const(3, 4)})
    model.next["thread_1.x"] = expr.ite(expr.reg("go", 1), expr.binary("udiv", x, expr.const(2, 4)), x)
    model.bad["zero"] = expr.eq(x, expr.const(0, 4))
    model.constraints["assume"] = expr.binary("slt", expr.const(0, 4), x)
    assert write_smv(model, "made by hand").splitlines() == [
        "-- made by hand",
        "MODULE main",
        "VAR i0 : unsigned word[1]; -- go",
        "VAR s0 : unsigned word[4]; -- thread_1.x",
        "DEFINE n3 := 0ud4_2 = 0ud4_0 ? 0ud4_15 : s0 / (0ud4_2 | extend(word1(0ud4_2 = 0ud4_0), 3));",
        "DEFINE n4 := bool(i0) ? n3 : s0;",
        "DEFINE n6 := word1(s0 = 0ud4_0);",
        "DEFINE n7 := word1(signed(0ud4_0) < signed(s0));",
        "ASSIGN init(s0) := 0ud4_3;",
        "ASSIGN next(s0) := n4;",
        "INVAR bool(n7); -- assume",
        "INVARSPEC !bool(n6); -- zero",
    ]


def test_smv_counts_with_single_bits_and_shifts_by_constants() -> None:
    """What NuSMV refuses: arithmetic on words of one bit, shifts that may go out of range."""
    for model in some_models(40, 8):
        text = write_smv(model)
        assert not re.search(r"(<<|>>) (?!\d+\b)", text), text
        single = set(re.findall(r"^VAR (\w+) : unsigned word\[1\]", text, re.MULTILINE))
        operands = re.findall(r":= -?(\w+) (?:[-+*/]|mod) (\w+)", text)
        assert not any(single.intersection(pair) for pair in operands), text


def test_pyaiger_both_ways() -> None:
    pytest.importorskip("aiger")
    rng = random.Random(7)
    for model in some_models(12, 7):
        model.justice.clear()
        model.fairness.clear()
        if not model.inputs:
            continue
        bits = bitblast(model)
        circuit = to_pyaiger(bits)
        run = to_bits(bits, random_run(model, rng))
        names = [f"{n}[{i}]" if w > 1 else n for n, w in bits.input_words for i in range(w)]
        if any(reset is None for reset in bits.reset):
            continue
        assert circuit.inputs <= set(names)
        folded = fold_constraints(bits)
        rows = run_bits(folded, type(run)((*run.initial, *([1] if bits.constraints else [])), run.inputs), list(folded.targets().values()))
        simulator = circuit.simulate([{n: bool(v) for n, v in zip(names, step) if n in circuit.inputs} for step in run.inputs])
        for row, (outputs, _) in zip(rows, simulator):
            assert [int(outputs[name]) for name in folded.targets()] == row
        again = from_pyaiger(circuit)
        assert sorted(again.targets()) == sorted(folded.targets())


def test_stimulus_round_trip() -> None:
    rng = random.Random(8)
    for model in some_models(30, 8):
        bits = bitblast(model)
        run = to_bits(bits, random_run(model, rng))
        text = write_stimulus(bits, run, 1)
        assert text.startswith("1\nb1\n") and text.endswith("\n.\n")
        assert read_stimulus(text, bits) == (run, 1)
        bare = "\n".join(text.splitlines()[2:-1]) + "# DONE\n"
        if bits.inputs:
            assert read_stimulus(bare, bits) == (run, None)


def test_btor2_witness_round_trip() -> None:
    rng = random.Random(9)
    for model in some_models(30, 9):
        run = random_run(model, rng)
        again, target = read_btor2_witness(write_btor2_witness(model, run, 0), model)
        assert target == 0
        assert to_words(bitblast(model), to_bits(bitblast(model), again)) == to_words(bitblast(model), to_bits(bitblast(model), run))


def two_bits() -> Model:
    rows = ["1 sort bitvec 2", "2 input 1 a", "3 state 1 s", "4 zero 1", "5 init 1 3 4", "6 next 1 3 2", "7 sort bitvec 1"]
    return read_btor2("\n".join([*rows, "8 redor 7 3", "9 bad 8"]))


BAD_WITNESSES = [
    ("", "too early"),
    ("0\n", "no counterexample"),
    ("2\nb0\n.\n", "no counterexample"),
    ("1\nb0\n", "too early"),
    ("1\nb0\n00\n", "too early"),
    ("1\nb0\n000\n11\n.\n", "3 latches"),
    ("1\nb0\n00\n1\n.\n", "1 inputs"),
    ("1\nb0\n00\n1z\n.\n", "only 0, 1"),
]


@pytest.mark.parametrize("text,word", BAD_WITNESSES)
def test_bad_stimuli(text: str, word: str) -> None:
    with pytest.raises(InputError, match=word):
        read_stimulus(text, bitblast(two_bits()))


BAD_BTOR2_WITNESSES = [
    ("", "too early"),
    ("unsat\n", "no counterexample"),
    ("sat\nb0\n@0\n0 11 a\n", "too early"),
    ("sat\nb0\n@3\n0 11 a\n.\n", "out of order"),
    ("sat\nb0\n@0\n0 1 a\n.\n", "has 2 bits"),
    ("sat\nb0\n@0\n7 11 a\n.\n", "no state or input"),
    ("sat\nb0\n@0\nhello\n.\n", "not a line"),
    ("sat\nb0\n0 11 a\n.\n", "no state or input"),
]


@pytest.mark.parametrize("text,word", BAD_BTOR2_WITNESSES)
def test_bad_btor2_witnesses(text: str, word: str) -> None:
    with pytest.raises(InputError, match=word):
        read_btor2_witness(text, two_bits())


BAD_BTOR2 = [
    ("", "no statements"),
    ("hello world foo\n", "number of a statement"),
    ("1 sort\n", "too few"),
    ("1 sort bitvec 0\n", "width"),
    ("1 sort bitvec 99999999\n", "width"),
    ("1 sort array 1 1\n", "no sort 1"),
    ("1 sort bitvec 4\n2 input 9\n", "no sort"),
    ("1 sort bitvec 4\n2 add 1 3 4\n", "no operand"),
    ("1 sort bitvec 4\n2 input 1\n2 input 1\n", "twice"),
    ("1 sort bitvec 4\n2 input 1\n3 bad 2\n", "not 1"),
    ("1 sort bitvec 4\n2 input 1\n3 frobnicate 1 2 2\n", "not supported"),
    ("1 sort bitvec 4\n2 input 1\n3 slice 1 2 9 0\n", "no bits"),
    ("1 sort bitvec 4\n2 const 1 012\n", "digits"),
    ("1 sort bitvec 4\n2 input 1\n3 next 1 2 2\n", "wants a state"),
    ("1 sort bitvec 4\n2 input 1\n3 state 1\n4 init 1 3 2\n", "not constant"),
    ("1 sort bitvec 4\n2 sort bitvec 3\n3 input 1\n4 input 2\n5 add 1 3 4\n", "one sort"),
    ("1 sort bitvec 4\n2 input 1\n3 concat 1 2 2\n", "gives 8 bits"),
]


@pytest.mark.parametrize("text,word", BAD_BTOR2)
def test_bad_btor2(text: str, word: str) -> None:
    with pytest.raises(InputError, match=word) as caught:
        read_btor2(text, "m.btor2")
    assert str(caught.value).startswith("m.btor2")


def test_states_without_next_and_derived_operators() -> None:
    text = """1 sort bitvec 4
2 sort bitvec 1
3 state 1 free
4 input 1 x
5 ugt 2 3 4
6 redxor 2 4
7 nand 1 3 4
8 redand 2 7
9 implies 2 5 6
10 and 2 9 -8
11 bad 10 all
"""
    model = read_btor2(text)
    check_model(model)
    assert list(model.inputs) == ["x", "free.next"]
    rng = random.Random(3)
    for _ in range(50):
        s, x = rng.getrandbits(4), rng.getrandbits(4)
        step = simulate(model, Stimulus({"free": s}, ({"x": x},)))[0]
        expected = (not s > x or bin(x).count("1") % 2) and s & x != 0
        assert step.holds(model.bad["all"]) == bool(expected)


@pytest.mark.parametrize("constant", ["const 1 101", "constd 1 4", "constd 1 -3", "consth 1 5"])
def test_btor2_constants_fit_their_sort(constant: str) -> None:
    with pytest.raises(InputError, match="does not fit in 2 bits"):
        read_btor2(f"1 sort bitvec 2\n2 {constant}\n3 sort bitvec 1\n4 redor 3 2\n5 bad 4\n")
    read_btor2("1 sort bitvec 2\n2 constd 1 -2\n3 consth 1 03\n4 and 1 2 3\n")


def test_btor2_constants_are_as_wide_as_their_sort() -> None:
    """Also elements of arrays that states start at."""
    start = expr.constant_array(expr.const(5, 4), 2)
    array = expr.reg("a", start.width, 2)
    at = expr.make("select", 4, (array, expr.const(1, 2)))
    model = Model({}, {"a": start.width}, {"a": start}, {"a": array}, bad={"b": expr.eq(at, expr.const(4, 4))}, arrays={"a": 2})
    text = write_btor2(model)
    sorts = {line.split()[0]: int(line.split()[3]) for line in text.splitlines() if " sort bitvec " in line}
    constants = [line.split() for line in text.splitlines() if " const " in line]
    assert constants and all(len(digits) == sorts[sort] for _, _, sort, digits in constants)
    assert expr.array_elements(read_btor2(text).init["a"] or start) == [5, 5, 5, 5]
