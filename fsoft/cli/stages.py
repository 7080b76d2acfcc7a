"""Watching: times and sizes of every stage (`--stats`), stopping after one to look (`--dump-after`), and how far engines are."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from fsoft.ask.programs import Programs
from fsoft.ask.question import Observer
from fsoft.cli.arguments import Request
from fsoft.cli.exits import UsageError
from fsoft.program.program import Program
from fsoft.program.text import text_of
from fsoft.program.verdict import Stats, Verdict

if TYPE_CHECKING:
    from fsoft.ask.auto.race import Entrant

_WIDTH = 120


class Dumped(Exception):
    """The pipeline stopped after the stage that was asked for."""

    def __init__(self, program: Program):
        super().__init__()
        self.program = program

    def text(self) -> str:
        return text_of(self.program)


class Listed(Exception):
    """What is in the Program was to be listed, and nothing else; the argument is the list."""


class Stages:
    """The callback between stages; `lines` is what `--stats` prints."""

    def __init__(self, dump_after: str | None = None):
        if dump_after is not None:
            _check_stage(dump_after)
        self.dump_after = dump_after
        self.lines: list[str] = []
        self._since = time.monotonic()

    def __call__(self, name: str, program: Program) -> None:
        self.note(name, sizes(program))
        if name == self.dump_after:
            raise Dumped(program)

    def note(self, name: str, what: str) -> None:
        """One line of statistics, with the time since the last."""
        now = time.monotonic()
        self.lines.append(f"{name:<12}{now - self._since:8.3f} s  {what}")
        self._since = now

    def load(self, asked: Request) -> Program:
        """The Program of a request, watched."""
        return Programs(asked.sources, asked.bits, asked.cpp).get(asked.options, self)

    def report(self) -> None:
        """The statistics on stderr, with the memory that the whole took."""
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        for line in [*self.lines, f"{'memory':<12}{peak:8d} MB"]:
            print(line, file=sys.stderr)


def _check_stage(name: str) -> None:
    """UsageError for a name that no stage has."""
    from fsoft.ask.load import stages  # front end and passes: only for --dump-after

    if name not in stages():
        raise UsageError(f"--dump-after: no pass '{name}': one of {', '.join(stages())}")


def sizes(program: Program) -> str:
    templates = program.templates()
    counts = {
        "threads": len(program.threads),
        "locations": sum(len(t.locations) for t in templates),
        "steps": sum(len(t.steps) for t in templates),
        "registers": sum(len(t.registers) for t in templates),
        "objects": len(program.objects) - 1,
    }
    return ", ".join(f"{count} {what}" for what, count in counts.items())


class Watch(Observer):
    """Remembers how far the engine is, and says so where a person looks at stderr."""

    def __init__(self) -> None:
        self.stats = Stats()
        self._shown = 0.0
        self._terminal = sys.stderr.isatty()

    def progress(self, stats: Stats) -> None:
        self.stats = stats
        self.show(stats.summary())

    def racing(self, entrants: list[Entrant]) -> None:
        self.show(" | ".join(map(_doing, entrants))[:_WIDTH])

    def note(self, line: str) -> None:
        print(f"fsoft: {line}", file=sys.stderr)

    def show(self, line: str) -> None:
        """The line in place of the one before it, a few times a second."""
        now = time.monotonic()
        if self._terminal and now - self._shown > 0.3:
            self._shown = now
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


class CheckWatch(Watch):
    """What `fsoft check` shows meanwhile: `stages` counts them, `verbose` says what each step of growing bounds cost, and `list_it` may
    stop the command once the Program is there."""

    def __init__(self, stages: Stages, verbose: bool = False, list_it: Callable[[Program], None] = lambda _program: None) -> None:
        super().__init__()
        self.stages, self.verbose, self.list_it = stages, verbose, list_it

    def stage(self, name: str, program: Program) -> None:
        self.stages(name, program)

    def loaded(self, program: Program) -> None:
        self.list_it(program)

    def say(self, line: str) -> None:
        if self.verbose:
            print(f"fsoft: {line}", file=sys.stderr)

    def answered(self, verdict: Verdict) -> None:
        self.stages.note("check", verdict.stats.summary())


def _doing(entrant: Entrant) -> str:
    known = entrant.known
    if isinstance(known, Stats):
        known = f"{known.states:,} states" if known.states else f"{known.depth} steps"
    return f"{entrant.name}: {known}" if known else entrant.name
