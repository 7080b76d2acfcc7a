"""Fewer latches: an `int` that only counts to 5 gets 3 of them, and the model itself watches that it stays so.

How many bits a word needs is a guess (`ranges.py`). The narrowed model has one more state, `narrow.lost`,
which rises when some word is about to take a value that its bits cannot hold; from then on no bad and no bound counts. The bound
`range` holds where that happens. So the guess needs no trust: a proof covers `range` like every other bound, and a
counterexample is a run of the original model. Where `range` is reachable, the words that lost a value get more bits and the question
is asked again.
"""

from __future__ import annotations

from dataclasses import replace

from fsoft.circuit.encode.ranges import WordShape
from fsoft.circuit.model import Model
from fsoft.circuit.model.simulate import evaluate_all, initial_values
from fsoft.circuit.model.verdict import Stimulus
from fsoft.program.expr import FALSE, Expr, binary, conj, const, disj, make, negate, postorder, reg

RANGE = "range"
"""The bound of a narrowed model: a word needs more bits."""

LOST = "narrow.lost"


def narrow(model: Model, shapes: dict[str, WordShape]) -> Model:
    """The model with the words of `shapes` in fewer bits, and the bound `range`."""
    leaves = {name: _extended(name, shape, model.states[name]) for name, shape in shapes.items()}
    new = _rebuilt(model, leaves)
    result = replace(model, states=dict(model.states), init=dict(model.init), next={}, bad={}, bounds={}, constraints={})
    lost = reg(LOST, 1)
    losing: Expr = FALSE
    for name, term in model.next.items():
        following, shape = new[term], shapes.get(name)
        if shape is None:
            result.next[name] = following
            continue
        result.states[name] = shape.bits
        start = model.init[name]
        assert start is not None
        result.init[name] = const(start.value, shape.bits)
        result.next[name] = make("extract", shape.bits, (following,), 0)
        losing = disj(losing, negate(_fits(following, shape)))
    result.states[LOST], result.init[LOST], result.next[LOST] = 1, const(0, 1), disj(lost, losing)
    alive = negate(lost)
    result.bad = {name: conj(alive, new[term]) for name, term in model.bad.items()}
    result.bounds = {name: conj(alive, new[term]) for name, term in model.bounds.items()}
    result.bounds[RANGE] = conj(alive, losing)
    result.constraints = {name: new[term] for name, term in model.constraints.items()}
    result.justice, result.fairness = {}, {}
    return result


def widened(model: Model, run: Stimulus, shapes: dict[str, WordShape]) -> Stimulus:
    """A run of the narrowed model as one of the original."""
    initial = {name: value for name, value in run.initial.items() if name in model.states}
    for name in shapes:
        start = model.init[name]
        assert start is not None
        initial[name] = start.value
    return Stimulus(initial, run.inputs)


def values_after(model: Model, run: Stimulus) -> dict[str, int]:
    """What the run of the model, after its last step, puts into each word."""
    order = postorder(tuple(model.next.values()))
    values = initial_values(model, run)
    for given in run.inputs:
        terms = evaluate_all(order, values | {name: given.get(name, 0) for name in model.inputs})
        values = {name: terms[term] for name, term in model.next.items()}
    return values


def _extended(name: str, shape: WordShape, width: int) -> Expr:
    return make("sext" if shape.signed else "zext", width, (reg(name, shape.bits),))


def _fits(term: Expr, shape: WordShape) -> Expr:
    """The word is what its lowest bits say."""
    short = make("extract", shape.bits, (term,), 0)
    return binary("eq", make("sext" if shape.signed else "zext", term.width, (short,)), term)


def _rebuilt(model: Model, leaves: dict[str, Expr]) -> dict[Expr, Expr]:
    """Every term of the model over the narrow words."""
    roots = [*model.next.values(), *model.bad.values(), *model.bounds.values(), *model.constraints.values()]
    new: dict[Expr, Expr] = {}
    for node in postorder(tuple(roots)):
        if node.op == "reg":
            new[node] = leaves.get(str(node.data), node)
        elif node.args:
            new[node] = make(node.op, node.width, tuple(new[a] for a in node.args), node.data)
        else:
            new[node] = node
    return new
