"""Sequentialized C of the programs in `models/`, compiled, run and read back:

    python -m benchmarks.sequentialized [--scheme lazy|mu] [--runs N] [--back] [--backend 'cbmc {file}'] [--state FILE] [--each N] ...

For each row of the table the program is printed for gcc and compiled with -Wall, which must say nothing. Run with random choices it
may fail only if the table says FALSE. If it says FALSE, bounds grow until the formula of the same sequential program has a
counterexample, and the compiled program, fed with its values, must fail the same property. With `--back` the program is also printed
for verifiers and read by our own front end; what it then says about that file must be what it says about the sequential program. With
`--backend COMMAND` another verifier is asked in the same way, and its trace must replay.

Each row has a process of its own and `--limit` seconds. With `--state FILE` results are kept there, and rows that have one are not asked
again. The last line counts; the exit code is 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

from fsoft.ask.backend import backend_of, check_with, proved_by
from fsoft.ask.by_name import encoding_of, given_for, scheme_of
from fsoft.ask.circuits import ask
from fsoft.ask.encodings import answer
from fsoft.ask.load import load
from fsoft.bounded.given import Given
from fsoft.bounded.sequential import LazyBounds, Made, SequentialFormula
from fsoft.circuit.model.verdict import Proved, Unknown, Violated
from fsoft.cli.arguments import request
from fsoft.cli.check import make_parser
from fsoft.passes.bounds import Bounds
from fsoft.passes.unwind import unwind
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.sequentialize.c_text import c_text
from fsoft.sequentialize.sites import Player, Sites
from fsoft.sequentialize.targets import TARGETS
from tests.models.table import RUNS, Row, rows

WARNINGS = ["-Wall", "-O0"]
_MOST_STEPS = 32  # of growing bounds
_LAST = 5.0  # seconds that a process gets to end what it has started
Counterexample = tuple[str, dict[int, int]]
"""The property that is violated, and what is chosen at each site."""


@dataclass(slots=True)
class Outcome:
    """What was seen of a row. `at_random`: the claim that failed; `fed`: the property that failed with the values of a counterexample,
    which was found within `bounds`; `back`: what our front end says of the printed file; `other`: what another verifier says. `slow`:
    not all was done within the limit."""

    row: str
    verdict: str
    at_random: str = ""
    fed: str = ""
    bounds: str = ""
    back: str = ""
    other: str = ""
    slow: bool = False
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)

    @property
    def unsafe(self) -> bool:
        return self.verdict.startswith("FALSE")


@dataclass(slots=True)
class Tally:
    rows: int = 0
    seen: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def add(self, one: Outcome) -> None:
        self.rows += 1
        seen = {"unsafe": one.unsafe, "failed at random": bool(one.at_random), "failed as the formula says": bool(one.fed),
                "unsafe without a counterexample": one.unsafe and not one.fed, "read back": bool(one.back), "slow": one.slow,
                f"another verifier: {one.other.partition('(')[0]}": bool(one.other)}  # fmt: skip
        self.seen.update(name for name, so in seen.items() if so)
        self.wrong += [f"{one.row}: {words}" for words in one.wrong]

    def __str__(self) -> str:
        found = ", ".join(f"{name} {count}" for name, count in sorted(self.seen.items()))
        return f"{self.rows} programs: {found}; {len(self.wrong)} wrong"


@dataclass(frozen=True, slots=True)
class Plan:
    """How every row is asked. `seconds` for a solver, `limit` for the row."""

    given: Given
    runs: int = 10_000
    seconds: float = 60
    scheme: str = "lazy"
    back: bool = False
    backend: str = ""
    limit: float | None = None


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


def counterexample(made: Made, seconds: float) -> Counterexample | None:
    """Of the formula of the sequential program, if it has one."""
    formula = SequentialFormula(made, coverage=False)
    found = ask(formula.model, "sat", lambda _depth: None, seconds, {})
    if not isinstance(found, Violated):
        return None
    player = Player(Sites(formula.sequential.program))
    player.play(moves=formula.play(found.stimulus.inputs[-1], found.bad))
    return found.bad, player.values


def read_back(made: Made, bits: int, folder: Path, seconds: float) -> str:
    """What our own front end and formula say of the printed file."""
    source = folder / "printed.c"
    source.write_text(c_text(made.plain.program, TARGETS["svcomp"], made.name))
    program = load([str(source)], Options(checks=frozenset({"unreach-call"}), calls="inline"), bits=bits)
    return answer(program, "lazy", LazyBounds(Bounds(1), rounds=1), timeout=seconds).last_line()


@dataclass(slots=True)
class _Asking:
    """One row."""

    row: Row
    plan: Plan
    folder: Path
    outcome: Outcome

    def run(self) -> None:
        program, given = program_of(self.row), self.plan.given
        made = scheme_of(self.plan.scheme)(unwind(program, given.loops), given)
        binary = self._compiled(made)
        if binary is None:
            return
        failed = self.outcome.at_random = played(binary, "-n", str(self.plan.runs))
        if failed and not self.outcome.unsafe:
            self._wrong(f"a random run fails: {failed}")
        found = counterexample(made, self.plan.seconds)
        if found is None and self.outcome.unsafe:
            made, found = self._grown(program, made)
            binary = self._compiled(made) if found is not None else binary
        if found is not None and binary is not None:
            self._feed(binary, made, *found)
        if self.plan.back:
            self._back(made, found)
        if self.plan.backend:
            self._other(program, made, found)

    def _wrong(self, words: str) -> None:
        self.outcome.wrong.append(words)

    def _compiled(self, made: Made) -> Path | None:
        binary, words = compiled(made, self.folder)
        if words or binary is None:
            self._wrong(f"gcc says: {words.splitlines()[0] if words else 'nothing'}")
        return binary

    def _grown(self, program: Program, made: Made) -> tuple[Made, Counterexample | None]:
        """A counterexample within larger bounds: as `fsoft check --incremental` does, by what cuts."""
        given = made.given
        for _ in range(_MOST_STEPS):
            formula = encoding_of(self.plan.scheme).door(made.unwound, given)
            said = ask(formula.model, "sat", lambda _depth: None, self.plan.seconds, {})
            if isinstance(said, (Violated, Proved)):
                self._wrong(f"{formula.describe()}: the formula says {said.bad if isinstance(said, Violated) else 'TRUE'}, its program not")
            after = formula.grown(given, said.bounds) if isinstance(said, Unknown) else given
            if after == given:
                break
            made = scheme_of(self.plan.scheme)(unwind(program, after.loops), after)
            found = counterexample(made, self.plan.seconds)
            if found is not None:
                return made, found
            given = after
        return made, None

    def _feed(self, binary: Path, made: Made, prop: str, values: dict[int, int]) -> None:
        file = self.folder / "values"
        file.write_text("".join(f"{site} {value}\n" for site, value in sorted(values.items()) if site >= 0))
        failed, self.outcome.bounds = played(binary, "-v", str(file)), made.describe()
        if not self.outcome.unsafe:
            self._wrong(f"{made.describe()}: the formula says {prop}")
        if failed.startswith(f"{prop}:"):
            self.outcome.fed = prop
        else:
            self._wrong(f"fed with a counterexample to {prop} it says '{failed}'")

    def _back(self, made: Made, found: Counterexample | None) -> None:
        try:
            said = self.outcome.back = read_back(made, self.row.bits, self.folder, self.plan.seconds)
        except Exception as error:
            self._wrong(f"read back: {error!r}")
            return
        if said != ("TRUE" if found is None else "FALSE(unreach-call)"):
            self._wrong(f"read back it is {said}; the formula says {'nothing' if found is None else found[0]}")

    def _other(self, program: Program, made: Made, found: Counterexample | None) -> None:
        """What another verifier says: a violation that replays, or that there is none within the bounds."""
        scheme, backend = scheme_of(self.plan.scheme), backend_of(self.plan.backend)
        try:
            verdict = check_with(program, made.given, backend, scheme, timeout=self.plan.seconds)
        except TimeoutError:
            self.outcome.other = "too slow"
            return
        said = self.outcome.other = "proves" if verdict.cuts == [proved_by(made, backend)] else verdict.last_line()
        if said != ("proves" if found is None else f"FALSE({found[0]})"):
            self._wrong(f"{backend.name} says {said}; the formula says {'nothing' if found is None else found[0]}")


def check_row(row: Row, plan: Plan, outcome: Outcome) -> None:
    """Fills in the outcome."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        _Asking(row, plan, Path(name), outcome).run()
    outcome.seconds = round(time.monotonic() - began, 2)


def _child(row: Row, plan: Plan, send: Connection) -> None:
    signal.signal(signal.SIGTERM, lambda _signal, _frame: sys.exit(1))
    outcome = Outcome(row.name, row.verdict)
    try:
        check_row(row, plan, outcome)
    except Exception as error:
        outcome.wrong.append(repr(error))
    send.send(outcome)


def limited(row: Row, plan: Plan) -> Outcome:
    """The outcome of a row, found in a process of its own if there is a limit."""
    outcome = Outcome(row.name, row.verdict)
    if plan.limit is None:
        check_row(row, plan, outcome)
        return outcome
    context = multiprocessing.get_context("fork")
    receive, send = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(row, plan, send))
    process.start()
    send.close()
    if receive.poll(plan.limit):
        try:
            outcome = receive.recv()
        except EOFError:
            outcome.wrong.append("the process ended without an answer")
    else:
        outcome.slow, outcome.seconds = True, plan.limit
    process.terminate()
    process.join(_LAST)
    process.kill()
    process.join()
    return outcome


def campaign(chosen: Iterable[Row], plan: Plan, state: Path | None = None) -> Tally:
    tally, known = Tally(), _known(state)
    for row in chosen:
        outcome = known.get(row.name)
        if outcome is None:
            outcome = limited(row, plan)
            if state is not None:
                with state.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(outcome)) + "\n")
            if outcome.wrong or outcome.slow:
                print(f"{row.name}: {'; '.join(outcome.wrong) or 'slow'}", flush=True)
        tally.add(outcome)
    return tally


def _known(state: Path | None) -> dict[str, Outcome]:
    """Rows that need not be asked again: those with a good result."""
    if state is None or not state.exists():
        return {}
    found = [Outcome(**json.loads(line)) for line in state.read_text(encoding="utf-8").splitlines()]
    return {one.row: one for one in found if not one.wrong and not one.slow and (one.fed or not one.unsafe)}


def of_states() -> list[Row]:
    """The rows that ask about states."""
    return [row for row in rows() if row.prop not in RUNS]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=1, help="every so many rows only")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--row", default="", help="only rows whose name contains this")
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--scheme", default="lazy")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--writes", type=int)
    parser.add_argument("--mu-grain")
    parser.add_argument("--unwind", type=int, default=2)
    parser.add_argument("--back", action="store_true", help="read the printed file back")
    parser.add_argument("--backend", default="", metavar="COMMAND", help="ask this verifier about the printed file, too")
    parser.add_argument("--seconds", type=float, default=60, help="for one question to a solver")
    parser.add_argument("--limit", type=float, default=300, help="seconds for one row")
    parser.add_argument("--state", type=Path, help="a file for results; rows that have one are not asked again")
    args = parser.parse_args()
    options = {"rounds": args.rounds} if args.scheme == "lazy" else {"writes": args.writes, "grain": args.mu_grain}
    given = given_for(args.scheme, unwind=args.unwind, **options)
    plan = Plan(given, args.runs, args.seconds, args.scheme, args.back, args.backend, args.limit)
    tally = campaign([row for row in of_states()[args.first :: args.each] if args.row in row.name], plan, args.state)
    print(tally)
    return bool(tally.wrong)


if __name__ == "__main__":
    sys.exit(main())
