"""All states, breadth first, with a visited set: the engine `explicit` and the oracle of the tests.

Two reductions keep the number of states down (both off with `reduce=False`):
- a thread at a local location (see `program/local.py`) moves alone, and at once where it has nothing to choose;
- `malloc` takes a freed object to which no pointer is left instead of a new one: nobody can tell them apart. Where a run uses an address
  as a number (`numeric.py`) somebody can: the search begins again without this.
And one that needs no option: a step that does nothing but stop its thread is not followed, for whatever the others do next
they also do with that thread not yet stopped.
"""

from __future__ import annotations

import resource
import time
from array import array
from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import NamedTuple

from fsoft.checkers.explicit.collapse import Collapse
from fsoft.checkers.explicit.hunter import Hunter
from fsoft.checkers.explicit.relay import Relay
from fsoft.program.choice import Choice, Ready
from fsoft.program.cuts import Cut, cut_of_marker
from fsoft.program.expr import Expr
from fsoft.program.inputs import Sampler, representatives
from fsoft.program.interpreter import Chooser, Machine, Script
from fsoft.program.local import Locality
from fsoft.program.markers import approximations, step_markers
from fsoft.program.program import Alloc, Enter, Free, Leave, Load, Program, Step, Store
from fsoft.program.replay import Finding, Monitor, View, confirm_played, played_without_halts
from fsoft.program.state import DEAD, OVER, Access, ChoicePoint, Event, GuardFunction, Halted, StepFunction, Vector, Violation, in_section
from fsoft.program.verdict import NO_LIMITS, Limits, Move, Stats, Verdict
from fsoft.properties.confirmation import false_verdict

_CHECK_EVERY = 64  # states between looks at the clock
_MANY = 10  # threads from which the first guided runs come earlier: there are more ways to go, and each state takes longer
_HUNTS = ((2_000, 6_000), (10_000, 10_000), (100_000, 50_000), (1_000_000, 200_000))  # after so many states, guided runs over so many


class _Move(NamedTuple):
    """A step of a slot, ready to run. `touched` are the components it may change."""

    number: int
    guard: GuardFunction | None
    function: StepFunction
    touched: tuple[int, ...]
    markers: tuple[int, ...]


class _Where(NamedTuple):
    """Where a finding was made: the state and, unless the state itself is bad, the step taken from it; or the whole way there."""

    number: int
    move: Move | None
    path: tuple[Move, ...] | None = None


class _Asked(Exception):
    """A step that was to run by itself wants to choose."""


class _Told(Exception):
    """Heap objects that were taken for the same can be told apart."""


class _Enough(Exception):
    """The search stops; the argument says why ("" when everything asked is answered)."""


def _no_choice(question: ChoicePoint, options: Sequence[int] | None) -> int:
    raise _Asked


class Explorer:
    """One search. `props` are the properties asked for; `monitors` answer those that are not checks in steps. `seed` permutes
    the order in which threads are tried, and so decides which of the shortest traces is found."""

    def __init__(self, program: Program, props: Sequence[str], monitors: Sequence[Monitor] = (), *, reduce: bool = True,
                 limits: Limits = NO_LIMITS, progress: Callable[[Stats], None] | None = None, seed: int = 0,
                 choice: Choice | None = None, hunts: bool = True, native: bool = False, workers: int = 0):  # fmt: skip
        self.choice, self.native, self.workers = choice, native, workers
        self._relay: Relay | None = None
        self.hunts, self.seed, self._hunted = hunts, seed, 0
        self.program, self.props, self.monitors, self.limits, self.progress = program, tuple(props), monitors, limits, progress
        self.logging = any(monitor.logs for monitor in monitors)
        self.machine = Machine(program, canonical=True, logging=self.logging or choice is not None)
        self.machine.compiler().representatives = representatives(program)
        self.layout = self.machine.layout
        self.collapse = Collapse(self.layout)
        self.locality = Locality(program)
        slots = range(len(program.threads))
        self.order = list(slots)
        if seed:
            Random(seed).shuffle(self.order)
        self.local = [self.locality.local(slot) if reduce else [False] * len(program.threads[slot].template.locations) for slot in slots]
        if choice is not None:  # where the choice wants everybody explored, nobody moves alone
            for slot in slots:
                for location in choice.sticky[slot]:
                    self.local[slot][location] = False
        self.sampler = Sampler(program)
        self.reduce = reduce
        self.chooser = Chooser(self._domain)
        self.stats = Stats()
        self._moves: list[dict[int, list[_Move]]] = [{} for _ in slots]
        self._alike, self._merged = reduce, False  # whether a freed object may stand for others, and whether one did
        self._begin()

    def _begin(self) -> None:
        """Nothing is known yet."""
        self.findings: dict[str, tuple[Finding, _Where]] = {}
        self.halts: dict[Halted, None] = {}
        self.passed: dict[int, None] = {}
        self.others: dict[Violation, None] = {}  # violations of what was not asked
        self._keys: list[bytes] = []
        self._visited: set[bytes] = set()
        self._parents, self._by_slot, self._by_step = array("q"), array("H"), array("I")
        self._choices: dict[int, tuple[int, ...]] = {}
        self._current: Vector = []

    # ------------------------------------------------------------ choices

    def _domain(self, question: ChoicePoint, options: Sequence[int] | None) -> Sequence[int]:
        if question.kind == "alloc" and options is not None and self._alike:
            return self._fewer_objects(options)
        return self.sampler(question, options)

    def _fewer_objects(self, options: Sequence[int]) -> Sequence[int]:
        """A freed object that no value points to stands for the new one and for every other such object.

        The values are those before the step, so objects that died within the step do not count.
        """
        shift, v = self.program.offset_bits, self._current
        if any(isinstance(value, tuple) for value in v):
            return options
        held = {value >> shift for value in v if value is not None}
        forgotten = [a for a in options[1:] if a >> shift not in held and self._dead(v, a)]
        if not forgotten:
            return options
        self._merged = True
        return [forgotten[0], *(address for address in options[1:] if address not in forgotten)]

    def _dead(self, v: Vector, address: int) -> bool:
        place = self.layout.place_of(address)
        return place is not None and v[place.status] == DEAD

    # ------------------------------------------------------------ steps

    def _moves_at(self, slot: int, location: int) -> list[_Move]:
        found = self._moves[slot].get(location)
        if found is None:
            machine = self.machine
            found = [
                _Move(k, machine.guard(slot, k), machine.function(slot, k), self._touched(slot, machine.step(slot, k)),
                      step_markers(machine.step(slot, k)))
                for k in machine.outgoing(slot, location)
            ]  # fmt: skip
            self._moves[slot][location] = found
        return found

    def _touched(self, slot: int, step: Step) -> tuple[int, ...]:
        """The components that a step may change: its thread, the objects it may write (or, reading, define)."""
        low, high = self.layout.spans[slot]
        found = dict.fromkeys(self.collapse.components(low, high))
        found[self.collapse.component(OVER)] = None
        memory = range(len(self.program.threads), len(self.collapse.spans))
        for action in step.actions:
            if isinstance(action, (Alloc, Free)):
                found.update(dict.fromkeys(memory))
            elif isinstance(action, (Load, Store, Enter, Leave)):
                part = self._object_components(slot, action.address, isinstance(action, Load))
                found.update(dict.fromkeys(memory if part is None else part))
        return tuple(found)

    def _object_components(self, slot: int, address: Expr, load: bool) -> Iterable[int] | None:
        obj = self.locality.owner(slot, address)
        place = self.layout.places[obj.id] if obj is not None else None
        if place is None:
            return None
        if place.rom is not None or (load and self.machine.memory.steady(place)):
            return ()
        return self.collapse.components(*self.layout.span_of_object(place))

    # ------------------------------------------------------------ the search

    def run(self, all_properties: bool = False) -> list[Verdict]:
        """One verdict, or one for each property."""
        started = time.monotonic()
        why = ""
        if self.native and self.choice is None and not all_properties and self.limits.states is None:
            self._relay = Relay(self, jobs=self.workers)
        try:
            try:
                self._search(started, all_properties)
            except _Told:
                self._alike = False
                self._begin()
                self.stats.states = self.stats.transitions = self.stats.depth = 0
                self._search(started, all_properties)
        except _Enough as enough:
            why = str(enough)
        finally:
            if self._relay is not None:
                self._relay.close()
        self.stats.seconds = time.monotonic() - started
        return self._verdicts(why, all_properties)

    def _search(self, started: float, all_properties: bool) -> None:
        self._stop_at = set(self.props) if all_properties else None
        self._started = started
        v = self.layout.initial()
        numbers = [0] * len(self.collapse.spans)
        self.collapse.encode(v, numbers, range(len(numbers)))
        self._add(self.collapse.pack(*numbers), -1, 0, 0, ())
        number, level_end = 0, 1
        while number < len(self._keys):
            if number == level_end:
                self.stats.depth += 1
                level_end = len(self._keys)
            if number % _CHECK_EVERY == 0:
                self._look_at_the_clock(started)
            if self._hunted < len(_HUNTS) and len(self._keys) >= self._next_hunt() and self.hunts and self.props:
                self.hunt()
            self._expand(number)
            number += 1
            if self._merged and self._alike and self.machine.memory.bared:
                raise _Told

    def _next_hunt(self) -> int:
        """After how many states."""
        states = _HUNTS[self._hunted][0]
        return states if self._hunted else states * _MANY // max(_MANY, len(self.program.threads))

    def hunt(self) -> bool:
        """Guided runs, of which there are some sooner and more later: they find what lies too deep for the search (`hunter.py`). Whether
        there were any left."""
        if self._hunted == len(_HUNTS):
            return False
        budget = _HUNTS[self._hunted][1]
        self._hunted += 1
        found = Hunter(self).hunt(budget, self._hunted + 1000 * self.seed)
        if found is not None and not approximations(Machine(self.program, compiled=False), found[1], found[0].prop):
            self.found_on_the_way(*found)
        return True

    def _look_at_the_clock(self, started: float) -> None:
        self.stats.seconds = time.monotonic() - started
        if self.progress is not None:
            self.progress(self.stats)
        why = self._relay.look(self.stats.seconds) if self._relay is not None else None
        if why is not None:
            raise _Enough(why)
        limits = self.limits
        if limits.seconds is not None and self.stats.seconds > limits.seconds:
            raise _Enough(f"time limit of {limits.seconds:g} s")
        if limits.states is not None and len(self._keys) >= limits.states:
            raise _Enough(f"limit of {limits.states} states")
        if limits.megabytes is not None and _megabytes() > limits.megabytes:
            raise _Enough(f"memory limit of {limits.megabytes} MB")

    def _add(self, key: bytes, parent: int, slot: int, step: int, choices: tuple[int, ...]) -> None:
        self._visited.add(key)
        if choices:
            self._choices[len(self._keys)] = choices
        self._keys.append(key)
        self._parents.append(parent)
        self._by_slot.append(slot)
        self._by_step.append(step)
        self.stats.states += 1

    def _alone(self, v: Vector, slots: list[int]) -> int | None:
        """A slot that may move alone."""
        for slot in slots:
            location = v[self.layout.pc[slot]]
            if self.local[slot][location]:
                for move in self._moves_at(slot, location):
                    if move.guard is None or move.guard(v):
                        return slot
        return None

    def _expand(self, number: int) -> None:
        numbers = self.collapse.unpack(self._keys[number])
        v = self._current = self.collapse.decode(numbers)
        holder = self.machine.holder(v)
        slots = self.order if holder is None else [holder]
        alone = self._alone(v, slots) if self.reduce else None
        view = View(self.machine, v)
        some, left = ([alone] if alone is not None else None), list[tuple[int, int]]()
        if alone is None and holder is None and self.choice is not None:
            some, left = self._enough(v)
        for slot in slots if some is None else some:
            log: list[Access] = []
            for move in self._moves_at(slot, v[self.layout.pc[slot]]):
                if (move.guard is None or move.guard(v)) and self._take(number, numbers, v, slot, move, log, some is None):
                    view.enabled.append((slot, move.number))
            view.accesses[slot] = log
        view.enabled += left
        if alone is None and self.monitors:
            self._watch(number, view)

    def _enough(self, v: Vector) -> tuple[list[int] | None, list[tuple[int, int]]]:
        """The slots that the choice wants expanded (None for all), and what others could do: who can move does not wait."""
        assert self.choice is not None
        if v[OVER]:
            return None, []
        ready = {slot: self._ready(v, slot) for slot in self.order}
        some = self.choice.select(v, ready, self.order)
        if some is None:
            return None, []
        left = [(slot, step.step) for slot, steps in ready.items() if slot not in some for step in steps if step.enabled]
        self.stats.skipped += len({slot for slot, _ in left})
        return some, left

    def _ready(self, v: Vector, slot: int) -> list[Ready]:
        """The steps of a slot whose guard holds."""
        found, machine = [], self.machine
        for move in self._moves_at(slot, v[self.layout.pc[slot]]):
            if move.guard is not None and not move.guard(v):
                continue
            step = machine.step(slot, move.number)
            section = in_section(self.program, slot, step)
            enabled, over = True, False
            if section or machine.blocks(slot, move.number):
                enabled, over = self._try(v, move, section)
            found.append(Ready(move.number, enabled, over, any(tag.kind == "spurious" for tag in step.tags)))
        return found

    def _try(self, v: Vector, move: _Move, section: bool) -> tuple[bool, bool]:
        """Whether a step can be taken for some answers, and whether one of them ends the run."""
        chooser, enabled, over = self.chooser, False, False
        chooser.reset()
        while True:
            new = v[:]
            if move.function(new, chooser, [], []):
                enabled = True
                over = over or bool(new[OVER])
            if (enabled and not section) or not chooser.picks or not chooser.advance():
                return enabled, over

    def _take(self, number: int, numbers: tuple[int, ...], v: Vector, slot: int, move: _Move, log: list[Access], whole: bool) -> bool:
        """All successors by one step; whether there is any. `whole`: every other thread is expanded here, too."""
        chooser, events, taken, before = self.chooser, list[Event](), False, len(log)
        chooser.reset()
        while True:
            new, logged = v[:], len(log)
            if not move.function(new, chooser, events, log):
                del log[logged:]  # blocked: what it looked at is not pending
            else:
                taken = True
                self.stats.transitions += 1
                follow = True
                if events or move.markers:
                    follow = self._note(number, slot, move, events, v, new, whole)
                    events.clear()
                if follow:
                    self._arrive(number, numbers, new, slot, move)
            if not chooser.picks or not chooser.advance():
                if taken and self.choice is not None:
                    self.choice.watch(v, slot, move.number, log[before:])
                return taken

    def _arrive(self, number: int, numbers: tuple[int, ...], new: Vector, slot: int, move: _Move) -> None:
        """A successor: let its thread settle, and add it if it is new."""
        touched: Iterable[int] = move.touched
        if self.local[slot][new[self.layout.pc[slot]]]:
            more, events = self._settle(new, slot, None)
            if events:
                self._record(events, _Where(number, Move(slot, move.number, self.chooser.values())))
            touched = {*touched, *more}
        changed = list(numbers)
        self.collapse.encode(new, changed, touched)
        key = self.collapse.pack(*changed)
        if key not in self._visited:
            self._add(key, number, slot, move.number, self.chooser.values() if self.chooser.picks else ())

    def _settle(self, v: Vector, slot: int, moves: list[Move] | None) -> tuple[set[int], list[Event]]:
        """Let a thread run on, in place, while it is at local locations and has nothing to choose; the components it touched, and the
        event that stopped it. Its moves are added to `moves`, if they are wanted."""
        at, touched, events, log = self.layout.pc[slot], set[int](), list[Event](), list[Access]()
        while self.local[slot][v[at]] and not events:
            ready = [move for move in self._moves_at(slot, v[at]) if move.guard is None or move.guard(v)]
            if len(ready) != 1 or ready[0].markers:
                break
            before = v[:]
            try:
                ready[0].function(v, _no_choice, events, log)
            except _Asked:
                v[:] = before
                break
            self.stats.transitions += moves is None
            touched.update(ready[0].touched)
            if moves is not None:
                moves.append(Move(slot, ready[0].number))
        return touched, events

    # ------------------------------------------------------------ what was found

    def _note(self, number: int, slot: int, move: _Move, events: list[Event], v: Vector, new: Vector, whole: bool) -> bool:
        """Take down events; whether the successor is worth following."""
        where = _Where(number, Move(slot, move.number, self.chooser.values()))
        self.passed.update(dict.fromkeys(move.markers))
        if not events:
            return True
        self._record(events, where)
        if any(isinstance(e, Halted) and e.kind == "ended" for e in events) and not self._ended_before(v, slot):
            for monitor in self.monitors:
                self._found(monitor.end(self.machine, new, slot), where)
        low, high = self.layout.spans[slot]
        only_stops = new[:low] == v[:low] and new[high:] == v[high:]
        return not new[OVER] and not (whole and only_stops)

    def _ended_before(self, v: Vector, slot: int) -> bool:
        return any(self.layout.stopped(v, other) == "ended" for other in range(len(self.program.threads)) if other != slot)

    def _record(self, events: list[Event], where: _Where) -> None:
        for event in events:
            if isinstance(event, Halted):
                if event.kind in ("cut", "undefined"):
                    self.halts.setdefault(event)
            elif event.prop in self.props:
                self._found(Finding(event.prop, event.message, event.loc), where)
            else:
                self.others.setdefault(event)

    def _found(self, finding: Finding | None, where: _Where) -> None:
        if finding is None or finding.prop in self.findings:
            return
        self.findings[finding.prop] = (finding, where)
        if self._stop_at is None or self._stop_at <= set(self.findings):
            raise _Enough

    def _watch(self, number: int, view: View) -> None:
        """Ask the monitors about a state all of whose successors are known."""
        if self.logging and len(view.accesses) < len(self.program.threads) and not view.v[OVER]:
            self._waiting_accesses(view)
        for monitor in self.monitors:
            self._found(monitor.state(view), _Where(number, None))

    def _waiting_accesses(self, view: View) -> None:
        """What the threads that wait for an atomic section are about to access."""
        v = list(view.v)
        for slot in range(len(self.program.threads)):
            if slot not in view.accesses:
                log = view.accesses[slot] = []
                for move in self._moves_at(slot, v[self.layout.pc[slot]]):
                    self._log_pending(v, move, log)

    def _log_pending(self, v: Vector, move: _Move, log: list[Access]) -> bool:
        """What a step would access, for all answers, if it is not blocked; whether it can be taken for any."""
        self.chooser.reset()
        ready = False
        while True:
            logged = len(log)
            if move.function(v[:], self.chooser, [], log):
                ready = True
            else:
                del log[logged:]
            if not self.chooser.picks or not self.chooser.advance():
                return ready

    # ------------------------------------------------------------ what the compiled search says (`relay.py`)

    def run_compiled(self, jobs: int = 0) -> Verdict | None:
        """The answer of the compiled search alone; None if there is none for this program."""
        self._stop_at, self._started = None, time.monotonic()
        relay = self._relay = Relay(self, patience=0, jobs=jobs)
        try:
            why = relay.whole()
        except _Enough as enough:
            why = str(enough)
        finally:
            relay.close()
        return None if why is None else self._verdicts(why, False)[0]

    def settled(self, v: Vector, slot: int, moves: list[Move]) -> list[Event]:
        """Let a thread settle, in place: its moves are added, and this is the event that stopped it."""
        return self._settle(v, slot, moves)[1]

    def took_place(self, event: Event) -> None:
        """Takes down an event that is no finding."""
        if isinstance(event, Halted) or event.prop not in self.props:
            self._record([event], _Where(0, None))

    def found_on_the_way(self, finding: Finding, moves: Sequence[Move]) -> None:
        """Takes down a finding at the end of a run; it may be all that was asked for."""
        self._found(finding, _Where(0, None, tuple(moves)))

    def bad_state(self, v: Vector, prop: str) -> Finding | None:
        """What the monitor of a property says of a state."""
        self._current = v
        holder = self.machine.holder(v)
        view = View(self.machine, v)
        for slot in self.order if holder is None else [holder]:
            log = view.accesses[slot] = []
            for move in self._moves_at(slot, v[self.layout.pc[slot]]):
                if (move.guard is None or move.guard(v)) and self._log_pending(v, move, log):
                    view.enabled.append((slot, move.number))
        if self.logging and len(view.accesses) < len(self.program.threads):
            self._waiting_accesses(view)
        return next((found for monitor in self.monitors if monitor.prop == prop and (found := monitor.state(view))), None)

    # ------------------------------------------------------------ the answer

    def _trace(self, where: _Where) -> list[Move]:
        """The moves from the start; what settled by itself is written out."""
        if where.path is not None:
            return list(where.path)
        path = [where.move] if where.move is not None else []
        number = where.number
        while self._parents[number] >= 0:
            path.append(Move(self._by_slot[number], self._by_step[number], self._choices.get(number, ())))
            number = self._parents[number]
        moves: list[Move] = []
        v = self.layout.initial()
        for move in reversed(path):
            self.machine.function(move.slot, move.step)(v, Script(move.choices), [], [])
            moves.append(move)
            self._settle(v, move.slot, moves)
        return moves

    def _violated(self, finding: Finding, where: _Where) -> Verdict:
        plain = Machine(self.program, compiled=False)
        played = played_without_halts(plain, self._trace(where))
        finding = confirm_played(plain, played, finding, self.monitors, Sampler(self.program))
        return false_verdict(plain, [one.move for one in played], finding, self.stats)

    def _obstacles(self, prop: str) -> list[Cut]:
        """What forbids TRUE."""
        cuts, markers = list[Cut](), self.program.markers
        for halt in self.halts:
            if halt.marker is not None and markers[halt.marker].hides((prop,)):
                cuts.append(cut_of_marker(markers[halt.marker]))
            elif halt.kind in ("cut", "undefined"):
                cuts.append(Cut(halt.kind, halt.loc, halt.message))
        cuts.extend(cut_of_marker(markers[k]) for k in self.passed if markers[k].hides((prop,) if prop else self.props))
        cuts.extend(Cut("sampled", q.loc, f"{q.name} ({q.width} bits)") for q in self.sampler.sampled.values())
        stopped = {found.prop: found.loc for found, _ in self.findings.values()}
        stopped.update({event.prop: event.loc for event in self.others})
        cuts.extend(
            Cut("violated", loc, other)
            for other, loc in stopped.items()
            if other not in (prop, "unreach-call", "no-data-race", "no-deadlock", "valid-memtrack")
        )
        return list(dict.fromkeys(cuts))

    def _verdicts(self, why: str, all_properties: bool) -> list[Verdict]:
        if not all_properties:
            if self.findings:
                return [self._violated(*next(iter(self.findings.values())))]
            return [self._unviolated(self.props[0] if len(self.props) == 1 else "", why)]
        return [self._violated(*self.findings[prop]) if prop in self.findings else self._unviolated(prop, why) for prop in self.props]

    def _unviolated(self, prop: str, why: str) -> Verdict:
        obstacles = self._obstacles(prop)
        if why or obstacles:
            reason = f"no violation found among {self.stats.states} states" + (f" ({why})" if why else "")
            complete = not why and not self.sampler.sampled
            return Verdict("UNKNOWN", prop, [reason], [], self.stats, obstacles, complete=complete)
        return Verdict("TRUE", prop, [f"all {self.stats.states} states explored"], [], self.stats)


def _megabytes() -> float:
    """The memory this process holds now."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * 4096 / 1e6
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
