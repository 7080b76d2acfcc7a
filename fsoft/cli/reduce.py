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

from fsoft.ask import ask
from fsoft.ask.question import EXPLICIT, MEMORY, ByAuto, ByEngine, Question, engine_of
from fsoft.ask.shrink import reduce
from fsoft.cli import exits
from fsoft.cli.arguments import Parser, Request, add_checks, add_limits, add_lowering, add_reading, request
from fsoft.cli.asking import add_engine, question_of
from fsoft.cli.limits import limited
from fsoft.frontend.preprocess import read_text
from fsoft.frontend.source import InputError
from fsoft.process.files import write_file
from fsoft.process.interrupts import scratch

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
    asked = request(args)
    if asked.formulas:
        raise exits.UsageError("reduce keeps verdicts about states: it cannot be asked about --ltl or termination")
    question = replace(question_of(args, asked), memory=None, shorten=False)
    return limited(lambda: _work(args, asked, question), args.timeout, args.memory)


def _work(args: argparse.Namespace, asked: Request, question: Question) -> int:
    text = read_text(asked.name)
    with scratch("fsoft-") as folder:
        trial = _Trial(question, Path(asked.name), Path(folder))
        best = [text]
        try:
            started, began = time.process_time(), time.monotonic()
            wanted = trial.outcome(text)
            spent = time.process_time() - started if isinstance(trial.question.way, ByEngine) else time.monotonic() - began
            trial.patience = _LEAST + _SLACK * spent
            reduce(text, lambda candidate: trial.outcome(candidate) == wanted, lambda found: best.append(found))
        except exits.OutOfTime:
            print("fsoft: note: time limit reached: this is the smallest so far", file=sys.stderr)
    print(f"fsoft: note: {len(text.split())} to {len(best[-1].split())} words, {trial.runs} runs; still: {wanted}", file=sys.stderr)
    _write(best[-1].rstrip() + "\n", args.output)
    return exits.TRUE


class _TooSlow(BaseException):
    """A candidate took too much time."""


class _Trial:
    """Runs candidates in place of the file that the question names. Where nobody is named `auto` answers the first time, and then, about
    all other candidates, whoever had that answer."""

    def __init__(self, question: Question, original: Path, folder: Path):
        self.file = folder / original.name
        source = replace(question.sources[0], path=str(self.file)).also((str(original.parent),), (), ())
        self.question, self.end = replace(question, sources=(source,), deadline=None), question.deadline
        self.patience: float | None = None
        self.runs = 0

    def outcome(self, text: str) -> str:
        """The verdict's last line, or the error without its place."""
        self.runs += 1
        self.file.write_text(text, encoding="utf-8", errors="surrogateescape")
        try:
            with _patience(self.patience):
                return self._asked()
        except InputError as error:
            return f"error: {error.what}"
        except _TooSlow:
            return "too slow"
        except RecursionError:
            return "error: nested too deeply"
        except Exception as error:  # a defect of fsoft is what one most wants to shrink
            return f"internal error: {type(error).__name__}: {str(error).split('0x')[0]}"

    def _asked(self) -> str:
        question = self.question
        if isinstance(question.way, ByAuto) and self.patience is not None:
            question = replace(question, deadline=time.monotonic() + self.patience)
        outcome = ask(question)
        if outcome.limit == MEMORY:
            raise exits.OutOfMemory
        if outcome.limit:
            if question.deadline is None or (self.end is not None and time.monotonic() >= self.end):
                raise exits.OutOfTime
            return "too slow"
        verdict = outcome.worst.verdict
        if isinstance(question.way, ByAuto) and not question.way.members and verdict.kind != "UNKNOWN":
            found = engine_of(EXPLICIT, {"seed": question.way.options.seed}) if verdict.engine == EXPLICIT else None
            self.question = replace(self.question, way=found or ByAuto(question.way.options, (verdict.engine,)))
        return verdict.last_line()


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
