"""The search over paths compared with the explorer on random programs.

    python -m tests.search.campaign --count 2000 [--first N] [--way source] [--seconds S]

The explorer without any reduction is the oracle. Each program is asked for one property (unreach-call, no-deadlock or no-data-race, in
turn) in several ways: those of `WAYS` with one of the solvers, some of them for each program, in turn.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fsoft.ask.by_name import given_for
from fsoft.ask.encodings import answer as bounded
from fsoft.ask.load import load
from fsoft.checkers.explicit.engine import explore
from fsoft.passes.bounds import Bounds
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.program.verdict import Limits, Verdict
from fsoft.search.paths import check_paths
from fsoft.search.settings import Settings
from fsoft.solve.terms import SOLVERS
from tests.fuzz.concurrent import Generator

PROPERTIES = ("unreach-call", "no-deadlock", "no-data-race")
THREE = Bounds(unwind=3)
PATHS = {
    "none": Settings(loops=THREE),
    "eager": Settings(loops=THREE, eager=True),
    "merge": Settings(merge=True),
    "contexts": Settings(loops=THREE, contexts=3),
    "sleep": Settings(loops=THREE, por="sleep"),
    "persistent": Settings(loops=THREE, por="persistent"),
    "persistent, merge": Settings(merge=True, por="persistent"),
    "source": Settings(loops=THREE, por="source"),
}
FORMULAS = ("schedule", "uw")
WAYS = (*PATHS, *FORMULAS)


@dataclass
class Tally:
    verdicts: Counter[str] = field(default_factory=Counter)
    decided: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    wrong: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        out = [f"{self.verdicts.total()} programs: {dict(sorted(self.verdicts.items()))}"]
        out += [f"{way}: decided {self.decided[way]}/{n}, {self.seconds[way]:.1f} s" for way, n in sorted(self.asked.items())]
        return [*out, *self.wrong]

    def compare(self, seed: int, way: str, expected: str, got: str, seconds: float) -> None:
        self.asked[way] += 1
        self.seconds[way] += seconds
        self.decided[way] += got != "UNKNOWN"
        if "UNKNOWN" not in (expected, got) and got != expected:
            self.wrong.append(f"seed {seed}: {way} says {got}, the explorer {expected}")


def answer(program: Program, way: str, solver: str, seconds: float) -> Verdict:
    """One way to an answer; the formula of schedule is for engines, so it has no solver."""
    if way in PATHS:
        return check_paths(program, replace(PATHS[way], solver=solver, seconds=seconds))[0]
    options: dict[str, Any] = {} if way == "schedule" else {"solver": solver}
    return bounded(program, way, given_for(way, unwind=1, context_bound=4, **options), timeout=seconds)


def campaign(seeds: Iterable[int], ways: Sequence[str] = WAYS, each: int = 3, seconds: float = 5,
             properties: Sequence[str] = PROPERTIES, deadline: float = math.inf) -> Tally:  # fmt: skip
    """`each`: how many of the ways are taken for a program. Past the deadline no more programs are begun."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.c"
        for number, seed in enumerate(seeds):
            if time.monotonic() > deadline:
                break
            prop = properties[seed % len(properties)]
            path.write_text(Generator(seed, True, prop == "no-deadlock").program())
            program = load([str(path)], Options(checks=frozenset({prop})))
            expected = explore(program, reduce=False, limits=Limits(seconds=20, states=40_000)).last_line()
            tally.verdicts[expected] += 1
            for k in range(min(each, len(ways))):
                way = ways[(number * each + k) % len(ways)]
                solver = SOLVERS[(number + k) % len(SOLVERS)]
                started = time.process_time()
                got = answer(program, way, solver, seconds).last_line()
                tally.compare(seed, way, expected, got, time.process_time() - started)
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--way", action="append", default=[], help=f"one of {', '.join(WAYS)}")
    parser.add_argument("--each", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin no more programs after that")
    arguments = parser.parse_args()
    seeds = range(arguments.first, arguments.first + arguments.count)
    tally = campaign(seeds, arguments.way or WAYS, arguments.each, arguments.seconds,
                     deadline=time.monotonic() + 60 * arguments.minutes)  # fmt: skip
    print("\n".join(tally.lines()))
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
