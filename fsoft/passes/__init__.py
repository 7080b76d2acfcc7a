"""Passes: Program to Program. Each is a frozen dataclass in a file of its own, with a name, its options as fields, and `apply`; one that
depends on what users choose is `Suited`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from fsoft.passes.atomic import Atomic
from fsoft.passes.dead import Dead
from fsoft.passes.fold import Fold
from fsoft.passes.known import Known
from fsoft.passes.settled import Settled
from fsoft.passes.simplify import Simplify
from fsoft.passes.truncate import Truncate
from fsoft.passes.unwind import Bounds, Unwound, unwind
from fsoft.program.options import Options
from fsoft.program.program import Program


class Pass(Protocol):
    @property
    def name(self) -> str: ...

    def apply(self, program: Program) -> Program: ...


@runtime_checkable
class Suited(Protocol):
    """A pass that depends on what users choose."""

    def suited(self, options: Options) -> Pass | None:
        """The pass as these options want it; None if they do not want it."""


PIPELINE: list[Pass] = [Simplify(), Settled(), Simplify("constants", split=False), Known(), Atomic(), Truncate(), Dead(), Fold()]
"""The passes that make a lowered program small, in order. This is the list that a new one is added to."""

by_name: dict[str, Pass] = {p.name: p for p in PIPELINE}


def pipeline(options: Options) -> list[Pass]:
    """The passes for a program that is read with these options."""
    wanted = [one.suited(options) if isinstance(one, Suited) else one for one in PIPELINE]
    return [one for one in wanted if one is not None]


def run(program: Program, passes: Sequence[Pass] = tuple(PIPELINE), after: Callable[[Pass, Program], None] | None = None) -> Program:
    """Apply passes in order; `after` is called with each result (to dump, check or time it)."""
    for one in passes:
        program = one.apply(program)
        if after is not None:
            after(one, program)
    return program


__all__ = [
    "Atomic", "Bounds", "Dead", "Fold", "Known", "PIPELINE", "Pass", "Settled", "Simplify", "Suited", "Truncate", "Unwound", "by_name",
    "pipeline", "run", "unwind",
]  # fmt: skip
