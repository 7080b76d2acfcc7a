"""Members side by side in child processes, on as many cores as there are; the first conclusive answer wins.

More members than cores take turns: one whose turn is over is paused, not ended, and its next turn is twice as long. So nobody
starves, little is lost, and what is quick is over before what is slow gets far. A turn is processor time, so that on a busy machine the
same members get as far; but no turn takes more than eight times its length. Whatever ends the race ends and reaps all children.
"""

from __future__ import annotations

import select
import shutil
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from fsoft.ask.auto.members import Member, Room
from fsoft.process.interrupts import terminable, undisturbed
from fsoft.process.phases import Phases, collected, phase, start_afresh
from fsoft.process.worker import Failed, Worker
from fsoft.process.worker import Tell as TellParent
from fsoft.program.program import Program
from fsoft.program.verdict import InternalError, Stats, Verdict

_LOOK = 0.25  # seconds between looks at the clocks while nobody speaks
_BEYOND = 20.0  # seconds for those who see further than the bounds of the Program, once all within them is known
_SHARE = 0.6  # and at least that share of the time that is left
_HEADROOM = 2048  # megabytes of address space that a member may have and not use
_PATIENCE = 8.0  # a turn takes at most that many times its length


@dataclass(slots=True)
class Entrant:
    """A member of the race. `turn`: the length of this turn, or of its next; `since`: seconds and processor time when it began. `known`:
    the last it has told. `verdict`: its own, if it has ended with one; `failed`: what it died of."""

    member: Member
    turn: float
    worker: Worker | None = None
    since: tuple[float, float] = (0.0, 0.0)
    known: Stats | str | None = None
    phases: Phases | None = None
    verdict: Verdict | None = None
    failed: str = ""

    @property
    def name(self) -> str:
        return self.member.name

    def begin(self, worker: Worker) -> None:
        self.worker = worker
        self.since = (worker.worked(), worker.processor() or 0.0)

    def is_over(self) -> bool:
        """Whether it has had its turn."""
        assert self.worker is not None
        seconds, processor = self.worker.worked(), self.worker.processor()
        if processor is None:
            return seconds - self.since[0] >= self.turn
        return processor - self.since[1] >= self.turn or seconds - self.since[0] >= _PATIENCE * self.turn


WatchRace = Callable[[list[Entrant]], None]
"""Called from time to time with the members that are at work."""


class Race:
    """One race. `jobs` members run at a time; all together hold `memory` megabytes: beyond that the largest is ended. `deadline` is on the
    monotonic clock; `more` are further fields of every member's `Room`."""

    def __init__(self, program: Program, members: Sequence[Member], jobs: int, memory: int, deadline: float | None = None,
                 watch: WatchRace = lambda _running: None, **more: Any):  # fmt: skip
        self.program, self.jobs, self.memory, self.deadline, self.watch, self.more = program, jobs, memory, deadline, watch, more
        self.entrants = [Entrant(member, member.turn) for member in members]
        self.waiting = deque(self.entrants)
        self.running: list[Entrant] = []
        self.late = False
        self._open, self._settled = True, False
        self._folder: str | None = None

    def run(self) -> Entrant | None:
        """The winner; None if there is no more to be learnt, or no more time (then `late`)."""
        with terminable():
            try:
                return self._run()
            finally:
                while self._open:
                    try:
                        self._stop()
                    except (KeyboardInterrupt, SystemExit):  # a second one, while the first was on its way
                        continue

    def _run(self) -> Entrant | None:
        while self.waiting or self.running:
            self._take_turns()
            for entrant in self._wait():
                self._hear(entrant)
            self._make_room()
            winner = self._decided()
            if winner is not None:
                return winner
            if self.deadline is not None and time.monotonic() >= self.deadline:
                self.late = True
                return None
        return None

    # ------------------------------------------------------------ turns

    def _take_turns(self) -> None:
        others = len(self.waiting) - (self.jobs - len(self.running))
        for entrant in list(self.running) if others > 0 else []:
            if entrant.is_over():
                self._pause(entrant)
        while self.waiting and len(self.running) < self.jobs:
            self._begin(self.waiting.popleft())

    def _pause(self, entrant: Entrant) -> None:
        assert entrant.worker is not None
        entrant.worker.pause()
        entrant.turn *= 2
        self.running.remove(entrant)
        self.waiting.append(entrant)

    def _begin(self, entrant: Entrant) -> None:
        with undisturbed():  # who has been started is known before anything can end the race
            if entrant.worker is not None:
                entrant.worker.resume()
            try:
                entrant.begin(entrant.worker or self._start(entrant.member))
            except Failed as failed:
                entrant.failed = failed.what
                return
            self.running.append(entrant)

    def _start(self, member: Member) -> Worker:
        program, more = self.program, self.more

        def work(tell: TellParent) -> Verdict:
            start_afresh()
            try:
                with phase(member.name):
                    return member.ask(program, Room(_seldom(tell), **more))
            finally:
                tell(collected())

        return Worker(member.name, work, self.memory + _HEADROOM, self._scratch() if member.tools else None)

    def _scratch(self) -> str:
        """Where tools write: one folder, gone when the race is over."""
        with undisturbed():
            if self._folder is None:
                import tempfile  # only for members that run other programs

                self._folder = tempfile.mkdtemp(prefix="fsoft-")
        return self._folder

    def _make_room(self) -> None:
        """Ends the largest members until the others fit into memory."""
        held = {one.name: one.worker.resident() for one in self.entrants if one.worker is not None and one.worker.pid}
        while held and sum(held.values()) > self.memory:
            largest = max(held, key=lambda name: held[name])
            del held[largest]
            for one in self.entrants:
                if one.name == largest:
                    one.failed = "memory limit reached"
                    self._drop(one)

    def _drop(self, entrant: Entrant) -> None:
        """Ends a member that takes part no more."""
        if entrant in self.running:
            self.running.remove(entrant)
        if entrant in self.waiting:
            self.waiting.remove(entrant)
        if entrant.worker is not None:
            entrant.worker.kill()

    # ------------------------------------------------------------ news

    def _wait(self) -> list[Entrant]:
        """Those who have something to say, within a moment."""
        until = time.monotonic() + _LOOK
        if self.deadline is not None:
            until = min(until, self.deadline)
        ready = self._ready(max(0.0, until - time.monotonic()))
        self.watch(self.running)
        return ready

    def _ready(self, seconds: float) -> list[Entrant]:
        workers = {one.worker: one for one in self.running if one.worker is not None}
        return [workers[worker] for worker in select.select(list(workers), [], [], seconds)[0]]

    def _hear(self, entrant: Entrant) -> None:
        worker = entrant.worker
        assert worker is not None
        try:
            for told in worker.poll():
                if isinstance(told, Phases):
                    entrant.phases = told
                else:
                    entrant.known = told
        except Failed as failed:
            entrant.failed = failed.what.strip().splitlines()[-1]
        if worker.done:
            self.running.remove(entrant)
            entrant.verdict = worker.result

    def _decided(self) -> Entrant | None:
        """Whose verdict ends the race. Those who have spoken by now must not contradict each other."""
        if not any(conclusive(one) for one in self.entrants):
            self._settle()
            return None
        for entrant in self._ready(0.0):
            self._hear(entrant)
        winners = [one for one in self.entrants if conclusive(one)]
        for one in winners[1:]:
            if kind(one) != kind(winners[0]):
                raise InternalError(f"engines contradict each other: {winners[0].name}: {kind(winners[0])}, {one.name}: {kind(one)}")
        return winners[0]

    def _settle(self) -> None:
        """Where everything within the bounds of the Program is known, only those go on who can see further."""
        if any(one.verdict is not None and one.verdict.complete for one in self.entrants):
            for entrant in [one for one in self.entrants if not one.member.beyond]:
                self._drop(entrant)
            if not self._settled:
                self._settled, self.deadline = True, beyond(self.deadline)

    def _stop(self) -> None:
        with undisturbed():
            for entrant in self.entrants:
                if entrant.worker is not None:
                    entrant.worker.kill()
            if self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)
            self._open = False


def beyond(deadline: float | None) -> float:
    """Until when those work on who see further than the bounds of the Program."""
    now = time.monotonic()
    return now + _BEYOND if deadline is None else min(deadline, now + max(_BEYOND, _SHARE * (deadline - now)))


def kind(entrant: Entrant) -> str:
    return "" if entrant.verdict is None else entrant.verdict.kind


def conclusive(entrant: Entrant) -> bool:
    return kind(entrant) in ("TRUE", "FALSE")


def _seldom(tell: TellParent) -> Callable[[object], None]:
    """Passes on lines as they come and numbers a few times a second."""
    last = 0.0

    def hear(what: object) -> None:
        nonlocal last
        now = time.monotonic()
        if not isinstance(what, Stats) or now - last > 0.2:
            last = now
            tell(what)

    return hear
