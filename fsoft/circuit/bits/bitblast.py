"""Model to BitModel: every word becomes its bits, every operator its circuit.

One walk over all terms, operands first, never recursive. Floating-point operators are first rewritten into integer ones
(`softfloat`). Quotient and remainder of the same operands share their circuit. An array becomes the bits of its elements, one after the
other: selecting is a tree of multiplexers, storing a decoder; a run in bits is a run of arrays without any translation.
"""

from __future__ import annotations

from collections.abc import Callable

from fsoft.circuit.bits import BitModel, vectors
from fsoft.circuit.bits.aig import FALSE, TRUE, Aig
from fsoft.circuit.bits.vectors import BitWord
from fsoft.circuit.model import Model
from fsoft.circuit.model.softfloat import FLOAT_OPERATORS, lower_float
from fsoft.frontend.source import NOWHERE, Unsupported
from fsoft.program.expr import Expr


class Blaster:
    """Bits of terms over one AIG: bind the leaves, then ask for terms. Keeps what it has built."""

    def __init__(self, aig: Aig) -> None:
        self.aig = aig
        self._bits: dict[Expr, BitWord] = {}
        self._leaves: dict[str, BitWord] = {}
        self._integer: dict[Expr, Expr] = {}
        self._quotients: dict[tuple[bool, Expr, Expr], tuple[BitWord, BitWord]] = {}

    def bind(self, name: str, literals: BitWord) -> None:
        """The leaf `reg(name, ...)` is these literals."""
        self._leaves[name] = literals

    def has(self, term: Expr) -> bool:
        """Whether the term has been built."""
        return term in self._bits

    def bit(self, term: Expr) -> int:
        """The literal of a term of one bit."""
        return self.bits(term)[0]

    def bits(self, term: Expr) -> BitWord:
        """The literals of a term, lowest bit first; not to be changed by the caller."""
        bits = self._bits
        stack = [term]
        while stack:
            node = stack[-1]
            if node in bits:
                stack.pop()
                continue
            operands = (self._lowered(node),) if node.op in FLOAT_OPERATORS else node.args
            missing = [a for a in operands if a not in bits]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            bits[node] = bits[operands[0]] if node.op in FLOAT_OPERATORS else self._node(node)
        return bits[term]

    def _lowered(self, node: Expr) -> Expr:
        term = self._integer.get(node)
        if term is None:
            term = self._integer[node] = lower_float(node)
        return term

    def _node(self, node: Expr) -> BitWord:
        if node.op == "const":
            return vectors.constant(node.value, node.width)
        if node.op == "reg":
            return self._leaves[str(node.data)]
        build = _BUILD.get(node.op)
        if build is None:
            raise Unsupported(NOWHERE, f"the operator '{node.op}' has no circuit")
        return build(self, node, [self._bits[a] for a in node.args])

    def quotient(self, node: Expr, args: list[BitWord], signed: bool) -> tuple[BitWord, BitWord]:
        """Quotient and remainder, built once per pair of operands."""
        key = (signed, node.args[0], node.args[1])
        if key not in self._quotients:
            divide = vectors.signed_divide if signed else vectors.divide
            self._quotients[key] = divide(self.aig, args[0], args[1])
        return self._quotients[key]


_Build = Callable[[Blaster, Expr, list[BitWord]], BitWord]


def _extract(blaster: Blaster, node: Expr, args: list[BitWord]) -> BitWord:
    assert isinstance(node.data, int)
    return args[0][node.data : node.data + node.width]


def _pointer(blaster: Blaster, node: Expr, args: list[BitWord]) -> BitWord:
    assert isinstance(node.data, int)
    return vectors.pointer_add(blaster.aig, args[0], args[1], node.data)


def _and(blaster: Blaster, node: Expr, args: list[BitWord]) -> BitWord:
    land = blaster.aig.land
    return [land(x, y) for x, y in zip(args[0], args[1])]


def _or(blaster: Blaster, node: Expr, args: list[BitWord]) -> BitWord:
    land = blaster.aig.land
    return [land(x ^ 1, y ^ 1) ^ 1 for x, y in zip(args[0], args[1])]


def _xor(blaster: Blaster, node: Expr, args: list[BitWord]) -> BitWord:
    lxor = blaster.aig.lxor
    return [lxor(x, y) for x, y in zip(args[0], args[1])]


def _select(blaster: Blaster, node: Expr, args: list[BitWord]) -> BitWord:
    array, at = args
    rows = [array[k : k + node.width] for k in range(0, len(array), node.width)]
    for bit in at:
        rows = [vectors.choose(blaster.aig, bit, high, low) for low, high in zip(rows[::2], rows[1::2])]
    return rows[0]


def _store(blaster: Blaster, node: Expr, args: list[BitWord]) -> BitWord:
    array, at, value = args
    land, hits = blaster.aig.land, [TRUE]
    for bit in reversed(at):
        hits = [land(hit, bit ^ sign) for hit in hits for sign in (1, 0)]
    size = node.element
    rows = [vectors.choose(blaster.aig, hit, value, array[k * size : (k + 1) * size]) for k, hit in enumerate(hits)]
    return [literal for row in rows for literal in row]


_BUILD: dict[str, _Build] = {
    "not": lambda s, n, v: vectors.invert(v[0]),
    "neg": lambda s, n, v: vectors.negative(s.aig, v[0]),
    "and": _and,
    "or": _or,
    "xor": _xor,
    "add": lambda s, n, v: vectors.add(s.aig, v[0], v[1]),
    "sub": lambda s, n, v: vectors.subtract(s.aig, v[0], v[1]),
    "mul": lambda s, n, v: vectors.multiply(s.aig, v[0], v[1]),
    "udiv": lambda s, n, v: s.quotient(n, v, False)[0],
    "urem": lambda s, n, v: s.quotient(n, v, False)[1],
    "sdiv": lambda s, n, v: s.quotient(n, v, True)[0],
    "srem": lambda s, n, v: s.quotient(n, v, True)[1],
    "shl": lambda s, n, v: vectors.shift_left(s.aig, v[0], v[1]),
    "lshr": lambda s, n, v: vectors.shift_right(s.aig, v[0], v[1], FALSE),
    "ashr": lambda s, n, v: vectors.shift_right(s.aig, v[0], v[1], v[0][-1]),
    "eq": lambda s, n, v: [vectors.equal(s.aig, v[0], v[1])],
    "ult": lambda s, n, v: [vectors.unsigned_less(s.aig, v[0], v[1])],
    "ule": lambda s, n, v: [vectors.unsigned_less(s.aig, v[0], v[1], True)],
    "slt": lambda s, n, v: [vectors.signed_less(s.aig, v[0], v[1])],
    "sle": lambda s, n, v: [vectors.signed_less(s.aig, v[0], v[1], True)],
    "ite": lambda s, n, v: vectors.choose(s.aig, v[0][0], v[1], v[2]),
    "zext": lambda s, n, v: v[0] + [FALSE] * (n.width - len(v[0])),
    "sext": lambda s, n, v: v[0] + [v[0][-1]] * (n.width - len(v[0])),
    "extract": _extract,
    "concat": lambda s, n, v: v[1] + v[0],
    "padd": _pointer,
    "select": _select,
    "store": _store,
    "constarray": lambda s, n, v: v[0] * (1 << n.index),
}


def bitblast(model: Model) -> BitModel:
    """The model in bits: words in the order of the record, lowest bit first."""
    bits = BitModel(names=model.names)
    blaster = Blaster(bits.aig)
    for name, width in model.inputs.items():
        blaster.bind(name, bits.add_input(name, width))
    for name, width in model.states.items():
        start = model.init[name]
        reset: list[int | None] = [None] * width if start is None else list(vectors.constant(start.value, width))
        blaster.bind(name, bits.add_latch(name, reset))
    bits.next = [literal for name in model.states for literal in blaster.bits(model.next[name])]
    bits.bad = {name: blaster.bit(term) for name, term in model.bad.items()}
    bits.bounds = {name: blaster.bit(term) for name, term in model.bounds.items()}
    bits.constraints = {name: blaster.bit(term) for name, term in model.constraints.items()}
    bits.justice = {name: tuple(blaster.bit(term) for term in terms) for name, terms in model.justice.items()}
    bits.fairness = {name: blaster.bit(term) for name, term in model.fairness.items()}
    return bits
