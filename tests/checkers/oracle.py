"""The truth about a small Model, by enumerating its states."""

from __future__ import annotations

from itertools import product

from fsoft.circuit.model import Model, roots
from fsoft.circuit.model.simulate import evaluate_all
from fsoft.program.expr import Expr, postorder


def shortest(model: Model, goals: list[Expr]) -> int | None:
    """How many transitions the shortest run to a goal takes; None if there is none."""
    names = list(model.states)
    order = postorder(roots(model) + tuple(goals))
    starts = [range(1 << w) if model.init[n] is None else [model.init[n].value] for n, w in model.states.items()]  # type: ignore[union-attr]
    moves = list(product(*[range(1 << w) for w in model.inputs.values()]))
    seen = set(product(*starts))
    layer, depth = sorted(seen), 0
    while layer:
        following = []
        for state in layer:
            for move in moves:
                terms = evaluate_all(order, dict(zip(names, state)) | dict(zip(model.inputs, move)))
                if not all(terms[c] for c in model.constraints.values()):
                    continue
                if any(terms[g] for g in goals):
                    return depth
                after = tuple(terms[model.next[n]] for n in names)
                if after not in seen:
                    seen.add(after)
                    following.append(after)
        layer, depth = following, depth + 1
    return None
