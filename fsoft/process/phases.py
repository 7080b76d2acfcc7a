"""Where the time goes: seconds by phase, for `--profile`.

    with phase("lower"):
        ...

A phase inside another counts for itself only. Phases of a child process come home as a `Phases` record (`collected`, `adopt`).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class Phases:
    """For each phase, in the order of their beginnings: seconds, and seconds of processor time."""

    spent: dict[str, tuple[float, float]] = field(default_factory=dict)

    def add(self, name: str, wall: float, cpu: float) -> None:
        before = self.spent.get(name, (0.0, 0.0))
        self.spent[name] = (before[0] + wall, before[1] + cpu)

    def lines(self) -> list[str]:
        rows = [f"{name:<24}{wall:8.3f} s{cpu:8.3f} s cpu" for name, (wall, cpu) in self.spent.items()]
        wall, cpu = (sum(pair[k] for pair in self.spent.values()) for k in (0, 1))
        return [*rows, f"{'total':<24}{wall:8.3f} s{cpu:8.3f} s cpu"]


_phases = Phases()
_inner: list[list[float]] = []


@contextmanager
def phase(name: str) -> Iterator[None]:
    """The block is a phase of that name."""
    _phases.add(name, 0.0, 0.0)
    _inner.append([0.0, 0.0])
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        yield
    finally:
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        inside = _inner.pop()
        _phases.add(name, wall - inside[0], cpu - inside[1])
        if _inner:
            _inner[-1][0] += wall
            _inner[-1][1] += cpu


def collected() -> Phases:
    """All phases of this process until now."""
    return _phases


def start_afresh() -> None:
    """Forget the phases until now: in a child process they are the parent's."""
    _phases.spent.clear()
    _inner.clear()


def adopt(phases: Phases, prefix: str) -> None:
    """Add the phases of a child process."""
    for name, (wall, cpu) in phases.spent.items():
        _phases.add(f"{prefix}: {name}", wall, cpu)


def seconds_until_now() -> None:
    """What the process has done so far is the phase `start-up`."""
    used = time.process_time()
    _phases.add("start-up", used, used)
