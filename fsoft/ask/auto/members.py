"""Who takes part in `auto`: the table of members, in the order in which they get their first turn.

A member is an engine or an encoding by its name, with the options it gets here, what a Program must look like for it to make sense, and
the length of its first turn. To add one is to add a line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fsoft.ask.auto.facts import ProgramFacts
from fsoft.ask.by_name import given_for
from fsoft.checkers.registry import Unanswered, UnknownEngine, model_engine
from fsoft.checkers.registry import engine as find
from fsoft.process.worker import Tell
from fsoft.program.program import Program
from fsoft.program.verdict import Stats, Verdict
from fsoft.transactions import NO_REDUCTION, Reduction

_ROUNDS = 3
"""Contexts of each thread in the first question to a bounded encoding: most known bugs need no more, and few need less."""

_PAIRS = 6
"""Threads up to which an invariant about each two of them is looked for."""
_OF_STATES = frozenset({"no-data-race", "no-deadlock", "valid-memtrack"})
_OF_RUNS = _OF_STATES - {"no-data-race"}
"""What invariants about two threads do not answer: who waits for ever, and what is left at the end."""

Fits = Callable[[ProgramFacts], bool]


@dataclass(frozen=True, slots=True)
class Room:
    """What a member has: somebody to tell how far it is (`Stats`, or a line for a person), and what the user wants: a seed, a reduction
    (None: as the table says). It need not look at the clock: it is paused and ended from outside. `unbounded` loads the Program again with
    slots that stand for any number of threads."""

    tell: Tell
    seed: int = 0
    reduction: Reduction | None = None
    unbounded: Callable[[], Program] | None = None


AskMember = Callable[[Program, Room], Verdict]


@dataclass(frozen=True, slots=True)
class Member:
    """`turn`: seconds of its first turn. `tools`: it runs programs that write temporary files. `beyond`: it answers for more than the
    bounds of the Program (any number of threads), so it goes on where everything within them is known. `cstub`: with stubborn sets."""

    name: str
    ask: AskMember
    fits: Fits = lambda _facts: True
    turn: float = 3.0
    tools: bool = False
    beyond: bool = False
    cstub: bool = False


def on_program(name: str, engine: str, fits: Fits = lambda _facts: True, *, cstub: bool = False, **more: Any) -> Member:
    """An engine that reads the Program."""

    def ask(program: Program, room: Room) -> Verdict:
        entry = find(engine)
        options: dict[str, Any] = {"seed": room.seed} if any(one.name == "seed" for one in entry.options) else {}
        if entry.reduces and (cstub or room.reduction is not None):
            options["reduction"] = room.reduction or _cstub()
        return entry.check(program, room.tell, **options)

    return Member(name, ask, fits, cstub=cstub, **more)


def on_circuit(name: str, engine: str, fits: Fits = lambda _facts: True, *, cstub: bool = False, **more: Any) -> Member:
    """An engine that reads the circuit."""

    def ask(program: Program, room: Room) -> Verdict:
        from fsoft.ask.circuits import decide  # in the member's own process: what the search in this one answers needs none

        reduction = room.reduction or (_cstub() if cstub else NO_REDUCTION)
        return decide(program, engine, reduction=reduction, progress=room.tell)

    return Member(name, ask, lambda facts: _installed(engine) and fits(facts), cstub=cstub, **more)


def bounded(name: str, encoding: str, fits: Fits = lambda _facts: True, **more: Any) -> Member:
    """A bounded encoding whose bounds grow."""

    def ask(program: Program, room: Room) -> Verdict:
        from fsoft.ask.encodings import answer  # the same

        given = given_for(encoding, incremental=True, contexts=_ROUNDS * len(program.threads))
        return answer(program, encoding, given, progress=_silent, say=room.tell, raised=lambda _verdict: True)

    return Member(name, ask, fits, **more)


def for_any_number(name: str, engine: str, fits: Fits, **more: Any) -> Member:
    """An engine that reads a Program whose slots stand for any number of threads."""

    def ask(program: Program, room: Room) -> Verdict:
        if room.unbounded is None:
            return Verdict("UNKNOWN", "", ["the program cannot be loaded again"])
        try:
            return find(engine).check(room.unbounded(), room.tell, seed=room.seed)
        except Unanswered as why:  # a check that is inside steps only while threads have numbers (c11)
            return Verdict("UNKNOWN", "", [str(why)])

    return Member(name, ask, fits, beyond=True, **more)


def _cstub() -> Reduction:
    return Reduction("cstub", "lock-pattern")


def _installed(engine: str) -> bool:
    try:
        return model_engine(engine).missing() is None
    except UnknownEngine:
        return False


def _silent(_stats: Stats) -> None:
    pass


def _reducible(facts: ProgramFacts) -> bool:
    """Stubborn sets may leave something out, and nothing asked looks at the end of whole runs."""
    return facts.threads > 1 and "valid-memtrack" not in facts.checks


def _deadlocks(facts: ProgramFacts) -> bool:
    return "no-deadlock" in facts.checks and not facts.checks & {"no-data-race", "valid-memtrack"}


def _of_steps(facts: ProgramFacts) -> bool:
    return facts.threads > 1 and not facts.checks & _OF_STATES


def _any_number(facts: ProgramFacts) -> bool:
    return facts.unbounded_threads and not facts.checks & _OF_RUNS


def _few_threads(facts: ProgramFacts) -> bool:
    """Threads by number, whose steps alone are asked about: invariants about each two of them may do."""
    return 1 < facts.threads <= _PAIRS and not facts.unbounded_threads and not facts.checks & _OF_RUNS


MEMBERS = (
    on_program("lock-order", "lock-order", _deadlocks, turn=1.0),
    on_program("values", "values", _of_steps, turn=2.0),
    bounded("tcbmc", "tcbmc"),
    on_program("explicit", "explicit", turn=6.0, tools=True),
    for_any_number("parametric", "parametric", _any_number, turn=12.0),
    on_program("explicit, cstub", "explicit", _reducible, cstub=True, tools=True),
    on_program("invariants", "parametric", _few_threads, turn=6.0),
    on_circuit("abc, cstub", "abc", _reducible, cstub=True, tools=True),
    on_circuit("pdr, cstub", "pdr", _reducible, cstub=True),
    on_circuit("abc", "abc", tools=True),
    on_circuit("pdr", "pdr"),
    on_circuit("kinduction", "kinduction"),
)


def plan(facts: ProgramFacts, reduction: Reduction | None = None) -> list[Member]:
    """The members for a Program, in the order of their first turns. Where the user says which reduction, each engine runs once."""
    return [member for member in MEMBERS if member.fits(facts) and (reduction is None or not member.cstub)]
