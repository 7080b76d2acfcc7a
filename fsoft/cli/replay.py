"""`fsoft replay`: the counterexample in the real program, compiled by gcc, under exactly that schedule and those inputs."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

from fsoft.cli import exits
from fsoft.cli.arguments import Parser, seconds
from fsoft.cli.json import hash_of
from fsoft.frontend.source import InputError, Loc
from fsoft.interrupts import scratch, terminable
from fsoft.trace.record import SCHEMA
from fsoft.trace.replay import Outcome, Prepared, endless, prepare

_TIMEOUT = 20.0


def run(argv: Sequence[str]) -> int:
    args = _parser().parse_args(argv)
    asked = _read(args)
    if args.keep is None and not args.gdb:
        with scratch("fsoft-replay-") as folder:
            return _work(args, folder, *asked)
    with terminable():
        return _work(args, _kept(args.keep), *asked)


def _parser() -> Parser:
    what = "Execute the program, compiled by gcc, under the schedule and the inputs of a trace. Exit code 10 if it fails as predicted."
    parser = Parser("replay", what)
    parser.usage = "fsoft replay FILE... TRACE.json [options]"
    parser.add_argument("files", nargs="+", metavar="FILE", help="the C files that were checked, then what --trace-file or --json wrote")
    model = parser.add_mutually_exclusive_group()
    model.add_argument("--32", dest="bits", action="store_const", const=32, help="compile for 32 bits (default: as the trace says)")
    model.add_argument("--64", dest="bits", action="store_const", const=64, help="compile for 64 bits")
    parser.add_argument("--timeout", type=seconds, default=_TIMEOUT, metavar="S", help=f"give up after S seconds of running ({_TIMEOUT:g})")
    gdb = "keep the program and start gdb, which stops at the failure (without a terminal: print the command)"
    parser.add_argument("--gdb", action="store_true", help=gdb)
    parser.add_argument("--keep", metavar="DIR", help="keep the compiled program and its schedule in this folder")
    return parser


def _read(args: argparse.Namespace) -> tuple[dict[str, Any], list[str], int]:
    """The trace, the files and the data model, which fit together."""
    if len(args.files) < 2 or not args.files[-1].endswith(".json"):
        raise exits.UsageError("expected the C files and then the trace: fsoft replay prog.c trace.json (fsoft check --json writes one)")
    *files, path = args.files
    trace = _trace(path)
    bits = 64 if trace["data_model"] == "LP64" else 32
    if args.bits not in (None, bits):
        raise InputError(Loc(path, 0), f"the trace is of the {bits}-bit program: leave out --{args.bits}")
    if len(files) != len(trace["files"]):
        raise InputError(Loc(path, 0), f"the trace is of {len(trace['files'])} files, not {len(files)}")
    for file, entry in zip(files, trace["files"]):
        if not os.path.isfile(file):
            raise InputError(Loc(file, 0), "there is no such file")
        if hash_of(file) != entry["sha256"]:
            raise InputError(Loc(path, 0), f"the trace is of another version of {file} (its SHA-256 differs): run fsoft check again")
    return trace, files, bits


def _trace(path: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:
            trace = json.load(file)
    except OSError as error:
        raise InputError(Loc(path, 0), f"cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise InputError(Loc(path, 0), "not valid JSON") from None
    if not isinstance(trace, dict) or trace.get("schema") != SCHEMA:
        raise InputError(Loc(path, 0), f"not a trace that fsoft wrote (its schema is not {SCHEMA})")
    if trace.get("verdict") != "FALSE":
        raise InputError(Loc(path, 0), f"the verdict is {trace.get('verdict')}: there is nothing to replay")
    missing = [key for key in ("files", "data_model", "entry", "eval_order", "property", "objects", "moves", "end") if key not in trace]
    if missing:
        raise InputError(Loc(path, 0), f"'{missing[0]}' is missing (was it written with --no-trace?)")
    if (why := endless(trace)) is not None:
        raise InputError(Loc(path, 0), why)
    return trace


def _work(args: argparse.Namespace, folder: str, trace: dict[str, Any], files: list[str], bits: int) -> int:
    try:
        prepared = prepare(trace, files, bits, folder)
        if args.gdb:
            return _debug(prepared)
        return _report(trace, prepared.run(args.timeout))
    except KeyError as error:
        raise InputError(Loc(args.files[-1], 0), f"{error} is missing in the trace") from None
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
    return keep


def _report(trace: dict[str, Any], outcome: Outcome) -> int:
    if outcome.output:
        print(outcome.output.rstrip())
    if outcome.confirms(trace):
        print(f"replayed: the compiled program fails as predicted ({outcome.done} of {outcome.events} events of the schedule matched)")
        print(f"FALSE({trace['property']})")
        return exits.FALSE
    if outcome.kind == "timeout":
        print(f"{outcome.text}\nUNKNOWN")
        return exits.TIMEOUT
    if excuse := outcome.excuse(trace):
        print(f"not replayed: the compiled program does not fail ({outcome.text}); {excuse}\nUNKNOWN")
        return exits.UNKNOWN
    place = trace["location"] or {"file": trace["files"][0]["path"], "line": 0}
    what = f"THE REAL PROGRAM DOES NOT FAIL AS PREDICTED ({trace['property']}): {outcome.text}"
    print(f"{place['file']}:{place['line']}: error: {what}", file=sys.stderr)
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
