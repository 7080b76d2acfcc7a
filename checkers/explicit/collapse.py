"""States in few bytes: a state is cut into components (each thread, groups of objects), each distinct component value is kept
once and numbered, and a state is the string of its components' numbers."""

from __future__ import annotations

from collections.abc import Iterable
from struct import Struct
from typing import Any

from fsoft.program.state import Layout, Vector

_GROUP = 16  # entries that make a group of objects
_GROUPS = 24  # about how many groups there are at most


class Collapse:
    """Packs state vectors into byte strings and back."""

    def __init__(self, layout: Layout):
        self.spans = _components(layout)
        self._of_index = [k for k, (low, high) in enumerate(self.spans) for _ in range(low, high)]
        self._numbers: list[dict[tuple[Any, ...], int]] = [{} for _ in self.spans]
        self._values: list[list[tuple[Any, ...]]] = [[] for _ in self.spans]
        self._packer = Struct(f"<{len(self.spans)}I")
        self.pack = self._packer.pack
        self.unpack = self._packer.unpack

    def component(self, index: int) -> int:
        """The component that holds an entry of the vector."""
        return self._of_index[index]

    def components(self, low: int, high: int) -> Iterable[int]:
        """The components that hold the entries [low, high)."""
        return dict.fromkeys(self._of_index[low:high])

    def encode(self, v: Vector, numbers: list[int], which: Iterable[int]) -> None:
        """Renew the numbers of the given components."""
        for k in which:
            low, high = self.spans[k]
            value = tuple(v[low:high])
            table = self._numbers[k]
            number = table.get(value)
            if number is None:
                number = len(table)
                table[value] = number
                self._values[k].append(value)
            numbers[k] = number

    def values(self, k: int) -> list[tuple[Any, ...]]:
        """The values of component k that were met, by their numbers."""
        return self._values[k]

    def decode(self, numbers: Iterable[int]) -> Vector:
        v: Vector = []
        for values, number in zip(self._values, numbers):
            v += values[number]
        return v


def _components(layout: Layout) -> list[tuple[int, int]]:
    """Consecutive spans that cover the vector: each thread, then groups of whole objects."""
    spans = list(layout.spans) or [(0, 1)]
    spans[0] = (0, spans[0][1])
    start = end = spans[-1][1]
    wanted = max(_GROUP, (layout.size - start) // _GROUPS)
    for place in layout.places:
        if place is None or place.rom is not None:
            continue
        end = place.base + place.cells.count
        if end - start >= wanted:
            spans.append((start, end))
            start = end
    if end > start:
        spans.append((start, end))
    return spans
