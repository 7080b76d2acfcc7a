"""What a model answers when the interpreter takes one of its steps and asks: the way home of inputs and of undefined values.

Circuits, bounded formulas and paths share it: each says what a term is worth and what it has in a cell before the step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fsoft.circuit.steps import Effect
from fsoft.program.expr import Expr
from fsoft.program.interpreter import Machine
from fsoft.program.state import Question

Value = Callable[[Expr], int]
"""What a term is worth."""


class StepAnswers:
    """The answers of one step, for `Machine.execute`; `choices` are those it has given. `before` is the value of an entry of the state
    vector before the step."""

    def __init__(self, machine: Machine, effect: Effect, value: Value, before: Callable[[int], int]):
        self.choices: list[int] = []
        self._machine, self._effect, self._value, self._before = machine, effect, value, before
        self._given = [value(answer) for asked, answer in effect.answers if value(asked)]

    def __call__(self, question: Question, options: Sequence[int] | None) -> int:
        self.choices.append(self._undefined(question) if question.kind == "undefined" else self._given.pop(0))
        return self.choices[-1]

    def _undefined(self, question: Question) -> int:
        """What the model has where the interpreter has an undefined cell: what it was born with in this step, or had before."""
        index = self._machine.memory.cell_of(question)
        for entry, when, fresh in reversed(self._effect.born):
            if entry == index and self._value(when):
                return self._value(fresh)
        return self._before(index)


__all__ = ["StepAnswers", "Value"]
