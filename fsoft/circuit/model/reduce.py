"""Reductions of a Model in words, each with its way home: constant states, equal states, cone of influence.

A state is constant if its next function becomes its initial value once all constant states are replaced; two states of equal
initial value are equal if their next functions become the same term once equal states are replaced. Both are greatest fixed points, so the
facts are inductive together. What was found is kept in `names` ("constant states", "equal states").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from fsoft.circuit.model import Model, leaf
from fsoft.circuit.model.verdict import Stimulus
from fsoft.program.expr import Expr, make, walk


@dataclass(slots=True)
class Restore:
    """The way home: what the dropped states are."""

    original: Model
    constant: dict[str, int] = field(default_factory=dict)
    equal: dict[str, str] = field(default_factory=dict)

    def values(self, values: dict[str, int]) -> dict[str, int]:
        """Values of states of the reduced model as values of the original's; what no target depends on is left out."""
        full = dict(values) | self.constant
        full.update((name, full[other]) for name, other in self.equal.items() if other in full)
        return full

    def run(self, run: Stimulus) -> Stimulus:
        """A run of the reduced model as one of the original: dropped inputs are 0."""
        initial = self.values(run.initial)
        for name in self.original.states:
            start = self.original.init[name]
            if name not in initial:
                initial[name] = 0 if start is None else start.value
        return Stimulus(initial, tuple({name: step.get(name, 0) for name in self.original.inputs} for step in run.inputs))


def reduce_model(model: Model) -> tuple[Model, Restore]:
    """All reductions, one after the other."""
    small, first = constant_states(model)
    small, second = equal_states(small)
    small, _ = cone_of_influence(small)
    return small, Restore(model, first.constant, second.equal)


def reduce_words(model: Model) -> Model:
    """The reduced model alone, for files: a run of it is a run of the original by its names, because only states with a constant start are
    replaced."""
    return reduce_model(model)[0]


def constant_states(model: Model) -> tuple[Model, Restore]:
    """Replaces every state that keeps its initial value for ever."""
    found = {name: start for name, start in model.init.items() if start is not None}
    while True:
        rewrite = Rewrite(_leaf(dict(found)))
        lost = [name for name, start in found.items() if rewrite(model.next[name]) is not start]
        if not lost:
            break
        for name in lost:
            del found[name]
    constant = {name: start.value for name, start in found.items()}
    small = _replace(model, dict(found))
    small.names = model.names | {"constant states": model.names.get("constant states", {}) | constant}
    return small, Restore(model, constant)


def equal_states(model: Model) -> tuple[Model, Restore]:
    """Replaces every state that always equals an earlier one."""
    classes: dict[str, object] = {name: start for name, start in model.init.items() if start is not None}
    while True:
        heads: dict[object, str] = {}
        known = {name: leaf(model, heads.setdefault(group, name)) for name, group in classes.items()}
        rewrite = Rewrite(_leaf(known))
        refined = {name: (group, rewrite(model.next[name])) for name, group in classes.items()}
        numbers: dict[object, int] = {}
        renamed = {name: numbers.setdefault(group, len(numbers)) for name, group in refined.items()}
        if len(numbers) == len(heads):
            break
        classes = dict(renamed)
    equal = {name: str(head.data) for name, head in known.items() if head.data != name}
    small = _replace(model, {name: known[name] for name in equal})
    small.names = model.names | {"equal states": model.names.get("equal states", {}) | equal}
    return small, Restore(model, {}, equal)


def cone_of_influence(model: Model) -> tuple[Model, Restore]:
    """Keeps the states and inputs on which a bad, bound, constraint, justice or fairness term depends, now or later."""
    terms: list[Expr] = [*model.bad.values(), *model.bounds.values(), *model.constraints.values(), *model.fairness.values()]
    terms += [term for group in model.justice.values() for term in group]
    seen: set[Expr] = set()
    kept: set[str] = set()
    stack = terms
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        stack.extend(node.args)
        if node.op == "reg" and str(node.data) not in kept:
            kept.add(str(node.data))
            if node.data in model.next:
                stack.append(model.next[str(node.data)])
    small = replace(
        model,
        inputs={name: width for name, width in model.inputs.items() if name in kept},
        states={name: width for name, width in model.states.items() if name in kept},
        init={name: start for name, start in model.init.items() if name in kept},
        next={name: term for name, term in model.next.items() if name in kept},
        arrays={name: index for name, index in model.arrays.items() if name in kept},
    )
    return small, Restore(model)


class Rewrite:
    """Substitution of leaves with one memory for many terms."""

    def __init__(self, leaf: Callable[[Expr], Expr]) -> None:
        self._leaf = leaf
        self._done: dict[Expr, Expr] = {}

    def __call__(self, root: Expr) -> Expr:
        return walk(root, self._done, self._node)

    def _node(self, node: Expr, args: list[Expr]) -> Expr:
        if not args:
            return self._leaf(node)
        same = all(x is y for x, y in zip(args, node.args))
        return node if same else make(node.op, node.width, tuple(args), node.data)


def _leaf(known: dict[str, Expr]) -> Callable[[Expr], Expr]:
    return lambda node: known.get(str(node.data), node) if node.op == "reg" else node


def _replace(model: Model, known: dict[str, Expr]) -> Model:
    """The model with these states replaced by terms and dropped."""
    rewrite = Rewrite(_leaf(known))
    rest = [name for name in model.states if name not in known]
    return replace(
        model,
        states={name: model.states[name] for name in rest},
        init={name: model.init[name] for name in rest},
        next={name: rewrite(model.next[name]) for name in rest},
        arrays={name: index for name, index in model.arrays.items() if name not in known},
        bad={name: rewrite(term) for name, term in model.bad.items()},
        bounds={name: rewrite(term) for name, term in model.bounds.items()},
        constraints={name: rewrite(term) for name, term in model.constraints.items()},
        justice={name: tuple(rewrite(term) for term in terms) for name, terms in model.justice.items()},
        fairness={name: rewrite(term) for name, term in model.fairness.items()},
    )
