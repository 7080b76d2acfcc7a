"""What the commands share that deal with circuits: options of model checkers, schedulers, files with models."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from fsoft.ask.question import SCHEDULERS, Scheduling
from fsoft.checkers.registry import AnyEngine, Unanswered, UnknownEngine
from fsoft.cli.arguments import Parser, positive
from fsoft.cli.choices import given_flags, given_options, of_encodings
from fsoft.cli.exits import UsageError
from fsoft.option import BadOption

if TYPE_CHECKING:
    from fsoft.transactions import Reduction

MODELS = (".aag", ".aig", ".btor2", ".btor")
"""How files that hold a model end."""

_OF_CIRCUITS = ("contexts", "rounds", "schedule", "por")
"""Options of schedulers and reductions, which encodings have as well."""
_MOST_CONTEXTS = 1 << 16
_BY_ORDER = ("peephole", "monotonic")
_ON_PATHS = ("sleep", "persistent", "source")


def natural(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"must be at least 0, not {text}")
    return value


natural.__name__ = "number"


def add_arrays(group: argparse._ArgumentGroup, default: str) -> None:
    """Whether the circuit has arrays."""
    known = f"arrays of C in the circuit: one array, or one word per element ({default})"
    group.add_argument("--arrays", choices=("keep", "flatten"), help=known)


def add_scheduler(parser: Parser) -> None:
    """Who may run: part of the circuit."""
    group = parser.add_argument_group("the scheduler (of the circuit, or of --encoding tcbmc and lazy)")
    group.add_argument("--scheduler", choices=SCHEDULERS, metavar="S", help="free (the default), context-bounded, round-robin or given")
    group.add_argument("--contexts", type=positive, metavar="N", help="context-bounded: at most N blocks of steps of one thread")
    group.add_argument("--rounds", type=positive, metavar="N", help="round-robin: each thread gets N turns")
    who = "given: which thread makes each move, by number or name: '0,1*3,worker'"
    group.add_argument("--schedule", metavar="S", help=who)


def add_reduction(parser: Parser) -> None:
    """Which interleavings are left out."""
    group = parser.add_argument_group("reduction (docs/reduction.md)")
    known = "leave out interleavings that make no difference: by stubborn sets (cstub), or circuits by order (peephole, monotonic)"
    group.add_argument("--por", choices=("none", "cstub", *_BY_ORDER, *_ON_PATHS), help=known)
    group.add_argument("--transactions", choices=("lock-pattern", "lockset", "none"), help="with --por: what locks rule out (lock-pattern)")


def reduction_of(args: argparse.Namespace) -> Reduction | None:
    """The reduction that the options ask for; None if they do not say."""
    if args.transactions is not None and args.por in (None, "none"):
        raise UsageError("--transactions makes stubborn sets smaller: it needs --por cstub")
    if args.por in _ON_PATHS:
        raise UsageError(f"--por {args.por} is for --encoding paths; circuits and the engine explicit have cstub")
    if args.por in _BY_ORDER and args.transactions not in (None, "none"):
        raise UsageError(f"--transactions makes stubborn sets smaller: --por {args.por} has none")
    if args.por is None:
        return None
    from fsoft.transactions import NO_REDUCTION, Reduction  # stubborn sets take a while to import, and wrong options come first

    if args.por == "none":
        return NO_REDUCTION
    return Reduction(args.por, "none" if args.por in _BY_ORDER else args.transactions or "lock-pattern")


def check_order(args: argparse.Namespace, who: str) -> None:
    """UsageError if a reduction for circuits is asked of somebody who has no circuit."""
    if args.por in _BY_ORDER:
        raise UsageError(f"--por {args.por} is for engines that take a circuit, as bmc; {who} has cstub")


def scheduling_of(args: argparse.Namespace) -> Scheduling:
    """The scheduler that the options ask for; UsageError where they contradict each other."""
    needs = {"context-bounded": "contexts", "round-robin": "rounds", "given": "schedule"}
    for kind, option in needs.items():
        given = getattr(args, option) is not None
        if given and args.scheduler is None:
            args.scheduler = kind
        if given and args.scheduler != kind:
            raise UsageError(f"--{option} is for --scheduler {kind}, not {args.scheduler}")
        if args.scheduler == kind and not given:
            raise UsageError(f"--scheduler {kind} needs --{option}")
    for option in ("contexts", "rounds"):
        if (getattr(args, option) or 0) > _MOST_CONTEXTS:
            raise UsageError(f"--{option}: at most {_MOST_CONTEXTS}, not {getattr(args, option)}")
    return Scheduling(args.scheduler or "free", args.contexts or args.rounds or 0, args.schedule or "")


def note(line: str) -> None:
    """Something that was asked for is not done: said on stderr."""
    print(f"fsoft: {line}", file=sys.stderr)


def engine_options(entry: AnyEngine, args: argparse.Namespace) -> dict[str, Any]:
    """Those of the options that were given; UsageError for one that the engine does not have."""
    own = {option.flag for option in entry.options}
    for flag in given_flags(args):
        if flag not in own and flag not in _OF_CIRCUITS:
            if of_encodings(args, flag):
                raise UsageError(f"--{flag} is for bounded encodings: choose one with --encoding")
            raise UsageError(f"the engine {entry.name} has no --{flag}")
    return given_options(args, f"the engine {entry.name}", entry.options)


def made_engine(entry: AnyEngine, args: argparse.Namespace) -> Any:
    """The engine with the options that were given; UsageError for what it does not have."""
    try:
        return entry.made(**engine_options(entry, args))
    except (BadOption, Unanswered, UnknownEngine) as error:
        raise UsageError(str(error)) from None


# ---------------------------------------------------------------- files with models


def model_file(files: list[str]) -> str | None:
    """The file that holds a model, if that is what was given."""
    models = [file for file in files if file.endswith(MODELS)]
    if models and len(files) > 1:
        raise UsageError(f"{models[0]} is a model: give it alone")
    return models[0] if models else None
