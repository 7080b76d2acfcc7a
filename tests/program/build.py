"""Small Programs by hand, for tests: readable enough to see what they do.

b = Builder()
x = b.variable("x")
t = b.template("main", a=32)
t.load(0, 1, "a", x)
t.store(1, 2, x, t["a"] + 1)
t.halt(2, "ended")
program = b.program(("main", t))
"""

from __future__ import annotations

from typing import Any

from fsoft.frontend.source import Loc
from fsoft.program.expr import TRUE, Expr, binary, const, eq, negate, own, reg
from fsoft.program.program import (
    STOPS,
    Action,
    Assign,
    CellRun,
    Check,
    Halt,
    Input,
    Load,
    Location,
    Marker,
    Object,
    Pool,
    Program,
    Register,
    Require,
    Step,
    Store,
    Tag,
    Template,
    Thread,
)

WORD = 32
OFFSET = 16


def c(value: int, width: int = 32) -> Expr:
    return const(value, width)


def add(a: Expr, b: Expr | int) -> Expr:
    return binary("add", a, b if isinstance(b, Expr) else const(b, a.width))


def is_(a: Expr, value: int) -> Expr:
    return eq(a, const(value, a.width))


def isnt(a: Expr, value: int) -> Expr:
    return negate(is_(a, value))


class TemplateBuilder:
    """Locations come into being when a step mentions them; the stops follow them."""

    def __init__(self, name: str, registers: dict[str, int]):
        self.name = name
        self.registers = {n: Register(n, width, symbol=n, ctype="int") for n, width in registers.items()}
        self.steps: list[Step] = []
        self.atomic: set[int] = set()
        self.loops: set[int] = set()

    def __getitem__(self, name: str) -> Expr:
        return reg(name, self.registers[name].width)

    def step(self, source: int, target: int, *actions: Action, guard: Expr = TRUE, tags: tuple[Tag, ...] = (), text: str = "") -> None:
        loc = Loc(f"{self.name}.c", len(self.steps) + 1)
        self.steps.append(Step(source, guard, actions, target, loc, text or f"{source} -> {target}", tags))

    def assign(self, source: int, target: int, register: str, value: Expr, guard: Expr = TRUE) -> None:
        self.step(source, target, Assign(register, value), guard=guard)

    def load(self, source: int, target: int, register: str, address: Expr, size: int = 4, sync: bool = False) -> None:
        self.step(source, target, Load(register, address, size, sync))

    def store(self, source: int, target: int, address: Expr, value: Expr, sync: bool = False) -> None:
        self.step(source, target, Store(address, value, value.width // 8, sync))

    def input(self, source: int, target: int, register: str) -> None:
        self.step(source, target, Input(register, f"nondet {register}"))

    def check(self, source: int, target: int, condition: Expr, prop: str = "unreach-call") -> None:
        self.step(source, target, Check(condition, prop, f"{prop} violated"))

    def halt(self, source: int, kind: str, guard: Expr = TRUE, marker: int | None = None) -> None:
        self.step(source, source, Halt(kind, marker), guard=guard)

    def goto(self, source: int, target: int, guard: Expr = TRUE) -> None:
        self.step(source, target, guard=guard)

    def lock(self, source: int, target: int, mutex: Expr) -> None:
        take = (Load("_t", mutex, 4, True), Require(is_(self["_t"], 0)), Store(mutex, own("self", 32), 4, True))
        self.step(source, target, *take, tags=(Tag("acquire", mutex),), text="lock")

    def unlock(self, source: int, target: int, mutex: Expr) -> None:
        self.step(source, target, Store(mutex, c(0), 4, True), tags=(Tag("release", mutex),), text="unlock")

    def build(self) -> Template:
        count = 1 + max((k for s in self.steps for k in (s.source, s.target)), default=0)
        nowhere = Loc(f"{self.name}.c", 0)
        locations = [Location(nowhere, self.name, k in self.atomic) for k in range(count + len(STOPS))]
        stops = {kind: count + k for k, kind in enumerate(STOPS)}
        return Template(self.name, self.registers, locations, self.steps, stops)


class Builder:
    """Objects first, then templates, then `program` with (name, template) for each slot."""

    def __init__(self, checks: tuple[str, ...] = ("unreach-call",)):
        null = Object(0, "null", 0, (), "system")
        self.result = Program("test", WORD, OFFSET, objects=[null], checks=frozenset(checks))

    def object(self, name: str, size: int, runs: tuple[CellRun, ...], storage: str = "global", **more: Any) -> Expr:
        obj = Object(len(self.result.objects), name, size, runs, storage, **more)
        self.result.objects.append(obj)
        return const(self.result.address(obj), WORD)

    def variable(self, name: str, value: int = 0, size: int = 4, **more: Any) -> Expr:
        runs = (CellRun(0, size, size, 1, "", True, "int"),)
        return self.object(name, size, runs, initial={0: value} if value else {}, **more)

    def array(self, name: str, count: int, size: int = 4, **more: Any) -> Expr:
        return self.object(name, count * size, (CellRun(0, size, size, count, "[]", True, "int"),), **more)

    def marker(self, kind: str, cuts: bool = True, adds: bool = False) -> int:
        self.result.markers.append(Marker(kind, cuts, adds, Loc("m.c", 1), f"{kind} bound", "raise it"))
        return len(self.result.markers) - 1

    def pool(self, count: int, size: int, exact: bool = True) -> int:
        index = len(self.result.pools)
        first = len(self.result.objects)
        for k in range(count):
            self.array(f"heap{index}.{k}", size // 4, storage="heap", alive=False, undefined=True, pool=index)
        self.result.pools.append(Pool(index, tuple(range(first, first + count)), size, exact, self.marker("heap")))
        return index

    def template(self, name: str, **registers: int) -> TemplateBuilder:
        return TemplateBuilder(name, {"_t": 32, **registers})

    def program(self, *slots: tuple[str, TemplateBuilder] | tuple[str, TemplateBuilder, dict[str, int]]) -> Program:
        built: dict[int, Template] = {}
        for k, (name, template, *rest) in enumerate(slots):
            made = built.setdefault(id(template), template.build())
            self.result.threads.append(Thread(k, name, made, {"self": k + 1, **(rest[0] if rest else {})}))
        return self.result
