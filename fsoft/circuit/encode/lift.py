"""Runs of the circuit as runs of the Program: the way home for counterexamples.

A stimulus is simulated word by word; in each frame the step that fires and its choices are read off, and the same step is
taken by the interpreter. The two must agree on every word that the interpreter defines, or the encoding is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from fsoft.circuit.encode.answers import StepAnswers
from fsoft.circuit.encode.encoding import Fired, ProgramCircuit
from fsoft.circuit.model.compiled import Evaluate, compile_terms
from fsoft.circuit.model.simulate import evaluate_all
from fsoft.circuit.model.verdict import Stimulus
from fsoft.program.expr import Expr, postorder
from fsoft.program.inputs import Sampler
from fsoft.program.interpreter import Machine
from fsoft.program.state import ChoicePoint, Event, Halted, State, Violation
from fsoft.program.verdict import InternalError, Move

_COMPILE_AFTER = 30  # frames
_IDLE = 25  # frames without a move after which a random run ends


class Lifter:
    """Reads stimuli of one encoding. Terms are walked at first and compiled once that pays."""

    def __init__(self, encoding: ProgramCircuit):
        self.encoding = encoding
        self.machine = Machine(encoding.program, compiled=False)
        terms: dict[Expr, None] = dict.fromkeys(encoding.model.next.values())
        for fired in encoding.steps:
            terms.update(dict.fromkeys([fired.when, fired.effect.lost, *(term for pair in fired.effect.answers for term in pair)]))
            terms.update(dict.fromkeys(term for _, when, value in fired.effect.born for term in (when, value)))
            terms.update(dict.fromkeys([*fired.effect.fails.values(), *fired.effect.cuts.values()]))
        self.terms = list(terms)
        self._order = postorder(tuple(self.terms))
        registers = {index for table in encoding.layout.registers for index in table.values()}
        words = encoding.words
        named = [(index, name) for index, name in enumerate(words.names) if name and index not in registers]
        self.compared = named + [(index, f"{words.arrays[bank]}[{k}]") for index, (bank, k) in words.at.items()]
        self._frames = 0
        self._compiled: Evaluate | None = None

    def evaluate(self, frame: dict[str, int]) -> dict[Expr, int]:
        """The values of the terms, given those of inputs and states."""
        self._frames += 1
        if self._frames < _COMPILE_AFTER:
            return evaluate_all(self._order, frame)
        if self._compiled is None:
            self._compiled = compile_terms(self.terms)
        return dict(zip(self.terms, self._compiled(frame)))

    def moves(self, stimulus: Stimulus) -> list[Move]:
        """The moves of the Program that the stimulus makes, up to where the encoding gives up. Frames in which nobody
        moves are left out."""
        return self.reached(stimulus)[0]

    def reached(self, stimulus: Stimulus, before: bool = False) -> tuple[list[Move], dict[str, int]]:
        """The moves of the stimulus (`before`: those before its last frame) and the words and inputs of the last frame."""
        walk = LiftWalk(self, stimulus.initial)
        early = [walk.advance(given) for given in stimulus.inputs[:-1]]
        frame = {**walk.values, **(stimulus.inputs[-1] if stimulus.inputs else {})}
        last = [walk.advance(given) for given in stimulus.inputs[-1:] if not before]
        return [move for move in early + last if move is not None], frame


class Answers:
    """The answers to try when the end of a lifted run is looked at: those of the sampler, and what the circuit has in its last frame.
    `undefined` names the undefined cells that were asked for. The machine may be that of a program with other registers; its memory, which
    comes last in a state, is the same."""

    def __init__(self, encoding: ProgramCircuit, machine: Machine, frame: dict[str, int]):
        self.encoding, self.machine, self.frame = encoding, machine, frame
        self.sampler = Sampler(encoding.program)
        self.undefined: dict[str, None] = {}
        self._shift = encoding.layout.size - machine.layout.size
        self._given: dict[int, list[int]] = {}
        for name, width in encoding.model.inputs.items():
            self._given.setdefault(width, []).append(frame.get(name, 0))

    def __call__(self, question: ChoicePoint, options: Sequence[int] | None) -> Sequence[int]:
        if options is not None:
            return options
        usual = self.sampler(question, None)
        if question.kind == "undefined":
            self.undefined[question.name] = None
            given = [self.frame.get(self.encoding.words.names[self.machine.memory.cell_of(question) + self._shift], 0)]
        else:
            given = self._given.get(question.width, [])
        return list(dict.fromkeys([*given, *usual]))


class LiftWalk:
    """A run of the circuit and the same run of the interpreter, side by side. `lost`: the encoding has given up; `fired` and `events`
    are those of the last frame."""

    def __init__(self, lifter: Lifter, initial: dict[str, int]):
        self.lifter, self.encoding, self.machine = lifter, lifter.encoding, lifter.machine
        self.values = {name: start.value if start is not None else initial.get(name, 0) for name, start in self.encoding.model.init.items()}
        self.state = self.machine.initial()
        self.lost = False
        self.fired: Fired | None = None
        self.events: list[Event] = []

    def advance(self, given: dict[str, int]) -> Move | None:
        """One frame under these inputs; the move that it makes, if any. InternalError if the two then differ."""
        frame = {**self.values, **{name: given.get(name, 0) for name in self.encoding.model.inputs}}
        terms = self.lifter.evaluate(frame)
        self.fired, self.events = self._fired(terms), []
        fired = self.fired
        self.values = {name: terms[term] for name, term in self.encoding.model.next.items()}
        if fired is None or self.lost:
            return None
        if terms[fired.effect.lost]:
            self.lost = True
            return None
        self.state, choices, self.events = self._move(self.state, fired, frame, terms)
        self.compare(self.state, self.values)
        self._compare_events(fired, self.events, terms)
        return Move(fired.slot, fired.index, choices)

    def _fired(self, terms: dict[Expr, int]) -> Fired | None:
        found = [f for f in self.encoding.steps if terms[f.when]]
        if len(found) > 1:
            raise InternalError(f"{len(found)} steps fire at once in the circuit")
        return found[0] if found else None

    def _move(
        self, state: State, fired: Fired, frame: dict[str, int], terms: dict[Expr, int]
    ) -> tuple[State, tuple[int, ...], list[Event]]:
        answers = StepAnswers(self.machine, fired.effect, terms.__getitem__, lambda index: self.encoding.words.value(index, frame))
        try:
            after, events = answers.execute(state, fired.slot, fired.index)
        except (ValueError, IndexError) as error:
            raise InternalError(f"the circuit takes a step that the program cannot take: {error}") from error
        return after, tuple(answers.choices), events

    def compare(self, state: State, values: dict[str, int]) -> None:
        """InternalError unless the circuit's words are what the interpreter has, where it has a value that matters."""
        wrong = self.differences(state, values)
        if wrong:
            raise InternalError("the circuit and the interpreter disagree on " + ", ".join(wrong[:4]))

    def differences(self, state: Sequence[Any], values: dict[str, int]) -> list[str]:
        """Words that differ; registers are not compared (dead ones keep what they had), nor are undefined cells."""
        value = self.encoding.words.value
        return [
            f"{name} (circuit {value(index, values)}, interpreter {state[index]})"
            for index, name in self.lifter.compared
            if isinstance(state[index], int) and value(index, values) != state[index]
        ]

    def _compare_events(self, fired: Fired, events: list[Event], terms: dict[Expr, int]) -> None:
        """A violation or a bound in the one must be one in the other."""
        ours = {prop for prop, condition in fired.effect.fails.items() if terms[condition]}
        theirs = {event.prop for event in events if isinstance(event, Violation)}
        bound = any(terms[condition] for condition in fired.effect.cuts.values())
        halted = any(isinstance(event, Halted) and event.kind in ("cut", "undefined") for event in events)
        if ours != theirs or bound != halted:
            words = f"{sorted(ours)} and {'a' if bound else 'no'} bound, interpreter {sorted(theirs)} and {'a' if halted else 'no'} bound"
            raise InternalError(f"the circuit and the interpreter disagree on what happens: circuit {words}")


def random_walk(lifter: Lifter, rng: Random, steps: int) -> int:
    """A random run of the circuit, compared with the interpreter step by step; how many moves it made. It ends when nobody has
    moved for a while."""
    model = lifter.encoding.model
    walk = LiftWalk(lifter, {name: rng.getrandbits(width) for name, width in model.states.items()})
    moves = idle = 0
    while moves < steps and idle < _IDLE and not walk.lost:
        given = {name: rng.getrandbits(rng.choice((width, min(width, 2)))) for name, width in model.inputs.items()}
        moved = walk.advance(given) is not None
        moves, idle = moves + moved, 0 if moved else idle + 1
    return moves
