"""A trace as data: every move with its place in C, what it accessed, which values it was given, and how the run ends.

This is what `fsoft check --json` writes and `fsoft replay` reads; `trace.schema.json` is its schema and `docs/json.md` explains it. The
moves are run once more on the definition of the semantics, so nothing here depends on the engine that found them.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fsoft.frontend.inputs import read_file
from fsoft.frontend.source import InputError, Loc
from fsoft.program import descriptor
from fsoft.program.expr import evaluate
from fsoft.program.interpreter import Interpreter, Machine, Script
from fsoft.program.memory import Memory
from fsoft.program.program import Program, Step
from fsoft.program.replay import observe
from fsoft.program.state import DEAD, Access, ChoicePoint, Choose, Event, Layout, State, Vector, Violation
from fsoft.program.verdict import Move, Verdict
from fsoft.properties.deadlocks import Deadlocks, candidates
from fsoft.properties.leaks import unreachable
from fsoft.properties.races import Races
from fsoft.trace.schema import Json
from fsoft.trace.values import in_library, user_loc

SCHEMA = "fsoft-trace/1"


def digest_of(table: Json) -> str:
    """SHA-256 of a trace without its digest: who reads it can tell whether it is as fsoft wrote it."""
    rest = {name: value for name, value in table.items() if name != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()


def hash_of(path: str) -> str:
    """SHA-256 of a file as it is now; "" if it cannot be read, or only once (a pipe)."""
    try:
        return hashlib.sha256(read_file(path)).hexdigest() if os.path.isfile(path) else ""
    except InputError:
        return ""


def place(loc: Loc) -> Json:
    return {"file": loc.file, "line": loc.line, "column": loc.column}


class _Watched(Memory):
    """A memory that remembers the last invalid access, and what was allocated."""

    def __init__(self, layout: Layout):
        super().__init__(layout)
        self.last: tuple[int, int, bool] | None = None
        self.allocated: list[tuple[int, int, Loc]] = []

    def alloc(self, v: Vector, pool: int, size: int, choose: Choose, question: ChoicePoint, zero: bool = False) -> int:
        address = super().alloc(v, pool, size, choose, question, zero)
        if address:
            self.allocated.append((address, size, question.loc))
        return address

    def fault(self, v: Vector, address: int, size: int, write: bool) -> str:
        self.last = (address, size, write)
        return super().fault(v, address, size, write)

    def bad_free(self, v: Vector, address: int) -> str:
        self.last = (address, 0, True)
        return super().bad_free(v, address)


@dataclass(slots=True)
class _Done:
    """A move as it happened."""

    move: Move
    step: Step
    before: State
    after: State
    events: list[Event]
    asked: list[tuple[ChoicePoint, int]]
    log: list[Access]
    allocated: list[tuple[int, int, Loc]]


class Recorder:
    """Runs a trace and puts it into words that JSON has."""

    def __init__(self, program: Program):
        self.program = program
        self.machine = Machine(program, compiled=False)
        self.layout = self.machine.layout
        self._memory = _Watched(self.layout)
        self._interpreter = Interpreter(self.layout, self._memory)
        self._objects: dict[int, None] = {}

    def record(self, moves: Sequence[Move], verdict: Verdict) -> Json:
        """`threads`, `objects`, `moves` and `end` of the JSON object."""
        state = self.machine.initial()
        written: list[Json] = []
        for move in moves:
            done = self._execute(state, move)
            written.append(self._move(done))
            state = done.after
        end = self._end(state, verdict, written[-1]["events"] if written else [])
        threads = [{"slot": t.index, "name": t.name} for t in self.program.threads]
        return {"threads": threads, "objects": [self._object(number) for number in self._objects], "moves": written, "end": end}

    def _execute(self, state: State, move: Move) -> _Done:
        step, script = self.machine.step(move.slot, move.step), Script(move.choices)
        v, events, log = list(state), list[Event](), list[Access]()
        allocated: list[tuple[int, int, Loc]] = []
        self._memory.allocated = allocated
        if not self._interpreter.run(v, move.slot, step, script, events, log):
            raise ValueError(f"step {move.step} of thread {move.slot} is not enabled")
        return _Done(move, step, state, tuple(v), events, script.asked, log, allocated)

    # ------------------------------------------------------------ one move

    def _move(self, done: _Done) -> Json:
        step, slot = done.step, done.move.slot
        entry: Json = {"slot": slot, **place(user_loc(step)), "statement": step.text}
        entry["function"] = self.program.threads[slot].template.locations[step.source].function
        entry["section"] = self._section(slot, step)
        entry["calls"] = [place(loc) for loc in step.calls if not in_library(loc)]
        entry["sync"] = [self._tag(done, tag.kind, tag.operand) for tag in step.tags]
        entry["accesses"] = [self._access(access, step, done) for access in done.log if self._told(access)]
        entry["inputs"] = [self._input(question, value, step) for question, value in done.asked]
        created = self._created(done)
        entry["creates"] = created[0] if created else None
        if len(created) > 1:
            entry["also_creates"] = created[1:]
        entry["allocates"] = self._allocated(done)
        entry["events"] = [self._event(event, step) for event in done.events]
        return entry

    def _section(self, slot: int, step: Step) -> str | None:
        """Whether the move is a whole atomic section of the user, or part of one."""
        locations = self.program.threads[slot].template.locations
        if any(tag.kind == "section" for tag in step.tags):
            return "part" if locations[step.target].atomic else "whole"
        atomic = locations[step.source].atomic
        return "part" if atomic and not in_library(step.loc) else None

    def _told(self, access: Access) -> bool:
        """Thread descriptors are fsoft's own business."""
        return self.program.objects[access.object].storage not in ("system", "function")

    def _tag(self, done: _Done, kind: str, operand: Any) -> Json:
        if operand is None:
            return {"kind": kind}
        address = evaluate(operand, self._interpreter.leaf(done.before, done.move.slot))
        return {"kind": kind, **self._address(address)}

    def _address(self, address: int) -> Json:
        number = address >> self.program.offset_bits
        if not 0 < number < len(self.program.objects):
            return {"object": 0, "offset": address}
        if self.program.objects[number].storage != "system":
            self._objects[number] = None
            return {"object": number, "offset": _signed(address & self.layout.offset_mask, self.program.offset_bits)}
        offset = address & self.layout.offset_mask
        return {"thread": offset // (len(descriptor.FIELDS) * self.program.word // 8)}

    def _access(self, access: Access, step: Step, done: _Done | None) -> Json:
        self._objects[access.object] = None
        loc = user_loc(step) if in_library(access.loc) else access.loc
        entry = {
            "object": access.object,
            "offset": access.offset,
            "size": access.size,
            "write": access.write,
            "atomic": access.sync,
            "library": in_library(access.loc),
            **place(loc),
        }
        if done is not None:
            entry["death"] = self._died(access.object, done)
            address = self.program.address(self.program.objects[access.object], access.offset)
            value = self.layout.cell(done.after, address, access.size)
            if value is not None:
                entry["value"] = value
        return entry

    def _died(self, number: int, done: _Done) -> bool:
        one = self.layout.places[number]
        return one is not None and one.status >= 0 and done.before[one.status] != DEAD and done.after[one.status] == DEAD

    def _input(self, question: ChoicePoint, value: int, step: Step) -> Json:
        loc = question.loc if not in_library(question.loc) else user_loc(step)
        kind = "padding" if question.kind == "input" and question.padding else question.kind
        entry = {"kind": kind, "name": question.name, "width": question.width, "signed": question.signed}
        entry["library"] = in_library(question.loc)
        if question.kind == "alloc":
            return {**entry, "value": value, **self._address(value), **place(loc)}
        if question.kind == "undefined":
            entry.update(self._cell(self._memory.cell_of(question)))
        return {**entry, "value": _signed(value, question.width) if question.signed else value, **place(loc)}

    def _cell(self, index: int) -> Json:
        """The object and the offset of an entry of the state."""
        for one in self.layout.places:
            if one is not None and one.rom is None and one.base <= index < one.base + one.cells.count:
                self._objects[one.object.id] = None
                offset = next(cell.offset for cell in one.cells if cell.number == index - one.base)
                return {"object": one.object.id, "offset": offset}
        raise ValueError(f"no memory at entry {index} of the state")

    def _created(self, done: _Done) -> list[int]:
        """The slots that the move started, in order; several only in an atomic section."""
        found = []
        for slot in range(len(self.program.threads)):
            old, new = (self.layout.descriptor(v, slot, "state") for v in (done.before, done.after))
            if new == descriptor.RUNNING and old != new:
                found.append(slot)
        if len(found) > 1:
            named = [self._address(self.program.address(self.program.objects[a.object], a.offset)).get("thread") for a in done.log]
            found.sort(key=lambda slot: named.index(slot) if slot in named else len(named))
        return found

    def _allocated(self, done: _Done) -> list[Json]:
        """Heap objects that came to life in the move, in order."""
        found = []
        for address, size, loc in done.allocated:
            where = user_loc(done.step) if in_library(loc) else loc
            found.append({"object": self._address(address)["object"], "size": size, "library": in_library(loc), **place(where)})
        return found

    def _event(self, event: Event, step: Step) -> Json:
        where = place(user_loc(step) if in_library(event.loc) else event.loc)
        if isinstance(event, Violation):
            return {"kind": "violation", "property": event.prop, "message": event.message, **where}
        return {"kind": event.kind, "message": event.message, **where}

    def _object(self, number: int) -> Json:
        obj = self.program.objects[number]
        return {"id": obj.id, "name": obj.name, "storage": obj.storage, "size": obj.size, "slot": obj.slot, **place(obj.loc)}

    # ------------------------------------------------------------ how it ends

    def _end(self, state: State, verdict: Verdict, events: list[Json]) -> Json:
        """What a run of the real program must show: `kind` is violation, race, deadlock, leak or open."""
        if any(event["kind"] == "violation" for event in events):
            event = next(event for event in events if event["kind"] == "violation")
            fault = self._memory.last
            extra = {"access": {**self._address(fault[0]), "size": fault[1], "write": fault[2]}} if fault else {}
            return {**event, "kind": "violation", **extra}
        if verdict.prop == "valid-memtrack":
            lost = unreachable(self.layout, state)
            self._objects.update(dict.fromkeys(one.object.id for one in lost))
            return {"kind": "leak", "objects": [one.object.id for one in lost]}
        view = observe(self.machine, state, lambda _question, options: options if options is not None else (0, 1))
        if verdict.prop == "no-data-race" and (pair := Races().pending(view)) is not None:
            return {"kind": "race", "accesses": [{"slot": slot, **self._pending(state, slot, access)} for slot, access in pair]}
        if verdict.prop == "no-deadlock" and (finding := Deadlocks().state(view)) is not None:
            return {"kind": "deadlock", "threads": [self._blocked(state, slot) for slot in finding.slots]}
        return {"kind": "open"}

    def _pending(self, state: State, slot: int, access: Access) -> Json:
        """The access of a race, with the step that is about to make it."""
        for step in candidates(self.machine, state, slot):
            calls = [place(loc) for loc in step.calls if not in_library(loc)]
            own = self._access(access, step, None)
            return {**own, "statement": step.text, "section": self._section(slot, step), "calls": calls}
        return self._access(access, Step(0, self.program.threads[slot].template.steps[0].guard, (), 0), None)

    def _blocked(self, state: State, slot: int) -> Json:
        steps = candidates(self.machine, state, slot)
        if not steps:
            return {"slot": slot}
        tags = [{"kind": tag.kind} for tag in steps[0].tags]
        return {"slot": slot, **place(user_loc(steps[0])), "statement": steps[0].text, "sync": tags}


def _signed(value: int, width: int) -> int:
    return value - (1 << width) if width > 1 and value >> (width - 1) else value


def record_trace(program: Program, verdict: Verdict) -> Json:
    """The run behind a FALSE."""
    return Recorder(program).record(verdict.trace, verdict)
