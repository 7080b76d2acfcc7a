"""Questions about whole runs: one answer for every formula, as far as the limits allow."""

from __future__ import annotations

import time

from fsoft.ask.question import KLIVE, MEMORY, TIME, ByEngine, Observer, Outcome, Question, Reply
from fsoft.ask.runs import Answered, check_circuit, check_explicit, folding, load_watched, unreduced
from fsoft.ask.states import LastKnown
from fsoft.checkers.registry import any_engine
from fsoft.process.limits import OutOfMemory, OutOfTime
from fsoft.program.program import Program
from fsoft.program.verdict import Limits, Stats, Verdict
from fsoft.properties.ltl import Property, Watched
from fsoft.transactions import NO_REDUCTION, Reduction

_MARGIN = 0.3  # seconds before the deadline in which an answer that says nothing is there because the time is up


def ask_executions(question: Question, outcome: Outcome, observer: Observer) -> None:
    """Adds a reply for each formula to the outcome. Where a limit has struck already, nothing more is asked."""
    outcome.notes = folding(question.options, question.formulas)
    if outcome.limit:
        outcome.replies += _open(question.formulas, outcome.limit, Stats(), None)
        return
    known, program, props = LastKnown(observer), None, list(question.formulas)
    try:
        reduction = _reduction(question, observer)
        watched = load_watched(question.sources, question.options, props, after=observer.stage, bits=question.bits, cpp=question.cpp)
        program = watched.program
        while props:
            known.stats = Stats()
            answered = _answer(question, watched, props[0], known, reduction)
            if _is_late(question, answered.verdict):
                raise OutOfTime
            outcome.replies.append(_reply(props.pop(0), program, answered))
            observer.answered(answered.verdict)
    except OutOfTime:
        outcome.limit = TIME
    except (OutOfMemory, MemoryError):
        outcome.limit = MEMORY
    outcome.replies += _open(props, outcome.limit, known.stats, program)


def _reduction(question: Question, observer: Observer) -> Reduction:
    """The reduction of the question, with a note for every formula that it is not made for."""
    reduction = question.reduction or NO_REDUCTION
    for prop in question.formulas:
        if why := unreduced(prop, reduction):
            observer.note(f"no reduction for '{prop}': {why}")
    return reduction


def _answer(question: Question, watched: Watched, prop: Property, known: LastKnown, reduction: Reduction) -> Answered:
    way = question.way
    left = None if question.deadline is None else max(0.1, question.deadline - time.monotonic())
    if not isinstance(way, ByEngine) or (way.name != KLIVE and any_engine(way.name).takes == "program"):
        return check_explicit(watched, prop, Limits(left), known.progress, reduction)
    return check_circuit(watched, prop, way.name, timeout=left, progress=known.progress, reduction=reduction, **way.given)


def _is_late(question: Question, verdict: Verdict) -> bool:
    deadline = question.deadline
    return verdict.kind == "UNKNOWN" and not verdict.cuts and deadline is not None and time.monotonic() >= deadline - _MARGIN


def _reply(prop: Property, program: Program, answered: Answered) -> Reply:
    loop = None if answered.lasso is None else sum(move is not None for move in answered.lasso.stem)
    return Reply(str(prop), program, answered.verdict, [*answered.notes, *program.notes], prop, loop)


def _open(props: list[Property] | tuple[Property, ...], limit: str, stats: Stats, program: Program | None) -> list[Reply]:
    """What is known of formulas that have no answer when a limit strikes."""
    found, notes = [], program.notes if program is not None else []
    for number, prop in enumerate(props):
        far = f"no violation of '{prop}' within {stats.depth} steps" if stats.depth > 0 and not number else ""
        line = f"{limit} limit reached: " + (far or f"nothing is known about '{prop}'")
        found.append(Reply(str(prop), program, Verdict("UNKNOWN", prop.name, [line], stats=stats), list(notes), prop))
    return found


__all__ = ["ask_executions"]
