"""Another verifier as a back end (`--backend 'cbmc {file}'`): it gets the sequentialized program as C, and its answer is read back.

A violation counts only if the values in the trace make the sequential Program violate the property and that run replays in the original.
What a back end proves holds within the bounds, and only if it is to be trusted: the verdict is UNKNOWN and says so.
"""

from __future__ import annotations

import math
import os
import re
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from fsoft.bounded.sequential import Made, Scheme, lazy_scheme
from fsoft.frontend.source import NOWHERE, InputError
from fsoft.passes.unwind import unwind
from fsoft.process.interrupts import scratch, undisturbed
from fsoft.program.cuts import Cut
from fsoft.program.program import Program
from fsoft.program.verdict import Move, Stats, Verdict
from fsoft.properties.confirmation import confirm_run
from fsoft.sequentialize.c_text import c_text
from fsoft.sequentialize.sites import Player, Sites
from fsoft.sequentialize.targets import TARGETS, Target

_MOST_OUTPUT = 64 << 20  # bytes
_LOOK = 1.0  # seconds
_CBMC = ("--trace", "--stop-on-fail")
"""What CBMC is asked for: one violation, with its trace."""
_TRACES = re.compile(r"^(?=Trace for )", re.MULTILINE)
"""Where a trace begins, if there are several."""
_FAILED = re.compile(r"^[^\w\n]*(VERIFICATION FAILED|FALSE\b|Verification result: FALSE|KLEE: ERROR)", re.MULTILINE)
_PASSED = re.compile(r"^[^\w\n]*(VERIFICATION SUCCESSFUL|TRUE$|Verification result: TRUE|KLEE: done)", re.MULTILINE)
_UNKNOWN = re.compile(r"^[^\w\n]*(UNKNOWN|VERIFICATION UNKNOWN|Verification result: UNKNOWN)", re.MULTILINE)
_VALUE = re.compile(r"\bin_(\d{1,9})(?:[!@#&]\d+)*\s*(?::=|=)\s*(?:\(\w[\w ]*\)\s*)?(-?\d{1,40}(?!\d)|true\b|false\b)", re.IGNORECASE)

_CALL = re.compile(r"\bnondet_\w+\(\) *= *(-?\d{1,40})(?!\d)|\b__VERIFIER_nondet_\w+\(\) *= *(-?\d{1,40})(?!\d)")


@dataclass(frozen=True, slots=True)
class Backend:
    """`command` has `{file}` where the name of the C file goes. `target`: whose names the file uses."""

    command: str
    target: Target

    @property
    def name(self) -> str:
        return os.path.basename(shlex.split(self.command)[0])

    def arguments(self, file: str) -> list[str]:
        words = [word.replace("{file}", file) for word in shlex.split(self.command)]
        if self.name == "cbmc":
            words += [option for option in _CBMC if option not in words]
        return words


def backend_of(command: str, target: str | None = None) -> Backend:
    """The back end that a command line means; ValueError with a message if it means none."""
    if "{file}" not in command:
        raise ValueError("the command needs {file} where the name of the C file goes")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"{command}: {error}") from None
    if shutil.which(words[0]) is None:
        raise ValueError(f"no program '{words[0]}' to run")
    name = target or next((t for t in TARGETS if t in os.path.basename(words[0]) and t != "gcc"), "svcomp")
    return Backend(command, TARGETS[name])


def check_with(program: Program, given: Any, backend: Backend, scheme: Scheme | None = None, timeout: float | None = None,
               say: Callable[[str], None] = lambda _line: None) -> Verdict:  # fmt: skip
    """The verdict of the back end on the sequentialized program."""
    unwound = unwind(program, given.loops)
    made = (scheme or lazy_scheme)(unwound, given)
    sequential = made.plain
    output = _run(backend, c_text(sequential.program, backend.target, made.name), timeout)
    say(f"{made.describe()}: {_last(output)}")
    prop = min(program.checks) if len(program.checks) == 1 else ""
    if _FAILED.search(output):
        sites = Sites(sequential.program)
        found = _violation(output, sites)
        if found is not None:
            moves, prop, values = found
            chosen = [(sites.width[site], value) for site, value in values.items() if site >= 0]
            return confirm_run(program, unwound.home(sequential.home(moves), prop), prop, Stats(), chosen)
        why = "the back end reports a violation, but the values in its trace lead to none"
        return Verdict("UNKNOWN", prop, cuts=[Cut("said", what=why, remedy="does it print a trace?")])
    if _PASSED.search(output):
        return Verdict("UNKNOWN", prop, cuts=[proved_by(made, backend)])
    if _UNKNOWN.search(output):
        return Verdict("UNKNOWN", prop, cuts=[Cut("said", what="the back end does not know")])
    raise InputError(NOWHERE, f"--backend: no answer in what it prints; the last line is '{_last(output)}'")


def proved_by(made: Made, backend: Backend) -> Cut:
    """What a verdict says where the back end finds no violation."""
    return Cut("said", what=f"proved for {made.describe()} only, by {backend.name}")


def _violation(output: str, sites: Sites) -> tuple[list[Move], str, dict[int, int]] | None:
    """The run that a trace tells, the property that it violates, and what was chosen; of the first trace that tells one."""
    for trace in _TRACES.split(output):
        values = _values(trace, sites)
        player = Player(sites)
        moves, violation = player.play(values, order=[] if values else [int(a or b) for a, b in _CALL.findall(trace)])
        if violation is not None:
            return moves, violation.prop, player.values
    return None


def _run(backend: Backend, text: str, timeout: float | None) -> str:
    """What the back end prints; an InputError if it crashes, and a TimeoutError if it does not end."""
    with scratch("fsoft-") as folder:
        file = os.path.join(folder, "sequential.c")
        with open(file, "w", encoding="utf-8") as out:
            out.write(text)
        try:
            with undisturbed(starting=True):
                process = subprocess.Popen(backend.arguments(file), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                           stderr=subprocess.STDOUT, start_new_session=True)  # fmt: skip
        except OSError as error:
            raise InputError(NOWHERE, f"--backend: cannot be run: {error.strerror}") from None
        try:
            output = _output(process, timeout)
        finally:
            _end(process)
    if process.returncode < 0:
        raise InputError(NOWHERE, f"--backend: it was ended by signal {-process.returncode}")
    return output.decode(errors="replace")


def _output(process: subprocess.Popen[bytes], timeout: float | None) -> bytes:
    """What the process prints until it ends, whoever else keeps its output open. A TimeoutError if it does not end, an InputError if it
    prints without end."""
    output, deadline = bytearray(), math.inf if timeout is None else time.monotonic() + timeout
    stream = process.stdout
    assert stream is not None

    def read() -> None:
        while len(output) <= _MOST_OUTPUT and (chunk := os.read(stream.fileno(), 1 << 16)):
            output.extend(chunk)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    while process.poll() is None and len(output) <= _MOST_OUTPUT:
        if time.monotonic() >= deadline:
            raise TimeoutError
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, min(_LOOK, deadline - time.monotonic())))
    reader.join(_LOOK)
    if len(output) > _MOST_OUTPUT:
        raise InputError(NOWHERE, f"--backend: it prints more than {_MOST_OUTPUT >> 20} MB")
    return bytes(output)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the process, and what it has started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _last(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return "".join(c if c.isprintable() else "?" for c in lines[-1][:200]) if lines else ""


def _values(output: str, sites: Sites) -> dict[int, int]:
    """The values of choices that a trace names."""
    found: dict[int, int] = {}
    for site, value in _VALUE.findall(output):
        if int(site) < len(sites.width):
            number = int(value.lower() == "true") if value[-1].isalpha() else int(value)
            found[int(site)] = number & (1 << sites.width[int(site)]) - 1
    return found
