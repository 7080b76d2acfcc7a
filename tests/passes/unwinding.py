"""Unwound programs against the originals, by the explorer. `python -m tests.passes.unwinding --count 500` is the campaign."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from fsoft.ask.load import load
from fsoft.checkers.explicit.engine import explore
from fsoft.passes.unwind import Bounds, Unwound, unwind
from fsoft.program.interpreter import Machine
from fsoft.program.legal import check_legal
from fsoft.program.options import Options
from fsoft.program.replay import play
from fsoft.program.state import Violation
from fsoft.program.verdict import Limits, Verdict
from tests.fuzz.concurrent import Generator

LIMITS = Limits(seconds=10, states=20_000)


def acyclic(unwound: Unwound) -> bool:
    """Every step goes forward in the order of the locations, and a step belongs to the slot that it came from."""
    steps = [(s, t.template) for t in unwound.program.threads for s in t.template.steps]
    return all(s.target > s.source for s, _ in steps) and all(
        len(o) == len(t.template.steps) for o, t in zip(unwound.origin, unwound.program.threads, strict=True)
    )


def replays(unwound: Unwound, verdict: Verdict) -> bool:
    """The run that violates an assertion of the unwound program violates it in the original."""
    machine = Machine(unwound.original)
    played = play(machine, unwound.home(verdict.trace, verdict.prop))
    return verdict.prop != "unreach-call" or any(isinstance(e, Violation) for e in played[-1].events)


@dataclass
class Tally:
    asked: int = 0
    decided: int = 0
    cut: int = 0
    wrong: list[str] = field(default_factory=list)


def campaign(seeds: Iterable[int], check: str = "unreach-call", bound: int = 3) -> Tally:
    """Explorer on the original against explorer on the unwound program: what both decide must be the same."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.c"
        for seed in seeds:
            path.write_text(Generator(seed, small=True, blocking=check == "no-deadlock").program())
            original = load([str(path)], Options(checks=frozenset({check})))
            one(f"seed {seed}", original, bound, tally)
    return tally


def one(name: str, original: object, bound: int, tally: Tally) -> None:
    from fsoft.program.program import Program

    assert isinstance(original, Program)
    unwound = unwind(original, Bounds(bound))
    check_legal(unwound.program)
    if not acyclic(unwound):
        tally.wrong.append(f"{name}: not acyclic")
    expected, got = explore(original, limits=LIMITS), explore(unwound.program, limits=LIMITS)
    tally.asked += 1
    tally.decided += got.kind != "UNKNOWN"
    tally.cut += any(cut.kind == "loop" for cut in got.cuts)
    if "UNKNOWN" not in (expected.kind, got.kind) and expected.last_line() != got.last_line():
        tally.wrong.append(f"{name}: {got.last_line()}, the original is {expected.last_line()}")
    if got.kind == "FALSE" and not replays(unwound, got):
        tally.wrong.append(f"{name}: the run of the unwound program is none of the original")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--check", default="unreach-call")
    parser.add_argument("--bound", type=int, default=3)
    args = parser.parse_args()
    tally = campaign(range(args.first, args.first + args.count), args.check, args.bound)
    print(f"unwinding: decided {tally.decided}/{tally.asked}, {tally.cut} cut")
    print("\n".join(tally.wrong))
    return bool(tally.wrong)


if __name__ == "__main__":
    sys.exit(main())
