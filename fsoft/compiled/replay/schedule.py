"""From a trace to the schedule file that the runtime reads: the visible events in their order, the inputs of each thread, how it ends.

An event is an access, a synchronisation call, a creation, the entry of an atomic section. The runtime matches what the compiled program
does with these by thread, line, kind and place (`runtime/turns.c`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from fsoft.compiled.replay.arguments import ARGC, string_objects
from fsoft.compiled.replay.binary import Binary
from fsoft.compiled.replay.starts import MISSING
from fsoft.trace.schema import Json

PRIMARY = (
    "acquire", "release", "try", "rdlock", "wrlock", "rwunlock", "wait", "wake", "signal", "broadcast", "semwait", "post",
    "arrive", "barrier", "once", "init", "destroy", "join", "detach", "cancel",
)  # fmt: skip
_INSIDE = {"wait": "release", "wake": "acquire"}  # what a call does besides
PENDING, SPURIOUS, TIMEOUT = 1, 2, 4  # as in runtime.h
READS, WRITES = 1, 2
FILE_STEP = 1_000_000
"""Lines are numbered file by file: `FILE_STEP * file + line`."""
MOST_THREADS = 256  # as in runtime.h


@dataclass(slots=True)
class ScheduleEvent:
    """`how`: READS and WRITES. `detail`: the thread that is created, joined or woken. `pokes`: undefined memory as (object, offset,
    size, value)."""

    slot: int
    kind: str
    object: int = -1
    offset: int = 0
    size: int = 0
    how: int = 0
    line: int = 0
    flags: int = 0
    detail: int = -1
    pokes: list[tuple[int, int, int, int]] = field(default_factory=list)

    def text(self) -> list[str]:
        parts = (self.slot, self.kind, self.object, self.offset, self.size, self.how, self.line, self.flags, self.detail)
        return [f"event {' '.join(map(str, parts))}", *(f"poke {o} {at} {size} {value:x}" for o, at, size, value in self.pokes)]


def _shared(trace: Json) -> set[int]:
    """The objects that must be found in the program: several threads access them, they are read while undefined, or the end names
    them."""
    users: dict[int, set[int]] = {}
    wanted = {trace["end"].get("access", {}).get("object", -1)}
    for move in trace["moves"]:
        wanted |= {given["object"] for given in move["inputs"] if given["kind"] == "undefined"}
        for access in move["accesses"]:
            users.setdefault(access["object"], set()).add(move["slot"])
    for access in trace["end"].get("accesses", []):
        users.setdefault(access["object"], set()).add(access["slot"])
    return wanted | {number for number, slots in users.items() if len(slots) > 1}


def _word(name: str) -> str:
    """A name as one word of a line."""
    return re.sub(r"[^!-~]", "_", name)[:50]


class ReplaySchedule:
    """The events of a trace, and what goes with them."""

    def __init__(self, trace: Json):
        self.trace = trace
        self.events: list[ScheduleEvent] = []
        self.inputs: list[str] = []
        self.allocations: list[str] = []
        self.creations: list[str] = []  # inside atomic sections
        self._files: dict[str, int] = {}
        self._threads = {0: 0}  # which thread a slot runs now: a slot that is taken again counts as another thread
        self._used: set[int] = {0, *range(len(trace.get("starts", [])))}
        self._flags: dict[int, int] = {}
        self._open: dict[int, bool] = {}
        self._local = {o["id"] for o in trace["objects"] if o["storage"] not in ("heap", "global", "static")}
        self._arguments = string_objects(trace)
        self._private = self._local - _shared(trace)
        for move in trace["moves"]:
            self._move(move)
        if trace["end"]["kind"] == "race":
            for access in trace["end"]["accesses"]:
                self.events += self._accesses(self._thread(access["slot"]), [access], PENDING)

    @property
    def last(self) -> int:
        """The thread of the last move."""
        return self._thread(self.trace["moves"][-1]["slot"]) if self.trace["moves"] else 0

    @property
    def most(self) -> int:
        """The largest number that a thread has."""
        return max(self._used)

    def _thread(self, slot: int) -> int:
        return self._threads.get(slot, slot)

    def _start(self, slot: int) -> int:
        """The thread that a slot runs from now on."""
        number = slot if slot not in self._used else max(*self._used, len(self.trace["threads"]) - 1) + 1
        self._used.add(number)
        self._threads[slot] = number
        return number

    def line(self, place: Json) -> int:
        """The number of a line; 0 for none."""
        if place.get("line", 0) <= 0:
            return 0
        return self.number(place["file"], place["line"])

    def number(self, file: str, line: int) -> int:
        return FILE_STEP * self._files.setdefault(os.path.basename(file), len(self._files)) + line

    # ------------------------------------------------------------ moves

    def _move(self, move: Json) -> None:
        slot, tags = self._thread(move["slot"]), [tag["kind"] for tag in move["sync"]]
        self._flags[slot] = self._flags.get(slot, 0) | (SPURIOUS if "spurious" in tags else 0) | (TIMEOUT if "timeout" in tags else 0)
        self._given(move)
        if move["section"]:
            if move["section"] == "whole" or not self._open.get(slot):
                self.events.append(ScheduleEvent(slot, "section"))
            if move["creates"] is not None:
                numbers = map(self._start, [move["creates"], *move.get("also_creates", [])])
                self.creations += [f"creates {slot} {number}" for number in numbers]
            self._open[slot] = move["section"] == "part"
            return
        self._open[slot] = False
        made = [*self._allocations(move), *self._calls(move), *(self._accesses(slot, move["accesses"]) if move["creates"] is None else [])]
        if self._ends(move) and not any(event.kind == "exit" for event in made):
            made.append(ScheduleEvent(slot, "exit"))
        for poke in self._undefined(move):
            if made:
                made[-1].pokes.append(poke)
        self.events += made

    def _given(self, move: Json) -> None:
        """Inputs and allocations: each thread takes its own in order."""
        slot = self._thread(move["slot"])
        for given in move["inputs"]:
            if given["kind"] == "input" and given["name"] != ARGC and not given["name"].startswith(MISSING):
                value = given["value"] & ((1 << given["width"]) - 1)
                line, origin = (0, "library:") if given["library"] else (self.line(given), "")
                self.inputs.append(f"input {slot} {line} {value:x} {origin}{_word(given['name'])}")
        for allocated in move["allocates"]:
            line = 0 if allocated["library"] else self.line(allocated)
            self.allocations.append(f"alloc {slot} {line} {allocated['object']} {allocated['size']}")

    def _undefined(self, move: Json) -> Iterable[tuple[int, int, int, int]]:
        for given in move["inputs"]:
            if given["kind"] == "undefined" and given["object"] not in self._arguments:  # they are there from the start
                yield given["object"], given["offset"], given["width"] // 8, given["value"] & ((1 << given["width"]) - 1)

    def _calls(self, move: Json) -> list[ScheduleEvent]:
        slot, line = self._thread(move["slot"]), self.line(move)
        if move["creates"] is not None:
            return [ScheduleEvent(slot, "create", line=line, detail=self._start(move["creates"]))]
        kinds = [tag["kind"] for tag in move["sync"]]
        if "exit" in kinds:
            return [ScheduleEvent(slot, "exit")]
        inside = {_INSIDE[kind] for kind in kinds if kind in _INSIDE}
        made = []
        for tag in move["sync"]:
            if tag["kind"] in PRIMARY and tag["kind"] not in inside:
                made.append(self._call(slot, line, tag, move))
        return made

    def _ends(self, move: Json) -> bool:
        """Whether the process ends with the move, where it matters when that is."""
        return self.trace["end"]["kind"] == "leak" and any(event["kind"] == "ended" for event in move["events"])

    def _allocations(self, move: Json) -> list[ScheduleEvent]:
        """Allocations are events where the end tells what is lost: the process must not end before them."""
        if self.trace["end"]["kind"] != "leak":
            return []
        slot = self._thread(move["slot"])
        return [ScheduleEvent(slot, "alloc", line=0 if a["library"] else self.line(a)) for a in move["allocates"]]

    def _call(self, slot: int, line: int, tag: Json, move: Json) -> ScheduleEvent:
        chosen = [given["value"] for given in move["inputs"] if given["kind"] == "among"]
        detail = self._thread(tag.get("thread", chosen[0] if chosen else -1))
        event = ScheduleEvent(slot, tag["kind"], tag.get("object", -1) or -1, tag.get("offset", 0), 1, READS | WRITES, line, detail=detail)
        if tag["kind"] in ("wake", "try", "acquire"):
            event.flags, self._flags[slot] = self._flags.get(slot, 0), 0
        return event

    def _accesses(self, slot: int, accesses: list[Json], flags: int = 0) -> list[ScheduleEvent]:
        """Accesses of user code and of library functions that read or write the user's data. An atomic update is one event."""
        made: list[ScheduleEvent] = []
        for access in accesses:
            if (access["library"] and access["atomic"]) or access["object"] in self._private:
                continue
            place = (access["object"], access["offset"], access["size"])
            how, line = WRITES if access["write"] else READS, self.line(access)
            if access.get("death"):
                if access["object"] not in self._local:
                    made.append(ScheduleEvent(slot, "free", *place, WRITES, line, flags))
                continue
            last = made[-1] if made else None
            same = last and (last.object, last.offset, last.size, last.line, last.how) == (*place, line, READS)
            if last and same and access["atomic"] and access["write"]:
                last.how = READS | WRITES
                continue
            made.append(ScheduleEvent(slot, "access", *place, how, line, flags))
        return made

    # ------------------------------------------------------------ the file

    def text(self, binary: Binary) -> str:
        """The file, for a program whose addresses are known."""
        lines = [f"line {address:x} {self.number(file, line)}" for address, file, line in binary.lines]
        lines += [f"function {start:x} {end:x} {kind}" for start, end, kind in binary.functions]
        lines += [f"static {address:x} {size}" for address, size in binary.static]
        for obj in self.trace["objects"]:
            lines.append(f"object {obj['id']} {binary.address(obj['name'], obj['storage'], obj['size']):x} {obj['size']}")
        for event in self.events:
            lines += event.text()
        return "\n".join([*lines, *self.inputs, *self.allocations, *self.creations, *self._end()]) + "\n"

    def _end(self) -> list[str]:
        end = self.trace["end"]
        fault = end.get("access", {})
        parts = (
            end["kind"], self.trace["property"], self.last, self.line(end),
            fault.get("object", -1), fault.get("offset", 0),
        )  # fmt: skip
        return [f"end {' '.join(map(str, parts))}", *(f"blocked {self._thread(t['slot'])}" for t in end.get("threads", []))]
