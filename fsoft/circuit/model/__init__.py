"""The Model: a transition system over words, with the textbook's names.

A term is an `fsoft.program.expr.Expr` whose leaves are `reg(name, width)`, naming an input or a state, and constants. The record has no
behaviour: `simulate`, `bitblast`, `reduce` and the formats are sibling modules. Inputs and states may be arrays: `arrays` gives their index
bits, `inputs` and `states` the number of all their bits, and a value is the int that `expr.py` describes.

A run starts in a state that satisfies every `init`, takes any input at each step and moves to `next`. Only runs in
which all `constraints` hold at every step count. Verdict TRUE means that no `bad` and none of the `bounds` can hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from fsoft.program.expr import Expr, postorder, reg


class ModelError(ValueError):
    """A Model that breaks its own rules; the message names the term. Never the user's fault."""


@dataclass(slots=True)
class Model:
    """`inputs` and `states` give widths; `init` is a constant, or None for any value; `bad`, `constraints`, `fairness` and `bounds` are
    terms of one bit, `justice` several of them (each infinitely often). `names` says how to get back to C; engines do not read it."""

    inputs: dict[str, int] = field(default_factory=dict)
    states: dict[str, int] = field(default_factory=dict)
    init: dict[str, Expr | None] = field(default_factory=dict)
    next: dict[str, Expr] = field(default_factory=dict)
    bad: dict[str, Expr] = field(default_factory=dict)
    constraints: dict[str, Expr] = field(default_factory=dict)
    justice: dict[str, tuple[Expr, ...]] = field(default_factory=dict)
    fairness: dict[str, Expr] = field(default_factory=dict)
    bounds: dict[str, Expr] = field(default_factory=dict)
    names: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, int] = field(default_factory=dict)


def leaf(model: Model, name: str) -> Expr:
    """The input or state of that name as a term."""
    width = model.states[name] if name in model.states else model.inputs[name]
    return reg(name, width, model.arrays.get(name, 0))


def has_arrays(model: Model) -> bool:
    """Whether an array is anywhere in the model (one of constants can stand without any input or state)."""
    return bool(model.arrays) or any(node.index for node in postorder(roots(model)))


def properties(model: Model) -> Iterator[tuple[str, Expr]]:
    """Every one-bit term of the model with what it is: bads, bounds, constraints, justice, fairness, in this order."""
    for group in ("bad", "bounds", "constraints"):
        for name, term in getattr(model, group).items():
            yield f"{group} '{name}'", term
    for name, terms in model.justice.items():
        for i, term in enumerate(terms):
            yield f"justice '{name}' ({i})", term
    for name, term in model.fairness.items():
        yield f"fairness '{name}'", term


def roots(model: Model) -> tuple[Expr, ...]:
    """All terms of the model: next functions in the order of the states, then the properties."""
    return tuple(model.next[name] for name in model.states) + tuple(term for _, term in properties(model))


def check_model(model: Model) -> None:
    """Raises ModelError unless names, widths and leaves fit together."""
    both = model.inputs.keys() & model.states.keys()
    if both:
        raise ModelError(f"'{min(both)}' is both an input and a state")
    for name, width in [*model.inputs.items(), *model.states.items()]:
        if width < 1 or not name or "\n" in name:
            raise ModelError(f"'{name}' has {width} bits")
    for group, table in (("init", model.init), ("next", model.next)):
        if table.keys() != model.states.keys():
            raise ModelError(f"{group} and states differ on '{min(table.keys() ^ model.states.keys())}'")
    for name, start in model.init.items():
        if start is not None and (start.op != "const" or _sort(start) != _sort(leaf(model, name))):
            raise ModelError(f"init of '{name}' is {start!r}")
    for name, term in model.next.items():
        if _sort(term) != _sort(leaf(model, name)):
            raise ModelError(f"next of '{name}' has {term.width} bits, the state {model.states[name]}, or one is an array")
    for what, term in properties(model):
        if term.width != 1:
            raise ModelError(f"{what} has {term.width} bits")
    _check_leaves(model)


def _sort(term: Expr) -> tuple[int, int]:
    return term.width, term.index


def _check_arrays(node: Expr) -> None:
    """ModelError unless the operands of an operator on arrays fit."""
    if node.op in ("select", "store"):
        array, at = node.args[:2]
        fits = array.index > 0 and at.width == array.index and at.index == 0
        fits = fits and (node if node.op == "select" else node.args[2]).width == array.element
    elif node.op in ("eq", "ite"):
        fits = _sort(node.args[-1]) == _sort(node.args[-2])
    else:
        fits = not any(a.index for a in node.args)
    if not fits:
        raise ModelError(f"the operands of {node!r} do not fit")


def _check_leaves(model: Model) -> None:
    sorts = {name: _sort(leaf(model, name)) for name in [*model.inputs, *model.states]}
    for name, index in model.arrays.items():
        if name not in sorts or index < 1 or sorts[name][0] % (1 << index):
            raise ModelError(f"'{name}' is no array of 2 ** {index} elements")
    for node in postorder(roots(model)):
        if node.op == "own":
            raise ModelError(f"own({node.data}) in a model")
        if node.args and (model.arrays or node.op in ("select", "store")):
            _check_arrays(node)
        if node.op == "reg" and sorts.get(str(node.data)) != _sort(node):
            raise ModelError(f"'{node.data}' of {node.width} bits is neither an input nor a state of that width")
