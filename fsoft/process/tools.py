"""External programs: found in one place, run in one place.

`find` looks along PATH for the first of a tool's names; what a missing one means for the user is said here too.
"""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsoft.frontend.source import NOWHERE, InputError
from fsoft.process.interrupts import undisturbed

if TYPE_CHECKING:
    import subprocess  # imported where a tool is run: that takes time


@dataclass(frozen=True, slots=True)
class ExternalTool:
    """`names` are the commands that will do, best first; `get` is how to install one."""

    title: str
    names: tuple[str, ...]
    get: str


ABC = ExternalTool("ABC", ("berkeley-abc", "abc", "yosys-abc"), "Debian: apt-get install berkeley-abc")
NUXMV = ExternalTool(
    "nuXmv", ("nuXmv", "nuxmv", "NuSMV", "nusmv"), "download it from nuxmv.fbk.eu, or NuSMV from nusmv.fbk.eu, and put it on PATH"
)
COMPILER = ExternalTool("a C compiler", ("cc", "gcc", "clang"), "Debian: apt-get install gcc")


_group = {"own": True}


def share_group() -> None:
    """From now on the tools that this process runs stay in its process group: whoever ends the group ends them too."""
    _group["own"] = False


def cores() -> int:
    """How many threads are worth while here: all cores, or one where this process is one of several that work side by side."""
    if not _group["own"]:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def missing(tool: ExternalTool) -> str | None:
    """None if the tool is there; else one line that says how to get it."""
    if any(_which(name) for name in tool.names):
        return None
    return f"{tool.title} is not installed ({tool.get})"


def find(tool: ExternalTool) -> str:
    """The path of the tool."""
    for name in tool.names:
        path = _which(name)
        if path:
            return path
    raise InputError(NOWHERE, str(missing(tool)))


def _which(name: str) -> str | None:
    """The path of a command, along PATH."""
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def run(tool: ExternalTool, arguments: list[str], directory: str, timeout: float | None = None, text: str = "") -> tuple[str, bool]:
    """Runs the tool in a directory with `text` as input; its output, and whether it ended before the time was up. A tool that did
    not end is killed with everything it started."""
    import subprocess  # takes a while to import: only where a tool runs

    process = start([find(tool), *arguments], directory)
    try:
        output, _ = process.communicate(text.encode(), timeout)
        return output.decode(errors="replace"), True
    except subprocess.TimeoutExpired:
        return _kill(process).decode(errors="replace"), False
    except BaseException:
        _kill(process)
        raise


def start(command: list[str], directory: str) -> subprocess.Popen[bytes]:
    """Starts a command in a directory, with pipes; `stop` ends it. Its temporary files are in that directory, too: what is killed leaves
    them behind, as gcc does."""
    import subprocess  # takes a while to import: only where a tool runs

    with undisturbed(starting=True):
        return subprocess.Popen(
            command,
            cwd=directory,
            env={**os.environ, "TMPDIR": directory},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=_group["own"],
        )


def stop(process: subprocess.Popen[bytes]) -> None:
    """Ends what `start` started, with all that it started."""
    _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> bytes:
    try:
        if _group["own"]:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except ProcessLookupError:
        pass
    output, _ = process.communicate()
    return output
