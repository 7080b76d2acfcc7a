"""What an execution is, for properties of whole runs.

An execution is an infinite sequence of frames: a state with the move that is made in it. It is defined on the Program as the
interpreter runs it, with these rules where the end is observed:

- The end is **eager**: once a thread has ended the process (`exit`, `abort`, return from main, a failed assertion), nobody moves; the
  state repeats for ever.
- A state in which nobody can move repeats for ever, too: a deadlock, or all threads have finished. A spurious wake-up may happen,
  but need not: where it is the only thing that could, the state may repeat as well.
- A **pruned** run (a failed assume; a user's atomic section that blocks with nobody left to move) is no execution.
- A run that reaches a **cut** or undefined behaviour is not followed; that it exists forbids TRUE.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from fsoft.program.choice import Choice, Ready
from fsoft.program.cuts import Cut, cut_of_marker
from fsoft.program.inputs import Sampler, representatives
from fsoft.program.interpreter import Chooser, Machine
from fsoft.program.markers import cut_of_event, step_markers
from fsoft.program.state import OVER, Access, Event, State, Violation
from fsoft.program.verdict import Move
from fsoft.properties.deadlocks import candidates, has_tag
from fsoft.properties.ltl.formula import Atom
from fsoft.properties.ltl.syntax import Text
from fsoft.properties.ltl.watched import Atoms, UndefinedAtom, Watched, is_idle


@dataclass(slots=True)
class RunFrame:
    """One frame of an execution: the move (None: the state repeats) and the state after it."""

    move: Move | None
    after: State


@dataclass(slots=True)
class Around:
    """All frames from a state, the slots that could move (other than by a spurious wake-up), the values of the atoms without those about
    moves, whether the process has ended."""

    frames: list[RunFrame]
    enabled: frozenset[int]
    atoms: dict[Atom, bool]
    ended: bool


class Looking(Choice, Protocol):
    """A choice of slots that is enough for a property of runs: it knows what the atoms may read."""

    def watch_atom(self, log: Sequence[Access]) -> None:
        """Called with what an atom read; raises Strayed if that is not where the choice expected it."""


class _Try:
    """A step whose guard holds, with its frames (None for one that is not followed)."""

    __slots__ = ("frames", "index", "spurious")

    def __init__(self, index: int, spurious: bool, frames: list[RunFrame | None]):
        self.index, self.spurious, self.frames = index, spurious, frames

    def ready(self) -> Ready:
        over = any(frame is None or frame.after[OVER] for frame in self.frames)
        return Ready(self.index, bool(self.frames), over, self.spurious)


class Runs:
    """Frames of a watched program. `bounds` collects what forbids TRUE. With a `choice` only the frames of the slots that it wants."""

    def __init__(self, watched: Watched, atoms: list[tuple[Atom, Text]], compiled: bool = True, choice: Looking | None = None):
        self.watched, self.program, self.choice = watched, watched.program, choice
        self.skipped = 0
        self.machine = Machine(watched.program, compiled=compiled, canonical=compiled, logging=choice is not None)
        if compiled:
            self.machine.compiler().representatives = representatives(watched.whole)
        self.layout = self.machine.layout
        self.sampler = Sampler(watched.whole)
        self.chooser = Chooser(self.sampler)
        self.evaluator = Atoms(watched, compiled, None if choice is None else choice.watch_atom)
        self.cuts: dict[Cut, None] = {}
        self.slots = range(len(self.program.threads))
        self.atoms = atoms
        self._slot = {a: watched.slot(a, s) for a, s in atoms if a.thread and a.kind != "label"}
        self._places = {a: watched.locations(a, s) for a, s in atoms if a.kind in ("label", "line")}

    def initial(self) -> State:
        return self.machine.initial()

    def around(self, state: State) -> Around | None:
        """What can happen in a state; None if a run that comes here is no execution, or is not followed any further."""
        stops = {self.layout.stopped(state, slot) for slot in self.slots}
        if "pruned" in stops:
            return None
        ended = "ended" in stops or "failed" in stops
        tried = {} if ended else {slot: self._tried(state, slot) for slot in self.machine.movable(state)}
        enabled = {slot for slot, steps in tried.items() if any(one.frames and not one.spurious for one in steps)}
        chosen = [one for slot in self._enough(state, tried) for one in tried[slot]]
        frames = [frame for one in chosen for frame in one.frames if frame is not None]
        if not enabled and (ended or not self._pruned_at_rest(state)):
            frames.append(RunFrame(None, state))
        if not frames:
            return None
        try:
            atoms = self._values(state, frozenset(enabled), ended)
        except UndefinedAtom as error:
            self.cuts[Cut("said", what=f"an atom has no value in some state: {error}")] = None
            return None
        return Around(frames, frozenset(enabled), atoms, ended)

    def _tried(self, state: State, slot: int) -> list[_Try]:
        """The steps of a slot whose guard holds."""
        found = []
        for index in self.machine.outgoing(slot, state[self.layout.pc[slot]]):
            guard = self.machine.guard(slot, index)
            if guard is None or guard(state):
                spurious = has_tag(self.machine.step(slot, index), "spurious")
                found.append(_Try(index, spurious, list(self._taken(state, slot, index))))
        return found

    def _enough(self, state: State, tried: dict[int, list[_Try]]) -> Sequence[int]:
        """The slots to follow."""
        if self.choice is None or len(tried) < len(self.slots):  # somebody inside an atomic section moves alone
            return list(tried)
        some = self.choice.select(state, {slot: [one.ready() for one in steps] for slot, steps in tried.items()}, self.slots)
        if some is None:
            return list(tried)
        self.skipped += sum(any(one.frames for one in steps) for steps in tried.values()) - len(some)
        return some

    def _pruned_at_rest(self, state: State) -> bool:
        """Nobody can move, and that because someone waits inside an atomic section."""
        if self.machine.holder(state) is not None:
            return True
        waiting = [candidates(self.machine, state, slot) for slot in self.slots]
        return any(steps and all(has_tag(step, "section") for step in steps) for steps in waiting)

    def _taken(self, state: State, slot: int, index: int) -> Iterator[RunFrame | None]:
        """The successors by a step; None for one that is not followed."""
        function, chooser = self.machine.function(slot, index), self.chooser
        chooser.reset()
        markers = step_markers(self.machine.step(slot, index))
        cutting = [cut_of_marker(self.program.markers[k]) for k in markers if self.program.markers[k].hides(self.program.checks)]
        while True:
            v, events, log = list(state), list[Event](), list[Access]()
            if function(v, chooser, events, log):
                if self.choice is not None:
                    self.choice.watch(state, slot, index, log)
                stopped = [self.obstacle(event) for event in events]
                found = [*cutting, *(cut for cut in stopped if cut is not None)]
                self.cuts.update(dict.fromkeys(found))
                yield None if found else RunFrame(Move(slot, index, chooser.values()), tuple(v))
            if not chooser.picks or not chooser.advance():
                return

    def obstacle(self, event: Event) -> Cut | None:
        """What an event leaves out, if anything."""
        if isinstance(event, Violation):
            return None if event.prop == "unreach-call" else Cut("violated", event.loc, event.prop)
        return cut_of_event(self.program, event)

    def _values(self, state: State, enabled: frozenset[int], ended: bool) -> dict[Atom, bool]:
        values = {}
        for atom, _ in self.atoms:
            if atom.kind in ("c", "holds"):
                values[atom] = self.evaluator.value(self.watched.readings[atom], state, self._slot.get(atom))
            elif atom.kind in ("label", "line"):
                values[atom] = any(state[self.layout.pc[slot]] in places for slot, places in self._places[atom].items())
            elif atom.kind == "enabled":
                values[atom] = self._slot[atom] in enabled
            elif atom.kind == "idle":
                values[atom] = self._idle(state, self._slot[atom])
            elif atom.kind == "ended":
                values[atom] = ended or all(self._idle(state, slot) for slot in self.slots)
        return values

    def _idle(self, state: State, slot: int) -> bool:
        return is_idle(self.layout, self.machine.outgoing(slot, state[self.layout.pc[slot]]), state, slot)

    def moving(self, frame: RunFrame) -> dict[Atom, bool]:
        """The atoms about the move of a frame."""
        slot = frame.move.slot if frame.move is not None else None
        return {atom: self._slot[atom] == slot for atom, _ in self.atoms if atom.kind == "running"}

    def sampled(self) -> list[Cut]:
        """Inputs of which not all values were tried."""
        return [Cut("sampled", q.loc, f"{q.name} ({q.width} bits)") for q in self.sampler.sampled.values()]


__all__ = ["Around", "RunFrame", "Looking", "Runs"]
