"""One engine, whatever it takes: the Program, or its circuit."""

from __future__ import annotations

from typing import Any

from fsoft.checkers.registry import AnyEngine, ModelEngine, Progress, must_answer, must_have_threads
from fsoft.circuit.encode.scheduler import Scheduler
from fsoft.program.program import Program
from fsoft.program.verdict import Verdict
from fsoft.transactions import NO_REDUCTION, Reduction


def ask_engine(
    entry: AnyEngine,
    program: Program,
    progress: Progress = lambda _stats: None,
    *,
    reduction: Reduction | None = None,
    scheduler: Scheduler | None = None,
    arrays: str | None = None,
    timeout: float | None = None,
    **options: Any,
) -> Verdict:
    """The engine's verdict on `program.checks`. `scheduler` and `arrays` are about the circuit; `options` are those of the engine. Whatever
    it does not answer, or does not have, is Unanswered."""
    if not isinstance(entry, ModelEngine):
        return entry.check(program, progress, timeout=timeout, reduction=reduction, **options)
    from fsoft.ask.circuits import decide  # circuits take a while to import

    must_answer(entry, program.checks)
    must_have_threads(entry, program)
    entry.made(**options)  # what is wrong with them is said before the circuit is made
    return decide(
        program, entry.name, scheduler=scheduler, reduction=reduction or NO_REDUCTION, timeout=timeout, progress=progress, arrays=arrays,
        **options,
    )  # fmt: skip


__all__ = ["ask_engine"]
