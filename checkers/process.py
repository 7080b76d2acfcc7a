"""An engine on Models in a child process (`worker.py`): it streams how deep it has come, then its answer; a child that is killed still
tells what it covered. Time-out means kill and reap."""

from __future__ import annotations

import select
import time
from collections.abc import Callable
from typing import Any

from fsoft.checkers.registry import model_engine
from fsoft.circuit.bits import BitModel
from fsoft.circuit.bits.bitblast import bitblast
from fsoft.circuit.model import Model
from fsoft.circuit.model.verdict import Answer, Unknown
from fsoft.frontend.source import InputError
from fsoft.process.worker import Failed, Tell, Worker
from fsoft.program.verdict import InternalError

_GRACE = 0.5


class Child(Worker):
    """A running engine. `poll` reads what has come; `answer` is set when it is over."""

    def __init__(self, name: str, model: Model | BitModel, timeout: float | None, memory: int | None, bad: str | None = None,
                 **options: Any) -> None:  # fmt: skip
        self.covered = -1
        self.answer: Answer | None = None

        def work(tell: Tell) -> Answer:
            return model_engine(name).made(**options).check(model, progress=tell, timeout=timeout, bad=bad)

        super().__init__(name, work, memory)

    def poll(self) -> list[int]:
        """The depths that the child has told since the last time."""
        try:
            depths = super().poll()
        except Failed as failed:
            if failed.memory:
                self.answer = Unknown(self.covered, failed.what)
                return []
            self.answer = Unknown(self.covered, f"the engine {self.name} failed: {failed.what}")
            raise InternalError(failed.what) if failed.loc is None else InputError(failed.loc, failed.what) from None
        self.covered = max([self.covered, *depths])
        if self.done:
            self.answer = self.result
        return depths


def run_limited(
    name: str,
    model: Model | BitModel,
    *,
    timeout: float | None = None,
    memory: int | None = None,
    progress: Callable[[int], None] | None = None,
    **options: Any,
) -> Answer:
    """The engine's answer within `timeout` seconds and `memory` megabytes; past a limit, Unknown with the depth that was covered."""
    bits = bitblast(model) if isinstance(model, Model) and not model_engine(name).words else model
    try:
        child = Child(name, bits, timeout, memory, **options)
    except Failed as failed:
        return Unknown(-1, failed.what)
    limit = None if timeout is None else time.monotonic() + timeout + _GRACE
    try:
        while child.answer is None:
            left = None if limit is None else limit - time.monotonic()
            if (left is not None and left <= 0) or not select.select([child], [], [], left)[0]:
                return Unknown(child.covered, "time limit reached")
            for depth in child.poll():
                if progress:
                    progress(depth)
        return child.answer
    finally:
        child.kill()
