"""`fsoft COMMAND ...`: find the command, run it, turn every way it can end into one line and one exit code."""

from __future__ import annotations

import errno
import gc
import math
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

from fsoft.cli import exits
from fsoft.cli.streams import prepare
from fsoft.version import VERSION

COMMANDS = {
    "check": "answer TRUE, FALSE with a trace, or UNKNOWN with the bound that cut",
    "show": "print the concurrent program that C became",
    "effects": "list functions about which nothing is known, and write rows of effects for them",
    "run": "execute once, with a random or a given schedule, and say what happened",
    "replay": "execute a counterexample in the real program, compiled by gcc",
    "test": "execute the program, compiled by gcc, many times under schedules of fsoft's",
    "cc": "gcc for builds whose programs fsoft test is to run (make CC='fsoft cc'); cxx: g++",
    "cxx": "g++ for such builds",
    "reduce": "shrink a program while its verdict or error stays the same",
    "build": "write the circuit of a program for other model checkers",
    "sequentialize": "write a sequential C program for other verifiers",
    "explain": "turn the witness of another model checker into a C trace",
    "checkers": "list the engines and what each can answer",
}

_TELLING = ("--version", "-V", "--help", "-h", "help")
_OWN_CLOCK = ("replay", "test", "cc", "cxx")  # whose --timeout is about a part of its work
_SCARCE = (errno.ENOMEM, errno.EAGAIN, errno.EMFILE, errno.ENFILE)

_NO_ROOM = ("can't allocate ", "can't start new thread")  # what Python says for want of memory where it has no MemoryError

USAGE = "usage: fsoft COMMAND FILE... [options]      (fsoft COMMAND --help for the options of a command)"


def help_text() -> str:
    lines = [f"fsoft {VERSION}: a verifier for concurrent C", "", USAGE, "", "commands:"]
    lines += [f"  {name:<15}{what}" for name, what in COMMANDS.items()]
    codes = "0 true, 10 false, 5 unknown, 1 usage, 2 bad or unsupported input, 6 internal error, 31 time-out"
    return "\n".join([*lines, "", f"exit codes: {codes}"])


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the result is the process's exit code."""
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        return flushed(_dispatch(args))
    except KeyboardInterrupt:
        return exits.INTERRUPTED


def run_and_leave() -> NoReturn:
    """The command of this process, under a supervisor. Processes end at once: taking a large Program apart object by object would only take
    time."""
    prepare()
    if len(sys.argv) == 2 and sys.argv[1] in _TELLING:
        os._exit(main())
    from fsoft.cli.supervisor import supervised  # --version and --help need none, and are to answer at once

    try:
        timeout, memory = _limits(sys.argv[1:])
        code = guarded(lambda: supervised(main, time.monotonic() - min(_age(), (timeout or 0.0) / 10), timeout, memory))
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else exits.INTERRUPTED
    os._exit(flushed(code))


def _limits(args: list[str]) -> tuple[float | None, int | None]:
    """Time and memory limits on a command line that nobody has read yet: reading it may take long where many run at once. What is wrong
    there is said by who reads it."""
    found: dict[str, float] = {}
    options = args[: args.index("--")] if "--" in args else args
    for word, after in zip(options, [*options[1:], ""]):
        name, equals, value = word.partition("=")
        if name in ("--timeout", "--memory") and args[0] not in _OWN_CLOCK:
            with suppress(ValueError):
                found[name] = max(0.0, float((value if equals else after).removesuffix("s")))
    timeout, memory = found.get("--timeout"), found.get("--memory")
    return timeout, None if memory is None or memory == math.inf else int(memory)


def _age() -> float:
    """Seconds since this process began, which are many where many begin at once. (A hint only: a script may have become fsoft.)"""
    try:
        with open("/proc/self/stat", "rb") as stat:
            ticks = int(stat.read().rpartition(b")")[2].split()[19])
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, IndexError, AttributeError):
        return 0.0


def flushed(code: int) -> int:
    """The exit code, once all that was said has been written. Where that fails (a full disk), nobody may take it for said."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
        return code
    except exits.Unwritten as lost:
        return _unheard(lost.error)
    except OSError as error:
        return _unheard(error)


def _unheard(error: OSError) -> int:
    """Nothing more can be said on stdout, and the interpreter must not complain about it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):  # whoever read our output has gone
        return exits.UNHEARD
    return _complain(f"fsoft: error: the output cannot be written: {error.strerror}", exits.BAD_INPUT)


def _dispatch(args: list[str]) -> int:
    if args in (["--version"], ["-V"]):
        return guarded(lambda: _say(f"fsoft {VERSION}"))
    if args in (["--help"], ["-h"], ["help"]):
        return guarded(lambda: _say(help_text()))
    return guarded(lambda: _run(args))


def _say(text: str) -> int:
    print(text)
    return exits.TRUE


def guarded(work: Callable[[], int]) -> int:
    """`work()`, with every way it can fail turned into one line on stderr and an exit code."""
    try:
        return work()
    except (exits.OutOfMemory, MemoryError):
        pass  # what held the memory is gone only after this block
    except exits.UsageError as error:
        return _complain(f"fsoft: error: {error}", exits.USAGE)
    except exits.OutOfTime:
        return _unknown("time limit reached", exits.TIMEOUT)
    except exits.Unwritten as lost:
        return _unheard(lost.error)
    except Exception as error:  # the last door: whatever is left is a defect of fsoft, or bad input
        return _failure(error)
    return _unknown("memory limit reached", exits.UNKNOWN)


def _run(args: list[str]) -> int:
    if not args:
        raise exits.UsageError(f"no command given: one of {', '.join(COMMANDS)} (fsoft --help says more)")
    name = args[0]
    if name not in COMMANDS:
        raise exits.UsageError(_unknown_command(name))
    gc.set_threshold(200_000, 50, 50)  # trees and states hold few cycles: looking for them often only costs time
    code = import_module(f"fsoft.cli.{name}").run(args[1:])
    assert isinstance(code, int)
    return code


def _unknown_command(name: str) -> str:
    if os.path.exists(name):
        return f"'{name}' is a file, not a command: fsoft check {name} (fsoft --help says more)"
    from fsoft.cli.arguments import nearest  # with argparse and properties: only for a mistake

    meant = nearest(name, COMMANDS) or f": one of {', '.join(COMMANDS)}"
    return f"unknown command '{name}'{meant} (fsoft --help says more)"


def _failure(error: Exception) -> int:
    from fsoft.checkers.registry import Unanswered  # only when something went wrong, here and below
    from fsoft.frontend.source import InputError  # the same

    if os.environ.get("FSOFT_DEBUG") == "1":
        import traceback  # the same

        traceback.print_exc()
    if isinstance(error, InputError):
        return _complain(str(error), exits.BAD_INPUT)
    if isinstance(error, OSError):
        return _refused(error)
    if isinstance(error, Unanswered):
        return _complain(f"fsoft: error: {error} (fsoft checkers lists who answers what)", exits.BAD_INPUT)
    if isinstance(error, ImportError) and error.path is not None and error.path.endswith(".so"):  # it is there and cannot be loaded
        return _unknown(f"a library cannot be loaded, most likely for want of memory: {error}", exits.UNKNOWN)
    own = isinstance(error, SyntaxError) and str(error.filename).endswith(".py")  # a module of ours: Python ran out of memory reading it
    if own or isinstance(error, SystemError) or (type(error) is RuntimeError and str(error).startswith(_NO_ROOM)):
        return _unknown(f"Python could not go on, most likely for want of memory: {error}", exits.UNKNOWN)
    if isinstance(error, RecursionError):
        return _complain("fsoft: error: the input is nested too deeply", exits.BAD_INPUT)
    what = str(error).splitlines()[0] if str(error) else "no message"
    report = "please report it with the input that `fsoft reduce` makes of yours; FSOFT_DEBUG=1 shows the traceback"
    return _complain(f"fsoft: internal error: {type(error).__name__}: {what} ({report})", exits.INTERNAL)


def _refused(error: OSError) -> int:
    """The system did not do what it was asked for."""
    if isinstance(error, BrokenPipeError):
        return _unheard(error)
    why = error.strerror or str(error)
    if error.errno in _SCARCE:
        return _unknown(f"the system is short of something: {why}", exits.UNKNOWN)
    where = "fsoft" if error.filename is None else os.fsdecode(error.filename)
    return _complain(f"{where}: error: the system refuses: {why}", exits.BAD_INPUT)


def _complain(line: str, code: int) -> int:
    code = flushed(code)
    print(line, file=sys.stderr)
    return code


def _unknown(why: str, code: int) -> int:
    """A limit struck a command that has nothing to say about what it did so far."""
    print(f"{why}\nUNKNOWN")
    return code


if __name__ == "__main__":
    run_and_leave()
