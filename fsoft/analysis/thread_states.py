"""What each thread may know and hold at each of its locations, whatever the others do: a proof from thread to thread.

For every slot a set of abstract states (location, values of live registers, values that cells may have). They are closed under the
slot's own steps and under *interference*: whatever another slot may write while this one runs, unless both hold a common lock then.
A slot starts with memory as its creator knew it. Facts, writes and starts are computed together until nothing changes any more.

This is the thread-modular reasoning of Flanagan and Qadeer ("Thread-modular model checking", SPIN 2003) with values of cells instead of
whole shared states, and with the ownership of locks as the one thing that threads may rely on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from fsoft.analysis.liveness import live_registers
from fsoft.analysis.locks import Held
from fsoft.analysis.points_to import PointsTo
from fsoft.analysis.slot_memory import MemoryView, NoClaim, SlotMemory
from fsoft.analysis.slot_steps import Protocol, RegisterValues, SlotSteps, StepOutcome, World, Write, units_cell
from fsoft.analysis.value_sets import NO, ValueSet, union, within
from fsoft.program import descriptor
from fsoft.program.program import Program, Step

_ROUNDS = 400
_STATES = 4000  # of all slots together
_AT_ONE_PLACE = 200  # states of a location before they are joined
_GROWTH = 8  # new values of a cell, one after the other

Writes = dict[tuple[int, int, Held], dict[int, ValueSet]]
"""By writer, slots that may run then, and locks held: the cells and the values they may get."""


_Key = tuple[object, ...]


class _NewCells(Exception):
    """An owner word or a semaphore was found that was not known before."""


@dataclass(slots=True)
class LocalState:
    """A slot at a location."""

    location: int
    registers: RegisterValues
    view: MemoryView


@dataclass(slots=True)
class ThreadFacts:
    """What was found, and all that is needed to check it: states by slot, what each slot starts with (None: it never does), writes;
    `locks` as in ThreadStates."""

    states: list[list[LocalState]]
    starts: list[MemoryView | None]
    writes: Writes
    protocol: Protocol
    locks: bool = True


class ThreadStates:
    """The analysis of a program. `asked`: the properties whose checks must hold. `locks`: what threads hold is told apart, and they
    rely on it; without, there is one state for each location of a thread that main has created, and locks are words like others:
    quick, and enough for what a thread knows by itself. NoClaim if something is out of its reach."""

    def __init__(self, program: Program, asked: frozenset[str], locks: bool = True):
        self.program, self.locks = program, locks
        if any(place.atomic for template in program.templates() for place in template.locations):
            raise NoClaim("atomic sections of several steps")
        self.memory = SlotMemory(program)
        array = next((o for o in program.objects if o.name == descriptor.ARRAY), None)
        if array is None:
            raise NoClaim("no threads")
        slots = range(len(program.threads))
        word = program.word // 8
        self.protocol = Protocol([program.address(array, descriptor.offset(slot, "state", word)) for slot in slots])
        self._tables = {"owner": self.protocol.owners, "semwait": self.protocol.semaphores, "shared": self.protocol.readers}
        points_to = PointsTo(program)
        self.steps = [SlotSteps(points_to, slot, self.memory, self.protocol, asked, locks) for slot in slots]
        self.live = {id(t): live_registers(t) for t in program.templates()}
        self.out = {id(t): t.outgoing() for t in program.templates()}
        self.starts: list[MemoryView | None] = [self.at_start(slot) for slot in slots]
        if any(start is not None for start in self.starts[1:]):
            raise NoClaim("several threads run from the start")
        self.writes: Writes = {}
        self._changed = False
        self._interference: dict[tuple[int, int, Held], MemoryView] = {}
        self._found: list[dict[_Key, LocalState]] = [{} for _ in slots]
        self._growth: Counter[tuple[int, int, int]] = Counter()
        self._at: list[Counter[int]] = [Counter() for _ in slots]

    def at_start(self, slot: int) -> MemoryView | None:
        """Memory as a slot finds it that runs from the start."""
        return {} if self.memory.read({}, self.protocol.states[slot]) == frozenset((descriptor.RUNNING,)) else None

    def adopt(self, facts: ThreadFacts) -> None:
        """Take over what another analysis says, without believing it."""
        if len(facts.starts) != len(self.starts) or len(facts.states) != len(self.starts) or facts.protocol.states != self.protocol.states:
            raise NoClaim("facts about another program")
        self.starts, self.writes = list(facts.starts), facts.writes
        mine, theirs = self.protocol, facts.protocol
        mine.owners, mine.semaphores, mine.readers = set(theirs.owners), set(theirs.semaphores), set(theirs.readers)
        mine.writer, mine.capacity = dict(theirs.writer), dict(theirs.capacity)

    def solve(self) -> ThreadFacts:
        for _ in range(_ROUNDS):
            self._changed = False
            try:
                states = [self._explore(slot) for slot in range(len(self.program.threads))]
            except _NewCells:
                self._begin_again()
                continue
            if not self._changed:
                return ThreadFacts(states, self.starts, self.writes, self.protocol, self.locks)
        raise NoClaim("no fixed point")

    # ------------------------------------------------------------ one slot

    def _explore(self, slot: int) -> list[LocalState]:
        """The states of a slot, given what is known of the others so far. Those of the round before stay, with what the others may
        have done since; only what is new is explored."""
        self._interference.clear()
        found = self._found[slot]
        work = [key for key, state in found.items() if self._disturbed(slot, state)]
        start = self.first(slot)
        if start is not None:
            self._reach(slot, start, work)
        while work:
            state = found[work.pop()]
            if self.locks:
                self._name_cells(slot, state)
            for step, outcome in self.outcomes(slot, state):
                self._learn(slot, state, outcome)
                for successor in self.successors(slot, step, outcome):
                    self._reach(slot, successor, work)
            if len(found) > _STATES:
                raise NoClaim("too many states")
        return list(found.values())

    def _disturbed(self, slot: int, state: LocalState) -> bool:
        """Add what the others may do to a state by now; whether that is more than before."""
        view = self.closed(slot, state.view)
        more = not view_included(view, state.view, self.memory)
        state.view = view
        return more

    def _begin_again(self) -> None:
        """Forget all but the special cells."""
        self.writes.clear()
        self.starts = [self.at_start(slot) for slot in range(len(self.program.threads))]
        for found, at in zip(self._found, self._at, strict=True):
            found.clear()
            at.clear()

    def first(self, slot: int) -> LocalState | None:
        """Where a slot starts; None if it never does."""
        start = self.starts[slot]
        return None if start is None else LocalState(0, {}, self.closed(slot, start))

    def outcomes(self, slot: int, state: LocalState) -> Iterator[tuple[Step, StepOutcome]]:
        """The steps that can be tried in a state, and what they may do."""
        for step in self.out[id(self.program.threads[slot].template)][state.location]:
            outcome = self.steps[slot].take(step, state.registers, state.view)
            if outcome is not None:
                yield step, outcome

    def successors(self, slot: int, step: Step, outcome: StepOutcome) -> Iterator[LocalState]:
        """The states after a step, with what the others may do then; none after the thread's end, where it must hold nothing."""
        live = self.live[id(self.program.threads[slot].template)][step.target]
        for world in outcome.worlds:
            if step.target == 0:
                self._ends(slot, world.view, step)
                continue
            registers: RegisterValues = {name: values for name, values in world.registers.items() if name in live and values is not None}
            yield LocalState(step.target, registers, self.closed(slot, world.view))

    def _ends(self, slot: int, view: MemoryView, step: Step) -> None:
        steps = self.steps[slot]
        if steps.held(view) or (steps.running(view) and steps.unclear(view)):
            raise NoClaim(f"{step.loc}: a thread may end while it holds a lock")

    def _reach(self, slot: int, state: LocalState, work: list[_Key]) -> None:
        found, at = self._found[slot], self._at[slot]
        held = self.steps[slot].held(state.view)
        units = tuple(sorted((s, self.steps[slot].units(state.view, s)) for s in held & self.protocol.semaphores))
        alone = self.alone(slot, state)
        key: _Key = (state.location, frozenset(state.registers.items()), held, units, alone)
        if key not in found and at[state.location] >= (_AT_ONE_PLACE if self.locks or slot == 0 else 1):
            key = (state.location, held, units, alone)
        old = found.get(key)
        if old is None:
            found[key] = state
            at[state.location] += 1
            work.append(key)
        elif not included(state, old, self.memory):
            found[key] = joined(old, state, self.memory)
            work.append(key)

    def alone(self, slot: int, state: LocalState) -> bool:
        """Nobody else runs, so the rules of locks need not hold yet. Such states are kept apart from others: where the first thread
        starts, `first_start` must see them. Without locks there are no rules."""
        return self.locks and not self.steps[slot].running(state.view)

    def _name_cells(self, slot: int, state: LocalState) -> None:
        """Owner words and semaphores, as the tags of steps name them. Nothing depends on finding all: who waits for another cell than
        these makes a claim impossible."""
        fresh = False
        for step in self.out[id(self.program.threads[slot].template)][state.location]:
            words: dict[str, frozenset[int]] = {}
            for tag in step.tags:
                table = self._tables.get(tag.kind)
                if table is not None and tag.operand is not None:
                    named = self.steps[slot].value(World(state.registers, state.view), tag.operand) or frozenset()
                    fresh = fresh or not named <= table
                    table.update(named)
                    words[tag.kind] = named
            if len(words.get("owner", ())) == len(words.get("shared", ())) == 1:
                (owner,), (readers,) = words["owner"], words["shared"]
                fresh = fresh or readers not in self.protocol.writer
                self.protocol.writer[readers] = owner
        if fresh:
            raise _NewCells

    # ------------------------------------------------------------ the others

    def closed(self, slot: int, view: MemoryView) -> MemoryView:
        """The view after any number of steps of the other slots."""
        steps, view = self.steps[slot], dict(view)
        held = steps.held(view)
        mine = held & self.protocol.owners | {self.protocol.writer.get(cell) for cell in held & self.protocol.readers}
        running = -1
        while running != (running := steps.running(view)):
            for cell, values in self._from_others(slot, running, held).items():
                if cell in mine:
                    continue
                if cell in self.protocol.readers:
                    values = self._with_own_bit(slot, view, cell, values)
                view[cell] = union(self.memory.read(view, cell), values)
        for semaphore in self.protocol.semaphores:
            self._level(slot, view, semaphore, running)
        return view

    def _with_own_bit(self, slot: int, view: MemoryView, cell: int, values: ValueSet) -> ValueSet:
        """What others may write to a readers word: they leave this slot's bit alone."""
        steps = self.steps[slot]
        bits = steps.reading(view, cell)
        return None if values is None else frozenset(v & ~steps.bit | b * steps.bit for v in values for b in bits)

    def _level(self, slot: int, view: MemoryView, semaphore: int, running: int) -> None:
        """The value of a semaphore while others use it."""
        if not running:
            return
        capacity, units = self.protocol.capacity.get(semaphore), self.steps[slot].units(view, semaphore)
        if capacity is None or capacity > 48:
            raise NoClaim("the value of a semaphore is not known when threads start")
        view[semaphore] = frozenset(range(max(capacity - units, 0) + 1))

    def _from_others(self, slot: int, running: int, held: Held) -> MemoryView:
        """What the running slots may write while this one runs and holds these locks."""
        key = (slot, running, held)
        known = self._interference.get(key)
        if known is None:
            known = self._interference[key] = {}
            for (writer, others, locks), cells in self.writes.items():
                if running >> writer & 1 and others >> slot & 1 and locks.isdisjoint(held & self.protocol.owners):
                    for cell, values in cells.items():
                        known[cell] = union(known[cell], values) if cell in known else values
        return known

    # ------------------------------------------------------------ what is learnt

    def _learn(self, slot: int, state: LocalState, outcome: StepOutcome) -> None:
        for write in outcome.writes:
            if self.matters(write) and not within(write.values, self.known(slot, write)):
                self._list(slot, write)
                self._changed = True
        for view in self.unruled(slot, state, outcome):
            self.first_start(slot, view)
        for started, view in outcome.started:
            self._start(started, view)

    def _list(self, slot: int, write: Write) -> None:
        """One more write. Without locks, a cell that gets more and more values may have any."""
        table = self.writes.setdefault((slot, write.running, write.held), {})
        times = (slot, write.running, write.cell)
        self._growth[times] += 1
        if not self.locks and self._growth[times] > _GROWTH and write.cell not in self.protocol.states:
            table[write.cell] = None
        else:
            table[write.cell] = union(table[write.cell], write.values) if write.cell in table else write.values

    def matters(self, write: Write) -> bool:
        """Somebody else runs and may notice."""
        return write.running != 0 and write.cell not in self.protocol.semaphores

    def unruled(self, slot: int, state: LocalState, outcome: StepOutcome) -> list[MemoryView]:
        """The views with which slots start though the rules of locks did not hold all the time: nobody else ran, before or in the step."""
        alone = not self.steps[slot].running(state.view)
        return [view for _, view in outcome.started] if alone else outcome.loose

    def first_start(self, slot: int, view: MemoryView) -> None:
        """The first other thread starts: now the rules begin to hold. Locks are free or the creator's, and the capacity of each
        semaphore is what it has and what the creator has taken."""
        steps = self.steps[slot]
        for semaphore in self.protocol.semaphores:
            values = self.memory.read(view, semaphore)
            if values is None or len(values) != 1:
                raise NoClaim("the value of a semaphore is not known when threads start")
            capacity = next(iter(values)) + steps.units(view, semaphore)
            if self.protocol.capacity.setdefault(semaphore, capacity) != capacity:
                raise NoClaim("a semaphore is initialised twice")
        if not self.unlocked(slot, view):
            raise NoClaim("a lock may not be free when threads start")

    def unlocked(self, slot: int, view: MemoryView) -> bool:
        """Every lock is free, or the slot's own."""
        steps, read = self.steps[slot], self.memory.read
        owners = all(read(view, cell) in (NO, steps.me) for cell in self.protocol.owners)
        return owners and all(read(view, cell) in (NO, frozenset((steps.bit,))) for cell in self.protocol.readers)

    def known(self, slot: int, write: Write) -> ValueSet:
        """The values that are known to be written like that."""
        return self.writes.get((slot, write.running, write.held), {}).get(write.cell, frozenset())

    def _start(self, slot: int, view: MemoryView) -> None:
        """A slot starts with what its creator knows."""
        mine = self.inherited(slot, view)
        old = self.starts[slot]
        if old is None:
            self.starts[slot] = mine
            self._changed = True
        elif not view_included(mine, old, self.memory):
            self.starts[slot] = view_joined(old, mine, self.memory)
            self._changed = True

    def inherited(self, slot: int, view: MemoryView) -> MemoryView:
        """A view for a slot that starts. It has nothing: neither the units of its creator nor a bit of its own in readers words."""
        gone = {units_cell(s) for s in self.protocol.semaphores} | self.protocol.semaphores
        mine = {cell: values for cell, values in view.items() if cell not in gone}
        for cell in self.protocol.readers & mine.keys():
            values = mine[cell]
            mine[cell] = None if values is None else frozenset(v & ~self.steps[slot].bit for v in values)
        return mine


def view_included(small: MemoryView, large: MemoryView, memory: SlotMemory) -> bool:
    return all(within(memory.read(small, cell), memory.read(large, cell)) for cell in small.keys() | large.keys())


def view_joined(x: MemoryView, y: MemoryView, memory: SlotMemory) -> MemoryView:
    return {cell: union(memory.read(x, cell), memory.read(y, cell)) for cell in x.keys() | y.keys()}


def included(small: LocalState, large: LocalState, memory: SlotMemory) -> bool:
    """Every state that `small` describes is described by `large`."""
    if small.location != large.location:
        return False
    if not all(within(small.registers.get(name), values) for name, values in large.registers.items()):
        return False
    return view_included(small.view, large.view, memory)


def joined(x: LocalState, y: LocalState, memory: SlotMemory) -> LocalState:
    names = x.registers.keys() & y.registers.keys()
    registers = {name: union(x.registers[name], y.registers[name]) for name in names}
    kept: RegisterValues = {name: values for name, values in registers.items() if values is not None}
    return LocalState(x.location, kept, view_joined(x.view, y.view, memory))
