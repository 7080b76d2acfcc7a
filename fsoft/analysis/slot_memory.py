"""Memory as one thread knows it: for each cell the values that it may have now.

A cell is named by its address; what was never changed has its initial values. That an object is alive is a cell, too, named by
minus the object's number. An access that may be invalid, or to an unknown address, is beyond this analysis: NoClaim.
"""

from __future__ import annotations

from fsoft.analysis.value_sets import ValueSet, union
from fsoft.program.layout import Cells
from fsoft.program.program import Object, Program
from fsoft.program.state import ALIVE, NEVER, can_die

MemoryView = dict[int, ValueSet]


class NoClaim(Exception):
    """The analysis cannot say anything about this program; the message says why."""


class SlotMemory:
    """The cells of a program. All methods take the view to read or change."""

    def __init__(self, program: Program):
        self.program = program
        self.mask = (1 << program.offset_bits) - 1
        self.strict = "valid-deref" in program.checks
        self._cells = [Cells(obj) for obj in program.objects]
        self._initial: dict[int, ValueSet] = {}
        for obj in program.objects[1:]:
            self._start(obj)

    def _start(self, obj: Object) -> None:
        undefined = obj.undefined or not obj.alive
        for cell in self._cells[obj.id]:
            known = obj.initial.get(cell.offset)
            if known is None and undefined:
                self._initial[self.program.address(obj, cell.offset)] = None
            elif known:
                self._initial[self.program.address(obj, cell.offset)] = frozenset((known & ((1 << (8 * cell.size)) - 1),))
        if can_die(obj):
            self._initial[-obj.id] = frozenset((ALIVE if obj.alive else NEVER,))

    def read(self, view: MemoryView, key: int) -> ValueSet:
        if key in view:
            return view[key]
        return self._initial.get(key, _ZERO)

    # ------------------------------------------------------------ accesses

    def object_at(self, address: int) -> Object:
        number = address >> self.program.offset_bits
        if not 0 < number < len(self.program.objects):
            raise NoClaim("an access may be invalid")
        return self.program.objects[number]

    def keys(self, view: MemoryView, address: int, size: int, write: bool) -> tuple[list[int], bool]:
        """The cells that an access touches, and whether it is all of one cell. NoClaim if the access may be invalid."""
        obj, offset = self.object_at(address), address & self.mask
        if obj.storage == "function" or offset + size > obj.size or (write and obj.readonly):
            raise NoClaim(f"an access to {obj.name} may be invalid")
        if can_die(obj) and self.read(view, -obj.id) != frozenset((ALIVE,)):
            raise NoClaim(f"an access to {obj.name} may be outside its lifetime")
        if obj.pool is not None and not self.program.pools[obj.pool].exact:
            raise NoClaim(f"the size of {obj.name} is not known")
        if self._cells[obj.id].exact(offset, size) is not None:
            return [address], True
        if self.strict or obj.dropped:
            raise NoClaim(f"an access to {obj.name} does not fit its cells")
        return [self.program.address(obj, c.offset) for c in self._cells[obj.id].overlapping(offset, size)], False

    def load(self, view: MemoryView, addresses: frozenset[int], size: int) -> tuple[ValueSet, list[int], int | None]:
        """The values that may be read, the cells they come from, and the one cell whose whole value it is, if that is certain."""
        found: ValueSet = frozenset()
        where: list[int] = []
        whole = False
        for address in sorted(addresses):
            keys, whole = self.keys(view, address, size, False)
            found = union(found, self.read(view, keys[0])) if whole else None
            where += keys
        return found, where, where[0] if whole and len(addresses) == 1 else None

    def cells_of(self, obj: Object) -> list[int]:
        return [self.program.address(obj, cell.offset) for cell in self._cells[obj.id]]


_ZERO: ValueSet = frozenset((0,))
