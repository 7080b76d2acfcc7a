"""Arrays: the constructor's rules, simulation, bits, flat words."""

from __future__ import annotations

import random

from fsoft.circuit.aig import Aig
from fsoft.circuit.bitblast import Blaster, bitblast
from fsoft.circuit.bits import pack, to_bits
from fsoft.circuit.compiled import compile_terms
from fsoft.circuit.flatten_arrays import flatten_arrays
from fsoft.circuit.lower import lower
from fsoft.circuit.model import Model, check_model, properties
from fsoft.circuit.reduce import reduce_model
from fsoft.circuit.simulate import Simulator, run_bits, simulate
from fsoft.circuit.verdict import Stimulus
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
    model = Model({"i": 10}, {"a": 4 << 10}, {"a": None}, {"a": term}, {"b": expr.eq(select(term, reg("i", 10)), const(3, 4))}, arrays={"a": 10})
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
        model.bad["differ"] = expr.negate(expr.eq(expr.select(reg("same", model.states["a"], model.arrays["a"]), reg("at", model.inputs["at"])),
                                                  expr.select(reg("a", model.states["a"], model.arrays["a"]), reg("at", model.inputs["at"]))))  # fmt: skip
        check_model(model)
        small, restore = reduce_model(model)
        check_model(small)
        kept += len(small.arrays)
        short = Stimulus({n: v for n, v in run.initial.items() if n in small.states}, run.inputs)
        assert observed(small, short) == observed(model, run)
        for row, whole in zip(simulate(small, short), simulate(model, run)):
            assert restore.values({n: row.values[n] for n in small.states}).items() <= whole.values.items()
    assert kept > 40
