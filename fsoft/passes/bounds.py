"""How far to unwind: `--unwind N`, `--unwindset [thread:]loop:n`."""

from __future__ import annotations

from dataclasses import dataclass

from fsoft.analysis.loops import loops
from fsoft.frontend.source import NOWHERE, InputError
from fsoft.program.program import Program, Thread

START = "start"
"""In place of the name of a loop: how often a slot can be started."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """`unwind`: how often a loop runs whose number of rounds constants do not decide. `each`: bounds of single loops, (thread or "",
    loop) to number, whatever constants say. `static`: loops that are known to run more often than this are bounded by `unwind`,
    too; so are all loops of a thread with more than `largest` steps."""

    unwind: int = 2
    each: tuple[tuple[tuple[str, str], int], ...] = ()
    static: int = 256
    largest: int = 50_000

    def __str__(self) -> str:
        each = ",".join(f"{thread}{':' * bool(thread)}{loop}:{count}" for (thread, loop), count in self.each)
        return f"--unwind {self.unwind}" + (f", --unwindset {each}" if each else "")


MOST = 100_000
"""Rounds of a loop that can be asked for."""
_DIGITS = 40
"""Of a number that is read at all."""


class BadBound(InputError, ValueError):
    """A bound or schedule that means nothing; the message is for the user. On the command line it is a wrong option."""

    def __init__(self, what: str):
        super().__init__(NOWHERE, what)

    def __str__(self) -> str:
        return self.what


def read_unwindset(texts: list[str]) -> tuple[tuple[tuple[str, str], int], ...]:
    """`[thread:]loop:n`, several with commas between them."""
    found = []
    for part in (part for text in texts for part in text.split(",")):
        *names, number = part.strip().split(":")
        if not 1 <= len(names) <= 2 or not all(names) or not number.isdecimal():
            raise BadBound(f"'{part}' is no bound of a loop: [thread:]loop:number, with names as --show-loops prints them")
        if len(number) > _DIGITS:
            raise BadBound(f"'{names[-1]}' can be unwound at most {MOST} times, not {number[:_DIGITS]}...")
        found.append(((names[0] if len(names) == 2 else "", names[-1]), int(number)))
    return tuple(found)


class LoopLimits:
    """The bounds for the loops of one program. Names that it does not have are `BadBound`s."""

    def __init__(self, bounds: Bounds, program: Program):
        self.bounds = bounds
        self.each = dict(bounds.each)
        if not 1 <= bounds.unwind <= MOST:
            raise BadBound(f"loops cannot be unwound {bounds.unwind} times: --unwind wants a number from 1 to {MOST}")
        templates = {name: t.template.name for t in program.threads for name in (t.name, str(t.index))}
        homes: dict[str, set[str]] = {START: set(templates.values())}
        for found in loops(program):
            for name in (found.id, _base(found.id)):
                homes.setdefault(name, set()).add(found.template)
        for thread, loop in self.each:
            if thread and thread not in templates:
                raise BadBound(f"--unwindset: no thread '{thread}': one of {', '.join(t.name for t in program.threads)}")
            if loop not in homes:
                raise BadBound(f"--unwindset: no loop '{loop}' (--show-loops lists them)")
            if thread and templates[thread] not in homes[loop]:
                raise BadBound(f"--unwindset: thread '{thread}' has no loop '{loop}' (--show-loops lists the threads of each)")
            if self.each[thread, loop] > MOST:
                raise BadBound(f"--unwindset: '{loop}' can be unwound at most {MOST} times, not {self.each[thread, loop]}")

    def of(self, thread: Thread, loop: str) -> int | None:
        """The bound that the user set for a loop."""
        for who in (thread.name, str(thread.index), ""):
            for name in (loop, _base(loop)):
                if (who, name) in self.each:
                    return self.each[who, name]
        return None

    def starts(self, thread: Thread) -> int:
        """How often a slot can be started."""
        given = self.of(thread, START)
        return self.bounds.unwind if given is None else given


def _base(loop: str) -> str:
    """The name that all copies of a loop share."""
    return loop.partition("'")[0]
