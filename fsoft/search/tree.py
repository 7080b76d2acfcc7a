"""The reachability tree over visible steps, depth first (Cordeiro and Fischer, ICSE'11, sections 3.1 and 3.2: the lazy approach).

A node has the active thread, the number of context switches so far, a state whose words are terms, and the location of every thread.
Its children follow the rules R1 to R6 as the Program has them: a visible step of the active thread, or of another one if the bound on
switches allows it (R1); invisible steps, starts of threads and what is inside an atomic section follow at once, without a choice of
the scheduler (R1, R2); a branch that the path does not decide forks, with its condition added to the path (R3); a failed assume stops
its thread, an assertion is owed to the solver (R4); creating and joining are guarded accesses to thread descriptors, like all
synchronisation (R5, R6).

Where nobody can move the interleaving is complete, and all that it owes is asked at once (`questions.py`). Unlike in the paper the
state includes who is blocked, a deadlock is what `properties.deadlocks` says, and a path that comes back to a state that it was in
ends there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator

from fsoft.bounded.outcomes import Executed, Executor, StepEnd, applied
from fsoft.circuit.encode.answers import TermValue
from fsoft.program.expr import FALSE, TRUE, Expr, conj, disj
from fsoft.program.program import Program
from fsoft.program.state import OVER
from fsoft.search.conditions import Conditions
from fsoft.search.dpor import EntryMasks, Events, SlotEvent, asleep, footprint
from fsoft.search.lift import PathEdge
from fsoft.search.loops import LoopBounds
from fsoft.search.nodes import Ongoing, PathChoice, SearchCounts, SearchFrame, SearchNode
from fsoft.search.persistent import Persistent
from fsoft.search.questions import Obligation, Questions
from fsoft.search.quiet import Quiet, waits
from fsoft.search.seen import SeenStates
from fsoft.search.settings import Settings
from fsoft.search.states import StateProperties
from fsoft.solve.sat import SolverTimeout
from fsoft.solve.terms import Solver

CONTEXTS = "contexts"
_CLOCK = 32  # steps between looks at the clock


def _reduction(program: Program, settings: Settings) -> str:
    """The reduction that may be used. None with a bound on context switches. A race is seen in a state where both accesses are pending, and
    source sets need not lead there; sleep sets leave no state out. The same is true of a deadlock with a thread that may still wake for no
    reason: that state is not the end of a path. Persistent sets do not know that the end of the process looks at all memory for leaks."""
    if settings.contexts is not None or len(program.threads) < 2:
        return "none"
    if settings.por == "persistent" and "valid-memtrack" in program.checks:
        return "sleep"
    if settings.por != "source":
        return settings.por
    wakes = any(tag.kind == "spurious" for template in program.templates() for step in template.steps for tag in step.tags)
    in_all_states = "no-data-race" in program.checks or ("no-deadlock" in program.checks and wakes)
    return "sleep" if in_all_states else "source"


def _until_sure(slots: list[int], unsure: set[int]) -> list[int]:
    """The first slots, up to one that is sure to move."""
    last = next((k for k, slot in enumerate(slots) if slot not in unsure), len(slots))
    return slots[: last + 1]


class Stop(Exception):
    """The search is over before the tree is."""


class Tree:
    """One search. `found` is called with every violation and bound that is met; it may raise Stop. `reached` are the bounds that were."""

    def __init__(self, executor: Executor, settings: Settings, solver: Solver,
                 found: Callable[[Obligation, list[PathEdge], TermValue], None], deadline: float | None,
                 tick: Callable[[SearchCounts], None] = lambda _counts: None):  # fmt: skip
        self.executor, self.program, self.settings, self.found, self.tick = executor, executor.program, settings, found, tick
        self.layout, self.deadline = executor.layout, deadline
        self.conditions = Conditions()
        self.questions = Questions(solver, self.conditions, deadline)
        self.states = StateProperties(executor)
        self.loops = LoopBounds(self.program, settings.loops)
        slots = range(len(self.program.threads))
        self.slots = list(slots)
        self.quiet = Quiet(executor)
        self.atomic = [[place.atomic for place in thread.template.locations] for thread in self.program.threads]
        self._races = "no-data-race" in self.program.checks
        self._has_atomic = [slot for slot in slots if any(self.atomic[slot])]
        bounded = settings.contexts is not None
        self.por = _reduction(self.program, settings)
        self.persistent = Persistent(executor) if self.por == "persistent" else None
        self.seen = SeenStates(settings.merge and self.por in ("none", "persistent"), bounded)
        self.onpath: dict[Hashable, SearchFrame] = {}
        self.counts, self.reached = SearchCounts(), dict[str, None]()
        self.edges: list[PathEdge] = []
        self.events = Events()
        self.stack: list[SearchFrame] = []
        self.owed: list[Obligation] = []

    # ------------------------------------------------------------ the walk

    def run(self) -> None:
        """Explores the whole tree, unless `found` stops it or the time is up (SolverTimeout)."""
        start = SearchNode(self.executor.initial(), 0, 0, [0] * len(self.slots), [0] * len(self.slots), {}, [None] * len(self.slots))
        self._arrive(start, {}, None)
        while self.stack:
            frame = self.stack[-1]
            self._rewind(frame)
            choice = self._next(frame)
            if choice is None:
                self.stack.pop()
                self.onpath.pop(frame.key, None)
            else:
                self._take(frame, choice)
        self._discharge()

    def _rewind(self, frame: SearchFrame) -> None:
        edges, conditions, events, joined = frame.lengths
        if self.owed and (self.owed[-1].edges > edges or self.owed[-1].depth > conditions):
            self._discharge()
        del self.edges[edges:]
        self.conditions.cut(conditions)
        self.events.cut(events, joined)

    def _next(self, frame: SearchFrame) -> PathChoice | None:
        while not frame.todo:
            if not frame.order:
                return None
            frame.current = frame.order.pop(0)
            if frame.current in frame.sleep:
                continue
            frame.tried[frame.current] = EntryMasks()
            frame.todo = self._begin(frame, frame.options[frame.current])[::-1]
        return frame.todo.pop()

    def _begin(self, frame: SearchFrame, options: list[PathChoice]) -> list[PathChoice]:
        """The choices of a slot that the tree follows; what the others owe is taken down."""
        kept: list[PathChoice] = []
        for choice in options:
            if self._follow(frame, choice):
                kept.append(choice)
                continue
            self._owe_stop(frame.node, choice)
            self._note_event(self._event(frame, choice.executed), False)
        if not kept:
            self._leaf()
        return kept

    def _follow(self, frame: SearchFrame, choice: PathChoice) -> bool:
        """A step that only stops its thread is not followed where the others are tried anyway: what they do next, they also do with
        that thread not yet stopped. A violation is followed if several are looked for: what the others do next they could have done
        before it, but not before the rest of the step."""
        outcome, slot = choice.outcome, choice.executed.slot
        if not outcome.kind:
            return True
        if outcome.writes.get(OVER) is TRUE or (outcome.prop in self.program.checks and not self.settings.several):
            return False
        low, high = self.layout.spans[slot]
        silent = all(low <= index < high for index in outcome.writes)
        return not (silent and frame.whole and frame.event is None)

    def _take(self, frame: SearchFrame, choice: PathChoice) -> None:
        self.counts.steps += 1
        if self.counts.steps % _CLOCK == 0:
            self._look_at_clock()
        executed, outcome, node = choice.executed, choice.outcome, frame.node
        if choice.when is not TRUE:
            self.conditions.add(choice.when)
            if self.settings.eager and not self.questions.possible():
                self.counts.infeasible += 1
                return
        for name in executed.passes:
            self._owe(name, True, TRUE, node)
        if outcome.kind:
            self._owe_stop(node, PathChoice(executed, outcome, TRUE))
        self.edges.append(PathEdge(node.values, executed, outcome))
        event = self._event(frame, executed)
        child = self._child(frame, choice)
        if child is None:
            self._note_event(event, False)
        else:
            self._arrive(child, self._asleep(frame, executed), event)

    def _asleep(self, frame: SearchFrame, executed: Executed) -> dict[int, EntryMasks]:
        """The slots that need not be tried after a step, because they were tried before it."""
        if self.por == "none":
            return {}
        tried = () if frame.event is not None else [(slot, f) for slot, f in frame.tried.items() if slot != executed.slot]
        return asleep(frame.sleep, self._footprint(executed), tried)

    def _event(self, frame: SearchFrame, executed: Executed) -> Ongoing:
        """The event that the step begins or goes on with; what it touches is also noted where the event began."""
        step = self._footprint(executed)
        before = Ongoing(executed.slot, frame, EntryMasks()) if frame.event is None else frame.event
        before.frame.tried[before.slot] = before.frame.tried[before.slot].joined(step)
        return Ongoing(before.slot, before.frame, before.footprint.joined(step))

    def _footprint(self, executed: Executed) -> EntryMasks:
        template, step = self.program.threads[executed.slot].template, self.executor.step(executed.slot, executed.index)
        alone = template.locations[step.target].atomic or template.locations[step.source].atomic
        ends = "valid-memtrack" in self.program.checks and any(one.kind == "ended" for one in executed.outcomes)
        return footprint(executed, alone or ends)

    def _child(self, frame: SearchFrame, choice: PathChoice) -> SearchNode | None:
        """The node after a step; None where the bound on a loop cuts."""
        executed, outcome = choice.executed, choice.outcome
        node, slot = frame.node, executed.slot
        counts, forks = node.counts.copy(), node.forks
        counts[slot] += 1
        if choice.when is not TRUE:
            forks = forks.copy()
            forks[slot] += 1
        active, switches = node.active, node.switches
        if frame.event is None and slot != active:
            active, switches = slot, switches + 1
        visits = node.visits
        if not outcome.kind:
            source = self.executor.step(slot, executed.index).source
            visits, cut = self.loops.arrive(visits, slot, source, outcome.location, forks[slot])
            if cut:
                self._owe(cut, True, TRUE, node)
                self._leaf()
                return None
        return SearchNode(
            applied(node.values, outcome.writes), active, switches, counts, forks, visits, self._still(node, executed, outcome)
        )

    def _still(self, node: SearchNode, executed: Executed, outcome: StepEnd) -> list[list[Executed] | None]:
        """The steps that are what they were, because a step has changed nothing that they read."""
        changed = executed.write_mask
        ready = [None if steps is None or any(one.read_mask & changed for one in steps) else steps for steps in node.ready]
        ready[executed.slot] = None
        return ready

    def _look_at_clock(self) -> None:
        self.tick(self.counts)
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise SolverTimeout

    # ------------------------------------------------------------ nodes

    def _arrive(self, node: SearchNode, sleep: dict[int, EntryMasks], event: Ongoing | None) -> None:
        """A new node: the end of an interleaving, or one more frame."""
        if node.values[OVER] is TRUE:
            self._end(event)
            return
        holder = next((slot for slot in self._has_atomic if self.atomic[slot][self.executor.location(node.values, slot)]), None)
        forced = holder if holder is not None else self._forced(node)
        if forced is None:
            self._schedule(node, sleep, event)
            return
        if holder is not None and self._races:  # what is pending inside the section may race with what others are about to do
            self._owe_states(node, [one for slot in self.slots for one in self._executed(node, slot)], False)
        options = list(self._options(node, self._executed(node, forced)))
        if not options:
            self._end(event)
            return
        if event is None:
            event = self._prologue(node, sleep)
        elif holder is None and event.slot not in (forced, -1):
            self.events.joined.append((len(self.events.path), forced))
        self.stack.append(SearchFrame(len(self.stack), node, {forced: options}, [forced], sleep, self._lengths(), event=event))

    def _end(self, event: Ongoing | None) -> None:
        """The path ends in the middle of an event."""
        if event is not None:
            self._note_event(event, False)
        self._leaf()

    def _prologue(self, node: SearchNode, sleep: dict[int, EntryMasks]) -> Ongoing:
        """The event to which steps belong that come before the scheduler's first choice."""
        frame = SearchFrame(-1, node, {}, [], sleep, self._lengths(), tried={-1: EntryMasks()})
        return Ongoing(-1, frame, EntryMasks())

    def _lengths(self) -> tuple[int, int, int, int]:
        return len(self.edges), len(self.conditions), len(self.events.path), len(self.events.joined)

    def _executed(self, node: SearchNode, slot: int) -> list[Executed]:
        """The steps from where a slot is that may be enabled."""
        return [one for one in self._tried(node, slot) if one.enabled is not FALSE]

    def _tried(self, node: SearchNode, slot: int) -> list[Executed]:
        """All steps from where a slot is."""
        found = node.ready[slot]
        if found is None:
            run, out = self.executor.run, self.executor.out[slot][self.executor.location(node.values, slot)]
            found = node.ready[slot] = [run(node.values, slot, index, node.counts[slot]) for index in out]
        return found

    def _options(self, node: SearchNode, executed: list[Executed]) -> Iterator[PathChoice]:
        for one in executed:
            for outcome in one.outcomes:
                when = self.conditions.reduce(outcome.when)
                if when is not FALSE:
                    yield PathChoice(one, outcome, when)

    def _forced(self, node: SearchNode) -> int | None:
        """A slot that moves without being scheduled."""
        for slot in self.slots:
            location = self.executor.location(node.values, slot)
            if self.quiet.at(slot, location, self._executed(node, slot)):
                return slot
        return None

    def _schedule(self, node: SearchNode, sleep: dict[int, EntryMasks], event: Ongoing | None) -> None:
        """A node where the scheduler chooses."""
        if event is not None:
            self._note_event(event, True)
        executed = {slot: self._executed(node, slot) for slot in self.slots}
        options = {slot: list(self._options(node, found)) for slot, found in executed.items()}
        enabled = [slot for slot in self.slots if options[slot]]
        enabled.sort(key=lambda slot: slot != node.active)
        self._owe_states(node, [one for found in executed.values() for one in found], not enabled)
        if self.por == "source":
            self._note_blocked(node, options)
        allowed = self._allowed(node, enabled, options)
        if not allowed:
            self._leaf()
        elif self.seen.before(node.values, node.active, node.switches, node.visits, self.conditions.terms) or self._returns(node, sleep):
            self.counts.merged += 1
            self._discharge()
        else:
            unsure = {slot for slot in self.slots if self.por != "none" and not self._sure(executed[slot], options[slot])}
            order, whole = self._enough(node, allowed, executed, unsure), self.por == "none"
            awake = [slot for slot in order if slot not in sleep]
            if not awake:
                self.counts.blocked += 1
                self._discharge()
                return
            if self.por == "source":
                order = _until_sure(awake, unsure)
            lengths = self._lengths()
            frame = SearchFrame(len(self.stack), node, {slot: options[slot] for slot in allowed}, order, sleep, lengths, whole)
            self.stack.append(frame)
            if self.loops.endless:
                frame.key = self._key(node)
                self.onpath.setdefault(frame.key, frame)

    def _key(self, node: SearchNode) -> Hashable:
        return (*node.values, node.active if self.settings.contexts is not None else -1)

    def _returns(self, node: SearchNode, sleep: dict[int, EntryMasks]) -> bool:
        """The path comes back to a state that it was in. Whatever follows, follows from there; so nobody may be left out there, and who
        sleeps no longer wakes up there. With source sets nobody may be left out on the whole way round: what follows is in no race with
        that way, for it is not on the path then."""
        frame = self.onpath.get(self._key(node)) if self.loops.endless else None
        if frame is None:
            return False
        woken = [slot for slot in frame.sleep if slot not in sleep and slot in frame.options]
        frame.sleep = {slot: footprint for slot, footprint in frame.sleep.items() if slot in sleep}
        frame.order += [slot for slot in woken if slot not in frame.order]
        if self.por in ("source", "persistent"):
            for one in self.stack[frame.number :] if self.por == "source" else (frame,):
                one.order += [slot for slot in one.options if slot not in one.tried and slot not in one.order]
        return True

    def _allowed(self, node: SearchNode, enabled: list[int], options: dict[int, list[PathChoice]]) -> list[int]:
        """The slots that the bound on context switches lets move."""
        if node.switches != self.settings.contexts:
            return enabled
        for slot in enabled:
            if slot != node.active:
                some: Expr = FALSE
                for choice in options[slot]:
                    some = disj(some, choice.when)
                self._owe(CONTEXTS, True, some, node)
        return [slot for slot in enabled if slot == node.active]

    def _enough(self, node: SearchNode, enabled: list[int], executed: dict[int, list[Executed]], unsure: set[int]) -> list[int]:
        """The slots to try."""
        chosen = None if self.persistent is None else self.persistent.select(node.values, executed, enabled, unsure)
        return list(enabled) if chosen is None else chosen

    def _sure(self, executed: list[Executed], options: list[PathChoice]) -> bool:
        """Whatever the values are that the path leaves open, the slot can move and the run goes on after it (it may end inside an atomic
        section). Where it does not, what the others do is not seen after the slot's step."""
        if any(OVER in choice.outcome.writes for choice in options):
            return False
        if any(self.atomic[choice.executed.slot][choice.outcome.location] for choice in options):
            return False
        if not any(waits(self.executor.step(one.slot, one.index)) for one in executed):
            return True
        some: Expr = FALSE
        for one in executed:
            some = disj(some, one.enabled)
        return self.conditions.reduce(some) is TRUE

    # ------------------------------------------------------------ races between events

    def _note_event(self, event: Ongoing, goes_on: bool) -> None:
        """An event is complete. Unless the path `goes_on`, it is the last one."""
        if self.por != "source" or event.slot < 0:
            return
        races, clock = self.events.races(event.slot, event.footprint)
        for first in races:
            self._reverse(first, event.slot, clock)
        if goes_on:
            self.events.path.append(SlotEvent(event.slot, event.frame.number, event.footprint, clock))

    def _note_blocked(self, node: SearchNode, options: dict[int, list[PathChoice]]) -> None:
        """Threads that wait, or may: whoever made them wait could have come later."""
        for slot in self.slots:
            if not node.ready[slot] or any(choice.when is TRUE for choice in options[slot]):
                continue
            touched = EntryMasks()
            for one in self._tried(node, slot):
                touched = touched.joined(footprint(one, False))
            races, clock = self.events.races(slot, touched)
            for first in races:
                self._reverse(first, slot, clock)

    def _reverse(self, first: int, slot: int, clock: int) -> None:
        """Have somebody tried, instead of the event with that number, who leads to the slot's next step before it."""
        frame = self.stack[self.events.path[first].point]
        planned = {*frame.tried, *frame.order}
        initials = [one for one in self.events.initials(first, slot, clock) if one in frame.options]
        if any(one in planned or one in frame.sleep for one in initials):
            return
        wanted = [slot] if slot in initials else initials[:1] or list(frame.options)
        frame.order += [one for one in wanted if one not in planned]

    # ------------------------------------------------------------ what is owed

    def _owe(self, name: str, bound: bool, term: Expr, node: SearchNode, last: PathEdge | None = None) -> None:
        term = self.conditions.reduce(term)
        if term is FALSE or (bound and name in self.reached):
            return
        self.owed.append(Obligation(name, bound, len(self.conditions), len(self.edges), term, last, node.values))

    def _owe_stop(self, node: SearchNode, choice: PathChoice) -> None:
        """What it means that a step stops its thread."""
        executed, outcome, when = choice.executed, choice.outcome, choice.when
        last = PathEdge(node.values, executed, outcome)
        if outcome.prop in self.program.checks:
            self._owe(outcome.prop, False, when, node, last)
        elif outcome.prop and outcome.prop != "unreach-call":
            self._owe(f"violated.{outcome.prop}", True, when, node, last)
        if outcome.cut:
            self._owe(outcome.cut, True, when, node, last)
        leaked = self.states.at_end(node.values, executed, outcome)
        if leaked is not FALSE:
            self._owe("valid-memtrack", False, conj(when, leaked), node, last)

    def _owe_states(self, node: SearchNode, executed: list[Executed], leaf: bool) -> None:
        for name, bound, term in self.states.at(node.values, executed, leaf):
            before = len(self.owed)
            self._owe(name, bound, term, node)
            for one in self.owed[before:]:
                one.inputs = {key: width for step in executed for key, width in step.inputs.items()}

    def _leaf(self) -> None:
        """The end of an interleaving."""
        self.counts.interleavings += 1
        if self._discharge():
            self.counts.failed += 1

    def _discharge(self) -> bool:
        """Ask all that is owed; whether a property is violated."""
        owed, self.owed = self.owed, []
        violated = self._ask([one for one in owed if not one.bound])
        self._ask([one for one in owed if one.bound and one.name not in self.reached])
        return violated

    def _ask(self, owed: list[Obligation]) -> bool:
        """Whether one of them is met; all that are become known."""
        met = False
        while owed:
            answer = self.questions.ask(owed)
            if answer is None:
                break
            met, one = True, answer[0]
            if one.bound:
                self.reached[one.name] = None
            else:
                edges = self.edges[: one.edges] + ([one.last] if one.last is not None else [])
                self.found(one, edges, answer[1])
            owed = [other for other in owed if other.name != one.name]
        return met
