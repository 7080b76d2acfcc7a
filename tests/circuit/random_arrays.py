"""Random terms over arrays, each with the values that it must have, and small random Models with arrays, from a seed."""

from __future__ import annotations

import random
from dataclasses import dataclass

from fsoft.circuit.model import Model, leaf
from fsoft.program import expr
from fsoft.program.expr import Expr, const
from fsoft.program.meaning import operate

Pair = tuple[Expr, tuple[int, ...]]
"""A term and its values under some assignments of the leaves."""


@dataclass
class Growth:
    """Grows terms over arrays of one sort from leaves; `values` are computed operator by operator, past the constructor's rules."""

    rng: random.Random
    index: int
    element: int
    arrays: list[Pair]
    words: list[Pair]
    places: list[Pair]
    bits: list[Pair]

    def node(self, op: str, width: int, args: list[Pair], data: int | None = None) -> Pair:
        widths = tuple(a[0].width for a in args)
        values = tuple(operate(op, width, widths, data, given) for given in zip(*(a[1] for a in args)))
        return expr.make(op, width, tuple(a[0] for a in args), data), values

    def grow(self) -> None:
        """One more term of each kind."""
        rng, width = self.rng, self.element << self.index
        pick = rng.choice
        array, other = pick(self.arrays[-6:]), pick(self.arrays)
        at, word = pick(self.places), pick(self.words[-6:])
        kind = rng.randrange(8)
        if kind < 4:
            self.arrays.append(self.node("store", width, [array, at, word]))
        elif kind < 6:
            self.arrays.append(self.node("ite", width, [pick(self.bits), array, other]))
        elif kind == 6:
            self.arrays.append(self.node("constarray", width, [word], self.index))
        self.words.append(self.node("select", self.element, [pick(self.arrays[-4:]), at]))
        self.words.append(self.node("add", self.element, [pick(self.words), pick(self.words)]))
        self.bits.append(self.node("eq", 1, [array, other] if rng.random() < 0.3 else [word, pick(self.words)]))
        if self.index <= self.element:
            self.places.append(self.node("extract", self.index, [pick(self.words)], 0))


def growth(rng: random.Random, assignments: int = 4) -> tuple[Growth, list[dict[str, int]]]:
    """Leaves `a` and `b` (arrays), `w`, `i` and `c`, with constants beside them, and the assignments."""
    index, element = rng.randint(1, 4), rng.randint(1, 5)
    sorts = {"a": (element << index, index), "b": (element << index, index), "w": (element, 0), "i": (index, 0), "c": (1, 0)}
    given = [{name: rng.getrandbits(width) for name, (width, _) in sorts.items()} for _ in range(assignments)]

    def named(name: str) -> Pair:
        return expr.reg(name, *sorts[name]), tuple(values[name] for values in given)

    def fixed(width: int, array: int = 0) -> Pair:
        value = rng.getrandbits(width)
        return const(value, width, array), (value,) * assignments

    grown = Growth(rng, index, element, [named("a"), named("b"), fixed(element << index, index)], [named("w"), fixed(element)],
                   [named("i"), fixed(index), fixed(index)], [named("c")])  # fmt: skip
    return grown, given


def random_array_model(rng: random.Random, index: int = 2, element: int = 2) -> Model:
    """A Model with an array that is written and read at places that inputs and a counter choose, and a bad that is not always reachable."""
    model = Model()
    width = element << index
    model.inputs = {"at": index, "value": element, "go": 1}
    model.states = {"a": width, "k": index, "b": width}
    model.arrays = {"a": index, "b": index}
    if rng.random() < 0.3:
        model.inputs["fresh"], model.arrays["fresh"] = width, index
    a, b, k, at, value, go = (leaf(model, name) for name in ("a", "b", "k", "at", "value", "go"))
    model.init = {"a": const(rng.getrandbits(width), width, index), "k": const(0, index), "b": None}
    if rng.random() < 0.7:
        model.init["b"] = const(0, width, index)
    read = expr.select(b if rng.random() < 0.5 else a, k)
    where = rng.choice([at, k, const(rng.getrandbits(index), index), expr.make("extract", index, (read,), 0) if index <= element else at])
    what = rng.choice([value, read, expr.binary("add", read, const(1, element))])
    model.next["a"] = expr.ite(go, expr.store(a, where, what), rng.choice([a, a, b]))
    model.next["k"] = expr.binary("add", k, const(rng.choice([1, 3]), index))
    source = leaf(model, "fresh") if "fresh" in model.inputs else expr.constant_array(value, index)
    model.next["b"] = rng.choice([b, expr.store(b, at, expr.select(a, where)), expr.ite(go, b, source)])
    wanted = const(rng.getrandbits(width), width, index)
    model.bad["equal"] = expr.eq(a, wanted)
    model.bad["read"] = expr.conj(expr.eq(read, const(rng.getrandbits(element), element)), expr.eq(k, const(rng.getrandbits(index), index)))
    if rng.random() < 0.3:
        model.constraints["small"] = expr.negate(expr.eq(expr.select(a, at), const(rng.getrandbits(element), element)))
    return model
