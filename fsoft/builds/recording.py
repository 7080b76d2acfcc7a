"""Running a build with recorded compilers: scripts of their names stand first on the PATH, note the call and become the real compiler,
so that the build produces what it would produce without us."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fsoft.builds.calls import ARCHIVER, COMPILER, ArchiverCall, CompilerCall, read_call
from fsoft.frontend.source import InputError, Loc

_SCRIPT = """#!/bin/sh
call=$(mktemp {calls}/call.XXXXXXXXXX) && printf '%s\\0' "$PWD" {name} "$@" > "$call"
exec {real} "$@"
"""


@dataclass(frozen=True, slots=True)
class BuildRecord:
    """The calls that a build made, in order, and its command."""

    command: tuple[str, ...]
    calls: tuple[CompilerCall | ArchiverCall, ...]

    @property
    def place(self) -> Loc:
        return Loc(shlex.join(self.command), 0)


def record_build(command: Sequence[str]) -> BuildRecord:
    """Run a build command. What it prints goes to stderr; a build that fails, or compiles nothing, is an InputError."""
    where = Loc(shlex.join(command), 0)
    with tempfile.TemporaryDirectory(prefix="fsoft-build-") as folder:
        calls, scripts = Path(folder, "calls"), Path(folder, "bin")
        calls.mkdir()
        scripts.mkdir()
        _wrap(scripts, calls, os.environ.get("PATH", os.defpath))
        code = _run(command, _environment(scripts), where)
        record = BuildRecord(tuple(command), tuple(_read(calls)))
    if code != 0:
        raise InputError(where, f"the build fails (exit code {code}): make it work without fsoft first")
    if not any(isinstance(call, CompilerCall) and call.kind for call in record.calls):
        advice = "clean it first (make clean), and name no compiler by its path"
        raise InputError(where, f"the build compiled nothing with a compiler of the PATH: {advice}")
    return record


def _wrap(scripts: Path, calls: Path, path: str) -> None:
    """A script for each compiler and archiver that can be called by name."""
    for folder in path.split(os.pathsep):
        try:
            names = sorted(os.listdir(folder or "."))
        except OSError:
            continue
        for name in names:
            real = os.path.abspath(os.path.join(folder, name))
            script = scripts / name
            if (COMPILER.match(name) or ARCHIVER.match(name)) and not script.exists() and os.access(real, os.X_OK) and os.path.isfile(real):
                told = {"calls": shlex.quote(str(calls)), "name": shlex.quote(real), "real": shlex.quote(real)}
                script.write_text(_SCRIPT.format(**told))
                script.chmod(0o755)


def _environment(scripts: Path) -> Mapping[str, str]:
    """With compilers that are cached or sent elsewhere called in any case."""
    path = os.environ.get("PATH", os.defpath)
    return {**os.environ, "PATH": f"{scripts}{os.pathsep}{path}", "CCACHE_DISABLE": "1"}


def _run(command: Sequence[str], environment: Mapping[str, str], where: Loc) -> int:
    found = shutil.which(command[0], path=environment["PATH"])
    if found is None:
        raise InputError(where, f"there is no command '{command[0]}'")
    sys.stdout.flush()
    process = subprocess.Popen([found, *command[1:]], stdin=subprocess.DEVNULL, stdout=sys.stderr.fileno(), env=environment)
    try:
        return process.wait()
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()


def _read(calls: Path) -> list[CompilerCall | ArchiverCall]:
    """The calls in the order in which they began."""
    found = []
    for path in sorted(calls.iterdir(), key=lambda path: (path.stat().st_mtime_ns, path.name)):
        words = path.read_bytes().decode("utf-8", "surrogateescape").split("\0")
        if len(words) > 2:
            call = read_call(words[0], words[1], words[2:-1])
            if call is not None:
                found.append(call)
    return found
