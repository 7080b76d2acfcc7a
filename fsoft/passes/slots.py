"""Who starts which slot, how often, and with what: so that unwinding knows which slot a creation takes.

A slot that only one thread can start is free until that thread starts it, and then not free again before it has been joined (or, if it can
be detached, has finished). As long as nobody else can free it, the starter knows both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fsoft.analysis.actions import rewritten
from fsoft.analysis.constants import KnownValues
from fsoft.analysis.points_to import PointsTo
from fsoft.analysis.validity import constants_in
from fsoft.program import descriptor
from fsoft.program.expr import FALSE, TRUE, Expr, const, make, walk
from fsoft.program.program import Action, Load, Program, Step, Store, Template, Thread

TAKEN = const(1, 1)
"""What is known about the state of a slot that is not free; no load of it has this width."""


@dataclass(frozen=True, slots=True)
class _Where:
    """Where an access to the array of descriptors may be: at `places`; else at offsets that are one of `rests` modulo the size of a
    descriptor; with neither, anywhere."""

    places: frozenset[int] | None
    rests: frozenset[int] | None = None


@dataclass(frozen=True, slots=True)
class _Doings:
    """What an unwound thread does to descriptors: what it stores and where, and by number of the step the states that it may set to
    RUNNING (None: any)."""

    thread: Thread
    stores: list[tuple[_Where, Expr]]
    starting: dict[int, frozenset[int] | None]


class Slots:
    """Facts about the descriptors of a program."""

    def __init__(self, points_to: PointsTo):
        self.points_to = points_to
        self.program: Program = points_to.program
        self._array = next((o.id for o in self.program.objects if o.name == descriptor.ARRAY), 0)
        self._count = len(self.program.threads)
        self._size, self._mask = len(descriptor.FIELDS) * self.program.word // 8, (1 << self.program.offset_bits) - 1
        self._stores = [
            (thread.index, self._where(store.address, thread.own), constants_in(store.value, thread.own))
            for thread in self.program.threads
            for store in self._touching(thread)
        ]
        self._doings: dict[int, _Doings] = {}
        self._states = {self.address(slot, "state"): slot for slot in range(self._count)}
        self._trusted = {slot: self._starter(slot) for slot in range(self._count)} if self._array else {}

    def address(self, slot: int, field: str) -> int:
        return (self._array << self.program.offset_bits) + descriptor.offset(slot, field, self.program.word // 8)

    def runs_at_start(self, slot: int) -> bool:
        if not self._array:
            return True
        at = descriptor.offset(slot, "state", self.program.word // 8)
        return self.program.objects[self._array].initial.get(at) == descriptor.RUNNING

    def _may(self, slot: int, field: str, value: Callable[[int], bool]) -> set[int]:
        """The threads that may store such a value into that field."""
        found, at = set(), self.address(slot, field)
        for index, where, values in self._stores:
            if self._may_be(where, at) and (values is None or any(map(value, values))):
                found.add(index)
        return found

    def _touching(self, thread: Thread) -> list[Store]:
        """The stores that may be to the array of descriptors."""
        actions = [action for step in thread.template.steps for action in step.actions if isinstance(action, Store)]
        return [store for store in actions if self.points_to.touched(thread.index, store) >> self._array & 1]

    def _where(self, address: Expr, own: dict[str, int]) -> _Where:
        """An address that moves by whole descriptors keeps its field."""
        places = constants_in(address, own)
        if places is not None:
            return _Where(frozenset(places))
        distance = 0
        while address.op == "padd":
            step = constants_in(address.args[1], own)
            if step is not None and len(step) == 1:
                distance += step.pop()
            elif not (address.args[1].op == "mul" and any(a.op == "const" and a.value % self._size == 0 for a in address.args[1].args)):
                return _Where(None)
            address = address.args[0]
        base = constants_in(address, own)
        return _Where(None, None if base is None else frozenset(((one + distance) & self._mask) % self._size for one in base))

    def _may_be(self, where: _Where, at: int) -> bool:
        if where.places is not None:
            return at in where.places
        return where.rests is None or (at & self._mask) % self._size in where.rests

    def _starter(self, slot: int) -> int | None:
        """The thread that alone can start the slot and find it free afterwards."""
        starters = self._may(slot, "state", lambda v: v == descriptor.RUNNING)
        if len(starters) != 1 or self.runs_at_start(slot) or slot in starters:
            return None
        freeing = self._may(slot, "state", lambda v: v == descriptor.UNUSED) - starters
        if not self._may(slot, "detached", lambda v: v != 0):
            freeing.discard(slot)
        return None if freeing else starters.pop()

    # ------------------------------------------------------------ what a thread knows

    def at_start(self, slot: int, creators: Iterable[Thread]) -> KnownValues:
        """What a slot knows when it starts: which slots are free, and its argument. `creators` are unwound."""
        word = self.program.word
        known: KnownValues = {self.address(s, "state"): const(descriptor.UNUSED, word) for s, who in self._trusted.items() if who == slot}
        argument = self._argument(slot, creators)
        if argument is not None:
            known[self.address(slot, "arg")] = argument
        return known

    def _argument(self, slot: int, creators: Iterable[Thread]) -> Expr | None:
        """The constant that everybody who starts the slot passes to it."""
        at = self.address(slot, "arg")
        values = {value for thread in creators for where, value in self._of(thread).stores if self._may_be(where, at)}
        value = values.pop() if len(values) == 1 else None
        return value if value is not None and value.op == "const" else None

    def watch(self, slot: int, action: Action, known: KnownValues, taken: set[str]) -> None:
        """After an action (filled in): update what is known about states, and which registers hold the state of a taken slot."""
        if isinstance(action, Load) and action.address.op == "const" and known.get(action.address.value) is TAKEN:
            taken.add(action.reg)
        elif isinstance(action, Store) and action.when is not FALSE and action.address.is_const and action.address.value in self._states:
            known.pop(action.address.value, None)
            who = self._trusted.get(self._states[action.address.value])
            if who == slot and action.when is TRUE and action.value.op == "const" and action.value.value == descriptor.RUNNING:
                known[action.address.value] = TAKEN

    def _of(self, thread: Thread) -> _Doings:
        """What an unwound thread does, looked at once."""
        found = self._doings.get(id(thread))
        if found is None:
            stores = [(self._where(store.address, thread.own), store.value) for store in self._touching(thread)]
            places = [(index, place) for index, step in enumerate(thread.template.steps) for place in _starting(step)]
            starting: dict[int, frozenset[int] | None] = {}
            for index, place in places:
                before = starting.get(index, frozenset())
                starting[index] = None if place is None or before is None else before | place
            found = self._doings[id(thread)] = _Doings(thread, stores, starting)
        return found

    # ------------------------------------------------------------ how often

    def starts(self, slot: int, creators: Iterable[Thread]) -> int:
        """How often the slot may be started, at most; `creators` are unwound."""
        at, counted = self.address(slot, "state"), 0
        for thread in creators if self._array else ():
            places = self._of(thread).starting
            counting = {index for index, found in places.items() if found is None or at in found}
            counted += _longest(thread.template, counting) if counting else 0
        return counted + self.runs_at_start(slot)


def without_zero(action: Action, taken: set[str]) -> Action:
    """The action where these registers are known not to be zero."""

    def told(node: Expr, args: list[Expr]) -> Expr:
        if node.op == "eq" and args[0].op == "reg" and args[0].data in taken and args[1] is const(0, args[1].width):
            return FALSE
        return make(node.op, node.width, tuple(args), node.data) if args else node

    return rewritten(action, lambda e: walk(e, {}, told) if e.reads & taken else e) if taken else action


def _starting(step: Step) -> list[frozenset[int] | None]:
    """For each store of the step that may be of RUNNING into the state of a slot: where, None for anywhere."""
    found: list[frozenset[int] | None] = []
    for action in step.actions:
        if isinstance(action, Store):
            values, places = constants_in(action.value, {}), constants_in(action.address, {})
            if (values is None or descriptor.RUNNING in values) and (places is not None or any(t.kind == "create" for t in step.tags)):
                found.append(None if places is None else frozenset(places))
    return found


def _longest(template: Template, counting: set[int]) -> int:
    """The largest number of these steps on any way; locations are in topological order."""
    most = [0] * len(template.locations)
    for index, step in sorted(enumerate(template.steps), key=lambda one: one[1].source):
        most[step.target] = max(most[step.target], most[step.source] + (index in counting))
    return max(most)
