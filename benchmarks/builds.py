"""Does every program become a circuit, and is it the right one?

    python benchmarks/builds.py [FILE or FOLDER ...] [--runs N] [--jobs N] [--sample K] [--timeout S] [--memory MB] [--log FILE]

Builds the binary AIGER file of every C program (of `models/`, with the options of its table, if nothing is named), reads it back,
lets ABC and py-aiger read it and compares random runs of the circuit and of the file with the interpreter: see `build_check.py`. Each
task has a process of its own. Prints one line per failure and at the end, per folder, how many tasks passed, the time from C to the
file and the sizes. With `--log FILE` results are kept there, and tasks that passed before are not done again. Exits with 1 if something
failed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.build_check import Differs, Report, examine  # noqa: E402
from fsoft.circuit.encode.states import OF_STATES  # noqa: E402
from fsoft.frontend.source import InputError  # noqa: E402
from fsoft.program.verdict import InternalError  # noqa: E402
from tests.models.table import MODELS, rows  # noqa: E402


@dataclass(frozen=True, slots=True)
class Task:
    """One program with the arguments of `fsoft build` and the properties that its circuit has (None: as the arguments say)."""

    folder: str
    arguments: tuple[str, ...]
    checks: frozenset[str] | None = None

    @property
    def name(self) -> str:
        return " ".join(self.arguments)


@dataclass(slots=True)
class Result:
    """`problem` is "" for a task that passed."""

    task: Task
    report: Report
    problem: str
    wall: float


# ---------------------------------------------------------------- tasks

_OF_RACES = {"--race-on", "--race-model"}
"""Options that only say which races count."""


def of_table() -> list[Task]:
    """The programs of `models/`: one task for each set of options, with all properties of steps that are asked about under them (and so
    without what only says which races count)."""
    asked: dict[tuple[str, ...], set[str]] = defaultdict(set)
    folders = {}
    for row in rows():
        defines = [part for d in row.defines for part in ("-D", d)]
        options = [option for before, option in zip(("", *row.options), row.options) if not {before, option} & _OF_RACES]
        key = (str(row.path), f"--{row.bits}", *defines, *options)
        folders[key] = f"models/{row.program.rpartition('/')[0]}"
        asked[key].add(row.prop)
    return [Task(folders[key], key, frozenset(props - OF_STATES) or frozenset({"unreach-call"})) for key, props in asked.items()]


def tasks_of(names: list[str], bits: int) -> list[Task]:
    """The tasks of files and folders. A `.c` whose `.i` stands beside it is left out; `models` stands for its table."""
    found: list[Task] = []
    for name in names:
        path = Path(name)
        if not path.exists():
            sys.exit(f"builds: error: {name}: no such file or folder")
        if path.resolve() == MODELS:
            found += of_table()
            continue
        files = [path] if path.is_file() else sorted(path.rglob("*.[ci]"))
        files = [p for p in files if p.suffix == ".i" or not p.with_suffix(".i").exists()]
        found += [Task(str(file.parent), (str(file), f"--{bits}")) for file in files]
    return found


# ---------------------------------------------------------------- processes


class Child:
    """A task in a process of its own, whose result comes over a pipe."""

    def __init__(self, task: Task, args: argparse.Namespace) -> None:
        self.task, self.start, self.limit = task, time.monotonic(), args.timeout
        self.pipe, writing = os.pipe()
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            os.setpgid(0, 0)
            os.close(self.pipe)
            _work(task, args, writing)
        os.close(writing)

    def result(self) -> Result | None:
        """What came of it; None while it runs. A child that is too slow is killed."""
        wall = time.monotonic() - self.start
        late = wall > self.limit
        if late:
            try:
                os.killpg(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        pid, status = os.waitpid(self.pid, 0 if late else os.WNOHANG)
        if not pid:
            return None
        with os.fdopen(self.pipe, "rb") as pipe:
            said = pipe.read()
        if said:
            kept = json.loads(said)
            return Result(self.task, Report(**kept["report"]), kept["problem"], wall)
        why = f"not done in {self.limit:g} s" if late else f"the process died ({os.waitstatus_to_exitcode(status)})"
        return Result(self.task, Report(), why, wall)


def _work(task: Task, args: argparse.Namespace, pipe: int) -> None:
    """The life of a child; never returns."""
    resource.setrlimit(resource.RLIMIT_AS, (args.memory << 20, args.memory << 20))
    report, problem = Report(), ""
    try:
        with tempfile.TemporaryDirectory(prefix="fsoft-builds-") as folder:
            report = examine(task.arguments, task.checks, Path(folder), args.runs, args.steps)
    except (Differs, InputError, InternalError) as error:
        problem = f"{type(error).__name__}: {error}".splitlines()[0]
    except MemoryError:
        problem = f"more than {args.memory} MB"
    except BaseException:
        problem = traceback.format_exc(limit=-2).replace("\n", " | ")
    os.write(pipe, json.dumps({"report": asdict(report), "problem": problem}).encode())
    os._exit(0)


def results(tasks: list[Task], args: argparse.Namespace) -> Iterator[Result]:
    """The results as they come, `--jobs` at a time."""
    waiting, running = tasks[::-1], list[Child]()
    while waiting or running:
        while waiting and len(running) < args.jobs:
            running.append(Child(waiting.pop(), args))
        time.sleep(0.01)
        for child in list(running):
            result = child.result()
            if result is not None:
                running.remove(child)
                yield result


# ---------------------------------------------------------------- what was done, and the summary


class Log:
    """Results by task, kept in a file of one JSON line each. Failures are tried again."""

    def __init__(self, path: str | None, runs: int) -> None:
        self.path, self.runs = path, runs
        self.passed: dict[str, Report] = {}
        if path and Path(path).exists():
            for line in Path(path).read_text().splitlines():
                kept = json.loads(line)
                if kept["runs"] >= runs:
                    self.passed[kept["task"]] = Report(**kept["report"])

    def add(self, result: Result) -> None:
        if self.path and not result.problem:
            kept = {"task": result.task.name, "runs": self.runs, "report": asdict(result.report)}
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps(kept) + "\n")


def summary(folder: str, total: int, reports: dict[str, Report]) -> str:
    """One paragraph about a folder."""
    lines = [f"{folder}: {len(reports)}/{total} passed"]
    if reports:
        found = list(reports.values())
        seconds = [report.seconds for report in found]
        slowest = max(reports, key=lambda name: reports[name].seconds)
        biggest = max(reports, key=lambda name: reports[name].nodes)
        mean = {what: sum(getattr(r, what) for r in found) // len(found) for what in ("nodes", "latches")}
        lines.append(f"    build   {sum(seconds) / len(seconds):.2f} s on average, at most {max(seconds):.2f} s ({Path(slowest).name})")
        lines.append(f"    nodes   {mean['nodes']:,} on average, at most {reports[biggest].nodes:,} ({Path(biggest).name})")
        lines.append(f"    latches {mean['latches']:,} on average, at most {max(r.latches for r in found):,}")
        moves, lost = sum(r.moves for r in found), sum(r.lost for r in found)
        lines.append(f"    runs    {moves:,} moves compared, {lost} runs left at an access bound")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description="Builds the circuits of C programs and checks them in every way there is")
    parser.add_argument("names", nargs="*", metavar="FILE|FOLDER", help="C files, or folders with C files (models/)")
    parser.add_argument("--runs", type=int, default=100, metavar="N", help="random runs per program (100)")
    parser.add_argument("--steps", type=int, default=60, metavar="N", help="moves of each run, at most (60)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="tasks at a time")
    parser.add_argument("--sample", type=int, default=1, metavar="K", help="every K-th task only")
    parser.add_argument("--timeout", type=float, default=600, metavar="S", help="seconds per task (600)")
    parser.add_argument("--memory", type=int, default=4096, metavar="MB", help="memory per task (4096)")
    parser.add_argument("--64", dest="bits", action="store_const", const=64, default=32, help="64-bit data model, except for models/")
    parser.add_argument("--log", metavar="FILE", help="keep results here, and leave out what passed before")
    parser.add_argument("--progress", action="store_true", help="one line per task")
    args = parser.parse_args()
    tasks = tasks_of(args.names or [str(MODELS)], args.bits)[:: max(args.sample, 1)]
    if not tasks:
        sys.exit("builds: error: no C files there")
    return run(tasks, args)


def run(tasks: list[Task], args: argparse.Namespace) -> int:
    log = Log(args.log, args.runs)
    folders: dict[str, dict[str, Report]] = {task.folder: {} for task in tasks}
    failed = done = 0
    for task in tasks:
        if task.name in log.passed:
            folders[task.folder][task.name] = log.passed[task.name]
            done += 1
    for result in results([task for task in tasks if task.name not in log.passed], args):
        done += 1
        log.add(result)
        if result.problem:
            failed += 1
            print(f"FAILED  {result.task.name}: {result.problem}", flush=True)
        else:
            folders[result.task.folder][result.task.name] = result.report
            if args.progress:
                r = result.report
                print(f"[{done}/{len(tasks)}] {result.task.name}: {r.seconds:.2f} s, {r.nodes} nodes, {r.latches} latches, "
                      f"{r.moves} moves, {result.wall:.1f} s in all", flush=True)  # fmt: skip
    for folder, reports in folders.items():
        print(summary(folder, sum(task.folder == folder for task in tasks), reports))
    print(f"builds: {sum(map(len, folders.values()))}/{len(tasks)} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
