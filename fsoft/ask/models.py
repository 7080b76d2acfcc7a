"""Engines on Models: how one is asked, and what an answer without a counterexample means for the Program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fsoft.checkers.certify import certify_answer
from fsoft.checkers.registry import GrowingChecker, model_engine
from fsoft.circuit.bits.bitblast import bitblast
from fsoft.circuit.model import Model
from fsoft.circuit.model.verdict import Answer, Proved, Unknown
from fsoft.process.phases import phase
from fsoft.program.cuts import OTHERS, cut_of_bound
from fsoft.program.program import Program
from fsoft.program.verdict import InternalError, Stats, Verdict


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
        given = model if growing is not None or entry.words else bitblast(model)
    with phase(f"engine {name}"):
        if growing is not None:
            answer = growing.check(model, progress=hear, timeout=timeout)
        else:
            answer = entry.made(**options).check(given, progress=hear, timeout=timeout)
    if isinstance(answer, Proved) and (answer.certificates or answer.trusted):
        with phase("certify"):
            wrong = certify_answer(bitblast(given) if isinstance(given, Model) else given, answer)
        if wrong is not None:
            raise InternalError(f"the certificate of the engine {name} is refused: {wrong}")
    return answer


def verdict_of_answer(program: Program, answer: Proved | Unknown, stats: Stats, name: str) -> Verdict:
    """The verdict for an answer that is no violation."""
    prop = min(program.checks) if len(program.checks) == 1 else ""
    if isinstance(answer, Proved):
        return Verdict("TRUE", prop, answer.describe(name), [], stats)
    stats.depth = max(stats.depth, answer.depth)
    cuts = list(dict.fromkeys(cut_of_bound(program, bound) for bound in answer.bounds)) + [OTHERS] * answer.more
    return Verdict("UNKNOWN", prop, [_unknown(answer)], [], stats, cuts)


def _unknown(answer: Unknown) -> str:
    if answer.proved and answer.bounds:
        return "no violation is reachable, but a bound cuts"
    if answer.proved:
        return f"no violation is reachable, but whether a bound cuts is not known ({answer.why})"
    if answer.depth < 0:
        return f"nothing is known: {answer.why}"
    covered = f"no violation within {answer.depth} steps"
    return covered if answer.why == covered else f"{covered} ({answer.why})"
