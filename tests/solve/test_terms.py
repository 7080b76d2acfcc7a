"""The solvers for terms, each through the whole interface, on random terms too."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from fsoft.program.expr import Expr, binary, const, eq, evaluate, ite, make, negate, reg
from fsoft.solve.dump import Dumping, solver_of, write_question
from fsoft.solve.terms import SOLVERS, make_solver

X, Y = reg("x", 8), reg("y", 8)
SMALL = binary("ult", X, const(3, 8))
LOW = binary("ult", Y, const(3, 8))
TEN = eq(binary("add", X, Y), const(10, 8))


@pytest.mark.parametrize("name", SOLVERS)
def test_levels_assumptions_core_value(name: str) -> None:
    solver = make_solver(name)
    solver.push()
    solver.add(TEN)
    assert solver.solve([SMALL]) and solver.value(X) + solver.value(Y) == 10 and solver.value(X) < 3
    harmless = binary("ult", Y, const(200, 8))
    assert not solver.solve([harmless, SMALL, LOW])
    assert set(solver.core()) == {SMALL, LOW}
    solver.push()
    solver.add(negate(SMALL))
    assert not solver.solve([SMALL]) and solver.core() == [SMALL]
    solver.pop(2)
    assert solver.solve([SMALL, LOW])
    assert solver.value(reg("never mentioned", 4)) == 0
    assert solver.calls == 4


def _term(pick: Random, depth: int) -> Expr:
    if depth == 0:
        return pick.choice((X, Y, const(pick.randrange(256), 8)))
    a, b = _term(pick, depth - 1), _term(pick, depth - 1)
    kind = pick.randrange(4)
    if kind == 0:
        return ite(binary(pick.choice(("eq", "ult", "ule", "slt", "sle")), a, b), a, _term(pick, depth - 1))
    if kind == 1:
        wide = make(pick.choice(("zext", "sext")), 12, (a,))
        return make("extract", 8, (wide,), pick.randrange(5))
    if kind == 2:
        return make(pick.choice(("not", "neg")), 8, (a,))
    operators = ("and", "or", "xor", "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr")
    return binary(pick.choice(operators), a, b)


@pytest.mark.parametrize("seed", range(25))
def test_they_agree(seed: int) -> None:
    """All give the same answer, and values that satisfy the term."""
    pick = Random(seed)
    term = eq(_term(pick, 3), const(pick.randrange(256), 8))
    answers = set()
    for name in SOLVERS:
        solver = make_solver(name)
        solver.add(term)
        answers.add(found := solver.solve())
        if found:
            values = {"x": solver.value(X), "y": solver.value(Y)}
            assert evaluate(term, lambda leaf, values=values: values[str(leaf.data)]) == solver.value(term) == 1  # type: ignore[misc]
    assert len(answers) == 1


def test_no_such_solver() -> None:
    with pytest.raises(ValueError, match="no solver 'minisat': one of bitwuzla, z3, pysat"):
        make_solver("minisat")


def test_questions_as_files(tmp_path: Path) -> None:
    solver = solver_of("pysat", str(tmp_path / "new" / "folder"))
    assert isinstance(solver, Dumping)
    solver.push()
    solver.add(TEN)
    solver.solve([SMALL])
    solver.pop()
    solver.solve([LOW])
    first, second = sorted((tmp_path / "new" / "folder").iterdir())
    assert (first.name, second.name) == ("0001.smt2", "0002.smt2")
    assert first.read_text() == write_question([TEN, SMALL], "1 assertions, 1 assumptions")
    assert "(assert" in second.read_text() and "|x|" not in second.read_text()
