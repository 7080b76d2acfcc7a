"""Options of the bounded encodings, and asking one of them."""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING, Any

from fsoft.ask.load import Options
from fsoft.checkers.registry import Progress, UnknownEngine, model_engine
from fsoft.cli.arguments import Parser, Request, positive
from fsoft.cli.circuits import ENGINE_OPTIONS, engine_options
from fsoft.cli.exits import OutOfMemory, OutOfTime, UsageError
from fsoft.cli.reports import shown
from fsoft.program.options import GROWING
from fsoft.program.program import Program
from fsoft.program.verdict import Verdict

if TYPE_CHECKING:
    from fsoft.ask.backend import Backend
    from fsoft.ask.encodings import Encoding, Given, Raised, Simpler
    from fsoft.passes.unwind import Unwound

NAMES = ("circuit", "tcbmc", "lazy", "mu", "schedule", "paths", "uw")
BACKEND = "lazy"
"""What another verifier gets unless the user says otherwise."""
_MARGIN = 0.3
_LEAST = 1.0  # seconds for a simpler run
_OPTIONS = {
    "contexts": "contexts", "order": "order", "rounds": "rounds", "schedule": "schedule", "writes": "writes", "mu_grain": "grain",
    "mu_reads": "reads", "context_bound": "context_bound", "eager_guards": "eager_guards", "merge_states": "merge",
    "all_interleavings": "all_interleavings", "multi_property": "several", "smt_dump": "smt_dump",
}  # fmt: skip
"""Arguments, and the fields of `Given` that they set."""


def add_encoding(parser: Parser) -> None:
    """Which encoding, and its bounds. (--contexts, --rounds and --schedule are among the options of the scheduler.)"""
    group = parser.add_argument_group("bounded encodings (docs/bounded.md)")
    group.add_argument("--encoding", choices=NAMES, metavar="E", help="circuit (unbounded) or " + ", ".join(NAMES[1:]))
    group.add_argument("--unwind", type=positive, metavar="N", help="rounds of loops whose number constants do not decide (2)")
    group.add_argument("--unwindset", action="append", default=[], metavar="[T:]L:N", help="the same for one loop (of one thread)")
    group.add_argument("--order", choices=("round-robin", "free", "start-line"), help="tcbmc: whose each context is (round-robin)")
    group.add_argument("--writes", type=positive, metavar="N", help="mu: at most N writes to shared memory, or clusters of writes")
    group.add_argument("--mu-grain", choices=("fine", "intra", "inter"), help="mu: single writes or clusters (inter; with --writes: fine)")
    group.add_argument("--mu-reads", choices=("explicit", "implicit", "mixed"), help="mu: how reads find their write (implicit)")
    group.add_argument("--context-bound", type=positive, metavar="N", help="paths, uw, schedule: at most N context switches")
    group.add_argument("--eager-guards", action="store_true", default=None, help="paths: ask the solver at every branch")
    group.add_argument("--merge-states", action="store_true", default=None, help="paths: explore a state that was reached before only once")
    group.add_argument("--all-interleavings", action="store_true", default=None, help="paths: go on after a violation, and count")
    group.add_argument("--multi-property", action="store_true", default=None, help="paths: a verdict for each property, in one search")
    group.add_argument("--smt-dump", metavar="DIR", help="paths, uw: write every question to the solver as an SMT-LIB file")
    more = "grow the bounds step by step until the answer is known"
    group.add_argument("--incremental", "--incremental-context-bound", action="store_true", help=more)
    group.add_argument("--verbose", action="store_true", help="what each step cost, on stderr")


def chosen(args: argparse.Namespace, backend: bool = False) -> Encoding | None:
    """The bounded encoding that was asked for, or None; UsageError for options that it does not have. A `backend` gets `lazy` unless
    another is named."""
    name = args.encoding or (BACKEND if backend else "circuit")
    given = [name for name in _OPTIONS if getattr(args, name) is not None]
    if name == "circuit":
        only = [name for name in given if name not in ("contexts", "rounds", "schedule")]
        only += [name for name in ("unwind", "incremental", "unwindset") if getattr(args, name)]
        if only:
            raise UsageError(f"--{only[0].replace('_', '-')} is for bounded encodings: choose one with --encoding")
        return None
    from fsoft.ask.encodings import ENCODINGS

    if name not in ENCODINGS:
        raise UsageError(f"--encoding: one of circuit, {', '.join(ENCODINGS)}")
    found = ENCODINGS[name]
    refuse_others(args, found.name)
    if args.por not in (None, "none") and "por" not in found.options:
        raise UsageError(f"--encoding {found.name} has no --por")
    if args.por in ("cstub", "peephole", "monotonic") or args.transactions is not None:
        raise UsageError("--encoding paths has --por sleep, persistent or source, and no --transactions")
    if found.search and getattr(args, "engine", None) is not None:
        raise UsageError(f"--encoding {found.name} asks a solver itself: choose one with --solver, not with --engine")
    if found.search and getattr(args, "solver", None) is not None:
        _solver(args.solver)
    if args.scheduler is not None:
        raise UsageError(f"--scheduler is for circuits: --encoding {found.name} has bounds of its own")
    return found


def refuse_others(args: argparse.Namespace, name: str, flag: str = "--encoding") -> None:
    """UsageError for a bound that belongs to another encoding than the one that `flag` names."""
    from fsoft.ask.encodings import ENCODINGS

    for argument, field in _OPTIONS.items():
        if getattr(args, argument, None) is not None and field not in ENCODINGS[name].options:
            raise UsageError(f"{flag} {name} has no --{argument.replace('_', '-')}")


def _solver(name: str) -> None:
    from fsoft.solve.terms import SOLVERS

    if name not in SOLVERS:
        raise UsageError(f"--solver: no solver '{name}' for terms: one of {', '.join(SOLVERS)}")


def given_bounds(args: argparse.Namespace) -> Given:
    """The bounds that the options ask for."""
    from fsoft.bounded.given import Given
    from fsoft.passes.bounds import BadBound, Bounds, read_unwindset

    fields = {field: getattr(args, name) for name, field in _OPTIONS.items() if getattr(args, name) is not None}
    try:
        each = read_unwindset(args.unwindset)
    except BadBound as error:
        raise UsageError(f"--unwindset: {error}") from None
    first = 1 if args.incremental else Bounds().unwind
    loops = Bounds(unwind=args.unwind or first, each=each)
    return Given(loops=loops, incremental=args.incremental, por=args.por, **fields)


def ask_bounded(
    program: Program, encoding: Encoding, args: argparse.Namespace, progress: Progress, raised: Raised = lambda _verdict: False
) -> Verdict:
    """The verdict of a bounded encoding."""
    from fsoft.ask.encodings import DEFAULT_ENGINE, answer
    from fsoft.passes.bounds import BadBound

    left = _left(args)
    options: dict[str, Any] = {}
    if not encoding.search:
        engine = args.engine or DEFAULT_ENGINE
        options = dict(engine_options(_engine(engine), args), engine=engine, raised=raised)
    elif args.solver is not None:
        options["solver"] = args.solver
    try:
        verdict = answer(
            program, encoding.name, given_bounds(args), progress=progress, timeout=left, say=_say(args), simpler=_simpler(program, args),
            **options,
        )  # fmt: skip
    except BadBound as error:
        raise UsageError(str(error)) from None
    if verdict.kind == "UNKNOWN" and not verdict.bounds and left is not None and verdict.stats.seconds >= left - _MARGIN:
        raise OutOfTime
    return verdict


def _simpler(program: Program, args: argparse.Namespace) -> Simpler | None:
    """For a trace that somebody will see: one with as few switches as possible. It may take as long as the search for the first."""
    if not (args.shorten and shown(args)):
        return None
    began = time.monotonic()

    def simpler(unwound: Unwound, verdict: Verdict) -> Verdict:
        from fsoft.ask.switches import fewest_switches

        try:
            return fewest_switches(program, unwound, verdict, max(_LEAST, time.monotonic() - began), _say(args))
        except (OutOfTime, OutOfMemory, MemoryError):
            return verdict

    return simpler


def ask_growing(
    program: Program, asked: Request, encoding: Encoding, args: argparse.Namespace, progress: Progress
) -> tuple[Program, Verdict]:
    """The verdict of a bounded encoding, and the Program that it is about: with `--incremental`, one with more threads, heap objects or
    deeper recursion where those bounds cut and the user has not set them."""
    from fsoft.ask.auto.grow import difference, grown
    from fsoft.ask.load import load

    fixed = frozenset(name for name in GROWING if getattr(args, name) is not None)

    def ask(program: Program, options: Options) -> Verdict:
        return ask_bounded(program, encoding, args, progress, lambda verdict: grown(options, verdict.bounds, fixed) is not None)

    verdict, options = ask(program, asked.options), asked.options
    while args.incremental and verdict.kind == "UNKNOWN" and (larger := grown(options, verdict.bounds, fixed)) is not None:
        bounds = difference(asked.options, larger)
        _say(args)(f"again with {bounds}")
        try:
            program = load(asked.sources, larger, bits=asked.bits, cpp=asked.cpp)
            verdict, options = ask(program, larger), larger
        except OutOfTime:
            verdict.reasons.append(f"more is not known: {bounds} takes too long")
            break
        verdict.reasons.append(f"with {bounds}")
    return program, verdict


def ask_backend(program: Program, backend: Backend, args: argparse.Namespace) -> Verdict:
    """The verdict of another verifier on the sequentialized program."""
    from fsoft.ask.backend import check_with
    from fsoft.bounded.sequential import scheme_of
    from fsoft.passes.bounds import BadBound

    left = _left(args)
    try:
        scheme = scheme_of(args.encoding or BACKEND)
        return check_with(program, given_bounds(args), backend, scheme, timeout=left, say=_say(args))
    except BadBound as error:
        raise UsageError(str(error)) from None
    except TimeoutError:
        prop = min(program.checks) if len(program.checks) == 1 else ""
        raise OutOfTime(Verdict("UNKNOWN", prop, ["time limit reached: the back end did not end"])) from None


def chosen_backend(args: argparse.Namespace) -> Backend | None:
    """The back end that was asked for, or None. (With an engine, --backend is an option of that engine.)"""
    if args.backend is None or (args.engine is not None and "{file}" not in args.backend):
        return None
    if args.encoding not in (None, "lazy", "mu") or args.incremental:
        raise UsageError("--backend gets the program of --encoding lazy or mu, with bounds that stay as they are")
    if args.engine is not None:
        raise UsageError("--backend answers in place of an engine: leave out --engine")
    for name in ENGINE_OPTIONS:
        if name != "backend" and getattr(args, name) is not None:
            raise UsageError(f"--{name} is for engines: --backend answers in place of one")
    from fsoft.ask.backend import backend_of

    try:
        return backend_of(args.backend)
    except ValueError as error:
        raise UsageError(f"--backend: {error}") from None


def _engine(name: str) -> Any:
    try:
        entry = model_engine(name)
    except UnknownEngine as error:
        raise UsageError(f"--engine: {error}") from None
    if (missing := entry.missing()) is not None:
        raise UsageError(f"--engine {name}: {missing}")
    return entry


def _left(args: argparse.Namespace) -> float | None:
    """Seconds until the time is up, less what it takes to report."""
    return None if args.timeout is None else max(0.1, args.timeout - (time.monotonic() - args.started) - _MARGIN)


def _say(args: argparse.Namespace) -> Any:
    if not args.verbose:
        return lambda _line: None
    return lambda line: print(f"fsoft: {line}", file=sys.stderr)
