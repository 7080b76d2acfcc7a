"""Whoever is to answer about states: engines side by side, one engine, a bounded encoding whose bounds grow, another verifier."""

from __future__ import annotations

import time
from collections.abc import Callable

from fsoft.ask.by_name import scheme_of
from fsoft.ask.engines import ask_engine
from fsoft.ask.grow import difference, grown
from fsoft.ask.programs import Programs
from fsoft.ask.question import (
    KLIVE,
    TIME,
    ByAuto,
    ByBackend,
    ByEncoding,
    ByEngine,
    Question,
    Scheduling,
)
from fsoft.ask.states import WORDS, LastKnown, Late
from fsoft.checkers.registry import any_engine
from fsoft.circuit.encode.scheduler import ContextScheduler, FixedScheduler, RoundsScheduler, Scheduler
from fsoft.passes.unwind import Unwound
from fsoft.passes.watch import under_race_model
from fsoft.process.limits import OutOfMemory, OutOfTime
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.program.verdict import Verdict
from fsoft.trace.schedule import BadSchedule, read_schedule
from fsoft.trace.shorten import shortened
from fsoft.transactions import NO_REDUCTION, Reduction

_MARGIN = 0.3  # seconds before the deadline in which an answer that says nothing is there because the time is up
_LEAST = 1.0  # seconds for a simpler run


def answered(question: Question, known: LastKnown, programs: Programs, program: Program) -> tuple[Program, Verdict]:
    """The verdict, and the Program that it is about, without a monitor of races; with a simpler trace if that is asked."""
    program, verdict = under_race_model(*_Asking(question, known, programs).verdict(program))
    return program, _shortened(program, verdict) if question.shorten else verdict


def _shortened(program: Program, verdict: Verdict) -> Verdict:
    """The verdict with a simpler trace; as it is, if a limit strikes before there is one."""
    try:
        return shortened(program, verdict)
    except (OutOfTime, OutOfMemory, MemoryError):
        return verdict


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
        from fsoft.ask import auto  # races of many engines: who asks one waits for no others

        question = self.question
        reduction = self._reduction()
        answers = auto.check_growing(
            program, self.programs.get, question.options, question.fixed, question.deadline, jobs=way.options.jobs, seed=way.options.seed,
            memory=question.memory, reduction=reduction, progress=self.known.progress, watch=self.known.racing,
            members=auto.named(program, way.members, reduction),
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
        from fsoft.ask.encodings import answer  # formulas and solvers: most questions need none

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
            from fsoft.ask.switches import fewest_switches  # only where a formula has a trace

            try:
                return fewest_switches(program, unwound, verdict, max(_LEAST, time.monotonic() - began), self.known.say)
            except (OutOfTime, OutOfMemory, MemoryError):
                return verdict

        return simpler

    # ------------------------------------------------------------ other verifiers

    def _backend(self, program: Program, way: ByBackend) -> Verdict:
        from fsoft.ask.backend import check_with  # sequentializations, and how to read other verifiers

        try:
            return check_with(program, way.bounds, way.backend, scheme_of(way.scheme), timeout=self._left(), say=self.known.say)
        except TimeoutError:
            prop = min(program.checks) if len(program.checks) == 1 else ""
            raise Late(Verdict("UNKNOWN", prop, [f"{WORDS[TIME]}: the back end did not end"])) from None


def sound_reduction(asked: Reduction, scheduling: Scheduling, checks: frozenset[str], note: Callable[[str], None]) -> Reduction:
    """The reduction, or none, with a note why, where verdicts would not keep."""
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
    if scheduling.kind == "context-bounded":
        return ContextScheduler(scheduling.count)
    if scheduling.kind == "round-robin":
        return RoundsScheduler(scheduling.count)
    return FixedScheduler(tuple(slots_of(scheduling.text, program)))


def slots_of(text: str, program: Program) -> list[int]:
    """The slots that a schedule names, for those who cannot choose among the ways of a thread; BadSchedule for anything else."""
    found = read_schedule(text, program)
    if found.loop is not None:
        raise BadSchedule("a loop '(...)' is for properties of runs: --ltl, or --property termination")
    if any(turn.way for turn in found.turns):
        raise BadSchedule("which way a thread takes ('1/2') can be said to fsoft run only")
    return [turn.slot for turn in found.turns]


__all__ = ["answered", "scheduler_for", "slots_of", "sound_reduction"]
