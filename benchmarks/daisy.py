"""The Daisy case study (F-Soft paper, section 5): each witness under plain interleaving, partial order alone, and partial order with
transactions; with the depth, the time, the memory, the clauses and the conflicts of each.

    python benchmarks/daisy.py                              # every witness, at the sizes below
    python benchmarks/daisy.py --witness blocks-0-1 --operations 3 --blocks 4
    python benchmarks/daisy.py --raise operations           # until partial order alone needs 100 s (--enough) or the limit is reached
    python benchmarks/daisy.py --proofs                     # the repaired file system: must be TRUE, with a certificate

Engine, solver and simplifications are the same in all settings (`--engine`, `--solver`). Every question is `fsoft check` in a process
of its own, with a limit on time (`--timeout`) and memory (`--memory`). Seconds are processor time. Where fsoft does not have the options
of a setting, or the engine does not answer the question, the table says so. The exit code is 1 if an answer is wrong. Proofs are asked of
the engine explicit with `--certify` unless another is named: its certificate covers all interleavings, so there is one setting only.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from fsoft.program.verdict import Stats, Verdict
    from fsoft.solve.sat import Sat

SETTINGS = {
    "plain": (),
    "partial order": ("--por", "cstub", "--transactions", "none"),
    "with transactions": ("--por", "cstub", "--transactions", "lock-pattern"),
}
ALONE = "partial order"
SIZES = ("blocks", "inodes", "block_size", "word_bytes", "threads", "operations")
_GRACE = 20  # seconds that a process has for its report once its time is up


@dataclass(frozen=True, slots=True)
class Witness:
    """A question about a driver of `models/daisy`. `race_on` names the object if a data race is asked for; `@alloc` is the first allocation
    byte. `sizes` are those that the question needs where nobody says otherwise."""

    name: str
    what: str
    driver: str
    defines: tuple[str, ...] = ()
    race_on: str = ""
    verdict: str = "FALSE"
    sizes: tuple[tuple[str, int], ...] = ()


WITNESSES = [
    Witness("blocks-0-1", "defect 1, blocks 0 and 1: a bit is lost", "blocks.c", ("HEAD_LOCK",)),
    Witness("blocks-1-2", "defect 1, blocks 1 and 2: a bit is lost", "blocks.c", ("HEAD_LOCK", "FIRST=1")),
    Witness("files", "defect 1, creat and unlink: a bit is lost", "files.c", ("HEAD_LOCK",), sizes=(("operations", 2),)),
    Witness("race-0-1", "defect 1, blocks 0 and 1: race on the byte", "blocks.c", ("HEAD_PER_THREAD",), "@alloc"),
    Witness("race-1-2", "defect 1, blocks 1 and 2: race on the byte", "blocks.c", ("HEAD_PER_THREAD", "FIRST=1"), "@alloc"),
    Witness("race-both", "both defects: race on the allocation byte", "blocks.c", (), "@alloc"),
    Witness("seek", "defect 2: another address's byte is read", "seek.c", ("ALLOC_LOCK",)),
    Witness("race-head", "defect 2: race on the head", "seek.c", ("ALLOC_LOCK",), "disk.head"),
]
NAMES = (("blocks", 3), ("inodes", 3), ("block_size", 4))  # the directory is a file, too, with room for two entries
PROOFS = [
    Witness("repaired-seek", "repaired: every byte is read back", "seek.c", ("HEAD_LOCK", "ALLOC_LOCK"), verdict="TRUE"),
    Witness("repaired-0-1", "repaired: no bit is lost, blocks 0 and 1", "blocks.c", ("HEAD_LOCK", "ALLOC_LOCK"), verdict="TRUE"),
    Witness("repaired-1-2", "repaired: no bit is lost, blocks 1 and 2", "blocks.c", ("HEAD_LOCK", "ALLOC_LOCK", "FIRST=1"), verdict="TRUE"),
    Witness("repaired-race", "repaired: no race on the byte", "blocks.c", ("HEAD_LOCK", "ALLOC_LOCK"), "@alloc", "TRUE"),
    Witness("repaired-head", "repaired: no race on the head", "blocks.c", ("HEAD_LOCK", "ALLOC_LOCK"), "disk.head", "TRUE"),
    Witness("repaired-files", "repaired: creat and unlink lose no bit", "files.c", ("HEAD_LOCK", "ALLOC_LOCK"), verdict="TRUE"),
    Witness("repaired-names", "repaired: files by name", "directory.c", ("HEAD_LOCK", "ALLOC_LOCK"), verdict="TRUE", sizes=NAMES),
]
DEFAULTS = {"blocks": 3, "inodes": 2, "block_size": 1, "word_bytes": 1, "threads": 2, "operations": 1}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one process did. `depth` is how far the engine came, -1 if it did not say; `seconds` of processor time."""

    answer: str
    seconds: float
    megabytes: int = 0
    depth: int = -1
    clauses: int = 0
    conflicts: int = 0
    states: int = 0
    transitions: int = 0

    def cells(self) -> list[str]:
        depth = str(self.depth) if self.depth >= 0 else "-"
        counted = (self.clauses, self.conflicts, self.states, self.transitions)
        return [self.answer, depth, f"{self.seconds:.1f}", str(self.megabytes), *map(_figure, counted)]


def _figure(number: int) -> str:
    return f"{number:,}" if number else "-"


# ---------------------------------------------------------------- one question, in a process of its own


def command(witness: Witness, setting: Sequence[str], args: argparse.Namespace) -> list[str]:
    """The arguments of `fsoft`."""
    sizes = DEFAULTS | dict(witness.sizes) | {name: getattr(args, name) for name in SIZES if getattr(args, name) is not None}
    defines = [*witness.defines, *(f"{name.upper()}={value}" for name, value in sizes.items())]
    words = ["check", str(ROOT / "models" / "daisy" / witness.driver), "--32", "--engine", args.engine, "--no-trace", "--stats"]
    words += [word for define in defines for word in ("-D", define)]
    words += ["--certify"] if args.engine == "explicit" and witness.verdict == "TRUE" else []
    if witness.race_on:
        words += ["--property", "no-data-race", "--race-on", witness.race_on.replace("@alloc", f"disk.byte[{allocation_byte(sizes)}]")]
    if args.solver and args.engine != "explicit":
        words += ["--solver", args.solver]
    return [*words, "--timeout", str(args.timeout), "--memory", str(args.memory), *setting]


def allocation_byte(sizes: dict[str, int]) -> int:
    """The address of the first allocation byte (ALLOC_AREA of config.h)."""
    return sizes["inodes"] * (2 * sizes["word_bytes"] + 1) + sizes["blocks"] * sizes["block_size"]


def ask(words: list[str], timeout: float) -> Outcome:
    """Run `fsoft` as a child that also reports what its solvers did."""
    with tempfile.TemporaryDirectory(prefix="fsoft-daisy-") as folder:
        report = Path(folder) / "report.json"
        child = subprocess.Popen(
            [sys.executable, __file__, "--child", str(report), *words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        before = _children()
        try:
            out, err = child.communicate(timeout=timeout + _GRACE)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            return Outcome("killed", _children() - before, **_known(report))
        seconds = _children() - before
        known = _known(report)
    answer = (out.splitlines() or [""])[-1] + (", certified" if "\ncertified: " in out else "")
    if child.returncode not in (0, 5, 10, 31):
        answer = "not answered" if "does not answer" in err else f"error: {(err.splitlines() or ['?'])[-1]}"
    elif child.returncode == 31:
        answer = "time out"
    elif "memory limit reached" in out:
        answer = "memory out"
    return Outcome(answer, seconds, **known)


def _known(report: Path) -> dict[str, int]:
    try:
        found = json.loads(report.read_text())
    except (OSError, ValueError):
        return {}
    return {str(name): int(number) for name, number in found.items()}


def _children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Recorder:
    """Watches the solvers of this process, and writes what is known to a file whenever the engine has come further: a process that is
    killed has still said how far it came."""

    def __init__(self, report: str) -> None:
        self.report, self.depth = Path(report), -1
        self.clauses = self.conflicts = 0  # of the solvers that were closed
        self.solvers: dict[int, Sat] = {}

    def made(self, sat: Sat) -> None:
        self.solvers[id(sat)] = sat

    def closed(self, sat: Sat) -> None:
        if self.solvers.pop(id(sat), None) is not None:
            clauses, conflicts = self._figures(sat)
            self.clauses, self.conflicts = max(self.clauses, clauses), self.conflicts + conflicts

    def _figures(self, sat: Sat) -> tuple[int, int]:
        return sat._solver.nof_clauses() or 0, (sat._solver.accum_stats() or {}).get("conflicts", 0)

    def write(self, stats: Stats) -> None:
        """The largest problem, and the conflicts of all: words that turn out to be too narrow start the engine again."""
        self.depth = max(self.depth, stats.depth)
        figures = [(self.clauses, self.conflicts), *map(self._figures, self.solvers.values())]
        known = {"depth": self.depth, "clauses": max(c for c, _ in figures), "conflicts": sum(c for _, c in figures)}
        known |= {"states": stats.states, "transitions": stats.transitions}
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        self.report.write_text(json.dumps(known | {"megabytes": memory}))


def child(report: str, words: list[str]) -> int:
    """`fsoft` with an eye on its solvers."""
    from fsoft.cli.main import main as fsoft
    from fsoft.cli.stages import CheckWatch
    from fsoft.solve.sat import Sat

    recorder = Recorder(report)
    make, close, hear = Sat.__init__, Sat.close, CheckWatch.progress

    def made(self: Sat, *args: Any, **named: Any) -> None:
        make(self, *args, **named)
        recorder.made(self)

    def closed(self: Sat) -> None:
        recorder.closed(self)
        close(self)

    def heard(self: CheckWatch, stats: Stats) -> None:
        hear(self, stats)
        recorder.write(stats)

    def answered(_watch: CheckWatch, verdict: Verdict) -> None:
        recorder.write(verdict.stats)

    for where, name, what in (
        (Sat, "__init__", made),
        (Sat, "close", closed),
        (CheckWatch, "progress", heard),
        (CheckWatch, "answered", answered),
    ):
        setattr(where, name, what)
    return fsoft(words)


# ---------------------------------------------------------------- the table


def available() -> dict[str, tuple[str, ...]]:
    """The settings whose options this fsoft has."""
    done = subprocess.run([sys.executable, "-m", "fsoft", "check", "--help"], capture_output=True, text=True, cwd=ROOT)
    return {name: words for name, words in SETTINGS.items() if all(word in done.stdout for word in words if word.startswith("--"))}


HEAD = ["witness", "setting", "answer", "depth", "seconds", "MB", "clauses", "conflicts", "states", "transitions"]
WIDTHS = [16, 18, 20, 6, 9, 6, 12, 12, 10, 12]


def row(cells: Sequence[str]) -> str:
    return "".join(f"{cell:<{width}} " if k < 3 else f"{cell:>{width}} " for k, (cell, width) in enumerate(zip(cells, WIDTHS))).rstrip()


def measure(witness: Witness, settings: dict[str, tuple[str, ...]], args: argparse.Namespace) -> Iterator[tuple[str, Outcome]]:
    """The outcome under each setting, printed as it comes."""
    for name, words in settings.items():
        outcome = ask(command(witness, words, args), args.timeout)
        print(row([witness.name, name, *outcome.cells()]), flush=True)
        yield name, outcome


def wrong(witness: Witness, outcome: Outcome) -> bool:
    return outcome.answer.startswith(("TRUE", "FALSE", "error")) and not outcome.answer.startswith(witness.verdict)


def compare(outcomes: dict[str, Outcome]) -> str:
    """How transactions did against partial order alone, where both answered."""
    alone, patterns = outcomes.get(ALONE), outcomes.get("with transactions")
    if alone is None or patterns is None or not (patterns.answer.startswith(("TRUE", "FALSE"))):
        return ""
    least = "" if alone.answer.startswith(("TRUE", "FALSE")) else "at least "
    return f"{'':16} transactions: {least}{alone.seconds / max(patterns.seconds, 0.01):.1f} times as fast as partial order alone"


def run(witness: Witness, settings: dict[str, tuple[str, ...]], args: argparse.Namespace) -> int:
    """One witness at its sizes or, with `--raise`, at growing ones; how many answers were wrong."""
    if not args.raised:
        return once(witness, settings, args)[1]
    bad, judge = 0, ALONE if ALONE in settings else next(iter(settings))
    start = getattr(args, args.raised) or (DEFAULTS | dict(witness.sizes))[args.raised]
    for size in range(start, start + args.most):
        sized = argparse.Namespace(**vars(args) | {args.raised: size})
        print(f"-- {args.raised} = {size}")
        outcomes, more = once(witness, settings, sized)
        bad += more
        judged = outcomes[judge]
        if judged.seconds >= args.enough or not judged.answer.startswith(("TRUE", "FALSE")):
            break
    return bad


def once(witness: Witness, settings: dict[str, tuple[str, ...]], args: argparse.Namespace) -> tuple[dict[str, Outcome], int]:
    outcomes = dict(measure(witness, settings, args))
    if line := compare(outcomes):
        print(line)
    return outcomes, sum(wrong(witness, outcome) for outcome in outcomes.values())


def chosen(args: argparse.Namespace) -> list[Witness]:
    every = {witness.name: witness for witness in [*WITNESSES, *PROOFS]}
    if not args.witness:
        return PROOFS if args.proofs else WITNESSES
    unknown = [name for name in args.witness if name not in every]
    if unknown:
        sys.exit(f"daisy: error: no witness '{unknown[0]}': one of {', '.join(every)}")
    return [replace(every[name]) for name in args.witness]


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(description="The Daisy case study: three settings for each witness")
    found.add_argument("--witness", action="append", metavar="NAME", help="only this one (again for more)")
    found.add_argument("--proofs", action="store_true", help="the repaired file system instead of the defective ones")
    found.add_argument("--engine", metavar="NAME", help="who answers (bmc; with --proofs explicit, which then certifies)")
    found.add_argument("--setting", action="append", choices=list(SETTINGS), help="only this one (again for more)")
    found.add_argument("--solver", default="", metavar="NAME", help="the SAT solver (the engine's own choice)")
    found.add_argument("--timeout", type=float, default=600, metavar="S", help="seconds per question (600)")
    found.add_argument("--memory", type=int, default=4000, metavar="MB", help="memory per question (4000)")
    for name in SIZES:
        found.add_argument(f"--{name.replace('_', '-')}", type=int, metavar="N", help=f"({DEFAULTS[name]})")
    found.add_argument("--raise", dest="raised", choices=SIZES, help="raise this size by one until partial order alone takes long enough")
    found.add_argument("--enough", type=float, default=100, metavar="S", help="--raise: how long that is (100 s)")
    found.add_argument("--most", type=int, default=20, metavar="N", help="--raise: at most that many sizes (20)")
    return found


def main() -> int:
    if sys.argv[1:2] == ["--child"]:
        return child(sys.argv[2], sys.argv[3:])
    args = parser().parse_args()
    args.engine = args.engine or ("explicit" if args.proofs else "bmc")
    if args.proofs and args.engine == "explicit":
        args.setting = args.setting or ["plain"]
    settings = available()
    if missing := [name for name in SETTINGS if name not in settings]:
        print(f"this fsoft has no --por and --transactions: without {' and '.join(missing)}")
    settings = {name: words for name, words in settings.items() if not args.setting or name in args.setting}
    print(f"engine {args.engine}{f', solver {args.solver}' if args.solver else ''}, {args.timeout:g} s and {args.memory} MB per question")
    print(row(HEAD))
    bad = 0
    for witness in chosen(args):
        print(f"-- {witness.what}")
        bad += run(witness, settings, args)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
