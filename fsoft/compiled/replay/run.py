"""Running the compiled program under a schedule, and comparing what happens with what was predicted."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fsoft.compiled.replay.binary import build
from fsoft.compiled.replay.schedule import FILE_STEP, ReplaySchedule
from fsoft.compiled.replay.starts import starts_of
from fsoft.frontend.source import Source
from fsoft.process.fence import Ended, FenceLimits, fenced
from fsoft.program.program import NO_VALUE, PLACEMENT
from fsoft.trace.schema import Json

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
    "no-handle-misuse": ("free", "access", "signal"),
    "no-data-race": ("race",),
    "no-deadlock": ("deadlock",),
    "valid-memtrack": ("leak",),
}
"""The outcomes of the runtime that show a property to be violated."""


PADDED = ".<padding>"
"""How the names of bytes between members end."""


@dataclass(frozen=True, slots=True)
class ReplayOutcome:
    """What the program did. `kind` is the runtime's word for it, or `timeout`, `limit` or `silent`; `done` of `events` were matched. `torn`
    is a line where gcc makes one access of what the run makes in parts, or 0. `missing`: what the system has no namespaces for."""

    kind: str
    slot: int
    line: int
    done: int
    events: int
    torn: int
    text: str
    output: str
    missing: tuple[str, ...] = ()

    def confirms(self, trace: Json) -> bool:
        """Whether this is the predicted failure: the whole schedule, then a failure of that kind, in that thread, at that line."""
        if self.kind not in SHOWN_BY.get(trace["property"], ()) or self.done < self.events:
            return False
        if trace["end"]["kind"] != "violation":
            return True
        place = trace["end"] if not trace["end"]["file"].startswith("<") else trace["moves"][-1]
        return self.slot == ReplaySchedule(trace).last and (self.kind == "signal" or self.line % FILE_STEP == place["line"])

    def excuse(self, trace: Json) -> str:
        """Why a run that C allows need not be one of this compiler's program; "" if nothing of the kind is known."""
        if self.torn:
            return f"gcc makes one access at line {self.torn % FILE_STEP} of what the run makes in parts"
        if any(given["kind"] == "padding" or given["name"].endswith(PADDED) for move in trace["moves"] for given in move["inputs"]):
            return "the run depends on bytes between members that the program never set, and gcc copies them, or not, as it likes"
        if any(given["name"] == PLACEMENT for move in trace["moves"] for given in move["inputs"]):
            return "the run uses addresses as numbers, and gcc places the objects as it likes"
        if any(given["name"].startswith(NO_VALUE) for move in trace["moves"] for given in move["inputs"]):
            return "the run uses the value of a function that returns none, and gcc finds what is in a register"
        if trace["eval_order"] != "left":
            return f"the run was found with --eval-order {trace['eval_order']}, and gcc may evaluate in another order"
        if any(given.get("library") and given["kind"] in ("input", "among") for move in trace["moves"] for given in move["inputs"]):
            return "the run rests on what functions of the C library may do, and those of this system need not do it"
        return _of_lifetimes(trace)


def _of_lifetimes(trace: Json) -> str:
    """An access to a local variable after its block: gcc keeps its memory until the function returns, and nothing is to be seen."""
    access = trace["end"].get("access")
    if trace["property"] != "valid-deref" or not access:
        return ""
    known = next((obj for obj in trace["objects"] if obj["id"] == access["object"]), None)
    inside = known is not None and 0 <= access["offset"] <= known["size"] - access["size"]
    if known is not None and known["storage"] == "local" and inside:
        return "gcc keeps the memory of a local variable until its function returns, so that an access after its life does not fail"
    return ""


@dataclass(slots=True)
class Prepared:
    """A program ready to run, in a folder of its own."""

    folder: str
    program: str

    @property
    def environment(self) -> dict[str, str]:
        return {"FSOFT_REPLAY": os.path.join(self.folder, "schedule"), "FSOFT_REPLAY_RESULT": os.path.join(self.folder, "result")}

    def run(self, timeout: float) -> ReplayOutcome:
        """One execution, behind the fence."""
        result = Path(self.environment["FSOFT_REPLAY_RESULT"])
        result.unlink(missing_ok=True)
        ended = fenced([self.program], FenceLimits(timeout), {**os.environ, **self.environment}, self.folder)
        output = ended.output.decode(errors="replace")
        if ended.why == "time":
            return _nothing("timeout", f"the program runs for more than {timeout:g} s", output, ended)
        if ended.why:
            return _nothing("limit", f"the program was ended: {_LIMITS[ended.why]}", output, ended)
        told = _word_of(result)
        if told is not None:
            return replace(told, output=output, missing=ended.missing)
        if ended.code == -signal.SIGXFSZ:
            return _nothing("limit", f"the program was ended: it writes more than {FenceLimits(timeout).file >> 20} MB", output, ended)
        return _nothing("silent", f"the program ends with code {ended.code} and no failure", output, ended)


_LIMITS = {"processes": "it starts too many processes", "guard": "it does not end when it is told to"}


def _nothing(kind: str, text: str, output: str, ended: Ended) -> ReplayOutcome:
    return ReplayOutcome(kind, -1, 0, 0, 0, 0, text, output, ended.missing)


def _word_of(path: Path) -> ReplayOutcome | None:
    """What the runtime has written; None if it has not. The program could write there, too: so it is data."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW), "rb") as file:
            words = file.read(1 << 16).decode(errors="replace").strip().split(" ", 6)
        slot, line, done, events, torn = map(int, words[1:6])
        return ReplayOutcome(words[0], slot, line, done, events, torn, words[6], "")
    except (OSError, ValueError, IndexError):
        return None


def prepare(trace: Json, sources: Sequence[Source], bits: int, folder: str) -> Prepared:
    """Compile the files, with the flags that the user gives, and write the schedule. They stand for those of the trace, in that order."""
    binary = build(sources, bits, trace["property"], folder, starts_of(trace, sources, bits))
    prepared = Prepared(folder, binary.path)
    Path(prepared.environment["FSOFT_REPLAY"]).write_text(ReplaySchedule(trace).text(binary), encoding="utf-8")
    return prepared


def source_of(path: str, entry: Json) -> Source:
    """A file read as the trace says: for a trace that is trusted."""
    return Source(path, tuple(entry["include"]), tuple(entry["define"]), tuple(entry["undefine"]))
