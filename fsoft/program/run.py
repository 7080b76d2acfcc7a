"""One run: a random schedule with a seed, or a given one."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fsoft.program.interpreter import Machine, Script
from fsoft.program.state import Choose, Event, Halted, Question, State, Vector
from fsoft.program.verdict import Move


@dataclass(slots=True)
class Run:
    """What happened. `why` says why it stopped: violated, ended, pruned, cut, undefined, finished, deadlock or limit."""

    moves: list[Move] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    state: State = ()
    why: str = "limit"


Pick = Callable[[list[tuple[int, int]], int], tuple[int, int] | None]
"""Chooses one of the enabled (slot, step) pairs; the second argument counts the moves so far. None stops the run."""


def random_values(source: random.Random) -> Choose:
    """Random answers: one of the options, else mostly small numbers."""

    def choose(question: Question, options: Sequence[int] | None) -> int:
        if options is not None:
            return source.choice(options)
        top = 1 << question.width
        return source.choice((0, 1, source.randrange(min(8, top)), source.randrange(top)))

    return choose


def random_run(machine: Machine, seed: int, limit: int = 100_000, inputs: Sequence[int] = ()) -> Run:
    """A run with random choices (the same for the same seed); the first inputs can be given."""
    source = random.Random(seed)
    return _go(machine, lambda enabled, _: source.choice(enabled), list(inputs), random_values(source), limit)


def scheduled_run(machine: Machine, schedule: Sequence[int], inputs: Sequence[int] = (), limit: int = 100_000) -> Run:
    """Move k is made by slot schedule[k], if it can move; after the schedule the lowest slot that can move goes on.

    Questions are answered by `inputs` in order, then by 0.
    """

    def pick(enabled: list[tuple[int, int]], done: int) -> tuple[int, int] | None:
        wanted = [pair for pair in enabled if done < len(schedule) and pair[0] == schedule[done]]
        return (wanted or enabled)[0]

    return _go(machine, pick, list(inputs), None, limit)


def _go(machine: Machine, pick: Pick, inputs: list[int], default: Choose | None, limit: int) -> Run:
    run, v = Run(), machine.layout.initial()
    while len(run.moves) < limit:
        enabled = _enabled(machine, v)
        chosen = pick(enabled, len(run.moves)) if enabled else None
        if chosen is None:
            run.why = _rest(machine, v)
            break
        script = _take(machine, v, chosen, inputs, default, run.events)
        del inputs[: script.used]
        run.moves.append(Move(*chosen, tuple(answer for _, answer in script.asked)))
        if run.events:
            event = run.events[-1]
            run.why = event.kind if isinstance(event, Halted) else "violated"
            break
    run.state = tuple(v)
    return run


def _take(machine: Machine, v: Vector, chosen: tuple[int, int], inputs: list[int], default: Choose | None, events: list[Event]) -> Script:
    """Take a step in place. If an undefined value that it reads blocks it, that value is 0, with which it was found enabled."""
    function, script = machine.function(*chosen), Script(inputs, default)
    if not machine.blocks(*chosen):
        function(v, script, events, [])
        return script
    new = v[:]
    if not function(new, script, events, []):
        new, script = v[:], Script(())
        function(new, script, events, [])
    v[:] = new
    return script


def _enabled(machine: Machine, v: Vector) -> list[tuple[int, int]]:
    found = []
    for slot in machine.movable(v):
        for index in machine.outgoing(slot, v[machine.layout.pc[slot]]):
            guard = machine.guard(slot, index)
            if guard is not None and not guard(v):
                continue
            if not machine.blocks(slot, index) or machine.function(slot, index)(v[:], Script(()), [], []):
                found.append((slot, index))
    return found


def _rest(machine: Machine, v: Vector) -> str:
    """Nobody can move: all finished, a deadlock, or a blocked atomic section, which prunes the run."""
    if machine.holder(v) is not None:
        return "pruned"
    return "finished" if all(machine.finished(v, slot) for slot in range(len(machine.program.threads))) else "deadlock"
