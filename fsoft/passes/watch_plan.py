"""What `passes/watch.py` adds to a Program, before it is added: the object of the monitor, the accesses that may race, the cells through
which threads synchronise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeGuard

from fsoft.analysis.actions import members
from fsoft.analysis.points_to import PointsTo
from fsoft.analysis.sharing import Sharing
from fsoft.analysis.strides import Strides
from fsoft.analysis.validity import constants_in
from fsoft.program.expr import Expr, const
from fsoft.program.layout import Cells
from fsoft.program.program import Action, Alloc, CellRun, Load, Object, Program, Step, Store, Template
from fsoft.program.state import in_section
from fsoft.properties.happens_before import Accessing
from fsoft.properties.ordering import UNKNOWN, effects, fence
from fsoft.properties.race_objects import race_ranges

_MOST_CELLS = 64  # through which one access may synchronise
_WOKEN = "__fsoft_woken"  # of the library: who may leave a condition or barrier that may be gone
WatchedCell = tuple[int, int, int]
"""Object, offset, size."""


class Unwatchable(Exception):
    """Why the monitor cannot be built."""


@dataclass(frozen=True, slots=True)
class SlotUse:
    """What a slot does with some object: `plain` or atomic, reading or writing."""

    write: bool
    plain: bool


class Fields:
    """The object of the monitor: fields one after the other."""

    def __init__(self, program: Program):
        self.program = program
        self.number = len(program.objects)
        self.size = 0
        self.runs: list[CellRun] = []

    def field(self, name: str, size: int) -> tuple[Expr, int]:
        """A new field: its address and size."""
        self.size += -self.size % size
        at, self.size = self.size, self.size + size
        self.runs.append(CellRun(at, size, size, 1, f".{name}"))
        return const(self.number << self.program.offset_bits | at, self.program.word), size

    def object(self) -> Object:
        return Object(self.number, "__fsoft_watch", self.size, tuple(self.runs), "system")


class Plan:
    """What the monitor of one program looks like: its object, who may race, and through which cells threads synchronise."""

    def __init__(self, program: Program):
        self.old = program
        if program.unbounded or len(program.threads) > 63:
            raise Unwatchable("any number of threads" if program.unbounded else "more than 63 threads")
        self.points_to = PointsTo(program)
        self._one_barrier()
        self.sharing = Sharing(program, self.points_to)
        self.strides = Strides(program, self.points_to)
        self.ranges = race_ranges(program)
        self.fences = any(fence(step) is not None for template in program.templates() for step in template.steps)
        self.slots: dict[int, list[int]] = {}
        for thread in program.threads:
            self.slots.setdefault(id(thread.template), []).append(thread.index)
        self.uses = self._all_uses()
        self._fields()
        self._cells: dict[int, set[WatchedCell]] = {}
        self.carried = {c: self.layout.field(f"carried.{c[0]}.{c[1]}", self.mask)[0] for c in self._synchronising()}
        if self.layout.number >= 1 << (program.word - program.offset_bits) or self.layout.size >= 1 << program.offset_bits:
            raise Unwatchable("too many objects")

    def _fields(self) -> None:
        self.layout = Fields(self.old)
        word, many = self.old.word // 8, len(self.old.threads)
        self.mask = next(size for size in (1, 2, 4, 8) if 8 * size > many)
        self.gone = const(1 << many, 8 * self.mask)  # the head of a release sequence whose slot runs another thread by now
        self.on = self.layout.field("on", 1)
        self.address, self.extent = self.layout.field("address", word), self.layout.field("size", word)
        self.kind = self.layout.field("kind", 1)
        self.knows = self.layout.field("knows", self.mask)
        self.seen, self.fenced = self.layout.field("seen", self.mask), self.layout.field("fenced", self.mask)

    def _one_barrier(self) -> None:
        """Where barriers are destroyed, one word tells all who wait at some barrier to go on: it orders them as one barrier would."""
        found: set[int] = set()
        for thread in self.old.threads:
            for step in thread.template.steps:
                for tag in step.tags:
                    if tag.kind == "arrive" and tag.operand is not None and self._leaves_a_word(thread.index, step):
                        known = constants_in(tag.operand, thread.own)
                        found |= known if known is not None else {-1, -2}
        if len(found) > 1:
            raise Unwatchable("there may be several barriers, and some are destroyed")

    def _leaves_a_word(self, slot: int, step: Step) -> bool:
        stores = (action for action in step.actions if isinstance(action, Store))
        return any(self.old.objects[n].name == _WOKEN for action in stores for n in members(self.points_to.touched(slot, action)))

    # ------------------------------------------------------------ who may race

    def _all_uses(self) -> dict[int, dict[int, set[SlotUse]]]:
        """By object and slot, how the slot uses the object."""
        found: dict[int, dict[int, set[SlotUse]]] = {}
        for thread in self.old.threads:
            for step in thread.template.steps:
                section = in_section(self.old, thread.index, step)
                for action in step.actions:
                    if accesses(action):
                        for number in members(self.points_to.touched(thread.index, action)):
                            found.setdefault(number, {}).setdefault(thread.index, set()).add(use_of(action, section))
        return found

    def may_race(self, template: Template, step: Step, action: Accessing | Alloc) -> bool:
        """Whether a thread of the template may be one of a race there."""
        if not self.sharing.visible(template, step):
            return False
        mine = use_of(action, in_section(self.old, self.slots[id(template)][0], step))
        for slot in self.slots[id(template)]:
            for number in members(self.points_to.touched(slot, action)):
                if self.ranges is not None and number not in self.ranges:
                    continue
                others = (use for who, uses in self.uses[number].items() if who != slot for use in uses)
                if any((mine.write or use.write) and (mine.plain or use.plain) for use in others):
                    return True
        return False

    # ------------------------------------------------------------ cells through which threads synchronise

    def cells(self, template: Template, action: Load | Store) -> set[WatchedCell]:
        """Where an access may go, over all slots of the template."""
        if id(action) in self._cells:
            return self._cells[id(action)]
        found = self._cells[id(action)] = set()
        for slot in self.slots[id(template)]:
            found.update(self._cells_of(slot, action))
        if len(found) > _MOST_CELLS:
            raise Unwatchable(f"{action.loc}: an access may go to more than {_MOST_CELLS} cells")
        return found

    def _cells_of(self, slot: int, action: Load | Store) -> Iterator[WatchedCell]:
        shift, low = self.old.offset_bits, (1 << self.old.offset_bits) - 1
        known = constants_in(action.address, self.old.threads[slot].own)
        if known is not None:
            for address in known:
                if 0 < address >> shift < len(self.old.objects):
                    yield address >> shift, address & low, action.size
            return
        stride = self.strides.offset(slot, action.address)
        for number in members(self.points_to.touched(slot, action)):
            for cell in Cells(self.old.objects[number]):
                if cell.size == action.size and stride.has(cell.offset):
                    yield number, cell.offset, cell.size

    def _synchronising(self) -> list[WatchedCell]:
        """Cells that some store may leave knowledge in and some load may take it from."""
        given: set[WatchedCell] = set()
        taken: set[WatchedCell] = set()
        for template in self.old.templates():
            for step in template.steps:
                for k, effect in effects(template, step).items():
                    action = step.actions[k]
                    assert isinstance(action, (Load, Store))
                    if action.order == UNKNOWN or fence(step) == UNKNOWN:
                        raise Unwatchable(f"{action.loc}: the memory order is computed")
                    if effect.gives or (self.fences and effect.atomic and isinstance(action, Store)):
                        given |= self.cells(template, action)
                    if effect.takes or effect.seen:
                        taken |= self.cells(template, action)
        every = sorted(given | taken)
        for first, second in pairwise(every):
            if first[0] == second[0] and second[1] < first[1] + first[2]:
                raise Unwatchable(f"{self.old.objects[first[0]].name}: threads synchronise through accesses of several sizes")
        return sorted(given & taken)


def accesses(action: Action) -> TypeGuard[Accessing | Alloc]:
    """Zeroing a new object writes all of it; allocation by itself does not."""
    return isinstance(action, Accessing) or (isinstance(action, Alloc) and action.zero)


def use_of(action: Accessing | Alloc, section: bool) -> SlotUse:
    sync = isinstance(action, (Load, Store)) and action.sync
    return SlotUse(not isinstance(action, Load), not (sync or section))


__all__ = ["Accessing", "WatchedCell", "Plan", "Unwatchable", "SlotUse", "accesses", "use_of"]
