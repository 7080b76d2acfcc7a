"""Where each scalar of an object lives.

An object's cells are numbered run by run, in the order of `Object.runs`: cell number = cells of the runs before + position
in the run. Bytes of an object that no cell covers read as zero and do not keep what is stored there: padding in programs that do not
look at the bytes of structs (`lower/scan.py`), and what `passes/truncate` takes away.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fsoft.program.program import CellRun, Object

_FEW_RUNS = 4


class Cell(NamedTuple):
    """One scalar of an object: its number, the byte offset where it starts, its size in bytes."""

    number: int
    offset: int
    size: int


class Cells:
    """The cells of one object."""

    __slots__ = ("_bases", "_table", "count", "object")

    def __init__(self, obj: Object):
        self.object = obj
        self._bases: list[int] = []
        self.count = 0
        for run in obj.runs:
            self._bases.append(self.count)
            self.count += run.count
        self._table: dict[tuple[int, int], int] | None = None

    def __iter__(self) -> Iterator[Cell]:
        for base, run in zip(self._bases, self.object.runs, strict=True):
            for k in range(run.count):
                yield Cell(base + k, run.start + k * run.stride, run.size)

    def exact(self, offset: int, size: int) -> int | None:
        """The number of the cell with just this offset and size."""
        runs = self.object.runs
        if len(runs) <= _FEW_RUNS:
            for base, run in zip(self._bases, runs, strict=True):
                distance = offset - run.start
                if run.size == size and distance >= 0:
                    k, rest = divmod(distance, run.stride) if run.stride else (0, distance)
                    if rest == 0 and k < run.count:
                        return base + k
            return None
        if self._table is None:
            self._table = {(cell.offset, cell.size): cell.number for cell in self}
        return self._table.get((offset, size))

    def overlapping(self, offset: int, size: int) -> list[Cell]:
        """The cells that share a byte with [offset, offset + size), by number."""
        found: list[Cell] = []
        for base, run in zip(self._bases, self.object.runs, strict=True):
            stride = run.stride or run.size
            first = max(0, (offset - run.start - run.size) // stride + 1)
            last = min(run.count - 1, (offset + size - 1 - run.start) // stride)
            found.extend(Cell(base + k, run.start + k * stride, run.size) for k in range(first, last + 1))
        return found

    def run_of(self, number: int) -> tuple[CellRun, int]:
        """The run of a cell, and its position in it."""
        for base, run in zip(reversed(self._bases), reversed(self.object.runs), strict=True):
            if number >= base:
                return run, number - base
        raise IndexError(number)

    def name(self, number: int) -> str:
        """The C name of a cell: `queue.items[3].lock`."""
        run, position = self.run_of(number)
        return self.object.name + run.name.replace("[]", f"[{position}]", 1)

    def describe(self, offset: int) -> str:
        """The C name of a place in the object: a cell's name, else the object plus a number of bytes."""
        if offset == 0 and self.count != 1:
            return self.object.name
        for cell in self.overlapping(offset, 1):
            name = self.name(cell.number)
            return name if cell.offset == offset else f"{name} + {offset - cell.offset} bytes"
        return self.object.name if offset == 0 else f"{self.object.name} + {offset} bytes"
