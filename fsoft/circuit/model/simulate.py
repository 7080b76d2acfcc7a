"""Running a Model on words. `simulate` is the definition of what a Model does."""

from __future__ import annotations

from fsoft.circuit.model import Model, roots
from fsoft.circuit.model.verdict import Stimulus
from fsoft.program.expr import Expr, operate, postorder


def evaluate_all(order: list[Expr], values: dict[str, int]) -> dict[Expr, int]:
    """The value of every node of a post-order, given those of the leaves."""
    result: dict[Expr, int] = {}
    for node in order:
        if node.op == "const":
            result[node] = node.value
        elif node.args:
            widths = tuple(a.width for a in node.args)
            result[node] = operate(node.op, node.width, widths, node.data, tuple(result[a] for a in node.args))
        else:
            result[node] = values[str(node.data)]
    return result


def initial_values(model: Model, stimulus: Stimulus) -> dict[str, int]:
    """The first state of the run: constants of `init`, else what the stimulus says, else 0."""
    start = {}
    for name in model.states:
        init = model.init[name]
        start[name] = stimulus.initial.get(name, 0) if init is None else init.value
    return start


class SimulationStep:
    """One step of a word-level run: the values of inputs and states, and of every term of the model there."""

    __slots__ = ("number", "terms", "values")

    def __init__(self, number: int, values: dict[str, int], terms: dict[Expr, int]) -> None:
        self.number, self.values, self.terms = number, values, terms

    def holds(self, term: Expr) -> bool:
        return bool(self.terms[term])


def simulate(model: Model, stimulus: Stimulus) -> list[SimulationStep]:
    """The run under the stimulus, one Step per element of `stimulus.inputs`."""
    order = postorder(roots(model))
    state = initial_values(model, stimulus)
    steps = []
    for number, given in enumerate(stimulus.inputs):
        values = state | {name: given.get(name, 0) for name in model.inputs}
        terms = evaluate_all(order, values)
        steps.append(SimulationStep(number, values, terms))
        state = {name: terms[model.next[name]] for name in model.states}
    return steps


def violates(model: Model, stimulus: Stimulus, bad: Expr) -> bool:
    """Whether the run respects all constraints and ends where `bad` holds."""
    steps = simulate(model, stimulus)
    legal = all(step.holds(c) for step in steps for c in model.constraints.values())
    return bool(steps) and legal and steps[-1].holds(bad)
