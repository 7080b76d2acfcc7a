"""Model checkers on Programs: encode, let the engine answer about the circuit, and bring its evidence home.

A counterexample is lifted to moves of the Program and replayed on the interpreter before it becomes FALSE. A proof becomes TRUE
only if it covers the bounds as well as the bads, and its certificate has passed a check with a fresh solver.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Container
from dataclasses import dataclass
from functools import partial
from typing import Any

from fsoft.ask.models import ask, verdict_of_answer
from fsoft.checkers.registry import Engine, ModelEngine, Progress, UnknownEngine, engine, model_engine
from fsoft.circuit.encode.banks import LEAST
from fsoft.circuit.encode.bound_lines import bound_line
from fsoft.circuit.encode.encoding import ProgramCircuit
from fsoft.circuit.encode.lift import Answers, Lifter
from fsoft.circuit.encode.narrow import RANGE, narrow, values_after, widened
from fsoft.circuit.encode.ranges import Ranges, WordShape
from fsoft.circuit.encode.scheduler import Scheduler
from fsoft.circuit.encode.states import BEFORE
from fsoft.circuit.model import Model
from fsoft.circuit.model.reduce import cone_of_influence
from fsoft.circuit.model.verdict import Answer, Stimulus, Unknown, Violated
from fsoft.process.phases import phase
from fsoft.program.interpreter import Machine
from fsoft.program.program import Program
from fsoft.program.replay import played_without_halts
from fsoft.program.verdict import Stats, Verdict
from fsoft.properties.confirmation import confirm_run, judge_run
from fsoft.transactions import NO_REDUCTION, Reduction, in_steps

_REFINEMENTS = 30
_KEEP_ARRAYS = frozenset({"smt"})
"""Engines that do better on circuits with arrays."""

MakeScheduler = Callable[[Program], Scheduler]
Shapes = dict[str, WordShape]

_OF_PROGRAMS = ("marker.", "undefined@", "violated.")
"""How the names of bounds begin that are in the Program, not in the circuit."""


def decide(
    program: Program,
    name: str,
    *,
    scheduler: Scheduler | None = None,
    reduction: Reduction = NO_REDUCTION,
    timeout: float | None = None,
    progress: Progress = lambda _stats: None,
    arrays: str | None = None,
    **options: Any,
) -> Verdict:
    """The verdict of the model checker of that name on `program.checks`. `arrays` is "keep" or "flatten" (None: what suits the engine),
    `options` are those of the engine."""
    started = time.monotonic()
    stats = Stats()
    reduction = reduction.kept(program, scheduler)

    def hear(depth: int) -> None:
        stats.depth, stats.seconds = depth, time.monotonic() - started
        progress(stats)

    keep = arrays == "keep" if arrays is not None else name in _KEEP_ARRAYS
    with phase("circuit"):
        encoding = reduction.circuit(program, scheduler, LEAST if keep else 0)
    deadline = None if timeout is None else started + timeout
    answer = ask_narrow_first(encoding, name, hear, deadline, options)
    stats.seconds = time.monotonic() - started
    with phase("home"):
        verdict = verdict_of(encoding, answer, stats, name)
    if isinstance(answer, Unknown) and answer.proved:
        verdict.complete = any(name.startswith(_OF_PROGRAMS) for name in answer.bounds)
    if verdict.kind == "TRUE" and reduction.por != "none":
        verdict.reasons.append(f"relies on: {reduction}")
    return verdict


def ask_narrow_first(
    encoding: ProgramCircuit, name: str, hear: Callable[[int], None], deadline: float | None, options: dict[str, Any]
) -> Answer:
    """The engine's answer about the encoding's model, in narrow words first."""
    with phase("ranges"):
        needed, _ = cone_of_influence(encoding.model)  # what decides nothing need not fit anywhere

    def narrowed(shapes: Shapes) -> Model:
        small = narrow(needed, shapes)
        small.bad[RANGE] = small.bounds.pop(RANGE)
        return small

    def put(model: Model) -> Answer:
        return ask(model, name, hear, seconds_left(deadline), options)

    return refined(encoding, encoding.model, needed.states, narrowed, put) or put(needed)


def refined(
    encoding: ProgramCircuit, model: Model, needed: Container[str], narrowed: Callable[[Shapes], Model], put: Callable[[Model], Answer]
) -> Answer | None:
    """The answer that `put` gets about `narrowed` models, with its run as one of `model`. Losing a value counts as a bad there (RANGE), so
    that whatever is said to be covered is covered in the model as it is; the words that lose one are given more bits, and the
    question is put again. None: the words that are `needed` cannot be narrow."""
    with phase("ranges"):
        ranges = Ranges(encoding)
    for _ in range(_REFINEMENTS):
        shapes = {name: shape for name, shape in ranges.shapes().items() if name in needed}
        if not shapes:
            return None
        answer = put(narrowed(shapes))
        if not isinstance(answer, Violated):
            return answer
        stimulus = widened(model, answer.stimulus, shapes)
        if answer.bad != RANGE:
            return Violated(stimulus, answer.depth, answer.bad)
        ranges.widen(values_after(encoding.model, stimulus))
    return None


def seconds_left(deadline: float | None) -> float | None:
    """What an engine may still use."""
    return None if deadline is None else max(0.1, deadline - time.monotonic())


# ---------------------------------------------------------------- answers about circuits as verdicts about programs


def verdict_of(encoding: ProgramCircuit, answer: Answer, stats: Stats, name: str) -> Verdict:
    """What the answer means for the Program."""
    if isinstance(answer, Violated):
        stats.depth = answer.depth
        return violated(encoding, answer.stimulus, answer.bad, stats)
    return verdict_of_answer(encoding.program, answer, stats, name)


def violated(encoding: ProgramCircuit, stimulus: Stimulus, prop: str, stats: Stats) -> Verdict:
    """The verdict for a run of the circuit that ends where `prop` is violated: FALSE once it has been replayed."""
    plain = Machine(encoding.program.taken_apart(), compiled=False)
    lifted, frame = Lifter(encoding).reached(stimulus, before=prop in BEFORE)
    played = played_without_halts(plain, in_steps(encoding.program, lifted))
    return judge_run(plain, played, prop, Answers(encoding, plain, frame), stats)


# ---------------------------------------------------------------- model checkers beside those that take a Program


@dataclass(frozen=True, slots=True)
class OnPrograms:
    """A model checker behind the interface of those that take a Program."""

    name: str

    def check(
        self,
        program: Program,
        progress: Progress,
        *,
        make_scheduler: MakeScheduler | None = None,
        reduction: Reduction = NO_REDUCTION,
        timeout: float | None = None,
        **options: Any,
    ) -> Verdict:
        scheduler = None if make_scheduler is None else make_scheduler(program)
        return decide(program, self.name, scheduler=scheduler, reduction=reduction, timeout=timeout, progress=progress, **options)


def on_programs(entry: ModelEngine) -> Engine:
    """The model checker as an engine for Programs."""
    return Engine(
        name=entry.name,
        summary=entry.summary,
        takes="model",
        properties=entry.properties,
        proves=entry.proves,
        refutes=entry.refutes,
        load=partial(OnPrograms, entry.name),
        options=entry.options,
        reduces=True,
    )


def find_engine(name: str) -> Engine:
    """The engine of that name, whether it takes a Program or a Model."""
    try:
        return on_programs(model_engine(name))
    except UnknownEngine:
        return engine(name)


__all__ = [
    "OnPrograms", "Shapes", "ask", "bound_line", "confirm_run", "decide", "find_engine", "on_programs", "refined", "seconds_left",
    "verdict_of", "verdict_of_answer", "violated",
]  # fmt: skip
