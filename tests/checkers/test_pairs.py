"""Clauses of two literals: what is found is inductive, and what a person would expect is found."""

from __future__ import annotations

from dataclasses import replace

from fsoft.checkers.certify import certify
from fsoft.checkers.pairs import pair_invariants
from fsoft.circuit.bits import fingerprint
from fsoft.circuit.bits.bitblast import bitblast
from fsoft.circuit.model import Model
from fsoft.circuit.model.verdict import Certificate
from fsoft.program import expr
from fsoft.solve.sat import Sat
from tests.checkers.test_engines import cases


def lock() -> Model:
    """Two threads that take turns in a critical section: `owner` is free, `a` or `b`, `in_a` and `in_b` say who is inside."""
    owner_a, owner_b, in_a, in_b = (expr.reg(name, 1) for name in ("owner_a", "owner_b", "in_a", "in_b"))
    who = expr.reg("who", 1)
    free = expr.conj(expr.negate(owner_a), expr.negate(owner_b))
    next_a = expr.ite(who, in_a, expr.disj(in_a, free))
    next_b = expr.ite(who, expr.disj(in_b, free), in_b)
    return Model(
        inputs={"who": 1},
        states=dict.fromkeys(("owner_a", "owner_b", "in_a", "in_b"), 1),
        init=dict.fromkeys(("owner_a", "owner_b", "in_a", "in_b"), expr.const(0, 1)),
        next={"owner_a": next_a, "owner_b": next_b, "in_a": next_a, "in_b": next_b},
        bad={"both": expr.conj(in_a, in_b)},
    )


def test_exclusion_follows() -> None:
    bits = bitblast(lock())
    at = {name: i + 1 for i, (name, _) in enumerate(bits.latch_words)}
    sat = Sat("minisat22")
    sat.add_all(pair_invariants(bits))
    assert sat.solve([at["in_a"]]) and sat.solve([at["in_b"]])
    assert not sat.solve([at["in_a"], at["in_b"]])


def test_what_is_found_is_inductive() -> None:
    found = 0
    for model, _ in cases():
        bits = bitblast(replace(model, bad={"never": expr.FALSE}, bounds={}))
        clauses = pair_invariants(bits)
        found += len(clauses)
        literals = tuple(tuple(2 * (abs(x) - 1) + (x < 0) for x in clause) for clause in clauses)
        assert certify(bits, Certificate("invariant", fingerprint(bits), ("never",), literals)) is None
    assert found > 0
