"""Sequentialized C of the programs in `models/`, run: `python -m benchmarks.sequentialized [--scheme S] [--each N] [--runs N] ...`.

For each row of the table the program is printed for gcc and compiled with -Wall, which must say nothing. Run with random choices it
may fail only if the table says FALSE; and where the formula of the same sequential program has a counterexample, the compiled program,
fed with its values, must fail the same property. The last line counts; the exit code is 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from fsoft.api import load
from fsoft.bounded.given import Given
from fsoft.bounded.sequential import Made, SequentialFormula, scheme_of
from fsoft.circuit.verdict import Violated
from fsoft.cli.arguments import request
from fsoft.cli.check import make_parser
from fsoft.decide import ask
from fsoft.passes.bounds import Bounds
from fsoft.passes.unwind import unwind
from fsoft.program.program import Program
from fsoft.sequentialize.c_text import c_text
from fsoft.sequentialize.sites import Player, Sites
from fsoft.sequentialize.targets import TARGETS
from tests.models.table import RUNS, Row, rows

WARNINGS = ["-Wall", "-O0"]


@dataclass
class Tally:
    rows: int = 0
    seen: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        found = ", ".join(f"{name} {count}" for name, count in sorted(self.seen.items()))
        return f"{self.rows} programs: {found}; {len(self.wrong)} wrong"


def program_of(row: Row) -> Program:
    asked = request(make_parser().parse_args(row.arguments()))
    return load(asked.sources, asked.options, bits=asked.bits, cpp=asked.cpp)


def compiled(made: Made, folder: Path) -> tuple[Path | None, str]:
    """The program of gcc, and what gcc says."""
    source, binary = folder / "sequential.c", folder / "sequential"
    source.write_text(c_text(made.plain.program, TARGETS["gcc"], made.name))
    done = subprocess.run(["gcc", *WARNINGS, "-o", str(binary), str(source)], capture_output=True, text=True, check=False)
    return (binary if done.returncode == 0 else None), done.stderr


def played(binary: Path, *arguments: str) -> str:
    """What the compiled program says; "" if nothing fails."""
    done = subprocess.run([str(binary), *arguments], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 10 else "" if done.returncode == 0 else f"exit code {done.returncode}"


def counterexample(made: Made, seconds: float) -> tuple[str, dict[int, int]] | None:
    """The property that the formula of the sequential program violates, and what is chosen at each site."""
    formula = SequentialFormula(made, coverage=False)
    found = ask(formula.model, "sat", lambda _depth: None, seconds, {})
    if not isinstance(found, Violated):
        return None
    player = Player(Sites(formula.sequential.program))
    player.play(moves=formula.play(found.stimulus.inputs[-1], found.bad))
    return found.bad, player.values


def check_row(row: Row, given: Given, runs: int, seconds: float, tally: Tally, scheme: str = "lazy") -> None:
    made = scheme_of(scheme)(unwind(program_of(row), given.loops), given)
    tally.rows += 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        binary, words = compiled(made, folder)
        if words or binary is None:
            tally.wrong.append(f"{row.name}: gcc says: {words.splitlines()[0] if words else 'nothing'}")
        if binary is None:
            return
        failed = played(binary, "-n", str(runs))
        tally.seen["failed at random"] += bool(failed)
        if failed and not row.verdict.startswith("FALSE"):
            tally.wrong.append(f"{row.name}: a random run fails: {failed}")
        found = counterexample(made, seconds)
        if found is None:
            return
        prop, values = found
        file = folder / "values"
        file.write_text("".join(f"{site} {value}\n" for site, value in sorted(values.items()) if site >= 0))
        failed = played(binary, "-v", str(file))
        tally.seen["failed as the formula says"] += failed.startswith(f"{prop}:")
        if not failed.startswith(f"{prop}:"):
            tally.wrong.append(f"{row.name}: fed with a counterexample to {prop} it says '{failed}'")


def campaign(chosen: Iterable[Row], given: Given, runs: int = 10_000, seconds: float = 60, scheme: str = "lazy") -> Tally:
    tally = Tally()
    for row in chosen:
        before = len(tally.wrong)
        check_row(row, given, runs, seconds, tally, scheme)
        if len(tally.wrong) > before:
            print(tally.wrong[-1], flush=True)
    return tally


def of_states() -> list[Row]:
    """The rows that ask about states."""
    return [row for row in rows() if row.prop not in RUNS]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=1, help="every so many rows only")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--scheme", default="lazy")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--writes", type=int)
    parser.add_argument("--mu-grain")
    parser.add_argument("--unwind", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=60)
    args = parser.parse_args()
    given = Given(Bounds(args.unwind), rounds=args.rounds, writes=args.writes, grain=args.mu_grain)
    tally = campaign(of_states()[args.first :: args.each], given, args.runs, args.seconds, args.scheme)
    print(tally)
    return bool(tally.wrong)


if __name__ == "__main__":
    sys.exit(main())
