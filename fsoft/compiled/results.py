"""What the runtime writes while it tests, as records. The program could write there, too: what does not fit is skipped."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from fsoft.compiled.places import Module

KINDS = (
    "race", "deadlock", "assertion", "error", "abort", "crash", "misuse", "access", "free", "leak", "undefined", "hang",
)  # fmt: skip
"""As `enum finding_kind` of runtime.h numbers them."""

OPERATIONS = (
    "access", "fence", "create", "join", "detach", "exit", "lock", "trylock", "unlock", "rdlock", "wrlock", "rwunlock", "wait", "wake",
    "signal", "broadcast", "semwait", "post", "barrier", "once", "init", "destroy", "free", "section", "yield", "cancel", "outside",
    "input", "allocate", "start",
)  # fmt: skip
"""As `enum kind` numbers them."""

READS, WRITES, ATOMIC = 1, 2, 4
ENDINGS = ("unfinished", "ended", "pruned", "failed", "cut")
_MOST = 64 << 20


@dataclass(frozen=True, slots=True)
class Side:
    """One thread's part of a finding. `pc` and `frames` are return addresses, innermost first."""

    thread: int
    how: int
    size: int
    pc: int
    address: int
    frames: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RawFinding:
    """As the runtime says it. `schedule` makes it happen again with the same seed: `thread:operations`, or `thread:-` for as far as it
    goes."""

    kind: str
    fatal: bool
    prop: str
    run: int
    seed: int
    strategy: str
    sides: tuple[Side, ...]
    text: str
    schedule: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of a run that is told."""

    thread: int
    kind: str
    how: int
    size: int
    address: int
    pc: int
    before: int
    after: int


@dataclass(slots=True)
class Totals:
    """What was covered. `distinct` interleavings are told apart by who reads and overwrites whom; `pairs` are pairs of places that accessed
    the same memory one after the other, `both` of them in both orders. `complete`: every interleaving with these inputs was seen."""

    runs: int = 0
    distinct: int = 0
    operations: int = 0
    switches: int = 0
    hangs: int = 0
    cuts: int = 0
    pruned: int = 0
    pairs: int = 0
    both: int = 0
    seconds: float = 0.0
    complete: bool = False


@dataclass(slots=True)
class Results:
    """All of a file. `again`: how often a finding of some kind and places came up after it was written."""

    findings: list[RawFinding] = field(default_factory=list)
    again: dict[tuple[str, int, int], int] = field(default_factory=dict)
    steps: list[Operation] = field(default_factory=list)
    modules: list[Module] = field(default_factory=list)
    totals: Totals = field(default_factory=Totals)
    hung: list[tuple[int, str]] = field(default_factory=list)
    killed: list[tuple[int, int]] = field(default_factory=list)
    repeated: list[bool] = field(default_factory=list)
    candidates: int = 0
    ending: str = ""
    exit_code: int = 0


def read_results(path: str) -> Results:
    """The file; nothing where there is none."""
    found = Results()
    with suppress(OSError), open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
        for line in file.read(_MOST).decode(errors="replace").splitlines():
            with suppress(ValueError, IndexError):
                _read_line(found, line)
    return found


def _read_line(found: Results, line: str) -> None:
    word, _, rest = line.partition(" ")
    words = rest.split(" ")
    match word:
        case "finding":
            found.findings.append(_finding(rest))
        case "schedule" if found.findings:
            last = found.findings[-1]
            found.findings[-1] = RawFinding(
                last.kind, last.fatal, last.prop, last.run, last.seed, last.strategy, last.sides, last.text, rest.strip()
            )
        case "again":
            first, second = sorted((int(words[1], 16), int(words[2], 16)))
            key = (KINDS[int(words[0])], first, second)
            found.again[key] = found.again.get(key, 0) + 1
        case "step":
            thread, kind, how, size = map(int, words[:4])
            address, pc, before, after = (int(text, 16) for text in words[4:8])
            found.steps.append(Operation(thread, OPERATIONS[kind], how, size, address, pc, before, after))
        case "module":
            low, high, base = (int(text, 16) for text in words[:3])
            found.modules.append(Module(low, high, base, " ".join(words[3:])))
        case "ending":
            found.ending, found.exit_code = ENDINGS[int(words[0])], int(words[1])
        case "hang":
            found.hung.append((int(words[1]), words[2]))
        case "killed":
            found.killed.append((int(words[1]), int(words[2])))
        case "repeated":
            found.repeated.append(words[0] == "1")
        case "candidate":
            found.candidates += words[3] == "0"
        case "totals":
            _add_totals(found.totals, words)


def _add_totals(totals: Totals, words: Sequence[str]) -> None:
    runs, _, distinct, operations, switches, hangs, cuts, pruned, pairs, both = map(int, words[:10])
    totals.runs += runs
    totals.operations += operations
    totals.switches += switches
    totals.hangs += hangs
    totals.cuts += cuts
    totals.pruned += pruned
    totals.distinct, totals.pairs, totals.both = distinct, pairs, both
    totals.seconds += float(words[10])
    totals.complete = words[11] == "1"


def _finding(rest: str) -> RawFinding:
    head, _, text = rest.partition(" text ")
    start, *sides = head.split(" side ")
    kind, fatal, prop, run, seed, strategy, _ = start.split(" ")
    return RawFinding(KINDS[int(kind)], fatal == "1", prop, int(run), int(seed), strategy, tuple(map(_side, sides)), text)


def _side(text: str) -> Side:
    thread, how, size, pc, address, *frames = text.split()
    return Side(int(thread), int(how), int(size), int(pc, 16), int(address, 16), tuple(int(frame, 16) for frame in frames))


__all__ = [
    "ATOMIC", "ENDINGS", "KINDS", "OPERATIONS", "Operation", "READS", "RawFinding", "Results", "Side", "Totals", "WRITES", "read_results",
]  # fmt: skip
