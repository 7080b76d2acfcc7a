"""Ask engines every question of the table and compare: `python -m tests.models.agree [WORD...] [--engine E] [--every K] ...`.

Words choose the rows whose name contains all of them; `--large` takes those of `large.toml`.
A row is *decided* if the engine answered as expected, *open* if it ran out
of time or said UNKNOWN although there is an answer, and *wrong* otherwise: another verdict, or an error.

`--engine all` asks every engine that can be used here; each gets the questions that it can answer, and a line of its own. Properties of
runs are asked of the explicit product, of every engine on circuits, and of `klive`; `--with '--por cstub'` adds options to each question.

Each question is a run of the command `fsoft check`, forked from a process that has read fsoft's modules and library models
already: 0.1 s for a small program instead of 0.6 s.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

from tests.models.table import RUNS, Row, rows

ANSWERED = (0, 5, 10)  # exit codes of TRUE, UNKNOWN, FALSE
TIMED_OUT = 31
AUTO = "auto"  # what fsoft does if nobody chooses


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one row. `answer` is the last line of the engine, or what it said instead of an answer."""

    row: Row
    answer: str
    code: int
    seconds: float

    @property
    def decided(self) -> bool:
        return self.code in ANSWERED and self.answer == self.row.verdict

    @property
    def open(self) -> bool:
        return not self.decided and (self.code == TIMED_OUT or (self.code in ANSWERED and self.answer == "UNKNOWN"))

    @property
    def wrong(self) -> bool:
        return not self.decided and not self.open

    def __str__(self) -> str:
        word = "ok   " if self.decided else "open " if self.open else "WRONG"
        return f"{word} {self.seconds:6.1f}s  {self.row.name}: {self.answer}" + ("" if self.decided else f", expected {self.row.verdict}")


def ask(row: Row, timeout: int = 60, engine: str = "explicit", more: Sequence[str] = (), cpu: bool = False) -> Outcome:
    """One row, in a process of its own; `more` are options beside those of the row. `cpu`: the limit and the seconds are those of the
    processor, which are the same on a busy machine as on an idle one (for engines that work in one process)."""
    start, used = time.perf_counter(), _children()
    command = ["check", *_who(engine), "--no-trace", *([] if cpu else ["--timeout", str(timeout)]), *more, *row.arguments()]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        code = in_child(command, out.fileno(), err.fileno(), timeout if cpu else None)
        said = out if code in (*ANSWERED, TIMED_OUT) else err
        said.seek(0)
        lines = said.read().decode().splitlines() or [f"exit code {code}"]
    return Outcome(row, lines[-1], code, _children() - used if cpu else time.perf_counter() - start)


def _children() -> float:
    """Processor time of the processes that have been waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _who(engine: str) -> list[str]:
    """An engine, or a bounded encoding (with an order: `tcbmc:free`, or a grain: `mu:inter`) with growing bounds."""
    from fsoft.ask.by_name import encoding_names

    name, _, variant = engine.partition(":")
    if name in encoding_names():
        option = "--mu-grain" if name == "mu" else "--order"
        return ["--encoding", name, "--incremental", *([option, variant] if variant else [])]
    return [] if engine == AUTO else ["--engine", engine]


def in_child(command: list[str], out: int, err: int, cpu: int | None = None) -> int:
    """The exit code of `fsoft` with these arguments and its output in the two files, after at most `cpu` seconds of processor time."""
    from fsoft.cli.main import main as fsoft

    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child:
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return TIMED_OUT if ended == -signal.SIGXCPU else ended
    code = 6
    if cpu is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 5))
    try:
        os.dup2(out, 1)
        os.dup2(err, 2)
        sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
        code = fsoft(command)
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 6
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def warm_up() -> None:
    """Read what every question needs: fsoft's modules and its models of the library."""
    from fsoft.ask.load import Options, check

    check([str(rows()[0].path)], Options(), bits=64)


def ask_all(
    chosen: Iterable[Row], timeout: int = 60, jobs: int = 2, engine: str = "explicit", more: Sequence[str] = (), cpu: bool = False
) -> Iterator[Outcome]:
    """The outcomes in the order of the rows, `jobs` at a time."""
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("fork"), warm_up) as pool:
        yield from pool.map(partial(ask, timeout=timeout, engine=engine, more=more, cpu=cpu), chosen)


def answerable(engine: str, chosen: Iterable[Row] | None = None) -> list[Row]:
    """The rows whose property the engine (or the encoding) answers."""
    from fsoft.checkers.registry import any_engine
    from fsoft.program.options import PROPERTIES

    properties: tuple[str, ...] = PROPERTIES
    if engine == "klive":
        properties = RUNS
    elif engine == AUTO:
        properties = (*PROPERTIES, *RUNS)
    elif "--encoding" not in _who(engine):
        found = any_engine(engine)
        properties = (*found.properties, *(RUNS if found.takes == "model" or engine == "explicit" else ()))
    return [row for row in (rows() if chosen is None else chosen) if row.prop in properties]


def available() -> list[str]:
    """Every engine that can be used here."""
    from fsoft.checkers.registry import engines, model_engines

    return [*engines(), *(name for name, entry in model_engines().items() if entry.missing() is None and not entry.stateless)]


def sample(engine: str, each: int) -> list[Row]:
    """The TRUE and the FALSE rows about states of the smallest programs, `each` of both: what is quick for the engine."""
    found = sorted((row for row in answerable(engine) if row.prop not in RUNS), key=lambda row: (row.path.stat().st_size, row.name))
    kinds = ([row for row in found if row.verdict == "TRUE"], [row for row in found if row.verdict.startswith("FALSE")])
    return [row for kind in kinds for row in kind[:each]]


def summary(outcomes: list[Outcome], name: str = "models") -> str:
    decided, left, wrong = (sum(getattr(o, kind) for o in outcomes) for kind in ("decided", "open", "wrong"))
    quick = sum(o.decided and o.seconds < 2 for o in outcomes)
    return f"{name}: decided {decided}/{len(outcomes)} ({quick} in less than 2 s), open {left}, wrong {wrong}"


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.models.agree", description="Ask engines every question of the table of models/.")
    parser.add_argument("words", nargs="*")
    parser.add_argument("--timeout", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--engine", default="explicit", help="a name, auto, or all; or an encoding")
    parser.add_argument("--every", type=int, default=1, metavar="K", help="each K-th row only")
    parser.add_argument("--verdict", default="", help="only rows whose verdict begins so")
    parser.add_argument("--large", action="store_true", help="the rows of large.toml instead")
    parser.add_argument("--with", dest="more", default="", metavar="OPTIONS", help="further options of fsoft check")
    parser.add_argument("--cpu", action="store_true", help="the limit is one of processor time: for a busy machine")
    parser.add_argument("--quiet", action="store_true", help="print only what is not decided")
    args = parser.parse_args(argv)
    chosen = [row for row in rows("large.toml" if args.large else "table.toml") if all(word in row.name for word in args.words)]
    chosen = [row for row in chosen if row.verdict.startswith(args.verdict)][:: args.every]
    lines, wrong = [], False
    for engine in available() if args.engine == "all" else [args.engine]:
        outcomes = []
        for outcome in ask_all(answerable(engine, chosen), args.timeout, args.jobs, engine, args.more.split(), args.cpu):
            outcomes.append(outcome)
            if not (args.quiet and outcome.decided):
                print(f"{engine}: {outcome}" if args.engine == "all" else outcome, flush=True)
        lines.append(summary(outcomes, engine))
        wrong = wrong or any(o.wrong for o in outcomes)
    print("\n".join(lines))
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
