"""Which values narrow words can have after k steps: control-state reachability that shrinks each unrolled frame.

The values of every narrow word are collected step by step, each word for itself (a Cartesian abstraction): after k + 1 steps a word has one
of the values that it had after k steps, or one that a single transition gives it from some state in which every word has one of its values
after k steps and the constraints hold. A solver with one transition finds those, all new values of all words with one question after the
other. So a program counter goes as many locations as there were steps, a thread starts when its creator can have created it, and a join
passes once the other can have ended. What is known this way is built into the frame (`circuit/bits/word_tables.py`) before its clauses are
made. A word with too many values, and one search that costs too much, are given up: then nothing is known, which is always right.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from fsoft.circuit.bits import BitModel
from fsoft.circuit.bits.cnf import POSITIVE, Encoder
from fsoft.circuit.bits.word_tables import Word
from fsoft.solve.sat import Sat

_VALUES = 64  # of a word that is followed
_WORK = 20_000_000  # questions to the solver times its variables, for all frames together
_SOLVER = "minisat22"  # many small questions


@dataclass(slots=True)
class _Followed:
    """A word in the solver: `now` and `then` are the literals of its bits before and after the transition, `fresh` implies that its value
    after it is new, `within` (assumed) that the one before is among `mask`."""

    word: Word
    now: list[int]
    then: list[int]
    mask: int
    fresh: int
    within: int = 0
    is_value: dict[int, int] = field(default_factory=dict)


class FrameValues:
    """`after(k)` gives for each of the words the mask of the values it can have after k steps, or None if nothing is known. None of the
    `refuted` literals holds before: whoever asks about a frame has shown that."""

    def __init__(self, bits: BitModel, words: list[Word], refuted: Iterable[int] = (), deadline: float | None = None) -> None:
        self.words, self.deadline = words, deadline
        self._masks = [[_initial(bits, word) for word in words]]
        self._given_up = self._settled = False
        self._sat = Sat(_SOLVER)
        self._work = _WORK
        encoder = Encoder(bits.aig, self._sat.add, self._sat.var)
        for literal in bits.constraints.values():
            self._sat.add([encoder.literal(literal, POSITIVE)])
        for literal in refuted:
            self._sat.add([encoder.literal(literal ^ 1, POSITIVE)])
        self._followed = [self._follow(encoder, bits, word, mask) for word, mask in zip(words, self._masks[0])]
        self._sat.add([one.fresh for one in self._followed])

    def after(self, frame: int) -> list[int] | None:
        """The masks for a frame; frames are asked for in order."""
        while len(self._masks) <= frame and not self._given_up:
            self._masks.append(self._masks[-1] if self._settled else self._step())
        return None if self._given_up else self._masks[frame]

    def close(self) -> None:
        self._sat.close()

    def _follow(self, encoder: Encoder, bits: BitModel, word: Word, mask: int) -> _Followed:
        now = [encoder.literal(bits.latches[i]) for i in word.latches]
        then = [encoder.literal(bits.next[i]) for i in word.latches]
        one = _Followed(word, now, then, 0, self._sat.var())
        for value in _members(mask):
            self._learn(one, value)
        self._restrict(one)
        return one

    def _learn(self, one: _Followed, value: int) -> None:
        """The value is no longer new."""
        one.mask |= 1 << value
        name = one.is_value[value] = self._sat.var()
        for k, literal in enumerate(one.now):
            self._sat.add([-name, literal if value >> k & 1 else -literal])
        self._sat.add([-one.fresh, *(-literal if value >> k & 1 else literal for k, literal in enumerate(one.then))])

    def _restrict(self, one: _Followed) -> None:
        """From now on the value before the transition is one of those that are known."""
        if one.within:
            self._sat.add([-one.within])
        one.within = self._sat.var()
        self._sat.add([-one.within, *one.is_value.values()])

    def _step(self) -> list[int]:
        """The masks one step later."""
        found: dict[int, None] = {}
        assumed = [one.within for one in self._followed if one.within]
        while True:
            self._work -= self._sat.variables
            if self._work < 0:
                self._given_up = True
                return []
            if not self._sat.solve(assumed, self.deadline):
                break
            model = self._sat.model()
            for number, one in enumerate(self._followed):
                value = sum(1 << k for k, literal in enumerate(one.then) if (model[abs(literal) - 1] > 0) == (literal > 0))
                if not one.mask >> value & 1:
                    self._learn(one, value)
                    found[number] = None
        self._settled = not found
        for number in found:
            self._grown(self._followed[number])
        return [one.mask for one in self._followed]

    def _grown(self, one: _Followed) -> None:
        if one.mask.bit_count() <= _VALUES:
            self._restrict(one)
            return
        self._sat.add([-one.within])
        self._sat.add([-one.fresh])
        one.within, one.mask = 0, one.word.every


def _initial(bits: BitModel, word: Word) -> int:
    values = [0]
    for k, i in enumerate(word.latches):
        reset = bits.reset[i]
        values = [value | bit << k for value in values for bit in ((0, 1) if reset is None else (reset,))]
    return sum(1 << value for value in values)


def _members(mask: int) -> list[int]:
    return [value for value in range(mask.bit_length()) if mask >> value & 1]
