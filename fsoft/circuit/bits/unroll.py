"""Copies of a BitModel, one per step, in a new AIG: frame 0 starts from the resets (or anywhere), and what is constant there stays so in
the frames after, because every gate passes through the simplifying constructor again. What is known of the values of narrow words in a
frame (`word_tables.py`) makes gates constant or equal there, before any clause is made of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fsoft.circuit.bits import BitModel
from fsoft.circuit.bits.aig import Aig
from fsoft.circuit.bits.word_tables import Word, narrow_words, specialise

_Gate = tuple[int, int, int, int, int]


class Unroller:
    """Frames of the cone of influence of the watched literals. `at(literal, k)` is a watched literal, latch or input in frame k. With
    `words`, each frame may be told which values its narrow words have."""

    def __init__(self, bits: BitModel, watch: Iterable[int], from_resets: bool = True, words: bool = False) -> None:
        self.bits = bits
        self.aig = Aig()
        self.watch = list(watch)
        self._latches = influence(bits, self.watch)
        self.words: list[Word] = narrow_words(bits, self._latches) if words else []
        apart = {v for word in self.words for v, _ in word.gates}
        seen = set(bits.aig.cone(self.watch))
        self._now = self._gates(self.watch, apart)
        self._then = self._gates([bits.next[i] for i in self._latches], seen | apart)
        self._inputs = [x for x in bits.inputs if x >> 1 in set(bits.aig.cone(self.watch + [bits.next[i] for i in self._latches]))]
        self._value = [0] * len(bits.aig)
        self._saved: list[dict[int, int]] = []
        for i in self._latches:
            reset = bits.reset[i] if from_resets else None
            self._value[bits.latches[i] >> 1] = self.aig.input() if reset is None else reset

    def _gates(self, wanted: list[int], but: set[int]) -> list[_Gate]:
        left, right = self.bits.aig.left, self.bits.aig.right
        return [
            (v, left[v] >> 1, left[v] & 1, right[v] >> 1, right[v] & 1) for v in self.bits.aig.cone(wanted) if left[v] >= 0 and v not in but
        ]

    @property
    def frames(self) -> int:
        """How many frames there are."""
        return len(self._saved)

    def extend(self, masks: Sequence[int] | None = None) -> None:
        """One more frame. `masks` gives the values that each of `words` may have there (all values if it is not given)."""
        bits, value = self.bits, self._value
        if self._saved:
            self._compute(self._then)
            following = [self.at_now(bits.next[i]) for i in self._latches]
            for i, literal in zip(self._latches, following):
                value[bits.latches[i] >> 1] = literal
        for literal in self._inputs:
            value[literal >> 1] = self.aig.input()
        for word, mask in zip(self.words, masks or [word.every for word in self.words]):
            specialise(word, mask, bits, value, self.aig)
        self._compute(self._now)
        saved = {literal >> 1: value[literal >> 1] for literal in self._inputs}
        saved.update((bits.latches[i] >> 1, value[bits.latches[i] >> 1]) for i in self._latches)
        saved.update((literal >> 1, value[literal >> 1]) for literal in self.watch)
        self._saved.append(saved)

    def _compute(self, gates: list[_Gate]) -> None:
        value, land = self._value, self.aig.land
        for v, a, a_sign, b, b_sign in gates:
            value[v] = land(value[a] ^ a_sign, value[b] ^ b_sign)

    def at_now(self, literal: int) -> int:
        """Any literal of the model in the last frame, once its gates are computed."""
        return self._value[literal >> 1] ^ literal & 1

    def at(self, literal: int, frame: int) -> int | None:
        """The literal in a frame; None where the cone of influence does not contain it."""
        found = self._saved[frame].get(literal >> 1)
        return None if found is None else found ^ literal & 1

    def latches(self, frame: int) -> list[int]:
        """The literals of the latches of the cone in a frame."""
        saved = self._saved[frame]
        return [saved[self.bits.latches[i] >> 1] for i in self._latches]


def influence(bits: BitModel, wanted: Iterable[int]) -> list[int]:
    """The indices of the latches that the wanted literals depend on, now or later, in order."""
    aig = bits.aig
    index = {literal >> 1: i for i, literal in enumerate(bits.latches)}
    left, right = aig.left, aig.right
    seen = bytearray(len(aig))
    seen[0] = 1
    stack = [literal >> 1 for literal in wanted]
    found = []
    while stack:
        v = stack.pop()
        if seen[v]:
            continue
        seen[v] = 1
        if left[v] >= 0:
            stack.append(left[v] >> 1)
            stack.append(right[v] >> 1)
        elif v in index:
            found.append(index[v])
            stack.append(bits.next[index[v]] >> 1)
    return sorted(found)
