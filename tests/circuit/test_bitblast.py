"""Every operator as a circuit against `expr.operate`, and the two simulators against each other."""

from __future__ import annotations

import random
import struct

import pytest

from fsoft.circuit.bits import to_bits
from fsoft.circuit.bits.aig import Aig
from fsoft.circuit.bits.bitblast import Blaster, bitblast
from fsoft.circuit.bits.simulate import Simulator, run_bits
from fsoft.circuit.model import check_model
from fsoft.circuit.model.simulate import simulate
from fsoft.circuit.model.softfloat import FLOAT_OPERATORS
from fsoft.circuit.model.verdict import Stimulus
from fsoft.program import expr
from fsoft.program.expr import Expr, operate
from tests.circuit.random_models import INTEGER, random_model, random_term

RUNS = 200


def values_of_width(rng: random.Random, width: int) -> int:
    """Random, with the corners often."""
    kind = rng.randrange(6)
    if kind == 0:
        return 0
    if kind == 1:
        return (1 << width) - 1
    if kind == 2:
        return 1 << (width - 1)
    if kind == 3:
        return rng.randrange(min(1 << width, 70))
    return rng.getrandbits(width)


def compare(term: Expr, rows: list[dict[str, int]]) -> None:
    """The circuit of the term against its value on every row."""
    aig = Aig()
    blaster = Blaster(aig)
    leaves = {str(n.data): n.width for n in expr.postorder((term,)) if n.op == "reg"}
    inputs = {name: [aig.input() for _ in range(width)] for name, width in leaves.items()}
    for name, literals in inputs.items():
        blaster.bind(name, literals)
    bits = blaster.bits(term)
    simulator = Simulator(aig, bits, len(rows))
    for name, literals in inputs.items():
        for i, literal in enumerate(literals):
            simulator.set(literal, sum(((row[name] >> i) & 1) << j for j, row in enumerate(rows)))
    simulator.run()
    columns = [simulator.get(b) for b in bits]
    for j, row in enumerate(rows):
        expected = expr.evaluate(term, lambda leaf, row=row: row[str(leaf.data)])  # type: ignore[misc]
        got = sum(((c >> j) & 1) << i for i, c in enumerate(columns))
        assert got == expected, (term, row, got, expected)


def operator_node(op: str, width: int, rng: random.Random) -> Expr:
    x, y = expr.reg("x", width), expr.reg("y", width)
    if op in ("not", "neg"):
        return expr.make(op, width, (x,))
    if op in ("zext", "sext"):
        return expr.make(op, width + rng.randint(1, 9), (x,))
    if op == "extract":
        low = rng.randrange(width)
        return expr.make(op, rng.randint(1, width - low), (x,), low)
    if op == "concat":
        return expr.make(op, width + 5, (x, expr.reg("y", 5)))
    if op == "padd":
        return expr.make(op, width, (x, y), rng.randint(1, width))
    if op == "ite":
        return expr.make(op, width, (expr.reg("c", 1), x, y))
    return expr.binary(op, x, y)


@pytest.mark.parametrize("op", INTEGER)
def test_integer_operators(op: str) -> None:
    rng = random.Random(op)
    for width in (1, 2, 3, 5, 8, 13, 16, 32, 33, 64):
        if width == 64 and op in ("udiv", "sdiv", "urem", "srem"):
            continue
        term = operator_node(op, width, rng)
        leaves = {str(n.data): n.width for n in expr.postorder((term,)) if n.op == "reg"}
        compare(term, [{name: values_of_width(rng, w) for name, w in leaves.items()} for _ in range(RUNS)])


@pytest.mark.parametrize("op", ["add", "mul", "udiv", "srem", "shl", "ashr", "slt", "padd"])
def test_operators_with_a_constant(op: str) -> None:
    rng = random.Random(op)
    for _ in range(20):
        width = rng.choice([3, 8, 16])
        x, c = expr.reg("x", width), expr.const(values_of_width(rng, width), width)
        args = (x, c) if rng.random() < 0.5 else (c, x)
        term = expr.make(op, 1 if op == "slt" else width, args, width // 2 if op == "padd" else None)
        compare(term, [{"x": values_of_width(rng, width)} for _ in range(50)])


def interesting_float(rng: random.Random, width: int) -> int:
    kind = rng.randrange(8)
    mantissa = 23 if width == 32 else 52
    if kind == 0:
        return rng.choice([0, 1 << (width - 1), expr.bits_of_float(float("inf"), width), expr.bits_of_float(float("-inf"), width)])
    if kind == 1:
        return expr.bits_of_float(float("nan"), width) ^ rng.getrandbits(3) ^ rng.getrandbits(1) << (width - 1)
    if kind == 2:
        return rng.getrandbits(mantissa) | rng.getrandbits(1) << (width - 1)  # subnormal
    if kind == 3:
        return expr.bits_of_float(float(rng.randint(-(2**33), 2**33)) / rng.choice([1, 2, 3, 4]), width)
    if kind == 4:
        return expr.bits_of_float(rng.choice([1.0, -1.0, 0.5, 1.5, -2.0, 3.0, 2.0**31, -(2.0**31), 2.0**63, 0.1]), width)
    if kind == 5:
        return (rng.getrandbits(2) | rng.choice([0, 1, 2]) << (mantissa - 2)) | rng.randrange(1, 4) << mantissa
    return rng.getrandbits(width)


def float_cases(op: str) -> list[tuple[Expr, list[int]]]:
    """Terms of the operator at all its widths, with the widths of the float (0: integer) operands."""
    cases: list[tuple[Expr, list[int]]] = []
    for w in (32, 64):
        x, y = expr.reg("x", w), expr.reg("y", w)
        if op == "fconv":
            cases.append((expr.make(op, 96 - w, (x,)), [w]))
        elif op in ("itof", "utof"):
            cases += [(expr.make(op, w, (expr.reg("x", i),)), [0]) for i in (8, 32, 64)]
        elif op in ("ftoi", "ftou"):
            cases += [(expr.make(op, i, (x,)), [w]) for i in (8, 16, 32, 64)]
        elif op != "fdiv" or w == 32:
            cases.append((expr.binary(op, x, y), [w, w]))
    return cases


@pytest.mark.parametrize("op", sorted(FLOAT_OPERATORS))
def test_float_operators(op: str) -> None:
    rng = random.Random(op)
    for term, floats in float_cases(op):
        rows = []
        for _ in range(600):
            row = {}
            for name, kind in zip("xy", floats):
                width = next(n.width for n in expr.postorder((term,)) if n.op == "reg" and n.data == name)
                row[name] = interesting_float(rng, kind) if kind else values_of_width(rng, width)
            rows.append(row)
        for row in rows[:100]:  # near each other: cancellation and ties
            if len(row) == 2:
                row["y"] = row["x"] ^ rng.getrandbits(2) ^ rng.getrandbits(1) << (floats[0] - 1)
        compare(term, rows)


def test_float_reference_is_ieee() -> None:
    """The oracle itself: binary32 addition through double is correctly rounded."""
    a, b = struct.unpack("<II", struct.pack("<ff", 16777216.0, 1.0))
    assert operate("fadd", 32, (32, 32), None, (a, b)) == a


def test_random_terms() -> None:
    rng = random.Random(7)
    for _ in range(150):
        leaves = [expr.reg("x", rng.choice([1, 4, 9])), expr.reg("y", rng.choice([2, 8])), expr.reg("z", 5)]
        term = random_term(rng, leaves, rng.randint(1, 12))
        compare(term, [{str(n.data): values_of_width(rng, n.width) for n in leaves} for _ in range(40)])


def test_word_and_bit_runs_agree() -> None:
    rng = random.Random(11)
    for _ in range(60):
        model = random_model(rng)
        check_model(model)
        bits = bitblast(model)
        steps = tuple({n: rng.getrandbits(w) for n, w in model.inputs.items()} for _ in range(12))
        run = Stimulus({n: rng.getrandbits(w) for n, w in model.states.items() if model.init[n] is None}, steps)
        rows = run_bits(bits, to_bits(bits, run), [*bits.latches, *bits.bad.values(), *bits.constraints.values()])
        for step, row in zip(simulate(model, run), rows):
            words = [(step.values[n] >> i) & 1 for n, w in model.states.items() for i in range(w)]
            terms = [*model.bad.values(), *model.constraints.values()]
            assert row == words + [step.terms[t] for t in terms]


def test_deep_terms_do_not_recurse() -> None:
    term = expr.reg("x", 4)
    for i in range(30_000):
        term = expr.make("xor" if i % 2 else "add", 4, (term, expr.reg("y", 4)))
    compare(term, [{"x": 3, "y": 5}, {"x": 15, "y": 1}])


@pytest.mark.parametrize("op", ["udiv", "urem", "sdiv", "srem"])
def test_division_by_what_is_known_or_narrow(op: str) -> None:
    rng, x = random.Random(7), expr.reg("x", 8)
    divisors = [expr.const(k, 8) for k in (0, 1, 2, 3, 4, 5, 10, 16, 127, 128, 129, 255)]
    narrow = expr.make("zext", 8, (expr.reg("y", 3),))
    divisors += [narrow, expr.make("or", 8, (narrow, expr.const(4, 8)))]
    for divisor in divisors:
        compare(expr.make(op, 8, (x, divisor)), [{"x": a, "y": rng.getrandbits(3)} for a in range(256) for _ in range(2)])


def test_division_by_a_power_of_two_costs_nothing() -> None:
    aig = Aig()
    blaster, x = Blaster(aig), [aig.input() for _ in range(32)]
    blaster.bind("x", x)
    by_eight = {op: blaster.bits(expr.make(op, 32, (expr.reg("x", 32), expr.const(8, 32)))) for op in ("udiv", "urem")}
    assert by_eight["udiv"] == [*x[3:], 0, 0, 0] and by_eight["urem"] == [*x[:3], *[0] * 29]
