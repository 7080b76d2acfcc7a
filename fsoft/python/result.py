"""What a check answers, for Python programs: a `Result`, and for a violation its `Trace`, a sequence of steps that one can walk.

>>> import fsoft
>>> result = fsoft.load("models/classic/account.c", define=["UNLOCKED"]).check("unreach-call")
>>> result.verdict, result.prop, result.location.line
('FALSE', 'unreach-call', 38)
>>> for step in result.trace:
...     for change in step.changes:
...         if change.name == "balance":
...             print(f"thread {step.thread.number} ({step.thread.name}), line {step.location.line}: {change}")
thread 1 (deposit), line 14: balance: 10 -> 15
thread 2 (withdraw), line 14: balance: 15 -> 7
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, overload

from fsoft.frontend.source import Loc
from fsoft.program.cuts import Cut
from fsoft.program.program import Program
from fsoft.program.verdict import Move, Stats, Verdict
from fsoft.trace.junit import junit
from fsoft.trace.outcome import ReportedAnswer
from fsoft.trace.sarif import sarif
from fsoft.trace.statements import ThreadStory, told
from fsoft.trace.task import ReportTask
from fsoft.trace.text import text_of_trace
from fsoft.trace.witness import VERSIONS, witness

Kind = Literal["TRUE", "FALSE", "UNKNOWN"]


@dataclass(frozen=True, slots=True)
class TraceChange:
    """A variable, a cell of memory or a heap object, before and after, as C prints it."""

    name: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.name}: {self.old} -> {self.new}"


@dataclass(frozen=True, slots=True)
class TraceThread:
    """A thread of a run. Threads are numbered by creation, 0 is main; `creator` is the number of the thread that created it."""

    number: int
    name: str
    creator: int | None = None


@dataclass(frozen=True, slots=True)
class TraceStep:
    """What one thread did on one line. `inputs` are values that came from outside, `notes` what else happened; `calls` are the call sites
    that lead here, outermost first."""

    number: int
    thread: TraceThread
    location: Loc
    function: str
    statement: str
    changes: tuple[TraceChange, ...] = ()
    inputs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    calls: tuple[Loc, ...] = ()


@dataclass(frozen=True, slots=True)
class TraceGuilty:
    """Where a thread is when the property is violated, and what it is about to do: two of them for a race, one for each that waits for a
    deadlock."""

    thread: TraceThread
    location: Loc
    function: str
    what: str


@dataclass(frozen=True, eq=False)
class Trace(Sequence[TraceStep]):
    """A run, step by step. `loop` is the number of the step with which the loop of an endless run begins. `str(trace)` is the table that
    `fsoft check` prints; `moves` replay on `fsoft.program.interpreter`."""

    program: Program = field(repr=False)
    moves: tuple[Move, ...] = field(repr=False)
    steps: tuple[TraceStep, ...]
    threads: tuple[TraceThread, ...]
    guilty: tuple[TraceGuilty, ...] = ()
    loop: int | None = None
    loop_move: int | None = field(default=None, repr=False)

    @overload
    def __getitem__(self, index: int) -> TraceStep: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[TraceStep, ...]: ...

    def __getitem__(self, index: int | slice) -> TraceStep | tuple[TraceStep, ...]:
        return self.steps[index]

    def __len__(self) -> int:
        return len(self.steps)

    def of_thread(self, number: int) -> list[TraceStep]:
        """The steps of one thread."""
        return [step for step in self.steps if step.thread.number == number]

    def switches(self) -> int:
        """How often another thread goes on."""
        return sum(a.thread != b.thread for a, b in zip(self.steps, self.steps[1:]))

    def __str__(self) -> str:
        return text_of_trace(self.program, self.moves, self.loop_move)


@dataclass(frozen=True, slots=True)
class Result:
    """The answer. `prop` is the violated property, or the one that was asked ("" for several); `reasons` are lines for a person; `bounds`
    say what cut or added behaviour, and are why an UNKNOWN is not TRUE; `cuts` are the same as records; `notes` are assumptions about the
    program. A result is neither true nor false: ask `holds`, `violated` or `unknown`."""

    verdict: Kind
    prop: str
    reasons: tuple[str, ...]
    bounds: tuple[str, ...]
    cuts: tuple[Cut, ...]
    notes: tuple[str, ...]
    location: Loc | None
    trace: Trace | None
    stats: Stats
    program: Program = field(repr=False)
    task: ReportTask = field(repr=False)
    outcome: ReportedAnswer = field(repr=False)

    @property
    def holds(self) -> bool:
        return self.verdict == "TRUE"

    @property
    def violated(self) -> bool:
        return self.verdict == "FALSE"

    @property
    def unknown(self) -> bool:
        return self.verdict == "UNKNOWN"

    def __bool__(self) -> bool:
        raise TypeError("there are three verdicts: ask result.holds, result.violated or result.unknown")

    def __str__(self) -> str:
        return self.outcome.verdict.last_line()

    def witness(self, version: str | None = None) -> str | None:
        """The SV-COMP witness as text: "1.0" is GraphML, "2.0" and "2.2" are YAML. None where there is none: UNKNOWN, and lassos."""
        if version is not None and version not in VERSIONS:
            raise ValueError(f"no witness format {version!r}: one of {', '.join(VERSIONS)}")
        if self.trace is not None and self.trace.loop is not None:
            return None
        return witness(self.task, self.program, self.outcome, version)

    def sarif(self) -> str:
        """The result as a SARIF 2.1.0 log."""
        return sarif(self.task, [self.outcome], self.outcome.verdict.exit_code())

    def junit(self) -> str:
        """The result as JUnit XML."""
        return junit(self.task, [self.outcome])


def result_of(program: Program, verdict: Verdict, task: ReportTask, name: str = "", loop: int | None = None) -> Result:
    """The result for a verdict on a program. `loop` is the move with which the loop of a lasso begins."""
    story = told(program, verdict.trace, verdict.prop, loop, verdict.loc) if verdict.trace or verdict.kind == "FALSE" else None
    trace = None if story is None else _trace(program, verdict, task, story, loop)
    kind: Kind = "TRUE" if verdict.kind == "TRUE" else "FALSE" if verdict.kind == "FALSE" else "UNKNOWN"
    return Result(
        verdict=kind,
        prop=verdict.prop,
        reasons=tuple(verdict.lines()),
        bounds=tuple(map(str, verdict.cuts)),
        cuts=tuple(verdict.cuts),
        notes=tuple(program.notes),
        location=verdict.loc if verdict.loc.line > 0 else None,
        trace=trace,
        stats=verdict.stats,
        program=program,
        task=task,
        outcome=ReportedAnswer(name, verdict, story if kind == "FALSE" else None),
    )


def _trace(program: Program, verdict: Verdict, task: ReportTask, story: ThreadStory, loop: int | None) -> Trace:
    threads = tuple(TraceThread(actor.number, actor.name, actor.creator) for actor in story.actors)
    steps = tuple(
        TraceStep(
            number=number,
            thread=threads[s.thread],
            location=s.loc,
            function=s.function,
            statement=s.text or task.line(s.loc).strip(),
            changes=tuple(TraceChange(name, old, new) for name, (old, new) in s.changes.items() if old != new),
            inputs=tuple(answer.text for answer in s.inputs),
            notes=tuple(s.notes),
            calls=s.calls,
        )
        for number, s in enumerate(story.statements)
    )
    guilty = tuple(TraceGuilty(threads[p.thread], p.loc, p.function, p.what) for p in story.points)
    first = None if loop is None else next((k for k, s in enumerate(story.statements) if s.loop), len(steps))
    return Trace(program, tuple(verdict.trace), steps, threads, guilty, first, loop)


__all__ = ["TraceChange", "TraceGuilty", "Result", "TraceStep", "TraceThread", "Trace", "result_of"]
