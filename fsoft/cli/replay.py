"""`fsoft replay`: the counterexample in the real program, compiled by gcc, under exactly that schedule and those inputs."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

from fsoft.cli import exits
from fsoft.cli.arguments import Parser, add_reading, seconds, sources_of
from fsoft.cli.finding import replay_finding
from fsoft.compiled.findings import is_finding
from fsoft.compiled.replay import Prepared, ReplayOutcome, compare, compare_arguments, prepare, read_trace, unchanged
from fsoft.frontend.source import InputError, Loc, Source
from fsoft.process.interrupts import scratch, terminable
from fsoft.process.names import as_path

_TIMEOUT = 20.0


def run(argv: Sequence[str]) -> int:
    end = argv.index("--") if "--" in argv else len(argv)
    args = _parser().parse_intermixed_args(argv[:end])
    args.arguments = None
    if args.files and is_finding(args.files[-1]):
        return _finding(args, list(argv[end + 1 :]))
    if args.files[1:] and args.files[-1].endswith(".json") and end < len(argv):
        args.arguments = list(argv[end + 1 :])
    else:
        args.files += argv[end + 1 :]
    asked = _read(args)
    if args.keep is None and not args.gdb:
        with scratch("fsoft-replay-") as folder:
            return _work(args, folder, *asked)
    with terminable():
        return _work(args, _kept(args.keep), *asked)


def _finding(args: argparse.Namespace, command: list[str]) -> int:
    """What `fsoft test` found, once more."""
    *files, path = args.files
    if args.keep is None and not args.gdb:
        with scratch("fsoft-replay-") as folder:
            return replay_finding(path, files, command, args.timeout, folder, False)
    with terminable():
        return replay_finding(path, files, command, args.timeout, _kept(args.keep), args.gdb)


def _parser() -> Parser:
    what = "Execute the program, compiled by gcc, under the schedule and the inputs of a trace. Exit code 10 if it fails as predicted."
    parser = Parser("replay", what)
    parser.usage = "fsoft replay FILE... TRACE.json [options] [-- ARGUMENT...]"
    add_reading(parser)
    group = parser.add_argument_group("the program")
    group.add_argument("--entry", metavar="F", help="the function where the run starts, as for fsoft check (main)")
    group.add_argument("--thread", action="append", default=[], metavar="F", help="a function that is a thread from the start, the same")
    group = parser.add_argument_group("the replay")
    group.add_argument("--timeout", type=seconds, default=_TIMEOUT, metavar="S", help=f"give up after S seconds of running ({_TIMEOUT:g})")
    gdb = "keep the program and start gdb, which stops at the failure (without a terminal: print the command)"
    group.add_argument("--gdb", action="store_true", help=gdb)
    group.add_argument("--keep", metavar="DIR", help="keep the compiled program and its schedule in this folder")
    return parser


def _read(args: argparse.Namespace) -> tuple[dict[str, Any], tuple[Source, ...]]:
    """The trace and the files, which fit together."""
    if len(args.files) < 2 or not args.files[-1].endswith(".json"):
        raise exits.UsageError("expected the C files and then the trace: fsoft replay prog.c trace.json (fsoft check --json writes one)")
    *args.files, path = args.files
    sources = sources_of(args)
    trace = read_trace(path)
    compare(trace, path, sources, args.bits, args.entry or "main", args.thread)
    compare_arguments(trace, path, args.arguments)
    return trace, sources


def _work(args: argparse.Namespace, folder: str, trace: dict[str, Any], sources: tuple[Source, ...]) -> int:
    try:
        prepared = prepare(trace, sources, 64 if trace["data_model"] == "LP64" else 32, folder)
        if args.gdb:
            return _debug(prepared)
        return _report(trace, prepared.run(args.timeout))
    except OSError as error:
        raise InputError(Loc(folder, 0), f"cannot be written: {error.strerror}") from None


def _kept(keep: str | None) -> str:
    """A folder that stays."""
    if keep is None:
        return tempfile.mkdtemp(prefix="fsoft-replay-")
    try:
        os.makedirs(keep, exist_ok=True)
    except OSError as error:
        raise InputError(Loc(keep, 0), f"cannot be written: {error.strerror}") from None
    return as_path(keep)


def _report(trace: dict[str, Any], outcome: ReplayOutcome) -> int:
    if outcome.output:
        print(outcome.output.rstrip())
    if outcome.missing:
        print(f"note: the system has no namespaces for {' and '.join(outcome.missing)}: the program shared ours", file=sys.stderr)
    if outcome.confirms(trace):
        print(f"replayed: the compiled program fails as predicted ({outcome.done} of {outcome.events} events of the schedule matched)")
        print(f"FALSE({trace['property']})")
        return exits.FALSE
    if outcome.kind in ("timeout", "limit"):
        print(f"{outcome.text}\nUNKNOWN")
        return exits.TIMEOUT if outcome.kind == "timeout" else exits.UNKNOWN
    excuse = outcome.excuse(trace) or ("" if unchanged(trace) else "the trace is not as fsoft wrote it")
    if excuse:
        print(f"not replayed: the compiled program does not fail ({outcome.text}); {excuse}\nUNKNOWN")
        return exits.UNKNOWN
    place = trace["location"] or {"file": trace["files"][0]["path"], "line": 0}
    what = f"THE REAL PROGRAM DOES NOT FAIL AS PREDICTED ({trace['property']}): {outcome.text}"
    print(f"{Loc(place['file'], place['line'])}: error: {what}", file=sys.stderr)
    print("fsoft: internal error: this is a bug of fsoft: please report it with the program and the trace", file=sys.stderr)
    return exits.INTERNAL


def _debug(prepared: Prepared) -> int:
    """Hand over to gdb, or say how."""
    commands = os.path.join(prepared.folder, "commands.gdb")
    with open(commands, "w", encoding="utf-8") as file:
        file.writelines(f"set environment {name} {value}\n" for name, value in prepared.environment.items())
        file.write("set breakpoint pending on\nhandle SIGABRT SIGSEGV SIGFPE SIGBUS stop print\nrun\nbacktrace\n")
    command = ["gdb", "-q", "-x", commands, prepared.program]
    if sys.stdin.isatty() and sys.stdout.isatty() and shutil.which("gdb"):
        os.execvp("gdb", command)
    print(shlex.join(command))
    return exits.TRUE
