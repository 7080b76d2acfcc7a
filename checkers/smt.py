"""Bounded model checking and k-induction on words, with Bitwuzla: no bit is made before the solver makes it.

Base and step run side by side, k = 0, 1, 2, ...; `induct` switches the step off (then this is plain BMC).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

from fsoft.checkers.registry import ModelEngine
from fsoft.checkers.safety import EngineCall, SafetyEngine, in_turn, violated
from fsoft.circuit.bits import BOUND, BitModel, fingerprint, to_bits
from fsoft.circuit.bits.words import to_model
from fsoft.circuit.model import Model
from fsoft.circuit.model.reduce import reduce_model
from fsoft.circuit.model.simulate import violates
from fsoft.circuit.model.verdict import Answer, Certificate, Proved, Stimulus, Unknown, Violated
from fsoft.option import option
from fsoft.program.expr import Expr
from fsoft.program.verdict import CountProgress, InternalError
from fsoft.solve.sat import SolverTimeout
from fsoft.solve.smt import Smt, Undecided


@dataclass(slots=True)
class SmtEngine(SafetyEngine):
    """See the options; `depth` is the largest k."""

    depth: int | None = option(None, "at most that many steps", metavar="N", least=0)
    induct: bool = option(True, "prove by k-induction as well (on)")

    def answer(self, question: EngineCall) -> Answer:
        words = to_model(question.model) if isinstance(question.model, BitModel) else question.model
        return in_turn(question, lambda names, progress: self._ask(question, words, names, progress))

    def _ask(self, question: EngineCall, words: Model, names: list[str], progress: CountProgress | None) -> Answer:
        terms = words.bad | {BOUND + name: term for name, term in words.bounds.items()}
        targets = {name: terms[name] for name in names}
        small, restore = reduce_model(replace(words, bad=targets, bounds={}, justice={}, fairness={}))
        base, step = _Frames(small, True, question.deadline), _Frames(small, False, question.deadline)
        k = 0
        try:
            while self.depth is None or k <= self.depth:
                if self.induct and step.excluded():
                    return Proved((self._certificate(small, question.bits, tuple(names), k, step.used),), k - 1)
                run = base.reach()
                if run is not None:
                    return _violated(question.model, words, restore.run(run), targets)
                if progress:
                    progress(k)
                k += 1
                if not small.states:
                    return Proved((self._certificate(small, question.bits, tuple(names), 0, False),), 0)
        except SolverTimeout:
            return Unknown(k - 1, "time limit reached")
        except Undecided:
            return Unknown(k - 1, "Bitwuzla does not decide this")
        return Unknown(k - 1, f"no violation within {self.depth} steps")

    def _certificate(self, small: Model, bits: BitModel, targets: tuple[str, ...], k: int, used: bool) -> Certificate:
        positions: dict[str, list[int]] = {}
        at = 0
        for name, width in bits.latch_words:
            positions[name] = list(range(at, at + width))
            at += width
        facts = restore_facts(small, positions)
        over = tuple(i for name in small.states for i in positions.get(name, ())) if used else None
        return Certificate("induction", fingerprint(bits), targets, tuple(facts), k=k, over=over)


def _violated(model: Model | BitModel, words: Model, run: Stimulus, targets: dict[str, Expr]) -> Violated:
    """The answer for a run, after simulating it, on words if the model is one of words."""
    if isinstance(model, BitModel):
        return violated(model, to_bits(model, run), {name: model.targets()[name] for name in targets})
    for name, term in targets.items():
        if violates(words, run, term):
            return Violated(run, run.depth, name)
    raise InternalError("the counterexample of the engine smt does not simulate")


def restore_facts(small: Model, positions: dict[str, list[int]]) -> list[tuple[int, ...]]:
    """The constants and equalities that the reduction used, as clauses over latches."""
    facts: list[tuple[int, ...]] = []
    for name, value in small.names.get("constant states", {}).items():
        facts += [(2 * latch + 1 - (value >> i & 1),) for i, latch in enumerate(positions[name])]
    for name, other in small.names.get("equal states", {}).items():
        for x, y in zip(positions[name], positions[other]):
            facts += [(2 * x + 1, 2 * y), (2 * x, 2 * y + 1)]
    return facts


class _Frames:
    """Steps of a run in the solver: from the initial states, or from anywhere."""

    def __init__(self, model: Model, initial: bool, deadline: float | None) -> None:
        self.model, self.deadline = model, deadline
        self.smt = Smt()
        self.used = False
        self.inputs: list[dict[str, Any]] = []
        self.states: list[dict[str, Any]] = []
        first = {}
        for name, width in model.states.items():
            start, index = model.init[name] if initial else None, model.arrays.get(name, 0)
            if start is None:
                first[name] = self.smt.constant(f"{name}@0", width, index)
            else:
                first[name] = self.smt.value_term(start.value, width, index)
        self.following = first

    def extend(self) -> Any:
        """One more frame; the truth value that says that a target holds there."""
        model, smt, number = self.model, self.smt, len(self.inputs)
        arrays = model.arrays
        given = {name: smt.constant(f"{name}@{number}", width, arrays.get(name, 0)) for name, width in model.inputs.items()}
        leaves = self.following | given
        done: dict[Expr, Any] = {}
        self.inputs.append(given)
        self.states.append(self.following)
        for term in model.constraints.values():
            smt.add(smt.holds(smt.term(term, leaves, done)))
        target = smt.some([smt.holds(smt.term(term, leaves, done)) for term in model.bad.values()])
        self.following = {name: smt.term(model.next[name], leaves, done) for name in model.states}
        return target

    def reach(self) -> Stimulus | None:
        """A run that ends in the next frame where a target holds."""
        target = self.extend()
        if self.smt.solve([target], self.deadline):
            value = self.smt.value
            initial = {name: value(term) for name, term in self.states[0].items()}
            return Stimulus(initial, tuple({name: value(term) for name, term in step.items()} for step in self.inputs))
        self.smt.add(self.smt.negate(target))
        return None

    def excluded(self) -> bool:
        """Whether the next frame has no target if all before had none and no two states are equal."""
        target = self.extend()
        while self.smt.solve([target], self.deadline):
            if not self._separate():
                self.smt.add(self.smt.negate(target))
                return False
        return True

    def _separate(self) -> bool:
        seen: dict[tuple[int, ...], int] = {}
        found = False
        values = [tuple(self.smt.value(term) for term in state.values()) for state in self.states]
        for number, state in enumerate(values):
            if state in seen:
                pairs = zip(self.states[seen[state]].values(), self.states[number].values())
                self.smt.add(self.smt.differ(list(pairs)))
                found = self.used = True
            seen[state] = number
        return found


ENGINE = ModelEngine(
    name="smt",
    summary="bounded model checking and k-induction on words, with Bitwuzla",
    proves=True,
    refutes=True,
    maker=SmtEngine,
    words=True,
    arrays=True,
    missing=lambda: None if find_spec("bitwuzla") else "Bitwuzla is not installed (pip install bitwuzla)",
)
