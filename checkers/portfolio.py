"""Several engines at once, each in a process of its own; the first conclusive answer wins and the others are ended and reaped.

A counterexample counts when it has been simulated; a proof counts when its certificate has been checked here with a fresh solver. Engines
that contradict each other are an internal error, and the model and what each of them has to show are kept.
"""

from __future__ import annotations

import os
import select
import time
from dataclasses import dataclass, replace

from fsoft.checkers.certify import certify_answer
from fsoft.checkers.evidence import Claim, keep_evidence
from fsoft.checkers.process import Child
from fsoft.checkers.registry import ModelEngine, model_engine
from fsoft.checkers.safety import EngineCall, SafetyEngine
from fsoft.circuit.bits import to_bits
from fsoft.circuit.bits.simulate import confirm
from fsoft.circuit.model.verdict import Answer, Proved, Unknown, Violated
from fsoft.option import BadOption, option
from fsoft.process.worker import Failed
from fsoft.program.verdict import InternalError

_GRACE = 0.5
PARTS = ("pdr", "bmc", "kinduction", "bdd")


@dataclass(slots=True)
class Portfolio(SafetyEngine):
    """See the options; the engines run in turn."""

    engines: tuple[str, ...] = option(PARTS, "who takes part", metavar="A,B")
    jobs: int | None = option(None, "how many engines run at a time (one per core)", metavar="N", least=1)
    memory: int | None = option(None, "megabytes for each engine", flag="", least=1)
    certify: bool = option(True, "check every certificate (on)")
    every: bool = option(False, "let every engine finish, and compare")
    keep: str = option(".", "where the evidence of a contradiction is kept (the current directory)", metavar="DIR")

    def __post_init__(self) -> None:
        for name in self.engines:
            entry = model_engine(name)
            if entry is ENGINE:
                raise BadOption("a portfolio cannot take part in itself")
            if (missing := entry.missing()) is not None and self.engines != PARTS:
                raise BadOption(f"{name}: {missing}")

    def answer(self, question: EngineCall) -> Answer:
        race = _Race(self, question)
        try:
            return race.run()
        finally:
            race.stop()


class _Race:
    """`best` is the undecided answer that covers the greatest depth, `covered` the engine that gave it; `decided` are those that decide."""

    def __init__(self, settings: Portfolio, question: EngineCall) -> None:
        self.settings, self.question, self.bits = settings, question, question.bits
        self.waiting = [name for name in settings.engines if model_engine(name).missing() is None]
        self.running: list[Child] = []
        self.jobs = settings.jobs or max(2, os.cpu_count() or 1)
        self.best = Unknown(-1, "no engine is available" if not self.waiting else "no engine gave an answer")
        self.covered = ""
        self.decided: list[Claim] = []

    def run(self) -> Answer:
        while self.waiting or self.running:
            while self.waiting and len(self.running) < self.jobs:
                self._start(self.waiting.pop(0))
            ready = self._wait()
            for child in ready:
                self._hear(child)
            if self.decided and not self.settings.every:
                return self._first(drain=True)
            if not ready and not self.decided:
                return replace(self.best, depth=max([self.best.depth, *[c.covered for c in self.running]]), why="time limit reached")
            if not ready:
                break
        return self._first(drain=False) if self.decided else self.best

    def _wait(self, seconds: float | None = None) -> list[Child]:
        """The children that have something to say; none if the time is up."""
        limit = self.question.deadline
        left = seconds if seconds is not None or limit is None else limit + _GRACE - time.monotonic()
        return select.select(self.running, [], [], left)[0] if left is None or left >= 0 else []

    def _first(self, drain: bool) -> Answer:
        """The first decisive answer, once nothing that others have said by now contradicts it."""
        if drain:
            for child in self._wait(0.0):
                self._hear(child)
        return self.decided[0].answer

    def _start(self, name: str) -> None:
        deadline = self.question.deadline
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        model = self.question.model if model_engine(name).words else self.bits
        try:
            self.running.append(Child(name, model, left, self.settings.memory, self.question.bad))
        except Failed as failed:
            self.best = replace(self.best, why=f"{name}: {failed.what}")

    def _hear(self, child: Child) -> None:
        for depth in child.poll():
            self._cover(child.name, depth)
        answer = child.answer
        if answer is None:
            return
        self.running.remove(child)
        if isinstance(answer, Unknown) and not answer.proved:
            if answer.depth > self.best.depth or self.best.depth < 0:
                self.best = replace(answer, why=f"{child.name}: {answer.why}")
            self._cover(child.name, answer.depth)
            return
        self._judge(Claim(child.name, answer))

    def _cover(self, name: str, depth: int) -> None:
        """An engine says that no bad is reachable within that many steps."""
        claim = Claim(name, Unknown(depth, "still at work"))
        for other in self.decided:
            if isinstance(other.answer, Violated) and other.answer.depth <= depth:
                self._contradiction(other, claim)
        if depth > self.best.depth:
            self.best, self.covered = replace(self.best, depth=depth), name
            if self.question.progress and not self.decided:
                self.question.progress(depth)
        elif depth == self.best.depth and not self.covered:
            self.covered = name

    def _judge(self, claim: Claim) -> None:
        """Takes a decisive answer if its evidence is right and nobody has said otherwise."""
        answer = claim.answer
        wrong = None
        if isinstance(answer, Violated):
            if answer.depth <= self.best.depth:
                self._contradiction(Claim(self.covered, Unknown(self.best.depth, "still at work")), claim)
            wrong = confirm(self.bits, to_bits(self.bits, answer.stimulus), self.bits.targets()[answer.bad])
        elif isinstance(answer, Proved) and self.settings.certify and (answer.certificates or answer.trusted):
            wrong = certify_answer(self.bits, answer, self.question.bad)
        for other in self.decided:
            if _contradict(other.answer, answer):
                self._contradiction(other, claim)
        if wrong:
            what = "counterexample" if isinstance(answer, Violated) else "certificate"
            raise InternalError(f"the {what} of the engine {claim.engine} is refused: {wrong}; {self._kept(claim)}")
        self.decided.append(claim)

    def _contradiction(self, one: Claim, other: Claim) -> None:
        what = f"{one.engine} says that {one.says()}, but {other.engine} says that {other.says()}"
        raise InternalError(f"the engines contradict each other: {what}; {self._kept(one, other)}")

    def _kept(self, *claims: Claim) -> str:
        return keep_evidence(self.bits, claims, self.settings.keep)

    def stop(self) -> None:
        for child in self.running:
            child.kill()


def _contradict(one: Answer, other: Answer) -> bool:
    """Whether two decisive answers exclude each other: a violation and a proof, or a proof and a reachable bound."""
    if isinstance(one, Violated) or isinstance(other, Violated):
        return not (isinstance(one, Violated) and isinstance(other, Violated))
    bounds = [bool(answer.bounds) for answer in (one, other) if isinstance(answer, Unknown)]
    return len(bounds) == 1 and bounds[0]


ENGINE = ModelEngine(
    name="portfolio",
    summary="several engines at once in processes; the first conclusive answer, its evidence checked",
    proves=True,
    refutes=True,
    maker=Portfolio,
    words=True,
)
