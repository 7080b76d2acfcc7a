"""Model to Model without arrays, one word per element, with the way home. For tools that know words but no arrays.

The array `a` becomes the words `a[0]`, `a[1]`, ...; selecting is a tree of multiplexers over the bits of the index, storing a
comparison per element. `bitblast` needs none of this: there an array is its bits.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fsoft.circuit.model import Model, has_arrays, leaf
from fsoft.circuit.model.verdict import Stimulus
from fsoft.program.expr import TRUE, Expr, array_elements, conj, const, eq, ite, make, reg, walk
from fsoft.program.meaning import elements

Parts = list[Expr]
"""The elements of an array, or the one word of a bit-vector."""


@dataclass(slots=True)
class Unflatten:
    """The way home: `words` names the elements of each array that was flattened."""

    original: Model
    words: dict[str, list[str]]

    def values(self, values: dict[str, int]) -> dict[str, int]:
        """Values of words of the flat model as values of the original's; an element that is not named is 0."""
        inner = {word for words in self.words.values() for word in words}
        full = {name: value for name, value in values.items() if name not in inner}
        for name, words in self.words.items():
            if not any(word in values for word in words):
                continue
            size = leaf(self.original, name).element
            full[name] = sum(values.get(word, 0) << k * size for k, word in enumerate(words))
        return full

    def flat(self, values: dict[str, int]) -> dict[str, int]:
        """Values of the original's words as values of the flat model's."""
        full = {name: value for name, value in values.items() if name not in self.words}
        for name, words in self.words.items():
            if name in values:
                array = leaf(self.original, name)
                full.update(zip(words, elements(values[name], array.element, array.width)))
        return full

    def run(self, run: Stimulus) -> Stimulus:
        """A run of the flat model as one of the original."""
        return Stimulus(self.values(run.initial), tuple(self.values(step) for step in run.inputs))


def flatten_arrays(model: Model) -> tuple[Model, Unflatten]:
    """The model without arrays; itself if it has none."""
    if not has_arrays(model):
        return model, Unflatten(model, {})
    flat = _Flat(model)
    result = Model(names=model.names)
    for old, new in ((model.inputs, result.inputs), (model.states, result.states)):
        for name, width in old.items():
            new.update({word: width >> model.arrays.get(name, 0) for word in flat.names[name]})
    for name in model.states:
        words, start = flat.names[name], model.init[name]
        starts = [None] * len(words) if start is None else flat.parts(start)
        result.init.update(zip(words, starts))
        result.next.update(zip(words, flat.parts(model.next[name])))
    result.bad, result.bounds = flat.table(model.bad), flat.table(model.bounds)
    result.constraints, result.fairness = flat.table(model.constraints), flat.table(model.fairness)
    result.justice = {name: tuple(flat.parts(term)[0] for term in terms) for name, terms in model.justice.items()}
    return result, Unflatten(model, {name: flat.names[name] for name in model.arrays})


class _Flat:
    """Terms without arrays; remembers what it has rewritten."""

    def __init__(self, model: Model) -> None:
        self._done: dict[Expr, Parts] = {}
        self.names: dict[str, list[str]] = {}
        taken = {*model.inputs, *model.states} - model.arrays.keys()
        for name in [*model.inputs, *model.states]:
            self.names[name] = [name]
            if name in model.arrays:
                self.names[name] = list(_fresh(name, 1 << model.arrays[name], taken))

    def table(self, terms: dict[str, Expr]) -> dict[str, Expr]:
        return {name: self.parts(term)[0] for name, term in terms.items()}

    def parts(self, root: Expr) -> Parts:
        return walk(root, self._done, self._node)

    def _node(self, node: Expr, args: list[Parts]) -> Parts:
        if node.op == "select":
            return [_selected(args[0], args[1][0])]
        if node.op == "store":
            at, value = args[1][0], args[2][0]
            return [ite(eq(at, const(k, at.width)), value, old) for k, old in enumerate(args[0])]
        if node.op == "constarray":
            return args[0] * (1 << node.index)
        if node.op == "eq" and node.args[0].index:
            same: Expr = TRUE
            for a, b in zip(args[0], args[1]):
                same = conj(same, eq(a, b))
            return [same]
        if not node.index:
            return [make(node.op, node.width, tuple(a[0] for a in args), node.data) if args else node]
        if node.op == "ite":
            return [ite(args[0][0], a, b) for a, b in zip(args[1], args[2])]
        if node.op == "const":
            return [const(value, node.element) for value in array_elements(node)]
        return [reg(word, node.element) for word in self.names[str(node.data)]]


def _selected(rows: Parts, at: Expr) -> Expr:
    for k in range(at.width):
        bit = make("extract", 1, (at,), k)
        rows = [ite(bit, high, low) for low, high in zip(rows[::2], rows[1::2])]
    return rows[0]


def _fresh(name: str, count: int, taken: set[str]) -> Iterable[str]:
    """`name[0]`, `name[1]`, ...; one that is taken gets `~`."""
    for k in range(count):
        word = f"{name}[{k}]"
        while word in taken:
            word += "~"
        taken.add(word)
        yield word
