"""All bounded encodings, every variant and order, against the explorer: `python -m tests.bounded.campaign --count 3000 --state FILE`.

Each random program is asked of all three encodings: of tcbmc in one of its orders, of lazy, and of mu in one of its nine variants, the
next one with each program. With growing bounds the verdict must be the explorer's. Every other program is asked with small bounds, too,
where exactly the failing assertions within the bound must be found. Loops of the programs end, unless `--endless` is given: then no
unwinding covers all runs of those that have one. A question has `--seconds` of processor time. `--check` asks for
another property, with growing bounds only. Prints asked and decided by variant. With `--state` answers are kept, and a campaign that was
interrupted goes on.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fsoft.ask.by_name import encoding_of
from fsoft.ask.encodings import answer
from fsoft.ask.load import load
from fsoft.bounded.contexts import ORDERS
from fsoft.bounded.given import Given
from fsoft.bounded.mu import GRAINS
from fsoft.bounded.sequence import READS
from fsoft.checkers.explicit.engine import explore
from fsoft.passes.bounds import Bounds
from fsoft.passes.unwind import unwind
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.program.verdict import Limits, Verdict
from tests.bounded.fewest_writes import Fewest, TooLarge
from tests.bounded.oracles import TooMany, within_contexts, within_rounds
from tests.fuzz.concurrent import Generator

LIMITS = Limits(seconds=10, states=20_000)
VARIANTS = (tuple(f"tcbmc {order}" for order in ORDERS), ("lazy",), tuple(f"mu {grain} {reads}" for grain in GRAINS for reads in READS))
"""By encoding."""
SECONDS = 2.0
ASSERTIONS = "unreach-call"
Answers = list[tuple[str, str, str]]
"""About one program: the question, what the explorer says, and what the encoding says."""


class _Late(BaseException):
    """The processor time of a question is over. No handler of errors takes it for one."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Ends what is inside after so many seconds of processor time."""

    def late(_signal: int, _frame: object) -> None:
        raise _Late

    def lost(what: sys.UnraisableHookArgs) -> None:
        if what.exc_type is not _Late:
            told(what)

    before, told, sys.unraisablehook = signal.signal(signal.SIGPROF, late), sys.unraisablehook, lost
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.1)  # again and again: a destructor that is interrupted passes nothing on
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        sys.unraisablehook = told
        signal.signal(signal.SIGPROF, before)


def bounds_for(variant: str, **more: object) -> tuple[str, Given]:
    """The encoding of a variant, and its bounds."""
    name, *rest = variant.split()
    fields = dict(zip(("order",) if name == "tcbmc" else ("grain", "reads"), rest, strict=False))
    return name, encoding_of(name).bounds(**fields, **more)  # type: ignore[arg-type]


def grown(variant: str, program: Program) -> str:
    """What the variant says with growing bounds."""
    return answer(program, *bounds_for(variant, loops=Bounds(unwind=1), incremental=True)).last_line()


def expected_within(variant: str, program: Program, bound: int) -> str:
    """Whether a run within the bound, loops unwound once, has an error."""
    unwound = unwind(program, Bounds(1)).program
    name, *rest = variant.split()
    try:
        if name == "tcbmc":
            found = within_contexts(unwound, bound, rest[0])
        elif name == "lazy":
            found = within_rounds(unwound, bound)
        else:
            needed = Fewest(unwound, rest[0]).search()
            found = needed is not None and needed <= bound
    except (TooMany, TooLarge):
        return "UNKNOWN"
    return "found" if found else "not found"


def within(variant: str, program: Program, bound: int) -> str:
    """Whether the variant finds one."""
    number = {"tcbmc": "contexts", "lazy": "rounds", "mu": "writes"}[variant.split()[0]]
    verdict = answer(program, *bounds_for(variant, loops=Bounds(1), **{number: bound}))
    return "UNKNOWN" if _gave_up(verdict) else "found" if verdict.kind == "FALSE" else "not found"


def _gave_up(verdict: Verdict) -> bool:
    return verdict.kind == "UNKNOWN" and not verdict.cuts


def in_time(seconds: float, question: Callable[[], str]) -> str:
    try:
        with limited(seconds):
            return question()
    except _Late:
        return "UNKNOWN"


def ask(seed: int, folder: Path, seconds: float = SECONDS, check: str = ASSERTIONS, bounded: bool = True) -> Answers:
    """All questions about the program of a seed."""
    path = folder / "p.c"
    path.write_text(Generator(seed, small=True, blocking=check == "no-deadlock", bounded=bounded).program())
    return answers(load([str(path)], Options(checks=frozenset({check}))), seed, seconds)


def answers(program: Program, seed: int, seconds: float = SECONDS) -> Answers:
    """All questions about a program; the seed chooses the variants."""
    variants = [of_one[seed // 2 % len(of_one)] for of_one in VARIANTS]
    said = explore(program, limits=LIMITS).last_line()
    rows = [(f"{one}, growing", said, in_time(seconds, lambda one=one: grown(one, program))) for one in variants]  # type: ignore[misc]
    for variant in variants if seed % 2 and ASSERTIONS in program.checks else ():
        bound = 1 + seed // 2 % 4
        said = in_time(seconds, lambda: expected_within(variant, program, bound))  # noqa: B023  # asked at once
        got = in_time(seconds, lambda: within(variant, program, bound))  # noqa: B023
        rows.append((f"{variant}, small", said, got if said != "UNKNOWN" else "UNKNOWN"))
    return rows


def report(rows: dict[int, Answers]) -> tuple[str, bool]:
    """Asked and decided by variant, then the programs on which they do not agree; whether there are any."""
    known = [(seed, row) for seed, about in rows.items() for row in about if row[1] != "UNKNOWN"]
    decided = [(seed, row) for seed, row in known if row[2] != "UNKNOWN"]
    asked, answered = Counter(row[0] for _, row in known), Counter(row[0] for _, row in decided)
    wrong = [f"seed {seed}: {what}: {got}, the explorer: {said}" for seed, (what, said, got) in decided if said != got]
    errors = sum(said.startswith(("found", "FALSE")) for _, (_, said, _) in decided)
    lines = [f"{what:<32} decided {answered[what]}/{asked[what]}" for what in sorted(asked)]
    total = f"{len(rows)} programs, {len(known)} questions; decided {len(decided)} ({errors} with an error), {len(wrong)} wrong"
    return "\n".join([*lines, total, *wrong]), bool(wrong)


def campaign(
    seeds: Iterable[int], seconds: float = SECONDS, state: Path | None = None, check: str = ASSERTIONS, bounded: bool = True
) -> dict[int, Answers]:
    """The answers about the programs of the seeds; those in the file `state` are taken from there, and new ones put there."""
    rows: dict[int, Answers] = {}
    if state is not None and state.exists():
        kept = map(json.loads, state.read_text().splitlines())
        rows = {seed: [(what, said, got) for what, said, got in about] for seed, about in kept}
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            if seed not in rows:
                rows[seed] = ask(seed, Path(folder), seconds, check, bounded)
                if state is not None:
                    with state.open("a") as file:
                        file.write(json.dumps([seed, rows[seed]]) + "\n")
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--step", type=int, default=1, help="every so many seeds only")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--check", default=ASSERTIONS)
    parser.add_argument("--endless", action="store_true", help="programs may have loops without end")
    parser.add_argument("--state", type=Path, help="a file that keeps the answers")
    args = parser.parse_args()
    seeds = range(args.first, args.first + args.count, args.step)
    text, wrong = report(campaign(seeds, args.seconds, args.state, args.check, not args.endless))
    print(text)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
