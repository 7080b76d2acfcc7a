"""no-data-race in the model of SV-COMP."""

from __future__ import annotations

import pytest

from fsoft.ask.circuits import decide
from fsoft.checkers.explicit.engine import explore
from fsoft.program.expr import binary
from fsoft.program.program import Action, Free, Leave, Load, Program, Store, Tag
from tests.program.build import Builder, c


def race(first: Action, second: Action, tags: tuple[Tag, ...] = (), atomic: bool = False) -> str:
    b = Builder(("no-data-race",))
    b.object("s", 8, ())
    b.result.objects.pop()
    b.array("s", 8, 1)
    b.variable("l", storage="local", alive=True, slot=0)
    one, two = b.template("one", a=32, o=8), b.template("two", a=32, o=8)
    if atomic:
        one.goto(0, 1)
        one.step(1, 2, first)
        one.atomic.add(1)
    else:
        one.step(0, 1, first, tags=tags)
    two.step(0, 1, second, tags=tags)
    program: Program = b.program(("one", one), ("two", two))
    kind = explore(program).kind
    assert decide(program, "pdr").kind == kind, "the circuit says otherwise"
    return kind


S, L = c(1 << 16), c(2 << 16)


@pytest.mark.parametrize(
    "first, second, kind",
    [
        (Store(S, c(1), 4), Load("a", S, 4), "FALSE"),
        (Load("a", S, 4), Load("a", S, 4), "TRUE"),
        (Store(S, c(1), 4, True), Load("a", S, 4), "FALSE"),
        (Store(S, c(1), 4, True), Store(S, c(1), 4, True), "TRUE"),
        (Store(S, c(1), 4), Store(binary("add", S, c(4)), c(1), 4), "TRUE"),
        (Store(S, c(1), 4), Load("o", binary("add", S, c(3)), 1), "FALSE"),
        (Store(S, c(1), 4), Load("o", binary("add", S, c(4)), 1), "TRUE"),
        (Leave(L), Load("a", L, 4), "FALSE"),
    ],
)
def test_pairs_of_accesses(first: Action, second: Action, kind: str) -> None:
    assert race(first, second).replace("UNKNOWN", "TRUE") == kind


def test_accesses_inside_sections_are_atomic_among_themselves() -> None:
    write, read = Store(S, c(1), 4), Load("a", S, 4)
    assert race(write, read, (Tag("section"),)) == "TRUE"


def test_an_access_inside_a_section_races_with_one_outside() -> None:
    assert race(Store(S, c(1), 4), Load("a", S, 4), atomic=True) == "FALSE"


def test_free_is_a_write() -> None:
    b = Builder(("no-data-race",))
    b.pool(1, 8)
    b.result.objects[1].alive = True
    one, two = b.template("one", a=32), b.template("two", a=32)
    one.step(0, 1, Free(S))
    two.step(0, 1, Load("a", S, 4, True))
    verdict = explore(b.program(("one", one), ("two", two)))
    assert verdict.last_line() == "FALSE(no-data-race)"
    assert "thread 0 (one) frees heap0.0" in verdict.reasons[1]
    assert "thread 1 (two) atomically reads heap0.0" in verdict.reasons[2]


def test_the_end_of_a_lifetime_is_told_as_such() -> None:
    b = Builder(("no-data-race",))
    b.variable("l", storage="local", alive=True, slot=0)
    one, two = b.template("one", a=32), b.template("two", o=8)
    one.step(0, 1, Leave(S))
    two.step(0, 1, Load("o", binary("add", S, c(1)), 1))
    verdict = explore(b.program(("one", one), ("two", two)))
    assert verdict.last_line() == "FALSE(no-data-race)"
    assert "thread 0 (one) ends the lifetime of l" in verdict.reasons[1]
