"""Traces that something has happened to: cut, edited, filled with other values. Replay answers all of them.

Each mutant of a real trace is replayed with the program that the trace is of. It may be refused (2), come true nevertheless (10), or not
(5, 31); it is never an internal error, never outlives its time, and leaves no process and no file behind.
`python -m tests.fuzz.broken_traces --count 200` is the campaign; a test takes a slice.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import io
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fsoft.cli.main import main as fsoft
from tests.models.table import MODELS

BASES = (
    ("mutex/test_and_set.c", ["-DTWO_STEPS"]),
    ("sync/prodcons_cond.c", ["-DNO_SIGNAL", "--property", "no-deadlock"]),
    ("heap/reuse.c", []),
    ("heap/leak_while_running.c", ["-DEXIT", "--property", "valid-memtrack"]),
    ("threads/late_turn.c", []),
    ("races/heap.c", ["-DN=3", "--property", "no-data-race"]),
)
ALLOWED = {2, 5, 10, 31}
_SECONDS = 5
_SLOW = 60.0  # seconds for compiling and running, on a machine that has other things to do
_ODD: list[Any] = [
    None, True, -1, 0, 1, 255, 256, 1 << 31, -(1 << 31), 1 << 63, 1 << 64, 10**4000, 0.5, "", "x", "main", "line 0 0\nevent 0", "\0",
    "\ud800", "%s%n", "@file", "../..", [], {}, [[]], {"kind": "race"},
]  # fmt: skip


@dataclass(slots=True)
class Tally:
    """Exit codes, and what went wrong."""

    codes: Counter[int] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        codes = ", ".join(f"{code}: {count}" for code, count in sorted(self.codes.items()))
        return "\n".join([*self.wrong, f"{self.codes.total()} mutants, exit codes {codes}; {len(self.wrong)} wrong"])


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key) in a JSON value."""
    todo = [value]
    while todo:
        one = todo.pop()
        for key in list(one) if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else ():
            yield one, key
            todo.append(one[key])


def mutated(trace: dict[str, Any], pick: random.Random) -> str:
    """The text of a trace with one to three changes; most keep it well-formed."""
    value = copy.deepcopy(trace)
    run = {name: value[name] for name in ("objects", "moves", "end", "threads")}
    for _ in range(pick.choice([1, 1, 2, 3])):
        container, key = pick.choice(list(places(run if pick.random() < 0.8 else value)))
        change_one(container, key, pick)
    text = json.dumps({**value, **run})
    if pick.random() < 0.1:
        at = pick.randrange(len(text))
        text = pick.choice([text[:at], text[:at] + pick.choice('{}[],:"x0\\') + text[at + 1 :], text[at:] + text[:at]])
    return text


def change_one(container: Any, key: Any, pick: random.Random) -> None:
    """Drop, repeat, exchange or replace one entry."""
    old, kind = container[key], pick.random()
    if isinstance(old, int) and kind < 0.9:
        container[key] = (not old) if isinstance(old, bool) else old + pick.choice([-2, -1, 1, 2, 8, 1000, 1 << 20])
    elif kind < 0.05:
        del container[key]
    elif kind < 0.3 and isinstance(container, list):
        other = pick.randrange(len(container))
        container[key], container[other] = container[other], old
    elif kind < 0.4 and isinstance(container, list):
        container.insert(pick.randrange(len(container) + 1), copy.deepcopy(old))
    else:
        container[key] = pick.choice(_ODD)


def replayed(command: list[str], tally: Tally, name: str) -> None:
    """One mutant."""
    out, err, since = io.StringIO(), io.StringIO(), time.monotonic()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = fsoft(command)
    tally.codes[code] += 1
    said = err.getvalue().strip()
    if code not in ALLOWED:
        tally.wrong.append(f"{name}: exit code {code}: {said[-300:]}")
    if code == 2 and len(said.splitlines()) != 1:
        tally.wrong.append(f"{name}: not one line: {said[:300]}")
    if time.monotonic() - since > _SECONDS + _SLOW:
        tally.wrong.append(f"{name}: {time.monotonic() - since:.0f} s")


def left_over(folder: str) -> list[str]:
    """Processes that run a program of the folder."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if os.readlink(f"/proc/{entry}/exe").startswith(folder):
                found.append(entry)
    return found


def campaign(count: int, seed: int = 1) -> Tally:
    """`count` mutants, taken from all bases in turn."""
    tally, pick = Tally(), random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="broken-") as folder:
        bases = []
        for number, (program, options) in enumerate(BASES[:count]):
            path, flags = os.path.join(folder, f"base{number}.json"), [o for o in options if o.startswith("-D")]
            with contextlib.redirect_stdout(io.StringIO()):
                assert fsoft(["check", str(MODELS / program), "--64", "--engine", "explicit", "--trace-file", path, *options]) == 10
            bases.append(([str(MODELS / program), *flags], json.loads(Path(path).read_text())))
        path, kept = os.path.join(folder, "mutant.json"), os.path.join(folder, "program")
        before = set(os.listdir(tempfile.gettempdir()))
        for number in range(count):
            given, trace = bases[number % len(bases)]
            Path(path).write_text(mutated(trace, pick))
            replayed(["replay", *given, path, "--timeout", str(_SECONDS), "--keep", kept], tally, f"mutant {number} of seed {seed}")
        tally.wrong += [f"process {process} is left" for process in left_over(folder)]
        new = set(os.listdir(tempfile.gettempdir())) - before
        tally.wrong += [f"{name} is left" for name in sorted(new) if name.startswith("fsoft-replay")]
    return tally


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="tests.fuzz.broken_traces", description="Replay mutated traces.")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    found = campaign(args.count, args.seed)
    print(found)
    sys.exit(bool(found.wrong))
