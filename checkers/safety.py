"""What all engines on Models share: how a question is put and what is done before an answer leaves.

An engine is a dataclass, its fields are its options. One that works on bits derives from `SafetyEngine` and writes `solve`, which turns a
`Goal` (a BitModel, some targets, a clock) into an `TargetOutcome`; one that works on something else writes `answer`. Bads are asked for
first; if those are unreachable, bounds too, because TRUE needs both. Every counterexample is simulated on the AIG before it is returned.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Union

from fsoft.circuit.bits import BOUND, BitModel, BitStimulus, fingerprint, to_bits, to_words
from fsoft.circuit.bits.bitblast import bitblast
from fsoft.circuit.bits.simulate import Simulator, first_met, run_bits
from fsoft.circuit.bits.sweep import sweep
from fsoft.circuit.model import Model
from fsoft.circuit.model.verdict import Answer, Certificate, Proved, Trusted, Unknown, Violated
from fsoft.program.verdict import CountProgress, InternalError
from fsoft.solve.sat import SolverTimeout

_RUNS, _STEPS, _GATES = 128, 60, 1_500_000  # of the random runs that look for more bounds: at most so many, so long, with so much work


@dataclass(slots=True)
class EngineCall:
    """What `check` of an engine was called with."""

    model: Model | BitModel
    progress: CountProgress | None = None
    timeout: float | None = None
    bad: str | None = None
    deadline: float | None = field(init=False)
    _bits: BitModel | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.deadline = None if self.timeout is None else time.monotonic() + self.timeout
        if self.bad is not None and self.bad not in self.model.bad:
            raise ValueError(f"the model has no bad '{self.bad}'")

    @property
    def bits(self) -> BitModel:
        """The model in bits, made when it is first needed."""
        if self._bits is None:
            self._bits = bitblast(self.model) if isinstance(self.model, Model) else self.model
        return self._bits

    def bads(self) -> list[str]:
        """The names of the bads asked about."""
        return list(self.model.bad) if self.bad is None else [self.bad]

    def bounds(self) -> list[str]:
        """The names of the bounds as targets."""
        return [BOUND + name for name in self.model.bounds]


@dataclass(slots=True)
class SafetyEngine:
    """The base of engines; those that derive from it are dataclasses too."""

    def check(
        self,
        model: Model | BitModel,
        *,
        progress: CountProgress | None = None,
        timeout: float | None = None,
        bad: str | None = None,
    ) -> Answer:
        """See `ModelChecker`."""
        return self.answer(EngineCall(model, progress, timeout, bad))

    def answer(self, question: EngineCall) -> Answer:
        """The answer about bads and bounds."""
        return in_turn(question, lambda names, progress: _ask(question, names, progress, self.solve))

    def solve(self, goal: Goal) -> TargetOutcome:
        """The engine proper: is one of the targets of the goal reachable?"""
        raise NotImplementedError


# ---------------------------------------------------------------- between the engine proper and its question


@dataclass(slots=True)
class Goal:
    """Is one of the targets reachable? `covered` is kept by the engine: no target within that many transitions."""

    bits: BitModel
    targets: dict[str, int]
    deadline: float | None = None
    progress: CountProgress | None = None
    covered: int = -1

    def cover(self, depth: int) -> None:
        """Notes, and tells whoever listens, that no target is reachable within `depth` transitions."""
        if depth > self.covered:
            self.covered = depth
            if self.progress:
                self.progress(depth)

    def tick(self) -> None:
        """Raises SolverTimeout past the deadline."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise SolverTimeout

    def left(self) -> float | None:
        """Seconds until the deadline."""
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())


@dataclass(frozen=True, slots=True)
class Reached:
    """A run that ends where a target holds."""

    run: BitStimulus


@dataclass(frozen=True, slots=True)
class Excluded:
    """No target is reachable; `model` and `targets` of the certificate are filled in later. A tool that gives none has None, and `trusts`
    says what then has to be believed."""

    certificate: Certificate | None
    trusts: str = ""


@dataclass(frozen=True, slots=True)
class Open:
    """No answer, and why."""

    why: str


TargetOutcome = Union[Reached, Excluded, Open]
Solve = Callable[[Goal], TargetOutcome]
AskTargets = Callable[[list[str], Union[CountProgress, None]], Answer]
"""Is one of the targets of these names reachable?"""


def invariant(clauses: list[tuple[int, ...]], circuit: tuple[tuple[int, int], ...] = (), outputs: tuple[int, ...] = ()) -> Excluded:
    return Excluded(Certificate("invariant", "", (), tuple(clauses), circuit, outputs))


def induction(k: int, over: list[int] | None) -> Excluded:
    return Excluded(Certificate("induction", "", (), k=k, over=None if over is None else tuple(over)))


def diameter(k: int, latches: int) -> Excluded:
    return Excluded(Certificate("diameter", "", (), k=k, over=tuple(range(latches))))


# ---------------------------------------------------------------- bads first, then bounds


def in_turn(question: EngineCall, ask: AskTargets) -> Answer:
    """The answer of an engine that is asked about the bads and then, if those are unreachable, about the bounds."""
    bads, bounds = question.bads(), question.bounds()
    first = ask(bads, question.progress) if bads else Proved((), -1)
    if not isinstance(first, Proved) or not bounds:
        return first
    second = ask(bounds, None)  # depths of the bounds would contradict those of the bads
    if isinstance(second, Proved):
        return Proved(first.certificates + second.certificates, max(first.depth, second.depth), first.trusted + second.trusted)
    if isinstance(second, Violated):
        found = tuple(name.removeprefix(BOUND) for name in reachable(question.bits, second, bounds))
        more = len(found) < len(bounds)
        return Unknown(second.depth, f"the bound '{found[0]}' is reached after {second.depth} steps", found, proved=True, more=more)
    return Unknown(second.depth, f"the bounds are open: {second.why}", proved=True)


def reachable(bits: BitModel, found: Violated, names: Iterable[str]) -> list[str]:
    """The targets that hold somewhere on the run that was found or on a few random runs; the one that was found is the first."""
    literals = {name: literal for name, literal in bits.targets().items() if name in set(names) and literal != 0}
    seen = {found.bad: True}
    for row in run_bits(bits, to_bits(bits, found.stimulus), literals.values()):
        seen.update((name, True) for name, value in zip(literals, row) if value)
    seen.update((name, True) for name in _met(bits, {n: x for n, x in literals.items() if n not in seen}))
    return list(seen)


def _met(bits: BitModel, targets: dict[str, int]) -> list[str]:
    """Targets that random runs meet. A run that breaks a constraint counts no longer."""
    if not targets:
        return []
    rng = random.Random(1)
    constraints = list(bits.constraints.values())
    simulator = Simulator(bits.aig, [*targets.values(), *constraints, *bits.next], _RUNS)
    state = [rng.getrandbits(_RUNS) if reset is None else -reset & simulator.mask for reset in bits.reset]
    legal, met = simulator.mask, dict.fromkeys(targets, False)
    for _ in range(min(_STEPS, _GATES // (len(bits.aig) + 1))):
        for literal, value in zip(bits.latches, state):
            simulator.set(literal, value)
        for literal in bits.inputs:
            simulator.set(literal, rng.getrandbits(_RUNS))
        simulator.run()
        for literal in constraints:
            legal &= simulator.get(literal)
        for name, literal in targets.items():
            met[name] = met[name] or bool(simulator.get(literal) & legal)
        if not legal or all(met.values()):
            break
        state = [simulator.get(literal) for literal in bits.next]
    return [name for name, is_met in met.items() if is_met]


# ---------------------------------------------------------------- engines on bits


def _ask(question: EngineCall, names: list[str], progress: CountProgress | None, solve: Solve) -> Answer:
    """Lets the engine work on the reduced model, and brings home what it finds."""
    bits = question.bits
    every = bits.targets()
    targets = {name: every[name] for name in names}
    reduction = sweep(bits, targets)
    goal = Goal(reduction.bits, reduction.targets, question.deadline, progress)
    try:
        outcome = solve(goal)
    except SolverTimeout:
        return Unknown(goal.covered, "time limit reached")
    if isinstance(outcome, Open):
        return Unknown(goal.covered, outcome.why)
    if isinstance(outcome, Excluded):
        if outcome.certificate is None:
            return Proved((), goal.covered, (Trusted(tuple(names), outcome.trusts),))
        certificate = reduction.lift_certificate(outcome.certificate)
        return Proved((replace(certificate, model=fingerprint(bits), targets=tuple(names)),), goal.covered)
    return violated(bits, reduction.lift_run(outcome.run), targets)


def violated(bits: BitModel, run: BitStimulus, targets: dict[str, int]) -> Violated:
    """The answer for a run, after simulating it: the first target that holds at its end."""
    found = first_met(bits, run, list(targets.values()))
    if isinstance(found, str):
        raise InternalError(f"the counterexample of an engine does not simulate: {found}")
    return Violated(to_words(bits, run), len(run.inputs) - 1, list(targets)[found])
