"""`auto` on the command line: its options, asking it, and the line that shows how far its members are."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from fsoft.ask.settings import AutoOptions
from fsoft.cli.arguments import Request
from fsoft.cli.choices import AUTO, given_flags, given_options
from fsoft.cli.circuits import check_order, reduction_of
from fsoft.cli.exits import OutOfTime, UsageError
from fsoft.cli.search import Watch
from fsoft.option import options_of
from fsoft.program.options import GROWING
from fsoft.program.program import Program
from fsoft.program.verdict import Stats, Verdict

if TYPE_CHECKING:
    from fsoft.ask.auto.race import Entrant

_MARGIN = (0.3, 1.0)  # seconds for ending all members and reporting: a fiftieth of the time limit, at least and at most
_WIDTH = 120


def is_auto(args: argparse.Namespace) -> bool:
    """Whether nobody says which engine or encoding."""
    return args.engine == "auto" or (args.engine is None and args.encoding is None)


def check_auto(args: argparse.Namespace) -> None:
    """UsageError for options that only make sense for one engine."""
    check_order(args, "auto")
    own = {option.flag for option in options_of(AutoOptions)}
    others = [flag for flag in given_flags(args) if flag not in own]
    for flag in [*others, *(name for name in ("scheduler", "arrays") if getattr(args, name) is not None)]:
        if flag != "por":
            raise UsageError(f"--{flag} is for one engine or encoding: choose it with --engine or --encoding")


def auto_options(args: argparse.Namespace) -> dict[str, Any]:
    """Those of `auto` that were given."""
    return given_options(args, AUTO, options_of(AutoOptions))


def ask_auto(program: Program, asked: Request, args: argparse.Namespace, watch: Watch) -> tuple[Program, Verdict]:
    """The verdict of `auto`, and the Program that it is about; `OutOfTime` with what is known when the time is up."""
    from fsoft.ask import auto
    from fsoft.ask.load import load

    deadline = None if args.timeout is None else args.started + args.timeout - min(max(_MARGIN[0], args.timeout / 50), _MARGIN[1])
    reduced = args.por is not None or args.transactions is not None
    answers = auto.check_growing(
        program,
        lambda options: load(asked.sources, options, bits=asked.bits, cpp=asked.cpp),
        asked.options,
        frozenset(name for name in GROWING if getattr(args, name) is not None),
        deadline,
        memory=args.memory,
        **auto_options(args),
        reduction=reduction_of(args, program.checks) if reduced else None,
        progress=watch,
        watch=lambda running: watch.show(" | ".join(map(_doing, running))[:_WIDTH]),
    )
    last: tuple[Program, Verdict] | None = None
    try:
        for answer in answers:
            last = answer
    except auto.AnswersTimeout as late:
        raise OutOfTime(late.verdict) from None
    except OutOfTime:
        if last is None:
            raise
    assert last is not None
    return last


def _doing(entrant: Entrant) -> str:
    known = entrant.known
    if isinstance(known, Stats):
        known = f"{known.states:,} states" if known.states else f"{known.depth} steps"
    return f"{entrant.name}: {known}" if known else entrant.name
