"""What all engines on Models share: how a question is put and what is done before an answer leaves.

An engine proper turns a `Goal` (a BitModel, some targets, a clock) into an `Outcome`. `judge` asks for the bads first; if those are
unreachable it asks for the bounds too, because TRUE needs both. Every counterexample is simulated on the AIG before it is returned.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Union

from fsoft.circuit.bitblast import bitblast
from fsoft.circuit.bits import BOUND, BitModel, BitStimulus, fingerprint, to_words
from fsoft.circuit.model import Model
from fsoft.circuit.simulate import confirm
from fsoft.circuit.sweep import sweep
from fsoft.circuit.transform import copy
from fsoft.circuit.verdict import Answer, Certificate, Proved, Unknown, Violated
from fsoft.program.verdict import InternalError
from fsoft.solve.sat import OutOfTime


@dataclass(slots=True)
class Goal:
    """Is one of the targets reachable? `covered` is kept by the engine: no target within that many transitions."""

    bits: BitModel
    targets: dict[str, int]
    deadline: float | None = None
    progress: Callable[[int], None] | None = None
    covered: int = -1

    def cover(self, depth: int) -> None:
        """Notes, and tells whoever listens, that no target is reachable within `depth` transitions."""
        if depth > self.covered:
            self.covered = depth
            if self.progress:
                self.progress(depth)

    def tick(self) -> None:
        """Raises OutOfTime past the deadline."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise OutOfTime

    def left(self) -> float | None:
        """Seconds until the deadline."""
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())


@dataclass(frozen=True, slots=True)
class Reached:
    """A run that ends where a target holds."""

    run: BitStimulus


@dataclass(frozen=True, slots=True)
class Excluded:
    """No target is reachable; the certificate's `model` and `targets` are filled in by `judge`. A tool that gives none has None."""

    certificate: Certificate | None


@dataclass(frozen=True, slots=True)
class Open:
    """No answer, and why."""

    why: str


Outcome = Union[Reached, Excluded, Open]
Solve = Callable[[Goal], Outcome]


def invariant(clauses: list[tuple[int, ...]], circuit: tuple[tuple[int, int], ...] = (), outputs: tuple[int, ...] = ()) -> Excluded:
    return Excluded(Certificate("invariant", "", (), tuple(clauses), circuit, outputs))


def induction(k: int, over: list[int] | None) -> Excluded:
    return Excluded(Certificate("induction", "", (), k=k, over=None if over is None else tuple(over)))


def diameter(k: int, latches: int) -> Excluded:
    return Excluded(Certificate("diameter", "", (), k=k, over=tuple(range(latches))))


@dataclass(slots=True)
class Question:
    """What `check` of an engine was called with."""

    model: Model | BitModel
    progress: Callable[[int], None] | None = None
    timeout: float | None = None
    bad: str | None = None
    reduce: bool = True
    bits: BitModel = field(init=False)

    def __post_init__(self) -> None:
        self.bits = bitblast(self.model) if isinstance(self.model, Model) else self.model


def judge(question: Question, solve: Solve) -> Answer:
    """Puts the question to an engine: first the bads (or the one of that name), then the bounds."""
    deadline = None if question.timeout is None else time.monotonic() + question.timeout
    bits = question.bits
    bads = bits.bad if question.bad is None else {question.bad: bits.bad[question.bad]}
    first = _ask(question, bads, solve, deadline)
    if not isinstance(first, Proved) or not bits.bounds:
        return first
    bounds = {BOUND + name: literal for name, literal in bits.bounds.items()}
    silent = replace(question, model=bits, progress=None)  # depths of the bounds would contradict those of the bads
    second = _ask(silent, bounds, solve, deadline)
    if isinstance(second, Proved):
        return Proved(first.certificates + second.certificates, max(first.depth, second.depth))
    if isinstance(second, Violated):
        name = second.bad.removeprefix(BOUND)
        return Unknown(second.depth, f"the bound '{name}' is reached after {second.depth} steps", (name,), proved=True)
    return Unknown(second.depth, f"the bounds are open: {second.why}", proved=True)


def _ask(question: Question, targets: dict[str, int], solve: Solve, deadline: float | None) -> Answer:
    bits = question.bits
    reduction = sweep(bits, targets) if question.reduce else None
    if reduction is None:
        goal = Goal(copy(bits), targets, deadline, question.progress)
    else:
        goal = Goal(reduction.bits, reduction.targets, deadline, question.progress)
    try:
        outcome = solve(goal)
    except OutOfTime:
        return Unknown(goal.covered, "time limit reached")
    if isinstance(outcome, Open):
        return Unknown(goal.covered, outcome.why)
    if isinstance(outcome, Excluded):
        if outcome.certificate is None:
            return Proved((), goal.covered)
        certificate = outcome.certificate if reduction is None else reduction.lift_certificate(outcome.certificate)
        certificate = replace(certificate, model=fingerprint(bits), targets=tuple(targets))
        return Proved((certificate,), goal.covered)
    run = outcome.run if reduction is None else reduction.lift_run(outcome.run)
    return violated(bits, run, targets)


def violated(bits: BitModel, run: BitStimulus, targets: dict[str, int]) -> Violated:
    """The answer for a run, after simulating it: the first target that holds at its end."""
    problem = "there is no target"
    for name, literal in targets.items():
        wrong = confirm(bits, run, literal)
        if wrong is None:
            return Violated(to_words(bits, run), len(run.inputs) - 1, name)
        problem = wrong
    raise InternalError(f"the counterexample of an engine does not simulate: {problem}")
