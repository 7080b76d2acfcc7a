"""How fast C becomes a Program: `fsoft show` on every C file of some folders, one process per file.

    python benchmarks/lowering.py FOLDER... [--limit N] [--every K] [--timeout S] [--64]

Prints how many files gave a legal Program, the average and the longest wall and processor time (Python's start included), the
five slowest files and the largest resident memory of any. Exits with 1 if a file fails.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Result:
    file: Path
    seconds: float
    processor: float
    megabytes: float
    failure: str  # "" if the Program is legal


def files_of(folders: list[str], every: int, limit: int | None) -> list[Path]:
    """The C files below the folders, sorted: every `every`-th, at most `limit`. A `.c` whose `.i` stands beside it is left out."""
    found: list[Path] = []
    for folder in map(Path, folders):
        if not folder.exists():
            sys.exit(f"lowering: error: {folder}: no such file or folder")
        every_c = [folder] if folder.is_file() else sorted(p for p in folder.rglob("*.[ci]"))
        found += [p for p in every_c if p.suffix == ".i" or not p.with_suffix(".i").exists()]
    return found[::every][:limit]


def measure(file: Path, flags: list[str], timeout: float) -> Result:
    """One `fsoft show`, with its wall time and its peak memory."""
    with tempfile.TemporaryFile() as errors:
        start = time.monotonic()
        process = subprocess.Popen([sys.executable, "-m", "fsoft", "show", *flags, str(file)], stdout=subprocess.DEVNULL, stderr=errors)
        code, processor, kilobytes = _wait(process, start + timeout)
        seconds = time.monotonic() - start
        errors.seek(0)
        lines = errors.read().decode(errors="replace").strip().splitlines()
    failure = "" if code == 0 else f"no answer within {timeout:g} s" if code is None else lines[0] if lines else f"exit code {code}"
    return Result(file, seconds, processor, kilobytes / 1024, failure)


def _wait(process: subprocess.Popen[bytes], deadline: float) -> tuple[int | None, float, int]:
    """(exit code, seconds of processor time, peak resident kilobytes); the code is None for a process that had to be killed."""

    def ring(*_: object) -> None:
        process.kill()

    old = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, max(deadline - time.monotonic(), 0.01))
    _, status, usage = os.wait4(process.pid, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, old)
    process.returncode = os.waitstatus_to_exitcode(status)
    code = None if os.WIFSIGNALED(status) else process.returncode
    return code, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def report(results: list[Result]) -> None:
    legal = sum(not r.failure for r in results)
    slowest = sorted(results, key=lambda r: -r.seconds)
    print(f"legal     {legal}/{len(results)}")
    wall, processor = (sum(times) / len(results) for times in zip(*((r.seconds, r.processor) for r in results)))
    print(f"average   {wall:.3f} s, processor {processor:.3f} s")
    print(f"longest   {slowest[0].seconds:.3f} s, processor {max(r.processor for r in results):.3f} s")
    for result in slowest[:5]:
        print(f"          {result.seconds:.3f} s  {result.processor:.3f} s  {result.megabytes:.0f} MB  {result.file}")
    largest = max(results, key=lambda r: r.megabytes)
    print(f"memory    {largest.megabytes:.0f} MB at most ({largest.file})")


def main() -> int:
    parser = argparse.ArgumentParser(description="How fast C becomes a Program")
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--limit", type=int, metavar="N", help="at most N files")
    parser.add_argument("--every", type=int, default=1, metavar="K", help="every K-th file only")
    parser.add_argument("--timeout", type=float, default=60, metavar="S", help="seconds per file (60)")
    parser.add_argument("--64", dest="wide", action="store_true", help="64-bit data model")
    args = parser.parse_args()
    files = files_of(args.folders, max(args.every, 1), args.limit)
    if not files:
        sys.exit("lowering: error: no C files there")
    results = []
    for file in files:
        results.append(measure(file, ["--64" if args.wide else "--32"], args.timeout))
        if results[-1].failure:
            print(f"failed    {file}: {results[-1].failure}", flush=True)
    report(results)
    return int(any(r.failure for r in results))


if __name__ == "__main__":
    sys.exit(main())
