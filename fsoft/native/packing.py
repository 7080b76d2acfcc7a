"""States in words: where each entry of the interpreter's state vector lies in the packed state of generated C.

An entry is a field of some bits in one 64-bit word. Cells that can be undefined have a second field with a bit for each byte that is
defined; the bits of undefined bytes are 0, so that equal states are equal words. Registers that are live at no location are always 0 and
have no field. Each thread begins a word of its own: its local state is
one part of the compressed state, whatever the others do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from fsoft.program.liveness import live_registers
from fsoft.program.memory import Memory
from fsoft.program.program import Template
from fsoft.program.state import OVER, Place, Vector

WORD = 64


class Unpackable(Exception):
    """The program has something for which there is no machine code; the argument says what."""


class BitField(NamedTuple):
    """A field: `width` bits of word number `word`, from `shift` up."""

    word: int
    shift: int
    width: int

    @property
    def mask(self) -> int:
        return (1 << self.width) - 1

    def c(self) -> str:
        """As an initialiser of the C type Field."""
        return f"{{{self.word},{self.shift},{self.mask}ull}}"


NOWHERE_BITS = "{0,0,0}"
"""The C initialiser of a field that does not exist."""


class Packing:
    """`field[i]` has the value of entry i, `defined[i]` its defined bytes where it can be undefined. `words` is the length of a packed
    state; `spans[slot]` are the words of a thread; `live` has the live registers of each template, by location.
    `frozen` are entries that nobody is expected to change: they have no field."""

    def __init__(self, memory: Memory, frozen: frozenset[int] = frozenset()):
        self.layout, self.frozen = memory.layout, frozen
        self.initial = memory.layout.initial()
        self.memory = memory
        self.field: list[BitField] = [BitField(0, 0, 0)] * self.layout.size
        self.defined: list[BitField | None] = [None] * self.layout.size
        self.spans: list[tuple[int, int]] = []
        self.live: dict[int, list[set[str]]] = {}
        self._word, self._used = 0, 0
        for slot in range(len(self.layout.program.threads)):
            self._thread(slot)
        self._align()
        self.field[OVER] = self._place(1)
        for place in self.layout.places:
            if place is not None and place.rom is None:
                self._object(place)
        self._align()
        self.words = max(2, self._word)

    def _align(self) -> None:
        if self._used:
            self._word, self._used = self._word + 1, 0

    def _place(self, width: int) -> BitField:
        if width > WORD:
            raise Unpackable(f"a value of {width} bits")
        if self._used + width > WORD:
            self._align()
        bits = BitField(self._word, self._used, width)
        self._used += width
        return bits

    def _thread(self, slot: int) -> None:
        self._align()
        start, template = self._word, self.layout.program.threads[slot].template
        live = set().union(*self._live(template))
        self.field[self.layout.pc[slot]] = self._place(max(1, (len(template.locations) - 1).bit_length()))
        for name, index in self.layout.registers[slot].items():
            if name in live:
                self.field[index] = self._place(template.registers[name].width)
        self._align()
        self.spans.append((start, self._word))

    def _live(self, template: Template) -> list[set[str]]:
        if id(template) not in self.live:
            self.live[id(template)] = live_registers(template)
        return self.live[id(template)]

    def _object(self, place: Place) -> None:
        if place.status >= 0:
            self.field[place.status] = self._place(2)
        if place.extent >= 0:
            self.field[place.extent] = self._place(max(1, place.object.size.bit_length()))
        steady = self.memory.steady(place)
        for cell in place.cells:
            if steady and place.base + cell.number in self.frozen:
                continue
            self.field[place.base + cell.number] = self._place(8 * cell.size)
            if not steady:
                self.defined[place.base + cell.number] = self._place(cell.size)

    # ------------------------------------------------------------ both ways

    def pack(self, v: Sequence[Any]) -> list[int]:
        """The words of a state vector."""
        words = [0] * self.words
        for index, value in enumerate(v):
            if index in self.frozen:
                continue
            bits, defined = self.field[index], self.defined[index]
            known, parts = value, -1
            if not isinstance(value, int):
                whole = value if value is not None else ()
                known = sum((part or 0) << 8 * k for k, part in enumerate(whole))
                parts = sum(1 << k for k, part in enumerate(whole) if part is not None)
            words[bits.word] |= known << bits.shift
            if defined is not None:
                words[defined.word] |= (parts & defined.mask) << defined.shift
        return words

    def unpack(self, words: Sequence[int]) -> Vector:
        """The state vector of some words."""
        v: Vector = []
        for index, (bits, defined) in enumerate(zip(self.field, self.defined, strict=True)):
            value: Any = self.initial[index] if index in self.frozen else words[bits.word] >> bits.shift & bits.mask
            if defined is not None:
                parts = words[defined.word] >> defined.shift & defined.mask
                if parts == 0:
                    value = None
                elif parts != defined.mask:
                    value = tuple(value >> 8 * k & 0xFF if parts >> k & 1 else None for k in range(defined.width))
            v.append(value)
        return v


__all__ = ["BitField", "NOWHERE_BITS", "Packing", "Unpackable", "WORD"]
