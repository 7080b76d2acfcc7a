"""Every FALSE of `models/` in the compiled program: `python -m benchmarks.replay [WORD...] [--timeout S] [--every N] [--failures]`.

For each row of the table with the verdict FALSE a trace is found (engine `explicit`, unless said otherwise), the program is compiled
by gcc and executed under that trace. Prints how many of each property end in the predicted failure, and the others with the reason.
Rows that are not replayed are named in `models/replay.toml`; any other one that is not, and one of those that is, make the exit code 1.
`--model ILP32` (or LP64) asks about all rows in that data model instead of their own. Traces and results are kept in a folder (`--state`,
build/replay), so a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from fsoft.compiled.replay import endless, prepare, source_of
from fsoft.frontend.source import InputError
from tests.models.agree import in_child, warm_up
from tests.models.table import BITS, Row, rows

LEFT = Path(__file__).parents[1] / "models" / "replay.toml"
NO_END = "a property of infinite runs: there is no failure to end in"
RUNS = {"ltl": NO_END, "termination": NO_END}


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one row: `replayed`, or why not."""

    name: str
    prop: str
    replayed: bool
    reason: str = ""


def left_out() -> dict[str, str]:
    """Rows that the compiled program does not replay, with the reason."""
    named = {row: reason["why"] for reason in tomllib.loads(LEFT.read_text(encoding="utf-8"))["reason"] for row in reason["rows"]}
    endless_rows = {r.name: RUNS[r.prop] for r in rows() if r.prop in RUNS and r.verdict.startswith("FALSE")}
    return named | endless_rows


def trace_of(row: Row, state: Path, engine: str, timeout: int) -> dict[str, Any] | None:
    """The trace of a row, found now or before; None if there is none in time."""
    path = state / f"{hashlib.sha256(row.name.encode()).hexdigest()[:16]}.json"
    if not path.exists() and not any(_found(row, path, name, timeout) for name in dict.fromkeys((engine, "auto"))):
        return None
    found = json.loads(path.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def _found(row: Row, path: Path, engine: str, timeout: int) -> bool:
    """Whether the engine finds a trace; then it is in the file."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        command = ["check", "--engine", engine, "--json", "--timeout", str(timeout), *row.arguments()]
        code = in_child(command, out.fileno(), err.fileno())
        out.seek(0)
        if code == 10:
            fresh = path.with_suffix(".new")
            fresh.write_bytes(out.read())
            fresh.replace(path)
    return code == 10


def replay(row: Row, state: Path, engine: str, timeout: int) -> Result:
    """One row."""
    if row.prop in RUNS:
        return Result(row.name, row.prop, False, RUNS[row.prop])
    trace = trace_of(row, state, engine, timeout)
    if trace is None:
        return Result(row.name, row.prop, False, f"no trace within {timeout} s")
    if (why := endless(trace)) is not None:
        return Result(row.name, row.prop, False, why)
    folder = state / f"program{row.bits}"
    folder.mkdir(exist_ok=True)
    try:
        outcome = prepare(trace, [source_of(str(row.path), trace["files"][0])], row.bits, str(folder)).run(20)
    except InputError as error:
        return Result(row.name, row.prop, False, str(error))
    reason = outcome.excuse(trace) or f"{outcome.kind}, {outcome.done} of {outcome.events} events: {outcome.text}"
    return Result(row.name, row.prop, outcome.confirms(trace), reason)


def summary(results: Sequence[Result]) -> str:
    total, done = Counter(r.prop for r in results), Counter(r.prop for r in results if r.replayed)
    lines = [f"{prop:<22}{done[prop]:>4} / {count}" for prop, count in sorted(total.items())]
    return "\n".join([*lines, f"{'replayed':<22}{sum(done.values()):>4} / {len(results)}"])


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.replay", description="Replay every FALSE of models/ in the compiled program.")
    parser.add_argument("words", nargs="*", help="only rows whose name contains all of these")
    parser.add_argument("--engine", default="explicit")
    parser.add_argument("--timeout", type=int, default=60, help="seconds to find a trace")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth row")
    parser.add_argument("--state", type=Path, default=Path("build/replay"), help="where traces and results are kept")
    parser.add_argument("--model", choices=BITS, help="ask about every row in this data model")
    parser.add_argument("--again", action="store_true", help="replay rows that have a result already")
    parser.add_argument("--failures", action="store_true", help="replay rows again that were not replayed")
    args = parser.parse_args(argv)
    args.state.mkdir(parents=True, exist_ok=True)
    memory = args.state / "results.jsonl"
    known = {r["name"]: Result(**r) for r in map(json.loads, memory.read_text().splitlines())} if memory.exists() else {}
    asked = [replace(r, model=args.model) if args.model else r for r in rows()]
    chosen = [r for r in asked if r.verdict.startswith("FALSE") and all(word in r.name for word in args.words)][:: args.every]
    results = []
    warm_up()
    for row in chosen:
        result = known.get(row.name)
        if result is None or args.again or (args.failures and not result.replayed):
            result = replay(row, args.state, args.engine, args.timeout)
            with memory.open("a") as file:
                file.write(json.dumps(asdict(result)) + "\n")
            print("ok  " if result.replayed else "FAIL", result.name, "" if result.replayed else f": {result.reason}", flush=True)
        results.append(result)
    print("\nnot replayed:")
    print("\n".join(f"  {r.name}: {r.reason}" for r in results if not r.replayed) or "  none")
    print("\n" + summary(results))
    return 0 if args.model else _unexpected(results)


def _unexpected(results: Sequence[Result]) -> int:
    left = left_out()
    odd = [r.name for r in results if r.replayed == (r.name in left)]
    if odd:
        print(f"\nnot as {LEFT.name} says:\n" + "\n".join(f"  {name}" for name in odd))
    return int(bool(odd))


if __name__ == "__main__":
    os.environ.setdefault("LC_ALL", "C")
    raise SystemExit(main(sys.argv[1:]))
