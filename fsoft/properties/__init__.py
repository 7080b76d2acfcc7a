"""Questions over program states: races, deadlocks, leaks. `check` asks the explorer all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fsoft.program.explorer import NO_LIMITS, Choice, Explorer, Limits, Strayed
from fsoft.program.program import Program
from fsoft.program.replay import Monitor
from fsoft.program.verdict import Stats, Verdict
from fsoft.properties.deadlocks import Deadlocks
from fsoft.properties.leaks import Leaks
from fsoft.properties.races import Races

MONITORS: dict[str, type[Monitor]] = {"no-data-race": Races, "no-deadlock": Deadlocks, "valid-memtrack": Leaks}


def monitors(props: Sequence[str]) -> list[Monitor]:
    """Monitors of the properties that are not checks inside steps."""
    return [MONITORS[prop]() for prop in props if prop in MONITORS]


def explore(program: Program, props: Sequence[str] | None = None, *, reduce: bool = True, limits: Limits = NO_LIMITS,
            progress: Callable[[Stats], None] | None = None, seed: int = 0,
            choice: Choice | None = None) -> Verdict:  # fmt: skip
    """The engine `explicit`: one verdict for all properties together, at the first violation.

    `props` defaults to the properties that are on in the program. `choice` leaves threads out where it can; if the program then does
    what the choice did not foresee, all is explored again without it.
    """
    asked = sorted(program.checks) if props is None else list(props)
    try:
        search = Explorer(program, asked, monitors(asked), reduce=reduce, limits=limits, progress=progress, seed=seed, choice=choice)
        return search.run()[0]
    except Strayed:
        verdict = Explorer(program, asked, monitors(asked), reduce=reduce, limits=limits, progress=progress, seed=seed).run()[0]
        verdict.reasons.append("without reduction: an access goes where no pointer was seen to lead")
        return verdict


def explore_each(program: Program, props: Sequence[str] | None = None, *, reduce: bool = True, limits: Limits = NO_LIMITS,
                 progress: Callable[[Stats], None] | None = None, seed: int = 0) -> list[Verdict]:  # fmt: skip
    """The same search with a verdict for each property."""
    asked = sorted(program.checks) if props is None else list(props)
    return Explorer(program, asked, monitors(asked), reduce=reduce, limits=limits, progress=progress, seed=seed).run(all_properties=True)


__all__ = ["Deadlocks", "Leaks", "Limits", "MONITORS", "Races", "explore", "explore_each", "monitors"]
