"""On which unknown values a run depends: those without which its moves, or the violation at its end, might not be.

Values of inputs that stand for what nobody knows are followed through registers and memory. A run depends on them once a guard, a
condition, an address or a size is computed from one. What is followed is too much rather than too little: where parts of a step
are not taken, all that it touches counts for each part.
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
        self._need(self._of(slot, step.guard))
        touching = [k for k, action in enumerate(step.actions) if isinstance(action, (Load, Store))]
        if len(touching) == len(log):  # every one was executed, and nothing else touched memory
            touched = {k: self._entries([access]) for k, access in zip(touching, log, strict=True)}
            for k, action in enumerate(step.actions):
                self._action(slot, action, touched.get(k, []))
            return
        everything = self._entries(log)
        for _ in range(2):  # what a step stores it may load again
            for action in step.actions:
                self._action(slot, action, everything)

    def _action(self, slot: int, action: Action, touched: list[int]) -> None:
        """One action, which touches some of these entries of memory."""
        self._need(self._of(slot, action.when))
        for expr in _decisive(action):
            self._need(self._of(slot, expr))
        if isinstance(action, Assign):
            self._hold(self.layout.registers[slot][action.reg], self._of(slot, action.value))
        elif isinstance(action, Input):
            given = _NONE if action.marker is None or not self.machine.program.markers[action.marker].adds else frozenset((action.marker,))
            self._hold(self.layout.registers[slot][action.reg], given)
        elif isinstance(action, Load):
            self._hold(self.layout.registers[slot][action.reg], self._union(touched))
        elif isinstance(action, Store) and (value := self._of(slot, action.value)):
            for entry in touched:
                self._hold(entry, value | self.held.get(entry, _NONE))

    def _entries(self, log: Sequence[Access]) -> list[int]:
        """The entries of memory that are accessed."""
        found = []
        for access in log:
            place = self.layout.places[access.object]
            if place is not None and place.rom is None:
                found += [place.base + cell.number for cell in place.cells.overlapping(access.offset, access.size)]
        return found

    # ------------------------------------------------------------ the end

    def _end(self, state: State) -> None:
        """What threads could do next, which properties of states look at."""
        for slot in range(len(self.machine.program.threads)):
            for index in self.machine.outgoing(slot, state[self.layout.pc[slot]]):
                _, accesses = self.machine.pending(state, slot, index)
                self._pending(slot, self.machine.step(slot, index), self._entries(accesses))

    def _pending(self, slot: int, step: Step, touched: list[int]) -> None:
        self._need(self._of(slot, step.guard))
        for action in step.actions:
            self._need(self._of(slot, action.when))
            for expr in _decisive(action):
                self._need(self._of(slot, expr))
            if isinstance(action, Require):
                self._need(self._union(touched))

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
