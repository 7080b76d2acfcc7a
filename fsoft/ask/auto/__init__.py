"""`auto`: the answer of whoever has one first.

What takes no time is tried at once, in this process: a search of a few thousand states where threads are few and short. Then members
(`members.py`, chosen by facts about the Program) run side by side in child processes and take turns (`race.py`). A FALSE has been
replayed and a TRUE certified by the member that gives it. Where nobody has an answer, the verdict says what each of them covered.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fsoft.ask.auto.facts import ProgramFacts
from fsoft.ask.auto.members import Member, plan
from fsoft.ask.auto.race import Entrant, Race, WatchRace, beyond
from fsoft.ask.grow import difference, grown
from fsoft.checkers.explicit.engine import explore
from fsoft.checkers.registry import Progress
from fsoft.process.phases import adopt, phase
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.program.verdict import Limits, Stats, Verdict

if TYPE_CHECKING:
    from fsoft.transactions import Reduction

_FEW = 10.0
"""Combinations of locations, as a power of two, up to which a program is tried in this process first: beyond, it seldom helps."""
_STATES = 4000
_MOMENT = 5.0
"""Seconds for larger bounds where there is no time limit."""


class AnswersTimeout(Exception):
    """The time is up; `verdict` says what is known."""

    def __init__(self, verdict: Verdict):
        super().__init__()
        self.verdict = verdict


def check(
    program: Program,
    *,
    jobs: int | None = None,
    memory: int | None = None,
    deadline: float | None = None,
    seed: int = 0,
    reduction: Reduction | None = None,
    progress: Progress = lambda _stats: None,
    watch: WatchRace = lambda _running: None,
    members: list[Member] | None = None,
    unbounded: Callable[[], Program] | None = None,
) -> Verdict:
    """The verdict on `program.checks`. `jobs` members run at a time (default: one per core), `memory` is megabytes for all of them
    together, `deadline` is a time of the monotonic clock. `reduction`: the one that all must use, instead of what suits them. `progress` is
    called about the search in this process, `watch` about those in others. `unbounded` loads the Program with slots for any number of
    threads, for those who prove such things. Raises AnswersTimeout at the deadline."""
    first: Verdict | None = None
    if members is None:
        facts = ProgramFacts(program)
        members = plan(facts, reduction)
        if facts.control <= _FEW and reduction is None:
            with phase("explicit"):
                first = _at_once(program, seed, deadline, progress)
            if first.complete:
                members = [member for member in members if member.beyond]
                deadline = beyond(deadline)
            if first.kind != "UNKNOWN" or not members:
                return _by("explicit", first)
    jobs = jobs or _cores()
    race = Race(program, members, jobs, memory or _machine(), deadline, watch, seed=seed, reduction=reduction, unbounded=unbounded)
    with phase("other engines"):
        winner = race.run()
    for entrant in race.entrants:
        if entrant.phases is not None:
            adopt(entrant.phases, entrant.name)
    if winner is not None and winner.verdict is not None:
        return _by(winner.name, winner.verdict)
    if first is not None and first.complete:
        return _by("explicit", first)
    verdict = _undecided(program, race.entrants, "time limit reached" if race.late else "no engine has an answer")
    if race.late and not verdict.complete:
        raise AnswersTimeout(verdict)
    return verdict


def _at_once(program: Program, seed: int, deadline: float | None, progress: Progress) -> Verdict:
    seconds = None if deadline is None else max(0.1, deadline - time.monotonic())
    return explore(program, limits=Limits(states=_STATES, seconds=seconds), seed=seed, progress=progress)


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def _machine() -> int:
    """Most of the megabytes that the machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 4 // 5 >> 20


def _by(name: str, verdict: Verdict) -> Verdict:
    verdict.engine = name
    verdict.reasons.append(f"answered by {name}")
    return verdict


def _undecided(program: Program, entrants: list[Entrant], why: str) -> Verdict:
    """UNKNOWN with what every member knows. Where one has found out all there is within the bounds, that is the answer."""
    for one in entrants:
        if one.verdict is not None and one.verdict.complete:
            return _by(one.name, one.verdict)
    prop = min(program.checks) if len(program.checks) == 1 else ""
    stats = Stats()
    for one in entrants:
        found = one.verdict.stats if one.verdict is not None else one.known
        if isinstance(found, Stats) and found.states > stats.states:
            stats = found
    cuts = list(dict.fromkeys(cut for one in entrants if one.verdict is not None for cut in one.verdict.cuts))
    lines = [f"{one.name}: {what}" for one in entrants for what in [_known(one)] if what]
    return Verdict("UNKNOWN", prop, [why, *lines], [], stats, cuts)


def _known(entrant: Entrant) -> str:
    if entrant.failed:
        return f"failed: {entrant.failed}"
    if entrant.verdict is not None:
        return "; ".join(entrant.verdict.lines())
    if isinstance(entrant.known, Stats):
        found = entrant.known
        return f"no violation among {found.states:,} states" if found.states else f"no violation within {found.depth} steps"
    if entrant.known:
        return f"covered: {entrant.known.partition(': ')[0]}"  # what comes after says what it cost
    return "" if entrant.worker is None else "nothing yet"


def check_growing(
    program: Program, load: Callable[[Options], Program], options: Options, fixed: frozenset[str], deadline: float | None, **more: Any
) -> Iterator[tuple[Program, Verdict]]:
    """As `check`, and where bounds of the Program cut that are not `fixed`, the Program is loaded again with larger ones, until the time
    is up (without a time limit: for a moment). Gives one verdict after the other, each with the Program that it is about; the last
    one counts, wherever that is."""
    verdict = check(program, deadline=deadline, unbounded=lambda: load(replace(options, unbounded=True)), **more)
    now = options
    yield program, verdict
    end = deadline or time.monotonic() + _MOMENT
    while verdict.complete and (larger := grown(now, verdict.cuts, fixed)) is not None and time.monotonic() < end:
        bounds = difference(options, larger)
        try:
            with phase("grow"):
                program = load(larger)
            verdict, now = check(program, deadline=end, **more), larger
        except AnswersTimeout:
            verdict.reasons.append(f"more is not known: {bounds} takes too long")
            return
        verdict.reasons.append(f"with {bounds}")
        yield program, verdict


def named(program: Program, names: Collection[str], reduction: Reduction | None) -> list[Member] | None:
    """The members of these names that fit the Program; None, which stands for all that fit, if there are none."""
    return [member for member in plan(ProgramFacts(program), reduction) if member.name in names] or None if names else None


__all__ = ["ProgramFacts", "AnswersTimeout", "check", "check_growing", "named"]
