"""The engine `parametric`: proofs for any number of threads (`fsoft/parametric`). It answers TRUE or nothing, and TRUE only after the
certificate has been checked."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from fsoft.checkers.registry import Engine, Progress, must_answer
from fsoft.option import option
from fsoft.parametric import NoProof, NotCovered, count, prove, refuted, system_of, uncovered, variants
from fsoft.parametric.counting import STATES
from fsoft.program.options import PROPERTIES
from fsoft.program.program import Program
from fsoft.program.verdict import CountProgress, InternalError, Stats, Verdict
from fsoft.solve.sat import SolverTimeout

ANSWERED = tuple(prop for prop in PROPERTIES if prop not in ("no-deadlock", "valid-memtrack"))
"""What can fail in a step, and what two threads can do to each other."""

RACE = "no-data-race"
METHODS = ("invariants", "counting")

_FOREVER = 1e9
_CHEAP = (2_000,)  # abstract states for counting first


@dataclass(frozen=True, slots=True)
class Parametric:
    """Proofs and their judges behind the common interface. The Program should come from `Options.unbounded`; one that does not is a program
    with as many threads as it has slots."""

    seed: int = option(0, "a different order among equals (0: as written)", metavar="N")
    method: str | None = option(None, "which kind of proof (both)", allowed=METHODS)

    def check(self, program: Program, progress: Progress, *, timeout: float | None = None) -> Verdict:
        must_answer(ENGINE, program.checks)
        stats, started = Stats(), time.monotonic()
        deadline = started + (_FOREVER if timeout is None else timeout)
        prop = next(iter(program.checks)) if len(program.checks) == 1 else ""

        def hear(states: int) -> None:
            stats.states, stats.seconds = states, time.monotonic() - started
            progress(stats)

        def unknown(*why: str) -> Verdict:
            stats.seconds = time.monotonic() - started
            return Verdict("UNKNOWN", prop, [*why, _covered(program)], stats=stats)

        failures: list[str] = []
        try:
            for small, ranges in variants(program):
                evidence, failures = _proved(small, deadline, hear, self.method, self.seed)
                if evidence:
                    stats.seconds = time.monotonic() - started
                    reason = f"proved for {_whom(program)}: {evidence} (certificate checked)"
                    return Verdict("TRUE", prop, [reason, *ranges], stats=stats)
        except NotCovered as why:
            return unknown(f"not covered for any number of threads: {why}")
        except SolverTimeout:
            return unknown("time limit reached")
        return unknown(*failures)


def _whom(program: Program) -> str:
    names = " and ".join(dict.fromkeys(program.threads[group[0]].name for group in program.unbounded))
    return f"any number of threads {names}" if names else f"its {len(program.threads)} threads"


def _proved(program: Program, deadline: float, hear: CountProgress, method: str | None, seed: int) -> tuple[str, list[str]]:
    """What proves the Program, or nothing and why not. Without a method all are tried: counting while it is cheap, invariants, counting."""
    if method == "counting":
        return _outcome(_by_counting(program, deadline, hear))
    counting = method is None and bool(program.unbounded) and RACE not in program.checks
    if counting:
        try:
            found = _by_counting(program, deadline, hear, _CHEAP)
            if isinstance(found, str):
                return found, []
        except NotCovered:
            counting = False
    first = _by_invariants(program, deadline, hear, seed)
    if isinstance(first, str) or first.wrong or not counting:
        return _outcome(first)
    return _outcome(_by_counting(program, deadline, hear), first.why)


def _outcome(found: str | NoProof, *earlier: str) -> tuple[str, list[str]]:
    return (found, []) if isinstance(found, str) else ("", [*earlier, found.why])


def _by_invariants(program: Program, deadline: float, hear: CountProgress, seed: int) -> str | NoProof:
    found = prove(system_of(program), deadline, seed, hear)
    if isinstance(found, NoProof):
        return found
    _accept(refuted(system_of(program), found.clauses, deadline))
    return f"an invariant of {len(found.clauses)} clauses about two threads"


def _by_counting(program: Program, deadline: float, hear: CountProgress, states: Sequence[int] | None = None) -> str | NoProof:
    found = count(system_of(program), deadline, hear, states or STATES)
    if isinstance(found, NoProof):
        return found
    _accept(uncovered(system_of(program), found.states, deadline))
    return f"counters up to {found.level}, {len(found.states)} abstract states"


def _accept(wrong: str | None) -> None:
    if wrong is not None:
        raise InternalError(f"the certificate of the engine parametric is refused: {wrong}")


def _covered(program: Program) -> str:
    """How many threads the question is about, and who can answer for fewer."""
    many = {slot for group in program.unbounded for slot in group}
    if not many:
        return f"threads covered: none of the {len(program.threads)} (other engines may answer)"
    names = " and ".join(dict.fromkeys(program.threads[group[0]].name for group in program.unbounded))
    return f"threads covered: none of any number of {names} (--engine explicit --threads N covers N)"


ENGINE = Engine(
    name="parametric",
    summary="proves assertions for any number of threads by invariants about two threads or by counting them",
    properties=ANSWERED,
    proves=True,
    refutes=False,
    maker=Parametric,
    unbounded=True,
)
