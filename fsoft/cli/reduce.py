"""`fsoft reduce`: the smallest program with the same verdict or error."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType

from fsoft import api
from fsoft.cli import exits
from fsoft.cli.arguments import Parser, Request, add_checks, add_limits, add_lowering, add_reading, request
from fsoft.cli.limits import limited
from fsoft.cli.search import add_engine, decide, find_engine
from fsoft.frontend.source import InputError
from fsoft.reduce import reduce

_LEAST = 2.0  # seconds that every candidate may take
_SLACK = 3.0  # and how much longer than the original


def run(argv: Sequence[str]) -> int:
    parser = Parser("reduce", "Shrink a program while its verdict, or its error, stays the same.")
    add_reading(parser, many=False)
    parser.add_argument("-o", dest="output", metavar="OUT", help="write the result there instead of to stdout")
    add_checks(parser)
    add_engine(parser)
    add_lowering(parser)
    add_limits(parser)
    args = parser.parse_args(argv)
    find_engine(args.engine)
    asked = request(args)
    if asked.formulas:
        raise exits.UsageError("reduce keeps verdicts about states: it cannot be asked about --ltl or termination")
    return limited(lambda: _work(args, asked), args.timeout, args.memory)


def _work(args: argparse.Namespace, asked: Request) -> int:
    from fsoft.frontend.preprocess import read_text

    text = read_text(asked.name)
    with tempfile.TemporaryDirectory(prefix="fsoft-") as folder:
        trial = _Trial(args, asked, Path(folder))
        best = [text]
        try:
            started = time.process_time()
            wanted = trial.outcome(text)
            trial.patience = _LEAST + _SLACK * (time.process_time() - started)
            reduce(text, lambda candidate: trial.outcome(candidate) == wanted, lambda found: best.append(found))
        except exits.OutOfTime:
            print("fsoft: note: time limit reached: this is the smallest so far", file=sys.stderr)
    print(f"fsoft: note: {len(text.split())} to {len(best[-1].split())} words, {trial.runs} runs; still: {wanted}", file=sys.stderr)
    _write(best[-1].rstrip() + "\n", args.output)
    return exits.TRUE


class _TooSlow(BaseException):
    """A candidate took too much time."""


class _Trial:
    """Runs candidates in place of the file that the request names."""

    def __init__(self, args: argparse.Namespace, asked: Request, folder: Path):
        original = Path(asked.name)
        self.file = folder / original.name
        self.args = args
        source = replace(asked.sources[0], path=str(self.file)).also((str(original.parent),), (), ())
        self.asked = replace(asked, sources=(source,))
        self.engine = find_engine(args.engine)
        self.patience: float | None = None
        self.runs = 0

    def outcome(self, text: str) -> str:
        """The verdict's last line, or the error without its place."""
        self.runs += 1
        self.file.write_text(text, encoding="utf-8", errors="surrogateescape")
        try:
            with _patience(self.patience):
                program = api.load(self.asked.sources, self.asked.options, bits=self.asked.bits, cpp=self.asked.cpp)
                return decide(program, self.engine, self.args, lambda _: None).last_line()
        except InputError as error:
            return f"error: {error.what}"
        except _TooSlow:
            return "too slow"
        except RecursionError:
            return "error: nested too deeply"
        except Exception as error:  # a defect of fsoft is what one most wants to shrink
            return f"internal error: {type(error).__name__}: {str(error).split('0x')[0]}"


@contextmanager
def _patience(seconds: float | None) -> Iterator[None]:
    """Interrupt the block after that much processor time (a timer apart from that of `--timeout`)."""

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise _TooSlow

    old = signal.signal(signal.SIGVTALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds or 0)
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, old)


def _write(text: str, output: str | None) -> None:
    """To stdout, or to a file that is there whole or not at all."""
    if output is None:
        sys.stdout.write(text)
        return
    target = Path(output)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=target.name)
        with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        os.replace(name, target)
    except OSError as error:
        raise exits.UsageError(f"cannot write {output}: {(error.strerror or str(error)).lower()}") from None
