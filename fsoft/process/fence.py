"""The fence around foreign programs: what the user's own program may use when it is executed, and what gcc may use on the user's files.

`fenced` runs a program whose behaviour is unknown: limits on time, memory, processes, the size of files and of output; no network and users
of its own where the system has namespaces for that; and when it is over, or when fsoft is killed, all that it started is over, too
(`guard.py` sees to that). `tool` runs a compiler or its like, which does as it is told but may be told to do too much.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fsoft.process.interrupts import undisturbed

GUARD = Path(__file__).parent / "guard.py"
_PATIENCE = 10.0  # seconds beyond the limit until the guard itself is taken for stuck
_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class FenceLimits:
    """`seconds` of time, bytes of address space (`memory`) and of each file and the output (`file`), `processes` and threads in all."""

    seconds: float
    memory: int = 4 << 30
    file: int = 64 << 20
    processes: int = 512


TOOL = FenceLimits(300, 8 << 30, 2 << 30)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended: `code` is negative for a signal; `why` is "" or the limit that ended it: time, processes. `missing` is what
    the system has no namespaces for: network, processes."""

    code: int
    output: bytes
    why: str
    missing: tuple[str, ...]


def fenced(command: Sequence[str], limits: FenceLimits, environment: Mapping[str, str], folder: str = "", apart: bool = True) -> Ended:
    """Run a program to its end, or to its limits. `folder` is removed if fsoft is killed meanwhile. `apart`: in namespaces, where there are
    some."""
    cpu = int(limits.seconds) + 5
    plan = {
        "command": [os.path.abspath(command[0]), *command[1:]],
        "apart": apart,
        "seconds": limits.seconds,
        "processes": limits.processes,
        "folder": os.path.abspath(folder) if folder else "",
        "limits": [
            (resource.RLIMIT_AS, limits.memory), (resource.RLIMIT_CPU, cpu), (resource.RLIMIT_FSIZE, limits.file),
            (resource.RLIMIT_NPROC, limits.processes + _own_threads()), (resource.RLIMIT_CORE, 0),
        ],
    }  # fmt: skip
    with tempfile.TemporaryFile() as output:
        with undisturbed(starting=True):
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(GUARD), json.dumps(plan)], stdin=subprocess.PIPE, stdout=output, stderr=subprocess.PIPE,
                env=dict(environment), start_new_session=True,
            )  # fmt: skip
        try:
            told = _told(process, time.monotonic() + limits.seconds + _PATIENCE)
        finally:
            _dismiss(process)
        output.seek(0)
        return Ended(told.get("code", 0), output.read(limits.file), told.get("why", "guard"), tuple(told.get("missing", ())))


def _own_threads() -> int:
    """How many threads this user has: the limit on processes counts all of them."""
    count = 0
    for entry in os.listdir("/proc") if os.path.isdir("/proc") else ():
        with suppress(OSError):
            if entry.isdigit() and os.stat(f"/proc/{entry}").st_uid == os.getuid():
                count += len(os.listdir(f"/proc/{entry}/task"))
    return count


def _told(process: subprocess.Popen[bytes], deadline: float) -> dict[str, Any]:
    """What the guard says until it ends."""
    assert process.stderr is not None
    text, stream = b"", process.stderr.fileno()
    while (left := deadline - time.monotonic()) > 0:
        if select.select([stream], [], [], left)[0]:
            if not (chunk := os.read(stream, 4096)):
                break
            text += chunk
    found: dict[str, Any] = {}
    for line in text.splitlines():
        with suppress(ValueError):
            found |= json.loads(line)
    return found


def _dismiss(process: subprocess.Popen[bytes]) -> None:
    """The guard ends all, and itself, when its input closes."""
    assert process.stdin is not None and process.stderr is not None
    process.stdin.close()
    try:
        process.wait(_PATIENCE)
    except BaseException:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    finally:
        process.stderr.close()


def tool(command: Sequence[str], given: bytes = b"", environment: Mapping[str, str] | None = None, limits: FenceLimits = TOOL,
         folder: str = "") -> subprocess.CompletedProcess[bytes]:  # fmt: skip
    """Run a program (in `folder`) that is trusted with its whole output: it ends with this process, and with all of its group if this
    is interrupted. TimeoutError if it does not end; OSError if it cannot be started."""
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        source.write(given)
        source.seek(0)
        with undisturbed(starting=True):
            process = subprocess.Popen(command, stdin=source, stdout=output, stderr=errors, env=environment, start_new_session=True,
                                       cwd=folder or None, preexec_fn=lambda: _bind(limits))  # fmt: skip
        try:
            process.wait(limits.seconds)
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"{os.path.basename(command[0])} does not end within {limits.seconds:g} s") from None
        finally:
            if process.poll() is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        output.seek(0)
        errors.seek(0)
        return subprocess.CompletedProcess(list(command), process.returncode, output.read(), errors.read())


def _bind(limits: FenceLimits) -> None:
    """In the new process: its limits, and its end with ours."""
    import ctypes  # takes a while to import: only for tools, in the new process

    ctypes.CDLL(None).prctl(_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    for kind, most in ((resource.RLIMIT_AS, limits.memory), (resource.RLIMIT_FSIZE, limits.file), (resource.RLIMIT_CORE, 0)):
        _, hard = resource.getrlimit(kind)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (most, most))


__all__ = ["TOOL", "Ended", "FenceLimits", "fenced", "tool"]
