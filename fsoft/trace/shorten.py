"""A simpler run to the same violation: fewer moves, fewer switches between threads.

Four ways to simplify a run, tried again and again until none helps or the work is used up:

- **past**: keep only the moves that the violation depends on (earlier moves of the threads in it, and whoever wrote last what a kept move
  reads); the others happened beside it;
- **rounds**: leave out what a thread does between two visits of the same location (iterations of a loop, vain tries), or all that a
  thread does in one go;
- **order**: let a thread go on as long as its next move does not depend on a move of another thread that comes before it (moves that do not
  depend on each other commute), and bring together moves of a thread that others have interrupted;
- **inputs**: 0 instead of another value.

Every candidate is executed. What follows what is decided by the run itself: a move that is recorded but not possible is replaced by what
the thread can do there, and the run ends as soon as it violates. So what is proposed may be wrong, but what is accepted is a run, with the
violation of the same property at the same place. The result is confirmed by the definition of the semantics (`program/replay.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from fsoft.frontend.source import Loc
from fsoft.program.inputs import Sampler
from fsoft.program.interpreter import Machine, Script
from fsoft.program.locks import lock_lines
from fsoft.program.markers import approximations
from fsoft.program.program import Program
from fsoft.program.replay import Finding, confirm, observe, without_halts
from fsoft.program.state import Event, Halted, State, Violation
from fsoft.program.verdict import InternalError, Move, Verdict
from fsoft.properties import monitors
from fsoft.trace.footprint import Footprints, MoveFootprint

WORK = 20_000
"""Moves that may be executed in the search for a simpler run."""
_LOOK = 20  # what it costs to look for a race or a deadlock in a state, in moves


def shortened(program: Program, verdict: Verdict, work: int = WORK) -> Verdict:
    """A FALSE with a simpler trace, if one is found; its reasons are those of the new trace."""
    if verdict.kind != "FALSE" or not verdict.trace:
        return verdict
    plain, watching, domain = Machine(program, compiled=False), monitors([verdict.prop]), Sampler(program)
    try:
        found = confirm(plain, verdict.trace, Finding(verdict.prop, ""), watching, domain)
        moves = Shortener(program, verdict.trace, found, work).run()
        moves = without_halts(plain, moves)
        again = confirm(plain, moves, found, watching, domain)
    except InternalError:
        return verdict  # the trace of a property that has its own judge
    if again.loc != found.loc or _size(moves) >= _size(verdict.trace) or approximations(plain, moves, found.prop):
        return verdict
    old, new = (_reasons(plain, trace, finding) for trace, finding in ((verdict.trace, found), (moves, again)))
    if verdict.reasons[: len(old)] != old:
        return verdict
    return replace(verdict, trace=moves, reasons=[*new, *verdict.reasons[len(old) :]])


def _reasons(machine: Machine, moves: Sequence[Move], finding: Finding) -> list[str]:
    return [f"{finding.loc}: {finding.message}", *finding.lines, *lock_lines(machine, moves, finding)]


def switches(moves: Sequence[Move]) -> int:
    return sum(one.slot != two.slot for one, two in pairwise(moves))


def _size(moves: Sequence[Move]) -> tuple[int, int, int]:
    """What is to become small: switches and moves together, then switches, then inputs that are not 0."""
    return len(moves) + 2 * switches(moves), switches(moves), sum(value != 0 for move in moves for value in move.choices)


@dataclass(slots=True)
class _Run:
    """A run to the violation, with the states before each move and after the last."""

    moves: list[Move]
    states: list[State]


class _Spent(Exception):
    """The work is used up."""


class Shortener:
    """Looks for simpler runs to one violation."""

    def __init__(self, program: Program, moves: Sequence[Move], finding: Finding, work: int = WORK):
        self.program, self.finding, self.left = program, finding, work
        self.machine = Machine(program, logging=True)
        self.layout = self.machine.layout
        self.footprints = Footprints(self.machine)
        self.monitors = monitors([finding.prop])
        self.domain = Sampler(program)
        self.places: list[tuple[int, int]] | None = None  # where the threads of a violated state are
        self.best = self._replayed(moves)
        final = self.best.states[-1]
        if self.best.moves and not self._hit(self.best.moves[-1], self._events, final):
            self.places = [(slot, final[self.layout.pc[slot]]) for slot in finding.slots]

    def run(self) -> list[Move]:
        """The simplest run that was found."""
        try:
            before = None
            while before != _size(self.best.moves):
                before = _size(self.best.moves)
                for improve in (self._past, self._order, self._rounds, self._past, self._order, self._blocks, self._merge, self._inputs):
                    improve()
        except _Spent:
            pass
        return self.best.moves

    # ------------------------------------------------------------ executing candidates

    def _replayed(self, moves: Sequence[Move]) -> _Run:
        state = self.machine.initial()
        run = _Run(list(moves), [state])
        self._events: list[Event] = []
        for move in moves:
            state, self._events = self.machine.execute(state, move.slot, move.step, Script(move.choices))
            run.states.append(state)
        return run

    def _try(self, candidate: Sequence[Move]) -> bool:
        """Execute a candidate; it becomes the best run if it violates and is simpler."""
        same = 0
        for one, two in zip(candidate, self.best.moves):
            if one != two:
                break
            same += 1
        run = _Run(self.best.moves[:same], self.best.states[: same + 1])
        for move in candidate[same:]:
            taken, events = self._take(run.states[-1], move)
            if taken is None:
                continue  # nothing to do for this thread here
            run.moves.append(taken[0])
            run.states.append(taken[1])
            if self._hit(taken[0], events, taken[1]):
                return self._keep(run)
            if any(not isinstance(event, Halted) for event in events):
                return False
        return self._hit_at_rest(run) and self._keep(run)

    def _keep(self, run: _Run) -> bool:
        if _size(run.moves) >= _size(self.best.moves):
            return False
        self.best = run
        return True

    def _take(self, state: State, move: Move) -> tuple[tuple[Move, State] | None, list[Event]]:
        """The recorded move if it is possible, else what its thread can do."""
        machine, slot = self.machine, move.slot
        if slot not in machine.movable(state):
            return None, []
        outgoing = machine.outgoing(slot, state[self.layout.pc[slot]])
        for step in ([move.step] if move.step in outgoing else []) + [s for s in outgoing if s != move.step]:
            guard = machine.guard(slot, step)
            if guard is not None and not guard(state):
                continue
            self._spend(1)
            v, events, script = list(state), list[Event](), Script(move.choices)
            try:
                done = machine.function(slot, step)(v, script, events, [])
            except ValueError:  # the recorded choice is none here
                v, events, script = list(state), list[Event](), Script(())
                done = machine.function(slot, step)(v, script, events, [])
            if done:
                return (Move(slot, step, tuple(value for _, value in script.asked)), tuple(v)), events
        return None, []

    def _spend(self, work: int) -> None:
        self.left -= work
        if self.left < 0:
            raise _Spent

    def _hit(self, move: Move, events: Iterable[Event], after: State) -> bool:
        """Whether a move violates the property at the place of the finding."""
        wanted = (self.finding.prop, self.finding.message, self.finding.loc)
        if any(isinstance(e, Violation) and (e.prop, e.message, e.loc) == wanted for e in events):
            return True
        if any(isinstance(e, Halted) and e.kind == "ended" for e in events):
            return any(self._same(monitor.end(self.machine, after, move.slot)) for monitor in self.monitors)
        if self.places is None or any(after[self.layout.pc[slot]] != at for slot, at in self.places):
            return False
        return self._violated(after)

    def _violated(self, state: State) -> bool:
        self._spend(_LOOK)
        view = observe(self.machine, state, self.domain)
        return any(self._same(monitor.state(view)) for monitor in self.monitors)

    def _hit_at_rest(self, run: _Run) -> bool:
        return self.places is not None and self._violated(run.states[-1])

    def _same(self, found: Finding | None) -> bool:
        return found is not None and _place(found) == _place(self.finding)

    # ------------------------------------------------------------ the ways to simplify

    def _marked(self) -> list[MoveFootprint]:
        """The footprints of the moves of the best run."""
        run = self.best
        return [self.footprints.taken(before, move, after) for before, move, after in zip(run.states, run.moves, run.states[1:])]

    def _past(self) -> None:
        """Only what the violation depends on."""
        marks, moves = self._marked(), self.best.moves
        slots = set(self.finding.slots) if self.places else {moves[-1].slot}
        needed = frozenset[int]() if not self.places else self._pending_reads()
        kept, wanted, last = set[int](), set(needed), set(slots)
        for number in range(len(moves) - 1, -1, -1):
            mark = marks[number]
            if moves[number].slot in last or not wanted.isdisjoint(mark.writes):
                kept.add(number)
                last.add(moves[number].slot)
                wanted = (wanted - mark.writes) | mark.reads
        self._try([move for number, move in enumerate(moves) if number in kept])

    def _pending_reads(self) -> frozenset[int]:
        """What the next steps of the threads in a violated state look at: the owners that they wait for."""
        state = self.best.states[-1]
        found: set[int] = set()
        for slot in self.finding.slots:
            for step in self.machine.outgoing(slot, state[self.layout.pc[slot]]):
                for access in self.machine.pending(state, slot, step, self.domain)[1]:
                    place = self.layout.places[access.object]
                    if place is not None and place.rom is None:
                        found.update(range(*self.layout.span_of_object(place)))
        return frozenset(found)

    def _rounds(self) -> None:
        """Leave out what a thread does between two visits of a location: the longest such detours first."""
        for slot in range(len(self.program.threads)):
            at = 0
            while at < len(self.best.moves):
                if self.best.moves[at].slot != slot or not self._detour(slot, at):
                    at += 1

    def _detour(self, slot: int, at: int) -> bool:
        """Leave out a detour that begins with a move."""
        moves, pc = self.best.moves, self.layout.pc[slot]
        here = self.best.states[at][pc]
        mine = [k for k in range(at, len(moves)) if moves[k].slot == slot]
        backs = [n for n, k in enumerate(mine) if n and self.best.states[k][pc] == here]
        for n in dict.fromkeys([*backs[-1:], *backs[-2:-1], *backs[:2]]):
            gone = set(mine[:n])
            if self._try([move for k, move in enumerate(moves) if k not in gone]):
                return True
        return False

    def _blocks(self) -> None:
        """Leave out what a thread does in one go, or all that it still does from there on."""
        number = 0
        while number < len(blocks := blocks_of(self.best.moves)):
            low, high = blocks[len(blocks) - 1 - number]
            moves = self.best.moves
            rest = [move for k, move in enumerate(moves) if k < low or move.slot != moves[low].slot]
            if not (self._try(rest) or self._try(moves[:low] + moves[high:])):
                number += 1

    def _order(self) -> None:
        """The same moves, each thread as long as nothing keeps it: commuting moves that do not depend on each other."""
        moves, marks = self.best.moves, self._marked()
        before = _predecessors(moves, marks)
        for prefer in (_first, _last):
            self._try([moves[k] for k in _linear(moves, before, prefer)])

    def _merge(self) -> None:
        """Bring a thread's block to its block before, or that one to this."""
        number = 0
        while number < len(blocks := blocks_of(self.best.moves)):
            moves, (low, high) = self.best.moves, blocks[number]
            earlier = [b for b in blocks[:number] if moves[b[0]].slot == moves[low].slot]
            if earlier:
                start, end = earlier[-1]
                back = moves[:end] + moves[low:high] + moves[end:low] + moves[high:]
                forth = moves[:start] + moves[end:low] + moves[start:end] + moves[low:]
                if self._try(back) or self._try(forth):
                    number = max(0, number - 1)
                    continue
            number += 1

    def _inputs(self) -> None:
        """0 for every choice that may be 0."""
        for number in range(len(self.best.moves)):
            for place in range(len(self.best.moves[number].choices) if number < len(self.best.moves) else 0):
                moves = list(self.best.moves)
                choices = moves[number].choices
                if place < len(choices) and choices[place]:
                    moves[number] = moves[number]._replace(choices=(*choices[:place], 0, *choices[place + 1 :]))
                    self._try(moves)


def _place(finding: Finding) -> tuple[str, Loc, str]:
    """What must stay the same. A deadlock may come to have fewer threads, so that its message does not count."""
    return finding.prop, finding.loc, "" if finding.prop == "no-deadlock" else finding.message


def blocks_of(moves: Sequence[Move]) -> list[tuple[int, int]]:
    """Maximal ranges of moves of one thread."""
    starts = [k for k, move in enumerate(moves) if k == 0 or moves[k - 1].slot != move.slot]
    return list(zip(starts, [*starts[1:], len(moves)]))


def _predecessors(moves: Sequence[Move], marks: Sequence[MoveFootprint]) -> list[set[int]]:
    """For each move, those of other threads that must come before it: the last to write what it touches, the readers of what it writes."""
    writer: dict[int, int] = {}
    readers: dict[int, list[int]] = {}
    found: list[set[int]] = []
    for number, mark in enumerate(marks):
        mine = {writer[entry] for entry in mark.reads | mark.writes if entry in writer}
        mine.update(k for entry in mark.writes for k in readers.get(entry, ()))
        found.append({k for k in mine if moves[k].slot != moves[number].slot})
        for entry in mark.reads:
            readers.setdefault(entry, []).append(number)
        for entry in mark.writes:
            writer[entry] = number
            readers[entry] = []
    return found


Prefer = Callable[[Sequence[int]], int]
_first: Prefer = min
_last: Prefer = max


def _linear(moves: Sequence[Move], before: Sequence[set[int]], prefer: Prefer) -> list[int]:
    """An order with few switches: whoever moves goes on; then the thread whose next move comes first (or last) in the old order. The last
    move stays the last."""
    queues: dict[int, list[int]] = {}
    for number, move in enumerate(moves):
        queues.setdefault(move.slot, []).append(number)
    done, order, current = set[int](), list[int](), moves[0].slot
    final = len(moves) - 1
    while len(order) < len(moves):
        ready = [q[0] for q in queues.values() if q and before[q[0]] <= done and (q[0] != final or len(order) == final)]
        mine = [k for k in ready if moves[k].slot == current]
        chosen = mine[0] if mine else prefer(ready)
        current = moves[chosen].slot
        queues[current].pop(0)
        done.add(chosen)
        order.append(chosen)
    return order


__all__ = ["Shortener", "WORK", "blocks_of", "shortened", "switches"]
