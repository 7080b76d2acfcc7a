"""Programs built by hand and at random, in the form in which the lowering emits them, and a plain search of all their states."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from fsoft.frontend.source import NOWHERE
from fsoft.program import descriptor
from fsoft.program.expr import TRUE, Expr, binary, conj, const, eq, make, negate, own, reg, resize
from fsoft.program.interpreter import Machine
from fsoft.program.program import (
    STOPS,
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
)  # fmt: skip
from fsoft.program.state import OVER, Halted, Violation

WORD, OFFSET = 32, 20
DESCRIPTORS = 1


def address(number: int, offset: int = 0) -> Expr:
    return const(number << OFFSET | offset, WORD)


class Writer:
    """Writes a template step by step; `here` is the current location."""

    def __init__(self, name: str):
        self.template = Template(name)
        self.here = self.location()
        for kind in STOPS:
            self.template.stops[kind] = self.location()
        self.atomic = False

    def location(self, **marks: object) -> int:
        self.template.locations.append(Location(NOWHERE, self.template.name, **marks))  # type: ignore[arg-type]
        return len(self.template.locations) - 1

    def register(self, name: str, width: int = 8, symbol: str = "") -> Expr:
        self.template.registers.setdefault(name, Register(name, width, symbol))
        return reg(name, width)

    def edge(self, source: int, target: int, *actions: Action, guard: Expr = TRUE, tags: tuple[Tag, ...] = ()) -> None:
        self.template.steps.append(Step(source, guard, actions, target, tags=tags))

    def step(self, *actions: Action, tags: tuple[Tag, ...] = (), target: int | None = None) -> None:
        new = self.location(atomic=self.atomic) if target is None else target
        self.edge(self.here, new, *actions, tags=tags)
        self.here = new

    def branch(self, condition: Expr) -> tuple[int, int]:
        yes, no = self.location(atomic=self.atomic), self.location(atomic=self.atomic)
        self.edge(self.here, yes, guard=condition)
        self.edge(self.here, no, guard=negate(condition))
        return yes, no

    def halt(self, kind: str, *before: Action) -> None:
        self.edge(self.here, self.template.stops[kind], *before, Halt(kind))


def start_step(w: Writer, child: bool) -> None:
    state, arg = w.register("t.state", WORD), w.register("t.arg", WORD)
    mine = own("descriptor", WORD)
    w.step(
        Load(str(state.data), mine, 4, True),
        Require(eq(state, const(descriptor.RUNNING, WORD))),
        Load(str(arg.data), make("padd", WORD, (mine, const(8, WORD)), OFFSET), 4, True),
        tags=(Tag("start"),),
    )


def end_step(w: Writer) -> None:
    w.step(Store(own("descriptor", WORD), const(descriptor.FINISHED, WORD), 4, True), tags=(Tag("exit"),), target=0)


def create(w: Writer, slot: int) -> None:
    at = address(DESCRIPTORS, descriptor.offset(slot, "state", 4))
    w.step(Store(at, const(descriptor.RUNNING, WORD), 4, True), tags=(Tag("create"),))


def join(w: Writer, slot: int) -> None:
    at = address(DESCRIPTORS, descriptor.offset(slot, "state", 4))
    state = w.register("t.joined", WORD)
    w.step(
        Load(str(state.data), at, 4, True),
        Require(negate(eq(state, const(descriptor.RUNNING, WORD)))),
        Store(at, const(descriptor.UNUSED, WORD), 4, True),
        tags=(Tag("join"),),
    )


def cells(size: int, cell: int) -> tuple[CellRun, ...]:
    return (CellRun(0, cell, cell, size // cell),)


def program(templates: list[Template], globals_: int, checks: frozenset[str] = frozenset({"unreach-call"})) -> Program:
    """Slot i runs templates[i]; objects: descriptors, then one-byte globals, then one two-byte local for each slot."""
    word = WORD // 8
    size = len(templates) * len(descriptor.FIELDS) * word
    objects = [
        Object(0, "null", 0, (), "system"),
        Object(DESCRIPTORS, descriptor.ARRAY, size, cells(size, word), "system", {0: descriptor.RUNNING}),
    ]
    for k in range(globals_):
        objects.append(Object(len(objects), f"g{k}", 1, cells(1, 1), "global"))
    pointer = Object(len(objects), "gp", 4, cells(4, 4), "global")
    heap = [Object(pointer.id + k, f"h{k}", 1, cells(1, 1), "heap", undefined=True, alive=False, pool=0) for k in (1, 2)]
    objects += [pointer, *heap]
    pool = Pool(0, tuple(o.id for o in heap), 1, True, 0)
    threads = []
    for slot, template in enumerate(templates):
        local = Object(len(objects), f"x{slot}", 2, cells(2, 1), "local", alive=False, slot=slot)
        objects.append(local)
        here = {"descriptor": DESCRIPTORS << OFFSET | descriptor.offset(slot, "state", word), "&x": local.id << OFFSET, "self": slot + 1}
        threads.append(Thread(slot, f"{template.name}.{slot}", template, here))
    marker = Marker("heap", True, False, NOWHERE, "no heap object left")
    return Program("random", WORD, OFFSET, threads, objects, [pool], [marker], checks=checks)


# ---------------------------------------------------------------- all states


@dataclass
class Seen:
    """What can be observed: violated messages, kinds of stops, and the memory in complete final states."""

    violations: set[str] = field(default_factory=set)
    halts: set[str] = field(default_factory=set)
    finals: set[tuple[object, ...]] = field(default_factory=set)
    states: int = 0


def explore(p: Program, limit: int = 60_000) -> Seen | None:
    """Every state, by the definition; None if there are too many."""
    machine = Machine(p, compiled=True, canonical=True)
    shared = [o for o in p.objects if o.storage == "global"]
    start = machine.initial()
    seen, work, result = {start}, [start], Seen()
    while work:
        state = work.pop()
        moved = False
        for slot in machine.movable(state):
            for index in machine.outgoing(slot, state[machine.layout.pc[slot]]):
                for _, new, events in machine.successors(state, slot, index):
                    moved = True
                    for event in events:
                        if isinstance(event, Violation):
                            result.violations.add(event.message)
                        elif isinstance(event, Halted):
                            result.halts.add(event.kind)
                    if new not in seen:
                        seen.add(new)
                        work.append(new)
        if not moved:
            _final(p, machine, state, shared, result)
        if len(seen) > limit:
            return None
    result.states = len(seen)
    return result


def _final(p: Program, machine: Machine, state: tuple[object, ...], shared: list[Object], result: Seen) -> None:
    kinds = []
    for slot, thread in enumerate(p.threads):
        at = state[machine.layout.pc[slot]]
        names = {location: kind for kind, location in thread.template.stops.items()}
        if at not in names and at != 0:
            return
        kinds.append(names.get(at, "waiting"))  # type: ignore[arg-type]
    if not set(kinds) <= {"waiting", "ended"}:
        return
    values = []
    for obj in shared:
        place = machine.layout.places[obj.id]
        assert place is not None
        values.append(state[place.base] if place.rom is None else place.rom[0])
    if not state[OVER]:
        result.finals.add((*kinds, *values))


# ---------------------------------------------------------------- random programs


class Random:
    """One random program of two or three threads over a few one-byte globals."""

    def __init__(self, seed: int):
        self.r = random.Random(seed)
        self.globals = self.r.randint(1, 3)
        self.messages = 0
        self.heap = seed % 3 == 0

    def make(self) -> Program:
        children = self.r.choice([1, 1, 2])
        shared = children == 2 and self.r.random() < 0.5
        main = self._main(children)
        first = self._child("f")
        templates = [main] + ([first] * children if shared else [first, *(self._child("g") for _ in range(children - 1))])
        return program(templates, self.globals)

    def _main(self, children: int) -> Template:
        w = self._writer("main")
        start_step(w, False)
        self._statements(w, 2, 1)
        for slot in range(1, children + 1):
            create(w, slot)
            if self.r.random() < 0.4:
                self._statements(w, 1, 1)
        self._statements(w, self.r.randint(0, 2), 1)
        if self.r.random() < 0.7:
            for slot in range(1, children + 1):
                join(w, slot)
        self._statements(w, self.r.randint(1, 2), 1)
        if self.r.random() < 0.5:
            self._check(w)
        w.halt("ended")
        return w.template

    def _child(self, name: str) -> Template:
        w = self._writer(name)
        start_step(w, True)
        self._statements(w, self.r.randint(2, 4), 2)
        end_step(w)
        return w.template

    def _writer(self, name: str) -> Writer:
        w = Writer(name)
        self.regs = [w.register("a", symbol="a"), w.register("b", symbol="b")]
        self.temps = [w.register("t1"), w.register("t2")]
        w.register("n", symbol="n")
        w.register("p", WORD, symbol="p")
        w.register("q", WORD)
        return w

    def _value(self, depth: int = 2) -> Expr:
        if depth == 0 or self.r.random() < 0.3:
            return self.r.choice([*self.regs, *self.regs, const(self.r.randint(0, 3), 8), resize(own("self", WORD), 8, False)])
        op = self.r.choice(["add", "sub", "xor", "and", "or"])
        return make("and", 8, (make(op, 8, (self._value(depth - 1), self._value(depth - 1))), const(3, 8)))

    def _condition(self) -> Expr:
        return binary(self.r.choice(["eq", "ult", "ule"]), self._value(1), self._value(0))

    def _place(self) -> Expr:
        if self.r.random() < 0.2:
            return own("&x", WORD)
        return address(2 + self.r.randrange(self.globals))

    def _statements(self, w: Writer, count: int, depth: int) -> None:
        for _ in range(count):
            kinds = ["assign", "load", "store", "store", "increment", "check", "assume", "input"]
            if depth:
                kinds += ["if", "if", "loop"]
                kinds += ["alloc", "free", "publish", "take", "take"] if self.heap else []
                kinds += [] if w.atomic else ["section", "section", "lock", "scope", "way"]
            elif w.atomic:
                kinds += ["require"]
            getattr(self, "_" + self.r.choice(kinds))(w, depth)

    def _assign(self, w: Writer, depth: int) -> None:
        w.step(Assign(str(self.r.choice(self.regs).data), self._value()))

    def _load(self, w: Writer, depth: int) -> None:
        t, x = self.r.choice(self.temps), self.r.choice(self.regs)
        w.step(Load(str(t.data), self._safe_place(w), 1), Assign(str(x.data), t))

    def _safe_place(self, w: Writer) -> Expr:
        place = self._place()
        if place.op == "own" and not w.atomic:
            w.step(Enter(place))
            w.step(Store(place, const(0, 8), 1))
        return place if place.op == "const" or not w.atomic else address(2)

    def _store(self, w: Writer, depth: int) -> None:
        w.step(Store(self._safe_place(w), self._value(), 1))

    def _increment(self, w: Writer, depth: int) -> None:
        t, place = self.r.choice(self.temps), self._safe_place(w)
        w.step(Load(str(t.data), place, 1))
        w.step(Store(place, make("and", 8, (make("add", 8, (t, const(1, 8))), const(3, 8))), 1))

    def _check(self, w: Writer, depth: int = 0) -> None:
        self.messages += 1
        t = self.temps[0]
        w.step(Load(str(t.data), address(2 + self.r.randrange(self.globals)), 1))
        bad = eq(t, const(self.r.randint(0, 3), 8))
        w.step(Check(negate(conj(bad, self._condition())), "unreach-call", f"m{self.messages}"))

    def _assume(self, w: Writer, depth: int) -> None:
        if self.r.random() < 0.5:
            t = self.temps[0]
            w.step(Load(str(t.data), address(2 + self.r.randrange(self.globals)), 1))
            w.step(Halt("pruned", None, eq(t, const(self.r.randint(0, 3), 8))))
        else:
            w.step(Halt("pruned", None, self._condition()))

    def _input(self, w: Writer, depth: int) -> None:
        w.step(Input(str(self.r.choice(self.regs).data), "nondet"))

    def _require(self, w: Writer, depth: int) -> None:
        w.step(Require(self._condition()))

    def _if(self, w: Writer, depth: int) -> None:
        yes, no = w.branch(self._condition())
        end = w.location(atomic=w.atomic)
        for arm, chance in ((yes, 1.0), (no, 0.6)):
            w.here = arm
            if self.r.random() < chance:
                self._statements(w, self.r.randint(1, 2), depth - 1)
            if self.r.random() < 0.15:
                self.messages += 1
                w.halt("failed", Check(const(0, 1), "unreach-call", f"m{self.messages}"))
            else:
                w.step(target=end)
        w.here = end

    def _loop(self, w: Writer, depth: int) -> None:
        n = reg("n", 8)
        w.step(Assign("n", const(0, 8)))
        head = w.location(atomic=w.atomic, loop="l")
        w.step(target=head)
        body, end = w.branch(binary("ult", n, const(2, 8)))
        w.here = body
        self._statements(w, 1, 0)
        w.step(Assign("n", make("add", 8, (n, const(1, 8)))), target=head)
        w.here = end

    def _section(self, w: Writer, depth: int) -> None:
        entry = w.here
        w.atomic = True
        tags = (Tag("section"),) if self.r.random() < 0.7 else ()
        first = w.location(atomic=True)
        w.edge(entry, first, tags=tags)
        w.here = first
        self._statements(w, self.r.randint(1, 3), self.r.randint(0, 1))
        w.atomic = False
        if self.r.random() < 0.2:  # two exits
            condition = self._condition()
            yes, no = w.branch(condition)
            end = w.location()
            for arm in (yes, no):
                w.here = arm
                self._statements(w, 1, 0)
                w.step(target=end)
            w.here = end
        else:
            w.step()

    def _lock(self, w: Writer, depth: int) -> None:
        t = self.temps[1]
        place = address(2)
        take = (Load(str(t.data), place, 1, True), Require(eq(t, const(0, 8))), Store(place, const(1, 8), 1, True))
        w.step(*take, tags=(Tag("acquire", place),))
        self._statements(w, 1, 0)
        w.step(Store(place, const(0, 8), 1, True), tags=(Tag("release", place),))

    def _scope(self, w: Writer, depth: int) -> None:
        place = own("&x", WORD)
        second = make("padd", WORD, (place, const(1, WORD)), OFFSET)
        w.step(Enter(place))
        w.step(Store(second, self._value(), 1))
        self._statements(w, 1, 0)
        w.step(Load(str(self.temps[0].data), second, 1), Assign(str(self.regs[0].data), self.temps[0]))
        w.step(Leave(place))

    def _alloc(self, w: Writer, depth: int) -> None:
        w.step(Alloc("p", const(1, WORD), 0))
        w.step(Store(reg("p", WORD), self._value(), 1))

    def _free(self, w: Writer, depth: int) -> None:
        w.step(Free(reg("p", WORD), negate(eq(reg("p", WORD), const(0, WORD)))))

    def _publish(self, w: Writer, depth: int) -> None:
        w.step(Store(address(2 + self.globals), reg("p", WORD), 4))

    def _take(self, w: Writer, depth: int) -> None:
        q = reg("q", WORD)
        w.step(Load("q", address(2 + self.globals), 4))
        yes, no = w.branch(eq(q, const(0, WORD)))
        w.here = no
        t = self.temps[0]
        w.step(Load(str(t.data), q, 1))
        w.step(Store(q, make("and", 8, (make("add", 8, (t, const(1, 8))), const(3, 8))), 1))
        w.step(target=yes)

    def _way(self, w: Writer, depth: int) -> None:
        """A nondeterministic choice, one side tagged."""
        source, end = w.here, w.location()
        for tags in ((Tag("spurious"),), ()):
            arm = w.location()
            w.edge(source, arm, tags=tags)
            w.here = arm
            self._statements(w, 1, 0)
            w.step(target=end)
        w.here = end
