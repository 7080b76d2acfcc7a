"""An engine in a child process of its own: native solvers cannot be interrupted from Python, a process can.

The child gets a process group, so that what it starts dies with it, and a memory limit. It streams how deep it has come over a
pipe, then its answer: a child that is killed still tells what it covered. Time-out means kill and reap.
"""

from __future__ import annotations

import os
import pickle
import resource
import select
import signal
import struct
import time
import traceback
from collections.abc import Callable
from typing import Any

from checkers.registry import model_engine
from fsoft.circuit.bitblast import bitblast
from fsoft.circuit.bits import BitModel
from fsoft.circuit.model import Model
from fsoft.circuit.verdict import Answer, Unknown
from fsoft.frontend.source import InputError
from fsoft.program.verdict import InternalError
from fsoft.solve.tools import share_group

_DEPTH, _ANSWER, _ERROR = 0, 1, 2
_GRACE = 0.5


class Child:
    """A running engine. `poll` reads what has come; `answer` is set when it is over."""

    def __init__(self, name: str, model: Model | BitModel, timeout: float | None, memory: int | None, options: dict[str, Any]) -> None:
        self.name = name
        self.covered = -1
        self.answer: Answer | None = None
        self.seconds = 0.0
        self._start = time.monotonic()
        self._data = b""
        self._pipe, writing = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._pipe)
            _child(writing, name, model, timeout, memory, options)
        os.close(writing)

    def fileno(self) -> int:
        return self._pipe

    def poll(self) -> list[int]:
        """Reads what the child has sent (waiting for something); the new depths. Sets `answer` when the child is done."""
        chunk = os.read(self._pipe, 1 << 16)
        if not chunk:
            self._finish(Unknown(self.covered, "the engine was killed, most likely for want of memory"))
            return []
        self._data += chunk
        depths = []
        while len(self._data) >= 5:
            kind, size = struct.unpack("<BI", self._data[:5])
            if len(self._data) < 5 + size:
                break
            body, self._data = self._data[5 : 5 + size], self._data[5 + size :]
            if kind == _DEPTH:
                self.covered = int(pickle.loads(body))
                depths.append(self.covered)
            elif kind == _ANSWER:
                self._finish(pickle.loads(body))
                return depths
            else:
                loc, what = pickle.loads(body)
                self._finish(Unknown(self.covered, f"the engine {self.name} failed: {what}"))
                raise InternalError(what) if loc is None else InputError(loc, what)
        return depths

    def _finish(self, answer: Answer) -> None:
        self.answer = answer
        self.kill()

    def kill(self) -> None:
        """Ends the child and all it started, and reaps it."""
        if not self.pid:
            return
        self.seconds = time.monotonic() - self._start
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            try:
                os.kill(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        os.waitpid(self.pid, 0)
        os.close(self._pipe)
        self.pid = 0


def _child(pipe: int, name: str, model: Model | BitModel, timeout: float | None, memory: int | None, options: dict[str, Any]) -> None:
    """The life of the child; never returns."""
    code = 1
    try:
        os.setpgid(0, 0)
        share_group()
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if memory is not None:
            resource.setrlimit(resource.RLIMIT_AS, (memory << 20, memory << 20))
        engine = model_engine(name).load()
        answer = engine.check(model, progress=lambda depth: _send(pipe, _DEPTH, depth), timeout=timeout, **options)
        _send(pipe, _ANSWER, answer)
        code = 0
    except InputError as error:
        _send(pipe, _ERROR, (error.loc, error.what))
    except InternalError as error:
        _send(pipe, _ERROR, (None, str(error)))
    except MemoryError:
        _send(pipe, _ANSWER, Unknown(-1, "memory limit reached"))
    except BaseException:
        _send(pipe, _ERROR, (None, f"engine {name}: {traceback.format_exc(limit=-3)}"))
    finally:
        os._exit(code)


def _send(pipe: int, kind: int, value: object) -> None:
    try:
        body = pickle.dumps(value)
        data = struct.pack("<BI", kind, len(body)) + body
        while data:
            data = data[os.write(pipe, data) :]
    except OSError:
        os._exit(1)


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
    bits = bitblast(model) if isinstance(model, Model) and name != "smt" else model
    child = Child(name, bits, timeout, memory, options)
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
