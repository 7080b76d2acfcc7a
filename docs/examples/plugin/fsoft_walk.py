"""The engine `walk`: random runs until one violates a property. It never proves anything, and says so."""

from __future__ import annotations

import time
from dataclasses import dataclass

from fsoft.checkers.registry import Engine, Progress
from fsoft.option import option
from fsoft.program.inputs import Sampler
from fsoft.program.interpreter import Machine
from fsoft.program.program import Program
from fsoft.program.replay import Finding, confirm, without_halts
from fsoft.program.run import random_run
from fsoft.program.state import Violation
from fsoft.program.verdict import Move, Stats, Verdict

STEPS = 2000


@dataclass(frozen=True)
class Walk:
    """Runs number `seed`, `seed + 1`, ... of the program. The fields are what users may choose."""

    seed: int = option(0, "the number of the first run", metavar="N")
    runs: int = option(500, "how many random runs (500)", metavar="N", least=1)

    def check(self, program: Program, progress: Progress, *, timeout: float | None = None) -> Verdict:
        machine, stats, started = Machine(program), Stats(), time.monotonic()
        prop = min(program.checks) if len(program.checks) == 1 else ""
        for number in range(self.runs):
            stats.seconds = time.monotonic() - started
            if timeout is not None and stats.seconds > timeout:
                return Verdict("UNKNOWN", prop, [f"time limit reached: no violation in {number} random runs"], stats=stats)
            run = random_run(machine, self.seed + number, limit=STEPS)
            stats.transitions += len(run.moves)
            stats.depth = max(stats.depth, len(run.moves))
            progress(stats)
            broken = [event.prop for event in run.events if isinstance(event, Violation) and event.prop in program.checks]
            if broken:
                return self._violated(program, run.moves, broken[0], stats)
        return Verdict("UNKNOWN", prop, [f"no violation in {self.runs} random runs"], stats=stats)

    def _violated(self, program: Program, moves: list[Move], prop: str, stats: Stats) -> Verdict:
        """FALSE, once the run has been replayed on the definition of the semantics."""
        machine = Machine(program, compiled=False)
        moves = without_halts(machine, moves)
        finding = confirm(machine, moves, Finding(prop, ""), [], Sampler(program))
        return Verdict("FALSE", prop, [f"{finding.loc}: {finding.message}", *finding.lines], moves, stats, loc=finding.loc)


ENGINE = Engine(
    name="walk",
    summary="random runs: finds shallow violations, proves nothing",
    properties=("unreach-call", "valid-deref", "valid-free", "no-overflow", "no-division-by-zero", "no-lock-misuse"),
    proves=False,
    refutes=True,
    maker=Walk,
)
