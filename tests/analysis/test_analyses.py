"""Points-to, sharing, liveness, loops, locks and constants on small programs."""

from __future__ import annotations

from pathlib import Path

from fsoft.analysis import CertainLocks, PointsTo, Sharing, live_registers, loops, show_loops
from fsoft.analysis.actions import defined, expressions, reads, rewritten
from fsoft.ask.load import load
from fsoft.passes.ways import either, exclusive, exhaustive
from fsoft.passes.webs import split_webs
from fsoft.program.expr import TRUE, binary, conj, const, eq, fill, make, negate, own, reg
from fsoft.program.program import Alloc, Assign, Input, Load, Program, Require, Step, Store, Tag, Template
from tests.passes.programs import OFFSET, WORD, Writer, address, create, end_step, join, program, start_step

X, Y = 2, 3


def main_template(*middle: Step) -> Writer:
    w = Writer("main")
    start_step(w, False)
    return w


def worker(*actions: object) -> Template:
    w = Writer("f")
    start_step(w, True)
    w.register("p", WORD)
    w.register("t")
    for action in actions:
        w.step(action)  # type: ignore[arg-type]
    end_step(w)
    return w.template


def only(p: Program, name: str, kind: type) -> list[Step]:
    template = next(t for t in p.templates() if t.name == name)
    return [s for s in template.steps if not s.tags and any(isinstance(a, kind) for a in s.actions)]


# ---------------------------------------------------------------- points-to


def test_pointers_flow_through_registers_memory_and_arithmetic() -> None:
    p, q = reg("p", WORD), reg("q", WORD)
    w = main_template()
    w.register("p", WORD)
    w.register("q", WORD)
    w.step(Assign("p", address(X)))
    w.step(Store(address(Y), make("padd", WORD, (p, const(4, WORD)), OFFSET), 4))
    w.step(Load("q", address(Y), 4))
    w.step(Store(q, const(1, 8), 1))
    w.halt("ended")
    prog = program([w.template], 2)
    points = PointsTo(prog)
    store = w.template.steps[-2].actions[0]
    assert points.objects_of(w.template, w.template.steps[-2], store) == {X}
    assert points.contents(Y) == 1 << X
    assert points.value(0, binary("eq", p, q)) == 0


def test_own_addresses_are_those_of_the_slot() -> None:
    f = worker(Assign("p", own("&x", WORD)), Store(reg("p", WORD), const(1, 8), 1))
    w = main_template()
    create(w, 1)
    create(w, 2)
    w.halt("ended")
    prog = program([w.template, f, f], 1)
    points = PointsTo(prog)
    store = only(prog, "f", Store)[0].actions[0]
    first, second = points.touched(1, store), points.touched(2, store)
    assert first and second and not first & second
    assert not Sharing(prog, points).visible(f, only(prog, "f", Store)[0])


def test_a_pointer_from_an_input_points_anywhere_and_allocation_into_its_pool() -> None:
    w = main_template()
    for name in ("p", "q"):
        w.register(name, WORD)
    w.step(Input("p", "__VERIFIER_nondet_pointer()"))
    w.step(Alloc("q", const(1, WORD), 0))
    w.halt("ended")
    prog = program([w.template], 1)
    points = PointsTo(prog)
    assert points.value(0, reg("p", WORD)) == points.everything
    assert points.value(0, reg("q", WORD)) == sum(1 << number for number in prog.pools[0].objects)


# ---------------------------------------------------------------- sharing


def test_before_creation_and_after_joining_nothing_is_visible() -> None:
    w = main_template()
    w.register("t")
    w.step(Store(address(X), const(1, 8), 1))
    create(w, 1)
    w.step(Store(address(X), const(2, 8), 1))
    join(w, 1)
    w.step(Store(address(X), const(3, 8), 1))
    w.halt("ended")
    prog = program([w.template, worker(Store(address(X), const(4, 8), 1))], 1)
    sharing = Sharing(prog)
    assert [sharing.visible(w.template, s) for s in only(prog, "main", Store)] == [False, True, False]
    assert [sharing.visible(prog.threads[1].template, s) for s in only(prog, "f", Store)] == [True]
    assert X in sharing.shared()


def test_reading_what_is_no_longer_written_is_invisible() -> None:
    w = main_template()
    w.step(Store(address(X), const(1, 8), 1))
    create(w, 1)
    w.halt("ended")
    prog = program([w.template, worker(Load("t", address(X), 1), Store(address(Y), const(1, 8), 1))], 2)
    sharing = Sharing(prog)
    f = prog.threads[1].template
    assert not sharing.visible(f, only(prog, "f", Load)[0]) and not sharing.visible(f, only(prog, "f", Store)[0])


def test_two_slots_of_one_template_see_each_other() -> None:
    w = main_template()
    create(w, 1)
    create(w, 2)
    w.halt("ended")
    f = worker(Store(address(X), const(1, 8), 1))
    prog = program([w.template, f, f], 1)
    assert Sharing(prog).visible(f, only(prog, "f", Store)[0])


def test_threads_that_never_run_together_do_not_see_each_other() -> None:
    w = main_template()
    create(w, 1)
    join(w, 1)
    create(w, 2)
    join(w, 2)
    w.halt("ended")
    f = worker(Store(address(X), const(1, 8), 1))
    prog = program([w.template, f, f], 1)
    assert not Sharing(prog).visible(f, only(prog, "f", Store)[0])


def test_a_join_of_an_unknown_thread_joins_nobody() -> None:
    w = main_template()
    state, which = w.register("s", WORD), w.register("which", WORD)
    create(w, 1)
    w.step(Input("which", "nondet"))
    at = make("padd", WORD, (address(1), make("mul", WORD, (which, const(24, WORD)))), OFFSET)
    w.step(Load("s", at, 4, True), Require(negate(eq(state, const(1, WORD)))), tags=(Tag("join"),))
    w.step(Store(address(X), const(3, 8), 1))
    w.halt("ended")
    prog = program([w.template, worker(Store(address(X), const(4, 8), 1))], 1)
    assert Sharing(prog).visible(w.template, only(prog, "main", Store)[0])


# ---------------------------------------------------------------- liveness, webs


def test_a_conditional_definition_does_not_kill() -> None:
    w = Writer("f")
    for name in ("a", "b"):
        w.register(name)
    c = w.register("c", 1)
    w.step(Assign("a", const(1, 8), c))
    w.step(Assign("b", reg("a", 8)))
    w.step(Store(address(X), reg("b", 8), 1))
    w.halt("ended")
    live = live_registers(w.template)
    assert live[0] == {"a", "c"} and live[6] == {"a"} and live[7] == {"b"} and live[8] == frozenset()


def test_unrelated_uses_of_a_temporary_get_registers_of_their_own() -> None:
    w = Writer("f")
    t = w.register("t")
    w.step(Load("t", address(X), 1))
    w.step(Store(address(Y), t, 1))
    w.step(Load("t", address(Y), 1), Store(address(X), t, 1))
    w.halt("ended")
    split = split_webs(w.template)
    names = [defined(a) for s in split.steps for a in s.actions if isinstance(a, Load)]
    assert len(set(names)) == 2 and set(split.registers) == set(names)


# ---------------------------------------------------------------- loops, locks


def counting(limit: int, stride: int) -> Writer:
    w = Writer("f")
    i = w.register("i", 32, "i")
    w.step(Assign("i", const(0, 32)))
    head = w.location(loop="f.0")
    w.step(target=head)
    body, out = w.branch(binary("slt", i, const(limit, 32)))
    w.here = body
    w.step(Store(address(X), const(1, 8), 1))
    w.step(Assign("i", make("add", 32, (i, const(stride, 32)))), target=head)
    w.here = out
    w.halt("ended")
    return w


def test_trip_counts() -> None:
    for limit, stride, expected in ((10, 1, 10), (10, 3, 4), (0, 1, 0), (5, 0, None)):
        (loop,) = loops(program([counting(limit, stride).template], 1))
        assert (loop.id, loop.count) == ("f.0", expected)
    assert "f.0" in show_loops(program([counting(10, 1).template], 1))


def test_a_second_assignment_in_the_body_hides_the_count() -> None:
    w = counting(10, 1)
    w.edge(8, 8, Assign("i", const(0, 32)))
    assert [loop.count for loop in loops(program([w.template], 1))].count(10) == 0


def folded(*strides: int) -> Writer:
    """A loop whose body has one step back to the head for each stride, as folding leaves it."""
    w = Writer("f")
    i, way = w.register("i", 32, "i"), w.register("way", 32, "way")
    w.step(Assign("i", const(0, 32)))
    head = w.location(loop="f.0")
    w.step(target=head)
    body, out = w.branch(binary("slt", i, const(10, 32)))
    for number, stride in enumerate(strides):
        w.edge(body, head, Assign("i", make("add", 32, (i, const(stride, 32)))), guard=binary("eq", way, const(number, 32)))
    w.here = out
    w.halt("ended")
    return w


def test_a_folded_loop_counts_if_all_ways_back_do_the_same() -> None:
    for strides, expected in (((1, 1), 10), ((3, 3, 3), 4), ((1, 2), None)):
        (loop,) = loops(program([folded(*strides).template], 1))
        assert loop.count == expected


def lock(w: Writer, place: int, kind: str) -> None:
    w.step(Store(address(place), const(1, 8), 1, True), tags=(Tag(kind, address(place)),))


def test_held_locks_and_their_order() -> None:
    w = Writer("f")
    places = []
    for place, kind in ((X, "acquire"), (Y, "acquire"), (X, "release"), (Y, "release")):
        lock(w, place, kind)
        places.append(w.here)
    w.halt("ended")
    back = Writer("g")
    for place, kind in ((Y, "acquire"), (X, "acquire")):
        lock(back, place, kind)
    back.halt("ended")
    x, y = X << OFFSET, Y << OFFSET
    locks = CertainLocks(program([w.template, back.template], 2))
    assert [locks.held(0)[at] for at in places] == [{x}, {x, y}, {y}, set()]
    assert [(o.slot, o.first, o.second) for o in locks.order()] == [(0, x, y), (1, y, x)]
    assert locks.cycles() == [[x, y]]
    assert CertainLocks(program([w.template], 2)).cycles() == []


def where(p: Program, function: str) -> int:
    """The location of the first store of `function`'s template that is the user's."""
    return next(s.source for s in only(p, function, Store))


LOCKED = """
#include <pthread.h>
pthread_mutex_t m; pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready, seen;
void *reader(void *a) { pthread_rwlock_rdlock(&l); seen = 1; pthread_rwlock_unlock(&l); return 0; }
void *writer(void *a) { pthread_rwlock_wrlock(&l); seen = 2; pthread_rwlock_unlock(&l); return 0; }
void *after(void *a) { pthread_rwlock_wrlock(&l); pthread_rwlock_unlock(&l); seen = 3; return 0; }
void *waiter(void *a) {
    pthread_mutex_lock(&m);
    while (!ready) pthread_cond_wait(&c, &m);
    seen = 4;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t t[4];
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &kind);
    pthread_create(&t[0], 0, reader, 0); pthread_create(&t[1], 0, writer, 0);
    pthread_create(&t[2], 0, after, 0); pthread_create(&t[3], 0, waiter, 0);
    pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);
}
"""


def test_locks_after_a_wait_and_locks_for_reading(tmp_path: Path) -> None:
    (tmp_path / "locked.c").write_text(LOCKED)
    prog = load([str(tmp_path / "locked.c")])
    locks = CertainLocks(prog)
    slots = {thread.name: slot for slot, thread in enumerate(prog.threads)}

    def names(held: list[frozenset[int] | None], name: str) -> set[str]:
        addresses = held[where(prog, prog.threads[slots[name]].template.name)]
        assert addresses is not None
        return {prog.objects[address >> prog.offset_bits].name for address in addresses}

    held = {name: names(locks.held(slots[name]), name) for name in ("reader", "writer", "after", "waiter")}
    alone = {name: names(locks.alone(slots[name]), name) for name in held}
    assert held == {"reader": {"l"}, "writer": {"l"}, "after": set(), "waiter": {"m"}}
    assert alone == {"reader": set(), "writer": {"l"}, "after": set(), "waiter": {"m"}}


# ---------------------------------------------------------------- actions and guards


def test_rebuilding_an_action_keeps_its_other_fields() -> None:
    a, b = reg("a", WORD), reg("b", WORD)
    action = Store(a, reg("c", 8), 1, True, eq(a, b))
    new = rewritten(action, lambda e: fill(e, {"a": b}))
    assert isinstance(new, Store) and new.address is b and new.sync and new.when is TRUE and new.value is action.value
    assert rewritten(action, lambda e: e) is action
    assert reads(action) == {"a", "b", "c"} and expressions(action) == (a, reg("c", 8))


def test_guards_by_form() -> None:
    x = reg("x", 8)
    a, b, c = (eq(x, const(k, 8)) for k in range(3))
    other = conj(negate(a), negate(b))
    assert exclusive(a, b) and exclusive(a, other) and not exclusive(a, eq(reg("y", 8), const(0, 8)))
    assert exhaustive([a, b, other]) and not exhaustive([a, b, c])
    p, q = reg("p", 1), reg("q", 1)
    assert either(conj(p, q), conj(p, negate(q))) is p
    assert either(p, conj(negate(p), q)) is either(p, q)
