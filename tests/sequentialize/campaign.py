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
from fsoft.program.explorer import Limits
from fsoft.program.options import Options
from fsoft.properties import explore
from tests.fuzz.concurrent import Generator

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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--check", default="unreach-call")
    args = parser.parse_args()
    tally = campaign(range(args.first, args.first + args.count), args.check)
    print(tally)
    return bool(tally.wrong)


if __name__ == "__main__":
    sys.exit(main())
