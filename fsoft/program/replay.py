"""No FALSE without evidence: a trace is run again on the definition of the semantics before anyone sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from fsoft.frontend.source import NOWHERE, Loc
from fsoft.program.interpreter import Domain, Machine, Script
from fsoft.program.state import Access, ChoicePoint, Event, Halted, State, Violation
from fsoft.program.verdict import InternalError, Move


@dataclass(slots=True)
class View:
    """A state as the monitors see it: the steps that can be taken now, and what each slot is about to access.

    `accesses` ignores that a thread at an atomic location keeps the others waiting: their accesses are pending all the same.
    `moves` is how the state was reached, where that is known.
    """

    machine: Machine
    v: Sequence[Any]
    enabled: list[tuple[int, int]] = field(default_factory=list)
    accesses: dict[int, list[Access]] = field(default_factory=dict)
    moves: Sequence[Move] | None = None


class GuiltyThread(NamedTuple):
    """A thread's part in a violation: where it is, and what it is about to do."""

    slot: int
    loc: Loc
    what: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A property is violated; `lines` tell more, `slots` are the threads whose locks are of interest, `guilty` what each of them does.
    `past`: the first of them has done its part, with the move of that number; the others are about to."""

    prop: str
    message: str
    loc: Loc = NOWHERE
    lines: tuple[str, ...] = ()
    slots: tuple[int, ...] = ()
    guilty: tuple[GuiltyThread, ...] = ()
    past: int | None = None


class Monitor(Protocol):
    """A property of states. `logs`: it needs the pending accesses."""

    prop: str
    logs: bool

    def state(self, view: View) -> Finding | None:
        """Whether this state violates the property."""

    def end(self, machine: Machine, v: Sequence[Any], slot: int) -> Finding | None:
        """Whether the process may end here (the slot's last step ended it)."""


def observe(machine: Machine, state: State, domain: Domain, moves: Sequence[Move] | None = None) -> View:
    """The view of a state, by the definition."""
    view, movable = View(machine, state, moves=moves), machine.movable(state)
    for slot in range(len(machine.program.threads)):
        log = view.accesses[slot] = []
        for index in machine.outgoing(slot, state[machine.layout.pc[slot]]):
            ready, accesses = machine.pending(state, slot, index, domain)
            log.extend(accesses)
            if ready and slot in movable:
                view.enabled.append((slot, index))
    return view


@dataclass(slots=True)
class Played:
    """One move as it happened."""

    move: Move
    before: State
    after: State
    events: list[Event]
    asked: list[tuple[ChoicePoint, int]]


def play(machine: Machine, moves: Sequence[Move]) -> list[Played]:
    """Run a trace; InternalError if one of its moves is impossible."""
    state, played = machine.initial(), []
    for k, move in enumerate(moves):
        script = Script(move.choices)
        try:
            after, events = machine.execute(state, move.slot, move.step, script)
        except ValueError as error:
            raise InternalError(f"move {k + 1} of {len(moves)} does not replay: {error}") from error
        if script.used != len(move.choices):
            raise InternalError(f"move {k + 1} of {len(moves)} asks for {script.used} values, the trace has {len(move.choices)}")
        played.append(Played(move, state, after, events, script.asked))
        state = after
    return played


def without_halts(machine: Machine, moves: Sequence[Move]) -> list[Move]:
    """The trace without the moves that only stop their thread: nothing depends on them, and a person (or a real run) would
    wonder how the others go on after the process has ended. A halting move that also wrote memory stays."""
    return [one.move for one in played_without_halts(machine, moves)]


def played_without_halts(machine: Machine, moves: Sequence[Move]) -> list[Played]:
    """The same, as it happened; it is run again only if something was left out."""
    kept = []
    played = play(machine, moves)
    for k, one in enumerate(played):
        halted = any(isinstance(event, Halted) for event in one.events)
        low, high = machine.layout.spans[one.move.slot]
        silent = one.before[:low] == one.after[:low] and one.before[high:] == one.after[high:]
        if k == len(played) - 1 or not (halted and silent):
            kept.append(one.move)
    return played if len(kept) == len(played) else play(machine, kept)


def confirm(machine: Machine, moves: Sequence[Move], finding: Finding, monitors: Sequence[Monitor], domain: Domain) -> Finding:
    """The finding as the definition sees it at the end of the trace; InternalError if it sees none."""
    return confirm_played(machine, play(machine, moves), finding, monitors, domain)


def confirm_played(machine: Machine, played: list[Played], finding: Finding, monitors: Sequence[Monitor], domain: Domain) -> Finding:
    """The same for a trace that has just been played."""
    moves = [one.move for one in played]
    state = played[-1].after if played else machine.initial()
    if played:
        for event in played[-1].events:
            if isinstance(event, Violation) and event.prop == finding.prop:
                return Finding(event.prop, event.message, event.loc)
    for monitor in monitors:
        if monitor.prop != finding.prop:
            continue
        found = monitor.state(observe(machine, state, domain, moves))
        if found is None and played and any(isinstance(e, Halted) and e.kind == "ended" for e in played[-1].events):
            found = monitor.end(machine, state, played[-1].move.slot)
        if found is not None:
            return found
    raise InternalError(f"the trace of {len(moves)} moves to a violation of {finding.prop} does not replay")
