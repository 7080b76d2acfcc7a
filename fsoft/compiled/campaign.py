"""Many runs of one program, behind the fence, in portions: after each the findings so far are known and can be shown."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fsoft.compiled.places import AddressBook
from fsoft.compiled.results import KINDS, RawFinding, Results, Totals, read_results
from fsoft.process.fence import Ended, FenceLimits, fenced

STRATEGIES = {
    "mix": "all of the others but the last, in turn",
    "walk": "any thread that can go on, after a random number of accesses",
    "pct": "priorities that change at a few random points (--depth)",
    "pos": "a random priority for every operation, drawn anew when it conflicts with one that was made",
    "rf": "prefers accesses that would read from a write that they never read from",
    "steer": "brings two threads to the two places of a race that the clocks suspect",
    "exhaustive": "every interleaving, with dynamic partial-order reduction; ends when there are no more",
}
_PORTION = 2.0
_FIRST_PORTION = 0.5
_GRACE = 8.0
_STRIDE = 1_000_000_007
_MEMORY = 64 << 30  # address space: the runtime reserves more than it uses


@dataclass(frozen=True, slots=True)
class TestRequest:
    """What is to be run, and how long. `runs` and `seconds` are for all of it, `run_seconds` for one run. `stdin` is a file or ""."""

    program: str
    arguments: tuple[str, ...] = ()
    strategy: str = "mix"
    seed: int = 1
    depth: int = 0
    bound: int = -1
    runs: int = 1000
    seconds: float = 60.0
    run_seconds: float = 5.0
    operations: int = 20_000_000
    jobs: int = 1
    stdin: str = ""
    apart: bool = True
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Grouped:
    """A finding, and how often it came up: all that have their places in common are one."""

    raw: RawFinding
    count: int = 0


@dataclass(slots=True)
class Campaign:
    """The state of many runs in a folder. `groups` by kind and places."""

    request: TestRequest
    folder: str
    state: str = ""
    totals: Totals = field(default_factory=Totals)
    groups: dict[tuple[object, ...], Grouped] = field(default_factory=dict)
    hung: list[tuple[int, str]] = field(default_factory=list)
    killed: list[tuple[int, int]] = field(default_factory=list)
    suspects: int = 0
    output: bytes = b""
    book: AddressBook = field(init=False)
    _portion: int = 0

    def __post_init__(self) -> None:
        self.book = AddressBook(self.request.program)
        self.state = self.state or os.path.join(self.folder, "state")

    def run(self, progress: Callable[[Campaign], bool]) -> None:
        """Portion after portion, until the limits are reached or `progress` says that it is enough."""
        end, length = time.monotonic() + self.request.seconds, self.request.seconds if self._exhaustive else _FIRST_PORTION
        while (left := end - time.monotonic()) > 0 and self.totals.runs < self.request.runs:
            before = self.totals.runs
            self._portion_of(min(length, left))
            length = _PORTION
            if not progress(self) or self.totals.complete or self.totals.runs == before:
                return

    @property
    def _exhaustive(self) -> bool:
        """Its search begins anew with every portion, and takes every access for shared: it has one portion, and keeps no state."""
        return self.request.strategy == "exhaustive"

    def _portion_of(self, seconds: float) -> None:
        jobs = 1 if self._exhaustive else self.request.jobs
        runs = -(-(self.request.runs - self.totals.runs) // jobs)
        parts: list[Results] = [Results() for _ in range(jobs)]

        def work(job: int) -> None:
            number = self._portion * jobs + job
            seed = self.request.seed + (self.totals.runs if jobs == 1 else number * _STRIDE)
            plan = {"seed": seed, "runs": runs, "seconds": f"{seconds:.3f}"}
            parts[job] = self.launch(plan, seconds, f"{number}", job if jobs > 1 else -1)

        workers = [threading.Thread(target=work, args=(job,)) for job in range(jobs)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self._portion += 1
        for part in parts:
            self._take(part)

    def launch(self, plan: Mapping[str, object], seconds: float, name: str, processor: int = -1) -> Results:
        """One server of runs, behind the fence."""
        path = self.write_plan({"processor": processor, **plan}, name)
        environment = {**os.environ, **self.request.environment, "FSOFT_TEST": path}
        self.output = self._fenced(environment, seconds).output
        found = read_results(self._result(name))
        if found.modules:
            self.book.modules = tuple(found.modules)
        return found

    def _result(self, name: str) -> str:
        return os.path.join(self.folder, f"result-{name}")

    def write_plan(self, plan: Mapping[str, object], name: str) -> str:
        """The file that tells the runtime what to do."""
        request = self.request
        path, result = os.path.join(self.folder, f"plan-{name}"), self._result(name)
        items: dict[str, object] = {
            "result": result, "state": "" if self._exhaustive else self.state, "strategy": request.strategy,
            "seed": request.seed, "depth": request.depth,
            "bound": request.bound, "run_seconds": request.run_seconds, "operations": request.operations, "input": request.stdin, **plan,
        }  # fmt: skip
        Path(result).unlink(missing_ok=True)
        Path(path).write_text("".join(f"{key} {value}\n" for key, value in items.items() if value != ""), encoding="utf-8")
        return path

    def _fenced(self, environment: Mapping[str, str], seconds: float) -> Ended:
        command = [self.request.program, *self.request.arguments]
        limits = FenceLimits(seconds + self.request.run_seconds + _GRACE, _MEMORY, 1 << 30, 4096)
        return fenced(command, limits, environment, "", self.request.apart)

    # ------------------------------------------------------------ findings

    def _take(self, part: Results) -> None:
        totals, new = self.totals, part.totals
        totals.runs += new.runs
        totals.operations += new.operations
        totals.switches += new.switches
        totals.hangs += new.hangs
        totals.cuts += new.cuts
        totals.pruned += new.pruned
        totals.seconds += new.seconds
        totals.distinct, totals.pairs, totals.both = (
            max(pair) for pair in ((totals.distinct, new.distinct), (totals.pairs, new.pairs), (totals.both, new.both))
        )
        totals.complete |= new.complete
        self.suspects = part.candidates
        self.hung += part.hung
        self.killed += part.killed
        self.book.learn(pc for raw in part.findings for side in raw.sides for pc in (side.pc, *side.frames))
        keys: dict[tuple[str, int, int], tuple[object, ...]] = {}
        for raw in part.findings:
            key = self.key(raw)
            group = self.groups.setdefault(key, Grouped(raw))
            group.count += 1
            if _switches(raw) < _switches(group.raw):
                group.raw = raw
            keys[_raw_key(raw)] = key
        for raw_key, count in part.again.items():
            if raw_key in keys:
                self.groups[keys[raw_key]].count += count

    def key(self, raw: RawFinding) -> tuple[object, ...]:
        """What makes two findings the same: the kind, and the lines of both sides in any order."""
        places = sorted(str(self.book.users_place(side.pc, side.frames).loc) for side in raw.sides)
        return (raw.kind, raw.prop, *places)


def _raw_key(raw: RawFinding) -> tuple[str, int, int]:
    pcs = sorted([side.pc for side in raw.sides] if len(raw.sides) == 2 else [0, raw.sides[0].pc])
    return (raw.kind, pcs[0], pcs[1])


def _switches(raw: RawFinding) -> int:
    return raw.schedule.count(" ")


def repeat_plan(raw: RawFinding, shorten: bool, times: int, seconds: float, show: bool) -> dict[str, object]:
    """What the runtime is told to make a finding happen again."""
    pcs = " ".join(f"{side.pc:x}" for side in raw.sides)
    return {
        "seed": raw.seed, "schedule": raw.schedule, "target": f"{KINDS.index(raw.kind)} {pcs}", "shorten": int(shorten), "times": times,
        "seconds": f"{seconds:.3f}", "state": "", "show": int(show),
    }  # fmt: skip


def repeat(campaign: Campaign, raw: RawFinding, shorten: bool, times: int, seconds: float, show: bool = False) -> Results:
    """The finding again, by its schedule: told step by step, with as few switches as can be found in that time. `show`: with its output."""
    plan = repeat_plan(raw, shorten, times, seconds, show)
    return campaign.launch(plan, seconds + times * campaign.request.run_seconds, "again")


__all__ = ["STRATEGIES", "Campaign", "Grouped", "TestRequest", "repeat", "repeat_plan"]
