"""What `check` and `reduce` share: choosing an engine, asking it, watching it."""

from __future__ import annotations

import argparse
import sys
import time

from checkers.registry import Engine, Progress, UnknownEngine, engine
from fsoft.cli.arguments import Parser
from fsoft.cli.exits import UsageError
from fsoft.program.program import Program
from fsoft.program.verdict import Stats, Verdict


def add_engine(parser: Parser) -> None:
    group = parser.add_argument_group("the search")
    group.add_argument("--engine", default="explicit", metavar="NAME", help="who answers: explicit (fsoft checkers lists all)")
    group.add_argument("--seed", type=int, default=0, metavar="N", help="a different order among equals (0: as written)")


def find_engine(name: str) -> Engine:
    try:
        return engine(name)
    except UnknownEngine as error:
        raise UsageError(f"--engine: {error}") from None


def decide(program: Program, engine: Engine, args: argparse.Namespace, progress: Progress) -> Verdict:
    """The engine's answer, with those of the options that it understands."""
    return engine.load().check(program, progress, **{name: getattr(args, name) for name in engine.options})


def count(stats: Stats) -> str:
    return f"{stats.states:,} states, {stats.transitions:,} transitions, depth {stats.depth}, {stats.seconds:.1f} s"


class Watch:
    """Remembers how far the engine is, and says so where a person looks at stderr."""

    def __init__(self) -> None:
        self.stats = Stats()
        self._shown = 0.0
        self._terminal = sys.stderr.isatty()

    def __call__(self, stats: Stats) -> None:
        self.stats = stats
        now = time.monotonic()
        if self._terminal and now - self._shown > 0.3:
            self._shown = now
            print(f"\r\x1b[K{count(stats)}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
