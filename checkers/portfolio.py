"""Several engines at once, each in a process of its own; the first conclusive answer wins and the others are ended.

A counterexample counts when it has been simulated, which every engine does; a proof counts when its certificate has been checked here with
a fresh solver. Two engines that contradict each other are an internal error.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from checkers.certify import certify_answer
from checkers.process import Child
from checkers.registry import ModelEngine, model_engine
from fsoft.circuit.bitblast import bitblast
from fsoft.circuit.bits import BitModel, to_bits
from fsoft.circuit.model import Model
from fsoft.circuit.simulate import confirm
from fsoft.circuit.verdict import Answer, Proved, Unknown, Violated
from fsoft.program.verdict import InternalError

_GRACE = 0.5


@dataclass(slots=True)
class Portfolio:
    """`engines` run in turn, `jobs` at a time (default: the cores of the machine, at least 2); `memory` is megabytes for each. A
    certificate is checked unless `certify` is off."""

    engines: tuple[str, ...] = ("pdr", "bmc", "kinduction", "bdd")
    jobs: int | None = None
    memory: int | None = None
    certify: bool = True

    def check(
        self,
        model: Model | BitModel,
        *,
        progress: Callable[[int], None] | None = None,
        timeout: float | None = None,
        bad: str | None = None,
        **options: Any,
    ) -> Answer:
        settings = replace(self, **options)
        bits = bitblast(model) if isinstance(model, Model) else model
        race = _Race(settings, model, bits, progress, timeout, {} if bad is None else {"bad": bad})
        try:
            return race.run()
        finally:
            race.stop()


class _Race:
    def __init__(
        self,
        settings: Portfolio,
        model: Model | BitModel,
        bits: BitModel,
        progress: Callable[[int], None] | None,
        timeout: float | None,
        options: dict[str, Any],
    ) -> None:
        self.settings, self.model, self.bits, self.progress, self.options = settings, model, bits, progress, options
        self.limit = None if timeout is None else time.monotonic() + timeout
        self.waiting = [name for name in settings.engines if model_engine(name).missing() is None]
        self.running: list[Child] = []
        self.jobs = settings.jobs or max(2, os.cpu_count() or 1)
        self.best = Unknown(-1, "no engine is available" if not self.waiting else "no engine gave an answer")

    def run(self) -> Answer:
        while self.waiting or self.running:
            while self.waiting and len(self.running) < self.jobs:
                self._start(self.waiting.pop(0))
            left = None if self.limit is None else self.limit + _GRACE - time.monotonic()
            ready = select.select(self.running, [], [], left)[0] if left is None or left > 0 else []
            if not ready:
                return replace(self.best, depth=max([self.best.depth, *[c.covered for c in self.running]]), why="time limit reached")
            for child in ready:
                self._hear(child.poll())
                if child.answer is not None:
                    self.running.remove(child)
                    if (answer := self._judge(child)) is not None:
                        return answer
        return self.best

    def _start(self, name: str) -> None:
        left = None if self.limit is None else max(0.0, self.limit - time.monotonic())
        model = self.model if name == "smt" else self.bits
        self.running.append(Child(name, model, left, self.settings.memory, dict(self.options)))

    def _hear(self, depths: list[int]) -> None:
        for depth in depths:
            if depth > self.best.depth:
                self.best = replace(self.best, depth=depth)
                if self.progress:
                    self.progress(depth)

    def _judge(self, child: Child) -> Answer | None:
        """The answer if it decides; otherwise it is remembered if it says more than the best so far."""
        answer = child.answer
        if isinstance(answer, Violated):
            if answer.depth <= self.best.depth:
                raise InternalError(f"{child.name} finds a violation after {answer.depth} steps, but {self.best.depth} were free of any")
            wrong = confirm(self.bits, to_bits(self.bits, answer.stimulus), self.bits.targets()[answer.bad])
            if wrong:
                raise InternalError(f"the counterexample of {child.name} does not simulate: {wrong}")
            return answer
        if isinstance(answer, Proved):
            if self.settings.certify and answer.certificates and not self.options:
                wrong = certify_answer(self.bits, answer)
                if wrong:
                    raise InternalError(f"the certificate of {child.name} is wrong: {wrong}")
            return answer
        assert isinstance(answer, Unknown)
        if answer.proved:
            return answer
        if answer.depth > self.best.depth or not self.best.depth >= 0:
            self.best = replace(answer, why=f"{child.name}: {answer.why}")
        return None

    def stop(self) -> None:
        for child in self.running:
            child.kill()


ENGINE = ModelEngine(
    name="portfolio",
    summary="several engines at once in processes; the first conclusive answer, its evidence checked",
    proves=True,
    refutes=True,
    load=Portfolio,
    options=("engines", "jobs", "memory", "certify"),
)
