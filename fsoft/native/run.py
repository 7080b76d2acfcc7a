"""The compiled search at work, in a process of its own."""

from __future__ import annotations

import os
import resource
import selectors
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from fsoft.process.interrupts import scratch
from fsoft.process.tools import start, stop

Words = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NativeLimits:
    """When the search gives up (0: never), and with how many workers it goes."""

    seconds: float = 0
    states: int = 0
    megabytes: int = 0
    jobs: int = 1


@dataclass(frozen=True, slots=True)
class Example:
    """Where an event was seen: a state, and the step taken from it."""

    state: Words
    slot: int
    step: int


@dataclass(slots=True)
class Report:
    """What the search said. `why`: "" if all states were seen, "found", "told" (merged heap objects can be told apart), or what ended it:
    time, states, memory, disk, depth, choices. `klass` is the class of what was found, at the step of `found` or (-1) in the
    state itself; `way` are the states that lead there, the first one last."""

    states: int = 0
    transitions: int = 0
    depth: int = 0
    skipped: int = 0
    megabytes: int = 0
    events: list[Example] = field(default_factory=list)
    sampled: list[int] = field(default_factory=list)
    passed: list[int] = field(default_factory=list)
    klass: int = -1
    found: tuple[int, int] = (-1, -1)
    way: list[Words] = field(default_factory=list)
    why: str | None = None


class NativeRun:
    """A search under way. `wait` reads what has come; `done` when the process has ended, and then `report.why` is None if it failed."""

    def __init__(self, program: Path, limits: NativeLimits, alike: bool):
        self.report = Report()
        self.done = False
        self._end = ExitStack()
        folder = self._end.enter_context(scratch("fsoft-native-"))
        numbers = [f"{limits.seconds:.3f}", limits.states, _megabytes(limits.megabytes), limits.jobs, int(alike)]
        self._process = start([str(program), *map(str, numbers), folder], folder)
        self._rest = b""

    def wait(self, seconds: float) -> None:
        """Reads until there is no more to read now, at most that long."""
        pipe = self._process.stdout
        assert pipe is not None
        end = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            while not self.done and selector.select(max(0.0, end - time.monotonic())):
                data = os.read(pipe.fileno(), 1 << 16)
                if data:
                    self._take(data)
                else:
                    self.close()

    def close(self) -> None:
        """Ends the search, if it has not ended by itself."""
        if self.done:
            return
        self.done = True
        stop(self._process)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._end.close()

    def _take(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            kind, *words = line.decode("ascii", "replace").split() or [""]
            reader = _READERS.get(kind)  # what the system says of its end is no report
            if reader is not None:
                reader(self.report, words)


def _megabytes(asked: int) -> int:
    """The memory that the search may use: what was asked for, what the process may have, most of what the machine has left."""
    limits = [asked] if asked else []
    soft = resource.getrlimit(resource.RLIMIT_AS)[0]
    if soft != resource.RLIM_INFINITY:
        limits.append(max(64, (soft >> 20) - 256))
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            free = next(int(line.split()[1]) >> 10 for line in file if line.startswith("MemAvailable"))
        limits.append(max(256, free * 9 // 10))
    except (StopIteration, OSError):
        pass  # not Linux
    return min(limits, default=0)


def _words(texts: list[str]) -> Words:
    return tuple(int(text, 16) for text in texts)


def _read_progress(report: Report, words: list[str]) -> None:
    report.states, report.transitions, report.depth, report.skipped, report.megabytes = map(int, words)


def _read_event(report: Report, words: list[str]) -> None:
    report.events.append(Example(_words(words[3:]), int(words[1]), int(words[2])))


def _read_found(report: Report, words: list[str]) -> None:
    report.klass, report.found = int(words[0]), (int(words[1]), int(words[2]))


def _read_end(report: Report, words: list[str]) -> None:
    report.why = words[0] if words else ""


_READERS = {
    "progress": _read_progress,
    "event": _read_event,
    "sampled": lambda report, words: report.sampled.append(int(words[0])),
    "passed": lambda report, words: report.passed.append(int(words[0])),
    "found": _read_found,
    "way": lambda report, words: report.way.append(_words(words)),
    "end": _read_end,
}

__all__ = ["Example", "NativeLimits", "Report", "NativeRun"]
