"""Steps as generated Python functions, for speed.

A step of a slot becomes

    def step(v, choose, events, log):
        r4 = v[7]                       # registers that the step reads
        if not (r4 < 10): return False  # guard
        i = T4.get(...)                 # address of a global's cell to its index in the vector
        ...
        v[6] = 12                       # the new location
        return True

`own` leaves are constants of the slot, so most addresses are known here and a load is `v[index]`. What is not as plain as that
calls `Memory`. The meaning is that of `interpreter.py`, where also `canonical` and `logging` are explained.
"""

from __future__ import annotations

from typing import Any

from fsoft.frontend.source import NOWHERE, Loc
from fsoft.program.expr import TRUE, Expr, const, registers, substitute
from fsoft.program.liveness import expressions, live_registers, target
from fsoft.program.memory import Memory
from fsoft.program.numeric import numeric_uses
from fsoft.program.program import (
    PADDING,
    Action,
    Alloc,
    Assign,
    Check,
    Enter,
    Free,
    Halt,
    Input,
    Leave,
    Load,
    Measure,
    Require,
    Step,
    Store,
    Template,
)  # fmt: skip
from fsoft.program.pycode import HELPERS, PythonWriter
from fsoft.program.state import OVER, Access, ChoicePoint, GuardFunction, Halted, Place, StepFunction, Violation, in_section, set_bits


class Compiler:
    """Compiles the steps of one program. `representatives` gives exact small domains of inputs (see `inputs.py`)."""

    def __init__(self, memory: Memory, canonical: bool, logging: bool):
        self.memory, self.layout, self.program = memory, memory.layout, memory.program
        self.canonical, self.logging = canonical, logging
        self.representatives: dict[int, tuple[int, ...]] = {}  # id of an Input action
        self._live: dict[int, list[set[str]]] = {}

    def live(self, template: Template) -> list[set[str]]:
        if id(template) not in self._live:
            self._live[id(template)] = live_registers(template)
        return self._live[id(template)]

    def compile(self, slot: int, step: Step) -> StepFunction:
        return _StepWriter(self, slot, step).function()

    def guard(self, slot: int, step: Step) -> GuardFunction | None:
        """The guard alone; None if it always holds."""
        return _StepWriter(self, slot, step).guard_function()


class _StepWriter:
    """Writes the function of one step."""

    def __init__(self, compiler: Compiler, slot: int, step: Step):
        self.compiler, self.slot, self.step = compiler, slot, step
        self.memory, self.layout, self.program = compiler.memory, compiler.layout, compiler.program
        self.thread = self.program.threads[slot]
        self.index = self.layout.registers[slot]
        self.written: list[str] = []
        self.section = in_section(self.program, slot, step)
        self.out = PythonWriter(dict(HELPERS, M=self.memory, Access=Access), self.index)
        self._known: dict[Expr, Expr] = {}

    # ------------------------------------------------------------ the frame

    def function(self) -> StepFunction:
        out = self.out
        out.line("def step(v, choose, events, log):")
        out.indent += 1
        for name in self.needed():
            out.line(f"{self.reg(name)} = v[{self.index[name]}]")
        guard = self.fix(self.step.guard)
        if guard is not TRUE:
            out.line(f"if not {out.expr(guard)}: return False")
        self.look(guard)
        for action in self.step.actions:
            self.action(action)
        self.finish()
        namespace = out.names
        exec(compile(out.text(), f"<step of {self.thread.name}>", "exec"), namespace)
        function: StepFunction = namespace["step"]
        return function

    def guard_function(self) -> GuardFunction | None:
        guard, out = self.fix(self.step.guard), self.out
        if guard is TRUE:
            return None
        out.line("def guard(v):")
        out.indent += 1
        for name in sorted(registers(guard)):
            out.line(f"{self.reg(name)} = v[{self.index[name]}]")
        out.line(f"return {out.expr(guard)}")
        exec(compile(out.text(), f"<guard of {self.thread.name}>", "exec"), out.names)
        function: GuardFunction = out.names["guard"]
        return function

    def reg(self, name: str) -> str:
        return f"r{self.index[name]}"

    def fix(self, root: Expr) -> Expr:
        """The expression for this slot: `own` leaves become constants."""
        found = self._known.get(root)
        if found is None:
            own = self.thread.own
            found = substitute(root, lambda leaf: const(own[str(leaf.data)], leaf.width) if leaf.op == "own" else None)
            self._known[root] = found
        return found

    def needed(self) -> list[str]:
        """Registers to fetch first: read, or perhaps written, before they are surely written."""
        found: dict[str, None] = {}
        sure: set[str] = set()
        for name in sorted(registers(self.step.guard)):
            found[name] = None
        for action in self.step.actions:
            for name in sorted(registers(action.when, *expressions(action))):
                if name not in sure:
                    found[name] = None
            written = target(action)
            if written is not None:
                if action.when is TRUE:
                    sure.add(written)
                elif written not in sure:
                    found[written] = None
        return list(found)

    def finish(self) -> None:
        out, live = self.out, self.live_at(self.step.target)
        for name in self.written:
            if live is None or name in live:
                out.line(f"v[{self.index[name]}] = {self.reg(name)}")
        if live is not None:
            before = self.live_at(self.step.source) or set()
            self.zero(before - live)
        out.line(f"v[{self.layout.pc[self.slot]}] = {self.step.target}")
        out.line("return True")

    def live_at(self, location: int) -> set[str] | None:
        """Live registers where the machine is canonical; None means that all are kept."""
        return self.compiler.live(self.thread.template)[location] if self.compiler.canonical else None

    def zero(self, names: set[str]) -> None:
        for index in sorted(self.index[name] for name in names):
            self.out.line(f"v[{index}] = 0")

    def stop(self, kind: str) -> None:
        """Leave the function with the thread at a stop."""
        out = self.out
        if self.compiler.canonical:
            before = self.live_at(self.step.source) or set()
            self.zero(before)
        else:
            for name in self.written:
                out.line(f"v[{self.index[name]}] = {self.reg(name)}")
        if self.section:
            out.line(f"v[{OVER}] = 1")
        out.line(f"v[{self.layout.pc[self.slot]}] = {self.thread.template.stops[kind]}")
        out.line("return True")

    # ------------------------------------------------------------ actions

    def action(self, action: Action) -> None:
        when = self.fix(action.when)
        if when.is_const and not when.value:
            return
        out = self.out
        self.look(when)
        if when is not TRUE:
            condition = out.expr(when)
            out.open(f"if {condition}:")
            out.line("pass")  # what follows may come to nothing in this slot
        for root in expressions(action):
            self.look(self.fix(root))
        _WRITERS[type(action)](self, action)
        name = target(action)
        if name is not None:
            if name not in self.written:
                self.written.append(name)
            out.forget(name)
        if when is not TRUE:
            out.close()

    def look(self, root: Expr) -> None:
        """Where the explorer lets freed objects stand for new ones: tell it that an address of the heap is used as a number."""
        if not (self.compiler.canonical and self.program.heap_reuse and self.memory.heap):
            return
        out, shift = self.out, self.program.offset_bits
        for argument, other in numeric_uses(root, self.program.word, shift):
            out.names["heap"] = self.memory.heap
            seen = f"{out.expr(argument)} >> {shift}"
            apart = f" and {seen} != {out.expr(other)} >> {shift}" if other is not None else ""
            out.line(f"if {seen} in heap{apart}: M.bared = True")

    def loc(self, loc: Loc) -> Loc:
        return self.step.loc if loc == NOWHERE else loc

    def event(self, event: Any, kind: str) -> None:
        self.out.line(f"events.append({self.out.name(event)})")
        self.stop(kind)

    def assign(self, action: Assign) -> None:
        value = self.fix(action.value)
        self.out.line(f"{self.reg(action.reg)} = {self.out.integer(value)}")

    def require(self, action: Require) -> None:
        condition = self.fix(action.condition)
        if condition is not TRUE:
            self.out.line(f"if not {self.out.expr(condition)}: return False")

    def check(self, action: Check) -> None:
        condition = self.fix(action.condition)
        if condition is not TRUE:
            self.out.open(f"if not {self.out.expr(condition)}:")
            self.event(Violation(action.prop, action.message, self.loc(action.loc)), "failed")
            self.out.close()

    def halt(self, action: Halt) -> None:
        self.event(Halted(action.kind, action.marker, self.loc(action.loc)), action.kind)

    def input(self, action: Input) -> None:
        out, name = self.out, self.reg(action.reg)
        width, loc = self.thread.template.registers[action.reg].width, self.loc(action.loc)
        if action.among is None:
            values = self.compiler.representatives.get(id(action))
            question = ChoicePoint("input", action.name, width, loc, action.signed, values, action.marker, action.name == PADDING)
            out.line(f"{name} = choose({out.name(question)}, None)")
            return
        question = ChoicePoint("among", action.name, width, loc, action.signed)
        out.names["set_bits"] = set_bits
        out.line(f"{name} = set_bits({out.expr(self.fix(action.among))})")
        out.line(f"{name} = choose({out.name(question)}, {name}) if len({name}) > 1 else {name}[0]")

    def alloc(self, action: Alloc) -> None:
        out, name = self.out, self.reg(action.reg)
        question = ChoicePoint("alloc", "heap object", self.program.word, self.loc(action.loc))
        size = out.expr(self.fix(action.size))
        out.line(f"fresh = M.alloc(v, {action.pool}, {size}, choose, {out.name(question)}, {action.zero})")
        out.open("if not fresh:")
        self.event(Halted("cut", self.program.pools[action.pool].marker, self.loc(action.loc)), "cut")
        out.close()
        out.line(f"{name} = fresh")

    # ------------------------------------------------------------ memory

    def known_place(self, address: Expr, size: int, write: bool) -> tuple[Place, int] | None:
        """The object and the index of its cell, where the address is a constant and fits a cell."""
        if not address.is_const:
            return None
        place = self.layout.place_of(address.value)
        number = place.cells.exact(address.value & self.layout.offset_mask, size) if place else None
        if place is None or number is None or place.rom is not None or place.extent >= 0 or place.limit == 0:
            return None
        return None if write and place.object.readonly else (place, number)

    def log(self, address: str, known: int | None, size: int | str, write: bool, sync: bool, loc: Loc, death: str = "") -> None:
        if not self.compiler.logging:
            return
        bits, mask, where = self.program.offset_bits, self.layout.offset_mask, self.loc(loc)
        sync = sync or self.section
        if known is not None and isinstance(size, int):
            self.out.line(f"log.append({self.out.name(Access(known >> bits, known & mask, size, write, sync, where))})")
        else:
            parts = f"{address} >> {bits}, {address} & {mask}, {size}, {write}, {sync}, {self.out.name(where)}, {death!r}"
            self.out.line(f"log.append(Access({parts}))")

    def broken(self, prop: str, message: str, loc: Loc) -> None:
        """Stop because of an invalid access; `message` is Python text for what is wrong."""
        where = self.out.name(self.loc(loc))
        if prop in self.program.checks:
            self.out.names["Violation"] = Violation
            self.out.line(f"events.append(Violation({prop!r}, {message}, {where}))")
            self.stop("failed")
        else:
            self.out.names["Halted"] = Halted
            self.out.line(f"events.append(Halted('undefined', None, {where}, {message}))")
            self.stop("undefined")

    def alive(self, place: Place, address: str, size: int, write: bool, loc: Loc) -> None:
        if place.status >= 0:
            self.out.open(f"if v[{place.status}] != 1:")
            self.broken("valid-deref", f"M.fault(v, {address}, {size}, {write})", loc)
            self.out.close()

    def load(self, action: Load) -> None:
        out, name, size = self.out, self.reg(action.reg), action.size
        address = self.fix(action.address)
        known = self.known_place(address, size, False)
        if known is not None:
            place, number = known
            cell = place.base + number
            self.alive(place, str(address.value), size, False, action.loc)
            out.line(f"x = v[{cell}]")
            if not self.memory.steady(place):
                out.line(f"if x.__class__ is not int: x = M.define(v, {cell}, {out.name(place)}, {number}, {size}, choose)")
        else:
            out.line(f"a = {out.expr(address)}")
            out.names[f"T{size}"] = self.memory.table(size)
            out.line(f"x = T{size}.get(a)")
            out.line(f"x = M.load(v, a, {size}, choose) if x is None else v[x]")
            out.open("if x is None:")
            self.broken("valid-deref", f"M.fault(v, a, {size}, False)", action.loc)
            out.close()
        out.line(f"{name} = x")
        self.log("a", address.value if known else None, size, False, action.sync, action.loc)

    def store(self, action: Store) -> None:
        out, size = self.out, action.size
        address, value = self.fix(action.address), self.fix(action.value)
        known = self.known_place(address, size, True)
        if known is not None:
            place, number = known
            self.alive(place, str(address.value), size, True, action.loc)
            out.line(f"v[{place.base + number}] = {out.integer(value)}")
        else:
            out.line(f"x = {out.integer(value)}")
            out.line(f"a = {out.expr(address)}")
            out.names[f"T{size}"] = self.memory.table(size)
            out.line(f"i = T{size}.get(a)")
            out.line("if i is not None: v[i] = x")
            out.open(f"elif not M.store(v, a, {size}, x):")
            self.broken("valid-deref", f"M.fault(v, a, {size}, True)", action.loc)
            out.close()
        self.log("a", address.value if known else None, size, True, action.sync, action.loc)

    def free(self, action: Free) -> None:
        out = self.out
        out.line(f"a = {out.expr(self.fix(action.address))}")
        out.line("place = M.freeable(v, a)")
        out.open("if place is None:")
        self.broken("valid-free", "M.bad_free(v, a)", action.loc)
        out.close()
        self.log("a", None, "place.object.size", True, False, action.loc, "free")
        out.line("M.leave(v, place)")

    def measure(self, action: Measure) -> None:
        mask = (1 << self.thread.template.registers[action.reg].width) - 1
        self.out.line(f"{self.reg(action.reg)} = M.measure(v, {self.out.expr(self.fix(action.address))}) & {mask}")

    def lifetime(self, action: Enter | Leave) -> None:
        out, address = self.out, self.fix(action.address)
        place = self.layout.place_of(address.value) if address.is_const else None
        if place is None:
            out.names["place_of"] = self.layout.place_of
            out.line(f"place = place_of({out.expr(address)})")
        else:
            out.line(f"place = {out.name(place)}")
        if isinstance(action, Enter):
            out.line("M.enter(v, place)")
            return
        start = f"(place.object.id << {self.program.offset_bits})"
        self.log(start, None, "place.object.size", True, False, action.loc, "leave")
        out.line("M.leave(v, place)")


_WRITERS: dict[type, Any] = {
    Assign: _StepWriter.assign,
    Load: _StepWriter.load,
    Store: _StepWriter.store,
    Input: _StepWriter.input,
    Require: _StepWriter.require,
    Check: _StepWriter.check,
    Halt: _StepWriter.halt,
    Alloc: _StepWriter.alloc,
    Free: _StepWriter.free,
    Measure: _StepWriter.measure,
    Enter: _StepWriter.lifetime,
    Leave: _StepWriter.lifetime,
}
