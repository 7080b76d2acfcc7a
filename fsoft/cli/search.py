"""What `check` and `reduce` share: choosing an engine, asking it, watching it."""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, replace

from fsoft.ask.engines import ask_engine
from fsoft.checkers.registry import AnyEngine, Progress, UnknownEngine, any_engine, must_answer
from fsoft.cli.arguments import Parser, Request
from fsoft.cli.choices import engine_owners
from fsoft.cli.circuits import (
    add_arrays,
    add_reduction,
    add_scheduler,
    check_options,
    check_order,
    check_scheduler,
    engine_options,
    reduction_of,
    scheduler_of,
)  # fmt: skip
from fsoft.cli.exits import OutOfTime, UsageError
from fsoft.program.program import Program
from fsoft.program.verdict import Stats, Verdict

_MARGIN = 0.3  # seconds left to an engine's caller to report


@dataclass(frozen=True, slots=True)
class Examined:
    """A verdict about states, the Program that it is about, the exit code if the time limit decides it, and which limit was reached."""

    program: Program | None
    verdict: Verdict
    code: int | None = None
    limit: str = ""


class Listed(Exception):
    """The properties or loops were to be listed, and nothing else; the argument is the list."""


def add_engine(parser: Parser, default: str = "explicit") -> None:
    group = parser.add_argument_group("the search")
    names = ", ".join(name for name in ("explicit", "bmc", "pdr") if name != default)
    group.add_argument("--engine", metavar="NAME", help=f"who answers: {default} (the default), {names}, ... (fsoft checkers lists all)")
    own = parser.add_argument_group("options of engines (fsoft checkers lists them)")
    parser.declared.add("--engine", own, engine_owners)
    add_arrays(group, "smt keeps them, other engines do not")
    add_reduction(parser)
    add_scheduler(parser)


def find_engine(name: str | None) -> AnyEngine:
    """The engine of that name (explicit, if none is given); what it needs is installed."""
    if name == "klive":
        raise UsageError("--engine klive is for properties of runs: --ltl, --property termination")
    try:
        found = any_engine(name or "explicit")
    except UnknownEngine as error:
        raise UsageError(f"--engine: {error}") from None
    if (missing := found.missing()) is not None:
        raise UsageError(f"--engine {name}: {missing}")
    return found


def check_question(engine: AnyEngine, asked: Request, args: argparse.Namespace) -> None:
    """UsageError, before any work is done, for a question that the engine cannot answer or options that it does not have."""
    must_answer(engine, asked.options.checks)
    check_scheduler(args)
    check_options(engine, args)
    if engine.takes == "model":
        return
    check_order(args, f"the engine {engine.name}")
    if args.por not in (None, "none") and not engine.reduces:
        raise UsageError(f"the engine {engine.name} looks at no interleavings: it has no --por")
    if args.scheduler is not None or args.arrays is not None:
        raise UsageError(f"the engine {engine.name} has no --{'arrays' if args.scheduler is None else 'scheduler'}")


def lowered_for(engine: AnyEngine, asked: Request) -> Request:
    """The request, with creation sites read as the engine wants them."""
    return replace(asked, options=replace(asked.options, unbounded=True)) if engine.unbounded else asked


def decide(program: Program, engine: AnyEngine, args: argparse.Namespace, progress: Progress) -> Verdict:
    """The engine's answer, with the options that were given. A model checker notices itself that the time is up, and has then said how far
    it came."""
    options, left = engine_options(engine, args), None
    if args.por not in (None, "none") or args.transactions is not None:
        options["reduction"] = reduction_of(args, program.checks)
    if engine.takes == "model":
        now = time.monotonic()
        left = None if args.timeout is None else args.timeout - (now - getattr(args, "started", now)) - _MARGIN
        options |= {"scheduler": scheduler_of(args, program), "arrays": args.arrays, "timeout": None if left is None else max(0.1, left)}
    verdict = ask_engine(engine, program, progress, **options)
    if verdict.kind == "UNKNOWN" and not verdict.cuts and left is not None and verdict.stats.seconds >= left - _MARGIN:
        progress(verdict.stats)
        raise OutOfTime
    return verdict


def count(stats: Stats) -> str:
    """How far a search came; one on a circuit has no states to count, one with growing bounds has these."""
    if stats.covered:
        return f"{stats.covered}, {stats.seconds:.1f} s"
    if stats.counts:
        return ", ".join(f"{number:,} {name}" for name, number in stats.counts.items() if number) + f", {stats.seconds:.1f} s"
    if not stats.states:
        return f"{stats.depth} steps, {stats.seconds:.1f} s"
    return f"{stats.states:,} states, {stats.transitions:,} transitions, depth {stats.depth}, {stats.seconds:.1f} s"


class Watch:
    """Remembers how far the engine is, and says so where a person looks at stderr."""

    def __init__(self) -> None:
        self.stats = Stats()
        self._shown = 0.0
        self._terminal = sys.stderr.isatty()

    def __call__(self, stats: Stats) -> None:
        self.stats = stats
        self.show(count(stats))

    def show(self, line: str) -> None:
        """The line in place of the one before it, a few times a second."""
        now = time.monotonic()
        if self._terminal and now - self._shown > 0.3:
            self._shown = now
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
