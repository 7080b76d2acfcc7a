"""The definition of the semantics, and the generated code against it."""

from __future__ import annotations

from random import Random

import pytest

from fsoft.program.expr import TRUE, binary, const, evaluate, make, own, reg
from fsoft.program.interpreter import Machine, Script
from fsoft.program.legal import complaints
from fsoft.program.liveness import live_registers
from fsoft.program.program import (
    Alloc,
    Assign,
    CellRun,
    Check,
    Enter,
    Free,
    Halt,
    Input,
    Leave,
    Load,
    Measure,
    Program,
    Require,
    Store,
    Tag,
)
from fsoft.program.pycode import HELPERS, PythonWriter
from fsoft.program.run import random_values
from fsoft.program.state import OVER, Access, Event, Halted, State, Violation, set_bits
from tests.program.build import OFFSET, Builder, add, c, is_
from tests.program.randomly import WIDTHS, expression, memory_program


def run(program: Program, *, compiled: bool = True, answers: tuple[int, ...] = ()) -> tuple[Machine, State, list[Event]]:
    """Run the only thread to its end."""
    machine = Machine(program, compiled=compiled)
    state, events, script = machine.initial(), list[Event](), Script(answers)
    while not events:
        enabled = machine.enabled(state)
        if not enabled:
            break
        state, events = machine.execute(state, *enabled[0], script)
    return machine, state, events


# ---------------------------------------------------------------- generated code


def test_generated_expressions_mean_what_evaluate_says() -> None:
    source = Random(1)
    names = {w: [f"r{w}a", f"r{w}b"] for w in WIDTHS}
    index = {name: k for k, name in enumerate(n for group in names.values() for n in group)}
    for _ in range(1500):
        width = source.choice(WIDTHS)
        tree = expression(source, width, source.randint(1, 6), names)
        writer = PythonWriter(dict(HELPERS), index)
        writer.line(f"def f({', '.join(f'r{k}' for k in index.values())}):")
        writer.indent = 1
        writer.line(f"return {writer.integer(tree)}")
        exec(writer.text(), writer.names)
        for _ in range(3):
            values = {n: source.choice((0, 1, (1 << w) - 1, source.getrandbits(w))) for w, group in names.items() for n in group}
            expected = evaluate(tree, lambda node, values=values: values[str(node.data)])
            result = writer.names["f"](*values.values())
            assert result == expected and type(result) is int, (tree, values)


def test_deep_expressions_compile() -> None:
    tree = reg("a", 32)
    for k in range(3000):
        tree = binary("xor", binary("mul", tree, c(3)), const(k, 32))
    b = Builder()
    t = b.template("main", a=32, b=32)
    t.step(0, 1, Assign("a", c(7)), Assign("b", tree))
    machine, state, _ = run(b.program(("main", t)))
    assert machine.layout.register(state, 0, "b") == evaluate(tree, lambda _: 7)


@pytest.mark.parametrize("checks", [("unreach-call",), ("unreach-call", "valid-deref", "valid-free")])
def test_generated_steps_do_what_the_definition_does(checks: tuple[str, ...]) -> None:
    source = Random(2)
    seen: set[str] = set()
    for _ in range(40):
        program = memory_program(source, 12, checks)
        assert complaints(program) == [] or all("depends on an input" in text for text in complaints(program))
        plain, fast, canonical = Machine(program, compiled=False), Machine(program, logging=True), Machine(program, canonical=True)
        live = live_registers(program.threads[0].template)
        for _ in range(4):
            v = plain.layout.initial()
            for index in range(len(program.threads[0].template.steps)):
                answer = random_values(Random(source.getrandbits(30)))
                script = Script((), answer)
                results = []
                for machine in (plain, fast, canonical):
                    new, events, log = list(v), list[Event](), list[Access]()
                    if machine is canonical:
                        _clear_dead(machine, new, live[index])
                    again = script if machine is plain else Script([a for _, a in script.asked])
                    ready = machine.function(0, index)(new, again, events, log)
                    assert again.used == script.used
                    results.append((ready, new, events, log))
                (ready, new, events, log), second, third = results
                assert second[0] == third[0] == ready
                if not ready:
                    continue  # as if the step were not there
                assert second == (ready, new, events, log) and third[2] == events
                expected = list(new)
                _clear_dead(plain, expected, live[new[plain.layout.pc[0]]])
                assert third[1] == expected
                seen.update(e.kind if isinstance(e, Halted) else e.prop for e in events)
                v = v if events else new
    assert {"pruned", "ended", "undefined" if "valid-deref" not in checks else "valid-deref", "cut", "unreach-call"} <= seen


def _clear_dead(machine: Machine, v: list[object], live: set[str]) -> None:
    for name, at in machine.layout.registers[0].items():
        if name not in live:
            v[at] = 0


# ---------------------------------------------------------------- memory


def test_accesses_across_cells_are_little_endian_bytes() -> None:
    b = Builder()
    mixed = b.object("s", 8, (CellRun(0, 1, 1, 2, "[]"), CellRun(2, 2, 2, 1, ".h"), CellRun(4, 4, 4, 1, ".w")))
    t = b.template("main", a=32, b=16, d=64)
    t.step(0, 1, Store(mixed, c(0x44332211), 4))
    t.step(1, 2, Store(binary("add", mixed, c(3)), c(0xBBAA, 16), 2))
    t.step(2, 3, Load("a", mixed, 4), Load("b", binary("add", mixed, c(3)), 2), Load("d", mixed, 8))
    for compiled in (False, True):
        machine, state, _ = run(b.result if b.result.threads else b.program(("main", t)), compiled=compiled)
        assert [machine.layout.register(state, 0, n) for n in "abd"] == [0xAA332211, 0xBBAA, 0xBBAA332211]
        assert machine.layout.cell(state, mixed.value + 2, 2) == 0xAA33


def test_undefined_memory_is_asked_for_once_and_kept() -> None:
    b = Builder()
    x = b.variable("x", undefined=True)
    t = b.template("main", a=32, b=32)
    t.step(0, 1, Load("a", x, 4), Load("b", x, 4))
    machine, state, _ = run(b.program(("main", t)), answers=(9, 10))
    assert machine.layout.register(state, 0, "a") == machine.layout.register(state, 0, "b") == 9


def test_a_partly_written_undefined_cell_keeps_the_written_bytes() -> None:
    b = Builder()
    x = b.variable("x", undefined=True)
    t = b.template("main", a=32)
    t.step(0, 1, Store(binary("add", x, c(1)), c(0xEE, 8), 1))
    t.step(1, 2, Load("a", x, 4))
    machine, state, _ = run(b.program(("main", t)), answers=(0x11223344,))
    assert machine.layout.register(state, 0, "a") == 0x1122EE44
    b = Builder()
    x = b.variable("x", undefined=True)
    t = b.template("main", a=32)
    t.step(0, 1, Store(x, c(0x2211, 16), 2), Store(binary("add", x, c(2)), c(0x4433, 16), 2), Load("a", x, 4))
    machine, state, _ = run(b.program(("main", t)), answers=(7,))
    assert machine.layout.register(state, 0, "a") == 0x44332211


FAULTS = [
    (lambda b: c(0), "read of a null pointer"),
    (lambda b: c(12), "read of an invalid pointer (0xc)"),
    (lambda b: c(0x7F0000), "read of an invalid pointer (0x7f0000)"),
    (lambda b: binary("add", b.array("a", 2), c(8)), "read of 4 bytes out of bounds: offset 8 of a, which has 8 bytes"),
    (
        lambda b: make("padd", 32, (b.array("a", 2), c(-4)), OFFSET),
        "read of 4 bytes out of bounds: offset -4 of a, which has 8 bytes",
    ),
    (lambda b: b.variable("l", storage="local", alive=False), "read of l before its lifetime"),
    (lambda b: b.object("f", 1, (), "function"), "read of a function (f) as data"),
    (lambda b: binary("add", b.array("a", 8, 1), c(1)), "misaligned read of 4 bytes at offset 1 of a"),
]


@pytest.mark.parametrize("make_address, message", FAULTS)
@pytest.mark.parametrize("on", [True, False])
def test_invalid_reads_are_named(make_address: object, message: str, on: bool) -> None:
    assert callable(make_address)
    b = Builder(("valid-deref",) if on else ())
    t = b.template("main", a=32)
    t.step(0, 1, Load("a", make_address(b), 4))
    _, _, events = run(b.program(("main", t)))
    if not on and "misaligned" in message:
        assert events == []
    elif on:
        assert [(e.prop, e.message) for e in events if isinstance(e, Violation)] == [("valid-deref", message)]
    else:
        assert [(e.kind, e.message) for e in events if isinstance(e, Halted)] == [("undefined", message)]


def test_writes_to_read_only_memory_are_invalid() -> None:
    b = Builder(("valid-deref",))
    text = b.array("text", 4, 1, readonly=True, storage="string", initial={0: 65, 1: 66})
    t = b.template("main", a=8)
    t.step(0, 1, Load("a", binary("add", text, c(1)), 1))
    t.step(1, 2, Store(text, c(1, 8), 1))
    machine, state, events = run(b.program(("main", t)))
    assert machine.layout.register(state, 0, "a") == 66
    assert [e.message for e in events if isinstance(e, Violation)] == ["write to read-only memory (text)"]


def test_a_packed_cell_may_be_misaligned() -> None:
    b = Builder(("valid-deref",))
    packed = b.object("p", 5, (CellRun(0, 1, 1, 1, ".c"), CellRun(1, 4, 4, 1, ".x")))
    t = b.template("main", a=32)
    t.step(0, 1, Load("a", binary("add", packed, c(1)), 4))
    assert run(b.program(("main", t)))[2] == []


# ---------------------------------------------------------------- the heap


def heap_program(*actions: object, exact: bool = True, reuse: bool = True) -> Program:
    b = Builder(("valid-deref", "valid-free"))
    b.pool(2, 8, exact)
    t = b.template("main", p=32, q=32, a=32)
    for k, action in enumerate(actions):
        t.step(k, k + 1, action)  # type: ignore[arg-type]
    b.result.heap_reuse = reuse
    return b.program(("main", t))


P, Q = reg("p", 32), reg("q", 32)


def test_malloc_offers_the_first_new_object_and_the_freed_ones() -> None:
    program = heap_program(Alloc("p", c(8), 0), Free(P), Alloc("q", c(8), 0))
    machine = Machine(program)
    state = machine.initial()
    for index in (0, 1):
        state, _ = machine.execute(state, 0, index, Script(()))
    offered = [machine.layout.register(new, 0, "q") >> 16 for _, new, _ in machine.successors(state, 0, 2)]
    assert offered == [2, 1]
    program.heap_reuse = False
    machine = Machine(program)
    assert [machine.layout.register(new, 0, "q") >> 16 for _, new, _ in machine.successors(state, 0, 2)] == [2]


def test_an_exhausted_pool_cuts() -> None:
    _, _, events = run(heap_program(Alloc("p", c(8), 0), Alloc("p", c(8), 0), Alloc("p", c(8), 0)))
    assert [(e.kind, e.marker) for e in events if isinstance(e, Halted)] == [("cut", 0)]
    _, _, events = run(heap_program(Alloc("p", c(9), 0)))
    assert [e.kind for e in events if isinstance(e, Halted)] == ["cut"]


BAD_FREES = [
    ((Alloc("p", c(8), 0), Free(P), Free(P)), "double free of heap0.0"),
    ((Free(c(0)),), "free of a null pointer"),
    ((Free(c(2 << 16)),), "free of memory that was never allocated (heap0.1)"),
    ((Alloc("p", c(8), 0), Free(binary("add", P, c(4)))), "free of a pointer into the middle of heap0.0"),
    ((Alloc("p", c(8), 0), Free(P), Load("a", P, 4)), "read of freed memory (heap0.0)"),
]


@pytest.mark.parametrize("actions, message", BAD_FREES)
def test_bad_frees_are_named(actions: tuple[object, ...], message: str) -> None:
    _, _, events = run(heap_program(*actions))
    assert [e.message for e in events if isinstance(e, Violation)] == [message]


def test_the_requested_size_bounds_accesses() -> None:
    actions = (Alloc("p", c(4), 0), Measure("a", P), Store(P, c(1), 4), Store(binary("add", P, c(4)), c(1), 4))
    machine, state, events = run(heap_program(*actions, exact=False))
    assert machine.layout.register(state, 0, "a") == 4
    message = "write to 4 bytes out of bounds: offset 4 of heap0.0, which has 4 bytes"
    assert [e.message for e in events if isinstance(e, Violation)] == [message]


def test_locals_live_between_enter_and_leave() -> None:
    b = Builder(("valid-deref",))
    local = b.variable("l", storage="local", alive=False, slot=0)
    t = b.template("main", a=32)
    t.step(0, 1, Enter(own("l", 32)), Store(own("l", 32), c(3), 4), Load("a", local, 4), Leave(own("l", 32)))
    t.step(1, 2, Load("a", local, 4))
    machine, state, events = run(b.program(("main", t, {"l": local.value})))
    assert machine.layout.register(state, 0, "a") == 3
    assert [e.message for e in events if isinstance(e, Violation)] == ["read of l after its lifetime (dangling pointer)"]


# ---------------------------------------------------------------- steps


def test_actions_before_a_stop_take_effect_and_those_after_do_not() -> None:
    b = Builder()
    x = b.variable("x")
    t = b.template("main", a=32)
    t.step(0, 1, Store(x, c(1), 4), Halt("pruned"), Store(x, c(2), 4))
    machine, state, _ = run(b.program(("main", t)))
    assert machine.layout.cell(state, x.value, 4) == 1 and machine.layout.stopped(state, 0) == "pruned"


def test_a_require_that_fails_disables_the_whole_step() -> None:
    b = Builder()
    x = b.variable("x")
    t = b.template("main", a=32)
    t.step(0, 1, Store(x, c(1), 4), Load("a", x, 4), Require(is_(t["a"], 0)))
    assert Machine(b.program(("main", t))).enabled(Machine(b.result).initial()) == []


def two_threads(atomic: bool, section: bool) -> Machine:
    b = Builder()
    x = b.variable("x")
    t = b.template("t", a=32)
    t.store(0, 1, x, c(1))
    t.step(1, 2, Store(x, c(2), 4), Halt("pruned"), tags=(Tag("section"),) if section else ())
    if atomic:
        t.atomic.add(1)
    return Machine(b.program(("one", t), ("two", t)))


def test_a_thread_at_an_atomic_location_moves_alone() -> None:
    machine = two_threads(True, False)
    state, _ = machine.execute(machine.initial(), 1, 0, Script(()))
    assert machine.enabled(state) == [(1, 1)]


@pytest.mark.parametrize("atomic, section, over", [(False, False, 0), (True, False, 1), (False, True, 1)])
def test_halting_is_lazy_except_inside_an_atomic_section(atomic: bool, section: bool, over: int) -> None:
    machine = two_threads(atomic, section)
    state, _ = machine.execute(machine.initial(), 0, 0, Script(()))
    state, _ = machine.execute(state, 0, 1, Script(()))
    assert state[OVER] == over
    assert machine.enabled(state) == ([] if over else [(1, 0)])


def test_inputs_among_a_mask() -> None:
    assert set_bits(0b1010) == [1, 3] and set_bits(0) == [0]
    b = Builder()
    t = b.template("main", a=32)
    t.step(0, 1, Input("a", "whom", c(0b10100, 64)))
    machine = Machine(b.program(("main", t)))
    assert [machine.layout.register(s, 0, "a") for _, s, _ in machine.successors(machine.initial(), 0, 0)] == [2, 4]


def test_pending_accesses() -> None:
    b = Builder()
    x, a = b.variable("x"), b.array("a", 4)
    t = b.template("main", i=32)
    t.assign(0, 1, "i", c(2))
    t.step(1, 2, Load("_t", x, 4, True), Store(add(a, 8), t["i"], 4), Check(TRUE, "unreach-call", ""))
    machine = Machine(b.program(("main", t)))
    state, _ = machine.execute(machine.initial(), 0, 0, Script(()))
    found = machine.accesses(state, 0, 1)
    assert [(q.object, q.offset, q.size, q.write, q.sync) for q in found] == [(1, 0, 4, False, True), (2, 8, 4, True, False)]
    assert machine.layout.describe(a.value + 8) == "a[2]"


def test_a_step_is_not_taken_from_elsewhere() -> None:
    b = Builder()
    x = b.variable("x")
    t = b.template("main")
    t.store(0, 1, x, c(1))
    t.store(1, 2, x, c(2))
    machine = Machine(b.program(("main", t)))
    with pytest.raises(ValueError, match="begins elsewhere"):
        machine.execute(machine.initial(), 0, 1, Script(()))
