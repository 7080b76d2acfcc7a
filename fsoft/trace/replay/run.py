"""Running the compiled program under a schedule, and comparing what happens with what was predicted."""

from __future__ import annotations

import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fsoft.interrupts import undisturbed
from fsoft.trace.replay.binary import build
from fsoft.trace.replay.schedule import FILE_STEP, Schedule
from fsoft.trace.replay.starts import starts_of

Json = dict[str, Any]

SHOWN_BY = {
    "unreach-call": ("assert", "error"),
    "valid-deref": ("access", "signal"),
    "valid-free": ("free",),
    "no-overflow": ("overflow", "signal"),
    "no-division-by-zero": ("division", "signal"),
    "no-bad-shift": ("shift",),
    "no-bad-conversion": ("conversion",),
    "no-bad-index": ("index",),
    "no-lock-misuse": ("misuse", "signal"),
    "no-data-race": ("race",),
    "no-deadlock": ("deadlock",),
    "valid-memtrack": ("leak",),
}
"""The outcomes of the runtime that show a property to be violated."""


PADDED = ".<padding>"
"""How the names of bytes between members end."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the program did. `kind` is the runtime's word for it, or `timeout` or `silent`; `done` of `events` were matched. `torn` is a
    line where gcc makes one access of what the run makes in parts, or 0."""

    kind: str
    slot: int
    line: int
    done: int
    events: int
    torn: int
    text: str
    output: str

    def confirms(self, trace: Json) -> bool:
        """Whether this is the predicted failure: the whole schedule, then a failure of that kind, in that thread, at that line."""
        if self.kind not in SHOWN_BY.get(trace["property"], ()) or self.done < self.events:
            return False
        if trace["end"]["kind"] != "violation":
            return True
        place = trace["end"] if not trace["end"]["file"].startswith("<") else trace["moves"][-1]
        return self.slot == Schedule(trace).last and (self.kind == "signal" or self.line % FILE_STEP == place["line"])

    def excuse(self, trace: Json) -> str:
        """Why a run that C allows need not be one of this compiler's program; "" if nothing of the kind is known."""
        if self.torn:
            return f"gcc makes one access at line {self.torn % FILE_STEP} of what the run makes in parts"
        if any(given["kind"] == "padding" or given["name"].endswith(PADDED) for move in trace["moves"] for given in move["inputs"]):
            return "the run depends on bytes between members that the program never set, and gcc copies them, or not, as it likes"
        if trace["eval_order"] != "left":
            return f"the run was found with --eval-order {trace['eval_order']}, and gcc may evaluate in another order"
        return ""


@dataclass(slots=True)
class Prepared:
    """A program ready to run, in a folder of its own."""

    folder: str
    program: str

    @property
    def environment(self) -> dict[str, str]:
        return {"FSOFT_REPLAY": os.path.join(self.folder, "schedule"), "FSOFT_REPLAY_RESULT": os.path.join(self.folder, "result")}

    def run(self, timeout: float) -> Outcome:
        """One execution."""
        Path(self.environment["FSOFT_REPLAY_RESULT"]).unlink(missing_ok=True)
        with undisturbed(starting=True):
            process = subprocess.Popen(
                [self.program], env={**os.environ, **self.environment}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        try:
            output, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            return Outcome("timeout", -1, 0, 0, 0, 0, f"the program runs for more than {timeout:g} s", "")
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
        return self._outcome(output.decode(errors="replace"), process.returncode)

    def _outcome(self, output: str, code: int) -> Outcome:
        try:
            words = Path(self.environment["FSOFT_REPLAY_RESULT"]).read_text(encoding="utf-8", errors="replace").strip().split(" ", 6)
        except FileNotFoundError:
            return Outcome("silent", -1, 0, 0, 0, 0, f"the program ends with code {code} and no failure", output)
        kind, slot, line, done, events, torn, text = words
        return Outcome(kind, int(slot), int(line), int(done), int(events), int(torn), text, output)


def endless(trace: Json) -> str | None:
    """Why no execution can end in what the trace shows, if that is so."""
    if trace["end"].get("kind") != "open":
        return None
    if trace["property"] == "no-data-race":
        return "the accesses follow each other: that nothing orders them (race model c11) shows in no execution"
    return "the property is one of infinite runs: there is no failure to end in"


def prepare(trace: Json, files: list[str], bits: int, folder: str) -> Prepared:
    """Compile the files and write the schedule. The files stand for those of the trace, in that order."""
    sources = [(path, flags_of(entry)) for path, entry in zip(files, trace["files"], strict=True)]
    binary = build(sources, bits, trace["property"], folder, starts_of(trace, files, bits))
    prepared = Prepared(folder, binary.path)
    Path(prepared.environment["FSOFT_REPLAY"]).write_text(Schedule(trace).text(binary), encoding="utf-8")
    return prepared


def flags_of(entry: Json) -> list[str]:
    """The preprocessor flags with which a file of the trace was read."""
    return [f"-{letter}{text}" for letter, key in (("I", "include"), ("U", "undefine"), ("D", "define")) for text in entry[key]]
