"""Guided runs: a search for one violation in programs with too many states to see them all.

A walk takes one step after the other from the start. Who moves is decided by a strategy, ties by a generator with a fixed seed, so that
the same program always gives the same answer. The strategies are what bugs of concurrency usually need:

| strategy | who moves |
|---|---|
| gather | whoever holds least; nobody gives anything back while someone else can move: circles of locks, semaphores that run out |
| abreast | who has moved least, and nobody gives anything back: the same for threads that all do the same |
| hasty | who is about to signal, post or release goes first: signals that nobody waits for yet |
| ranks | the thread of highest rank, where at a few random moments the highest falls to the bottom (Burckhardt, Kothari, Musuvathi and
  Nagarakatte, "A randomized scheduler with probabilistic guarantees of finding bugs", ASPLOS 2010, section 3) |
| any | anybody |
| late | who moved last, but threads of one start routine only when no other can: what shows after many others have done their work |

Spurious wake-ups and time-outs, which only undo what others wait for, come last but in `any`.

Walks use the explorer's machine, its local locations (where a thread moves alone) and its monitors. They prove nothing. What they
find is a trace, which is replayed as any other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from fsoft.program.program import Step
from fsoft.program.replay import Finding, View
from fsoft.program.state import Access, Event, Halted, Vector, Violation
from fsoft.program.verdict import Move

if TYPE_CHECKING:
    from fsoft.checkers.explicit.search import Explorer

_TAKES = frozenset({"acquire", "rdlock", "wrlock", "semwait", "once"})
_GIVES = frozenset({"release", "rwunlock", "post", "signal", "broadcast", "exit"})
_UNDO = frozenset({"spurious", "timeout"})
_LONGEST = 1500  # steps of a walk
_FALLS = 3  # moments at which the thread of highest rank falls
STRATEGIES = ("gather", "ranks", "abreast", "ranks", "hasty", "any", "late")  # in this order, again and again

HunterFound = tuple[Finding, list[Move]]


class _Next(NamedTuple):
    """A step that can be taken, and where it leads."""

    move: Move
    after: Vector


@dataclass(slots=True)
class _Walk:
    """What a strategy knows: how often each slot has moved, how much it holds, its rank, when ranks fall, and who is late."""

    strategy: str
    chance: Random
    moved: list[int]
    holds: list[int]
    rank: list[int]
    falls: set[int]
    late: frozenset[int]
    path: list[Move] = field(default_factory=list)


class Hunter:
    """Walks of one explorer."""

    def __init__(self, explorer: Explorer):
        self.explorer = explorer
        self.seen = 0  # states looked at, over all hunts
        self._weights: dict[tuple[int, int], tuple[bool, int]] = {}

    def hunt(self, budget: int, seed: int) -> HunterFound | None:
        """Walk until something is found or `budget` states have been looked at."""
        limit, number = self.seen + budget, 0
        while self.seen < limit:
            self.explorer._look_at_the_clock(self.explorer._started)
            walk = self._start(STRATEGIES[number % len(STRATEGIES)], Random(seed * 1_000_003 + number))
            found = self._walk(walk, limit)
            if found is not None:
                return found
            number += 1
        return None

    def _start(self, strategy: str, chance: Random) -> _Walk:
        slots = len(self.explorer.program.threads)
        rank = list(range(slots))
        chance.shuffle(rank)
        falls = {chance.randrange(1, 16 * slots) for _ in range(_FALLS)} if strategy == "ranks" else set()
        late = self._alike(chance) if strategy == "late" else frozenset()
        return _Walk(strategy, chance, [0] * slots, [0] * slots, rank, falls, late)

    def _alike(self, chance: Random) -> frozenset[int]:
        """The slots of one start routine."""
        template = chance.choice(self.explorer.program.templates())
        return frozenset(thread.index for thread in self.explorer.program.threads if thread.template is template)

    def _walk(self, walk: _Walk, limit: int) -> HunterFound | None:
        v = self.explorer.layout.initial()
        while len(walk.path) < _LONGEST and self.seen < limit:
            self.seen += 1
            found, options = self._look(v, walk.path)
            if found is not None or not options:
                return found
            chosen = self._choose(walk, options)
            walk.path.append(chosen.move)
            v = chosen.after
        return None

    def runs(self, count: int, longest: int) -> list[list[Vector]]:
        """The states of some runs, where anybody moves: the same ones each time."""
        return [self._states(self._start("any", Random(number)), longest) for number in range(count)]

    def _states(self, walk: _Walk, longest: int) -> list[Vector]:
        states = [self.explorer.layout.initial()]
        while len(states) < longest:
            found, options = self._look(states[-1], [])
            if found is not None or not options:
                break
            states.append(self._choose(walk, options).after)
        return states

    # ------------------------------------------------------------ one state

    def _look(self, v: Vector, path: list[Move]) -> tuple[HunterFound | None, list[_Next]]:
        """What is wrong in a state or in a step from it; else the steps that can be taken."""
        explorer = self.explorer
        explorer._current = v
        holder = explorer.machine.holder(v)
        slots = explorer.order if holder is None else [holder]
        alone = explorer._alone(v, slots) if explorer.reduce else None
        view, options = View(explorer.machine, v), list[_Next]()
        for slot in slots if alone is None else [alone]:
            log: list[Access] = []
            for index, finding in self._steps(v, slot, log, view, options):
                return (finding, [*path, index]), []
            view.accesses[slot] = log
        if alone is None and explorer.monitors:
            if explorer.logging and len(view.accesses) < len(explorer.program.threads):
                explorer._waiting_accesses(view)
            for monitor in explorer.monitors:
                found = monitor.state(view)
                if found is not None:
                    return (found, list(path)), []
        return None, options

    def _steps(self, v: Vector, slot: int, log: list[Access], view: View, options: list[_Next]) -> list[tuple[Move, Finding]]:
        """Take every step of a slot; the first that violates what was asked. Steps that stop their thread are not followed."""
        explorer, chooser, events = self.explorer, self.explorer.chooser, list[Event]()
        for move in explorer._moves_at(slot, v[explorer.layout.pc[slot]]):
            if move.guard is not None and not move.guard(v):
                continue
            chooser.reset()
            enabled = False
            while True:
                new, logged = v[:], len(log)
                if not move.function(new, chooser, events, log):
                    del log[logged:]
                else:
                    enabled = True
                    taken = Move(slot, move.number, chooser.values())
                    for event in events:
                        if isinstance(event, Violation) and event.prop in explorer.props:
                            return [(taken, Finding(event.prop, event.message, event.loc))]
                    if not any(isinstance(event, (Halted, Violation)) for event in events):
                        options.append(_Next(taken, new))
                    events.clear()
                if not chooser.picks or not chooser.advance():
                    break
            if enabled:
                view.enabled.append((slot, move.number))
        return []

    # ------------------------------------------------------------ who moves

    def _choose(self, walk: _Walk, options: list[_Next]) -> _Next:
        if walk.strategy != "any":
            options = [one for one in options if not self._idle(one.move)] or options
        best = min(self._key(walk, one.move) for one in options) if walk.strategy != "any" else ()
        chosen = walk.chance.choice([one for one in options if walk.strategy == "any" or self._key(walk, one.move) == best])
        slot = chosen.move.slot
        walk.moved[slot] += 1
        walk.holds[slot] += self._weight(chosen.move)[1]
        if len(walk.path) in walk.falls:
            walk.rank[slot] = -len(walk.path)
        return chosen

    def _key(self, walk: _Walk, move: Move) -> tuple[int, ...]:
        gives, _ = self._weight(move)
        if walk.strategy == "gather":
            return (gives, walk.holds[move.slot])
        if walk.strategy == "abreast":
            return (gives, walk.moved[move.slot])
        if walk.strategy == "hasty":
            return (not gives,)
        if walk.strategy == "late":
            return (move.slot in walk.late, bool(walk.path) and move.slot != walk.path[-1].slot)
        return (-walk.rank[move.slot],)

    def _idle(self, move: Move) -> bool:
        """A spurious wake-up or a time-out: it only undoes a wait."""
        return any(tag.kind in _UNDO for tag in self.explorer.machine.step(move.slot, move.step).tags)

    def _weight(self, move: Move) -> tuple[bool, int]:
        """Whether a step gives something back, and by how much what its thread holds changes."""
        key = (move.slot, move.step)
        known = self._weights.get(key)
        if known is None:
            known = self._weights[key] = _weight_of(self.explorer.machine.step(move.slot, move.step))
        return known


def _weight_of(step: Step) -> tuple[bool, int]:
    kinds = [tag.kind for tag in step.tags]
    takes, gives = sum(kind in _TAKES for kind in kinds), sum(kind in _GIVES for kind in kinds)
    return gives > takes, takes - gives
