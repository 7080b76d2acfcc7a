"""A path with values for its inputs as moves of the Program (the way home for counterexamples, as `circuit.lift` is for circuits)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fsoft.bounded.outcomes import EntryTerms, Executed, StepEnd
from fsoft.circuit.encode.answers import StepAnswers, TermValue
from fsoft.program.inputs import Sampler
from fsoft.program.interpreter import Machine
from fsoft.program.state import ChoicePoint
from fsoft.program.verdict import InternalError, Move


@dataclass(slots=True)
class PathEdge:
    """A step that a path takes: the state before it, and how it ends."""

    values: EntryTerms
    executed: Executed
    outcome: StepEnd


def lifted(machine: Machine, edges: Sequence[PathEdge], value: TermValue) -> list[Move]:
    """The moves of the path under these values; InternalError if the interpreter cannot follow."""
    state, moves = machine.initial(), list[Move]()
    for edge in edges:
        done, answers = edge.executed, StepAnswers(machine, edge.executed.effect, value, _before(edge, value))
        try:
            state, _ = answers.execute(state, done.slot, done.index)
        except (ValueError, IndexError) as error:
            raise InternalError(f"a path takes a step that the program cannot take: {error}") from error
        moves.append(Move(done.slot, done.index, tuple(answers.choices)))
        at = machine.layout.pc[done.slot]
        if state[at] != edge.outcome.location:
            raise InternalError(f"a path and the interpreter disagree on where thread {done.slot} is after step {done.index}")
    return moves


def _before(edge: PathEdge, value: TermValue) -> Callable[[int], int]:
    return lambda index: value(edge.values[index])


class PathAnswers:
    """The answers to try when the end of a path is looked at: those of the sampler, and the values that the path has there.
    `undefined` names the undefined cells that were asked for."""

    def __init__(self, machine: Machine, values: EntryTerms, given: dict[int, list[int]], value: TermValue):
        self.machine, self.values, self.given, self.value = machine, values, given, value
        self.sampler = Sampler(machine.program)
        self.undefined: dict[str, None] = {}

    def __call__(self, question: ChoicePoint, options: Sequence[int] | None) -> Sequence[int]:
        if options is not None:
            return options
        if question.kind == "undefined":
            self.undefined[question.name] = None
            given = [self.value(self.values[self.machine.memory.cell_of(question)])]
        else:
            given = self.given.get(question.width, [])
        return list(dict.fromkeys([*given, *self.sampler(question, None)]))
