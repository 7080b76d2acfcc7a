"""Every rule of legality has a program that breaks it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from fsoft.program.expr import Expr, _node, const, eq, own, reg
from fsoft.program.legal import check_legal, complaints
from fsoft.program.program import Alloc, Assign, CellRun, Enter, Halt, Input, Load, Program, Require, Step, Store, Template
from fsoft.program.verdict import InternalError
from tests.program.build import Builder, add, c
from tests.program.randomly import concurrent_program


def legal() -> Program:
    b = Builder()
    x = b.variable("x", 1)
    b.pool(1, 8)
    t = b.template("main", a=32, o=8)
    t.step(0, 1, Load("a", x, 4), Assign("a", add(reg("a", 32), 1)), Store(x, reg("a", 32), 4))
    return b.program(("main", t))


def test_a_legal_program_gives_no_complaint() -> None:
    assert complaints(legal()) == []
    check_legal(legal())
    source = Random(3)
    for _ in range(20):
        assert complaints(concurrent_program(source)) == []


def _action(action: object) -> Callable[[Program], None]:
    def change(program: Program) -> None:
        template = program.threads[0].template
        template.steps[0] = replace(template.steps[0], actions=(action,))  # type: ignore[arg-type]

    return change


def _template(change: Callable[[Template], object]) -> Callable[[Program], None]:
    def changed(program: Program) -> None:
        change(program.threads[0].template)

    return changed


def _object(**fields: object) -> Callable[[Program], None]:
    def changed(program: Program) -> None:
        for name, value in fields.items():
            setattr(program.objects[1], name, value)

    return changed


def broken(op: str, width: int, *args: Expr, data: int | None = None) -> Expr:
    return _node(op, width, args, data)


A, O = reg("a", 32), reg("o", 8)

BROKEN = [
    (_action(Assign("zz", c(1))), "writes the undeclared register zz"),
    (_action(Assign("a", reg("zz", 32))), "reads the undeclared register zz"),
    (_action(Assign("a", reg("o", 32))), "reads 32 bits of register o, which has 8"),
    (_action(Assign("a", O)), "a value for a of 8 bits instead of 32"),
    (_action(Assign("a", own("zz", 32))), "reads own(zz)"),
    (_action(Assign("a", broken("add", 32, A, O))), "add has operands of [32, 8] bits and a result of 32"),
    (_action(Assign("a", broken("extract", 32, A, data=1))), "extract has operands of [32] bits"),
    (_action(Assign("a", broken("fadd", 8, O, O))), "no float"),
    (_action(Assign("a", broken("huh", 32, A))), "huh is no operator"),
    (_action(Load("o", c(1 << 16), 4)), "loads 4 bytes into o, which has 8 bits"),
    (_action(Store(c(1 << 16), O, 4)), "a stored value of 8 bits instead of 32"),
    (_action(Load("a", O, 4)), "an address of 8 bits instead of 32"),
    (_action(Require(A)), "a condition of 32 bits instead of 1"),
    (_action(Halt("elsewhere")), "halts at 'elsewhere', which is no stop"),
    (_action(Halt("cut", 7)), "names marker 7, which does not exist"),
    (_action(Alloc("a", c(8), 5)), "allocates from pool 5, which does not exist"),
    (_action(Enter(A)), "enters an object that is not known"),
    (_template(lambda t: t.steps.append(Step(0, const(1, 1), (), 99))), "starts or ends at no location"),
    (_template(lambda t: t.steps.append(Step(t.stops["cut"], const(1, 1), (), 0))), "leaves a stop"),
    (_template(lambda t: t.steps.append(Step(0, c(1), (), 0))), "a guard of 32 bits instead of 1"),
    (_template(lambda t: t.stops.pop("cut")), "no location for the stop 'cut'"),
    (_object(runs=(CellRun(0, 4, 4, 2),)), "has a cell that ends at 8, beyond its 4 bytes"),
    (_object(runs=(CellRun(0, 4, 4, 1), CellRun(2, 2, 2, 1))), "has overlapping cells at offset 2"),
    (_object(initial={2: 1}), "has an initial value at offset 2, where no cell starts"),
    (_object(id=9), "stands at place 1 of the list"),
    (_object(size=1 << 20), "too many for an offset of 16 bits"),
    (_object(pool=0), "is not in its pool 0"),
    (lambda program: program.pools[0].__setattr__("marker", 3), "pool 0 names marker 3, which does not exist"),
    (lambda program: program.threads.clear(), "there is no thread"),
]


@pytest.mark.parametrize("change, complaint", BROKEN, ids=[text for _, text in BROKEN])
def test_what_is_illegal_is_named(change: Callable[[Program], None], complaint: str) -> None:
    program = legal()
    change(program)
    found = complaints(program)
    assert any(complaint in text for text in found), found
    with pytest.raises(InternalError, match="illegal program"):
        check_legal(program)


def test_a_require_must_not_depend_on_an_input() -> None:
    program = legal()
    template = program.threads[0].template
    actions = (Input("a", "nondet"), Assign("_t", add(A, 1)), Require(eq(reg("_t", 32), c(0))))
    template.steps[0] = replace(template.steps[0], actions=actions)
    assert any("depends on an input of the same step (_t)" in text for text in complaints(program))
    template.steps[0] = replace(template.steps[0], actions=(actions[0], Assign("_t", c(1)), actions[2]))
    assert complaints(program) == []
