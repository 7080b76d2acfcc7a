"""Lazy sequentialization against the explorer on random programs. `python -m tests.sequentialize.campaign --count 500` is the campaign."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from fsoft.api import load
from fsoft.encodings import Given, answer
from fsoft.passes.bounds import Bounds
from fsoft.passes.unwind import unwind
from fsoft.program.explorer import Limits
from fsoft.program.options import Options
from fsoft.properties import explore
from tests.fuzz.concurrent import Generator
from tests.sequentialize.rounds import violated_within

LIMITS = Limits(seconds=10, states=20_000)


@dataclass
class Tally:
    verdicts: Counter[str] = field(default_factory=Counter)
    asked: int = 0
    decided: int = 0
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [f"lazy: decided {self.decided}/{self.asked}; the explorer says {dict(sorted(self.verdicts.items()))}"]
        return "\n".join(lines + self.wrong)


def campaign(seeds: Iterable[int], check: str = "unreach-call", given: Given | None = None, seconds: float = 20) -> Tally:
    """What both decide must be the same. Without `given` bounds grow until the answer is known."""
    tally, bounds = Tally(), given or Given(Bounds(1), incremental=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.c"
        for seed in seeds:
            path.write_text(Generator(seed, small=True, blocking=check == "no-deadlock").program())
            program = load([str(path)], Options(checks=frozenset({check})))
            expected = explore(program, limits=LIMITS).last_line()
            got = answer(program, "lazy", bounds, timeout=seconds).last_line()
            tally.verdicts[expected] += 1
            tally.asked += 1
            tally.decided += got != "UNKNOWN"
            if "UNKNOWN" not in (got, expected) and got != expected:
                tally.wrong.append(f"seed {seed}: {got}, the explorer says {expected}")
    return tally


def bounded(seeds: Iterable[int], rounds: Iterable[int] = (1, 2, 3), seconds: float = 20) -> Tally:
    """With few rounds just those errors are found that lie within so many rounds (the theorem of the paper)."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.c"
        for seed in seeds:
            path.write_text(Generator(seed, small=True).program())
            program = load([str(path)], Options())
            unwound = unwind(program, Bounds(2))
            for count in rounds:
                expected = violated_within(unwound.program, count)
                verdict = answer(program, "lazy", Given(Bounds(2), rounds=count), timeout=seconds)
                tally.asked += 1
                tally.decided += expected is not None
                tally.verdicts[f"{count} rounds: {expected}"] += 1
                if expected is not None and expected != (verdict.kind == "FALSE"):
                    tally.wrong.append(f"seed {seed}, {count} rounds: {verdict.last_line()}, the search says {expected}")
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--check", default="unreach-call")
    parser.add_argument("--bounded", action="store_true", help="few rounds, against a search of as many rounds")
    args = parser.parse_args()
    seeds = range(args.first, args.first + args.count)
    tally = bounded(seeds) if args.bounded else campaign(seeds, args.check)
    print(tally)
    return bool(tally.wrong)


if __name__ == "__main__":
    sys.exit(main())
