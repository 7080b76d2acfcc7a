"""One solver for a row of growing models answers as a fresh one does for each."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import fsoft.checkers.growing
from fsoft.ask.encodings import answer
from fsoft.ask.load import load
from fsoft.bounded.sequential import LazyBounds
from fsoft.checkers.certify import certify_answer
from fsoft.checkers.growing import Growing
from fsoft.checkers.sat import SatEngine
from fsoft.circuit.bits.bitblast import bitblast
from fsoft.circuit.model import Model
from fsoft.circuit.model.verdict import Proved, Unknown, Violated
from fsoft.frontend.source import Source
from fsoft.passes.bounds import Bounds
from fsoft.program.expr import Expr, binary, const, eq, ite, negate, reg
from fsoft.program.options import Options

LEAP = """
int x, y;
void *f(void *_) { for (int i = 0; i < 3; i++) x = x + y; return 0; }
void *g(void *_) { for (int i = 0; i < 3; i++) y = y + x; return 0; }
int main(void) { pthread_t a, b; x = 1; y = 1; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
                 pthread_join(a, 0); pthread_join(b, 0); assert(y < 21); return 0; }
"""


def random_row(rng: random.Random) -> list[Model]:
    """Models that have most of their terms in common; constraints and targets come and go, and a width changes."""
    inputs = {f"i{k}": 3 for k in range(4)}
    pool: list[Expr] = [reg(name, width) for name, width in inputs.items()]
    row = []
    for number in range(5):
        for _ in range(6):
            a, b, c = (rng.choice(pool) for _ in range(3))
            pool.append(ite(binary("ult", a, b), binary(rng.choice(("add", "mul", "xor")), b, c), a))

        def bit(pool: list[Expr] = pool) -> Expr:
            one = eq(rng.choice(pool), const(rng.randrange(8), 3))
            return one if rng.random() < 0.7 else negate(one)

        model = Model(inputs=dict(inputs), bad={"bad": binary("and", bit(), bit())}, bounds={"more": binary("and", bit(), bit())})
        model.constraints = {f"c{k}": bit() for k in range(rng.randrange(4))}
        model.inputs["wide"] = 2 + number % 2
        model.constraints["wide"] = eq(reg("wide", 2 + number % 2), const(3 + number % 2, 2 + number % 2))
        row.append(model)
    return row


@pytest.mark.parametrize("least", [0.0, 2.0])
def test_answers_are_those_of_fresh_solvers(least: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fsoft.checkers.growing, "LEAST", least)
    kinds = set()
    for seed in range(12):
        growing = Growing()
        for model in random_row(random.Random(seed)):
            here, fresh = growing.check(model), SatEngine().check(model)
            assert type(here) is type(fresh), seed
            kinds.add(type(here))
            if isinstance(here, Unknown) and isinstance(fresh, Unknown):
                assert here.proved and here.bounds == fresh.bounds
            if isinstance(here, Proved):
                assert certify_answer(bitblast(model), here) is None
        growing.close()
    assert kinds == {Proved, Violated, Unknown}


def test_what_is_known_is_not_added_again(tmp_path: Path) -> None:
    path = tmp_path / "leap.c"
    path.write_text("#include <pthread.h>\n#include <assert.h>\n" + LEAP)
    program = load([Source(str(path))], Options(), bits=64)
    heard: list[str] = []
    verdict = answer(program, "lazy", LazyBounds(loops=Bounds(unwind=1), incremental=True), say=heard.append)
    assert verdict.last_line() == "FALSE(unreach-call)" and len(heard) > 1
    assert "a new solver" in heard[0] and all("% known" in line for line in heard[1:])
    alone: list[str] = []
    answer(program, "lazy", LazyBounds(rounds=2 + len(heard) - 1, incremental=True), say=alone.append)

    def clauses(line: str) -> int:
        return int(line.rpartition(", ")[2].split()[0])

    assert clauses(heard[-1]) < 0.6 * clauses(alone[0])


def test_a_model_with_nothing_in_common_gets_a_new_solver() -> None:
    growing = Growing()
    for name in ("x", "y"):
        bad = eq(binary("mul", reg(name, 8), reg(name, 8)), const(2, 8))
        assert isinstance(growing.check(Model(inputs={name: 8}, bad={"bad": bad})), Proved)
        assert growing.cost.startswith("a new solver")
    assert "0% known" in growing.cost
    growing.close()


def test_constraints_that_stay_are_asserted_and_those_that_go_are_forgotten() -> None:
    x = binary("mul", reg("x", 8), reg("x", 8))
    small, odd = binary("ult", x, const(10, 8)), eq(binary("and", x, const(1, 8)), const(1, 8))
    growing = Growing()
    rows: list[tuple[list[Expr], int, type, str]] = [
        ([small], 9, Violated, "a new solver"),
        ([small, odd], 4, Proved, "% known"),
        ([odd], 25, Violated, "a new solver (94% known)"),
        ([small], 25, Proved, "% known"),
        ([], 4, Violated, "% known"),
    ]
    for constraints, value, kind, cost in rows:
        model = Model(inputs={"x": 8}, bad={"bad": eq(x, const(value, 8))})
        model.constraints = {str(k): term for k, term in enumerate(constraints)}
        assert isinstance(growing.check(model), kind)
        assert cost in growing.cost and ("new" in cost or "new" not in growing.cost)
    growing.close()
