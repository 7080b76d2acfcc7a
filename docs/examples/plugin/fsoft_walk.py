"""The engine `walk`: random runs until one violates a property. It never proves anything, and says so."""

from __future__ import annotations

import time
from typing import Any

from fsoft.checkers.registry import Engine, Progress
from fsoft.program.inputs import Sampler
from fsoft.program.interpreter import Machine
from fsoft.program.program import Program
from fsoft.program.replay import Finding, confirm, without_halts
from fsoft.program.run import random_run
from fsoft.program.state import Violation
from fsoft.program.verdict import Move, Stats, Verdict

RUNS = 500
STEPS = 2000


class Walk:
    """Runs number `seed`, `seed + 1`, ... of the program."""

    def check(self, program: Program, progress: Progress, *, seed: int = 0, timeout: float | None = None, **options: Any) -> Verdict:
        machine, stats, started = Machine(program), Stats(), time.monotonic()
        prop = min(program.checks) if len(program.checks) == 1 else ""
        for number in range(RUNS):
            stats.seconds = time.monotonic() - started
            if timeout is not None and stats.seconds > timeout:
                return Verdict("UNKNOWN", prop, [f"time limit reached: no violation in {number} random runs"], stats=stats)
            run = random_run(machine, seed + number, limit=STEPS)
            stats.transitions += len(run.moves)
            stats.depth = max(stats.depth, len(run.moves))
            progress(stats)
            broken = [event.prop for event in run.events if isinstance(event, Violation) and event.prop in program.checks]
            if broken:
                return self._violated(program, run.moves, broken[0], stats)
        return Verdict("UNKNOWN", prop, [f"no violation in {RUNS} random runs"], stats=stats)

    def _violated(self, program: Program, moves: list[Move], prop: str, stats: Stats) -> Verdict:
        """FALSE, once the run has been replayed on the definition of the semantics."""
        machine = Machine(program, compiled=False)
        moves = without_halts(machine, moves)
        finding = confirm(machine, moves, Finding(prop, ""), [], Sampler(program))
        return Verdict("FALSE", prop, [f"{finding.loc}: {finding.message}", *finding.lines], moves, stats, loc=finding.loc)


ENGINE = Engine(
    name="walk",
    summary="random runs: finds shallow violations, proves nothing",
    takes="program",
    properties=("unreach-call", "valid-deref", "valid-free", "no-overflow", "no-division-by-zero", "no-lock-misuse"),
    proves=False,
    refutes=True,
    load=Walk,
    options=("seed",),
)
