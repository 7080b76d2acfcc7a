"""Which entries of the state vector each access may touch.

Sets of entries are bit masks over the indices of `program.state.Layout`. An object that can die has a status and perhaps an extent:
every access reads those, and what begins or ends its life writes them together with its cells. Where an access may go follows from
points-to, from constants along the control flow of the slot and from strides. Points-to and strides are silent about addresses that no
pointer arithmetic leads to; whoever reduces has to notice an access outside its set (`stubborn.py` compares, the circuit raises
the bound `access`) and to give up the reduction then.
"""

from __future__ import annotations

from typing import NamedTuple

from fsoft.analysis.actions import Touching, members
from fsoft.analysis.constants import Constants
from fsoft.analysis.points_to import PointsTo
from fsoft.analysis.strides import Stride, Strides
from fsoft.analysis.validity import constants_in
from fsoft.program.expr import Expr
from fsoft.program.program import Action, Alloc, Enter, Free, Leave, Load, Measure, Program, Store
from fsoft.program.state import Layout, Place

Masks = tuple[int, int]
"""Entries read, entries written."""

_KINDS: dict[type, str] = {Load: "load", Store: "store", Free: "life", Enter: "life", Leave: "life", Measure: "measure", Alloc: "life"}


class Where(NamedTuple):
    """What an access does (`load`, `store`, `life`, `measure`) to how many bytes."""

    kind: str
    size: int


def where_of(action: Action) -> Where:
    return Where(_KINDS[type(action)], action.size if isinstance(action, (Load, Store)) else 0)


class Ground:
    """The memory of a program as masks, and the actions of each slot with its constants filled in."""

    def __init__(self, program: Program, strides: Strides | None = None):
        self.program = program
        self.layout = Layout(program)
        self.strides = strides or Strides(program, PointsTo(program))
        self.points_to = self.strides.points_to
        slots = range(len(program.threads))
        self.constants = [Constants(self.points_to, slot, self.points_to.private(slot)) for slot in slots]
        self.sizes = self._sizes()
        self.lives = sum(self._life(place) for place in self.layout.places if place is not None)
        self.zeros: dict[int, int] = {}
        self._zero_mask = 0
        self._actions: dict[tuple[int, int], list[Action]] = {}
        self._spots: dict[tuple[Where, int], Masks] = {}
        self._spans: dict[tuple[Where, int, Stride], Masks] = {}

    def actions(self, slot: int, index: int) -> list[Action]:
        """The actions of a step of a slot; empty where the step is never taken."""
        known = self._actions.get((slot, index))
        if known is None:
            step = self.program.threads[slot].template.steps[index]
            constants = self.constants[slot]
            known = self._actions[slot, index] = constants.actions(step) if constants.possible(step) else []
        return known

    def of_step(self, slot: int, index: int) -> Masks:
        """What a step of a slot may read or write, and what it may write."""
        touched = written = 0
        for action in self.actions(slot, index):
            if isinstance(action, Touching):
                reads, writes = self.static(slot, action, getattr(action, "address", None))
                touched, written = touched | reads | writes, written | writes
        return touched, written

    def possible(self, slot: int, index: int) -> bool:
        return self.constants[slot].possible(self.program.threads[slot].template.steps[index])

    def _sizes(self) -> list[int]:
        """Bytes of each entry that is a cell of memory, 0 for the others."""
        sizes = [0] * self.layout.size
        for place in self.layout.places:
            if place is not None and place.rom is None:
                for cell in place.cells:
                    sizes[place.base + cell.number] = cell.size
        return sizes

    def entry(self, address: int, size: int) -> int | None:
        """The entry of a cell of just that size in an object that never dies."""
        place = self.place(address >> self.program.offset_bits)
        number = place.cells.exact(address & self.layout.offset_mask, size) if place is not None else None
        if place is None or number is None or place.status >= 0 or place.rom is not None:
            return None
        return place.base + number

    def sound(self, where: Where, address: int) -> bool:
        """A load or store there is one inside an object that never dies."""
        place = self.place(address >> self.program.offset_bits)
        if place is None or place.status >= 0 or where.kind not in ("load", "store") or (where.kind == "store" and place.rom is not None):
            return False
        return (address & self.layout.offset_mask) + where.size <= place.limit

    # ------------------------------------------------------------ masks

    def place(self, number: int) -> Place | None:
        return self.layout.places[number] if 0 < number < len(self.layout.places) else None

    def at(self, where: Where, address: int) -> Masks:
        """What an access at that address touches."""
        key = (where, address)
        known = self._spots.get(key)
        if known is None:
            place = self.place(address >> self.program.offset_bits)
            offset = address & self.layout.offset_mask
            known = self._spots[key] = (0, 0) if place is None else self._access(where, place, (offset,))
        return known

    def within(self, where: Where, number: int, stride: Stride) -> Masks:
        """What an access somewhere in an object may touch."""
        key = (where, number, stride)
        known = self._spans.get(key)
        if known is None:
            place = self.place(number)
            known = (0, 0)
            if place is not None:
                offsets = range(max(0, place.limit - where.size + 1))
                known = self._access(where, place, tuple(o for o in offsets if stride.has(o)) if where.size else (0,))
            self._spans[key] = known
        return known

    def static(self, slot: int, action: Action, address: Expr | None) -> Masks:
        """What an action of a slot may touch. `address` is the address as far as it is known (None: as the action writes it)."""
        where = where_of(action)
        if address is not None and address.is_const:
            return self.at(where, address.value)
        reads = writes = 0
        some = constants_in(address, {}) if address is not None else None
        if some is not None:
            for one in sorted(some):
                r, w = self.at(where, one)
                reads, writes = reads | r, writes | w
            return reads, writes
        stride = Stride(1, 0)
        if isinstance(action, Touching) and not isinstance(action, Alloc):
            stride = self.strides.offset(slot, action.address)
        for number in members(self.points_to.touched(slot, action)):
            r, w = self.within(where, number, stride)
            reads, writes = reads | r, writes | w
        return reads, writes

    def _access(self, where: Where, place: Place, offsets: tuple[int, ...]) -> Masks:
        life = self._life(place)
        if where.kind == "measure":
            return life, 0
        if where.kind == "life":
            return life, life | self._all(place)
        cells = 0
        if place.rom is None:
            for offset in offsets:
                if offset + where.size <= place.limit:
                    for cell in place.cells.overlapping(offset, where.size):
                        cells |= 1 << (place.base + cell.number)
        return (cells | life, 0) if where.kind == "load" else (life, cells | self._zeros(cells))

    def watch_zeros(self, entries: int) -> None:
        """From now on a bit of its own (`zeros`) stands for whether each of these entries is 0: stores change it, loads do not read it."""
        self.zeros = {index: self.layout.size + k for k, index in enumerate(members(entries))}
        self._zero_mask = entries
        self._spots.clear()
        self._spans.clear()

    def _zeros(self, cells: int) -> int:
        return sum(1 << self.zeros[index] for index in members(cells & self._zero_mask)) if self.zeros else 0

    @staticmethod
    def _life(place: Place) -> int:
        return sum(1 << index for index in (place.status, place.extent) if index >= 0)

    def _all(self, place: Place) -> int:
        if place.rom is not None:
            return 0
        return ((1 << place.cells.count) - 1) << place.base


__all__ = ["Ground", "Masks", "Where", "where_of"]
