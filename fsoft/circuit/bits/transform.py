"""BitModel to BitModel, for tools that cannot take everything. Each keeps the inputs first and in order, so that a stimulus of the result
is one of the original after its extra inputs and latches are dropped (`original_run`).
"""

from __future__ import annotations

from dataclasses import replace

from fsoft.circuit.bits import BitModel, BitStimulus
from fsoft.circuit.bits.aig import Aig


def copy(bits: BitModel) -> BitModel:
    """A copy whose graph and lists can grow without touching the original."""
    aig = Aig()
    aig.__setstate__((list(bits.aig.left), list(bits.aig.right), dict(bits.aig.table)))
    return replace(
        bits,
        aig=aig,
        inputs=list(bits.inputs),
        latches=list(bits.latches),
        next=list(bits.next),
        reset=list(bits.reset),
        input_words=list(bits.input_words),
        latch_words=list(bits.latch_words),
    )


def fold_constraints(bits: BitModel) -> BitModel:
    """Constraints become part of the bads: a latch remembers that all have held so far. Justice gets it as one more set."""
    if not bits.constraints:
        return bits
    result = copy(bits)
    aig = result.aig
    (so_far,) = result.add_latch(_free_name(bits, "constraints_held"), [1])
    held = aig.conjoin([so_far, *bits.constraints.values()])
    result.next[-1] = held
    result.constraints = {}
    result.bad = {name: aig.land(held, literal) for name, literal in bits.bad.items()}
    result.bounds = {name: aig.land(held, literal) for name, literal in bits.bounds.items()}
    result.justice = {name: (*group, held) for name, group in bits.justice.items()}
    return result


def zero_resets(bits: BitModel) -> BitModel:
    """Every latch starts at 0: one that starts at 1 is kept inverted; one that starts anywhere takes an extra input at the first step.

    The extra inputs come last, one per free latch in order; the extra latch `started` too.
    """
    free = [i for i, reset in enumerate(bits.reset) if reset is None]
    if not free and not any(bits.reset):
        return bits
    result = BitModel(names=bits.names)
    substitution = {0: 0}
    for literal, (name, width) in _words(bits.inputs, bits.input_words):
        for old, new in zip(literal, result.add_input(name, width)):
            substitution[old >> 1] = new
    states = [result.add_latch(name, [0] * width) for _, (name, width) in _words(bits.latches, bits.latch_words)]
    flat = [literal for word in states for literal in word]
    aig = result.aig
    if free:
        extra = result.add_input(_free_name(bits, "start"), len(free))
        (started,) = result.add_latch(_free_name(bits, "started"), [0])
    for latch, old in enumerate(bits.latches):
        substitution[old >> 1] = flat[latch] ^ (1 if bits.reset[latch] else 0)
    for latch, value in zip(free, extra if free else []):
        substitution[bits.latches[latch] >> 1] = aig.mux(started, flat[latch], value)
    wanted = [*bits.next, *bits.property_literals()]
    at = translate(bits.aig, wanted, aig, substitution)
    result.next = [at(n) ^ (1 if reset else 0) for n, reset in zip(bits.next, bits.reset)] + ([1] if free else [])
    _properties(bits, result, at)
    return result


def one_output(bits: BitModel, targets: list[int]) -> BitModel:
    """The model whose only bad is the disjunction of the targets."""
    result = copy(bits)
    return replace(result, bad={"target": result.aig.disjoin(targets)}, bounds={}, justice={}, fairness={})


def original_run(bits: BitModel, run: BitStimulus) -> BitStimulus:
    """A run of `zero_resets(fold_constraints(bits))` (or of either) as a run of `bits`."""
    free = [i for i, reset in enumerate(bits.reset) if reset is None]
    first = run.inputs[0] if run.inputs else ()
    initial = [reset or 0 for reset in bits.reset]
    count = len(bits.inputs)
    for position, latch in enumerate(free):
        initial[latch] = first[count + position] if count + position < len(first) else run.initial[latch]
    return BitStimulus(tuple(initial), tuple(step[:count] for step in run.inputs))


# ---------------------------------------------------------------- helpers


class Translation:
    """Literals of one graph in another."""

    __slots__ = ("_map",)

    def __init__(self, table: list[int]) -> None:
        self._map = table

    def __call__(self, literal: int) -> int:
        return self._map[literal >> 1] ^ literal & 1


def translate(old: Aig, wanted: list[int], new: Aig, substitution: dict[int, int]) -> Translation:
    """Rebuilds the cone of the wanted literals in `new`; `substitution` maps variables of `old` (at least its inputs and 0) to literals."""
    land, left, right = new.land, old.left, old.right
    table = [-1] * len(old)
    for v, literal in substitution.items():
        table[v] = literal
    for v in old.cone(wanted):
        if table[v] < 0:
            x, y = left[v], right[v]
            table[v] = land(table[x >> 1] ^ x & 1, table[y >> 1] ^ y & 1)
    return Translation(table)


def _properties(bits: BitModel, result: BitModel, at: Translation) -> None:
    result.bad = {name: at(x) for name, x in bits.bad.items()}
    result.bounds = {name: at(x) for name, x in bits.bounds.items()}
    result.constraints = {name: at(x) for name, x in bits.constraints.items()}
    result.justice = {name: tuple(at(x) for x in group) for name, group in bits.justice.items()}
    result.fairness = {name: at(x) for name, x in bits.fairness.items()}


def _words(literals: list[int], words: list[tuple[str, int]]) -> list[tuple[list[int], tuple[str, int]]]:
    rows, at = [], 0
    for name, width in words:
        rows.append((literals[at : at + width], (name, width)))
        at += width
    return rows


def _free_name(bits: BitModel, name: str) -> str:
    taken = {n for n, _ in [*bits.input_words, *bits.latch_words]}
    while name in taken:
        name += "_"
    return name
