"""Model checkers on Programs: encode, let the engine answer about the circuit, and bring its evidence home.

A counterexample is lifted to moves of the Program and replayed on the interpreter before it becomes FALSE. A proof becomes TRUE
only if it covers the bounds as well as the bads, and its certificate has passed a check with a fresh solver.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Container
from typing import Any

from fsoft.ask.models import ask, verdict_of_answer
from fsoft.checkers.registry import Progress, model_engine
from fsoft.circuit.encode.banks import LEAST
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
Shapes = dict[str, WordShape]


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

    keep = arrays == "keep" if arrays is not None else model_engine(name).arrays
    with phase("circuit"):
        encoding = reduction.circuit(program, scheduler, LEAST if keep else 0)
    deadline = None if timeout is None else started + timeout
    answer = ask_narrow_first(encoding, name, hear, deadline, options)
    stats.seconds = time.monotonic() - started
    with phase("home"):
        verdict = verdict_of(encoding, answer, stats, name)
    if isinstance(answer, Unknown) and answer.proved:
        verdict.complete = any(cut.of_program for cut in verdict.cuts)
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


__all__ = ["Shapes", "ask", "confirm_run", "decide", "refined", "seconds_left", "verdict_of", "violated"]
