"""Questions about states: load, ask whoever is to answer, let bounds grow, simplify the trace, say what is known when a limit strikes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from fsoft.ask.engines import ask_engine
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
    Scheduling,
)
from fsoft.checkers.registry import any_engine
from fsoft.process.limits import OutOfMemory, OutOfTime
from fsoft.program.options import UNWOUND_EXPANSION, Options
from fsoft.program.program import Program
from fsoft.program.verdict import Stats, Verdict

if TYPE_CHECKING:
    from fsoft.ask.auto.members import Member
    from fsoft.ask.auto.race import Entrant
    from fsoft.circuit.encode.scheduler import Scheduler
    from fsoft.passes.unwind import Unwound
    from fsoft.transactions import Reduction

_MARGIN = 0.3  # seconds before the deadline in which an answer that says nothing is there because the time is up
_LEAST = 1.0  # seconds for a simpler run
_WORDS = {TIME: "time limit reached", MEMORY: "memory limit reached"}


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
        program, verdict = _in_plain(*_Asking(question, known, programs).verdict(program))
        if question.shorten:
            verdict = _shortened(program, verdict)
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


def _in_plain(program: Program, verdict: Verdict) -> tuple[Program, Verdict]:
    from fsoft.passes.watch import under_race_model  # passes take a while to import, and loading imports them in any case

    return under_race_model(program, verdict)


def _shortened(program: Program, verdict: Verdict) -> Verdict:
    """The verdict with a simpler trace; as it is, if a limit strikes before there is one."""
    from fsoft.trace.shorten import shortened  # only where there is a trace

    try:
        return shortened(program, verdict)
    except (OutOfTime, OutOfMemory, MemoryError):
        return verdict


def _stopped(limit: str, stats: Stats, program: Program | None) -> Verdict:
    """What is known when a limit strikes."""
    known = f"no violation {'among' if stats.states else 'within'} {stats.summary()}"
    if program is None:
        known = "before the program was ready to be checked"
    elif stats == Stats():
        known = "before anything was known"
    return Verdict("UNKNOWN", "", [f"{_WORDS[limit]}: {known}"], stats=stats)


class _Asking:
    """One question to whoever is to answer."""

    def __init__(self, question: Question, known: LastKnown, programs: Programs):
        self.question, self.known, self.programs = question, known, programs

    def verdict(self, program: Program) -> tuple[Program, Verdict]:
        """The verdict, and the Program that it is about: one with larger bounds, where these have grown."""
        way = self.question.way
        if isinstance(way, ByAuto):
            return self._auto(program, way)
        if isinstance(way, ByEncoding):
            return self._growing(program, way)
        if isinstance(way, ByBackend):
            return program, self._backend(program, way)
        return program, self._engine(program, way)

    def _left(self) -> float | None:
        deadline = self.question.deadline
        return None if deadline is None else max(0.1, deadline - time.monotonic())

    def _in_time(self, verdict: Verdict) -> Verdict:
        """The verdict, unless it says nothing because the time is up."""
        deadline = self.question.deadline
        if verdict.kind == "UNKNOWN" and not verdict.cuts and deadline is not None and time.monotonic() >= deadline - _MARGIN:
            self.known.progress(verdict.stats)
            raise Late
        return verdict

    def _reduction(self) -> Reduction | None:
        asked, question = self.question.reduction, self.question
        return None if asked is None else sound_reduction(asked, question.scheduling, question.options.checks, self.known.note)

    # ------------------------------------------------------------ auto

    def _auto(self, program: Program, way: ByAuto) -> tuple[Program, Verdict]:
        from fsoft.ask import auto  # workers, selectors and their kin

        question = self.question
        reduction = self._reduction()
        answers = auto.check_growing(
            program, self.programs.get, question.options, question.fixed, question.deadline, jobs=way.options.jobs, seed=way.options.seed,
            memory=question.memory, reduction=reduction, progress=self.known.progress, watch=self.known.racing,
            members=_members(program, way, reduction),
        )  # fmt: skip
        last: tuple[Program, Verdict] | None = None
        try:
            for answer in answers:
                last = answer
        except auto.AnswersTimeout as late:
            raise Late(late.verdict) from None
        except OutOfTime:
            if last is None:
                raise
        assert last is not None
        return last

    # ------------------------------------------------------------ one engine

    def _engine(self, program: Program, way: ByEngine) -> Verdict:
        question, entry = self.question, any_engine("pdr" if way.name == KLIVE else way.name)
        reduction = self._reduction()
        if reduction is not None and reduction.por == "none":
            reduction = None
        verdict = ask_engine(
            entry, program, self.known.progress, reduction=reduction, scheduler=scheduler_for(question.scheduling, program),
            arrays=question.arrays, timeout=self._left(), **way.given,
        )  # fmt: skip
        return self._in_time(verdict)

    # ------------------------------------------------------------ bounded encodings

    def _growing(self, program: Program, way: ByEncoding) -> tuple[Program, Verdict]:
        """With `incremental` the Program gets more threads, heap objects or deeper recursion where those bounds cut and are not fixed."""
        from fsoft.ask.auto.grow import difference, grown

        question, options = self.question, self.question.options
        verdict = self._bounded(program, way, options)
        while way.bounds.incremental and verdict.kind == "UNKNOWN" and (larger := grown(options, verdict.cuts, question.fixed)) is not None:
            bounds = difference(question.options, larger)
            self.known.say(f"again with {bounds}")
            try:
                program = self.programs.get(larger)
                verdict, options = self._bounded(program, way, larger), larger
            except (Late, OutOfTime):
                verdict.reasons.append(f"more is not known: {bounds} takes too long")
                break
            verdict.reasons.append(f"with {bounds}")
        return program, verdict

    def _bounded(self, program: Program, way: ByEncoding, options: Options) -> Verdict:
        from fsoft.ask.auto.grow import grown
        from fsoft.ask.encodings import answer  # formulas and solvers

        fixed, engine = self.question.fixed, way.engine
        more = {} if engine is None else {"engine": engine.name, **engine.given}
        verdict = answer(
            program, way.name, way.bounds, progress=self.known.progress, timeout=self._left(), say=self.known.say,
            simpler=self._simpler(program), raised=lambda verdict: grown(options, verdict.cuts, fixed) is not None, **more,
        )  # fmt: skip
        return self._in_time(verdict)

    def _simpler(self, program: Program) -> Callable[[Unwound, Verdict], Verdict] | None:
        """For a trace that somebody will see: one with as few switches as possible. It may take as long as the search for the first."""
        if not self.question.shorten:
            return None
        began = time.monotonic()

        def simpler(unwound: Unwound, verdict: Verdict) -> Verdict:
            from fsoft.ask.switches import fewest_switches

            try:
                return fewest_switches(program, unwound, verdict, max(_LEAST, time.monotonic() - began), self.known.say)
            except (OutOfTime, OutOfMemory, MemoryError):
                return verdict

        return simpler

    # ------------------------------------------------------------ other verifiers

    def _backend(self, program: Program, way: ByBackend) -> Verdict:
        from fsoft.ask.backend import check_with
        from fsoft.ask.by_name import scheme_of

        try:
            return check_with(program, way.bounds, way.backend, scheme_of(way.scheme), timeout=self._left(), say=self.known.say)
        except TimeoutError:
            prop = min(program.checks) if len(program.checks) == 1 else ""
            raise Late(Verdict("UNKNOWN", prop, [f"{_WORDS[TIME]}: the back end did not end"])) from None


def _members(program: Program, way: ByAuto, reduction: Reduction | None) -> list[Member] | None:
    """Those that alone take part."""
    if not way.members:
        return None
    from fsoft.ask.auto.facts import ProgramFacts
    from fsoft.ask.auto.members import plan

    return [member for member in plan(ProgramFacts(program), reduction) if member.name in way.members] or None


def sound_reduction(asked: Reduction, scheduling: Scheduling, checks: frozenset[str], note: Callable[[str], None]) -> Reduction:
    """The reduction, or none, with a note why, where verdicts would not keep."""
    from fsoft.transactions import NO_REDUCTION

    why = ""
    if scheduling.kind != "free":
        why = f"--scheduler {scheduling.kind} counts the moves that it would leave out"
    elif "valid-memtrack" in checks:
        why = "valid-memtrack looks at the end of the whole run"
    if why and asked.por != "none":
        note(f"no reduction: {why}")
        return NO_REDUCTION
    return asked


def scheduler_for(scheduling: Scheduling, program: Program) -> Scheduler | None:
    """The scheduler as it is for this Program; an InputError for a schedule that names no thread of it."""
    if scheduling.kind == "free":
        return None
    from fsoft.circuit.encode.scheduler import ContextScheduler, FixedScheduler, RoundsScheduler

    if scheduling.kind == "context-bounded":
        return ContextScheduler(scheduling.count)
    if scheduling.kind == "round-robin":
        return RoundsScheduler(scheduling.count)
    return FixedScheduler(tuple(slots_of(scheduling.text, program)))


def slots_of(text: str, program: Program) -> list[int]:
    """The slots that a schedule names, for those who cannot choose among the ways of a thread; BadSchedule for anything else."""
    from fsoft.trace.schedule import BadSchedule, read_schedule

    found = read_schedule(text, program)
    if found.loop is not None:
        raise BadSchedule("a loop '(...)' is for properties of runs: --ltl, or --property termination")
    if any(turn.way for turn in found.turns):
        raise BadSchedule("which way a thread takes ('1/2') can be said to fsoft run only")
    return [turn.slot for turn in found.turns]


__all__ = ["LastKnown", "ask_states", "scheduler_for", "slots_of", "sound_reduction"]
