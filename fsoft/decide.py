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

from checkers.registry import Engine, ModelEngine, Progress, UnknownEngine, engine, engines, model_engine, model_engines
from fsoft.circuit.bitblast import bitblast
from fsoft.circuit.encode import STATE_PROPERTIES, Encoding, encode
from fsoft.circuit.lift import Lifter
from fsoft.circuit.model import Model
from fsoft.circuit.narrow import RANGE, guess, narrow, refined, widened
from fsoft.circuit.scheduler import Scheduler
from fsoft.circuit.verdict import Answer, Proved, Stimulus, Unknown, Violated
from fsoft.program.explorer import marker_line, step_markers
from fsoft.program.inputs import Sampler
from fsoft.program.interpreter import Machine
from fsoft.program.options import PROPERTIES
from fsoft.program.program import Program
from fsoft.program.replay import Finding, confirm, without_halts
from fsoft.program.verdict import InternalError, Move, Stats, Verdict
from fsoft.transactions import NO_REDUCTION, Reduction

STEP_PROPERTIES = tuple(name for name in PROPERTIES if name not in STATE_PROPERTIES)
"""What a circuit can be asked."""

_REFINEMENTS = 30

MakeScheduler = Callable[[Program], Scheduler]

_BOUNDS = {
    "contexts": "a run needs more contexts than were allowed (--contexts)",
    "rounds": "a run may need more rounds than were allowed (--rounds)",
    RANGE: "a word needs more bits than the engine had time for",
    "schedule": "the given schedule ends before the program does (--scheduler given)",
}
_PLACED = {
    "undefined": "undefined behaviour",
    "access": "the circuit does not follow an access at an unusual offset; the engine explicit does",
    "cut": "a bound cuts",
}


class NotForCircuits(ValueError):
    """A model checker was asked about a property of whole states."""


def refuse_state_properties(program: Program, name: str) -> None:
    """Raises NotForCircuits if the question is not one about steps."""
    asked = sorted(program.checks & STATE_PROPERTIES)
    if asked:
        raise NotForCircuits(f"the engine {name} does not answer {', '.join(asked)}: use --engine explicit")


def decide(
    program: Program,
    name: str,
    *,
    scheduler: Scheduler | None = None,
    reduction: Reduction = NO_REDUCTION,
    timeout: float | None = None,
    progress: Progress = lambda _stats: None,
    **options: Any,
) -> Verdict:
    """The verdict of the model checker of that name on `program.checks`. `options` are those of the engine."""
    refuse_state_properties(program, name)
    started = time.monotonic()
    stats = Stats()

    def hear(depth: int) -> None:
        stats.depth, stats.seconds = depth, time.monotonic() - started
        progress(stats)

    encoding = encode(program, scheduler, reduction.restrict(program))
    deadline = None if timeout is None else started + timeout
    answer = ask_narrow_first(encoding, name, hear, deadline, options)
    stats.seconds = time.monotonic() - started
    verdict = verdict_of(encoding, answer, stats, name)
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

    model, shapes = encoding.model, guess(encoding)
    for _ in range(_REFINEMENTS):
        if not shapes:
            break
        small = narrow(model, shapes)
        small.bad[RANGE] = small.bounds.pop(RANGE)
        answer = ask(small, name, hear, left(), options)
        if not isinstance(answer, Violated):
            return answer
        stimulus = widened(model, answer.stimulus, shapes)
        if answer.bad != RANGE:
            return Violated(stimulus, answer.depth, answer.bad)
        shapes = refined(model, stimulus, shapes)
    return ask(model, name, hear, left(), options)


def ask(model: Model, name: str, hear: Callable[[int], None], timeout: float | None, options: dict[str, Any]) -> Answer:
    """The engine's answer about the Model; a proof has been certified."""
    entry = model_engine(name)
    bits = bitblast(model)
    words = name in ("smt", "portfolio")
    answer = entry.load().check(model if words else bits, progress=hear, timeout=timeout, **options)
    if isinstance(answer, Proved) and answer.certificates:
        from checkers.certify import certify_answer

        wrong = certify_answer(bits, answer)
        if wrong is not None:
            raise InternalError(f"the certificate of the engine {name} is refused: {wrong}")
    return answer


# ---------------------------------------------------------------- answers about circuits as verdicts about programs


def verdict_of(encoding: Encoding, answer: Answer, stats: Stats, name: str) -> Verdict:
    """What the answer means for the Program."""
    program = encoding.program
    prop = min(program.checks) if len(program.checks) == 1 else ""
    if isinstance(answer, Violated):
        stats.depth = answer.depth
        return violated(encoding, answer.stimulus, answer.bad, stats)
    if isinstance(answer, Proved):
        lines = [f"proved by {name}: {certificate.describe()}" for certificate in answer.certificates]
        return Verdict("TRUE", prop, list(dict.fromkeys(lines)) or [f"proved by {name}, without a certificate"], [], stats)
    stats.depth = max(stats.depth, answer.depth)
    bounds = [bound_line(program, bound) for bound in answer.bounds]
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
    moves = without_halts(plain, Lifter(encoding).moves(stimulus))
    finding = confirm(plain, moves, Finding(prop, ""), (), Sampler(program))
    reasons = [f"{finding.loc}: {finding.message}", *finding.lines]
    added = _approximations(program, moves)
    if added:
        return Verdict("UNKNOWN", prop, [*reasons, *added], moves, stats, added)
    return Verdict("FALSE", prop, reasons, moves, stats, loc=finding.loc)


def _approximations(program: Program, moves: list[Move]) -> list[str]:
    """The markers on a trace that may add behaviour: they forbid FALSE."""
    steps = [program.threads[move.slot].template.steps[move.step] for move in moves]
    markers = dict.fromkeys(program.markers[k] for step in steps for k in step_markers(step))
    return [f"{m.loc}: the trace relies on an approximation: {m.message}" for m in markers if m.adds]


def bound_line(program: Program, name: str) -> str:
    """What a bound of the circuit is, and where."""
    kind, _, place = name.partition("@")
    if name.startswith("marker."):
        return marker_line(program, int(name.removeprefix("marker.")))
    if name.startswith("violated."):
        return f"runs stop where {name.removeprefix('violated.')} is violated"
    if place and kind in _PLACED:
        return f"{place}: {_PLACED[kind]}"
    return f"{name}: {_BOUNDS.get(name, 'a bound cuts')}"


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
        properties=STEP_PROPERTIES,
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
    "NotForCircuits", "OnPrograms", "STEP_PROPERTIES", "ask", "bound_line", "decide", "find_engine", "on_programs",
    "refuse_state_properties", "verdict_of", "violated",
]  # fmt: skip
