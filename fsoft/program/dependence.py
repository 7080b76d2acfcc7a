"""On which unknown values a run depends: those without which its moves, or the violation at its end, might not be.

Values of inputs that stand for what nobody knows are followed through registers and memory. A run depends on them once a guard, a
condition, an address or a size is computed from one. What is followed is too much rather than too little: a step that loads something
unknown makes all that it loads unknown.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsoft.program.expr import Expr
from fsoft.program.interpreter import Machine, Script
from fsoft.program.program import (
    WHOLE_RUNS,
    Action,
    Alloc,
    Assign,
    Check,
    Enter,
    Free,
    Input,
    Leave,
    Load,
    Measure,
    Require,
    Step,
    Store,
)
from fsoft.program.replay import Played
from fsoft.program.state import Access, State

Markers = frozenset[int]
_NONE: Markers = frozenset()


class UnknownValues:
    """Follows unknown values through a run. `needed` are the markers on which it depends so far."""

    def __init__(self, machine: Machine):
        self.machine, self.layout = machine, machine.layout
        self.held: dict[int, Markers] = {}  # by entry of the state
        self.needed: dict[int, None] = {}

    def follow(self, played: Sequence[Played], prop: str) -> list[int]:
        """The markers that a run to a violation of the property depends on."""
        for one in played:
            if self.held or any(question.marker is not None for question, _ in one.asked):
                self._move(one)
        if self.held and prop in WHOLE_RUNS:
            self._need(frozenset().union(*self.held.values()))
        if self.held and played:
            self._end(played[-1].after)
        return list(self.needed)

    # ------------------------------------------------------------ moves

    def _move(self, one: Played) -> None:
        slot, step = one.move.slot, self.machine.step(one.move.slot, one.move.step)
        log: list[Access] = []
        self.machine.function(slot, one.move.step)(list(one.before), Script(one.move.choices), [], log)
        read, written = (self._entries(log, write) for write in (False, True))
        self._need(self._of(slot, step.guard))
        for _ in range(2):  # what a step stores it may load again
            loaded = self._union(read)
            for action in step.actions:
                self._action(slot, action, loaded, written)

    def _action(self, slot: int, action: Action, loaded: Markers, written: list[int]) -> None:
        self._need(self._of(slot, action.when))
        for expr in _decisive(action):
            self._need(self._of(slot, expr))
        if isinstance(action, Assign):
            self._hold(self.layout.registers[slot][action.reg], self._of(slot, action.value))
        elif isinstance(action, Input):
            given = _NONE if action.marker is None or not self.machine.program.markers[action.marker].adds else frozenset((action.marker,))
            self._hold(self.layout.registers[slot][action.reg], given)
        elif isinstance(action, Load):
            self._hold(self.layout.registers[slot][action.reg], loaded)
        elif isinstance(action, Store) and (value := self._of(slot, action.value)):
            for entry in written:
                self._hold(entry, value | self.held.get(entry, _NONE))

    def _entries(self, log: Sequence[Access], write: bool) -> list[int]:
        """The entries of memory that are read, or written."""
        found = []
        for access in log:
            place = self.layout.places[access.object] if access.write == write else None
            if place is not None and place.rom is None:
                found += [place.base + cell.number for cell in place.cells.overlapping(access.offset, access.size)]
        return found

    # ------------------------------------------------------------ the end

    def _end(self, state: State) -> None:
        """What threads could do next, which properties of states look at."""
        for slot in range(len(self.machine.program.threads)):
            for index in self.machine.outgoing(slot, state[self.layout.pc[slot]]):
                self._pending(slot, self.machine.step(slot, index))

    def _pending(self, slot: int, step: Step) -> None:
        self._need(self._of(slot, step.guard))
        loads = any(isinstance(action, Load) for action in step.actions)
        for action in step.actions:
            self._need(self._of(slot, action.when))
            for expr in _decisive(action):
                self._need(self._of(slot, expr))
            if isinstance(action, Require) and loads:
                self._need(frozenset().union(*self.held.values()))

    # ------------------------------------------------------------ what is unknown

    def _of(self, slot: int, expr: Expr) -> Markers:
        registers = self.layout.registers[slot]
        return self._union([registers[name] for name in expr.reads if name in registers]) if self.held else _NONE

    def _union(self, entries: Sequence[int]) -> Markers:
        return frozenset().union(*(self.held.get(entry, _NONE) for entry in entries))

    def _hold(self, entry: int, markers: Markers) -> None:
        if markers:
            self.held[entry] = markers
        else:
            self.held.pop(entry, None)

    def _need(self, markers: Markers) -> None:
        self.needed.update(dict.fromkeys(sorted(markers)))


def _decisive(action: Action) -> list[Expr]:
    """The expressions of an action that decide more than a value."""
    if isinstance(action, (Load, Store, Free, Measure, Enter, Leave)):
        return [action.address]
    if isinstance(action, (Require, Check)):
        return [action.condition]
    if isinstance(action, Alloc):
        return [action.size]
    if isinstance(action, Input) and action.among is not None:
        return [action.among]
    return []


__all__ = ["UnknownValues"]
