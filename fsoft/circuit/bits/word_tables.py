"""Gates of a BitModel that look at one narrow word only, with their truth tables: what the values of a word say about them.

The latches of one word (bits of the same name) are a *word* here. A gate whose inputs all belong to one word is a function of that word's
value, and its truth table is an int with one bit per value. Where a word is known to have one of some values only (`mask`, one bit per
value), such a gate is constant if its table is constant there, and two gates are the same if their tables agree there: `pc = 7` is false
in a frame in which no run has got that far, and all that depends on it disappears.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fsoft.circuit.bits import BitModel, bit_names
from fsoft.circuit.bits.aig import Aig

WIDEST = 8
"""Bits of a word that has tables."""

_BIT = re.compile(r"\[\d+\]$")


@dataclass(frozen=True, slots=True)
class Word:
    """Latches (their indices, lowest bit first) and the gates that depend on nothing else, in topological order, each with its table."""

    latches: tuple[int, ...]
    columns: tuple[int, ...]
    gates: tuple[tuple[int, int], ...]

    @property
    def every(self) -> int:
        """The mask of all values."""
        return (1 << (1 << len(self.latches))) - 1


def narrow_words(bits: BitModel, among: list[int]) -> list[Word]:
    """The narrow words among these latches, in order."""
    names = bit_names(bits.latch_words)
    groups: dict[str, list[int]] = {}
    for i in among:
        groups.setdefault(_BIT.sub("", names[i]), []).append(i)
    return _with_gates(bits, [tuple(group) for group in groups.values() if len(group) <= WIDEST])


def column(bit: int, width: int) -> int:
    """The truth table of one bit of a word."""
    table = 0
    for value in range(1 << width):
        table |= (value >> bit & 1) << value
    return table


def _with_gates(bits: BitModel, groups: list[tuple[int, ...]]) -> list[Word]:
    left, right = bits.aig.left, bits.aig.right
    owner: dict[int, int] = {}
    table: dict[int, int] = {}
    full = [(1 << (1 << len(group))) - 1 for group in groups]
    columns = [tuple(column(k, len(group)) for k in range(len(group))) for group in groups]
    for number, group in enumerate(groups):
        for i, one in zip(group, columns[number]):
            owner[bits.latches[i] >> 1], table[bits.latches[i] >> 1] = number, one
    gates: list[list[tuple[int, int]]] = [[] for _ in groups]
    for v in range(1, len(left)):
        a, b = left[v], right[v]
        if a < 0 or a >> 1 not in owner or owner[a >> 1] != owner.get(b >> 1):
            continue
        number = owner[v] = owner[a >> 1]
        x = table[a >> 1] ^ (full[number] if a & 1 else 0)
        y = table[b >> 1] ^ (full[number] if b & 1 else 0)
        table[v] = x & y
        gates[number].append((v, x & y))
    return [Word(*parts) for parts in zip(groups, columns, map(tuple, gates))]


def specialise(word: Word, mask: int, bits: BitModel, value: list[int], aig: Aig) -> None:
    """Sets `value` (variable of the model to literal of `aig`) of the word's gates, given `value` of its latches, for a word that has one
    of the values of `mask`. The latches themselves are replaced where the mask decides them."""
    known = {0: 0, mask: 1}
    for i, table in zip(word.latches, word.columns):
        v = bits.latches[i] >> 1
        value[v] = _known(known, table & mask, mask, value[v])
    left, right, land = bits.aig.left, bits.aig.right, aig.land
    for v, table in word.gates:
        found = known.get(table & mask)
        if found is None:
            a, b = left[v], right[v]
            found = _known(known, table & mask, mask, land(value[a >> 1] ^ a & 1, value[b >> 1] ^ b & 1))
        value[v] = found


def _known(known: dict[int, int], table: int, mask: int, literal: int) -> int:
    """The literal of a function of the word: an earlier one where the functions agree, else this one from now on."""
    found = known.setdefault(table, literal)
    known.setdefault(table ^ mask, found ^ 1)
    return found
