"""The engine `explicit`: every reachable state, breadth first, so that a counterexample is a shortest one.

Where that takes long, guided runs look for deeper violations (`program/hunter.py`; what they find need not be shortest), and if
deadlocks are asked for, the order of locks may answer instead of the search."""

from __future__ import annotations

from typing import Any

from checkers.registry import Engine, ProgramChecker, Progress
from fsoft.program.options import PROPERTIES
from fsoft.program.program import Program
from fsoft.program.verdict import Verdict

_FIRST = 4000  # states before the order of locks is asked


class Explicit:
    """`program/explorer.py` behind the common interface."""

    def check(self, program: Program, progress: Progress, **options: Any) -> Verdict:
        from fsoft.properties import Limits, explore

        if "no-deadlock" in program.checks:
            from checkers.lock_order import LockOrder

            verdict = explore(program, progress=progress, limits=Limits(states=_FIRST), **options)
            if verdict.kind != "UNKNOWN" or verdict.stats.states < _FIRST:
                return verdict
            verdict = LockOrder().check(program, progress)
            if verdict.kind == "TRUE":
                return verdict
        return explore(program, progress=progress, **options)


def _load() -> ProgramChecker:
    return Explicit()


ENGINE = Engine(
    name="explicit",
    summary="explores every state, breadth first; a counterexample found so is a shortest one",
    takes="program",
    properties=PROPERTIES,
    proves=True,
    refutes=True,
    load=_load,
    options=("seed",),
)
