"""`fsoft COMMAND ...`: find the command, run it, turn every way it can end into one line and one exit code."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from fsoft.cli import exits
from fsoft.version import VERSION

COMMANDS = {
    "check": "answer TRUE, FALSE with a trace, or UNKNOWN with the bound that cut",
    "show": "print the concurrent program that C became",
    "run": "execute once, with a random or a given schedule, and say what happened",
    "replay": "execute a counterexample in the real program, compiled by gcc",
    "reduce": "shrink a program while its verdict or error stays the same",
    "build": "write the circuit of a program for other model checkers",
    "sequentialize": "write a sequential C program for other verifiers",
    "explain": "turn the witness of another model checker into a C trace",
    "checkers": "list the engines and what each can answer",
}

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
    except BrokenPipeError:
        # Whoever read our output has gone; the interpreter must not complain about it at exit. No verdict's code: it was not heard.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exits.UNHEARD
    except KeyboardInterrupt:
        return exits.INTERRUPTED


def run_and_leave() -> NoReturn:
    """The command of this process, which ends with it at once: taking a large Program apart object by object would only take time."""
    code = main()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        pass
    os._exit(code)


def flushed(code: int) -> int:
    """The exit code, once all that was said has been written. Where that fails (a full disk), nobody may take it for said."""
    try:
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        raise
    except OSError as error:
        return _lost(error)


def _lost(error: OSError) -> int:
    """Nothing more can be said on stdout."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
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
    except exits.UsageError as error:
        return _complain(f"fsoft: error: {error}", exits.USAGE)
    except exits.OutOfTime:
        return _unknown("time limit reached", exits.TIMEOUT)
    except (exits.OutOfMemory, MemoryError):
        return _unknown("memory limit reached", exits.UNKNOWN)
    except Exception as error:  # the last door: whatever is left is a defect of fsoft, or bad input
        return _failure(error)


def _run(args: list[str]) -> int:
    if not args:
        raise exits.UsageError(f"no command given: one of {', '.join(COMMANDS)} (fsoft --help says more)")
    name = args[0]
    if name not in COMMANDS:
        raise exits.UsageError(_unknown_command(name))
    import gc
    from importlib import import_module

    gc.set_threshold(200_000, 50, 50)  # trees and states hold few cycles: looking for them often only costs time
    code = import_module(f"fsoft.cli.{name}").run(args[1:])
    assert isinstance(code, int)
    return code


def _unknown_command(name: str) -> str:
    if os.path.exists(name):
        return f"'{name}' is a file, not a command: fsoft check {name} (fsoft --help says more)"
    from fsoft.cli.arguments import nearest

    meant = nearest(name, COMMANDS) or f": one of {', '.join(COMMANDS)}"
    return f"unknown command '{name}'{meant} (fsoft --help says more)"


def _failure(error: Exception) -> int:
    from checkers.registry import Unanswered
    from fsoft.frontend.source import InputError

    if isinstance(error, BrokenPipeError):
        raise error
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) and error.filename is None:
        return _lost(error)
    if os.environ.get("FSOFT_DEBUG") == "1":
        import traceback

        traceback.print_exc()
    if isinstance(error, InputError):
        return _complain(str(error), exits.BAD_INPUT)
    if isinstance(error, Unanswered):
        return _complain(f"fsoft: error: {error} (fsoft checkers lists who answers what)", exits.BAD_INPUT)
    if isinstance(error, RecursionError):
        return _complain("fsoft: error: the input is nested too deeply", exits.BAD_INPUT)
    what = str(error).splitlines()[0] if str(error) else "no message"
    report = "please report it with the input that `fsoft reduce` makes of yours; FSOFT_DEBUG=1 shows the traceback"
    return _complain(f"fsoft: internal error: {type(error).__name__}: {what} ({report})", exits.INTERNAL)


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
