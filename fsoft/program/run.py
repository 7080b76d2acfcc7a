"""One run: a random schedule with a seed, or a given one; and the schedule that makes a known run happen again."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from fsoft.program.inputs import Sampler
from fsoft.program.interpreter import Machine, Script
from fsoft.program.replay import Finding, Monitor, observe, play
from fsoft.program.state import OVER, ChoicePoint, Choose, Event, Halted, State, Vector
from fsoft.program.verdict import Move


@dataclass(slots=True)
class Run:
    """What happened. `why` says why it stopped: violated, ended, pruned, cut, undefined, finished, deadlock or limit. `finding` is
    what a monitor saw."""

    moves: list[Move] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    state: State = ()
    why: str = "limit"
    finding: Finding | None = None


class Turn(NamedTuple):
    """A thread's turn in a schedule. `way` 0: it takes the first step that it can; k: the k-th of those whose guard holds."""

    slot: int
    way: int = 0


class NoSuchMove(ValueError):
    """A schedule asks for a move that cannot be made."""


Pick = Callable[[list[tuple[int, int]], int, Vector], tuple[int, int] | None]
"""Chooses one of the enabled (slot, step) pairs; the second argument counts the moves so far. None stops the run."""


def random_values(source: random.Random) -> Choose:
    """Random answers: one of the options, else mostly small numbers."""

    def choose(question: ChoicePoint, options: Sequence[int] | None) -> int:
        if options is not None:
            return source.choice(options)
        top = 1 << question.width
        return source.choice((0, 1, source.randrange(min(8, top)), source.randrange(top)))

    return choose


def random_run(machine: Machine, seed: int, limit: int = 100_000, inputs: Sequence[int] = (), monitors: Sequence[Monitor] = ()) -> Run:
    """A run with random choices (the same for the same seed); the first inputs can be given."""
    source = random.Random(seed)
    pick: Pick = lambda enabled, _done, _v: source.choice(enabled)  # noqa: E731
    return _go(machine, pick, list(inputs), random_values(source), limit, _Watch(machine, monitors))


def scheduled_run(machine: Machine, schedule: Sequence[int | Turn], inputs: Sequence[int] = (), limit: int = 100_000,
                  monitors: Sequence[Monitor] = ()) -> Run:  # fmt: skip
    """Move k is made by slot schedule[k], if it can move; after the schedule the lowest slot that can move goes on.

    Questions are answered by `inputs` in order, then by 0. The monitors look at the states from the end of the schedule on.
    """
    turns = [turn if isinstance(turn, Turn) else Turn(turn) for turn in schedule]

    def pick(enabled: list[tuple[int, int]], done: int, v: Vector) -> tuple[int, int] | None:
        if done >= len(turns):
            return enabled[0] if enabled else None
        slot, way = turns[done]
        if way:
            ways = _ways(machine, v, slot)
            if way > len(ways):
                raise NoSuchMove(f"move {done + 1}: thread {slot} has no step {way} there")
            return slot, ways[way - 1]
        return next((pair for pair in enabled if pair[0] == slot), enabled[0] if enabled else None)

    return _go(machine, pick, list(inputs), None, limit, _Watch(machine, monitors, len(turns)))


def turns_of(machine: Machine, moves: Sequence[Move]) -> list[Turn]:
    """The schedule with which `scheduled_run` makes these moves, given their choices one after the other as inputs."""
    turns = []
    for one in play(machine, moves):
        v, slot, step = list(one.before), one.move.slot, one.move.step
        first = next((index for who, index in _enabled(machine, v, slot) if who == slot), None)
        turns.append(Turn(slot) if first == step else Turn(slot, 1 + _ways(machine, v, slot).index(step)))
    return turns


class _Watch:
    """Shows states to monitors, from a number of moves on."""

    def __init__(self, machine: Machine, monitors: Sequence[Monitor], since: int = 0):
        self.machine, self.monitors, self.since = machine, monitors, since
        self.domain = Sampler(machine.program)

    def state(self, v: Vector, moves: list[Move]) -> Finding | None:
        if not self.monitors or len(moves) < self.since:
            return None
        view = observe(self.machine, tuple(v), self.domain, moves)
        return next((found for monitor in self.monitors if (found := monitor.state(view)) is not None), None)

    def end(self, v: Vector, slot: int) -> Finding | None:
        return next((found for monitor in self.monitors if (found := monitor.end(self.machine, v, slot)) is not None), None)


def _go(machine: Machine, pick: Pick, inputs: list[int], default: Choose | None, limit: int, watch: _Watch) -> Run:
    run, v = Run(), machine.layout.initial()
    while True:
        run.finding = watch.state(v, run.moves)
        if run.finding is not None:
            run.why = "violated"
            break
        if len(run.moves) >= limit:
            break
        enabled = _enabled(machine, v)
        chosen = pick(enabled, len(run.moves), v) if enabled or len(run.moves) < watch.since else None
        if chosen is None:
            run.why = _rest(machine, v)
            break
        script = _take(machine, v, chosen, inputs, default, run.events)
        del inputs[: script.used]
        run.moves.append(Move(*chosen, tuple(answer for _, answer in script.asked)))
        if run.events:
            event = run.events[-1]
            if isinstance(event, Halted) and len(run.moves) < watch.since and not v[OVER]:
                continue  # the thread has stopped; the schedule lets others go on
            run.why = event.kind if isinstance(event, Halted) else "violated"
            if run.why == "ended":
                run.finding = watch.end(v, chosen[0])
                run.why = "ended" if run.finding is None else "violated"
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
        if not function(new, script, events, []):
            raise NoSuchMove(f"thread {chosen[0]} is blocked where it is to take another step")
    v[:] = new
    return script


def _ways(machine: Machine, v: Vector, slot: int) -> list[int]:
    """The steps of a slot whose guard holds, blocked or not."""
    guards = [(index, machine.guard(slot, index)) for index in machine.outgoing(slot, v[machine.layout.pc[slot]])]
    return [index for index, guard in guards if guard is None or guard(v)]


def _enabled(machine: Machine, v: Vector, only: int | None = None) -> list[tuple[int, int]]:
    found = []
    for slot in machine.movable(v) if only is None else [only]:
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
