"""Runs of the circuit as runs of the Program: the way home for counterexamples.

A stimulus is simulated word by word; in each frame the step that fires and its choices are read off, and the same step is
taken by the interpreter. The two must agree on every word that the interpreter defines, or the encoding is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fsoft.circuit.encode import Encoding, Fired
from fsoft.circuit.simulate import evaluate_all
from fsoft.circuit.verdict import Stimulus
from fsoft.program.expr import Expr, postorder
from fsoft.program.interpreter import Machine
from fsoft.program.state import Event, Question, State
from fsoft.program.verdict import InternalError, Move


class Lifter:
    """Reads stimuli of one encoding."""

    def __init__(self, encoding: Encoding):
        self.encoding = encoding
        self.machine = Machine(encoding.program, compiled=False)
        terms = [*encoding.model.next.values()]
        for fired in encoding.steps:
            terms += [fired.when, fired.effect.lost, *(term for pair in fired.effect.answers for term in pair)]
            terms += [term for _, when, value in fired.effect.born for term in (when, value)]
        self.order = postorder(tuple(terms))

    def moves(self, stimulus: Stimulus) -> list[Move]:
        """The moves of the Program that the stimulus makes, up to where the encoding gives up; frames in which nobody moves are left out."""
        values = self._start(stimulus)
        state = self.machine.initial()
        moves: list[Move] = []
        for given in stimulus.inputs:
            frame = {**values, **{name: given.get(name, 0) for name in self.encoding.model.inputs}}
            terms = evaluate_all(self.order, frame)
            fired = self._fired(terms)
            values = {name: terms[term] for name, term in self.encoding.model.next.items()}
            if fired is not None and terms[fired.effect.lost]:
                break
            if fired is not None:
                state, choices, _ = self._move(state, fired, frame, terms)
                moves.append(Move(fired.slot, fired.index, choices))
                self.compare(state, values)
        return moves

    def _start(self, stimulus: Stimulus) -> dict[str, int]:
        out = {}
        for name, start in self.encoding.model.init.items():
            out[name] = start.value if start is not None else stimulus.initial.get(name, 0)
        return out

    def _fired(self, terms: dict[Expr, int]) -> Fired | None:
        found = [f for f in self.encoding.steps if terms[f.when]]
        if len(found) > 1:
            raise InternalError(f"{len(found)} steps fire at once in the circuit")
        return found[0] if found else None

    def _move(
        self, state: State, fired: Fired, frame: dict[str, int], terms: dict[Expr, int]
    ) -> tuple[State, tuple[int, ...], list[Event]]:
        answers = [terms[value] for asked, value in fired.effect.answers if terms[asked]]
        choices: list[int] = []
        cells = self.machine.memory

        def choose(question: Question, options: Sequence[int] | None) -> int:
            if question.kind == "undefined":
                answer = self._undefined(cells.cell_of(question), fired, frame, terms)
            else:
                answer = answers.pop(0)
            choices.append(answer)
            return answer

        try:
            after, events = self.machine.execute(state, fired.slot, fired.index, choose)
        except (ValueError, IndexError) as error:
            raise InternalError(f"the circuit takes a step that the program cannot take: {error}") from error
        return after, tuple(choices), events

    def _undefined(self, index: int, fired: Fired, frame: dict[str, int], terms: dict[Expr, int]) -> int:
        """What the circuit has where the interpreter has an undefined cell: its old value, or the one it was born with in this step."""
        value = frame[self.encoding.words.names[index]]
        for entry, when, fresh in fired.effect.born:
            if entry == index and terms[when]:
                value = terms[fresh]
        return value

    def compare(self, state: State, values: dict[str, int]) -> None:
        """InternalError unless the circuit's words are what the interpreter has, where it has a value that matters."""
        wrong = self.differences(state, values)
        if wrong:
            raise InternalError("the circuit and the interpreter disagree on " + ", ".join(wrong[:4]))

    def differences(self, state: Sequence[Any], values: dict[str, int]) -> list[str]:
        out = []
        registers = {i for table in self.encoding.layout.registers for i in table.values()}
        for index, value in enumerate(state):
            name = self.encoding.words.names[index]
            if name and isinstance(value, int) and index not in registers and values[name] != value:
                out.append(f"{name} (circuit {values[name]}, interpreter {value})")
        return out
