"""What the commands share that deal with circuits: options of model checkers, schedulers, files with models."""

from __future__ import annotations

import argparse
import re
import sys
from typing import TYPE_CHECKING, Any

from fsoft.checkers.registry import Engine, ModelEngine, UnknownEngine, model_engine
from fsoft.cli.arguments import Parser, positive
from fsoft.cli.exits import UsageError
from fsoft.frontend.inputs import read_file
from fsoft.frontend.source import InputError, Loc
from fsoft.process.files import check_writable
from fsoft.program.program import Program

if TYPE_CHECKING:
    from fsoft.circuit.bits import BitModel
    from fsoft.circuit.encode.scheduler import Scheduler
    from fsoft.circuit.model import Model
    from fsoft.transactions import Reduction

MODELS = (".aag", ".aig", ".btor2", ".btor")
"""How files that hold a model end."""

SCHEDULERS = ("free", "context-bounded", "round-robin", "given")
ENGINE_OPTIONS = ("solver", "depth", "method", "simplify", "backend", "engines", "every", "keep", "proof", "frames")
METHODS = {"abc": ("pdr", "bmc3", "reach"), "parametric": ("invariants", "counting")}
"""What `--method` can be, by engine."""
_MOST_CONTEXTS = 1 << 16
_BY_ORDER = ("peephole", "monotonic")
_ON_PATHS = ("sleep", "persistent", "source")


def natural(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"must be at least 0, not {text}")
    return value


natural.__name__ = "number"


def names(text: str) -> tuple[str, ...]:
    """Names between commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def add_engine_options(parser: Parser) -> None:
    """Options of the engines that take a model; each engine understands some of them."""
    group = parser.add_argument_group("engines that take a circuit")
    group.add_argument("--depth", type=natural, metavar="N", help="bmc, kinduction: at most that many steps")
    group.add_argument("--solver", metavar="NAME", help="bmc, kinduction, pdr: the SAT solver (cadical195); paths, uw: bitwuzla, z3, pysat")
    shrink = "bmc, kinduction: build each frame for the values that words can have by then (on)"
    group.add_argument("--frames", action=argparse.BooleanOptionalAction, default=None, help=shrink)
    group.add_argument("--proof", metavar="FILE", help="sat: if all is proved, write a DRAT proof there, its formula to FILE.cnf")
    known = [method for methods in METHODS.values() for method in methods]
    group.add_argument("--method", choices=known, help="abc: what it runs (pdr); parametric: which kind of proof (both)")
    group.add_argument("--simplify", action="store_true", default=None, help="abc: simplify first (a proof may then have no certificate)")
    group.add_argument("--backend", metavar="NAME", help="bdd: the package (cudd); without --engine: another verifier, as 'cbmc {file}'")
    group.add_argument("--engines", type=names, metavar="A,B", help="portfolio: who takes part")
    group.add_argument("--every", action="store_true", default=None, help="portfolio: let every engine finish, and compare")
    group.add_argument("--keep", metavar="DIR", help="portfolio: where the evidence of a contradiction is kept (the current directory)")


def add_arrays(group: argparse._ArgumentGroup, default: str) -> None:
    """Whether the circuit has arrays."""
    known = f"arrays of C in the circuit: one array, or one word per element ({default})"
    group.add_argument("--arrays", choices=("keep", "flatten"), help=known)


def add_scheduler(parser: Parser) -> None:
    """Who may run: part of the circuit."""
    group = parser.add_argument_group("the scheduler (of the circuit, or of --encoding tcbmc and lazy)")
    group.add_argument("--scheduler", choices=SCHEDULERS, metavar="S", help="free (the default), context-bounded, round-robin or given")
    group.add_argument("--contexts", type=positive, metavar="N", help="context-bounded, tcbmc: at most N blocks of steps of one thread")
    group.add_argument("--rounds", type=positive, metavar="N", help="round-robin, lazy: each thread gets N turns")
    who = "given: which thread makes each move, by number or name: '0,1*3,worker'; lazy: who may run in each round: '+:0,2:worker'"
    group.add_argument("--schedule", metavar="S", help=who)


def add_reduction(parser: Parser) -> None:
    """Which interleavings are left out."""
    group = parser.add_argument_group("reduction (docs/reduction.md)")
    known = "leave out interleavings that make no difference: by stubborn sets (cstub), or circuits by order (peephole, monotonic)"
    group.add_argument("--por", choices=("none", "cstub", *_BY_ORDER, *_ON_PATHS), help=known)
    group.add_argument("--transactions", choices=("lock-pattern", "lockset", "none"), help="with --por: what locks rule out (lock-pattern)")


def reduction_of(args: argparse.Namespace, checks: frozenset[str]) -> Reduction:
    """The reduction that the options ask for. Where it would not be sound it is off, and a line on stderr says so."""
    from fsoft.transactions import NO_REDUCTION, Reduction

    if args.transactions is not None and args.por in (None, "none"):
        raise UsageError("--transactions makes stubborn sets smaller: it needs --por cstub")
    if args.por in _ON_PATHS:
        raise UsageError(f"--por {args.por} is for --encoding paths; circuits and the engine explicit have cstub")
    if args.por in _BY_ORDER and args.transactions not in (None, "none"):
        raise UsageError(f"--transactions makes stubborn sets smaller: --por {args.por} has none")
    if args.por in (None, "none"):
        return NO_REDUCTION
    why = ""
    if args.scheduler not in (None, "free"):
        why = f"--scheduler {args.scheduler} counts the moves that it would leave out"
    elif "valid-memtrack" in checks:
        why = "valid-memtrack looks at the end of the whole run"
    if why:
        print(f"fsoft: no reduction: {why}", file=sys.stderr)
        return NO_REDUCTION
    return Reduction(args.por, "none" if args.por in _BY_ORDER else args.transactions or "lock-pattern")


def check_order(args: argparse.Namespace, who: str) -> None:
    """UsageError if a reduction for circuits is asked of somebody who has no circuit."""
    if args.por in _BY_ORDER:
        raise UsageError(f"--por {args.por} is for engines that take a circuit, as bmc; {who} has cstub")


def check_scheduler(args: argparse.Namespace) -> None:
    """UsageError where the options of the scheduler contradict each other."""
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


def scheduler_of(args: argparse.Namespace, program: Program) -> Scheduler:
    """The scheduler that the options ask for."""
    from fsoft.circuit.encode.scheduler import ContextScheduler, FixedScheduler, FreeScheduler, RoundsScheduler
    from fsoft.cli.run import schedule

    if args.scheduler == "context-bounded":
        return ContextScheduler(args.contexts)
    if args.scheduler == "round-robin":
        return RoundsScheduler(args.rounds)
    if args.scheduler == "given":
        return FixedScheduler(tuple(schedule(args.schedule, program)))
    return FreeScheduler()


def engine_options(engine: Engine | ModelEngine, args: argparse.Namespace) -> dict[str, Any]:
    """The options that were given, all of which the engine must understand; files that it is to write can be written."""
    found = {name: getattr(args, name, None) for name in ENGINE_OPTIONS}
    given = {name: value for name, value in found.items() if value is not None}
    for name in given:
        if name not in engine.options:
            raise UsageError(f"the engine {engine.name} has no --{name}")
    if "solver" in given:
        _check_solver(str(given["solver"]))
    if "proof" in given:
        check_writable(str(given["proof"]))
    check_method(engine, args)
    for name in given.get("engines", ()):
        _check_member(name)
    return given


def check_method(engine: Engine | ModelEngine, args: argparse.Namespace) -> None:
    """UsageError for a method that the engine does not have."""
    method = getattr(args, "method", None)
    if method is not None and method not in METHODS.get(engine.name, ()):
        raise UsageError(f"the engine {engine.name} has no --method {method}")


def _check_member(name: str) -> None:
    """UsageError if a portfolio cannot take that engine."""
    try:
        missing = model_engine(name).missing()
    except UnknownEngine as error:
        raise UsageError(f"--engines: {error}") from None
    if name == "portfolio":
        missing = "a portfolio cannot take part in itself"
    if missing is not None:
        raise UsageError(f"--engines {name}: {missing}")


def _check_solver(name: str) -> None:
    from fsoft.solve.sat import SOLVERS

    if name not in SOLVERS:
        raise UsageError(f"--solver: no SAT solver '{name}': one of {', '.join(SOLVERS)}")


# ---------------------------------------------------------------- files with models


def model_file(files: list[str]) -> str | None:
    """The file that holds a model, if that is what was given."""
    models = [file for file in files if file.endswith(MODELS)]
    if models and len(files) > 1:
        raise UsageError(f"{models[0]} is a model: give it alone")
    return models[0] if models else None


def read_model(path: str) -> Model | BitModel:
    """The model in a file."""
    data = read_file(path)
    if re.search(r"\.btor2?$", path):
        from fsoft.circuit.formats.btor2 import read_btor2

        try:
            text = data.decode()
        except UnicodeDecodeError:
            raise InputError(Loc(path, 0), "not a BTOR2 file: it is not text") from None
        return read_btor2(text, path)
    from fsoft.circuit.formats.aiger_read import read_aiger

    return read_aiger(data, path)
