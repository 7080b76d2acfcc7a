"""`fsoft reduce`: the smallest program with the same verdict or error."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType

from fsoft.ask import auto
from fsoft.ask.auto.members import Member, plan
from fsoft.ask.load import load
from fsoft.ask.shrink import reduce
from fsoft.cli import exits
from fsoft.cli.arguments import Parser, Request, add_checks, add_limits, add_lowering, add_reading, request
from fsoft.cli.auto import auto_options, check_auto
from fsoft.cli.circuits import check_options, reduction_of
from fsoft.cli.limits import limited
from fsoft.cli.search import add_engine, decide, find_engine
from fsoft.frontend.source import InputError
from fsoft.process.files import write_file
from fsoft.process.interrupts import scratch
from fsoft.program.program import Program
from fsoft.program.verdict import Verdict

_LEAST = 2.0  # seconds that every candidate may take
_SLACK = 3.0  # and how much longer than the original


def run(argv: Sequence[str]) -> int:
    parser = Parser("reduce", "Shrink a program while its verdict, or its error, stays the same.")
    add_reading(parser, many=False)
    parser.add_argument("-o", dest="output", metavar="OUT", help="write the result there instead of to stdout")
    add_checks(parser)
    add_engine(parser, "auto")
    add_lowering(parser)
    add_limits(parser)
    args = parser.parse_args(argv)
    if _is_auto(args):
        check_auto(args)
    else:
        check_options(find_engine(args.engine), args)
    asked = request(args)
    if asked.formulas:
        raise exits.UsageError("reduce keeps verdicts about states: it cannot be asked about --ltl or termination")
    return limited(lambda: _work(args, asked), args.timeout, args.memory)


def _work(args: argparse.Namespace, asked: Request) -> int:
    from fsoft.frontend.preprocess import read_text

    text = read_text(asked.name)
    with scratch("fsoft-") as folder:
        trial = _Trial(args, asked, Path(folder))
        best = [text]
        try:
            started, began = time.process_time(), time.monotonic()
            wanted = trial.outcome(text)
            spent = time.process_time() - started if trial.engine is not None else time.monotonic() - began
            trial.patience = _LEAST + _SLACK * spent
            reduce(text, lambda candidate: trial.outcome(candidate) == wanted, lambda found: best.append(found))
        except exits.OutOfTime:
            print("fsoft: note: time limit reached: this is the smallest so far", file=sys.stderr)
    print(f"fsoft: note: {len(text.split())} to {len(best[-1].split())} words, {trial.runs} runs; still: {wanted}", file=sys.stderr)
    _write(best[-1].rstrip() + "\n", args.output)
    return exits.TRUE


class _TooSlow(BaseException):
    """A candidate took too much time."""


def _is_auto(args: argparse.Namespace) -> bool:
    return args.engine in (None, "auto")


class _Trial:
    """Runs candidates in place of the file that the request names. Without an engine `auto` answers the first time, and then, about
    all other candidates, whoever had that answer."""

    def __init__(self, args: argparse.Namespace, asked: Request, folder: Path):
        original = Path(asked.name)
        self.file = folder / original.name
        self.args = args
        source = replace(asked.sources[0], path=str(self.file)).also((str(original.parent),), (), ())
        self.asked = replace(asked, sources=(source,))
        self.engine = None if _is_auto(args) else find_engine(args.engine)
        self.members: list[Member] | None = None
        self.patience: float | None = None
        self.runs = 0

    def outcome(self, text: str) -> str:
        """The verdict's last line, or the error without its place."""
        self.runs += 1
        self.file.write_text(text, encoding="utf-8", errors="surrogateescape")
        try:
            with _patience(self.patience):
                program = load(self.asked.sources, self.asked.options, bits=self.asked.bits, cpp=self.asked.cpp)
                if self.engine is None:
                    return self._auto(program).last_line()
                return decide(program, self.engine, self.args, lambda _: None).last_line()
        except InputError as error:
            return f"error: {error.what}"
        except (_TooSlow, auto.AnswersTimeout):
            return "too slow"
        except RecursionError:
            return "error: nested too deeply"
        except Exception as error:  # a defect of fsoft is what one most wants to shrink
            return f"internal error: {type(error).__name__}: {str(error).split('0x')[0]}"

    def _auto(self, program: Program) -> Verdict:
        deadline = None if self.patience is None else time.monotonic() + self.patience
        reduced = self.args.por is not None or self.args.transactions is not None
        reduction = reduction_of(self.args, program.checks) if reduced else None
        verdict = auto.check(program, **auto_options(self.args), deadline=deadline, reduction=reduction, members=self.members)
        if self.members is None and verdict.kind != "UNKNOWN":
            self.members = [member for member in plan(auto.ProgramFacts(program), reduction) if member.name == verdict.engine] or None
            if verdict.engine == "explicit":
                self.engine = find_engine("explicit")
        return verdict


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
    write_file(output, text.encode(errors="surrogateescape"))
