"""Questions about states: load, ask whoever is to answer, let bounds grow, simplify the trace, say what is known when a limit strikes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fsoft.ask.programs import Programs
from fsoft.ask.question import (
    KLIVE,
    MEMORY,
    TIME,
    ByAuto,
    ByBackend,
    ByEncoding,
    ByEngine,
    Observer,
    Outcome,
    Question,
    Reply,
)
from fsoft.checkers.registry import any_engine
from fsoft.process.limits import OutOfMemory, OutOfTime
from fsoft.process.phases import phase
from fsoft.program.options import UNWOUND_EXPANSION, Options
from fsoft.program.program import Program
from fsoft.program.verdict import Stats, Verdict

if TYPE_CHECKING:
    from fsoft.ask.auto.race import Entrant

WORDS = {TIME: "time limit reached", MEMORY: "memory limit reached"}


class Late(Exception):
    """The time is up; `verdict` says what is known, if anybody has said so."""

    def __init__(self, verdict: Verdict | None = None):
        super().__init__()
        self.verdict = verdict


class LastKnown(Observer):
    """Passes all on, and remembers how far the last engine had come and who was at work."""

    def __init__(self, observer: Observer):
        self.observer, self.stats, self.names = observer, Stats(), dict[str, None]()

    def progress(self, stats: Stats) -> None:
        self.stats = stats
        self.observer.progress(stats)

    def racing(self, entrants: list[Entrant]) -> None:
        self.names.update(dict.fromkeys(one.name for one in entrants))
        self.observer.racing(entrants)

    def say(self, line: str) -> None:
        self.observer.say(line)

    def note(self, line: str) -> None:
        self.observer.note(line)


def ask_states(question: Question, outcome: Outcome, observer: Observer, programs: Programs) -> None:
    """Adds the reply about `options.checks` to the outcome."""
    known, program, limit = LastKnown(observer), None, ""
    try:
        question = replace(question, options=_read_as(question))
        program = programs.get(question.options, observer.stage)
        observer.loaded(program)
        with phase("imports"):
            from fsoft.ask.ways import answered  # circuits, searches, traces: the limits hold by now, and the C is good

        program, verdict = answered(question, known, programs, program)
    except Late as late:
        limit, verdict = TIME, late.verdict or _stopped(TIME, known.stats, program)
    except OutOfTime:
        limit, verdict = TIME, _stopped(TIME, known.stats, program)
    except (OutOfMemory, MemoryError):
        limit, verdict = MEMORY, _stopped(MEMORY, known.stats, program)
    observer.answered(verdict)
    notes = program.notes if program is not None else []
    outcome.replies.append(Reply(", ".join(sorted(question.options.checks)), program, verdict, notes))
    outcome.limit = limit
    outcome.tried = tuple(dict.fromkeys([*_tried(question), *known.names]))


def _read_as(question: Question) -> Options:
    """The options, with creation sites read as whoever answers wants them, and calls expanded far where loops are unwound in any case."""
    way = question.way
    if isinstance(way, ByEngine) and way.name != KLIVE and any_engine(way.name).unbounded:
        return replace(question.options, unbounded=True)
    if isinstance(way, (ByEncoding, ByBackend)):
        return replace(question.options, expansion=UNWOUND_EXPANSION)
    return question.options


def _tried(question: Question) -> list[str]:
    way = question.way
    if isinstance(way, ByEncoding):
        return [way.name if way.engine is None else f"{way.engine.name} on {way.name}"]
    if isinstance(way, ByBackend):
        return [way.backend.name]
    return [] if isinstance(way, ByAuto) else [way.name]


def _stopped(limit: str, stats: Stats, program: Program | None) -> Verdict:
    """What is known when a limit strikes."""
    known = f"no violation {'among' if stats.states else 'within'} {stats.summary()}"
    if program is None:
        known = "before the program was ready to be checked"
    elif stats == Stats():
        known = "before anything was known"
    return Verdict("UNKNOWN", "", [f"{WORDS[limit]}: {known}"], stats=stats)


__all__ = ["WORDS", "Late", "LastKnown", "ask_states"]
