"""The Model in bits: an AIG with latches. `bitblast` makes one from a Model, `formats/aiger_read` from a file.

Inputs and latches are grouped in named words, lowest bit first, so that every stimulus reads back as values of words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from fsoft.circuit.bits.aig import Aig
from fsoft.circuit.model.verdict import Stimulus

BOUND = "bound:"
"""How the name of a cutting marker starts where it stands among bads."""

WordWidths = list[tuple[str, int]]
"""Names and widths, in the order of the bits."""


@dataclass(slots=True)
class BitModel:
    """`inputs` and `latches` are positive literals of input variables of `aig`; `next` and the properties are literals;
    `reset` is 0, 1 or None (any value). `input_words` and `latch_words` name the bits."""

    aig: Aig = field(default_factory=Aig)
    inputs: list[int] = field(default_factory=list)
    latches: list[int] = field(default_factory=list)
    next: list[int] = field(default_factory=list)
    reset: list[int | None] = field(default_factory=list)
    bad: dict[str, int] = field(default_factory=dict)
    constraints: dict[str, int] = field(default_factory=dict)
    justice: dict[str, tuple[int, ...]] = field(default_factory=dict)
    fairness: dict[str, int] = field(default_factory=dict)
    bounds: dict[str, int] = field(default_factory=dict)
    input_words: WordWidths = field(default_factory=list)
    latch_words: WordWidths = field(default_factory=list)
    names: dict[str, Any] = field(default_factory=dict)

    def add_input(self, name: str, width: int = 1) -> list[int]:
        """A new input word; its literals."""
        literals = [self.aig.input() for _ in range(width)]
        self.inputs += literals
        self.input_words.append((name, width))
        return literals

    def add_latch(self, name: str, reset: list[int | None]) -> list[int]:
        """A new state word that keeps its value until `next` is set; its literals."""
        literals = [self.aig.input() for _ in reset]
        self.latches += literals
        self.next += literals
        self.reset += reset
        self.latch_words.append((name, len(reset)))
        return literals

    def targets(self) -> dict[str, int]:
        """What TRUE excludes: bads, then bounds, the latter with the prefix `bound:`."""
        return self.bad | {BOUND + name: literal for name, literal in self.bounds.items()}

    def property_literals(self) -> list[int]:
        """Bads, bounds, constraints, justice, fairness: everything but the next functions."""
        found = [*self.bad.values(), *self.bounds.values(), *self.constraints.values()]
        found += [literal for group in self.justice.values() for literal in group]
        return found + list(self.fairness.values())


@dataclass(frozen=True, slots=True)
class BitStimulus:
    """A run in bits: the value of every latch at the start, and of every input at each step."""

    initial: tuple[int, ...]
    inputs: tuple[tuple[int, ...], ...]


def bit_names(words: WordWidths) -> list[str]:
    """`x` for a word of one bit, `x[0]`, `x[1]`, ... otherwise."""
    return [name if width == 1 else f"{name}[{i}]" for name, width in words for i in range(width)]


def pack(words: WordWidths, values: Iterable[int]) -> dict[str, int]:
    """Bits to words."""
    bits = iter(values)
    return {name: sum(next(bits) << i for i in range(width)) for name, width in words}


def unpack(words: WordWidths, values: dict[str, int]) -> tuple[int, ...]:
    """Words to bits; a missing word is 0."""
    return tuple((values.get(name, 0) >> i) & 1 for name, width in words for i in range(width))


def to_words(bits: BitModel, run: BitStimulus) -> Stimulus:
    return Stimulus(pack(bits.latch_words, run.initial), tuple(pack(bits.input_words, step) for step in run.inputs))


def to_bits(bits: BitModel, run: Stimulus) -> BitStimulus:
    """The run in bits; a state that the run does not name starts at its reset."""
    given = unpack(bits.latch_words, run.initial)
    named = [name in run.initial for name, width in bits.latch_words for _ in range(width)]
    initial = tuple(g if n or r is None else r for g, n, r in zip(given, named, bits.reset))
    return BitStimulus(initial, tuple(unpack(bits.input_words, step) for step in run.inputs))


def fingerprint(bits: BitModel) -> str:
    """SHA-256 of everything that decides verdicts: graph, resets, targets and constraints."""
    digest = hashlib.sha256()
    for part in (bits.aig.left, bits.aig.right, bits.inputs, bits.latches, bits.next, bits.reset):
        digest.update(repr(part).encode())
    for table in (bits.bad, bits.bounds, bits.constraints):
        digest.update(repr(list(table.items())).encode())
    return digest.hexdigest()
