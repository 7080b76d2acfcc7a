"""The compiled search beside SPIN: `python -m benchmarks.native [NAME...] [--jobs N]`; SPIN is Debian's package spin.

Each program of `benchmarks/native/` is there twice, in C and transcribed to Promela, and is asked whether its assertions hold. SPIN runs as
its users run it: `-O2 -DSAFETY`, room enough, depth first with its reduction, plain and with `-DCOLLAPSE`. Seconds are those of the wall,
everything counted: reading the program, generating, compiling, searching. On a busy machine the seconds of the processor (in brackets) say
more. Bytes are what a stored state costs: the peak of the search less what it holds at the beginning.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from fsoft.ask.load import load
from fsoft.checkers.explicit.search import Explorer
from fsoft.program.options import Options
from fsoft.properties import monitors

FOLDER = Path(__file__).parent / "native"
PROGRAMS = {
    "fib": {"N": 6},
    "philosophers": {"N": 6},
    "peterson": {"N": 4},
    "szymanski": {"N": 4},
    "bakery": {"N": 3, "R": 2},
    "leader": {"N": 5},
    "buffer": {"N": 3},
    "readers": {"N": 3},
    "ticket": {"N": 4, "R": 3},
    "sort": {"N": 3, "R": 2},
    "barrier": {"N": 4, "R": 3},
    "treiber": {"N": 3, "R": 2},
}


@dataclass(frozen=True, slots=True)
class Cost:
    """What a search cost; `bytes` is what a state takes."""

    states: int
    wall: float
    processor: float
    bytes: float

    def __str__(self) -> str:
        return f"{self.states:>11,} {self.wall:7.1f} ({self.processor:6.1f}) {self.bytes:6.1f}"


def timed(command: list[str], folder: str) -> tuple[str, float, float]:
    """The output of a command, with seconds of the wall and of the processor."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout + done.stderr, time.monotonic() - start, processor


def spin(name: str, sizes: dict[str, int], collapse: bool) -> Cost | None:
    """SPIN's search; None if it does not end within its memory or its depth."""
    defines = [f"-D{key}={value}" for key, value in sizes.items()]
    with tempfile.TemporaryDirectory() as folder:
        wall = processor = 0.0
        said = ""
        commands = [
            ["spin", "-a", *defines, str(FOLDER / f"{name}.pml")],
            ["cc", "-O2", "-w", "-DSAFETY", "-DMEMLIM=6000", *(["-DCOLLAPSE"] if collapse else []), "-o", "pan", "pan.c"],
            ["./pan", "-m5000000", "-w22"],
        ]
        for command in commands:
            said, seconds, cpu = timed(command, folder)
            wall, processor = wall + seconds, processor + cpu
    states = re.search(r"(\d[\d.e+]*) states, stored", said)
    memory = re.search(r"([\d.]+)\s+actual memory usage for states", said) or re.search(r"([\d.]+)\s+total actual memory usage", said)
    if states is None or memory is None or "errors: 0" not in said or "max search depth too small" in said:
        print(f"spin: {name}: {said[-600:]}", file=sys.stderr)
        return None
    count = int(float(states[1]))
    return Cost(count, wall, processor, float(memory[1]) * (1 << 20) / count)


def ours(name: str, sizes: dict[str, int], jobs: int) -> Cost | None:
    """`fsoft check --engine explicit`, and bytes from the compiled search alone."""
    defines = [f"-D{key}={value}" for key, value in sizes.items()]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        command = [sys.executable, "-m", "fsoft", "check", "--engine", "explicit", *defines, str(FOLDER / f"{name}.c")]
        said, wall, processor = timed(command, folder)
        states = re.search(r"all (\d+) states explored", said)
        if states is None:
            print(f"fsoft: {name}: {said[-600:]}", file=sys.stderr)
            return None
        program = load([str(FOLDER / f"{name}.c")], Options(checks=frozenset({"unreach-call"})), define=[d[2:] for d in defines])
        asked = sorted(program.checks)
        verdict = Explorer(program, asked, monitors(asked), hunts=False).run_compiled(jobs)
        assert verdict is not None
        held = verdict.stats.counts["megabytes"] - _BASE
    return Cost(int(states[1]), wall, processor, held * (1 << 20) / int(states[1]))


_BASE = 2  # megabytes that the compiled search holds before it begins


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--jobs", type=int, default=0, help="workers of the search whose memory is measured (0: one per core)")
    args = parser.parse_args()
    if shutil.which("spin") is None:
        print("SPIN is not installed (Debian: apt-get install spin)")
        return 2
    print(f"{'program':24} {'states, seconds (of the processor), bytes per state: fsoft':>58} {'SPIN':>34} {'SPIN -DCOLLAPSE':>34}  ratio")
    ratios = []
    for name, sizes in PROGRAMS.items():
        if args.names and name not in args.names:
            continue
        mine, plain, packed = ours(name, sizes, args.jobs), spin(name, sizes, False), spin(name, sizes, True)
        text = " ".join(f"{key}={value}" for key, value in sizes.items())
        ratio = ""
        if mine and plain:
            best = min(other.wall for other in (plain, packed) if other is not None)
            ratios.append(mine.wall / best)
            ratio = f"{ratios[-1]:.2f}"
        print(f"{name + ' ' + text:24} {mine!s:>34} {plain!s:>34} {packed!s:>34}  {ratio}", flush=True)
    if ratios:
        print(f"wall time of fsoft against the faster SPIN: {median(ratios):.2f} in the median, {max(ratios):.2f} at most")
    return 0


if __name__ == "__main__":
    sys.exit(main())
