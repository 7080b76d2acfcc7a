"""Folding and atomic sections on small programs written by hand: what becomes of them, and that verdicts stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.ask.load import load
from fsoft.passes import Atomic, Dead, Fold, Simplify
from fsoft.program.expr import TRUE, Expr, conj, const, eq, negate
from fsoft.program.program import Assign, Check, Halt, Input, Load, Program, Require, Step, Store, Tag, Template
from tests.passes.mutants import assume_in_guard
from tests.passes.programs import Writer, address, create, end_step, explore, join, program, start_step

X, Y = address(2), address(3)


def byte(value: int) -> Expr:
    return const(value, 8)


def main_with(check: Expr | None = None) -> Template:
    """Creates one thread, then checks X."""
    w = Writer("main")
    start_step(w, False)
    create(w, 1)
    t = w.register("t1")
    w.step(Load("t1", X, 1))
    w.step(Check(check if check is not None else eq(t, byte(0)), "unreach-call", "x is not 0"))
    w.halt("ended")
    return w.template


def child(*groups: tuple[object, ...]) -> Template:
    w = Writer("f")
    start_step(w, True)
    for name in ("a", "b"):
        w.register(name, symbol=name)
    w.register("t")
    for actions in groups:
        w.step(*actions)  # type: ignore[arg-type]
    end_step(w)
    return w.template


def steps(p: Program, name: str) -> list[Step]:
    return next(t for t in p.templates() if t.name == name).steps


def test_invisible_steps_join_the_visible_step_before_them() -> None:
    body = child((Store(X, byte(1), 1),), (Assign("a", byte(2)),), (Assign("b", byte(3)),), (Store(X, byte(2), 1),))
    found = steps(Fold().apply(program([main_with(), body], 1)), "f")
    assert [len([a for a in s.actions if isinstance(a, Store)]) for s in found] == [0, 1, 1, 1]


def test_an_assume_after_a_store_stops_the_thread_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    p = program([main_with(), child((Store(X, byte(1), 1),), (Halt("pruned"),))], 1)
    folded = explore(Fold().apply(p))
    assert folded is not None and folded.violations == {"x is not 0"}
    assume_in_guard(monkeypatch)
    wrong = explore(Fold().apply(p))
    assert wrong is not None and not wrong.violations


def test_blocking_steps_are_not_folded() -> None:
    w = Writer("f")
    start_step(w, True)
    t = w.register("t")
    w.step(Store(X, byte(1), 1))
    w.step(Load("t", Y, 1, True), Require(eq(t, byte(1))))
    end_step(w)
    found = steps(Fold().apply(program([main_with(), w.template], 2)), "f")
    storing = [s for s in found if any(isinstance(a, Store) and a.address is X for a in s.actions)]
    assert storing and not any(isinstance(a, Require) for s in storing for a in s.actions)


def test_loop_heads_stay() -> None:
    w = Writer("f")
    start_step(w, True)
    n = w.register("n", symbol="n")
    w.step(Assign("n", byte(0)))
    head = w.location(loop="f.0")
    w.step(target=head)
    body, out = w.branch(eq(n, byte(0)))
    w.here = body
    w.step(Assign("n", byte(1)), target=head)
    w.here = out
    end_step(w)
    folded = next(t for t in Fold().apply(program([main_with(), w.template], 1)).templates() if t.name == "f")
    assert [where.loop for where in folded.locations].count("f.0") == 1


def test_labels_and_named_locations_stay_if_asked() -> None:
    w = Writer("f")
    start_step(w, True)
    w.register("a", symbol="a")
    w.step(Store(X, byte(1), 1), target=w.location(labels=("here",)))
    named = w.here
    w.step(Assign("a", byte(1)))
    end_step(w)
    p = program([main_with(), w.template], 1)
    assert any(where.labels for where in Fold(keep_labels=True).apply(p).threads[1].template.locations)
    assert any(where.labels for where in Fold(keep=frozenset({("f", named)})).apply(p).threads[1].template.locations)
    assert not any(where.labels for where in Fold().apply(p).threads[1].template.locations)


def test_a_diamond_of_registers_becomes_one_step() -> None:
    w = Writer("f")
    start_step(w, True)
    a, b = w.register("a", symbol="a"), w.register("b", symbol="b")
    w.step(Load("a", X, 1))
    yes, no = w.branch(eq(a, byte(0)))
    end = w.location()
    for arm, value in ((yes, 5), (no, 7)):
        w.here = arm
        w.step(Assign("b", byte(value)), target=end)
    w.here = end
    w.step(Store(Y, b, 1))
    end_step(w)
    other = Writer("main")
    start_step(other, False)
    create(other, 1)
    other.register("t1")
    other.step(Store(X, byte(1), 1))
    other.step(Load("t1", Y, 1))
    other.step(Check(negate(eq(other.register("t1"), byte(5))), "unreach-call", "y is 5"))
    other.halt("ended")
    p = program([other.template, w.template], 2)
    found = steps(Fold().apply(p), "f")
    assert all(s.guard is TRUE for s in found) and len(found) == 4
    seen = explore(Fold().apply(p))
    assert seen is not None and seen.violations == {"y is 5"}


def section(w: Writer, tag: bool = True) -> None:
    """A user's atomic section: if X is 0 then Y := 1 else block until Y is 0, then X := 2."""
    t = w.register("t")
    w.atomic = True
    first = w.location(atomic=True)
    w.edge(w.here, first, tags=(Tag("section"),) if tag else ())
    w.here = first
    w.step(Load("t", X, 1))
    yes, no = w.branch(eq(t, byte(0)))
    end = w.location(atomic=True)
    w.here = yes
    w.step(Store(Y, byte(1), 1), target=end)
    w.here = no
    w.step(Load("t", Y, 1))
    w.step(Require(eq(t, byte(0))), target=end)
    w.here = end
    w.atomic = False
    w.step(Store(X, byte(2), 1))


def test_a_section_becomes_one_step_that_blocks_as_a_whole() -> None:
    w = Writer("f")
    start_step(w, True)
    section(w)
    section(w)
    end_step(w)
    p = program([main_with(), w.template], 2)
    converted = Dead().apply(Atomic().apply(Simplify().apply(p)))
    found = steps(converted, "f")
    assert not any(where.atomic for where in converted.threads[1].template.locations)
    assert len(found) == 4
    inner = found[1].actions
    (store,) = [a for a in inner if isinstance(a, Store) and a.address is Y]
    (require,) = [a for a in inner if isinstance(a, Require)]
    assert store.when is negate(require.when)
    before, after = explore(p), explore(converted)
    assert before is not None and after is not None and before.finals == after.finals and before.violations == after.violations


def test_a_section_with_a_loop_stays_a_sequence() -> None:
    w = Writer("f")
    start_step(w, True)
    n = w.register("n", symbol="n")
    w.step(Assign("n", byte(0)))
    w.atomic = True
    head = w.location(atomic=True, loop="f.0")
    w.edge(w.here, head, tags=(Tag("section"),))
    w.here = head
    body, out = w.branch(eq(n, byte(0)))
    w.here = body
    w.step(Assign("n", byte(1)), target=head)
    w.here = out
    w.atomic = False
    w.step(Store(X, byte(1), 1))
    end_step(w)
    converted = Fold().apply(Atomic().apply(program([main_with(), w.template], 1)))
    assert any(where.atomic for where in converted.threads[1].template.locations)


def test_a_section_with_several_exits_branches_after_it() -> None:
    w = Writer("f")
    start_step(w, True)
    t = w.register("t")
    first = w.location(atomic=True)
    w.edge(w.here, first)
    w.here = first
    w.atomic = True
    w.step(Load("t", X, 1))
    w.atomic = False
    yes, no = w.branch(eq(t, byte(0)))
    end = w.location()
    for arm, value in ((yes, 1), (no, 2)):
        w.here = arm
        w.step(Store(Y, byte(value), 1), target=end)
    w.here = end
    end_step(w)
    p = program([main_with(), w.template], 2)
    converted = Atomic().apply(p)
    assert not any(where.atomic for where in converted.threads[1].template.locations)
    before, after = explore(p), explore(converted)
    assert before is not None and after is not None and before.finals == after.finals


def test_stopping_half_way_through_a_section_ends_the_run() -> None:
    """Others must not see X written by a section that never finished."""
    w = Writer("f")
    start_step(w, True)
    first = w.location(atomic=True)
    w.edge(w.here, first)
    w.here = first
    w.atomic = True
    w.step(Store(X, byte(1), 1))
    w.atomic = False
    w.step(Halt("pruned"))
    end_step(w)
    p = program([main_with(), w.template], 1)
    converted = Atomic().apply(p)
    assert any(t.kind == "atomic" for s in steps(converted, "f") for t in s.tags)
    for one in (p, converted, Fold().apply(converted)):
        seen = explore(one)
        assert seen is not None and not seen.violations


def test_a_blocked_choice_leaves_no_trace() -> None:
    """Both ways of a wait are blocked: the thread stays at the choice, and the tag is on the step that acts."""
    w = Writer("f")
    start_step(w, True)
    t = w.register("t")
    source, end = w.here, w.location()
    for tags in ((Tag("spurious"),), ()):
        arm, inner = w.location(), w.location(atomic=True)
        w.edge(source, arm, tags=tags)
        w.edge(arm, inner, Load("t", X, 1, True))
        w.edge(inner, end, Require(eq(t, byte(1))), tags=(Tag("acquire", X),))
    w.here = end
    end_step(w)
    converted = Atomic().apply(Simplify().apply(program([main_with(), w.template], 1)))
    found = [s for s in steps(converted, "f") if any(isinstance(a, Require) for a in s.actions) and s.source != 0]
    assert len({s.source for s in found}) == 1
    assert sorted([t.kind for t in s.tags] for s in found) == [["acquire"], ["spurious", "acquire"]]


def test_uninitialised_variables_that_are_written_first_cost_nothing() -> None:
    body = child((Input("a", "uninitialised a"),), (Input("b", "uninitialised b"),), (Assign("a", byte(1)),), (Store(X, conj_bytes(), 1),))
    found = steps(Dead().apply(program([main_with(), body], 1)), "f")
    assert [a.name for s in found for a in s.actions if isinstance(a, Input)] == ["uninitialised b"]


def conj_bytes() -> Expr:
    from fsoft.program.expr import make, reg

    return make("and", 8, (reg("a", 8), reg("b", 8)))


def test_dead_loads_go_unless_a_race_could_be_on_them() -> None:
    body = child((Load("t", X, 1),), (Store(Y, byte(1), 1),))
    p = program([main_with(), body], 2)
    assert not any(isinstance(a, Load) and a.address is X for s in steps(Dead().apply(p), "f") for a in s.actions)
    p = program([main_with(), body], 2, frozenset({"no-data-race"}))
    assert any(isinstance(a, Load) and a.address is X for s in steps(Dead().apply(p), "f") for a in s.actions)


def test_a_load_that_may_fail_stays() -> None:
    body = child((Load("t", const(0, 32), 1),), (Store(Y, byte(1), 1),))
    found = steps(Dead().apply(program([main_with(), body], 2)), "f")
    assert any(isinstance(a, Load) and a.address is const(0, 32) for s in found for a in s.actions)


def test_what_main_does_before_and_after_its_threads_is_one_step() -> None:
    w = Writer("main")
    start_step(w, False)
    t = w.register("t1")
    for value in range(5):
        w.step(Store(X, byte(value), 1))
    create(w, 1)
    join(w, 1)
    w.step(Load("t1", X, 1))
    w.step(Store(Y, t, 1))
    w.step(Check(negate(conj(eq(t, byte(9)), TRUE)), "unreach-call", "m"))
    w.halt("ended")
    p = program([w.template, child((Store(X, byte(1), 1),))], 2)
    assert len(steps(Fold().apply(p), "main")) == 3


def test_a_branch_is_one_step_with_what_it_leads_to(tmp_path: Path) -> None:
    """Also where the decision was made a register of its own first."""
    source = tmp_path / "branch.c"
    source.write_text("""
        #include <pthread.h>
        int flag, value;
        void *worker(void *argument) { if (flag) value = 1; else value = 2; return argument; }
        int main(void) { pthread_t t; pthread_create(&t, 0, worker, 0); flag = 1; value = 3; return 0; }
    """)
    worker = load([str(source)]).templates()[1]
    branching = [step for step in worker.steps if step.guard is not TRUE]
    assert len(branching) == 2 and all(any(isinstance(a, Store) for a in step.actions) for step in branching)
