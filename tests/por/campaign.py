"""Reduced and unreduced search compared on random programs.

    python -m tests.por.campaign --count 5000 [--first N] [--states N] [--engine bmc] [--every] [--no-explorer] [--of sections]

The explorer without any reduction is the oracle. Each program is asked for one property (unreach-call, no-deadlock or no-data-race, in
turn) and explored with stubborn sets, alone and with each kind of transactions, and with transactions as single steps. With `--engine` a
model checker is asked about the reduced circuit, too: each program with one of the reductions of circuits in turn, with `--every` all of
them. Programs with more than `--states` states are not decided by the oracle; they are counted and left. Engines are asked about programs
that are wrong and have at most `--small` states: what a reduction can lose is a violation. All is done in one process; counts so far are
printed on the way.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fsoft.ask.circuits import decide
from fsoft.ask.load import load
from fsoft.checkers.explicit.engine import explore
from fsoft.frontend.source import Unsupported
from fsoft.program.options import Options
from fsoft.program.program import Program as Loaded
from fsoft.program.verdict import Limits, Verdict
from fsoft.properties.confirmation import confirm_run
from fsoft.transactions import ORDERS, Reduction, in_steps
from tests.fuzz.concurrent import Generator
from tests.por.programs import Flags, Meetings, Program, Sections

PROPERTIES = ("unreach-call", "no-deadlock", "no-data-race")
POINTERS = ("unreach-call", "valid-deref")
"""For programs with flags: every other one is asked about its indices."""
KINDS = ("none", "lockset", "lock-pattern")
CIRCUITS = (*(Reduction("cstub", kind) for kind in KINDS), *(Reduction(kind) for kind in ORDERS))
"""The reductions that circuits have."""

_EVERY = 250  # programs between two reports


@dataclass
class Tally:
    """What was seen: verdicts of the oracle, transitions without and with each reduction where both found TRUE, and what went wrong."""

    verdicts: Counter[str] = field(default_factory=Counter)
    full: Counter[str] = field(default_factory=Counter)
    reduced: Counter[str] = field(default_factory=Counter)
    decided: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    strayed: int = 0
    refused: int = 0
    missed: int = 0
    wrong: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        decided = self.verdicts.total() - self.verdicts["UNKNOWN"]
        mix = dict(sorted(self.verdicts.items()))
        out = [f"{self.verdicts.total()} programs, decided by the oracle {decided}/{self.verdicts.total()}: {mix}"]
        out += [f"{way}: decided {self.decided[way]}/{self.asked[way]}" for way in sorted(self.asked)]
        out += [f"transitions {kind}: {self.full[kind]} -> {self.reduced[kind]}" for kind in sorted(self.full)]
        out += [f"violations that an engine did not come to: {self.missed}"] if self.missed else []
        out += [f"refused by the front end: {self.refused}"] if self.refused else []
        return [*out, f"without reduction after all: {self.strayed}", f"wrong: {len(self.wrong)}", *self.wrong]

    def compare(self, seed: int, way: str, expected: str, got: str) -> None:
        self.asked[way] += 1
        self.decided[way] += got != "UNKNOWN"
        if "UNKNOWN" not in (expected, got) and got != expected:
            self.wrong.append(f"seed {seed}: {way} says {got}, the oracle {expected}")


def source(seed: int) -> str:
    return Generator(seed).program() if seed % 2 else Program(seed).text()


def meetings(seed: int) -> str:
    return Meetings(seed).text()


def sections(seed: int) -> str:
    return Sections(seed).text()


def flags(seed: int) -> str:
    return Flags(seed).text()


def explored(tally: Tally, seed: int, program: Loaded, kinds: Sequence[str], limits: Limits) -> Verdict:
    """Compare the explorer with itself; the oracle's verdict."""
    whole = explore(program, reduce=False, limits=limits)
    expected = whole.last_line()
    tally.verdicts[expected] += 1
    for kind in kinds if expected != "UNKNOWN" else ():
        found = explore(program, choice=Reduction("cstub", kind).choice(program), limits=limits)
        tally.compare(seed, f"cstub, {kind}", expected, found.last_line())
        tally.strayed += found.reasons[-1].startswith("without reduction")
        if whole.kind == found.kind == "TRUE":
            tally.full[kind] += whole.stats.transitions
            tally.reduced[kind] += found.stats.transitions
        if kind != "none":
            explored_merged(tally, seed, program, kind, whole, limits)
    return whole


def explored_merged(tally: Tally, seed: int, program: Loaded, kind: str, whole: Verdict, limits: Limits) -> None:
    """All states of the program with transactions as single steps; what is found must be a run of the program itself."""
    joined = Reduction("cstub", kind).merged(program)
    if joined is program:
        return
    found = explore(joined, reduce=False, limits=limits)
    tally.compare(seed, f"merged, {kind}", whole.last_line(), found.last_line())
    if whole.kind == found.kind == "TRUE":
        tally.full[f"merged, {kind}"] += whole.stats.transitions
        tally.reduced[f"merged, {kind}"] += found.stats.transitions
    if found.kind == "FALSE":
        confirm_run(program, in_steps(joined, found.trace), found.prop, found.stats)


SOURCES = {"all": source, "meetings": meetings, "sections": sections, "flags": flags}


@dataclass(frozen=True)
class Campaign:
    """What is asked: `kinds` of transactions in the explorer; `engines` with the `reductions` of circuits, all or one in turn, with so many
    seconds for each question, about programs of at most `small` states; `states` at most for the oracle."""

    kinds: Sequence[str] = KINDS
    engines: Sequence[str] = ()
    reductions: Sequence[Reduction] = CIRCUITS
    every: bool = False
    states: int = 3_000
    small: int = 400
    properties: Sequence[str] = PROPERTIES
    seconds: float = 10
    text: Callable[[int], str] = source

    def run(self, seeds: Iterable[int], report: Callable[[Tally], None] = lambda _: None) -> Tally:
        tally = Tally()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "p.c"
            for seed in seeds:
                path.write_text(self.text(seed))
                self._program(tally, seed, path)
                if tally.verdicts.total() % _EVERY == 0:
                    report(tally)
        return tally

    def _program(self, tally: Tally, seed: int, path: Path) -> None:
        prop = self.properties[seed // 2 % len(self.properties)]
        try:
            program = load([str(path)], Options(checks=frozenset({prop}), fold=seed % 5 != 0))
        except Unsupported:
            tally.refused += 1
            return
        whole = explored(tally, seed, program, self.kinds, Limits(seconds=20, states=self.states))
        if whole.kind == "FALSE" and whole.stats.states <= self.small:
            self._circuits(tally, seed, program, whole)

    def _circuits(self, tally: Tally, seed: int, program: Loaded, whole: Verdict) -> None:
        """Ask the engines for the violation; bounded model checking at most a few steps beyond the oracle's shortest one."""
        turn = seed // (2 * len(self.properties)) % len(self.reductions)
        for engine in self.engines:
            bound: dict[str, Any] = {"depth": len(whole.trace) + 4, "complete": False} if engine == "bmc" else {}
            for reduction in self.reductions if self.every else self.reductions[turn : turn + 1]:
                verdict = decide(program, engine, reduction=reduction, timeout=self.seconds, **bound)
                tally.compare(seed, f"{engine}, {reduction}", whole.last_line(), verdict.last_line())
                tally.missed += verdict.kind == "UNKNOWN"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--states", type=int, default=3_000)
    parser.add_argument("--small", type=int, default=400)
    parser.add_argument("--engine", action="append", default=[])
    parser.add_argument("--every", action="store_true", help="each engine with every reduction, not one in turn")
    parser.add_argument("--no-explorer", action="store_true", help="the oracle and the engines only")
    parser.add_argument("--seconds", type=float, default=10, help="for each question to an engine")
    parser.add_argument("--of", choices=SOURCES, default="all", help="programs that meet, with critical sections, or with flags, only")
    args = parser.parse_args()
    kinds = () if args.no_explorer else KINDS
    limits = {"states": args.states, "small": args.small, "seconds": args.seconds}
    asked = POINTERS if args.of == "flags" else PROPERTIES
    campaign = Campaign(kinds, args.engine, every=args.every, properties=asked, text=SOURCES[args.of], **limits)
    tally = campaign.run(range(args.first, args.first + args.count), lambda so_far: print("\n".join(so_far.lines()), flush=True))
    print("\n".join(tally.lines()))
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
