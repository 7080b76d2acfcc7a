"""What `svcomp.py` runs: tasks with the verdict in their name, commands with limits, and how an answer is judged."""

from __future__ import annotations

import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

_EXPECTED = re.compile(r"_(true|false)(?:-unreach-call)?(?=[_.])")
_GRACE = 5.0
_LOOK = 0.1  # seconds between looks at the processor time
_HEADROOM = 1 << 30  # address space beyond the memory limit
_ANSWERS = (
    ("FALSE", re.compile(r"^(FALSE\b.*|false\(.*|UNSAFE|VERIFICATION FAILED|.*\bVerification result: FALSE\b.*)$")),
    ("TRUE", re.compile(r"^(TRUE|true|SAFE|VERIFICATION SUCCESSFUL|.*\bVerification result: TRUE\b.*)$")),
)


@dataclass(frozen=True, slots=True)
class Task:
    """A C file and the verdict that its name promises."""

    path: str
    expected: str

    @property
    def folder(self) -> str:
        return Path(self.path).parent.name

    @property
    def name(self) -> str:
        return f"{self.folder}/{Path(self.path).name}"


@dataclass(frozen=True, slots=True)
class Tool:
    """`command` has `{file}` where the task goes."""

    name: str
    command: tuple[str, ...]


@dataclass(slots=True)
class Result:
    """`verdict`: TRUE, FALSE, UNKNOWN. `how`: the line that says who answered, or why nobody did."""

    tool: str
    task: str
    folder: str
    expected: str
    verdict: str
    wall: float
    cpu: float
    how: str = ""

    @property
    def judgement(self) -> str:
        if self.verdict == "UNKNOWN":
            return "unknown"
        return "right" if self.verdict == self.expected else "wrong"


def expected_verdict(name: str) -> str | None:
    """The verdict in a file's name: `_true-unreach-call`, `_false-unreach-call` or the older `_true.i`."""
    found = _EXPECTED.search(name)
    return found[1].upper() if found else None


def find_tasks(folders: list[str]) -> list[Task]:
    """The tasks below the folders (or the files given): preprocessed files, and others where there is no preprocessed one."""
    found = []
    for folder in map(Path, folders):
        files = [folder] if folder.is_file() else sorted([*folder.rglob("*.i"), *folder.rglob("*.c")])
        known = {file for file in files if file.suffix == ".i"}
        for file in files:
            expected = expected_verdict(file.name)
            if expected is not None and (file.suffix == ".i" or (file.with_suffix(".i") not in known and not file.name.endswith(".cil.c"))):
                found.append(Task(str(file), expected))
    return list(dict.fromkeys(found))


def sample(tasks: list[Task], count: int | None) -> list[Task]:
    """That many tasks, evenly spread."""
    if count is None or count >= len(tasks):
        return tasks
    return [tasks[(2 * k + 1) * len(tasks) // (2 * count)] for k in range(count)]


def fsoft_tool(timeout: float, memory: int, more: list[str]) -> Tool:
    limits = ["--timeout", f"{max(1.0, timeout - 1.0):g}", "--memory", str(memory)]  # the rest is for saying what is known
    return Tool("fsoft", (sys.executable, "-m", "fsoft", "check", "{file}", "--32", "--no-trace", *limits, *more))


def peer_tool(text: str) -> Tool:
    """`name=command` or just a command."""
    found = re.match(r"([\w.-]+)=(?!\{)(.*)", text)
    name, command = (found[1], found[2]) if found else (Path(shlex.split(text)[0]).name, text)
    return Tool(name, tuple(shlex.split(command)))


def run(tool: Tool, task: Task, timeout: float, memory: int, cpu_limit: float | None = None) -> Result:
    """Runs the tool on the task, in a process group of its own, and ends what is left of it. `cpu_limit`: seconds of the processor."""
    command = [part.replace("{file}", task.path) for part in tool.command]
    if not any("{file}" in part for part in tool.command):
        command.append(task.path)
    with tempfile.TemporaryFile() as output:
        start = time.monotonic()
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, ((memory << 20) + _HEADROOM,) * 2),
        )  # fmt: skip
        cpu, in_time = _await(process, timeout, cpu_limit)
        wall = time.monotonic() - start
        output.seek(0)
        text = output.read().decode(errors="replace")
    verdict, how = read_answer(text) if in_time else ("UNKNOWN", "out of time")
    return Result(tool.name, task.name, task.folder, task.expected, verdict, round(wall, 3), round(cpu, 3), how)


_running: set[int] = set()


def end_all() -> None:
    """Asks everything that runs to end."""
    for pid in list(_running):
        _signal(pid, signal.SIGTERM)


def _await(process: subprocess.Popen[bytes], timeout: float, cpu_limit: float | None = None) -> tuple[float, bool]:
    """Processor time, and whether the process ended by itself."""
    last, late, look = time.monotonic() + timeout, False, time.monotonic() + _LOOK
    _running.add(process.pid)
    while True:
        pid, _, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        if cpu_limit is not None and not late and time.monotonic() > look:
            look = time.monotonic() + _LOOK
            last = min(last, 0.0) if used(process.pid) > cpu_limit else last
        if time.monotonic() > last:
            _signal(process.pid, signal.SIGKILL if late else signal.SIGTERM)
            last, late = time.monotonic() + _GRACE, True
        time.sleep(0.005)
    _running.discard(process.pid)
    _signal(process.pid, signal.SIGKILL)
    process.returncode = 0
    return usage.ru_utime + usage.ru_stime, not late


def used(group: int) -> float:
    """Seconds of the processor that the processes of a group, and those that they have waited for, have used so far."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[2]) == group:
            ticks += sum(map(int, fields[11:15]))  # utime, stime, cutime, cstime
    return ticks / os.sysconf("SC_CLK_TCK")


def _signal(group: int, number: int) -> None:
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        pass


def read_answer(text: str) -> tuple[str, str]:
    """The verdict in a tool's output, and the line that explains it."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    how = next((line for line in lines if line.startswith("answered by")), "")
    for line in reversed(lines):
        for verdict, pattern in _ANSWERS:
            if pattern.match(line):
                return verdict, how
    reason = next((line for line in lines if "time limit" in line or "error" in line or "memory limit" in line), "")
    return "UNKNOWN", how or reason or (lines[0] if lines else "no output")
