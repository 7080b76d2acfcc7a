"""Bounded encodings against the explorer on random programs. `python -m tests.bounded.agreement --count 1000` is the campaign.

Two questions are asked of each program. With growing bounds: where the encoding decides it must say what the explorer says. With a few
contexts: it must find exactly the violations that the explorer finds within these contexts (`reachable_within`).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from fsoft.api import load
from fsoft.bounded.contexts import ORDERS
from fsoft.encodings import Given, answer
from fsoft.passes.unwind import Bounds, unwind
from fsoft.program.explorer import Limits
from fsoft.program.inputs import Sampler
from fsoft.program.interpreter import Machine
from fsoft.program.options import Options
from fsoft.program.program import Program
from fsoft.program.state import Violation
from fsoft.properties import explore
from tests.fuzz.concurrent import Generator

LIMITS = Limits(seconds=10, states=30_000)
TAGS = tuple(f"tcbmc:{order}" for order in ORDERS)
"""Encodings, with their orders."""
MOST_STATES = 60_000


class TooMany(Exception):
    """The oracle gives up."""


def reachable_within(program: Program, contexts: int, order: str) -> bool:
    """Whether an assertion fails within so many contexts: all states, together with the context in which they are reached."""
    machine, slots, sampler = Machine(program), len(program.threads), Sampler(program)
    todo = [(machine.initial(), 0, slot) for slot in (range(slots) if order == "free" else (0,))]
    seen = set(todo)
    while todo:
        state, context, owner = todo.pop()
        following = []
        if context + 1 < contexts:
            owners = range(slots) if order == "free" else ((context + 1) % slots,)
            following = [(state, context + 1, other) for other in owners]
        if owner in machine.movable(state):
            for index in machine.outgoing(owner, state[machine.layout.pc[owner]]):
                for _, after, events in machine.successors(state, owner, index, sampler):
                    if any(isinstance(e, Violation) and e.prop in program.checks for e in events):
                        return True
                    following.append((after, context, owner))
        new = [one for one in following if one not in seen]
        seen.update(new)
        todo += new
        if len(seen) > MOST_STATES:
            raise TooMany
    return False


@dataclass
class Tally:
    """What came of a campaign."""

    asked: int = 0
    decided: int = 0
    false: int = 0
    exact: int = 0
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return "\n".join([f"decided {self.decided}/{self.asked} ({self.false} FALSE), exact {self.exact}", *self.wrong])


def given_for(tag: str, **more: object) -> tuple[str, Given]:
    """The encoding and the bounds that a tag stands for."""
    name, _, order = tag.partition(":")
    return name, Given(order=order or None, **more)  # type: ignore[arg-type]


def agrees(tag: str, program: Program, name: str, tally: Tally, seconds: float) -> None:
    """With growing bounds: the verdict of the explorer, or none."""
    expected = explore(program, limits=LIMITS)
    encoding, given = given_for(tag, incremental=True, loops=Bounds(unwind=1))
    got = answer(program, encoding, given, timeout=seconds)
    tally.asked += expected.kind != "UNKNOWN"
    tally.decided += expected.kind != "UNKNOWN" and got.kind != "UNKNOWN"
    tally.false += got.kind == "FALSE"
    if "UNKNOWN" not in (expected.kind, got.kind) and expected.last_line() != got.last_line():
        tally.wrong.append(f"{name}: {tag} says {got.last_line()}, the explorer {expected.last_line()}")


def exactly(tag: str, program: Program, name: str, contexts: int, tally: Tally) -> None:
    """With a few contexts: FALSE if and only if the explorer finds a violation within them."""
    unwound = unwind(program, Bounds(unwind=2))
    try:
        expected = reachable_within(unwound.program, contexts, tag.partition(":")[2])
    except TooMany:
        return
    encoding, given = given_for(tag, contexts=contexts, loops=Bounds(unwind=2))
    got = answer(program, encoding, given, timeout=20)
    if got.kind == "UNKNOWN" and not got.bounds:
        return  # out of time
    tally.exact += 1
    if got.kind == "TRUE" and explore(program, limits=LIMITS).kind == "FALSE":
        tally.wrong.append(f"{name}: {tag} proves with {contexts} contexts what is not so")
    if expected != (got.kind == "FALSE"):
        tally.wrong.append(f"{name}: {tag} with {contexts} contexts says {got.last_line()}, the explorer {expected}")


def campaign(seeds: Iterable[int], check: str = "unreach-call", tags: tuple[str, ...] = TAGS, seconds: float = 10) -> Tally:
    """Each program with the next of the tags."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.c"
        for seed in seeds:
            path.write_text(Generator(seed, small=True, blocking=check == "no-deadlock").program())
            program = load([str(path)], Options(checks=frozenset({check})))
            tag = tags[seed % len(tags)]
            agrees(tag, program, f"seed {seed}", tally, seconds)
            if check == "unreach-call":
                exactly(tag, program, f"seed {seed}", 2 + seed // len(tags) % 4, tally)
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--check", default="unreach-call")
    parser.add_argument("--tag", action="append", default=[])
    args = parser.parse_args()
    tally = campaign(range(args.first, args.first + args.count), args.check, tuple(args.tag) or TAGS)
    print(tally)
    return bool(tally.wrong)


if __name__ == "__main__":
    sys.exit(main())
