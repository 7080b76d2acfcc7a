"""The engine `explicit`: every reachable state, breadth first, so that a counterexample is a shortest one."""

from __future__ import annotations

from typing import Any

from checkers.registry import Engine, ProgramChecker, Progress
from fsoft.program.options import PROPERTIES
from fsoft.program.program import Program
from fsoft.program.verdict import Verdict


class Explicit:
    """`program/explorer.py` behind the common interface."""

    def check(self, program: Program, progress: Progress, **options: Any) -> Verdict:
        from fsoft.properties import explore

        reduction = options.pop("reduction", None)
        if reduction is not None:
            options["choice"] = reduction.choice(program)
        verdict = explore(program, progress=progress, **options)
        if verdict.kind == "TRUE" and options.get("choice") is not None and not verdict.reasons[-1].startswith("without reduction"):
            verdict.reasons.append(f"relies on: {reduction}")
        return verdict


def _load() -> ProgramChecker:
    return Explicit()


ENGINE = Engine(
    name="explicit",
    summary="explores every state, breadth first; the counterexample is a shortest one",
    takes="program",
    properties=PROPERTIES,
    proves=True,
    refutes=True,
    load=_load,
    options=("seed",),
)
