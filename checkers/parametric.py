"""The engine `parametric`: proofs for any number of threads (`fsoft/parametric`). It answers TRUE or nothing, and TRUE only after the
certificate has been checked."""

from __future__ import annotations

import time
from typing import Any

from checkers.registry import Engine, ProgramChecker, Progress
from fsoft.program.options import PROPERTIES
from fsoft.program.program import Program
from fsoft.program.verdict import InternalError, Stats, Verdict

ANSWERED = tuple(prop for prop in PROPERTIES if prop not in ("no-data-race", "no-deadlock", "valid-memtrack"))
"""What can fail in a step."""

_FOREVER = 1e9


class Parametric:
    """Inference and the judge of its certificates behind the common interface. The Program should come from `Options.unbounded`;
    one that does not is a program with as many threads as it has slots."""

    def check(self, program: Program, progress: Progress, *, timeout: float | None = None, seed: int = 0, **options: Any) -> Verdict:
        from fsoft.parametric import Failed, NotCovered, prove, refuted, summarised, system_of
        from fsoft.solve.sat import OutOfTime

        stats, started = Stats(), time.monotonic()
        deadline = started + (_FOREVER if timeout is None else timeout)
        prop = next(iter(program.checks)) if len(program.checks) == 1 else ""

        def hear(states: int) -> None:
            stats.states, stats.seconds = states, time.monotonic() - started
            progress(stats)

        def unknown(why: str) -> Verdict:
            stats.seconds = time.monotonic() - started
            return Verdict("UNKNOWN", prop, [why, _covered(program)], stats=stats)

        try:
            small, ranges = summarised(program)
            system = system_of(small)
            found = prove(system, deadline, seed, hear)
            if isinstance(found, Failed):
                return unknown(found.why)
            wrong = refuted(system_of(small), found.clauses, deadline)
        except NotCovered as why:
            return unknown(f"not covered for any number of threads: {why}")
        except OutOfTime:
            return unknown("time limit reached")
        if wrong is not None:
            raise InternalError(f"the certificate of the engine parametric is refused: {wrong}")
        stats.seconds = time.monotonic() - started
        kinds = [kind for kind in system.kinds if kind.many]
        names = " and ".join(dict.fromkeys(kind.name for kind in kinds))
        whom = f"any number of threads {names}" if kinds else f"its {len(program.threads)} threads"
        reason = f"proved for {whom}: an invariant of {len(found.clauses)} clauses about two threads (certificate checked)"
        return Verdict("TRUE", prop, [reason, *ranges], stats=stats)


def _covered(program: Program) -> str:
    """How many threads the question is about, and who can answer for fewer."""
    many = {slot for group in program.unbounded for slot in group}
    if not many:
        return f"threads covered: none of the {len(program.threads)} (other engines may answer)"
    names = " and ".join(dict.fromkeys(program.threads[group[0]].name for group in program.unbounded))
    return f"threads covered: none of any number of {names} (--engine explicit --threads N covers N)"


def _load() -> ProgramChecker:
    return Parametric()


ENGINE = Engine(
    name="parametric",
    summary="proves assertions for any number of threads by invariants about two threads",
    takes="program",
    properties=ANSWERED,
    proves=True,
    refutes=False,
    load=_load,
    options=("seed",),
    unbounded=True,
)
