"""The Model: a transition system over words, with the textbook's names.

A term is an `fsoft.program.expr.Expr` whose leaves are `reg(name, width)`, naming an input or a state, and constants. The record has no
behaviour: `simulate`, `bitblast`, `reduce` and the formats are sibling modules.

A run starts in a state that satisfies every `init`, takes any input at each step and moves to `next`. Only runs in
which all `constraints` hold at every step count. Verdict TRUE means that no `bad` and none of the `bounds` can hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from fsoft.program.expr import Expr, postorder


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
        if start is not None and (start.op != "const" or start.width != model.states[name]):
            raise ModelError(f"init of '{name}' is {start!r}")
    for name, term in model.next.items():
        if term.width != model.states[name]:
            raise ModelError(f"next of '{name}' has {term.width} bits, the state {model.states[name]}")
    for what, term in properties(model):
        if term.width != 1:
            raise ModelError(f"{what} has {term.width} bits")
    _check_leaves(model)


def _check_leaves(model: Model) -> None:
    widths = model.inputs | model.states
    for node in postorder(roots(model)):
        if node.op == "own":
            raise ModelError(f"own({node.data}) in a model")
        if node.op == "reg" and widths.get(str(node.data)) != node.width:
            raise ModelError(f"'{node.data}' of {node.width} bits is neither an input nor a state of that width")
