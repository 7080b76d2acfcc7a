"""Model checkers on Programs: encode, let the engine answer about the circuit, and bring its evidence home.

A counterexample is lifted to moves of the Program and replayed on the interpreter before it becomes FALSE. A proof becomes TRUE
only if it covers the bounds as well as the bads, and its certificate has passed a check with a fresh solver.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from checkers.registry import Engine, GrowingChecker, ModelEngine, Progress, UnknownEngine, engine, engines, model_engine, model_engines
from fsoft.circuit.banks import LEAST
from fsoft.circuit.bitblast import bitblast
from fsoft.circuit.bound_lines import bound_line
from fsoft.circuit.encode import Encoding, encode
from fsoft.circuit.lift import Answers, Lifter
from fsoft.circuit.model import Model
from fsoft.circuit.narrow import RANGE, narrow, values_after, widened
from fsoft.circuit.ranges import Ranges
from fsoft.circuit.reduce import cone_of_influence
from fsoft.circuit.scheduler import Scheduler
from fsoft.circuit.states import BEFORE
from fsoft.circuit.verdict import Answer, Proved, Stimulus, Unknown, Violated
from fsoft.phases import phase
from fsoft.program.interpreter import Machine
from fsoft.program.options import PROPERTIES
from fsoft.program.program import Program
from fsoft.program.replay import Finding, confirm, without_halts
from fsoft.program.verdict import InternalError, Stats, Verdict
from fsoft.properties import monitors
from fsoft.properties.confirmed import confirmed, false_verdict
from fsoft.transactions import NO_REDUCTION, Reduction

_REFINEMENTS = 30
_KEEP_ARRAYS = frozenset({"smt"})
"""Engines that do better on circuits with arrays."""

MakeScheduler = Callable[[Program], Scheduler]

_OF_PROGRAMS = ("marker.", "undefined@", "violated.")
"""How the names of bounds begin that are in the Program, not in the circuit."""

MORE_BOUNDS = "others may cut as well: the search ended with these"


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

    def hear(depth: int) -> None:
        stats.depth, stats.seconds = depth, time.monotonic() - started
        progress(stats)

    keep = arrays == "keep" if arrays is not None else name in _KEEP_ARRAYS
    with phase("circuit"):
        encoding = encode(program, scheduler, LEAST if keep else 0, reduction.restrict(program))
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
    encoding: Encoding, name: str, hear: Callable[[int], None], deadline: float | None, options: dict[str, Any]
) -> Answer:
    """The engine's answer about a narrowed model. Losing a value counts as a bad there, so that whatever the engine says it has
    covered is covered in the model as it is; the words that lose one are given more bits, and the question is put again."""

    def left() -> float | None:
        return None if deadline is None else max(0.1, deadline - time.monotonic())

    with phase("ranges"):
        model, ranges = encoding.model, Ranges(encoding)
        needed, _ = cone_of_influence(model)  # what decides nothing need not fit anywhere
    for _ in range(_REFINEMENTS):
        shapes = {name: shape for name, shape in ranges.shapes().items() if name in needed.states}
        if not shapes:
            break
        small = narrow(needed, shapes)
        small.bad[RANGE] = small.bounds.pop(RANGE)
        answer = ask(small, name, hear, left(), options)
        if not isinstance(answer, Violated):
            return answer
        stimulus = widened(model, answer.stimulus, shapes)
        if answer.bad != RANGE:
            return Violated(stimulus, answer.depth, answer.bad)
        ranges.widen(values_after(model, stimulus))
    return ask(needed, name, hear, left(), options)


def ask(
    model: Model,
    name: str,
    hear: Callable[[int], None],
    timeout: float | None,
    options: dict[str, Any],
    growing: GrowingChecker | None = None,
) -> Answer:
    """The engine's answer about the Model; a proof has been certified. `growing`: the engine with its options, if it has been asked about
    smaller versions of the Model before."""
    entry = model_engine(name)
    with phase("bit-blast"):
        given = model if growing is not None or name in ("smt", "portfolio") else bitblast(model)
    with phase(f"engine {name}"):
        if growing is not None:
            answer = growing.check(model, progress=hear, timeout=timeout)
        else:
            answer = entry.load().check(given, progress=hear, timeout=timeout, **options)
    if isinstance(answer, Proved) and (answer.certificates or answer.trusted):
        from checkers.certify import certify_answer

        with phase("certify"):
            wrong = certify_answer(bitblast(given) if isinstance(given, Model) else given, answer)
        if wrong is not None:
            raise InternalError(f"the certificate of the engine {name} is refused: {wrong}")
    return answer


# ---------------------------------------------------------------- answers about circuits as verdicts about programs


def verdict_of(encoding: Encoding, answer: Answer, stats: Stats, name: str) -> Verdict:
    """What the answer means for the Program."""
    if isinstance(answer, Violated):
        stats.depth = answer.depth
        return violated(encoding, answer.stimulus, answer.bad, stats)
    return verdict_of_answer(encoding.program, answer, stats, name)


def verdict_of_answer(program: Program, answer: Proved | Unknown, stats: Stats, name: str) -> Verdict:
    """The verdict for an answer that is no violation."""
    prop = min(program.checks) if len(program.checks) == 1 else ""
    if isinstance(answer, Proved):
        return Verdict("TRUE", prop, answer.describe(name), [], stats)
    stats.depth = max(stats.depth, answer.depth)
    bounds = list(dict.fromkeys(bound_line(program, bound) for bound in answer.bounds)) + [MORE_BOUNDS] * answer.more
    return Verdict("UNKNOWN", prop, [_unknown(answer), *bounds], [], stats, bounds)


def _unknown(answer: Unknown) -> str:
    if answer.proved and answer.bounds:
        return "no violation is reachable, but a bound cuts"
    if answer.proved:
        return f"no violation is reachable, but whether a bound cuts is not known ({answer.why})"
    if answer.depth < 0:
        return f"nothing is known: {answer.why}"
    covered = f"no violation within {answer.depth} steps"
    return covered if answer.why == covered else f"{covered} ({answer.why})"


def violated(encoding: Encoding, stimulus: Stimulus, prop: str, stats: Stats) -> Verdict:
    """The verdict for a run of the circuit that ends where `prop` is violated: FALSE once it has been replayed."""
    program = encoding.program
    plain = Machine(program, compiled=False)
    lifted, frame = Lifter(encoding).reached(stimulus, before=prop in BEFORE)
    moves, answers = without_halts(plain, lifted), Answers(encoding, plain, frame)
    try:
        finding = confirm(plain, moves, Finding(prop, ""), monitors([prop]), answers)
    except InternalError:
        if prop != "no-deadlock" or not answers.undefined:
            raise
        lines = [f"a thread is blocked only for some values of undefined memory: {name}" for name in answers.undefined]
        return Verdict("UNKNOWN", prop, lines, moves, stats, lines)
    return false_verdict(plain, moves, finding, stats)


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
        properties=PROPERTIES,
        proves=entry.proves,
        refutes=entry.refutes,
        load=partial(OnPrograms, entry.name),
        options=entry.options,
    )


def find_engine(name: str) -> Engine:
    """The engine of that name, whether it takes a Program or a Model."""
    try:
        return on_programs(model_engine(name))
    except UnknownEngine:
        pass
    try:
        return engine(name)
    except UnknownEngine:
        known = [*engines(), *model_engines()]
        raise UnknownEngine(f"no engine '{name}': one of {', '.join(known)}") from None


__all__ = [
    "OnPrograms", "ask", "bound_line", "confirmed", "decide", "find_engine", "on_programs", "verdict_of", "verdict_of_answer", "violated",
]  # fmt: skip
