"""The search at machine speed, and the way back from what it says to a verdict.

The search in Python begins. When it has not ended after half a second, a program that does the same is generated and compiled
(`fsoft/native`) while it goes on; as soon as that program is there, it takes over, with guided runs beside it. What it reports are states
and steps: here they become moves of the Program, events and findings, by the generated Python code that the search uses anyway, and then
the definition replays them as ever. Where there is no compiler, or the program has something for which there is no machine code, the search
in Python goes on to the end.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from fsoft.checkers.explicit.hunter import Hunter
from fsoft.native.build import Build, available
from fsoft.native.packing import Unpackable
from fsoft.native.run import Example, NativeLimits, NativeRun, Report
from fsoft.native.source import MONITORED, AskedProperties, Generated, generate, unwritten
from fsoft.process.tools import cores
from fsoft.program.markers import step_markers
from fsoft.program.replay import Finding
from fsoft.program.state import Event, Halted, Vector, Violation
from fsoft.program.verdict import InternalError, Move, Stats

if TYPE_CHECKING:
    from fsoft.checkers.explicit.search import Explorer

_PATIENCE = 0.5  # seconds that the search in Python has for itself
_RUNS = (12, 60)  # runs that show what changes often, and how long each is
_HUNTS = (0.1, 1, 10, 60)  # seconds after which there are guided runs beside
_LOOK = 0.1  # seconds between looks at the clock
_WHY = {
    "time": "time limit",
    "states": "limit of states",
    "memory": "memory limit",
    "disk": "there is no room on the disk for more",
    "depth": "too many levels",
    "choices": "a step has too many choices",
}


class _Done(Exception):
    """The compiled search has ended."""


class Relay:
    """Takes over from one search. `patience`: after how many seconds; `jobs`: on how many cores (0: all)."""

    def __init__(self, explorer: Explorer, patience: float = _PATIENCE, jobs: int = 0, hunts: bool = True):
        self.explorer, self.patience, self.hunts = explorer, patience, hunts
        self.jobs = jobs or cores()
        self.generated: Generated | None = None
        self.report: Report | None = None
        self._build: Build | None = None
        self._given_up = not available()
        self._running: NativeRun | None = None

    def look(self, seconds: float) -> str | None:
        """Called by the search from time to time, with how long it has been at work. None: go on. Else all is done, and this is why it
        ended ("" if there is nothing left)."""
        if self._running is not None:
            self._glance(self._running)
        if self._given_up or seconds < self.patience:
            return None
        if self._build is None:
            try:
                self._begin(unwritten(self.explorer.program))
            except (Unpackable, OSError):
                self._given_up = True
        if self._build is None or not self._build.poll():
            return None
        self._given_up = True
        if self._build.path is None:
            return None
        return self._run()

    def close(self) -> None:
        if self._build is not None:
            self._build.close()

    def whole(self) -> str | None:
        """The whole search, compiled: None if there is no compiled one, else why it ended."""
        while not self._given_up:
            why = self.look(self.patience)
            if why is not None:
                return why
            time.sleep(0.005)
        return None

    def _again(self) -> bool:
        """Another program, which takes nothing for constant; whether there is one."""
        assert self._build is not None
        self._build.close()
        self._begin(frozenset())
        while not self._build.poll():
            time.sleep(0.01)
        return self._build.path is not None

    def _begin(self, frozen: frozenset[int]) -> None:
        explorer = self.explorer
        runs = Hunter(explorer).runs(*_RUNS)
        asked = AskedProperties(explorer.props, explorer.local, explorer.order, explorer.reduce, runs, frozen)
        self.generated = generate(explorer.program, asked)
        self._build = Build(self.generated.text)

    # ------------------------------------------------------------ at work

    def _run(self) -> str | None:
        explorer = self.explorer
        alike = explorer._alike
        while True:
            report = self._once(alike)
            if report.why == "told":
                explorer._alike = alike = False
            elif report.why != "strayed" or not self._again():
                break
        if report.why in (None, "strayed"):  # it crashed: the search in Python has lost nothing
            return None
        self.report = report
        _Reading(explorer, self.generated, report).take_down()
        return "" if report.why == "found" else _WHY.get(report.why, report.why)

    def _once(self, alike: bool) -> Report:
        assert self._build is not None and self._build.path is not None
        explorer, given = self.explorer, self.explorer.limits
        left = 0.0 if given.seconds is None else max(0.001, given.seconds - explorer.stats.seconds)
        limits = NativeLimits(left, given.states or 0, given.megabytes or 0, self.jobs)
        self._running = run = NativeRun(self._build.path, limits, alike)
        try:
            self._accompany(run)
            while True:
                self._glance(run, _LOOK)
        except _Done:
            return run.report
        finally:
            self._running = None
            run.close()

    def _accompany(self, run: NativeRun) -> None:
        """Guided runs while the search goes on: the short ones at once, the long ones when it takes long. They need a core of their own."""
        explorer, started = self.explorer, time.monotonic()
        if self.hunts and explorer.hunts and explorer.props:
            for seconds in _HUNTS:
                while time.monotonic() - started < seconds:
                    self._glance(run, _LOOK)
                explorer.hunt()

    def _glance(self, run: NativeRun, seconds: float = 0) -> None:
        """Reads what has been reported, for some time; _Done when that is all."""
        run.wait(seconds)
        self._tell(run.report)
        if run.done:
            raise _Done

    def _tell(self, report: Report) -> None:
        stats, explorer = self.explorer.stats, self.explorer
        stats.states, stats.transitions, stats.depth = report.states, report.transitions, report.depth
        stats.seconds = time.monotonic() - explorer._started
        if explorer.progress is not None:
            explorer.progress(stats)


class _Reading:
    """What a report means for the search."""

    def __init__(self, explorer: Explorer, generated: Generated | None, report: Report):
        assert generated is not None
        self.explorer, self.generated, self.report = explorer, generated, report
        self.unpack = generated.packing.unpack

    def take_down(self) -> None:
        explorer, report = self.explorer, self.report
        explorer.stats = Stats(report.states, report.transitions, report.depth, explorer.stats.seconds)
        explorer.stats.counts = {"words": self.generated.packing.words, "megabytes": report.megabytes}
        for number in report.sampled:
            question = self.generated.questions.asked[number]
            explorer.sampler.sampled.setdefault(question.name, question)
        for number in report.passed:
            slot, index = self.generated.moves[number]
            explorer.passed.update(dict.fromkeys(step_markers(explorer.machine.step(slot, index))))
        for example in report.events:
            for event in self._events(example):
                explorer.took_place(event)
        if report.klass >= 0:
            finding, moves = self._finding()
            explorer.found_on_the_way(finding, moves)

    # ------------------------------------------------------------ steps from a state

    def _outcomes(self, v: Vector, slot: int, index: int) -> list[tuple[list[Move], list[Event], Vector, Vector]]:
        """What a step may lead to: the moves (it, and what settles after it), the events, the state right after the step and the last."""
        explorer, found = self.explorer, []
        explorer._current = v
        function, chooser = explorer.machine.function(slot, index), explorer.chooser
        chooser.reset()
        while True:
            new, events = v[:], list[Event]()
            if function(new, chooser, events, []):
                moves, after = [Move(slot, index, chooser.values())], new[:]
                if not events or not self._stopped(new, slot):
                    events += explorer.settled(new, slot, moves)
                found.append((moves, events, after, new))
            if not chooser.picks or not chooser.advance():
                return found

    def _stopped(self, v: Vector, slot: int) -> bool:
        return bool(self.explorer.layout.stopped(v, slot))

    def _events(self, example: Example) -> list[Event]:
        v = self.unpack(example.state)
        return [event for _, events, _, _ in self._outcomes(v, example.slot, example.step) for event in events]

    def _possible(self, v: Vector, slot: int) -> list[int]:
        """The steps of a slot whose guard holds."""
        explorer = self.explorer
        return [m.number for m in explorer._moves_at(slot, v[explorer.layout.pc[slot]]) if m.guard is None or m.guard(v)]

    def _between(self, v: Vector, goal: Vector) -> list[Move]:
        """Moves from one state of the way to the next."""
        holder = self.explorer.machine.holder(v)
        for slot in self.explorer.order if holder is None else [holder]:
            for index in self._possible(v, slot):
                for moves, _, _, after in self._outcomes(v, slot, index):
                    if after == goal:
                        return moves
        raise InternalError("the compiled search went where no step leads")

    # ------------------------------------------------------------ the finding

    def _finding(self) -> tuple[Finding, list[Move]]:
        states = [self.unpack(words) for words in reversed(self.report.way)]
        moves = [move for v, after in pairwise(states) for move in self._between(v, after)]
        prop = self.generated.classes[self.report.klass]
        slot, index = self.report.found
        if slot < 0:
            found = self.explorer.bad_state(states[-1], prop)
            if found is not None:
                return found, moves
            raise InternalError(f"the compiled search found a violation of {prop} where there is none")
        for path, events, after, _ in self._outcomes(states[-1], slot, index):
            finding = self._bad_step(events, after, slot, prop)
            if finding is not None:
                return finding, [*moves, *path]
        raise InternalError(f"the compiled search found a violation of {prop} where there is none")

    def _bad_step(self, events: Sequence[Event], after: Vector, slot: int, prop: str) -> Finding | None:
        for event in events:
            if isinstance(event, Violation) and event.prop == prop:
                return Finding(event.prop, event.message, event.loc)
            if isinstance(event, Halted) and event.kind == "ended" and prop in MONITORED:
                for monitor in self.explorer.monitors:
                    finding = monitor.end(self.explorer.machine, after, slot) if monitor.prop == prop else None
                    if finding is not None:
                        return finding
        return None


__all__ = ["Relay"]
