"""Which steps other threads can see: decided by escape (points-to) and by the order of creation and joining, never by locks.

An access is visible if another slot that may run at the same time may touch the same object and one of the two writes. Free,
Alloc, Enter and Leave write. A slot may run while main is at a location if, on some way there, a step of main (or of
a slot that may run) activated it and no step of main has waited for its end since. So what main does before it creates
threads and after it has joined them is invisible, and so is reading what is no longer written once threads exist. Where leaks are asked
for, a step that ends the process looks at all heap objects, and at all that may lead to them.

Activation is recognised by what it is: a store of RUNNING (or of something unknown) into the state field of a descriptor.
Waiting for the end is a load of that field followed by a Require that RUNNING does not pass.
"""

from __future__ import annotations

from collections.abc import Iterable

from fsoft.analysis.actions import READING, Touching, always, defined, ends_process, members, rewritten
from fsoft.analysis.constants import Constants
from fsoft.analysis.points_to import PointsTo
from fsoft.analysis.validity import constant_in, constants_in
from fsoft.program import descriptor
from fsoft.program.expr import FALSE, Expr, const, registers, substitute
from fsoft.program.program import Action, Halt, Load, Program, Require, Step, Store, Template


class Sharing:
    """`visible(template, step)` answers for steps of this program; `running[l]` is the mask of slots that may run while main is at l."""

    def __init__(self, program: Program, points_to: PointsTo | None = None):
        self.program = program
        self.points_to = points_to or PointsTo(program)
        self._array = next((o.id for o in program.objects if o.name == descriptor.ARRAY), 0)
        self._slots = len(program.threads)
        self._others = (1 << self._slots) - 2
        self._at_end = self._leading_to_heap() if "valid-memtrack" in program.checks else 0
        self._touch: list[list[tuple[int, int]]] = [self._accesses(slot) for slot in range(self._slots)]
        self._reads = [_union(r for r, _ in rows) for rows in self._touch]
        self._writes = [_union(w for _, w in rows) for rows in self._touch]
        self._starts = [self._activated_by(slot) for slot in range(self._slots)]
        self._groups: set[int] = set()  # sets of slots that may run together, wherever main is (or when it has stopped)
        self.running = self._run_main()
        self._together = self._pairs()
        self._risk: dict[tuple[int, int], tuple[int, int]] = {}
        self._visible = self._classify()

    def visible(self, template: Template, step: Step) -> bool:
        """Another thread may see, or change, what this step touches. Unknown steps count as visible if they touch memory."""
        known = self._visible.get(id(step))
        return known if known is not None else any(isinstance(a, Touching) for a in step.actions)

    def meet(self, slot: int, location: int, other: int, there: int) -> bool:
        """Two slots may be at these locations at the same time, both running."""
        if slot and other:
            return bool(self._together[slot] >> other & 1)
        return bool(self.running[there] >> slot & 1 if slot else self.running[location] >> other & 1)

    def shared(self) -> frozenset[int]:
        """Objects that two slots may access at the same time, one of them writing."""
        mask = 0
        for slot, rows in enumerate(self._touch):
            for step, (reads, writes) in zip(self.program.threads[slot].template.steps, rows):
                risky_read, risky_write = self._risks(slot, step.source)
                mask |= (reads & risky_read) | (writes & risky_write)
        return frozenset(members(mask))

    # ------------------------------------------------------------ accesses

    def _accesses(self, slot: int) -> list[tuple[int, int]]:
        """For each step of the slot's template the masks of objects that it reads and writes."""
        rows = []
        touched = self.points_to.touched
        for step in self.program.threads[slot].template.steps:
            reads, writes = self._at_end if ends_process(step) else 0, 0
            for action in step.actions:
                if isinstance(action, READING):
                    reads |= touched(slot, action)
                elif isinstance(action, Touching):
                    writes |= touched(slot, action)
            rows.append((reads, writes))
        return rows

    def _leading_to_heap(self) -> int:
        """Heap objects, and objects with static storage that may hold pointers to them."""
        objects = [o for o in self.program.objects if o.id]
        heap = _union(1 << o.id for o in objects if o.storage == "heap")
        roots = (o.id for o in objects if o.storage in ("global", "static", "thread"))
        return heap | _union(1 << number for number in roots if self.points_to.contents(number) & heap)

    def _classify(self) -> dict[int, bool]:
        table: dict[int, bool] = {}
        for slot, rows in enumerate(self._touch):
            for step, (reads, writes) in zip(self.program.threads[slot].template.steps, rows):
                if (reads or writes) and not table.get(id(step)):
                    risky_read, risky_write = self._risks(slot, step.source)
                    table[id(step)] = bool(reads & risky_read or writes & risky_write)
                elif id(step) not in table:
                    table[id(step)] = False
        return table

    def _risks(self, slot: int, location: int) -> tuple[int, int]:
        """(objects dangerous to read, objects dangerous to write) for a slot at a location: what the others may write, or touch."""
        key = (slot, self.running[location] if slot == 0 else -1)
        known = self._risk.get(key)
        if known is None:
            written = touched = 0
            for other in members(key[1] if slot == 0 else self._together[slot]):
                written |= self._writes[other]
                touched |= self._reads[other] | self._writes[other]
            if slot:
                written, touched = written | self._main_writes(slot), touched | self._main_touches(slot)
            known = self._risk[key] = (written, touched | written)
        return known

    def _main_writes(self, slot: int) -> int:
        """What main writes while the slot may run."""
        steps = self.program.threads[0].template.steps
        return _union(w for step, (_, w) in zip(steps, self._touch[0]) if self.running[step.source] >> slot & 1)

    def _main_touches(self, slot: int) -> int:
        steps = self.program.threads[0].template.steps
        return _union(r | w for step, (r, w) in zip(steps, self._touch[0]) if self.running[step.source] >> slot & 1)

    # ------------------------------------------------------------ who runs when

    def _activated_by(self, slot: int) -> int:
        mask = 0
        for step, (_, writes) in zip(self.program.threads[slot].template.steps, self._touch[slot]):
            mask |= self._activates(slot, step, writes)
        return mask

    def _activates(self, slot: int, step: Step, writes: int) -> int:
        if not writes >> self._array & 1 or not self._array:
            return 0
        mask = 0
        for action in step.actions:
            if isinstance(action, Store) and self.points_to.touched(slot, action) >> self._array & 1:
                values = constants_in(action.value, self.program.threads[slot].own)
                if values is None or descriptor.RUNNING in values:
                    mask |= self._state_of(slot, action.address)
        return mask

    def _state_of(self, slot: int, address: Expr) -> int:
        """Mask of the slots whose state field an address may be: all of them unless it is one of a few constants."""
        known = constants_in(address, self.program.threads[slot].own)
        if known is None:
            return self._others
        found = (state_slot(self.program, self._array, one) for one in known)
        return _union(1 << one for one in found if one is not None)

    def _closure(self, mask: int) -> int:
        """With every slot that slots of the mask may activate, transitively."""
        todo = mask
        while todo:
            slot = (todo & -todo).bit_length() - 1
            todo &= todo - 1
            new = self._starts[slot] & ~mask
            mask |= new
            todo |= new
        return mask & self._others

    def _run_main(self) -> list[int]:
        template = self.program.threads[0].template
        running = [self._closure(self.running_at_start())] * len(template.locations)
        if any(t.template is template for t in self.program.threads[1:]):
            return [self._others] * len(running)
        if not self._starts[0]:
            return running
        running[1:] = [0] * (len(running) - 1)
        once = not any(mask & 1 for mask in self._starts)  # main is never started again: back at location 0 it is done
        out = template.outgoing()
        starts = {id(s): self._activates(0, s, w) for s, (_, w) in zip(template.steps, self._touch[0])}
        waits = _Waits(self.points_to, self._array, self._private(0))
        work, seen = [0], {0}
        while work:
            node = work.pop()
            for step in out[node]:
                if not waits.possible(step):
                    continue
                after = self._closure((running[node] & ~waits.for_(step)) | starts[id(step)])  # one step may wait, then start
                if step.target == 0 and once:
                    self._groups.add(after)
                elif after & ~running[step.target] or step.target not in seen:
                    running[step.target] |= after
                    seen.add(step.target)
                    work.append(step.target)
        self._groups.update(self._closure(running[step.source] | starts[id(step)]) for step in template.steps)
        return running

    def running_at_start(self) -> int:
        """Slots besides main whose descriptor says RUNNING from the start."""
        initial = self.program.objects[self._array].initial if self._array else {}
        states = {slot: initial.get(descriptor.offset(slot, "state", self.program.word // 8)) for slot in range(1, self._slots)}
        return _union(1 << slot for slot, state in states.items() if state == descriptor.RUNNING)

    def _private(self, slot: int) -> int:
        """Objects that no other slot ever touches."""
        others = _union(self._reads[s] | self._writes[s] for s in range(self._slots) if s != slot)
        return self.points_to.everything & ~others

    def _pairs(self) -> list[int]:
        """For each slot the other slots (main apart) that may run while it does."""
        together = [0] * self._slots
        for mask in {*self.running, *self._groups}:
            for slot in members(mask):
                together[slot] |= mask & ~(1 << slot)
        return together


class _Waits:
    """Which slots have certainly ended after a step of main."""

    def __init__(self, points_to: PointsTo, array: int, private: int):
        self.program, self.array = points_to.program, array
        steps = self.program.threads[0].template.steps
        waiting = any(self._may_wait(step) for step in steps)
        self._constants = Constants(points_to, 0, private) if waiting else None

    @staticmethod
    def _may_wait(step: Step) -> bool:
        """Something is loaded and required, and the step is not the one at which main itself starts."""
        kinds = [type(a) for a in step.actions]
        return step.source != 0 and Load in kinds and Require in kinds

    def possible(self, step: Step) -> bool:
        return self._constants is None or self._constants.possible(step)

    def for_(self, step: Step) -> int:
        if self._constants is None or not self._may_wait(step):
            return 0
        actions = self._constants.actions(step)
        slots = {slot for slot in (self._state_read(a) for a in actions) if slot}
        return _union(1 << slot for slot in slots if self._stops_if_running(actions, slot))

    def _state_read(self, action: Action) -> int | None:
        """The slot whose state an action loads."""
        if not isinstance(action, Load):
            return None
        address = constant_in(action.address, self.program.threads[0].own)
        return state_slot(self.program, self.array, address) if address is not None else None

    def _stops_if_running(self, actions: list[Action], slot: int) -> bool:
        """Suppose the slot is running: then a Require fails, or a stop is certain given what was required before it."""
        told: dict[str, Expr] = {}
        facts: set[Expr] = set()
        for action in actions:
            action = rewritten(action, lambda e: substitute(e, lambda n: told.get(str(n.data)) if n.op == "reg" else None))
            if isinstance(action, Require) and always(action):
                if action.condition is FALSE:
                    return True
                facts.add(action.condition)
            elif isinstance(action, Halt) and (always(action) or action.when in facts):
                return True
            elif isinstance(action, Store) and self._may_be_state(action, slot):
                return False
            name = defined(action)
            if name is not None:
                told.pop(name, None)
                facts = {f for f in facts if name not in registers(f)}
                if self._state_read(action) == slot and isinstance(action, Load) and always(action):
                    told[name] = const(descriptor.RUNNING, 8 * action.size)
        return False

    def _may_be_state(self, action: Store, slot: int) -> bool:
        address = constant_in(action.address, self.program.threads[0].own)
        return address is None or state_slot(self.program, self.array, address) == slot


def state_slot(program: Program, array: int, address: int) -> int | None:
    """The slot whose descriptor has its state field at that address."""
    if not array or address >> program.offset_bits != array:
        return None
    word = program.word // 8
    slot, rest = divmod(address & ((1 << program.offset_bits) - 1), len(descriptor.FIELDS) * word)
    return slot if rest < word and slot < len(program.threads) else None


def _union(masks: Iterable[int]) -> int:
    total = 0
    for mask in masks:
        total |= mask
    return total
