"""How fast circuits are built, how fast they become clauses, and how many of them the engines solve.

    python benchmarks/circuits.py build FOLDER... [--runs N] [--abc]
    python benchmarks/circuits.py rate FOLDER...
    python benchmarks/circuits.py engines FOLDER... --engine pdr --engine abc [--timeout S]

`build` runs `fsoft build` on every C file, one process per file, reads the result back, lets ABC read it if asked to, and compares
`--runs` random runs of the circuit with the interpreter, step by step. `rate` measures AIG nodes per second from terms to clauses.
`engines` asks each engine about the circuit of every file and counts what it solves ("within bounds": no bad of the circuit is
reachable, but the program has more threads or memory than the circuit); `abc:reach` names a method of ABC, `bdd:pyeda` a back
end.
All take `--every K`, `--limit N`, `--timeout S` and `--64`. The exit code is 1 if something failed or two answers contradict each other.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


def files_of(folders: list[str], every: int, limit: int | None) -> list[Path]:
    """The C files below the folders, sorted. A `.c` whose `.i` stands beside it is left out."""
    found: list[Path] = []
    for folder in map(Path, folders):
        if not folder.exists():
            sys.exit(f"circuits: error: {folder}: no such file or folder")
        every_c = [folder] if folder.is_file() else sorted(folder.rglob("*.[ci]"))
        found += [p for p in every_c if p.suffix == ".i" or not p.with_suffix(".i").exists()]
    return found[::every][:limit]


# ---------------------------------------------------------------- building


def build(args: argparse.Namespace, files: list[Path]) -> int:
    times, failures = [], 0
    with tempfile.TemporaryDirectory(prefix="fsoft-bench-") as folder:
        for file in files:
            seconds, problem = _build_one(args, file, os.path.join(folder, "m.aig"))
            if problem:
                failures += 1
                print(f"failed    {file}: {problem}", flush=True)
            else:
                times.append((seconds, file))
    print(f"built     {len(times)}/{len(files)}")
    if times:
        print(f"average   {statistics.mean(t for t, _ in times):.2f} s")
        for seconds, file in sorted(times, reverse=True)[:5]:
            print(f"          {seconds:.2f} s  {file}")
    return int(failures > 0)


def _build_one(args: argparse.Namespace, file: Path, model: str) -> tuple[float, str]:
    """Seconds of processor time to build the model (Python's start included), and what went wrong."""
    flags = ["--64" if args.wide else "--32"]
    command = [sys.executable, "-m", "fsoft", "build", str(file), "-o", model, "--timeout", str(args.timeout), *flags]
    start = _processor()
    done = subprocess.run(command, capture_output=True, text=True)
    seconds = _processor() - start
    if done.returncode:
        return seconds, (done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}").splitlines()[0]
    return seconds, _read_back(args, model) or (_runs(args, file) if args.runs else "")


def _processor() -> float:
    """Processor time of all children so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _read_back(args: argparse.Namespace, model: str) -> str:
    from fsoft.circuit.formats.aiger_read import read_aiger

    bits = read_aiger(Path(model).read_bytes(), model)
    if args.abc:
        done = subprocess.run(["berkeley-abc", "-c", f"read {model}; print_stats"], capture_output=True, text=True)
        if not re.search(rf"lat = *{len(bits.latches)} ", done.stdout):
            return "ABC does not read the file: " + (done.stdout.strip().splitlines() or ["no output"])[-1]
    return ""


def _runs(args: argparse.Namespace, file: Path) -> str:
    """Random runs of the circuit beside the interpreter; what differs."""
    from fsoft.ask.load import load
    from fsoft.circuit.encode.encoding import encode
    from fsoft.circuit.encode.lift import Lifter, random_walk
    from fsoft.program.verdict import InternalError

    lifter, rng = Lifter(encode(load([str(file)], bits=64 if args.wide else 32))), random.Random(1)
    try:
        for _ in range(args.runs):
            random_walk(lifter, rng, args.steps)
    except InternalError as error:
        return str(error)
    return ""


# ---------------------------------------------------------------- nodes per second


def rate(args: argparse.Namespace, files: list[Path]) -> int:
    """From terms to clauses: bit-blasting, then the clauses of all next functions and properties."""
    from fsoft.ask.load import load
    from fsoft.circuit.bits.bitblast import bitblast
    from fsoft.circuit.bits.cnf import BOTH, Encoder
    from fsoft.circuit.encode.encoding import encode

    nodes = clauses = 0
    blasting = writing = 0.0
    for file in files:
        model = encode(load([str(file)], bits=64 if args.wide else 32)).model
        start = time.process_time()
        bits = bitblast(model)
        blasting += time.process_time() - start
        nodes += len(bits.aig)
        counter = _Counter()
        start = time.process_time()
        encoder = Encoder(bits.aig, counter.add, counter.var)
        for literal in [*bits.next, *bits.property_literals()]:
            encoder.literal(literal, BOTH)
        writing += time.process_time() - start
        clauses += counter.clauses
    print(f"nodes     {nodes:,}, {clauses:,} clauses, {len(files)} files")
    print(f"bits      {nodes / max(blasting, 1e-9):,.0f} nodes per second")
    print(f"together  {nodes / max(blasting + writing, 1e-9):,.0f} nodes per second")
    return 0


class _Counter:
    """Counts what a solver would get."""

    def __init__(self) -> None:
        self.clauses = self.variables = 0

    def add(self, clause: list[int]) -> None:
        self.clauses += 1

    def var(self) -> int:
        self.variables += 1
        return self.variables


# ---------------------------------------------------------------- engines


SOLVED = ("TRUE", "FALSE")
CUT = " within bounds"
"""No bad of the circuit is reachable, but a bound of the program (threads, heap) is: an answer about the circuit, not about the program."""


@dataclass
class Score:
    """What one engine did. `answers` maps files to a verdict and seconds."""

    answers: dict[Path, tuple[str, float]]

    def solved(self) -> dict[Path, float]:
        return {file: seconds for file, (verdict, seconds) in self.answers.items() if verdict.startswith(SOLVED)}


def engines(args: argparse.Namespace, files: list[Path]) -> int:
    scores = {name: Score({}) for name in args.engine or ["pdr", "abc"]}
    wrong = 0
    for file in files:
        for name, score in scores.items():
            score.answers[file] = _ask(args, name, file)
        row = {name: score.answers[file] for name, score in scores.items()}
        verdicts = {verdict.removesuffix(CUT) for verdict, _ in row.values() if verdict.startswith(SOLVED)}
        note = "  CONTRADICTION" if len(verdicts) > 1 else ""
        wrong += len(verdicts) > 1
        print(f"{file}: " + ", ".join(f"{name} {v} {s:.1f} s" for name, (v, s) in row.items()) + note, flush=True)
    first, *others = scores
    for name, score in scores.items():
        cut = sum(verdict.endswith(CUT) for verdict, _ in score.answers.values())
        print(f"{name:<10}{len(score.solved())}/{len(files)} solved, {cut} of them within bounds")
    for name in others:
        _compare(first, scores[first].solved(), name, scores[name].solved())
    return int(wrong > 0)


def _compare(ours: str, mine: dict[Path, float], theirs: str, yours: dict[Path, float]) -> None:
    both = [mine[file] / max(yours[file], 1e-3) for file in mine if file in yours]
    share = 100 * len(both) / len(yours) if yours else 100.0
    slower = f", {statistics.median(both):.2f} times its time in the median" if both else ""
    print(f"{ours} solves {share:.0f}% of what {theirs} solves ({len(both)}/{len(yours)}){slower}")


def _ask(args: argparse.Namespace, name: str, file: Path) -> tuple[str, float]:
    engine, _, variant = name.partition(":")
    flags = ["--64" if args.wide else "--32"]
    if variant:
        flags += ["--method" if engine == "abc" else "--backend", variant]
    command = [sys.executable, "-m", "fsoft", "check", str(file), "--engine", engine, "--no-trace", "--timeout", str(args.timeout), *flags]
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    lines = done.stdout.splitlines() if done.returncode in (0, 5, 10, 31) else [f"error {done.returncode}"]
    seconds = time.monotonic() - start
    if any(line.lstrip().startswith("no violation is reachable, but a bound cuts") for line in lines):
        return f"TRUE{CUT}", seconds
    return (lines or ["nothing"])[-1], seconds


def main() -> int:
    parser = argparse.ArgumentParser(description="Circuits: building, nodes per second, engines")
    commands: dict[str, Callable[[argparse.Namespace, list[Path]], int]] = {"build": build, "rate": rate, "engines": engines}
    parser.add_argument("what", choices=commands)
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--limit", type=int, metavar="N", help="at most N files")
    parser.add_argument("--every", type=int, default=1, metavar="K", help="every K-th file only")
    parser.add_argument("--timeout", type=float, default=60, metavar="S", help="seconds per file and engine (60)")
    parser.add_argument("--runs", type=int, default=0, metavar="N", help="build: random runs to compare with the interpreter")
    parser.add_argument("--steps", type=int, default=60, metavar="N", help="build: steps of each run (60)")
    parser.add_argument("--abc", action="store_true", help="build: ABC must read every file")
    parser.add_argument("--engine", action="append", metavar="NAME", help="engines: who is asked; the first is compared with the others")
    parser.add_argument("--64", dest="wide", action="store_true", help="64-bit data model")
    args = parser.parse_args()
    files = files_of(args.folders, max(args.every, 1), args.limit)
    if not files:
        sys.exit("circuits: error: no C files there")
    return commands[args.what](args, files)


if __name__ == "__main__":
    sys.exit(main())
