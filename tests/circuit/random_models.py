"""Random terms and small random Models, from a seed."""

from __future__ import annotations

import random

from fsoft.circuit.model import Model
from fsoft.program import expr
from fsoft.program.expr import Expr

INTEGER = [
    "not", "neg", "and", "or", "xor", "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "eq", "ult", "ule", "slt",
    "sle", "ite", "zext", "sext", "extract", "concat", "padd",
]  # fmt: skip


def fit(term: Expr, width: int, rng: random.Random) -> Expr:
    """The term cut or extended to `width` bits."""
    return term if term.width == width else expr.resize(term, width, rng.random() < 0.5)


def random_term(rng: random.Random, leaves: list[Expr], size: int, operators: list[str] = INTEGER) -> Expr:
    """A term of about `size` operators over the leaves."""
    pool = list(leaves)
    for _ in range(size):
        pool.append(random_node(rng, pool, rng.choice(operators)))
    return pool[-1]


def random_node(rng: random.Random, pool: list[Expr], op: str) -> Expr:
    a, b = rng.choice(pool), rng.choice(pool)
    if rng.random() < 0.2:
        b = expr.const(rng.getrandbits(a.width), a.width)
    if op in ("not", "neg"):
        return expr.make(op, a.width, (a,))
    if op in ("zext", "sext"):
        return expr.make(op, min(a.width + rng.randrange(4), 80), (a,))
    if op == "extract":
        low = rng.randrange(a.width)
        return expr.make(op, rng.randint(1, a.width - low), (a,), low)
    if op == "concat":
        return expr.make(op, a.width + b.width, (a, b)) if a.width + b.width <= 80 else a
    if op == "padd":
        return expr.make(op, a.width, (a, fit(b, a.width, rng)), rng.randint(1, a.width))
    if op == "ite":
        c = rng.choice(pool)
        return expr.make(op, a.width, (fit(c, 1, rng), a, fit(b, a.width, rng)))
    return expr.binary(op, a, fit(b, a.width, rng))


def random_model(rng: random.Random, state_bits: int = 7, input_bits: int = 3) -> Model:
    """A Model small enough to enumerate: counters with random next functions, a rare bad, sometimes a constraint or a free start."""
    model = Model()
    for group, prefix, total in ((model.inputs, "in", rng.randint(0, input_bits)), (model.states, "s", rng.randint(1, state_bits))):
        while total > 0:
            width = min(total, rng.randint(1, 4))
            group[f"{prefix}{len(group)}"] = width
            total -= width
    leaves = [expr.reg(n, w) for n, w in [*model.inputs.items(), *model.states.items()]]
    cheap = [op for op in INTEGER if op not in ("concat",)]
    for name, width in model.states.items():
        free = rng.random() < 0.1
        model.init[name] = None if free else expr.const(rng.getrandbits(width), width)
        term = fit(random_term(rng, leaves, rng.randint(1, 8), cheap), width, rng)
        if rng.random() < 0.5:
            guard = fit(random_term(rng, leaves, 2, cheap), 1, rng)
            term = expr.ite(guard, term, expr.reg(name, width))
        model.next[name] = term
    for i in range(rng.choice([1, 1, 1, 2])):
        model.bad[f"bad{i}"] = _rare(rng, leaves, model)
    if rng.random() < 0.3:
        model.constraints["assume"] = fit(random_term(rng, leaves, 3, cheap), 1, rng)
    return model


def _rare(rng: random.Random, leaves: list[Expr], model: Model) -> Expr:
    """A condition that few states satisfy."""
    term = fit(random_term(rng, leaves, 2), 1, rng)
    for name, width in model.states.items():
        if rng.random() < 0.8:
            term = expr.conj(term, expr.eq(expr.reg(name, width), expr.const(rng.getrandbits(width), width)))
    return term
