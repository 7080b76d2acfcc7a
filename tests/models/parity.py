"""Both doors on the rows of `models/`: the command line and Python give the same verdict, property and bounds.

    python -m tests.models.parity                                      # every row, engine explicit, 20 s of processor time each
    python -m tests.models.parity each=7 encoding=tcbmc incremental seconds=60

A row that one of the doors has no answer to in that time counts as slow.
"""

from __future__ import annotations

import contextlib
import io
import json
import multiprocessing
import resource
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from multiprocessing.connection import Connection

import fsoft
from fsoft.cli.arguments import request
from fsoft.cli.check import make_parser
from fsoft.cli.main import main as command
from fsoft.program.options import GROWING, Options
from tests.models.table import RUNS, Row, rows

_NOT_GIVEN = ("checks", "observer", "unbounded", "expansion")


@dataclass(frozen=True, slots=True)
class Said:
    """What a door says."""

    verdict: str
    prop: str
    bounds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HowAsked:
    """Who answers: as options of the command line and as arguments in Python."""

    engine: str | None = "explicit"
    encoding: str | None = None
    incremental: bool = False

    def words(self) -> list[str]:
        """For the command line."""
        engine = ["--engine", self.engine] if self.engine is not None else []
        encoding = ["--encoding", self.encoding] if self.encoding is not None else []
        return [*engine, *encoding, *(["--incremental"] if self.incremental else [])]

    def arguments(self) -> dict[str, object]:
        """For Python."""
        given: dict[str, object] = {"engine": self.engine, "encoding": self.encoding, "incremental": self.incremental or None}
        return {name: value for name, value in given.items() if value is not None}


def by_command(row: Row, how: HowAsked) -> Said:
    """What `fsoft check` says."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        command(["check", "--json", *how.words(), *row.arguments()])
    table = json.loads(out.getvalue())
    return Said(table["verdict"], table["property"] or "", tuple(table["bounds"]))


def by_python(row: Row, how: HowAsked) -> Said:
    """What `fsoft.load(...).check(...)` says."""
    args = make_parser().parse_args(row.arguments())
    asked = request(args)
    plain = Options()
    named = {one.name for one in fields(Options) if getattr(asked.options, one.name) != getattr(plain, one.name)}
    named |= {name for name in GROWING if getattr(args, name) is not None}
    options = {name: getattr(asked.options, name) for name in sorted(named - set(_NOT_GIVEN))}
    if options.get("arguments"):
        options["arguments"] = options["arguments"][1:]
    loaded = fsoft.load(*asked.sources, bits=asked.bits, cpp=asked.cpp, **options)
    if row.prop in RUNS:
        result = loaded.check_ltl(row.ltl or row.prop, fairness=row.fairness or None, **how.arguments())  # type: ignore[arg-type]
    else:
        result = loaded.check(row.prop, **how.arguments())  # type: ignore[arg-type]
    return Said(result.verdict, result.prop, result.bounds)


def difference(row: Row, how: HowAsked) -> str:
    """How the doors differ about a row; "" if they do not."""
    one, other = by_command(row, how), by_python(row, how)
    return "" if one == other else f"{row.name}: the command says {one}, Python {other}"


def _work(row: Row, how: HowAsked, seconds: int, out: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (2 * seconds, 2 * seconds + 2))
    sys.stderr = io.StringIO()
    try:
        out.send(difference(row, how))
    except Exception as error:  # whatever a door throws is a difference
        out.send(f"{row.name}: {error!r}")


def in_time(row: Row, how: HowAsked, seconds: int) -> str | None:
    """The difference, or None if it is not known after so many seconds of processor time for each door."""
    ours, theirs = multiprocessing.Pipe(False)
    child = multiprocessing.get_context("fork").Process(target=_work, args=(row, how, seconds, theirs))
    child.start()
    theirs.close()
    try:
        return str(ours.recv())
    except EOFError:
        return None
    finally:
        child.kill()
        child.join()


def main(argv: Sequence[str]) -> int:
    words = dict(word.partition("=")[::2] for word in argv if not word.startswith("--"))
    encoding = words.get("encoding")
    how = HowAsked(words.get("engine", "explicit" if encoding is None else None), encoding, "incremental" in words)
    each, tally = int(words.get("each", "1")), Counter[str]()
    for row in rows()[:: max(1, each)]:
        if row.prop in RUNS and how.encoding is not None:
            continue
        found = in_time(row, how, int(words.get("seconds", "20")))
        tally["slow" if found is None else "different" if found else "same"] += 1
        if found:
            print(found, flush=True)
    print(", ".join(f"{count} {what}" for what, count in sorted(tally.items())))
    return 1 if tally["different"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
