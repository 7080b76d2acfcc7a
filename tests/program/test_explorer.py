"""The explorer against a search without any cleverness, and its verdicts on small programs."""

from __future__ import annotations

from random import Random

import pytest

from fsoft.checkers.explicit.engine import explore, explore_each
from fsoft.program.expr import binary, make, negate, own
from fsoft.program.inputs import representatives
from fsoft.program.interpreter import Machine
from fsoft.program.legal import complaints
from fsoft.program.local import Locality, private_objects
from fsoft.program.program import Alloc, Assign, Check, Free, Halt, Input, Load, Program, Require, Store, Tag
from fsoft.program.replay import observe, play
from fsoft.program.state import Halted, Violation
from fsoft.program.verdict import Limits, Stats
from fsoft.properties import monitors
from tests.program.build import Builder, add, c, is_, isnt
from tests.program.randomly import concurrent_program

ASKED = ("no-data-race", "no-deadlock", "unreach-call")


def plain_search(program: Program) -> tuple[set[str], bool, int]:
    """(violated properties, whether something cut, states) by the definition alone."""
    machine = Machine(program, compiled=False)
    watching = monitors(ASKED)
    seen = {machine.initial()}
    work = list(seen)
    violated: set[str] = set()
    cut = False
    while work:
        state = work.pop()
        view = observe(machine, state, lambda question, options: options or range(1 << question.width))
        violated.update(m.prop for m in watching if m.state(view) is not None)
        for slot, index in view.enabled:
            for _, new, events in machine.successors(state, slot, index):
                violated.update(e.prop for e in events if isinstance(e, Violation))
                cut = cut or any(isinstance(e, Halted) and e.kind in ("cut", "undefined") for e in events)
                if new not in seen:
                    seen.add(new)
                    work.append(new)
    return violated, cut, len(seen)


def expected_kind(prop: str, violated: set[str], cut: bool) -> str:
    return "FALSE" if prop in violated else "UNKNOWN" if cut else "TRUE"


def test_agrees_with_a_search_by_the_definition_on_random_programs() -> None:
    source = Random(11)
    counts: dict[tuple[str, str], int] = {}
    saved = total = 0
    for _ in range(100):
        program = concurrent_program(source)
        assert complaints(program) == []
        violated, cut, states = plain_search(program)
        for reduce in (True, False):
            for verdict in explore_each(program, ASKED, reduce=reduce):
                assert verdict.kind == expected_kind(verdict.prop, violated, cut), (verdict, reduce)
                counts[verdict.prop, verdict.kind] = counts.get((verdict.prop, verdict.kind), 0) + 1
                if reduce:
                    saved += states - verdict.stats.states
                    total += states
    assert all(counts.get((prop, kind), 0) >= 10 for prop in ASKED for kind in ("TRUE", "FALSE")), counts
    assert saved > total / 3


def test_a_single_question_gets_the_same_answer() -> None:
    source = Random(12)
    for _ in range(60):
        program = concurrent_program(source)
        violated, cut, _ = plain_search(program)
        for prop in ASKED:
            verdict = explore(program, [prop])
            assert verdict.kind == expected_kind(prop, violated, cut)
            if verdict.kind == "FALSE" and prop == "unreach-call":
                last = play(Machine(program, compiled=False), verdict.trace)[-1]
                assert any(isinstance(e, Violation) for e in last.events)


# ---------------------------------------------------------------- programs with a point


def counter(threads: int, locked: bool) -> Program:
    """Threads add one each; main waits for all of them and checks the sum."""
    b = Builder(("unreach-call", "no-data-race"))
    x, m, done = b.variable("x"), b.variable("m"), b.variable("done")
    w = b.template("worker", a=32)
    if locked:
        w.lock(0, 1, m)
    else:
        w.goto(0, 1)
    w.load(1, 2, "a", x)
    w.assign(2, 3, "a", add(w["a"], 1))
    w.store(3, 4, x, w["a"])
    if locked:
        w.unlock(4, 5, m)
    else:
        w.goto(4, 5)
    w.step(5, 6, Load("a", done, 4, True), Assign("a", add(w["a"], 1)), Store(done, w["a"], 4, True))
    t = b.template("main", a=32)
    t.step(0, 1, Load("a", done, 4, True), Require(is_(t["a"], threads)))
    t.load(1, 2, "a", x)
    t.check(2, 3, is_(t["a"], threads))
    t.halt(3, "ended")
    return b.program(("main", t), *[(f"w{k}", w) for k in range(threads)])


@pytest.mark.parametrize("locked, line", [(True, "TRUE"), (False, "FALSE(unreach-call)")])
def test_lost_update(locked: bool, line: str) -> None:
    assert explore(counter(2, locked), ["unreach-call"]).last_line() == line
    race = explore(counter(2, locked), ["no-data-race"])
    assert race.last_line() == ("TRUE" if locked else "FALSE(no-data-race)")
    if not locked:
        assert race.reasons[0] == "worker.c:4: data race on x"
        assert "thread 1 (w0) holds no lock" in race.reasons


def philosophers(ordered: bool) -> Program:
    b = Builder(("no-deadlock",))
    m, n = b.variable("m"), b.variable("n")
    slots = []
    for k, (first, second) in enumerate([(m, n), (m, n) if ordered else (n, m)]):
        t = b.template(f"p{k}")
        t.goto(0, 1)
        t.lock(1, 2, first)
        t.lock(2, 3, second)
        t.unlock(3, 4, second)
        t.unlock(4, 5, first)
        slots.append((f"p{k}", t))
    return b.program(*slots)


def test_lock_order_deadlock() -> None:
    assert explore(philosophers(True)).kind == "TRUE"
    verdict = explore(philosophers(False))
    assert verdict.last_line() == "FALSE(no-deadlock)" and verdict.exit_code() == 10
    assert verdict.reasons == [
        "p0.c:3: deadlock: 2 threads can never go on",
        "p0.c:3: thread 0 (p0) waits in lock",
        "p1.c:3: thread 1 (p1) waits in lock",
        "thread 0 (p0) holds m",
        "thread 1 (p1) holds n",
    ]


@pytest.mark.parametrize("tag, kind", [("spurious", "FALSE"), ("timeout", "TRUE")])
def test_spurious_wake_ups_do_not_save_from_deadlock_but_time_outs_do(tag: str, kind: str) -> None:
    b = Builder(("no-deadlock",))
    x = b.variable("x")
    t = b.template("main", a=32)
    t.goto(0, 1)
    t.step(1, 2, Load("a", x, 4, True), Require(is_(t["a"], 1)))
    t.step(1, 2, tags=(Tag(tag),))
    assert explore(b.program(("main", t))).kind == kind


@pytest.mark.parametrize("how", ["atomic", "section"])
def test_blocking_inside_a_section_is_no_deadlock(how: str) -> None:
    b = Builder(("no-deadlock",))
    x = b.variable("x")
    t = b.template("main", a=32)
    t.goto(0, 1)
    t.step(1, 2, Load("a", x, 4, True), Require(is_(t["a"], 1)), tags=(Tag("section"),) if how == "section" else ())
    if how == "atomic":
        t.atomic.add(1)
    assert explore(b.program(("main", t))).kind == "TRUE"


def test_a_folded_assume_lets_others_see_the_write_before_it() -> None:
    """Halting is lazy: the write happened, the failed assume stops only its thread."""
    b = Builder()
    x = b.variable("x")
    one, two = b.template("one"), b.template("two", a=32)
    one.step(0, 1, Store(x, c(1), 4), Halt("pruned"))
    two.load(0, 1, "a", x)
    two.check(1, 2, is_(two["a"], 0))
    assert explore(b.program(("one", one), ("two", two))).last_line() == "FALSE(unreach-call)"


def test_the_end_of_main_hides_nothing_and_leaves_the_trace() -> None:
    b = Builder()
    x = b.variable("x")
    main, other = b.template("main"), b.template("other")
    main.store(0, 1, x, c(1))
    main.halt(1, "ended")
    other.store(0, 1, x, c(2))
    other.check(1, 2, is_(c(0), 1))
    verdict = explore(b.program(("main", main), ("other", other)))
    assert verdict.kind == "FALSE"
    assert all((move.slot, move.step) != (0, 1) for move in verdict.trace)


def test_cuts_and_undefined_behaviour_forbid_true_and_are_named() -> None:
    b = Builder()
    marker = b.marker("loop")
    t = b.template("main", a=32)
    t.halt(0, "cut", marker=marker)
    verdict = explore(b.program(("main", t)))
    assert verdict.last_line() == "UNKNOWN" and verdict.exit_code() == 5
    assert list(map(str, verdict.cuts)) == ["m.c:1: loop: loop bound (raise it)"]
    b = Builder()
    t = b.template("main", a=32)
    t.load(0, 1, "a", c(0))
    assert list(map(str, explore(b.program(("main", t))).cuts)) == ["main.c:1: undefined behaviour: read of a null pointer"]


def test_a_marker_that_adds_forbids_false() -> None:
    b = Builder()
    marker = b.marker("havoc", cuts=False, adds=True)
    t = b.template("main", a=8)
    t.step(0, 1, Input("a", "havoc"), tags=(Tag("marker", c(marker)),))
    t.check(1, 2, is_(t["a"], 0))
    verdict = explore(b.program(("main", t)))
    assert verdict.kind == "UNKNOWN" and verdict.cuts[0].adds and "depends on: " in str(verdict.cuts[0])


def test_small_inputs_are_tried_in_full() -> None:
    b = Builder()
    t = b.template("main", a=8)
    t.input(0, 1, "a")
    t.check(1, 2, isnt(binary("mul", t["a"], t["a"]), 225))
    verdict = explore(b.program(("main", t)))
    assert verdict.kind == "FALSE" and verdict.trace[0].choices in ((15,), (113,), (143,), (241,))


def wide_input(squared: bool) -> Program:
    b = Builder()
    t = b.template("main", a=32, b=32)
    t.input(0, 1, "a")
    t.assign(1, 2, "b", t["a"])
    value = binary("mul", t["b"], t["b"]) if squared else t["b"]
    t.step(2, 3, Check(negate(binary("slt", c(1000), value)), "unreach-call", "big"), guard=binary("slt", t["b"], c(1000)))
    return b.program(("main", t))


def test_wide_inputs_that_only_meet_constants_are_exact() -> None:
    verdict = explore(wide_input(False))
    assert verdict.kind == "TRUE"
    values = next(iter(representatives(wide_input(False)).values()))
    assert {1000, 1001, 0, 1 << 31} <= set(values)


def test_inputs_that_nobody_reads_need_one_value() -> None:
    for read in (False, True):
        b = Builder()
        x = b.array("x", 2)
        t = b.template("main", a=32, b=32)
        t.input(0, 1, "a")
        t.store(1, 2, add(x, 4), t["a"])
        t.load(2, 3, "b", add(x, 4) if read else x)
        t.check(3, 4, isnt(binary("mul", t["b"], c(3)), 7))
        verdict = explore(b.program(("main", t)))
        assert (verdict.kind, verdict.stats.states) == (("UNKNOWN", verdict.stats.states) if read else ("TRUE", 4))


def test_other_wide_inputs_are_sampled_and_said_so() -> None:
    b = Builder()
    t = b.template("main", a=32)
    t.input(0, 1, "a")
    t.check(1, 2, isnt(binary("mul", t["a"], c(3)), 7))
    verdict = explore(b.program(("main", t)))
    assert verdict.kind == "UNKNOWN"
    assert list(map(str, verdict.cuts)) == ["main.c:1: input: only some values of nondet a (32 bits) were tried"]


def heap_loop(keep: bool) -> Program:
    """malloc and free for ever; with `keep` a stale pointer stays behind."""
    b = Builder(("valid-free",))
    pool, old = b.pool(2, 8), b.variable("old")
    t = b.template("main", p=32)
    t.step(0, 1, Alloc("p", c(8), pool))
    t.step(1, 2, *([Store(old, t["p"], 4)] if keep else []))
    t.step(2, 0, Free(t["p"]))
    return b.program(("main", t))


def test_a_freed_object_without_pointers_is_as_good_as_a_new_one() -> None:
    assert explore(heap_loop(False)).kind == "TRUE"
    assert explore(heap_loop(False), reduce=False).kind == "UNKNOWN"
    assert explore(heap_loop(True)).kind == "TRUE"


def test_stale_pointers_are_found_even_when_objects_are_reused() -> None:
    b = Builder(("valid-deref",))
    pool = b.pool(1, 8)
    t = b.template("main", p=32, q=32)
    t.step(0, 1, Alloc("p", c(8), pool))
    t.step(1, 2, Free(t["p"]))
    t.step(2, 3, Alloc("q", c(8), pool))
    t.step(3, 4, Store(t["p"], c(1), 4))
    verdict = explore(b.program(("main", t)))
    assert verdict.kind == "UNKNOWN" and verdict.cuts[0].kind == "heap"


def test_limits() -> None:
    program = counter(3, True)
    assert explore(program, limits=Limits(states=1)).reasons[0].startswith("no violation found among ")
    assert explore(program, limits=Limits(seconds=0)).kind == "UNKNOWN"
    assert explore(program, limits=Limits(megabytes=1)).kind == "UNKNOWN"
    heard: list[Stats] = []
    assert explore(program, ["unreach-call"], progress=heard.append).kind == "TRUE"
    assert heard


def test_private_objects_make_local_steps() -> None:
    b = Builder()
    private, shared = (b.variable(name, storage="local", alive=True, slot=0) for name in ("private", "shared"))
    t = b.template("main", a=32)
    t.goto(0, 1)
    t.load(1, 2, "a", own("private", 32))
    t.store(2, 3, own("shared", 32), make("padd", 32, (own("shared", 32), c(0)), 16))
    program = b.program(("main", t, {"private": private.value, "shared": shared.value}))
    assert list(private_objects(program)) == [private.value >> 16]
    assert Locality(program).local(0)[:3] == [False, True, False]


def test_several_properties_get_a_verdict_each() -> None:
    verdicts = explore_each(counter(2, False), ["no-data-race", "no-deadlock", "unreach-call"])
    assert [v.last_line() for v in verdicts] == ["FALSE(no-data-race)", "TRUE", "FALSE(unreach-call)"]


def test_an_object_that_dies_in_the_same_step_is_not_forgotten() -> None:
    """One step: p = malloc, old = p, free(p), q = malloc. Both q == old and q != old are possible."""
    for expected in (True, False):
        b = Builder()
        pool = b.pool(2, 8)
        t = b.template("main", p=32, q=32)
        t.step(0, 1, Alloc("p", c(8), pool), Free(t["p"]), Alloc("q", c(8), pool))
        same = binary("eq", t["p"], t["q"])
        t.check(1, 2, same if expected else negate(same))
        assert explore(b.program(("main", t))).kind == "FALSE"
