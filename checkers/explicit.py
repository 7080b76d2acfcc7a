"""The engine `explicit`: every reachable state, breadth first, so that a counterexample is a shortest one.

Where that takes long, guided runs look for deeper violations (`program/hunter.py`; what they find need not be shortest), and if
deadlocks are asked for, the order of locks may answer instead of the search."""

from __future__ import annotations

from typing import Any

from fsoft.checkers.registry import ANYTHING, Engine, ProgramChecker, Progress
from fsoft.program.program import Program
from fsoft.program.verdict import Verdict

_FIRST = 4000  # states before the order of locks is asked


class Explicit:
    """`program/explorer.py` behind the common interface."""

    def check(self, program: Program, progress: Progress, **options: Any) -> Verdict:
        from fsoft.properties import Limits, explore

        reduction, seconds = options.pop("reduction", None), options.pop("timeout", None)
        if reduction is not None:
            options["choice"] = reduction.choice(program)
        if "no-deadlock" in program.checks:
            from fsoft.checkers.lock_order import LockOrder

            verdict = explore(program, progress=progress, limits=Limits(seconds, _FIRST), **options)
            if verdict.kind != "UNKNOWN" or verdict.stats.states < _FIRST:
                return _relying(verdict, reduction, options)
            verdict = LockOrder().check(program, progress)
            if verdict.kind == "TRUE":
                return verdict
        return _relying(explore(program, progress=progress, limits=Limits(seconds), **options), reduction, options)


def _relying(verdict: Verdict, reduction: object, options: dict[str, Any]) -> Verdict:
    """The verdict with what a proof relies on."""
    if verdict.kind == "TRUE" and options.get("choice") is not None and not verdict.reasons[-1].startswith("without reduction"):
        verdict.reasons.append(f"relies on: {reduction}")
    return verdict


def _load() -> ProgramChecker:
    return Explicit()


ENGINE = Engine(
    name="explicit",
    summary="explores every state, breadth first; a counterexample found so is a shortest one",
    takes="program",
    properties=ANYTHING,
    proves=True,
    refutes=True,
    load=_load,
    options=("seed",),
    reduces=True,
)
