"""All bounded encodings, every variant and order, against the explorer: `python -m tests.bounded.campaign --count 3000 --state FILE`.

Each random program is asked in one of the variants, in turn (three orders of tcbmc, lazy, nine kinds of mu): with growing bounds, where
the verdict must be the explorer's; and, every other time round, with small bounds, where exactly the errors within the bound must be
found. Prints asked and decided by variant. With `--state` answers are kept, and a campaign that was interrupted goes on.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

from fsoft.api import load
from fsoft.bounded.contexts import ORDERS
from fsoft.bounded.given import Given
from fsoft.encodings import answer
from fsoft.passes.bounds import Bounds
from fsoft.passes.unwind import unwind
from fsoft.program.explorer import Limits
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.program.verdict import Verdict
from fsoft.properties import explore
from tests.bounded.agreement import TooMany, reachable_within
from tests.bounded.fewest_writes import Fewest, TooLarge
from tests.bounded.unwinding_memory import VARIANTS as MU
from tests.fuzz.concurrent import Generator
from tests.sequentialize.rounds import violated_within

LIMITS = Limits(seconds=10, states=20_000)
VARIANTS = (*(f"tcbmc {order}" for order in ORDERS), "lazy", *(f"mu {grain} {reads}" for grain, reads in MU))
SECONDS = 10.0


def given_for(variant: str, **more: object) -> tuple[str, Given]:
    """The encoding of a variant, and its bounds."""
    name, *rest = variant.split()
    fields = dict(zip(("order",) if name == "tcbmc" else ("grain", "reads"), rest, strict=False))
    return name, Given(**fields, **more)  # type: ignore[arg-type]


def grows(variant: str, program: Program, seconds: float) -> tuple[str, str]:
    """What the explorer says, and what the variant says with growing bounds."""
    name, given = given_for(variant, loops=Bounds(unwind=1), incremental=True)
    return explore(program, limits=LIMITS).last_line(), answer(program, name, given, timeout=seconds).last_line()


def within(variant: str, program: Program, bound: int, seconds: float) -> tuple[str, str]:
    """The same with a small bound and loops unwound once: FALSE, or UNKNOWN for whatever is not FALSE."""
    unwound, name = unwind(program, Bounds(1)).program, variant.split()[0]
    number = {"tcbmc": "contexts", "lazy": "rounds", "mu": "writes"}[name]
    try:
        expected = _violated(variant, unwound, bound)
    except (TooMany, TooLarge):
        expected = None
    if expected is None:
        return "UNKNOWN", "UNKNOWN"
    verdict = answer(program, *given_for(variant, loops=Bounds(1), **{number: bound}), timeout=seconds)
    if _gave_up(verdict):
        return "found" if expected else "not found", "UNKNOWN"
    return "found" if expected else "not found", "found" if verdict.kind == "FALSE" else "not found"


def _violated(variant: str, unwound: Program, bound: int) -> bool | None:
    name, *rest = variant.split()
    if name == "tcbmc":
        return reachable_within(unwound, bound, rest[0])
    if name == "lazy":
        return violated_within(unwound, bound)
    needed = Fewest(unwound, rest[0]).search()
    return needed is not None and needed <= bound


def _gave_up(verdict: Verdict) -> bool:
    return verdict.kind == "UNKNOWN" and not verdict.bounds


def ask(seed: int, folder: Path, seconds: float = SECONDS) -> tuple[str, str, str]:
    """The question about the program of a seed, what the explorer says, and what the encoding says."""
    path = folder / "p.c"
    path.write_text(Generator(seed, small=True).program())
    program = load([str(path)], Options())
    variant, turn = VARIANTS[seed % len(VARIANTS)], seed // len(VARIANTS)
    if turn % 2 == 0:
        return f"{variant}, growing", *grows(variant, program, seconds)
    return f"{variant}, small", *within(variant, program, 1 + turn // 2 % 4, seconds)


def report(rows: dict[int, tuple[str, str, str]]) -> tuple[str, bool]:
    """Asked and decided by variant, then the programs on which they do not agree; whether there are any."""
    known = {seed: row for seed, row in rows.items() if row[1] != "UNKNOWN"}
    decided = {seed: row for seed, row in known.items() if row[2] != "UNKNOWN"}
    asked, answered = Counter(row[0] for row in known.values()), Counter(row[0] for row in decided.values())
    wrong = [f"seed {seed}: {what}: {got}, the explorer: {said}" for seed, (what, said, got) in decided.items() if said != got]
    errors = sum(said in ("found", "FALSE(unreach-call)") for _, said, _ in decided.values())
    lines = [f"{what:<32} decided {answered[what]}/{asked[what]}" for what in sorted(asked)]
    total = f"{len(rows)} programs, the explorer knows {len(known)}; decided {len(decided)} ({errors} with an error), {len(wrong)} wrong"
    return "\n".join([*lines, total, *wrong]), bool(wrong)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--state", help="a file that keeps the answers")
    args = parser.parse_args()
    state = Path(args.state) if args.state else None
    rows: dict[int, tuple[str, str, str]] = {}
    if state is not None and state.exists():
        rows = {seed: (what, said, got) for seed, what, said, got in map(json.loads, state.read_text().splitlines())}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(args.first, args.first + args.count):
            if seed not in rows:
                rows[seed] = ask(seed, Path(folder), args.seconds)
                if state is not None:
                    with state.open("a") as file:
                        file.write(json.dumps([seed, *rows[seed]]) + "\n")
    text, wrong = report(rows)
    print(text)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
