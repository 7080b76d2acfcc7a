"""One step of one thread on sets of values (`value_sets.py`), with memory as that thread knows it (`slot_memory.py`).

A step is run in *worlds*: where a predicate may be true or false, or a semaphore may have one of several values, the world splits
and each half remembers its case. Nothing is lost: every way in which the step can be taken from a state that the world describes is
described by one of the worlds that come out.

Four kinds of cells are special; `Protocol` names them, and the step checks that the thread keeps to the rules (else NoClaim):

- *owner words* (of a mutex, a spin lock, the writer of a readers-writer lock): while others run, a thread writes its own id where 0
  was, or 0 where its own id was. So a word with the id of a thread is changed by nobody else.
- *semaphores*: while others run, a thread takes one unit or gives back one that it has taken before. What it has is counted in a
  cell of its own. So the value is the capacity less what all threads have.
- *readers words* (of a readers-writer lock): while others run, a thread changes its own bit only. So that bit is as the thread left
  it. The bit is set only while the lock's owner word is 0, and an id is written there only while the readers word is 0: one
  excludes the other.
- *states* of thread descriptors: a thread moves only while its state is RUNNING.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fsoft.analysis.locks import Held
from fsoft.analysis.points_to import PointsTo
from fsoft.analysis.slot_memory import MemoryView, NoClaim, SlotMemory
from fsoft.analysis.value_sets import BOTH, NO, YES, ValueSet, any_of, evaluate_set, union
from fsoft.program import descriptor
from fsoft.program.expr import TRUE, Expr
from fsoft.program.program import Action, Alloc, Assign, Check, Enter, Free, Halt, Input, Leave, Load, Require, Step, Store
from fsoft.program.state import ALIVE, DEAD, NEVER

RegisterValues = dict[str, ValueSet]
_WORLDS = 512
_FEW, _CASES = 16, 8  # in so few worlds, a loaded register that decides something gets a world for each of so few values
_UNITS = -(1 << 72)  # cells in which a thread counts its units of a semaphore


@dataclass(slots=True)
class Protocol:
    """The special cells. `states[k]` is the address of the state of slot k; `capacity` of a semaphore is known once threads run."""

    states: list[int]
    owners: set[int] = field(default_factory=set)
    semaphores: set[int] = field(default_factory=set)
    readers: set[int] = field(default_factory=set)
    writer: dict[int, int] = field(default_factory=dict)  # by readers word, the owner word of the same lock
    capacity: dict[int, int] = field(default_factory=dict)

    def special(self, cell: int) -> bool:
        """Threads keep to rules when they write it, as long as others run."""
        return cell in self.owners or cell in self.semaphores or cell in self.readers


@dataclass(slots=True)
class World:
    """`links`: the cell that a register was loaded from in this step, while both are still the same. `origin`: the cells that
    a register's value was made of in this step. `started`: slots that were set running in this step. `loose`: while nobody else
    ran, it wrote a special cell, by no rule. `written`: the cells that it wrote, with the slots that may run then and the locks held:
    others see what is in them when the step is over."""

    registers: RegisterValues
    view: MemoryView
    links: dict[str, int] = field(default_factory=dict)
    origin: dict[str, frozenset[int]] = field(default_factory=dict)
    started: frozenset[int] = frozenset()
    written: dict[int, tuple[int, Held]] = field(default_factory=dict)
    loose: bool = False

    def copy(self) -> World:
        tables = dict(self.registers), dict(self.view), dict(self.links), dict(self.origin)
        return World(*tables, self.started, dict(self.written), self.loose)


@dataclass(frozen=True, slots=True)
class Write:
    """A cell may get these values while the slots of the mask `running` run and the writer holds `held`."""

    cell: int
    values: ValueSet
    running: int
    held: Held


@dataclass(slots=True)
class StepOutcome:
    """What a step may do: the worlds after it, what it writes, which slots it starts (with memory as it is then; `loose` are those views in
    which the rules may not hold), and whether it may be blocked, by which cells."""

    worlds: list[World] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)
    started: list[tuple[int, MemoryView]] = field(default_factory=list)
    loose: list[MemoryView] = field(default_factory=list)
    blocked: bool = False
    blockers: set[int] = field(default_factory=set)


def units_cell(semaphore: int) -> int:
    return _UNITS - semaphore


def _single(values: ValueSet) -> int | None:
    return next(iter(values)) if values is not None and len(values) == 1 else None


class SlotSteps:
    """The steps of one slot. `cases`: loaded values that decide something are told apart."""

    def __init__(self, points_to: PointsTo, slot: int, memory: SlotMemory, protocol: Protocol, asked: frozenset[str], cases: bool = True):
        self.program, self.points_to = points_to.program, points_to
        self.slot, self.memory, self.protocol, self.asked, self.cases = slot, memory, protocol, asked, cases
        self.me: frozenset[int] = frozenset((slot + 1,))
        self.bit = 1 << slot
        self._own = self.program.threads[slot].own
        self._deciding: dict[int, frozenset[str]] = {}
        self._apart: frozenset[str] = frozenset()

    # ------------------------------------------------------------ what is known in a view

    def running(self, view: MemoryView) -> int:
        """Mask of the other slots that may run."""
        read, states = self.memory.read, self.protocol.states
        mask = 0
        for slot, cell in enumerate(states):
            if slot != self.slot:
                values = read(view, cell)
                if values is None or descriptor.RUNNING in values:
                    mask |= 1 << slot
        return mask

    def held(self, view: MemoryView) -> Held:
        """The owner words that certainly have this thread's id, the readers words with its bit, the semaphores of which it has units."""
        read = self.memory.read
        found = {cell for cell in self.protocol.owners if read(view, cell) == self.me}
        found |= {cell for cell in self.protocol.readers if self.reading(view, cell) == YES}
        return frozenset(found | {cell for cell in self.protocol.semaphores if self.units(view, cell)})

    def unclear(self, view: MemoryView) -> bool:
        """Some owner word may or may not have this thread's id, or some readers word its bit."""
        for cell in self.protocol.owners:
            values = self.memory.read(view, cell)
            if values is None or (self.slot + 1 in values and values != self.me):
                return True
        return any(self.reading(view, cell) == BOTH for cell in self.protocol.readers)

    def reading(self, view: MemoryView, cell: int) -> frozenset[int]:
        """What this thread's bit of a readers word may be."""
        values = self.memory.read(view, cell)
        return BOTH if values is None else frozenset(int(v & self.bit != 0) for v in values)

    def units(self, view: MemoryView, semaphore: int) -> int:
        return next(iter(self.memory.read(view, units_cell(semaphore)) or NO))

    def value(self, world: World, expr: Expr) -> ValueSet:
        def leaf(node: Expr) -> ValueSet:
            if node.op == "own":
                return frozenset((self._own[str(node.data)],)) if node.data in self._own else any_of(node.width)
            known = world.registers.get(str(node.data))
            return any_of(node.width) if known is None else known

        return evaluate_set(expr, leaf)

    def addresses(self, world: World, expr: Expr) -> frozenset[int]:
        """Where an access may go. Who else sees it was decided by what pointers are computed from, so a number that only happens to be
        an address is none."""
        found = self.value(world, expr)
        if found is None:
            raise NoClaim("an address is not known")
        objects, bits = self.points_to.value(self.slot, expr) | 1, self.program.offset_bits  # null is invalid, and found to be
        if any(not objects >> (address >> bits) & 1 for address in found):
            raise NoClaim("a number may be used as an address")
        return found

    # ------------------------------------------------------------ cases

    def split(self, world: World, condition: Expr) -> tuple[World | None, World | None]:
        """The world where the condition holds, and the one where it does not; None where there is none. May change `world`."""
        if condition is TRUE:
            return world, None
        values = self.value(world, condition)
        if values == YES:
            return world, None
        if values == NO:
            return None, world
        if not values:
            return None, None
        other = world.copy()
        yes, no = self._narrow(world, condition, 1), self._narrow(other, condition, 0)
        return world if yes else None, other if no else None

    def _narrow(self, world: World, condition: Expr, truth: int) -> bool:
        """Leave out values with which the condition is not `truth`; whether any are left."""
        todo = [(condition, truth)]
        while todo:
            node, wanted = todo.pop()
            if node.op == "not":
                todo.append((node.args[0], 1 - wanted))
            elif node.width == 1 and node.op == ("and" if wanted else "or") and node.args[0].width == 1:
                todo += [(arg, wanted) for arg in node.args]
            elif not self._filter(world, node, wanted):
                return False
        return True

    def _filter(self, world: World, node: Expr, wanted: int) -> bool:
        if node.op == "eq" and wanted:
            for one, other in (node.args, node.args[::-1]):
                if one.op == "reg" and world.registers.get(str(one.data)) is None and (known := self.value(world, other)) is not None:
                    self._set(world, str(one.data), known)
        for name in sorted(node.reads):
            values = world.registers.get(name)
            if values is None or len(values) < 2:
                continue
            kept = frozenset(v for v in values if wanted in (self._with(world, name, v, node) or ()))
            if not kept:
                return False
            if kept != values:
                self._set(world, name, kept)
        return wanted in (self.value(world, node) or ())

    def _with(self, world: World, name: str, value: int, node: Expr) -> ValueSet:
        old = world.registers[name]
        world.registers[name] = frozenset((value,))
        result = self.value(world, node)
        world.registers[name] = old
        return result

    @staticmethod
    def _set(world: World, name: str, values: ValueSet) -> None:
        """The register has one of these values; so has the cell it was loaded from, and what else was loaded from it."""
        world.registers[name] = values
        cell = world.links.get(name)
        if cell is not None:
            world.view[cell] = values
            for other, linked in world.links.items():
                if linked == cell:
                    world.registers[other] = values

    # ------------------------------------------------------------ the step

    def take(self, step: Step, registers: RegisterValues, view: MemoryView) -> StepOutcome | None:
        """All that the step may do; None if its guard cannot hold."""
        out = StepOutcome()
        for tag in step.tags:
            if tag.kind == "marker" and tag.operand is not None and self.program.markers[tag.operand.value].hides(self.program.checks):
                raise NoClaim(f"{step.loc}: {self.program.markers[tag.operand.value].message}")
        first, _ = self.split(World(dict(registers), dict(view)), step.guard)
        if first is None:
            return None
        worlds = [first]
        deciding = self._deciding_in(step) if self.cases else frozenset()
        for action in step.actions:
            self._apart = deciding if len(worlds) <= _FEW else frozenset()
            worlds = [new for world in worlds for new in self._when(world, action, out, step)]
            if len(worlds) > _WORLDS:
                raise NoClaim(f"{step.loc}: too many cases")
        out.worlds = worlds
        for world in worlds:
            self._over(world, out)
        return out

    def _deciding_in(self, step: Step) -> frozenset[str]:
        """The registers that conditions inside the step depend on."""
        known = self._deciding.get(id(step))
        if known is None:
            names = set[str]()
            for action in reversed(step.actions):
                names |= action.when.reads
                if isinstance(action, (Check, Require)):
                    names |= action.condition.reads
                elif isinstance(action, Assign) and action.reg in names:
                    names |= action.value.reads
            known = self._deciding[id(step)] = frozenset(names)
        return known

    @staticmethod
    def _over(world: World, out: StepOutcome) -> None:
        """The step ends in this world: now the others see what it did."""
        out.started += [(slot, world.view) for slot in sorted(world.started)]
        out.loose += [world.view] if world.loose and world.started else []
        out.writes += [Write(cell, world.view[cell], running, held) for cell, (running, held) in world.written.items()]

    def _when(self, world: World, action: Action, out: StepOutcome, step: Step) -> list[World]:
        yes, no = self.split(world, action.when)
        done = self._act(yes, action, out, step) if yes is not None else []
        return done if no is None else [*done, no]

    def _act(self, world: World, action: Action, out: StepOutcome, step: Step) -> list[World]:
        if isinstance(action, Assign):
            return self._assign(world, action)
        if isinstance(action, Load):
            return self._load(world, action)
        if isinstance(action, Store):
            self._store(world, action)
        elif isinstance(action, Require):
            return self._require(world, action, out)
        elif isinstance(action, Check):
            return self._check(world, action, out, step)
        elif isinstance(action, Halt):
            return self._halt(world, action, out, step)
        elif isinstance(action, Input):
            self._input(world, action, step)
        elif isinstance(action, (Enter, Leave)):
            self._lifetime(world, action)
        elif isinstance(action, Alloc):
            return self._alloc(world, action, step)
        elif isinstance(action, Free):
            self._free(world, action)
        else:
            raise NoClaim(f"{step.loc}: the size of an object is asked for")
        return [world]

    def _define(self, world: World, name: str, values: ValueSet, origin: frozenset[int] = frozenset()) -> None:
        world.registers[name] = values
        world.links.pop(name, None)
        world.origin[name] = origin

    def _assign(self, world: World, action: Assign) -> list[World]:
        origin = frozenset[int]().union(*[world.origin.get(name, frozenset()) for name in action.value.reads])
        link = world.links.get(str(action.value.data)) if action.value.op == "reg" else None
        values = self.value(world, action.value)
        if action.value.width == 1 and values == BOTH:
            yes, no = self.split(world, action.value)
            cases: list[tuple[ValueSet, World | None]] = [(YES, yes), (NO, no)]
        else:
            cases = [(values, world)]
        done = []
        for known, case in cases:
            if case is not None:
                self._define(case, action.reg, known, origin)
                if link is not None:
                    case.links[action.reg] = link
                done.append(case)
        return done

    def _load(self, world: World, action: Load) -> list[World]:
        values, cells, whole = self.memory.load(world.view, self.addresses(world, action.address), action.size)
        cases = [values]
        decides = action.reg in self._apart and values is not None and len(values) <= _CASES
        if values is not None and (decides or whole in self.protocol.semaphores or whole in self.protocol.readers):
            cases = [frozenset((value,)) for value in sorted(values)]
        done = []
        for known in cases:
            case = world if len(cases) == 1 else world.copy()
            self._define(case, action.reg, known, frozenset(cells))
            if whole is not None:
                case.links[action.reg] = whole
                case.view[whole] = known
            done.append(case)
        return done

    def _require(self, world: World, action: Require, out: StepOutcome) -> list[World]:
        origin = [world.origin.get(name, frozenset()) for name in action.condition.reads]
        yes, no = self.split(world, action.condition)
        if no is not None:
            out.blocked = True
            out.blockers.update(*origin)
        return [yes] if yes is not None else []

    def _check(self, world: World, action: Check, out: StepOutcome, step: Step) -> list[World]:
        yes, no = self.split(world, action.condition)
        if no is not None and (action.prop in self.asked or action.prop != "unreach-call"):
            raise NoClaim(f"{step.loc}: {action.prop} may be violated: {action.message}")
        if no is not None:
            self._over(no, out)
        return [yes] if yes is not None else []

    def _halt(self, world: World, action: Halt, out: StepOutcome, step: Step) -> list[World]:
        if action.kind not in ("ended", "pruned", "failed"):
            why = self.program.markers[action.marker].message if action.marker is not None else action.kind
            raise NoClaim(f"{step.loc}: {why}")
        self._over(world, out)
        return []

    def _input(self, world: World, action: Input, step: Step) -> None:
        if action.marker is not None and self.program.markers[action.marker].hides(self.program.checks):
            raise NoClaim(f"{step.loc}: {self.program.markers[action.marker].message}")
        values = any_of(self.program.threads[self.slot].template.registers[action.reg].width)
        if action.among is not None:
            masks = self.value(world, action.among)
            bits = range(action.among.width)
            values = frozenset(bits) if masks is None else frozenset(b for m in masks for b in bits if m >> b & 1 or (not m and not b))
        self._define(world, action.reg, values)

    # ------------------------------------------------------------ memory

    def _store(self, world: World, action: Store) -> None:
        addresses, values = self.addresses(world, action.address), self.value(world, action.value)
        for address in sorted(addresses):
            cells, whole = self.memory.keys(world.view, address, action.size, True)
            for cell in cells:
                certain = whole and len(addresses) == 1
                new = values if certain else union(self.memory.read(world.view, cell), values) if whole else None
                self._write(world, cell, new)

    def _write(self, world: World, cell: int, new: ValueSet) -> None:
        old = self.memory.read(world.view, cell)
        if new is not None and new == old and len(new) == 1:
            return
        running, before = self.running(world.view), self.held(world.view)
        if cell in self.protocol.owners and running and (old, new) not in ((NO, self.me), (self.me, NO)):
            raise NoClaim("a lock may be changed by a thread that does not own it")
        world.loose = world.loose or (not running and self.protocol.special(cell))
        if cell in self.protocol.semaphores and running:
            self._count(world, cell, old, new)
        if running and not self._excludes(world, cell, old, new):
            raise NoClaim("a readers-writer lock may be changed by a thread that does not hold it")
        world.view[cell] = new
        for name in [name for name, linked in world.links.items() if linked == cell]:
            del world.links[name]
        also, held = world.written.get(cell, (0, before | self.held(world.view)))
        world.written[cell] = (running | also, held & (before | self.held(world.view)))
        if cell in self.protocol.states and (new is None or descriptor.RUNNING in new):
            world.started |= {self.protocol.states.index(cell)}

    def _excludes(self, world: World, cell: int, old: ValueSet, new: ValueSet) -> bool:
        """Whether a write keeps to the rules of readers-writer locks."""
        writer, read = self.protocol.writer, self.memory.read
        if cell in self.protocol.readers:
            before, after = _single(old), _single(new)
            if before is None or after is None or before ^ after != self.bit:
                return False
            return after < before or cell not in writer or read(world.view, writer[cell]) == NO
        return new == NO or all(read(world.view, readers) == NO for readers, owner in writer.items() if owner == cell)

    def _count(self, world: World, cell: int, old: ValueSet, new: ValueSet) -> None:
        """A semaphore changes by one unit."""
        before, after, units = _single(old), _single(new), self.units(world.view, cell)
        if before is None or after is None:
            raise NoClaim("a semaphore may be overwritten")
        change = before - after
        if change not in (1, -1) or units + change < 0:
            raise NoClaim("a semaphore is posted by a thread that has not waited for it")
        world.view[units_cell(cell)] = frozenset((units + change,))

    def _lifetime(self, world: World, action: Enter | Leave) -> None:
        addresses = self.value(world, action.address)
        if addresses is None or len(addresses) != 1:
            raise NoClaim("an object whose life begins or ends is not known")
        obj = self.memory.object_at(next(iter(addresses)))
        self._write(world, -obj.id, frozenset((ALIVE if isinstance(action, Enter) else DEAD,)))
        if isinstance(action, Enter):
            for cell in self.memory.cells_of(obj):
                self._write(world, cell, None)

    def _alloc(self, world: World, action: Alloc, step: Step) -> list[World]:
        pool = self.program.pools[action.pool]
        if not pool.exact or self.value(world, action.size) != frozenset((pool.capacity,)):
            raise NoClaim(f"{step.loc}: the size of an allocation is not known")
        done = []
        for number in self._candidates(world, pool.objects, step):
            case = world.copy()
            obj = self.program.objects[number]
            self._write(case, -number, frozenset((ALIVE,)))
            for cell in self.memory.cells_of(obj):
                self._write(case, cell, NO if action.zero else None)
            self._define(case, action.reg, frozenset((self.program.address(obj),)))
            done.append(case)
        return done

    def _candidates(self, world: World, objects: tuple[int, ...], step: Step) -> list[int]:
        """The objects that an allocation may return: freed ones, and the first that was never used."""
        found, certain = [], False
        for number in objects:
            status = self.memory.read(world.view, -number) or frozenset((NEVER, DEAD))
            if (DEAD in status and self.program.heap_reuse) or (NEVER in status and not certain):
                found.append(number)
            certain = certain or status == frozenset((NEVER,))
        if not certain:
            raise NoClaim(f"{step.loc}: there may be no heap object left")
        return found

    def _free(self, world: World, action: Free) -> None:
        addresses = self.addresses(world, action.address)
        if len(addresses) != 1:
            raise NoClaim("an object that is freed is not known")
        address = next(iter(addresses))
        obj = self.memory.object_at(address)
        if obj.storage != "heap" or address & self.memory.mask or self.memory.read(world.view, -obj.id) != frozenset((ALIVE,)):
            raise NoClaim("a free may be invalid")
        self._write(world, -obj.id, frozenset((DEAD,)))
