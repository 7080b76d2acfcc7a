"""Fair runs as reachability: a Model with justice becomes one with a single bad, so that every engine for safety serves.

`to_safety` is liveness to safety (Biere, Artho and Schuppan, "Liveness checking as safety checking", FMICS 2002): an input
decides once to save the state, and the bad holds where the saved state comes back after every justice set was met. The run up
to the bad is a lasso; the shortest run is a shortest lasso. `counted` is k-liveness (Claessen and Sörensson, "A liveness
checking algorithm that counts", FMCAD 2012): the bad holds where all sets have been met more than k times over; if that is
unreachable for some k there is no fair run.
"""

from __future__ import annotations

from dataclasses import replace

from fsoft.circuit.model import Model, check_model, properties
from fsoft.circuit.model.simulate import simulate
from fsoft.circuit.model.verdict import Stimulus
from fsoft.program.expr import TRUE, Expr, binary, conj, const, disj, eq, ite, make, negate, reg, registers

LASSO = "lasso"
SAVE, SAVED = "l2s.save", "l2s.saved"


def justice_sets(model: Model) -> list[Expr]:
    """All sets that a fair run meets infinitely often: those of the one justice property, then the fairness constraints."""
    assert len(model.justice) == 1, "one property at a time"
    return [*next(iter(model.justice.values())), *model.fairness.values()]


def influential(model: Model) -> list[str]:
    """The states that decide which runs are legal, fair or bounded: the others may differ where a loop closes."""
    wanted: set[str] = set()
    for _, term in properties(model):
        wanted |= registers(term)
    work = [name for name in wanted if name in model.states]
    while work:
        for name in registers(model.next[work.pop()]) - wanted:
            wanted.add(name)
            if name in model.states:
                work.append(name)
    return [name for name in model.states if name in wanted]


def to_safety(model: Model) -> Model:
    """The model whose bad `lasso` is reachable iff the model has a fair run. Its other bads stay."""
    result = _open(model)
    save, saved = reg(SAVE, 1), reg(SAVED, 1)
    result.inputs[SAVE] = 1
    _state(result, SAVED, 1, 0, disj(saved, save))
    now = conj(save, negate(saved))
    again: Expr = saved
    for name in influential(model):
        width = model.states[name]
        word, copy = reg(name, width), reg(f"l2s.{name}", width)
        _state(result, f"l2s.{name}", width, 0, ite(now, word, copy))
        again = conj(again, eq(word, copy))
    for number, term in enumerate(justice_sets(model)):
        if term is not TRUE:
            seen = reg(f"l2s.seen.{number}", 1)
            _state(result, f"l2s.seen.{number}", 1, 0, disj(seen, conj(term, disj(saved, save))))
            again = conj(again, seen)
    result.bad = {**model.bad, LASSO: again}
    check_model(result)
    return result


def split(run: Stimulus) -> int:
    """Where the loop of a run of `to_safety` begins: the frame that saves the state. It ends before the last frame."""
    return next(k for k, given in enumerate(run.inputs) if given.get(SAVE))


def fair_loop(model: Model, run: Stimulus) -> tuple[int, int] | None:
    """The frame with which a loop of the run begins and the one after its last, if the run is legal, comes back to a state where it has
    been and meets every set of justice in between; as late an end as possible."""
    steps = simulate(model, replace(run, inputs=(*run.inputs, {})))  # one more, for the state after the last frame
    if not all(step.holds(term) for step in steps[:-1] for term in model.constraints.values()):
        return None
    names = influential(model)
    states = [tuple(step.values[name] for name in names) for step in steps]
    sets = justice_sets(model)
    for end in range(len(states) - 1, 0, -1):
        for start in range(end):
            if states[start] == states[end] and all(any(step.holds(term) for step in steps[start:end]) for term in sets):
                return start, end
    return None


def lasso_of(run: Stimulus) -> Stimulus:
    """A run of `to_safety` as one of its model, without the frame in which the loop is seen to be closed."""
    inputs = [{name: value for name, value in given.items() if name != SAVE} for given in run.inputs[:-1]]
    return Stimulus({name: value for name, value in run.initial.items() if not name.startswith("l2s.")}, tuple(inputs))


def counted(model: Model, most: int) -> Model:
    """The model whose bad is reachable iff some run meets all justice sets more than `most` times over."""
    result = _open(model)
    width = max(1, most.bit_length())
    count = reg("klive.count", width)
    sets = [term for term in justice_sets(model) if term is not TRUE]
    complete: Expr = TRUE
    met = []
    for number, term in enumerate(sets):
        met.append(disj(reg(f"klive.seen.{number}", 1), term))
        complete = conj(complete, met[-1])
    for number, term in enumerate(met):
        _state(result, f"klive.seen.{number}", 1, 0, conj(term, negate(complete)))
    full = binary("eq", count, const(most, width))
    _state(result, "klive.count", width, 0, ite(conj(complete, negate(full)), make("add", width, (count, const(1, width))), count))
    result.bad = {**model.bad, LASSO: conj(complete, full)}
    check_model(result)
    return result


def _open(model: Model) -> Model:
    return replace(
        model, inputs=dict(model.inputs), states=dict(model.states), init=dict(model.init), next=dict(model.next), justice={}, fairness={}
    )


def _state(model: Model, name: str, width: int, start: int, following: Expr) -> None:
    model.states[name], model.init[name], model.next[name] = width, const(start, width), following


__all__ = ["LASSO", "SAVE", "counted", "fair_loop", "influential", "justice_sets", "lasso_of", "split", "to_safety"]
