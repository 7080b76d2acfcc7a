"""The graph and what is built on it: simplification, CNF, unrolling, sweeping, each against plain evaluation."""

from __future__ import annotations

import pickle
import random
from itertools import product

import pytest

from fsoft.circuit.bits import BitModel, BitStimulus
from fsoft.circuit.bits.aig import Aig
from fsoft.circuit.bits.bitblast import bitblast
from fsoft.circuit.bits.cnf import NEGATIVE, POSITIVE, Encoder
from fsoft.circuit.bits.simulate import Simulator, run_bits
from fsoft.circuit.bits.sweep import sweep
from fsoft.circuit.bits.unroll import Unroller
from fsoft.solve.sat import Sat
from tests.circuit.random_models import random_model


def random_graph(rng: random.Random, inputs: int, size: int) -> tuple[Aig, list[tuple[int, int]]]:
    """A graph, and pairs of literals and their truth tables computed without it."""
    aig = Aig()
    rows = 1 << inputs
    mask = (1 << rows) - 1
    pool = [(0, 0)]
    for i in range(inputs):
        pool.append((aig.input(), sum(((row >> i) & 1) << row for row in range(rows))))
    for _ in range(size):
        (a, x), (b, y), (c, z) = rng.choice(pool), rng.choice(pool), rng.choice(pool)
        if rng.random() < 0.5:
            a, x = a ^ 1, x ^ mask
        if rng.random() < 0.5:
            b, y = b ^ 1, y ^ mask
        kind = rng.randrange(5)
        if kind < 3:
            pool.append((aig.land(a, b), x & y))
        elif kind == 3:
            pool.append((aig.lxor(a, b), x ^ y))
        else:
            pool.append((aig.mux(c, a, b), (z & x) | (~z & mask & y)))
    return aig, pool


def test_the_constructor_keeps_the_function() -> None:
    rng = random.Random(1)
    for _ in range(300):
        aig, pool = random_graph(rng, 4, 40)
        for v in range(1, len(aig)):
            if aig.left[v] >= 0:
                assert 2 * v > aig.left[v] > aig.right[v] > 1
        simulator = Simulator(aig, [literal for literal, _ in pool], 16)
        for i, (literal, table) in enumerate(pool[1:5]):
            simulator.set(literal, table)
            assert literal == 2 * (i + 1)
        simulator.run()
        for literal, table in pool:
            assert simulator.get(literal) == table
            assert (table != 0 or literal == 0) or literal > 1


def test_two_level_rules() -> None:
    g = Aig()
    a, b, c = g.input(), g.input(), g.input()
    ab = g.land(a, b)
    assert g.land(ab, a) == ab and g.land(ab, a ^ 1) == 0
    assert g.land(ab ^ 1, a ^ 1) == a ^ 1
    assert g.land(ab ^ 1, a) == g.land(a, b ^ 1)
    assert g.land(ab, g.land(a ^ 1, c)) == 0
    assert g.land(ab ^ 1, g.land(a, b ^ 1) ^ 1) == a ^ 1
    ac = g.land(a, c)
    assert g.land(ab, ac) in (g.land(ab, c), g.land(ac, b))
    assert g.land(ab, g.land(b ^ 1, c) ^ 1) == ab
    before = len(g)
    assert g.land(b, a) == ab and len(g) == before


def test_pickling() -> None:
    aig, pool = random_graph(random.Random(2), 4, 30)
    again = pickle.loads(pickle.dumps(aig))
    assert again.left == aig.left and again.land(pool[1][0], pool[2][0]) == aig.land(pool[1][0], pool[2][0])


@pytest.mark.parametrize("redundant", [True, False])
def test_cnf_has_the_models_of_the_graph(redundant: bool) -> None:
    rng = random.Random(3)
    for _ in range(60):
        aig, pool = random_graph(rng, 4, 25)
        roots = [rng.choice(pool) for _ in range(3)]
        sat = Sat("minisat22")
        encoder = Encoder(aig, sat.add, sat.var, redundant)
        inputs = [encoder.literal(2 * (i + 1)) for i in range(4)]
        goals = [(encoder.literal(literal, POSITIVE), encoder.literal(literal ^ 1, POSITIVE), table) for literal, table in roots]
        for literal, _ in roots:
            assert encoder.literal(literal, NEGATIVE) == encoder.literal(literal)
        for row, values in enumerate(product((0, 1), repeat=4)):
            chosen = [name if value else -name for name, value in zip(inputs, reversed(values))]
            for yes, no, table in goals:
                assert sat.solve([*chosen, yes]) == bool(table >> row & 1)
                assert sat.solve([*chosen, no]) == (not table >> row & 1)


@pytest.mark.parametrize("redundant", [True, False])
def test_cnf_of_a_growing_graph(redundant: bool) -> None:
    rng = random.Random(4)
    aig = Aig()
    inputs = [aig.input() for _ in range(4)]
    sat = Sat("minisat22")
    encoder = Encoder(aig, sat.add, sat.var, redundant)
    names = [encoder.literal(x) for x in inputs]
    pool = list(inputs)
    for _ in range(40):
        pool.append(aig.mux(rng.choice(pool), rng.choice(pool) ^ 1, aig.land(rng.choice(pool), rng.choice(pool))))
        goal = pool[-1]
        simulator = Simulator(aig, [goal], 16)
        for i, x in enumerate(inputs):
            simulator.set(x, sum(((row >> i) & 1) << row for row in range(16)))
        simulator.run()
        literal = encoder.literal(goal, rng.choice([POSITIVE, NEGATIVE, POSITIVE | NEGATIVE]))
        literal = encoder.literal(goal)
        for row in range(16):
            chosen = [name if row >> i & 1 else -name for i, name in enumerate(names)]
            assert sat.solve([*chosen, literal]) == bool(simulator.get(goal) >> row & 1)


def random_bits_run(bits: BitModel, rng: random.Random, length: int) -> BitStimulus:
    initial = tuple(rng.getrandbits(1) if r is None else r for r in bits.reset)
    return BitStimulus(initial, tuple(tuple(rng.getrandbits(1) for _ in bits.inputs) for _ in range(length)))


def test_frames_are_the_steps_of_a_run() -> None:
    rng = random.Random(5)
    for _ in range(40):
        bits = bitblast(random_model(rng))
        watch = [*bits.bad.values(), *bits.constraints.values()]
        run = random_bits_run(bits, rng, 6)
        unroller = Unroller(bits, watch)
        for _ in run.inputs:
            unroller.extend()
        wanted = [[unroller.at(x, k) for x in watch] for k in range(6)]
        assert all(x is not None for row in wanted for x in row)
        simulator = Simulator(unroller.aig, [x for row in wanted for x in row if x is not None], 1)
        for literal, value in zip(bits.latches, run.initial):
            there = unroller.at(literal, 0)
            if there is not None and there > 1:
                simulator.set(there, value)
        for k, step in enumerate(run.inputs):
            for literal, value in zip(bits.inputs, step):
                there = unroller.at(literal, k)
                if there is not None:
                    simulator.set(there, value)
        simulator.run()
        assert [[simulator.get(x or 0) for x in row] for row in wanted] == run_bits(bits, run, watch)


def test_sweeping_keeps_the_targets() -> None:
    rng = random.Random(6)
    merged = 0
    for _ in range(150):
        bits = bitblast(random_model(rng))
        if rng.random() < 0.5:  # a copy of the first latches, so that there is something to merge
            extra = bits.add_latch("copy", list(bits.reset[:2]))
            bits.next[-len(extra) :] = bits.next[:2]
            bits.bad["copy"] = bits.aig.land(extra[0], bits.latches[-1])
        reduction = sweep(bits, bits.bad)
        merged += len(reduction.equal)
        run = random_bits_run(reduction.bits, rng, 8)
        home = reduction.lift_run(run)
        small = run_bits(reduction.bits, run, list(reduction.targets.values()))
        assert small == run_bits(bits, home, list(bits.bad.values()))
    assert merged > 5
