"""From the inputs of a bounded Model back to a run: which steps happen, in which order, with which answers.

The run is made on the interpreter, step by step. Where the Model takes a step that the interpreter cannot take the encoding is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from fsoft.bounded.walk import Taken
from fsoft.circuit.encode.answers import StepAnswers
from fsoft.circuit.model.simulate import evaluate_all
from fsoft.program.expr import Expr, postorder
from fsoft.program.interpreter import Machine
from fsoft.program.program import Program
from fsoft.program.state import Violation, in_section
from fsoft.program.verdict import InternalError, Move


class InputValues:
    """What terms are worth under the inputs of a Model; an input that is not given is 0."""

    def __init__(self, inputs: Mapping[str, int], widths: Mapping[str, int]):
        self._frame = {name: inputs.get(name, 0) for name in widths}
        self._known: dict[Expr, int] = {}

    def __call__(self, term: Expr) -> int:
        if term not in self._known:
            self._known.update(evaluate_all(postorder((term,)), self._frame))
        return self._known[term]

    def prepare(self, terms: Sequence[Expr]) -> None:
        """Evaluate many terms at once."""
        self._known.update(evaluate_all(postorder(tuple(terms)), self._frame))


def choices(inputs: Mapping[str, int], widths: Mapping[str, int]) -> list[tuple[int, int]]:
    """Width and value of each input of a Model, for the judge of a run (`properties/confirmation.py`)."""
    return [(width, inputs.get(name, 0)) for name, width in widths.items()]


def happened(program: Program, steps: Sequence[Taken], value: InputValues) -> list[Taken]:
    """The steps that the inputs choose, without those that stop inside an atomic section without violating anything: nobody sees them."""
    value.prepare([term for one in steps for term in (one.when, one.goes_on, *one.turn)])
    found = []
    for one in steps:
        if not value(one.when):
            continue
        step = program.threads[one.slot].template.steps[one.index]
        silent = not value(one.goes_on) and in_section(program, one.slot, step)
        if not silent or any(value(condition) for prop, condition in one.effect.fails.items() if prop in program.checks):
            found.append(one)
    return found


def _before(one: Taken, value: InputValues) -> Callable[[int], int]:
    return lambda index: value(one.before(index))


def moves_of(program: Program, run: Sequence[Taken], value: InputValues, until: Callable[[Violation], bool]) -> list[Move]:
    """The run as moves of the (unwound) program, up to the first violation of the kind that is looked for."""
    machine = Machine(program, compiled=False)
    state, moves = machine.initial(), []
    for one in run:
        answers = StepAnswers(machine, one.effect, value, _before(one, value))
        try:
            state, events = answers.execute(state, one.slot, one.index)
        except (ValueError, IndexError) as error:
            step = program.threads[one.slot].template.steps[one.index]
            raise InternalError(f"{step.loc}: the formula takes a step that the program cannot take: {error}") from error
        moves.append(Move(one.slot, one.index, tuple(answers.choices)))
        if any(isinstance(event, Violation) and until(event) for event in events):
            break
    return moves
