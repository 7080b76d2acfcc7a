"""The engine `explicit`: every reachable state, breadth first, so that a counterexample is a shortest one.

Where that takes long, guided runs look for deeper violations (`hunter.py`; what they find need not be shortest), and if
deadlocks are asked for, the order of locks may answer instead of the search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from fsoft.checkers.explicit.search import Explorer
from fsoft.checkers.lock_order import LockOrder
from fsoft.checkers.registry import Progress
from fsoft.program.choice import Choice, Strayed
from fsoft.program.program import Program
from fsoft.program.verdict import NO_LIMITS, Limits, Stats, Verdict
from fsoft.properties import monitors

if TYPE_CHECKING:
    from fsoft.transactions import Reduction

_FIRST = 4000  # states before the order of locks is asked


def answered(program: Program, progress: Progress, seed: int, timeout: float | None, reduction: Reduction | None,
             workers: int = 0) -> Verdict:  # fmt: skip
    """The engine's answer; a proof says which reduction it relies on. `workers`: cores for the compiled search, 0 for all."""
    choice = None if reduction is None else reduction.choice(program)

    def search(limits: Limits, native: bool = False) -> Verdict:
        relies = "" if choice is None else str(reduction)
        return explore(program, progress=progress, limits=limits, seed=seed, choice=choice, native=native, workers=workers, relies=relies)

    if "no-deadlock" in program.checks:
        verdict = search(Limits(timeout, _FIRST))
        if verdict.kind != "UNKNOWN" or verdict.stats.states < _FIRST:
            return verdict
        verdict = LockOrder().check(program, progress)
        if verdict.kind == "TRUE":
            return verdict
    return search(Limits(timeout), native=True)


def explore(program: Program, props: Sequence[str] | None = None, *, reduce: bool = True, limits: Limits = NO_LIMITS,
            progress: Callable[[Stats], None] | None = None, seed: int = 0,
            choice: Choice | None = None, native: bool = False, workers: int = 0, relies: str = "") -> Verdict:  # fmt: skip
    """The engine `explicit`: one verdict for all properties together, at the first violation.

    `props` defaults to the properties that are on in the program. `choice` leaves threads out where it can; if the program then does
    what the choice did not foresee, all is explored again without it. `native`: what takes longer goes on as machine code
    (`relay.py`), on so many cores (0: all). `relies`: what a proof by this choice has to say of itself.
    """
    asked = sorted(program.checks) if props is None else list(props)
    try:
        search = Explorer(program, asked, monitors(asked), reduce=reduce, limits=limits, progress=progress, seed=seed, choice=choice,
                          native=native, workers=workers)  # fmt: skip
        verdict = search.run()[0]
        if relies and verdict.kind == "TRUE":
            verdict.reasons.append(f"relies on: {relies}")
        return verdict
    except Strayed:
        search = Explorer(program, asked, monitors(asked), reduce=reduce, limits=limits, progress=progress, seed=seed, native=native,
                          workers=workers)  # fmt: skip
        verdict = search.run()[0]
        verdict.reasons.append("without reduction: an access goes where no pointer was seen to lead")
        return verdict


def explore_each(program: Program, props: Sequence[str] | None = None, *, reduce: bool = True, limits: Limits = NO_LIMITS,
                 progress: Callable[[Stats], None] | None = None, seed: int = 0) -> list[Verdict]:  # fmt: skip
    """The same search with a verdict for each property."""
    asked = sorted(program.checks) if props is None else list(props)
    return Explorer(program, asked, monitors(asked), reduce=reduce, limits=limits, progress=progress, seed=seed).run(all_properties=True)
