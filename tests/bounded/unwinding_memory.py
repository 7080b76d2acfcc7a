"""Memory unwinding against the explorer on random programs. `python -m tests.bounded.unwinding_memory --count 500` is the campaign.

With enough writes every variant must give the verdict of the explorer on the unwound program. With n writes it must find an error if
and only if there is a run with at most n writes (or clusters) that has it (`fewest_writes.py`).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fsoft.api import load
from fsoft.bounded.given import Given
from fsoft.bounded.mu import GRAINS, MOST
from fsoft.bounded.sequence import READS
from fsoft.encodings import answer
from fsoft.passes.unwind import Bounds, unwind
from fsoft.program.explorer import Limits
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.program.verdict import Verdict
from fsoft.properties import explore
from tests.bounded.fewest_writes import Fewest, TooLarge
from tests.fuzz.concurrent import Generator

VARIANTS = [(grain, reads) for grain in GRAINS for reads in READS]
LIMITS = Limits(seconds=10, states=20_000)


@dataclass
class Tally:
    programs: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    asked: int = 0
    decided: int = 0
    needed: Counter[int | None] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def programs(seeds: Iterable[int], check: str) -> Iterator[tuple[int, Program]]:
    """Small random programs."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.c"
        for seed in seeds:
            path.write_text(Generator(seed, small=True, blocking=check == "no-deadlock").program())
            yield seed, load([str(path)], Options(checks=frozenset({check})))


def agreement(seeds: Iterable[int], check: str = "unreach-call", bound: int = 1, each: int = 1, seconds: float = 30) -> Tally:
    """Every program in `each` of the variants, in turn, with as many writes as it has."""
    tally = Tally()
    for number, (seed, program) in enumerate(programs(seeds, check)):
        expected = explore(unwind(program, Bounds(bound)).program, limits=LIMITS, reduce=False).last_line()
        tally.programs += 1
        tally.verdicts[expected] += 1
        for k in range(each):
            grain, reads = VARIANTS[(number * each + k) % len(VARIANTS)]
            given = Given(loops=Bounds(bound), writes=MOST, grain=grain, reads=reads)
            verdict = answer(program, "mu", given, timeout=seconds)
            got = verdict.last_line()
            tally.asked += 1
            tally.decided += got != "UNKNOWN"
            if _gave_up(verdict):
                continue
            if expected != got and not (expected == "UNKNOWN" and got.startswith("FALSE")):
                tally.wrong.append(f"seed {seed}: {grain}, {reads} says {got}, the explorer {expected}")
    return tally


def _gave_up(verdict: Verdict) -> bool:
    """Out of time: no bound is named."""
    return verdict.kind == "UNKNOWN" and not verdict.bounds


def exactness(seeds: Iterable[int], variants: Sequence[tuple[str, str]] = VARIANTS, each: int = 1, seconds: float = 30) -> Tally:
    """Every program in `each` of the variants, with as many writes as the error needs, and with one less."""
    tally = Tally()
    for number, (seed, program) in enumerate(programs(seeds, "unreach-call")):
        tally.programs += 1
        for k in range(each):
            grain, reads = variants[(number * each + k) % len(variants)]
            try:
                needed = Fewest(unwind(program, Bounds(1)).program, grain).search()
            except TooLarge:
                continue
            tally.needed[needed] += 1
            for writes in (3,) if needed is None else (needed, needed - 1):
                if writes > 0:
                    given = Given(loops=Bounds(1), writes=writes, grain=grain, reads=reads)
                    verdict = answer(program, "mu", given, timeout=seconds)
                    got = verdict.kind
                    tally.asked += 1
                    if not _gave_up(verdict) and (got == "FALSE") != (needed is not None and writes >= needed):
                        tally.wrong.append(f"seed {seed}: {grain}, {reads}, {writes} writes: {got}, but an error needs {needed}")
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--check", default="unreach-call")
    parser.add_argument("--bound", type=int, default=1)
    parser.add_argument("--each", type=int, default=1, help="variants per program, in turn")
    parser.add_argument("--exact", action="store_true", help="small bounds against the fewest writes that an error needs")
    args = parser.parse_args()
    seeds, start = range(args.first, args.first + args.count), time.process_time()
    if args.exact:
        tally = exactness(seeds, each=args.each)
        needed = ", ".join(f"{n}: {k}" for n, k in sorted(tally.needed.items(), key=lambda row: (row[0] is None, row[0])))
        print(f"exactness: {tally.programs} programs, {tally.asked} questions; writes that an error needs: {needed}")
    else:
        tally = agreement(seeds, args.check, args.bound, args.each)
        print(f"agreement: {tally.programs} programs {dict(sorted(tally.verdicts.items()))}, decided {tally.decided}/{tally.asked}")
    print(f"{time.process_time() - start:.1f} CPU s")
    print("\n".join(tally.wrong))
    return bool(tally.wrong)


if __name__ == "__main__":
    sys.exit(main())
