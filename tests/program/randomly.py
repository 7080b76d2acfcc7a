"""Random expressions, steps and small concurrent programs."""

from __future__ import annotations

from random import Random

from fsoft.program.expr import BINARY, COMPARISONS, TRUE, Expr, binary, const, ite, make, own, reg
from fsoft.program.program import (
    Action,
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
from tests.program.build import OFFSET, Builder, TemplateBuilder, add, c, is_, isnt

WIDTHS = (1, 8, 16, 32, 64)
INTEGER = sorted(op for op in BINARY if not op.startswith("f"))
FLOAT = sorted(op for op in BINARY if op.startswith("f"))


def expression(source: Random, width: int, depth: int, leaves: dict[int, list[str]]) -> Expr:
    """Any operator; leaves are registers of the given names by width, and constants."""
    if depth == 0 or source.random() < 0.1:
        names = leaves.get(width)
        if names and source.random() < 0.8:
            return reg(source.choice(names), width)
        return const(source.choice((0, 1, 2, -1, 1 << (width - 1), source.getrandbits(width))), width)

    def deeper(w: int) -> Expr:
        return expression(source, w, depth - 1, leaves)

    kind = source.randrange(12)
    if kind == 0:
        return ite(deeper(1), deeper(width), deeper(width))
    if kind == 1:
        return make(source.choice(("not", "neg")), width, (deeper(width),))
    if kind == 2:
        narrow = source.choice([w for w in WIDTHS if w <= width])
        return make(source.choice(("zext", "sext")), width, (deeper(narrow),))
    if kind == 3:
        wide = source.choice([w for w in WIDTHS if w >= width])
        return make("extract", width, (deeper(wide),), source.randrange(wide - width + 1))
    if kind == 4 and width in (16, 32, 64):
        return make("concat", width, (deeper(width // 2), deeper(width // 2)))
    if kind == 5 and width == 32:
        return make("padd", 32, (deeper(32), deeper(32)), OFFSET)
    if kind == 6 and width in (32, 64):
        return _floating(source, width, deeper)
    if width == 1:
        w = source.choice(WIDTHS[1:])
        op = source.choice(sorted(COMPARISONS)) if w >= 32 else source.choice(("eq", "ult", "ule", "slt", "sle"))
        return binary(op, deeper(w), deeper(w))
    return binary(source.choice([op for op in INTEGER if op not in COMPARISONS]), deeper(width), deeper(width))


def _floating(source: Random, width: int, deeper: object) -> Expr:
    assert callable(deeper)
    op = source.choice(("fadd", "fsub", "fmul", "fdiv", "fconv", "itof", "utof", "ftoi", "ftou"))
    if op in BINARY:
        return binary(op, deeper(width), deeper(width))
    return make(op, width, (deeper(source.choice((32, 64))),))


# ---------------------------------------------------------------- steps over every kind of memory


def memory_program(source: Random, steps: int, checks: tuple[str, ...]) -> Program:
    """One thread whose steps do anything to globals, structs, locals, strings and the heap, at sensible and odd addresses."""
    b = Builder(checks)
    globals_ = [b.variable("g", 5), b.array("bytes", 6, 1), b.array("ints", 3)]
    mixed = (CellRun(0, 1, 1, 1, ".tag"), CellRun(4, 4, 4, 1, ".value"), CellRun(8, 8, 8, 1, ".wide"))
    globals_ += [b.object("struct", 16, mixed), b.object("undefined", 16, mixed, undefined=True)]
    globals_ += [b.variable("constant", 7, readonly=True), b.object("function", 1, (), "function")]
    pools = [b.pool(2, 8), b.pool(2, 8, exact=False)]
    local = b.array("local", 2, storage="local", alive=False, undefined=True, slot=0)
    t = b.template("main", a=32, b=32, p=32, q=32, w=64, h=16, o=8, f=1)
    leaves = {32: ["a", "b", "p", "q"], 64: ["w"], 16: ["h"], 8: ["o"], 1: ["f"]}
    places = [*globals_, local, t["p"], t["q"]]
    for k in range(steps):
        actions = [_action(source, t, leaves, places, pools) for _ in range(source.randint(1, 4))]
        guard = expression(source, 1, 2, leaves) if source.random() < 0.2 else TRUE
        t.step(k, k + 1, *actions, guard=guard, tags=(Tag("section"),) if source.random() < 0.1 else ())
    return b.program(("main", t, {"local": local.value}))


_KINDS = ("load",) * 3 + ("store",) * 3 + ("assign",) * 2 + ("other",) * 3 + ("alloc", "life")


def _action(source: Random, t: TemplateBuilder, leaves: dict[int, list[str]], places: list[Expr], pools: list[int]) -> Action:
    when = TRUE if source.random() < 0.7 else expression(source, 1, 2, leaves)
    size = source.choice((1, 2, 4, 8))
    width = 8 * size
    name = source.choice(leaves[width])
    delta = source.choice((0, 0, 0, 1, 2, 3, 4, 8, 12, -4))
    address = make("padd", 32, (source.choice(places), const(delta, 32)), OFFSET)
    kind = source.choice(_KINDS)
    if kind == "load":
        return Load(name, address, size, source.random() < 0.3, when)
    if kind == "store":
        return Store(address, expression(source, width, 2, leaves), size, source.random() < 0.3, when)
    if kind == "assign":
        width = source.choice(WIDTHS)
        name = source.choice(leaves[width])
        return Assign(name, expression(source, width, 3, leaves), when)
    if kind == "alloc":
        size_of = source.choice((c(8), c(4), c(9), t["a"]))
        return Alloc(source.choice(("p", "q")), size_of, source.choice(pools), source.random() < 0.3, when)
    if kind == "life":
        local = own("local", 32)
        return source.choice((Enter(local, when), Leave(local, when), Free(source.choice(places), when), Measure("a", address, when)))
    among = source.choice((None, expression(source, 64, 1, leaves)))
    return source.choice(
        (
            Input(name, "input", among if width >= 8 else None, when),
            Require(expression(source, 1, 2, leaves), when),
            Check(expression(source, 1, 2, leaves), "unreach-call", "check", when),
            Halt(source.choice(("pruned", "ended", "undefined")), None, expression(source, 1, 2, leaves)),
        )
    )


# ---------------------------------------------------------------- small concurrent programs


def concurrent_program(source: Random) -> Program:
    """Two or three threads over two globals, a mutex and private locals, with loops, assumes, checks and atomic places."""
    b = Builder(("unreach-call",))
    shared = [b.variable("x"), b.variable("y", source.randrange(2))]
    mutexes = [b.variable("m"), b.variable("n")]
    cut = b.marker("loop")
    count = source.choice((2, 2, 3))
    slots = []
    for k in range(count):
        t = b.template(f"t{k}", a=8, b=8, i=8, v=32)
        local = b.variable(f"local{k}", storage="local", alive=True, slot=k)
        _thread(source, t, shared, mutexes, own("local", 32), cut)
        slots.append((f"t{k}", t, {"local": local.value}))
    return b.program(*slots)


def _thread(source: Random, t: TemplateBuilder, shared: list[Expr], mutexes: list[Expr], local: Expr, cut: int) -> None:
    length = source.randint(3, 5)
    start = 1  # location 0 is where a slot waits to be started
    t.goto(0, start)
    for at in range(start, start + length):
        _statement(source, t, at, shared, mutexes, local, cut)
        if source.random() < 0.08:
            t.atomic.add(at)
    end = start + length
    if source.random() < 0.3:
        t.goto(end, source.randint(start, end - 1), binary("ult", t["i"], c(1, 8)))
        t.halt(end, "ended", binary("ule", c(1, 8), t["i"]))
    elif source.random() < 0.5:
        t.halt(end, "ended")


def _statement(source: Random, t: TemplateBuilder, at: int, shared: list[Expr], mutexes: list[Expr], local: Expr, cut: int) -> None:
    to, x = at + 1, source.choice(shared)
    kind = source.randrange(15)
    if kind in (0, 1):
        t.step(at, to, Load("v", x, 4, source.random() < 0.3), Assign("a", make("extract", 8, (t["v"],), 0)))
    elif kind in (2, 3):
        t.store(at, to, x, make("zext", 32, (add(t["a"], source.randrange(2)),)), source.random() < 0.3)
    elif kind in (4, 12, 13):
        t.lock(at, to, source.choice(mutexes))
    elif kind == 5:
        t.unlock(at, to, source.choice(mutexes))
    elif kind in (6, 14):
        t.check(at, to, isnt(t["a"], source.choice((0, 1, 1, 2))))
    elif kind == 7:
        t.step(at, to, Halt(source.choice(("pruned", "cut")), cut, is_(t["a"], 1)))
    elif kind == 8:
        t.step(at, to, Store(x, c(1), 4), Halt("pruned", None, is_(t["a"], 0)), Assign("i", add(t["i"], 1)))
    elif kind == 9:
        t.step(at, to, Store(local, make("zext", 32, (t["a"],)), 4), Load("v", local, 4), Assign("i", add(t["i"], 1)))
    elif kind == 10:
        t.goto(at, to, is_(t["a"], 0))
        t.assign(at, to, "b", c(1, 8), binary("ult", c(0, 8), t["a"]))
    else:
        t.step(at, to, Input("b", "coin", c(3, 64)), Assign("a", t["b"]))
