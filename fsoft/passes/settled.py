"""Loads of cells that nothing ever writes become their initial values.

Most of a mutex never changes (its kind, whether it was destroyed), and neither do tables and flags that are only initialised. A cell is
settled if its object is alive from the start with known contents and no store can reach it: a store at a constant address
writes its bytes, any other store writes every object its pointer may point into. What a store writes that was there at the start (a lock is
initialised with zeros) changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from fsoft.analysis.points_to import PointsTo
from fsoft.passes.graph import changed, each_template
from fsoft.program.expr import Expr, const, substitute
from fsoft.program.program import Action, Alloc, Assign, Enter, Free, Leave, Load, Object, Program, Step, Store, Template, Thread


@dataclass(frozen=True)
class Settled:
    """`stores` at most this many are looked at; a larger program is left alone."""

    name: str = "settled"
    stores: int = 100_000

    def apply(self, program: Program) -> Program:
        written = _Written(program, self.stores)
        return each_template(program, lambda template: _template(program, template, written))


class _Written:
    """Which bytes of which objects some action may write."""

    def __init__(self, program: Program, limit: int):
        self.program = program
        self.objects = 0  # mask of objects written anywhere
        self.bytes: dict[int, set[int]] = {}
        self._points_to: PointsTo | None = None
        for thread in program.threads:
            for step in thread.template.steps:
                for action in step.actions:
                    self._write(thread, action)
                    limit -= 1
        if limit < 0:
            self.objects = -1

    def _write(self, thread: Thread, action: Action) -> None:
        if isinstance(action, Store):
            address = constant_address(thread, action.address)
            if address is not None:
                number, offset = address >> self.program.offset_bits, address & ((1 << self.program.offset_bits) - 1)
                if not action.value.is_const or action.value.value != self._at_start(number, offset, action.size):
                    self.bytes.setdefault(number, set()).update(range(offset, offset + action.size))
            else:
                self.objects |= self._may_be(thread, action.address)
        elif isinstance(action, (Enter, Leave, Free)):
            self.objects |= self._may_be(thread, action.address)
        elif isinstance(action, Alloc):
            self.objects |= sum(1 << o for o in self.program.pools[action.pool].objects)

    def _may_be(self, thread: Thread, address: Expr) -> int:
        if self._points_to is None:
            self._points_to = PointsTo(self.program)
        return self._points_to.value(thread.index, address)

    def settled(self, obj: Object, offset: int, size: int) -> int | None:
        """The value that these bytes always have, if they always have the same."""
        if self.objects >> obj.id & 1 or obj.undefined or not obj.alive:
            return None
        if not 0 <= offset <= obj.size - size or not self.bytes.get(obj.id, set()).isdisjoint(range(offset, offset + size)):
            return None
        return _cell(obj, offset, size)

    def _at_start(self, number: int, offset: int, size: int) -> int | None:
        """What a cell holds at the start, if it is one and that is known."""
        if number >= len(self.program.objects):
            return None
        obj = self.program.objects[number]
        return _cell(obj, offset, size) if obj.alive and not obj.undefined else None


def _cell(obj: Object, offset: int, size: int) -> int | None:
    for run in obj.runs:
        if run.size == size and 0 <= offset - run.start < run.count * run.stride and (offset - run.start) % run.stride == 0:
            return obj.initial.get(offset, 0)
    return None


def constant_address(thread: Thread, address: Expr) -> int | None:
    """The address in this slot, if no register is in it."""
    if address.is_const:
        return address.value
    if address.reads:
        return None
    known = substitute(address, lambda leaf: const(thread.own[str(leaf.data)], leaf.width) if leaf.op == "own" else None)
    return known.value if known.is_const else None


def _template(program: Program, template: Template, written: _Written) -> Template:
    slots = [t for t in program.threads if t.template is template]
    steps = [_step(program, slots, step, written) for step in template.steps]
    return Template(template.name, template.registers, template.locations, steps, template.stops)


def _step(program: Program, slots: list[Thread], step: Step, written: _Written) -> Step:
    actions = tuple([_action(program, slots, action, written) for action in step.actions])
    return changed(step, step.guard, actions, step.tags)


def _action(program: Program, slots: list[Thread], action: Action, written: _Written) -> Action:
    if not isinstance(action, Load):
        return action
    values: set[int | None] = set()
    for slot in slots:
        address = constant_address(slot, action.address)
        if address is None or address >> program.offset_bits >= len(program.objects):
            return action
        obj = program.objects[address >> program.offset_bits]
        values.add(written.settled(obj, address & ((1 << program.offset_bits) - 1), action.size))
    if len(values) != 1 or (value := values.pop()) is None:
        return action
    return Assign(action.reg, const(value, action.size * 8), action.when)
