"""A run of the compiled program as a person reads it: statements by threads, with what they read, write and wait for."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from fsoft.compiled.places import AddressBook, CodePlace
from fsoft.compiled.results import ATOMIC, READS, WRITES, Operation, RawFinding, Side
from fsoft.program.program import Program, Template, Thread
from fsoft.trace.statements import Actor, Point, ThreadStatement, ThreadStory
from fsoft.trace.story import Line, Story
from fsoft.trace.values import Sources

DOES = {
    "create": "creates a thread", "join": "joins", "detach": "detaches", "exit": "ends", "lock": "locks {}", "trylock": "tries {}",
    "unlock": "unlocks {}", "rdlock": "locks {} for reading", "wrlock": "locks {} for writing", "rwunlock": "unlocks {}",
    "wait": "waits on {}", "wake": "wakes up from {}", "signal": "signals {}", "broadcast": "wakes all of {}", "semwait": "takes {}",
    "post": "posts {}", "barrier": "at barrier {}", "once": "once {}", "init": "initialises {}", "destroy": "destroys {}",
    "free": "frees memory", "section": "begins an atomic section", "yield": "gives way", "cancel": "cancels",
    "outside": "waits for outside", "input": "is given an input", "start": "starts", "fence": "a fence",
}  # fmt: skip
TITLES = {
    "race": "data race", "deadlock": "deadlock", "assertion": "assertion", "error": "error function", "abort": "abort", "crash": "crash",
    "misuse": "misuse of a lock", "access": "invalid access", "free": "invalid free", "leak": "leak", "undefined": "undefined behaviour",
    "hang": "hang",
}  # fmt: skip
_HIDDEN = frozenset({"create", "exit", "start"})


def happens(raw: RawFinding, book: AddressBook) -> str:
    """One sentence about a finding; addresses in it become places."""
    if raw.kind == "race" and len(raw.sides) == 2:
        first, second = raw.sides
        name = book.name(second.address)
        where = f" '{name}'" if name else ""
        return f"{_side(first, book)} and {_side(second, book)} access the same memory{where} at the same time"
    return re.sub(r"@0x([0-9a-f]+)", lambda found: str(book.place(int(found[1], 16))), raw.text)


def _side(side: Side, book: AddressBook) -> str:
    how = "writes" if side.how & WRITES else "reads"
    atomic = " atomically" if side.how & ATOMIC else ""
    return f"thread {side.thread}, which {how}{atomic} {side.size} bytes at {book.users_place(side.pc, side.frames)},"


def stack_of(side: Side, book: AddressBook) -> list[CodePlace]:
    """Where a thread is: its place, then its callers."""
    return [book.place(side.pc), *(book.place(frame) for frame in side.frames if book.place(frame).loc.line)]


def names_of(steps: Sequence[Operation], book: AddressBook) -> dict[int, str]:
    """The threads by number: main, and the functions that the others start with."""
    found = {0: "main"}
    for step in steps:
        if step.kind == "start":
            found.setdefault(step.thread, book.place(step.address + 1).function.partition("(")[0] or f"thread {step.thread}")
        found.setdefault(step.thread, f"thread {step.thread}")
    return found


def story_of(steps: Sequence[Operation], raw: RawFinding, book: AddressBook) -> Story:
    """The run in the form of the traces of `fsoft check`."""
    book.learn([step.pc for step in steps] + [step.address + 1 for step in steps if step.kind == "start"])
    names = names_of(steps, book)
    threads = [Thread(k, names.get(k, f"thread {k}"), Template(names.get(k, ""))) for k in range(max(names) + 1)]
    sources, lines = Sources(), list[Line]()
    for number, step in enumerate(steps):
        place = book.place(step.pc)
        if step.kind == "start" or not place.loc.line:
            continue
        line = lines[-1] if lines else None
        if line is None or (line.slot, line.loc) != (step.thread, place.loc):
            line = Line(step.thread, place.loc, sources.line(place.loc), matters=1, first=number, last=number)
            lines.append(line)
        line.last = number
        _add(line, step, book)
    _mark_switches(lines)
    for side in raw.sides:
        place = book.place(side.pc)
        last = next((line for line in reversed(lines) if line.slot == side.thread), None)
        if raw.kind == "race":
            lines.append(Line(side.thread, place.loc, sources.line(place.loc), pending=True, matters=0, does=[_about_to(side, book)]))
        elif last is not None:
            last.matters = 0
    return Story(Program(raw.prop, 64, 32, threads), [], lines)


def _about_to(side: Side, book: AddressBook) -> str:
    name = book.name(side.address) or f"{side.address:#x}"
    return f"is about to {'write' if side.how & WRITES else 'read'} {name}"


def _add(line: Line, step: Operation, book: AddressBook) -> None:
    name = book.name(step.address) or (f"{step.address:#x}" if step.address else "")
    if step.kind != "access":
        line.does.append(DOES.get(step.kind, step.kind).format(name).strip())
        return
    before, after = _number(step.before, step.size), _number(step.after, step.size)
    if step.how & WRITES:
        old = line.changes.get(name, (before, ""))[0]
        line.changes[name] = (old, after)
        line.shared.add(name)
    elif step.how & READS and name not in line.changes:
        line.reads[name] = before


def _number(value: int, size: int) -> str:
    if size not in (1, 2, 4, 8):
        return "..."
    sign = 1 << (8 * size - 1)
    number = (value & (2 * sign - 1)) - (2 * sign if value & sign else 0)
    return hex(value) if size == 8 and abs(number) > 1 << 32 else str(number)


def _mark_switches(lines: Sequence[Line]) -> None:
    for line, after in itertools.pairwise(lines):
        if line.slot != after.slot:
            line.stop = "others go on"


def run_of(story: Story, raw: RawFinding, book: AddressBook) -> ThreadStory:
    """The same for reports that tools read."""
    functions: dict[tuple[int, object], str] = {}
    statements = [
        ThreadStatement(
            line.slot,
            line.slot,
            line.loc,
            functions.get((line.slot, line.loc), ""),
            line.text,
            changes=dict(line.changes),
            notes=list(line.does),
        )
        for line in story.lines
        if not line.pending
    ]
    actors = [Actor(thread.index, thread.index, thread.name, None if not thread.index else 0) for thread in story.program.threads]
    points = [Point(side.thread, book.place(side.pc).loc, book.place(side.pc).function, _point(raw, side, book)) for side in raw.sides]
    return ThreadStory(statements, actors, points, book.name(raw.sides[0].address) if raw.kind == "race" else "")


def _point(raw: RawFinding, side: Side, book: AddressBook) -> str:
    return _about_to(side, book) if raw.kind == "race" else TITLES[raw.kind]


__all__ = ["DOES", "TITLES", "happens", "run_of", "stack_of", "story_of"]
