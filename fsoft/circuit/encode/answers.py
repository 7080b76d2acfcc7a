"""What a model answers when the interpreter takes one of its steps and asks: the way home of inputs and of undefined values.

Circuits, bounded formulas and paths share it: each says what a term is worth and what it has in a cell before the step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fsoft.circuit.encode.steps import StepEffect
from fsoft.program.expr import Expr, evaluate
from fsoft.program.interpreter import Machine
from fsoft.program.program import Action, Alloc, Enter
from fsoft.program.state import ChoicePoint, Event, State, Vector

TermValue = Callable[[Expr], int]
"""What a term is worth."""


class StepAnswers:
    """The answers of one step; `choices` are those it has given. `before` is the value of an entry of the state vector before the step.
    The machine is one that runs the definition: it tells how often an object has come to life when one of its cells is asked for."""

    def __init__(self, machine: Machine, effect: StepEffect, value: TermValue, before: Callable[[int], int]):
        self.choices: list[int] = []
        self._machine, self._effect, self._value, self._before = machine, effect, value, before
        self._given = [value(answer) for asked, answer in effect.answers if value(asked)]
        self._births: dict[int, int] = {}
        self._living: Callable[[], int] | None = None  # the address of what the last action brings to life, once it has

    def execute(self, state: State, slot: int, index: int) -> tuple[State, list[Event]]:
        """Take the step with these answers."""
        interpreter = self._machine.interpreter
        registers = self._machine.layout.registers[slot]

        def hear(action: Action, leaf: Callable[[Expr], int], v: Vector) -> None:
            self._count()
            if isinstance(action, Enter):
                self._living = lambda: evaluate(action.address, leaf)
            elif isinstance(action, Alloc) and not action.zero:
                self._living = lambda: int(v[registers[action.reg]])

        interpreter.watch = hear
        try:
            return self._machine.execute(state, slot, index, self)
        finally:
            interpreter.watch = None

    def __call__(self, question: ChoicePoint, options: Sequence[int] | None) -> int:
        self.choices.append(self._undefined(question) if question.kind == "undefined" else self._given.pop(0))
        return self.choices[-1]

    def _count(self) -> None:
        """What the action before has brought to life."""
        if self._living is not None:
            place = self._machine.layout.place_of(self._living())
            for entry in range(*self._machine.layout.span_of_object(place)) if place is not None else ():
                self._births[entry] = self._births.get(entry, 0) + 1
            self._living = None

    def _undefined(self, question: ChoicePoint) -> int:
        """What the model has where the interpreter has an undefined cell: what it was last born with in this step, or had before."""
        index = self._machine.memory.cell_of(question)
        births = self._births.get(index, 0)
        born = [fresh for entry, when, fresh in self._effect.born if entry == index and self._value(when)] if births else []
        return self._value(born[births - 1]) if born else self._before(index)


__all__ = ["StepAnswers", "TermValue"]
