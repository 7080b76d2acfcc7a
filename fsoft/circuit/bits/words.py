"""BitModel back to Model: one word per named group of bits, one-bit terms for gates. For engines and formats that want words."""

from __future__ import annotations

from fsoft.circuit.bits import BitModel, WordWidths
from fsoft.circuit.model import Model
from fsoft.program.expr import FALSE, Expr, const, make, negate, reg


def to_model(bits: BitModel) -> Model:
    """The same system in words. A word of latches whose bits start differently (some free) is split into its bits."""
    model = Model(names=bits.names)
    term: list[Expr | None] = [None] * len(bits.aig)
    term[0] = FALSE
    _leaves(bits.inputs, bits.input_words, term)
    model.inputs = dict(bits.input_words)
    words = _split(bits)
    _leaves(bits.latches, words, term)
    model.states = dict(words)
    left, right = bits.aig.left, bits.aig.right

    def at(literal: int) -> Expr:
        found = term[literal >> 1]
        assert found is not None
        return negate(found) if literal & 1 else found

    for v in bits.aig.cone([*bits.next, *bits.property_literals()]):
        if left[v] >= 0:
            term[v] = make("and", 1, (at(left[v]), at(right[v])))
    position = 0
    for name, width in words:
        resets = bits.reset[position : position + width]
        values = [r for r in resets if r is not None]
        model.init[name] = None if len(values) < width else const(sum(r << i for i, r in enumerate(values)), width)
        model.next[name] = _join([at(x) for x in bits.next[position : position + width]])
        position += width
    model.bad = {name: at(x) for name, x in bits.bad.items()}
    model.bounds = {name: at(x) for name, x in bits.bounds.items()}
    model.constraints = {name: at(x) for name, x in bits.constraints.items()}
    model.justice = {name: tuple(at(x) for x in group) for name, group in bits.justice.items()}
    model.fairness = {name: at(x) for name, x in bits.fairness.items()}
    return model


def _split(bits: BitModel) -> WordWidths:
    words: WordWidths = []
    position = 0
    for name, width in bits.latch_words:
        kinds = {r is None for r in bits.reset[position : position + width]}
        words += [(name, width)] if len(kinds) == 1 else [(f"{name}[{i}]", 1) for i in range(width)]
        position += width
    return words


def _leaves(literals: list[int], words: WordWidths, term: list[Expr | None]) -> None:
    position = 0
    for name, width in words:
        whole = reg(name, width)
        for i in range(width):
            term[literals[position] >> 1] = make("extract", 1, (whole,), i)
            position += 1


def _join(parts: list[Expr]) -> Expr:
    """Bits, lowest first, as one word."""
    word = parts[0]
    for part in parts[1:]:
        word = make("concat", word.width + 1, (part, word))
    return word
