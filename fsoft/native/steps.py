"""Steps as C functions on packed states.

A step of a slot becomes `static int step(Worker *c, u64 *s)`: it changes the state in place and returns 0 if it is not enabled (the state
is then to be thrown away), 1 if it was taken, or 2 plus the number of an event that stopped the thread. Guards are functions of their own.
The meaning is that of `program/interpreter.py`; what a canonical machine keeps at zero is kept at zero here (`program/codegen.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fsoft.frontend.source import NOWHERE, Loc
from fsoft.native.ctext import CLines, number
from fsoft.native.packing import BitField, Packing, Unpackable
from fsoft.native.tables import ChoicePointTable, EventTable
from fsoft.program.expr import TRUE, Expr, const, registers, substitute
from fsoft.program.liveness import expressions, target
from fsoft.program.numeric import numeric_uses
from fsoft.program.program import (
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
    Store,
)  # fmt: skip
from fsoft.program.state import OVER, Place, in_section


class StepWriter:
    """What all steps of a program share. `logging`: steps record the accesses that they make."""

    def __init__(self, packing: Packing, events: EventTable, questions: ChoicePointTable, logging: bool):
        self.packing, self.events, self.questions, self.logging = packing, events, questions, logging
        self.layout, self.memory, self.program = packing.layout, packing.memory, packing.layout.program

    def step(self, slot: int, index: int, name: str) -> str:
        """The function of a step, without its guard."""
        return _Step(self, slot, index).function(name)

    def guard(self, slot: int, index: int, name: str) -> str | None:
        """The function of its guard; None if that always holds."""
        return _Step(self, slot, index).guard(name)


def _get(bits: BitField) -> str:
    return f"GET({bits.word}, {bits.shift}, {bits.mask}ull)"


def _put(bits: BitField, value: str) -> str:
    return f"PUT({bits.word}, {bits.shift}, {bits.mask}ull, {value});"


class _Step:
    """Writes the functions of one step."""

    def __init__(self, writer: StepWriter, slot: int, index: int):
        self.writer, self.slot, self.number = writer, slot, index
        self.program, self.layout, self.packing = writer.program, writer.layout, writer.packing
        self.thread = self.program.threads[slot]
        self.step = self.thread.template.steps[index]
        self.entries = self.layout.registers[slot]
        self.section = in_section(self.program, slot, self.step)
        self.out = CLines({name: f"r{entry}" for name, entry in self.entries.items()})
        self.written: list[str] = []
        live = writer.packing.live[id(self.thread.template)]
        self.before, self.after = live[self.step.source], live[self.step.target]
        self._known: dict[Expr, Expr] = {}

    # ------------------------------------------------------------ the frame

    def function(self, name: str) -> str:
        out = self.out
        out.open(f"static int {name}(Worker *c, u64 *s)")
        for used in self._mentioned():
            out.line(f"u64 r{self.entries[used]} = {_get(self.field(used))};")
        self._look(self.fix(self.step.guard))
        for action in self.step.actions:
            self._action(action)
        for changed in self.written:
            if changed in self.after:
                out.line(_put(self.field(changed), f"r{self.entries[changed]}"))
        self._zero(self.before - self.after)
        out.line(_put(self.packing.field[self.layout.pc[self.slot]], str(self.step.target)))
        out.line("return 1;")
        out.close()
        return out.text()

    def guard(self, name: str) -> str | None:
        guard, out = self.fix(self.step.guard), self.out
        if guard is TRUE:
            return None
        out.open(f"static int {name}(const u64 *s)")
        for used in sorted(registers(guard)):
            out.line(f"u64 r{self.entries[used]} = {_get(self.field(used))};")
        out.line(f"return {out.expr(guard)} != 0;")
        out.close()
        return out.text()

    def field(self, register: str) -> BitField:
        return self.packing.field[self.entries[register]]

    def fix(self, root: Expr) -> Expr:
        """The expression for this slot: `own` leaves become constants."""
        found = self._known.get(root)
        if found is None:
            own = self.thread.own
            found = substitute(root, lambda leaf: const(own[str(leaf.data)], leaf.width) if leaf.op == "own" else None)
            self._known[root] = found
        return found

    def _mentioned(self) -> list[str]:
        """Registers that the step reads or writes."""
        found = registers(self.step.guard)
        for action in self.step.actions:
            found |= registers(action.when, *expressions(action))
            written = target(action)
            if written is not None:
                found.add(written)
        return sorted(found)

    def _zero(self, names: set[str]) -> None:
        for name in sorted(names):
            self.out.line(_put(self.field(name), "0"))

    def _stop(self, kind: str, event: int) -> None:
        """Leave the function with the thread at a stop."""
        self._zero(self.before)
        if self.section:
            self.out.line(_put(self.packing.field[OVER], "1"))
        self.out.line(_put(self.packing.field[self.layout.pc[self.slot]], str(self.thread.template.stops[kind])))
        self.out.line(f"return {2 + event};")

    def _asked(self) -> None:
        """Leave the function if it chose where choices are forbidden."""
        self.out.line("if (c->asked) return 0;")

    # ------------------------------------------------------------ actions

    def _action(self, action: Action) -> None:
        when = self.fix(action.when)
        if when.is_const and not when.value:
            return
        out = self.out
        self._look(when)
        if when is not TRUE:
            out.open(f"if ({out.expr(when)})")
        for root in expressions(action):
            self._look(self.fix(root))
        _WRITERS[type(action)](self, action)
        name = target(action)
        if name is not None:
            if name not in self.written:
                self.written.append(name)
            out.forget(name)
        if when is not TRUE:
            out.close()

    def _look(self, root: Expr) -> None:
        """Where freed objects may stand for new ones: take down that an address of the heap is used as a number."""
        if not (self.program.heap_reuse and self.writer.memory.heap):
            return
        out, shift = self.out, self.program.offset_bits
        for argument, other in numeric_uses(root, self.program.word, shift):
            seen = f"(u64){out.expr(argument)} >> {shift}"
            apart = f" && {seen} != (u64){out.expr(other)} >> {shift}" if other is not None else ""
            out.line(f"if (is_heap({seen}){apart}) c->bared = 1;")

    def _loc(self, loc: Loc) -> Loc:
        return self.step.loc if loc == NOWHERE else loc

    def _reg(self, name: str) -> str:
        return f"r{self.entries[name]}"

    def _assign(self, action: Assign) -> None:
        self.out.line(f"{self._reg(action.reg)} = {self.out.expr(self.fix(action.value))};")

    def _require(self, action: Require) -> None:
        condition = self.fix(action.condition)
        if condition is not TRUE:
            self.out.line(f"if (!{self.out.expr(condition)}) return 0;")

    def _check(self, action: Check) -> None:
        condition = self.fix(action.condition)
        if condition is not TRUE:
            self.out.open(f"if (!{self.out.expr(condition)})")
            self._stop("failed", self.writer.events.violation(action.prop))
            self.out.close()

    def _halt(self, action: Halt) -> None:
        self.out.open("")
        self._stop(action.kind, self.writer.events.halt(action.kind))
        self.out.close()

    def _input(self, action: Input) -> None:
        name = self._reg(action.reg)
        if action.among is not None:
            self.out.line(f"{name} = among(c, {self.out.expr(self.fix(action.among))});")
        else:
            width = self.thread.template.registers[action.reg].width
            domain, question = self.writer.questions.input(action, width, self._loc(action.loc))
            self.out.line(f"{name} = answer(c, &DOMAIN[{domain}], {question});")
        self._asked()

    def _alloc(self, action: Alloc) -> None:
        out, name = self.out, self._reg(action.reg)
        size = out.expr(self.fix(action.size))
        out.open("")
        out.line(f"u64 x = alloc(c, s, {action.pool}, {size}, {int(action.zero)});")
        self._asked()
        out.open("if (!x)")
        self._stop("cut", self.writer.events.halt("cut"))
        out.close()
        out.line(f"{name} = x;")
        out.close()

    # ------------------------------------------------------------ memory

    def _known_place(self, address: Expr, size: int, write: bool) -> tuple[Place, int] | None:
        """The object and the entry of its cell, where the address is a constant and fits a cell."""
        if not address.is_const:
            return None
        place = self.layout.place_of(address.value)
        at = place.cells.exact(address.value & self.layout.offset_mask, size) if place else None
        if place is None or at is None or place.rom is not None or place.extent >= 0 or place.limit == 0:
            return None
        return None if write and place.object.readonly else (place, place.base + at)

    def _log(self, address: str, size: int, write: bool, sync: bool) -> None:
        if self.writer.logging:
            place = f"({address}) >> {self.program.offset_bits}, ({address}) & {number(self.layout.offset_mask)}"
            self.out.line(f"note_access(c, {place}, {size}, {int(write)}, {int(sync or self.section)});")

    def _log_end(self, address: str) -> None:
        """A whole object dies."""
        if self.writer.logging:
            at = f"({address}) >> {self.program.offset_bits}"
            self.out.line(f"note_access(c, {at}, 0, OBJECT[{at}].size, 1, {int(self.section)});")

    def _broken(self, prop: str) -> None:
        """Stop because of an invalid access."""
        events, on = self.writer.events, prop in self.program.checks
        self._stop("failed" if on else "undefined", events.violation(prop) if on else events.halt("undefined"))

    def _alive(self, place: Place) -> None:
        if place.status >= 0:
            self.out.open(f"if ({_get(self.packing.field[place.status])} != ALIVE)")
            self._broken("valid-deref")
            self.out.close()

    def _load(self, action: Load) -> None:
        out, name, size = self.out, self._reg(action.reg), action.size
        if size > 8:
            raise Unpackable(f"an access of {size} bytes")
        address = self.fix(action.address)
        known = self._known_place(address, size, False)
        out.open("")
        if known is not None:
            place, entry = known
            self._alive(place)
            defined = self.packing.defined[entry]
            frozen = entry in self.packing.frozen
            out.line(f"u64 x = {number(self.packing.initial[entry]) if frozen else _get(self.packing.field[entry])};")
            if defined is not None:
                cell = self.writer.questions.cell(entry)
                out.line(f"if ({_get(defined)} != {defined.mask}ull) x = define(c, s, &CELL[{cell}]);")
                self._asked()
        else:
            out.line(f"u64 x = 0, a = {out.expr(address)};")
            out.open(f"if (!load(c, s, a, {size}, &x))")
            self._broken("valid-deref")
            out.close()
            self._asked()
        out.line(f"{name} = x;")
        self._log(number(address.value) if known else "a", size, False, action.sync)
        out.close()

    def _store(self, action: Store) -> None:
        out, size = self.out, action.size
        if size > 8:
            raise Unpackable(f"an access of {size} bytes")
        address, value = self.fix(action.address), self.fix(action.value)
        known = self._known_place(address, size, True)
        out.open("")
        if known is not None:
            place, entry = known
            self._alive(place)
            out.line("c->strayed = 1;" if entry in self.packing.frozen else _put(self.packing.field[entry], out.expr(value)))
            defined = self.packing.defined[entry]
            if defined is not None:
                out.line(_put(defined, str(defined.mask)))
        else:
            out.line(f"u64 x = {out.expr(value)};")
            out.line(f"u64 a = {out.expr(address)};")
            out.open(f"if (!store(c, s, a, {size}, x))")
            self._broken("valid-deref")
            out.close()
        self._log(number(address.value) if known else "a", size, True, action.sync)
        out.close()

    def _free(self, action: Free) -> None:
        out = self.out
        out.open("")
        out.line(f"u64 a = {out.expr(self.fix(action.address))};")
        out.open("if (!freeable(s, a))")
        self._broken("valid-free")
        out.close()
        self._log_end("a")
        out.line("leave(s, a);")
        out.close()

    def _measure(self, action: Measure) -> None:
        mask = (1 << self.thread.template.registers[action.reg].width) - 1
        self.out.line(f"{self._reg(action.reg)} = measure(s, {self.out.expr(self.fix(action.address))}) & {number(mask)};")

    def _lifetime(self, action: Enter | Leave) -> None:
        out = self.out
        out.open("")
        out.line(f"u64 a = {out.expr(self.fix(action.address))};")
        if isinstance(action, Enter):
            out.line("enter(s, a);")
        else:
            self._log_end("a")
            out.line("leave(s, a);")
        out.close()


_WRITERS: dict[type, Callable[[_Step, Any], None]] = {
    Assign: _Step._assign,
    Load: _Step._load,
    Store: _Step._store,
    Input: _Step._input,
    Require: _Step._require,
    Check: _Step._check,
    Halt: _Step._halt,
    Alloc: _Step._alloc,
    Free: _Step._free,
    Measure: _Step._measure,
    Enter: _Step._lifetime,
    Leave: _Step._lifetime,
}
