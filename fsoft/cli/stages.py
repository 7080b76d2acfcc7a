"""Watching the pipeline: times and sizes of every stage (`--stats`), and stopping after one to look (`--dump-after`)."""

from __future__ import annotations

import resource
import sys
import time

from fsoft.ask.load import load, stages
from fsoft.cli.arguments import Request
from fsoft.cli.exits import UsageError
from fsoft.program.program import Program


class Dumped(Exception):
    """The pipeline stopped after the stage that was asked for."""

    def __init__(self, program: Program):
        super().__init__()
        self.program = program

    def text(self) -> str:
        from fsoft.program.text import text_of

        return text_of(self.program)


class Stages:
    """The callback between stages; `lines` is what `--stats` prints."""

    def __init__(self, dump_after: str | None = None):
        if dump_after is not None and dump_after not in stages():
            raise UsageError(f"--dump-after: no pass '{dump_after}': one of {', '.join(stages())}")
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
        return load(asked.sources, asked.options, bits=asked.bits, cpp=asked.cpp, after=self)

    def report(self) -> None:
        """The statistics on stderr, with the memory that the whole took."""
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        for line in [*self.lines, f"{'memory':<12}{peak:8d} MB"]:
            print(line, file=sys.stderr)


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
