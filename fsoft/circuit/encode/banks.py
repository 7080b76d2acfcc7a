"""Which cells of memory a circuit keeps together as arrays (`--arrays keep`); all others are words of their own.

A bank is a run of equal cells that the program accesses at places that are not constant, so that an access is one select or store
instead of a multiplexer over the cells. A run is left alone where an access of another size may hit it, where its cells are too few or do
not lie at multiples of a power of two, or where only some of them have a value at the start.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from fsoft.analysis.points_to import PointsTo, members
from fsoft.analysis.strides import Stride, Strides
from fsoft.program.expr import Expr, binary, conj, const, eq, make, resize
from fsoft.program.program import CellRun, Load, Program, Store
from fsoft.program.state import Layout, Place

LEAST = 16
"""Cells that make a bank worth while (any number above 1 is sound)."""

FEW = 1
"""An access that considers so few cells of a bank takes them one by one."""


@dataclass(frozen=True, slots=True, eq=False)
class Bank:
    """The cells `first`, `first + 1`, ... of an object as an array; cell k is its element k."""

    place: Place
    run: CellRun
    first: int

    @property
    def index(self) -> int:
        """Bits of its index."""
        return (self.run.count - 1).bit_length()

    @property
    def element(self) -> int:
        return 8 * self.run.size

    @property
    def width(self) -> int:
        """Bits of the whole array: there may be more elements than cells."""
        return self.element << self.index

    @property
    def name(self) -> str:
        """What it is called in C."""
        return self.place.object.name + self.run.name.replace("[]", "", 1)

    def entries(self) -> range:
        """The entries of its cells in the state vector; none if it never changes."""
        start = self.place.base + self.first
        return range(start, start if self.place.rom is not None else start + self.run.count)

    def offsets(self) -> range:
        """The byte offsets of its cells."""
        return range(self.run.start, self.run.start + self.run.count * self.run.stride, self.run.stride)

    def rom(self) -> Expr | None:
        """The array itself if it never changes."""
        if self.place.rom is None:
            return None
        values = self.place.rom[self.first : self.first + self.run.count]
        return const(sum(int(value) << k * self.element for k, value in enumerate(values)), self.width, self.index)

    def at(self, low: Expr) -> tuple[Expr, Expr]:
        """The index of the cell at byte offset `low`, and whether there is one."""
        distance = make("sub", low.width, (low, const(self.run.start, low.width)))
        here = binary("ult", distance, const(self.run.count * self.run.stride, low.width))
        shift = self.run.stride.bit_length() - 1
        if shift:
            here = conj(here, eq(make("extract", shift, (distance,), 0), const(0, shift)))
        number = make("extract", low.width - shift, (distance,), shift)
        return resize(number, self.index, False), here


def find_banks(program: Program, layout: Layout, points_to: PointsTo, strides: Strides, least: int) -> list[Bank]:
    """The banks of a program with at least so many cells, in the order of its objects."""
    possible = dict(_possible(program, layout, least))
    wanted: set[tuple[int, int]] = set()
    spoiled: set[tuple[int, int]] = set()
    for slot, action in _accesses(program) if possible else ():
        stride = strides.offset(slot, action.address)
        if stride.stride == 0:
            continue
        for number in members(points_to.value(slot, action.address)):
            for k, run in enumerate(program.objects[number].runs):
                if (number, k) not in possible:
                    continue
                if run.size != action.size and _overlaps(run, stride, action.size):
                    spoiled.add((number, k))
                elif run.size == action.size and _hits_some(run, stride):
                    wanted.add((number, k))
    return [bank for key, bank in possible.items() if key in wanted and key not in spoiled]


def _possible(program: Program, layout: Layout, least: int) -> Iterator[tuple[tuple[int, int], Bank]]:
    """The runs that could be banks, by object and position in it."""
    for number, place in enumerate(layout.places):
        first = 0
        for k, run in enumerate(place.object.runs if place is not None else ()):
            if place is not None and run.count >= least and _regular(run, program):
                bank = Bank(place, run, first)
                if len({layout.initial()[entry] is None for entry in bank.entries()}) < 2:
                    yield (number, k), bank
            first += run.count


def _regular(run: CellRun, program: Program) -> bool:
    """The cells lie at multiples of a power of two, and the offsets of all of them and of one more fit the offset field."""
    return run.size <= run.stride and not run.stride & (run.stride - 1) and run.start + run.count * run.stride < 1 << program.offset_bits


def _accesses(program: Program) -> Iterator[tuple[int, Load | Store]]:
    for thread in program.threads:
        for step in thread.template.steps:
            for action in step.actions:
                if isinstance(action, (Load, Store)):
                    yield thread.index, action


def _hits_some(run: CellRun, stride: Stride) -> bool:
    """Whether the access may start at more than a few of the cells."""
    if not stride.meets(Stride(run.stride, run.start % run.stride)):
        return False
    hits = (None for k in range(run.count) if stride.has(run.start + k * run.stride))
    return len(list(islice(hits, FEW + 1))) > FEW


def _overlaps(run: CellRun, stride: Stride, size: int) -> bool:
    """Whether an access of another size may touch a cell of the run."""
    return any(stride.has(run.start + delta) for delta in range(1 - size, min(run.count * run.stride, stride.stride)))
