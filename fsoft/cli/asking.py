"""From a command line to a `Question`: who answers, with which options, within which limits."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from fsoft.ask.question import AUTO, EXPLICIT, KLIVE, ByAuto, ByBackend, ByEncoding, ByEngine, Question, Scheduling, Way
from fsoft.ask.settings import AutoOptions
from fsoft.checkers.registry import AnyEngine, UnknownEngine, any_engine, must_answer
from fsoft.cli.arguments import Parser, Request
from fsoft.cli.choices import engine_owners, given_flags, given_options
from fsoft.cli.circuits import add_arrays, add_reduction, add_scheduler, check_order, made_engine, reduction_of, scheduling_of
from fsoft.cli.encoding import BACKEND, chosen, chosen_backend, formula_engine, given_bounds
from fsoft.cli.exits import UsageError
from fsoft.cli.reports import shown
from fsoft.option import options_of
from fsoft.program.options import GROWING

if TYPE_CHECKING:
    from fsoft.properties.ltl.syntax import Text

_MARGIN = (0.3, 1.0)  # seconds for ending all engines and reporting: a fiftieth of the time limit, at least and at most


def add_engine(parser: Parser, default: str = EXPLICIT) -> None:
    group = parser.add_argument_group("the search")
    names = ", ".join(name for name in (EXPLICIT, "bmc", "pdr") if name != default)
    group.add_argument("--engine", metavar="NAME", help=f"who answers: {default} (the default), {names}, ... (fsoft checkers lists all)")
    own = parser.add_argument_group("options of engines (fsoft checkers lists them)")
    parser.declared.add("--engine", own, engine_owners)
    add_arrays(group, "smt keeps them, other engines do not")
    add_reduction(parser)
    add_scheduler(parser)


def question_of(args: argparse.Namespace, asked: Request) -> Question:
    """The question; UsageError for options that contradict each other or that nobody has."""
    way = _way(args, asked)
    if asked.formulas:
        _check_runs(args, way)
    return Question(
        sources=asked.sources,
        bits=asked.bits,
        options=asked.options,
        cpp=asked.cpp,
        formulas=tuple(_formula(text, args.fairness) for text in asked.formulas),
        way=way,
        reduction=None if isinstance(way, (ByEncoding, ByBackend)) else reduction_of(args),
        scheduling=scheduling_of(args) if isinstance(way, ByEngine) else Scheduling(),
        arrays=args.arrays,
        fixed=frozenset(name for name in GROWING if getattr(args, name) is not None),
        deadline=deadline_of(args),
        memory=args.memory,
        shorten=getattr(args, "shorten", False) and shown(args),
    )


def deadline_of(args: argparse.Namespace) -> float | None:
    """When engines have to end, so that there is time to report."""
    if args.timeout is None or not hasattr(args, "started"):
        return None
    deadline: float = args.started + args.timeout - min(max(_MARGIN[0], args.timeout / 50), _MARGIN[1])
    return deadline


def _formula(text: Text, fairness: str | None) -> Any:
    from fsoft.properties.ltl import read  # few questions have one

    return read(text, fairness)


def _way(args: argparse.Namespace, asked: Request) -> Way:
    if not hasattr(args, "encoding"):
        return _auto(args) if is_auto(args) else _engine(args, asked)
    backend = chosen_backend(args)
    encoding = chosen(args, backend=backend is not None)
    if backend is not None:
        scheme = args.encoding or BACKEND
        return ByBackend(backend, scheme, given_bounds(args, scheme))
    if encoding is not None:
        return ByEncoding(encoding.name, given_bounds(args, encoding.name), formula_engine(args, encoding))
    if is_auto(args):
        return _auto(args)
    return _engine(args, asked)


def is_auto(args: argparse.Namespace) -> bool:
    """Whether nobody says which engine or encoding."""
    return args.engine == AUTO or (args.engine is None and getattr(args, "encoding", None) is None)


def _auto(args: argparse.Namespace) -> ByAuto:
    check_order(args, AUTO)
    own = {option.flag for option in options_of(AutoOptions)}
    others = [flag for flag in given_flags(args) if flag not in own]
    for flag in [*others, *(name for name in ("scheduler", "arrays") if getattr(args, name) is not None)]:
        if flag != "por":
            raise UsageError(f"--{flag} is for one engine or encoding: choose it with --engine or --encoding")
    return ByAuto(AutoOptions(**given_options(args, AUTO, options_of(AutoOptions))))


def _engine(args: argparse.Namespace, asked: Request) -> ByEngine:
    name = args.engine or EXPLICIT
    if name == KLIVE and asked.formulas:
        return ByEngine(KLIVE, made_engine(any_engine("pdr"), args))
    entry = find_engine(name)
    must_answer(entry, asked.options.checks)
    scheduling_of(args)
    engine = made_engine(entry, args)
    if entry.takes == "program":
        check_order(args, f"the engine {entry.name}")
        if args.por not in (None, "none") and not entry.reduces:
            raise UsageError(f"the engine {entry.name} looks at no interleavings: it has no --por")
        if args.scheduler is not None or args.arrays is not None:
            raise UsageError(f"the engine {entry.name} has no --{'arrays' if args.scheduler is None else 'scheduler'}")
    return ByEngine(name, engine)


def find_engine(name: str) -> AnyEngine:
    """The engine of that name; what it needs is installed."""
    if name == KLIVE:
        raise UsageError("--engine klive is for properties of runs: --ltl, --property termination")
    try:
        found = any_engine(name)
    except UnknownEngine as error:
        raise UsageError(f"--engine: {error}") from None
    if (missing := found.missing()) is not None:
        raise UsageError(f"--engine {name}: {missing}")
    return found


def _check_runs(args: argparse.Namespace, way: Way) -> None:
    if getattr(args, "trace_file", None):
        raise UsageError("--trace-file is for properties of states: an infinite run ends in no failure to replay")
    if isinstance(way, (ByEncoding, ByBackend)):
        raise UsageError("--encoding and --backend are for properties of states: --ltl and termination need an engine")
    if args.scheduler or args.contexts or args.rounds or args.schedule:
        raise UsageError("properties of runs are about all schedules: --scheduler cannot be combined with them")


__all__ = ["add_engine", "deadline_of", "find_engine", "is_auto", "question_of"]
