"""The values that make a check fail, under the names that the user knows them by.

The condition of a check speaks of registers. One that stands for a variable has that variable's name; a temporary has the names of what it
was computed from: the cells that were loaded, the variables that were read. So `assert(balance == b + 1)` gives `balance = 100, b = 0`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from fsoft.program.expr import Expr, evaluate, reg
from fsoft.program.interpreter import Machine, Script
from fsoft.program.program import Action, Assign, Check, Free, Halt, Input, Load, Store
from fsoft.program.replay import Played
from fsoft.program.state import Vector
from fsoft.trace.values import Names, is_hidden

_MOST = 6  # values that are told

NamedValues = dict[str, str]


class Origins:
    """Follows one slot: `of(expr)` names what an expression depends on, with its values now."""

    def __init__(self, machine: Machine, names: Names, slot: int):
        self.machine, self.names, self.slot = machine, names, slot
        self.program = machine.program
        self._origin: dict[str, NamedValues] = {}
        self.last: NamedValues = {}  # of the last action
        self.branch: NamedValues = {}  # of the last guard or condition that depended on anything

    def follow(self, one: Played) -> None:
        """Take a move of the slot again, action by action."""
        step, interpreter = self.machine.step(self.slot, one.move.step), self.machine.interpreter
        self._branch((step.guard,), interpreter.leaf(one.before, self.slot))
        interpreter.watch = self._hear
        try:
            self.machine.execute(one.before, self.slot, one.move.step, Script(one.move.choices))
        finally:
            interpreter.watch = None

    def _hear(self, action: Action, leaf: Callable[[Expr], int], v: Vector) -> None:
        self._branch((action.when,), leaf)
        if isinstance(action, Load):
            self.last = self.of((action.address,), leaf)
            address = evaluate(action.address, leaf)
            self._origin[action.reg] = self._loaded(address, action.size, v)
        elif isinstance(action, Assign):
            self._origin[action.reg] = self.of((action.value,), leaf)
        elif isinstance(action, Input):
            self._origin[action.reg] = {}
        elif isinstance(action, (Check, Halt)):
            self.last = self.of((action.condition,) if isinstance(action, Check) else (), leaf)
        elif isinstance(action, (Store, Free)):
            self.last = self.of((action.address,), leaf)

    def _branch(self, conditions: Iterable[Expr], leaf: Callable[[Expr], int]) -> None:
        found = self.of(conditions, leaf)
        if found:
            self.branch = found

    def _loaded(self, address: int, size: int, v: Vector) -> NamedValues:
        layout = self.machine.layout
        place = layout.place_of(address)
        number = place.cells.exact(address & layout.offset_mask, size) if place is not None else None
        if place is None or number is None or place.object.storage in ("system", "string") or is_hidden(place.cells.name(number)):
            return {}
        value = place.rom[number] if place.rom is not None else v[place.base + number]
        return {self.names.cell(place, number): self.names.format_cell(place, number, value)}

    def of(self, roots: Iterable[Expr], leaf: Callable[[Expr], int]) -> NamedValues:
        found: NamedValues = {}
        registers = self.program.threads[self.slot].template.registers
        for name in sorted({name for root in roots for name in root.reads}):
            mine = self.names.register(self.slot, name)
            if mine is None:
                found.update(self._origin.get(name, {}))
            else:
                value = leaf(reg(name, registers[name].width))
                found[mine.symbol] = self.names.format_register(mine, value)
        return found


def failing_values(machine: Machine, names: Names, played: Sequence[Played]) -> NamedValues:
    """The values that the last move's failing check depends on; those of the branch before it if it depends on nothing."""
    slot = played[-1].move.slot
    origins = Origins(machine, names, slot)
    for one in played:
        if one.move.slot == slot:
            origins.follow(one)
    found = origins.last or origins.branch
    return dict(list(found.items())[:_MOST])


__all__ = ["failing_values"]
