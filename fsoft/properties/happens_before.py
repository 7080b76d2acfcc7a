"""What happens before what in a run: the definition by which a race of the model c11 is judged.

The run is executed by the interpreter, and what each thread knows is kept in vector clocks: an access is the pair (thread, count), and a
thread knows it if its clock has reached that count. `ordering.py` says how knowledge travels. Release sequences are those of C11: a store
of the thread that heads a sequence belongs to it, as does every read-modify-write. A slot that is started again is another thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from fsoft.program.expr import Expr, evaluate, reg
from fsoft.program.interpreter import Machine, Script
from fsoft.program.program import Action, Alloc, Enter, Free, Leave, Load, Step, Store
from fsoft.program.state import Access, Vector, in_section
from fsoft.program.verdict import Move
from fsoft.properties.ordering import OrderEffect, acquires, effects, fence, releases

Accessing = Load | Store | Free | Leave
Clock = dict[int, int]
"""By thread: how many of its accesses are known."""
Byte = tuple[int, int]
"""Object and offset."""


class Past(NamedTuple):
    """An access that was made: by which slot, as which thread, as the how many-th of that thread, with which move of the run."""

    slot: int
    thread: int
    ordinal: int
    access: Access
    move: int


def _join(into: Clock, other: Mapping[int, int]) -> None:
    for thread, count in other.items():
        if into.get(thread, 0) < count:
            into[thread] = count


class _Thread:
    """`number` tells threads apart that run in one slot. `fenced` is what was known at the last release fence, `seen` what loads saw."""

    def __init__(self, number: int):
        self.number = number
        self.knows: Clock = {}
        self.fenced: Clock = {}
        self.seen: Clock = {}


class HappensBefore:
    """Follows a run move by move."""

    def __init__(self, machine: Machine):
        self.machine = machine
        self.threads = [_Thread(slot) for slot in range(len(machine.program.threads))]
        self._count = len(self.threads)
        self._move = 0
        self._carried: dict[Byte, dict[int, Clock]] = {}  # by byte and head of a release sequence
        self._past: dict[int, list[Past]] = {}  # by object

    def follow(self, moves: Sequence[Move]) -> None:
        """Run these moves from the start."""
        state, interpreter = self.machine.initial(), self.machine.interpreter
        for self._move, move in enumerate(moves):
            step = self.machine.step(move.slot, move.step)
            interpreter.watch = _Step(self, move.slot, step)
            try:
                state, _ = self.machine.execute(state, move.slot, move.step, Script(move.choices))
            finally:
                interpreter.watch = None

    def unordered(
        self, pending: Mapping[int, Iterable[Access]], conflict: Callable[[Access, Access], bool]
    ) -> tuple[Past, int, Access] | None:
        """A past access and one that a slot is about to make, which conflict, and the first does not happen before the second."""
        for slot, accesses in sorted(pending.items()):
            knows = self.threads[slot].knows
            for access in accesses:
                for past in self._past.get(access.object, ()):
                    if past.slot != slot and knows.get(past.thread, 0) < past.ordinal and conflict(past.access, access):
                        return past, slot, access
        return None

    # ------------------------------------------------------------ what actions do

    def start(self, slot: int) -> None:
        self.threads[slot] = _Thread(self._count)
        self._count += 1

    def fence(self, slot: int, order: str) -> None:
        thread = self.threads[slot]
        if acquires(order):
            _join(thread.knows, thread.seen)
        if releases(order):
            thread.fenced = dict(thread.knows)

    def made(self, slot: int, access: Access) -> None:
        """An access joins the past."""
        thread = self.threads[slot]
        count = thread.knows.get(thread.number, 0) + 1
        thread.knows[thread.number] = count
        self._past.setdefault(access.object, []).append(Past(slot, thread.number, count, access, self._move))

    def born(self, number: int) -> None:
        """An object comes to life: what was done to its predecessors at that place does not concern it."""
        self._past.pop(number, None)
        for byte in [byte for byte in self._carried if byte[0] == number]:
            del self._carried[byte]

    def loaded(self, slot: int, bytes_: Iterable[Byte], effect: OrderEffect, claimed: Clock) -> None:
        thread = self.threads[slot]
        for byte in bytes_:
            for clock in self._carried.get(byte, {}).values():
                if effect.takes:
                    _join(thread.knows, clock)
                if effect.seen:
                    _join(claimed, clock)
                if effect.atomic:
                    _join(thread.seen, clock)

    def stored(self, slot: int, bytes_: Iterable[Byte], effect: OrderEffect, claimed: Clock) -> None:
        thread = self.threads[slot]
        if effect.claims:
            _join(thread.knows, claimed)
        given = thread.knows if effect.gives else thread.fenced if effect.atomic else {}
        for byte in bytes_:
            heads = self._carried.get(byte, {})
            if not effect.continues:
                heads = {head: clock for head, clock in heads.items() if head == thread.number}
            mine = dict(heads.get(thread.number, {}))
            _join(mine, given)
            self._carried[byte] = {**heads, thread.number: mine}


class _Step:
    """Called with each action of one step, and collects its accesses. An access counts before what it orders, so that a giving store gives
    itself, too."""

    def __init__(self, history: HappensBefore, slot: int, step: Step):
        self.history, self.slot, self.step = history, slot, step
        self.program = history.machine.program
        self.section = in_section(self.program, slot, step)
        self.effects = effects(self.program.threads[slot].template, step)
        self.claimed: Clock = {}
        self.place = {id(action): k for k, action in enumerate(step.actions)}
        if any(tag.kind == "start" for tag in step.tags):
            history.start(slot)
        order = fence(step)
        if order is not None:
            history.fence(slot, order)

    def __call__(self, action: Action, leaf: Callable[[Expr], int], v: Vector) -> None:
        if isinstance(action, (Load, Store)):
            self._access(action, evaluate(action.address, leaf))
        elif isinstance(action, (Free, Leave)):
            number = evaluate(action.address, leaf) >> self.program.offset_bits
            if 0 < number < len(self.program.objects):
                self._made(number, 0, self.program.objects[number].size, True, False, action)
        elif isinstance(action, Enter):
            self.history.born(evaluate(action.address, leaf) >> self.program.offset_bits)
        elif isinstance(action, Alloc):
            number = evaluate(reg(action.reg, self.program.word), leaf) >> self.program.offset_bits
            self.history.born(number)
            if action.zero:
                self._made(number, 0, self.program.objects[number].size, True, self.section, action)

    def _access(self, action: Load | Store, address: int) -> None:
        number, offset = address >> self.program.offset_bits, address & self.history.machine.layout.offset_mask
        write = isinstance(action, Store)
        self._made(number, offset, action.size, write, action.sync or self.section, action)
        effect = self.effects.get(self.place[id(action)])
        if effect is not None:
            order = self.history.stored if write else self.history.loaded
            order(self.slot, [(number, offset + k) for k in range(action.size)], effect, self.claimed)

    def _made(self, number: int, offset: int, size: int, write: bool, sync: bool, action: Accessing | Alloc) -> None:
        loc = action.loc if action.loc.line > 0 else self.step.loc
        self.history.made(self.slot, Access(number, offset, size, write, sync, loc, death_of(action)))


def death_of(action: Action) -> str:
    """What `Access.death` says of an action."""
    return "free" if isinstance(action, Free) else "leave" if isinstance(action, Leave) else ""


__all__ = ["HappensBefore", "Past"]
