"""Work in a child process of its own: native solvers cannot be interrupted from Python, a process can.

The child gets a process group, so that what it starts dies with it, and a memory limit; it dies with its parent, however that ends. It
streams what it has to tell over a pipe, then its result: a child that is killed has still told what it knew. It can be paused and resumed.
"""

from __future__ import annotations

import os
import pickle
import resource
import signal
import struct
import time
from collections.abc import Callable
from typing import Any

from fsoft.frontend.source import InputError, Loc
from fsoft.process.interrupts import SIGNALS, die_with, undisturbed
from fsoft.process.tools import share_group
from fsoft.program.verdict import InternalError

_TOLD, _RESULT, _ERROR = 0, 1, 2

Tell = Callable[[Any], None]


class Failed(Exception):
    """The work ended in an error: `loc` is a place in the input if it is to blame, `memory` says that memory was what it lacked."""

    def __init__(self, what: str, loc: Loc | None = None, memory: bool = False) -> None:
        super().__init__(what)
        self.what, self.loc, self.memory = what, loc, memory


class Worker:
    """`work(tell)` in a child process; `Failed` if none can be started. `poll` reads what has come; when `done`, `result` holds what `work`
    returned. `memory` is megabytes of address space, `folder` is where its temporary files go."""

    def __init__(self, name: str, work: Callable[[Tell], Any], memory: int | None = None, folder: str | None = None) -> None:
        self.name, self.result = name, None
        self.done = False
        self.seconds = 0.0
        self._data = b""
        self._resumed: float | None = time.monotonic()
        parent = os.getpid()
        with undisturbed():  # no exception may come between the fork and its record
            self._pipe, writing, self.pid = _forked()
            if self.pid == 0:
                os.close(self._pipe)
                _live(writing, name, work, memory, folder, parent)
            os.close(writing)
        try:
            os.setpgid(self.pid, self.pid)  # the child does the same: whoever comes first
        except OSError:
            pass

    def fileno(self) -> int:
        return self._pipe

    def poll(self) -> list[Any]:
        """Reads what the child has sent (waiting for something); what it told. Sets `done` and `result` at the end. Raises `Failed`
        if the work ended in an error, or the child before it could say anything."""
        chunk = os.read(self._pipe, 1 << 16)
        if not chunk:
            self._finish(None)
            raise Failed("it was killed, most likely for want of memory", memory=True)
        self._data += chunk
        told = []
        while len(self._data) >= 5:
            kind, size = struct.unpack("<BI", self._data[:5])
            if len(self._data) < 5 + size:
                break
            body, self._data = pickle.loads(self._data[5 : 5 + size]), self._data[5 + size :]
            if kind == _TOLD:
                told.append(body)
            elif kind == _RESULT:
                self._finish(body)
                return told
            else:
                self._finish(None)
                raise Failed(*body)
        return told

    def _finish(self, result: Any) -> None:
        self.done, self.result = True, result
        self.kill()

    def pause(self) -> None:
        self.worked()
        self._resumed = None
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._resumed = time.monotonic()
        self._signal(signal.SIGCONT)

    def worked(self) -> float:
        """The seconds in which it was not paused."""
        now = time.monotonic()
        if self._resumed is not None:
            self.seconds, self._resumed = self.seconds + now - self._resumed, now
        return self.seconds

    def processor(self) -> float | None:
        """The processor time that it and the programs that it runs have had; None where the system does not say."""
        try:
            return sum(map(_ticks, self._processes())) / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError):
            return None

    def resident(self) -> int:
        """Megabytes that it and the programs that it runs hold; 0 where the system does not say."""
        try:
            return sum(map(_pages, self._processes())) * resource.getpagesize() >> 20
        except (OSError, ValueError, IndexError):
            return 0

    def _processes(self) -> list[str]:
        """The child and the programs that it runs."""
        with open(f"/proc/{self.pid}/task/{self.pid}/children", encoding="ascii") as file:
            return [str(self.pid), *file.read().split()]

    def kill(self) -> None:
        """Ends the child and all it started, and reaps it."""
        if not self.pid:
            return
        with undisturbed():
            self.worked()
            self._resumed = None
            self._signal(signal.SIGKILL)
            os.waitpid(self.pid, 0)
            os.close(self._pipe)
            self.pid = 0

    def _signal(self, number: int) -> None:
        for send in (os.killpg, os.kill):
            try:
                send(self.pid, number)
                return
            except ProcessLookupError:
                continue


def _pages(pid: str) -> int:
    """The pages of memory that a process holds."""
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1])


def _forked() -> tuple[int, int, int]:
    """The ends of a pipe to a new process, and its id: 0 in that process. `Failed` if there is no room for one."""
    ends: list[int] = []
    try:
        ends += os.pipe()
        return ends[0], ends[1], os.fork()
    except OSError as error:
        for end in ends:
            os.close(end)
        raise Failed(f"no process can be started: {error.strerror}", memory=True) from None


def _ticks(pid: str) -> int:
    """Processor time of a process and of those it has waited for."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        return sum(map(int, file.read().rpartition(")")[2].split()[11:15]))


def _live(pipe: int, name: str, work: Callable[[Tell], Any], memory: int | None, folder: str | None, parent: int) -> None:
    """The life of the child; never returns."""
    code = 1
    try:
        os.setpgid(0, 0)
        die_with(parent)
        share_group()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        if memory is not None:
            _limit(memory << 20)
        if folder is not None:
            import tempfile  # only for work that has a folder

            tempfile.tempdir = folder
        result = work(lambda what: _send(pipe, _TOLD, what))
        _send(pipe, _RESULT, result)
        code = 0
    except InputError as error:
        _send(pipe, _ERROR, (error.what, error.loc))
    except InternalError as error:
        _send(pipe, _ERROR, (str(error),))
    except MemoryError:
        _send(pipe, _ERROR, ("memory limit reached", None, True))
    except BaseException:
        import traceback  # only when something went wrong

        _send(pipe, _ERROR, (f"engine {name}: {traceback.format_exc(limit=-3)}",))
    finally:
        os._exit(code)


def _limit(size: int) -> None:
    """At most that many bytes of address space; a stricter limit that is already there stays."""
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    if most != resource.RLIM_INFINITY:
        size = min(size, most)
    resource.setrlimit(resource.RLIMIT_AS, (size, size))


def _send(pipe: int, kind: int, value: object) -> None:
    try:
        body = pickle.dumps(value)
        data = struct.pack("<BI", kind, len(body)) + body
        while data:
            data = data[os.write(pipe, data) :]
    except OSError:
        os._exit(1)
