"""Reduced and unreduced search compared on random programs.

    python -m tests.por.campaign --count 5000 [--first N] [--engine bmc] [--engine pdr]

The explorer without any reduction is the oracle. Each program is asked for one property (unreach-call, no-deadlock or no-data-race, in
turn) and explored with stubborn sets, alone and with each kind of transactions; with `--engine` the reduced circuit is asked too.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fsoft.api import load
from fsoft.decide import decide
from fsoft.program.explorer import Limits
from fsoft.program.options import Options
from fsoft.program.program import Program as Loaded
from fsoft.properties import explore
from fsoft.transactions import Reduction
from tests.fuzz.concurrent import Generator
from tests.por.programs import Program

PROPERTIES = ("unreach-call", "no-deadlock", "no-data-race")
KINDS = ("none", "lockset", "lock-pattern")


@dataclass
class Tally:
    """What was seen: verdicts of the oracle, transitions without and with each reduction where both found TRUE, and what went wrong."""

    verdicts: Counter[str] = field(default_factory=Counter)
    full: Counter[str] = field(default_factory=Counter)
    reduced: Counter[str] = field(default_factory=Counter)
    decided: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    strayed: int = 0
    wrong: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        out = [f"{self.verdicts.total()} programs: {dict(sorted(self.verdicts.items()))}"]
        out += [f"{way}: decided {self.decided[way]}/{self.asked[way]}" for way in sorted(self.asked)]
        out += [f"transitions {kind}: {self.full[kind]} -> {self.reduced[kind]}" for kind in KINDS if self.full[kind]]
        return [*out, f"without reduction after all: {self.strayed}", *self.wrong]

    def compare(self, seed: int, way: str, expected: str, got: str) -> None:
        self.asked[way] += 1
        self.decided[way] += got != "UNKNOWN"
        if "UNKNOWN" not in (expected, got) and got != expected:
            self.wrong.append(f"seed {seed}: {way} says {got}, the oracle {expected}")


def source(seed: int) -> str:
    return Generator(seed).program() if seed % 2 else Program(seed).text()


def explored(tally: Tally, seed: int, program: Loaded, kinds: Sequence[str], limits: Limits) -> str:
    """Compare the explorer with itself; the oracle's verdict."""
    whole = explore(program, reduce=False, limits=limits)
    expected = whole.last_line()
    tally.verdicts[expected] += 1
    for kind in kinds:
        found = explore(program, choice=Reduction("cstub", kind).choice(program), limits=limits)
        tally.compare(seed, f"cstub, {kind}", expected, found.last_line())
        tally.strayed += found.reasons[-1].startswith("without reduction")
        if whole.kind == found.kind == "TRUE":
            tally.full[kind] += whole.stats.transitions
            tally.reduced[kind] += found.stats.transitions
    return expected


def campaign(seeds: Iterable[int], kinds: Sequence[str] = KINDS, engines: Sequence[str] = (), states: int = 40_000,
             properties: Sequence[str] = PROPERTIES, seconds: float = 10) -> Tally:  # fmt: skip
    tally = Tally()
    limits = Limits(seconds=20, states=states)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.c"
        for seed in seeds:
            path.write_text(source(seed))
            prop = properties[seed // 2 % len(properties)]
            program = load([str(path)], Options(checks=frozenset({prop}), fold=seed % 5 != 0))
            expected = explored(tally, seed, program, kinds, limits)
            for engine in engines if prop == "unreach-call" else ():
                for kind in kinds:
                    verdict = decide(program, engine, reduction=Reduction("cstub", kind), timeout=seconds)
                    tally.compare(seed, f"{engine}, {kind}", expected, verdict.last_line())
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--engine", action="append", default=[])
    arguments = parser.parse_args()
    tally = campaign(range(arguments.first, arguments.first + arguments.count), engines=arguments.engine)
    print("\n".join(tally.lines()))
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
