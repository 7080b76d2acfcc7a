"""A monitor of data races built into the Program, for `--race-model c11` with memory orders weaker than seq_cst.

In the model of SV-COMP two conflicting accesses that are pending together race (`properties/races.py`). In C11 two conflicting accesses
race if neither happens before the other. As long as all atomic operations are sequentially consistent that is the same: a program with a
race has an interleaving in which the two accesses are next to each other. A weaker operation orders less, and this pass is needed.

A race is a pair of conflicting accesses, not both atomic, of which the first does not happen before the second. The monitor guesses the first
one: where an access may be part of a race, its thread may **pick** it (an input, once per run). From then on it is enough to know
who knows of that one access: a bit for each thread, and for each cell through which threads synchronise a bit for each thread that heads a release
sequence there (`properties/ordering.py` has the edges). A conflicting access by a thread that does not know violates the check
`CHECK`. So all that is added is finite, no engine has to know of it, and a run without a pick is the run that it was.

    r := flag (sync, acquire)        r := flag
                                     if on: h := carried[flag]; if on and h != 0: knows |= self
    data := 1                        data := 1
                                     if on: check not (picked is in the way and self not in knows)
                                     if not on: p := input; if p: on, picked, knows := 1, &data, self

The way home takes the picks out of a run and leaves out the step with which it ends, so that the second access is pending.
`properties/happens_before.py` judges the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from fsoft.analysis.actions import defined, members
from fsoft.analysis.points_to import PointsTo
from fsoft.analysis.sharing import Sharing
from fsoft.analysis.strides import Strides
from fsoft.analysis.validity import constants_in
from fsoft.program.expr import FALSE, TRUE, Expr, binary, conj, const, disj, eq, ite, make, negate, nonzero, own, reg
from fsoft.program.interpreter import Machine, in_section
from fsoft.program.layout import Cells
from fsoft.program.program import (
    Action,
    Alloc,
    Assign,
    Check,
    Enter,
    Free,
    Input,
    Leave,
    Load,
    Object,
    Program,
    Register,
    Run,
    Step,
    Store,
    Template,
    Thread,
)  # fmt: skip
from fsoft.program.replay import play
from fsoft.program.state import Violation
from fsoft.program.verdict import Move, Verdict
from fsoft.properties.confirmed import confirmed
from fsoft.properties.ordering import UNKNOWN, Effect, acquires, effects, fence, releases, weaker_orders
from fsoft.properties.race_objects import race_ranges

RACE, CHECK = "no-data-race", "no-unordered-access"
PICK = "watch this access"
_MOST_CELLS = 64  # through which one access may synchronise
_SELF = "watch.self"
_Access = Load | Store | Free | Leave
Cell = tuple[int, int, int]
"""Object, offset, size."""


class Unwatchable(Exception):
    """Why the monitor cannot be built."""


@dataclass(frozen=True, slots=True)
class _Use:
    """What a slot does with some object: `plain` or atomic, reading or writing."""

    write: bool
    plain: bool


class _Layout:
    """The object of the monitor: fields one after the other."""

    def __init__(self, program: Program):
        self.program = program
        self.number = len(program.objects)
        self.size = 0
        self.runs: list[Run] = []

    def field(self, name: str, size: int) -> tuple[Expr, int]:
        """A new field: its address and size."""
        self.size += -self.size % size
        at, self.size = self.size, self.size + size
        self.runs.append(Run(at, size, size, 1, f".{name}"))
        return const(self.number << self.program.offset_bits | at, self.program.word), size

    def object(self) -> Object:
        return Object(self.number, "__fsoft_watch", self.size, tuple(self.runs), "system")


def watched(program: Program) -> Program:
    """The Program with the monitor; `plain` of it is the one that was given. Unwatchable where that cannot be."""
    return _Watch(program).program()


class _Watch:
    """Builds the monitor into one program."""

    def __init__(self, program: Program):
        self.old = program
        if program.unbounded or len(program.threads) > 64:
            raise Unwatchable("any number of threads" if program.unbounded else "more than 64 threads")
        self.points_to = PointsTo(program)
        self.sharing = Sharing(program, self.points_to)
        self.strides = Strides(program, self.points_to)
        self.ranges = race_ranges(program)
        self.fences = any(fence(step) is not None for template in program.templates() for step in template.steps)
        self.slots: dict[int, list[int]] = {}
        for thread in program.threads:
            self.slots.setdefault(id(thread.template), []).append(thread.index)
        self.uses = self._all_uses()
        self._fields()
        self.carried: dict[Cell, Expr] = {}
        self._cells: dict[int, set[Cell]] = {}

    def _fields(self) -> None:
        self.layout = _Layout(self.old)
        word, many = self.old.word // 8, len(self.old.threads)
        self.mask = next(size for size in (1, 2, 4, 8) if 8 * size >= many)
        self.on = self.layout.field("on", 1)
        self.address, self.extent = self.layout.field("address", word), self.layout.field("size", word)
        self.kind = self.layout.field("kind", 1)
        self.knows = self.layout.field("knows", self.mask)
        self.seen, self.fenced = self.layout.field("seen", self.mask), self.layout.field("fenced", self.mask)

    def program(self) -> Program:
        old = self.old
        for cell in self._synchronising():
            self.carried[cell] = self.layout.field(f"carried.{cell[0]}.{cell[1]}", self.mask)[0]
        templates = {id(template): _Template(self, template).made() for template in old.templates()}
        threads = [Thread(t.index, t.name, templates[id(t.template)], {**t.own, _SELF: 1 << t.index}) for t in old.threads]
        if self.layout.number >= 1 << (old.word - old.offset_bits) or self.layout.size >= 1 << old.offset_bits:
            raise Unwatchable("too many objects")
        checks = old.checks - {RACE} | {CHECK}
        return replace(old, threads=threads, objects=[*old.objects, self.layout.object()], checks=checks, race_on=(), plain=old)

    # ------------------------------------------------------------ who may race

    def _all_uses(self) -> dict[int, dict[int, set[_Use]]]:
        """By object and slot, how the slot uses the object."""
        found: dict[int, dict[int, set[_Use]]] = {}
        for thread in self.old.threads:
            for step in thread.template.steps:
                section = in_section(self.old, thread.index, step)
                for action in step.actions:
                    if isinstance(action, _Access):
                        for number in members(self.points_to.touched(thread.index, action)):
                            found.setdefault(number, {}).setdefault(thread.index, set()).add(_use(action, section))
        return found

    def may_race(self, template: Template, step: Step, action: _Access) -> bool:
        """Whether a thread of the template may be one of a race there."""
        if not self.sharing.visible(template, step):
            return False
        mine = _use(action, in_section(self.old, self.slots[id(template)][0], step))
        for slot in self.slots[id(template)]:
            for number in members(self.points_to.touched(slot, action)):
                if self.ranges is not None and number not in self.ranges:
                    continue
                others = (use for who, uses in self.uses[number].items() if who != slot for use in uses)
                if any((mine.write or use.write) and (mine.plain or use.plain) for use in others):
                    return True
        return False

    # ------------------------------------------------------------ cells through which threads synchronise

    def cells(self, template: Template, action: Load | Store) -> set[Cell]:
        """Where an access may go, over all slots of the template."""
        if id(action) in self._cells:
            return self._cells[id(action)]
        found = self._cells[id(action)] = set()
        for slot in self.slots[id(template)]:
            found.update(self._cells_of(slot, action))
        if len(found) > _MOST_CELLS:
            raise Unwatchable(f"{action.loc}: an access may go to more than {_MOST_CELLS} cells")
        return found

    def _cells_of(self, slot: int, action: Load | Store) -> Iterator[Cell]:
        shift, low = self.old.offset_bits, (1 << self.old.offset_bits) - 1
        known = constants_in(action.address, self.old.threads[slot].own)
        if known is not None:
            for address in known:
                if 0 < address >> shift < len(self.old.objects):
                    yield address >> shift, address & low, action.size
            return
        stride = self.strides.offset(slot, action.address)
        for number in members(self.points_to.touched(slot, action)):
            for cell in Cells(self.old.objects[number]):
                if cell.size == action.size and stride.has(cell.offset):
                    yield number, cell.offset, cell.size

    def _synchronising(self) -> list[Cell]:
        """Cells that some store may leave knowledge in and some load may take it from."""
        given: set[Cell] = set()
        taken: set[Cell] = set()
        for template in self.old.templates():
            for step in template.steps:
                for k, effect in effects(template, step).items():
                    action = step.actions[k]
                    assert isinstance(action, (Load, Store))
                    if action.order == UNKNOWN or fence(step) == UNKNOWN:
                        raise Unwatchable(f"{action.loc}: the memory order is computed")
                    if effect.gives or (self.fences and effect.atomic and isinstance(action, Store)):
                        given |= self.cells(template, action)
                    if effect.takes or effect.seen:
                        taken |= self.cells(template, action)
        every = sorted(given | taken)
        for first, second in zip(every, every[1:]):
            if first[0] == second[0] and second[1] < first[1] + first[2]:
                raise Unwatchable(f"{self.old.objects[first[0]].name}: threads synchronise through accesses of several sizes")
        return sorted(given & taken)


def _use(action: _Access, section: bool) -> _Use:
    sync = isinstance(action, (Load, Store)) and action.sync
    return _Use(not isinstance(action, Load), not (sync or section))


class _Template:
    """One template with the monitor in its steps."""

    def __init__(self, watch: _Watch, template: Template):
        self.watch, self.old = watch, template
        self.registers = dict(template.registers)
        self.word, self.bits = watch.old.word, 8 * watch.mask
        self.me = own(_SELF, self.bits)

    def made(self) -> Template:
        steps = [self._step(step) for step in self.old.steps]
        return Template(self.old.name, self.registers, self.old.locations, steps, self.old.stops)

    def register(self, name: str, width: int) -> Expr:
        full = f"watch.{name}.{width}"
        self.registers.setdefault(full, Register(full, width, signed=False))
        return reg(full, width)

    def _step(self, step: Step) -> Step:
        return replace(step, actions=tuple(_Step(self, step).actions()))


class _Step:
    """One step. `self.on` is whether an access is being watched, as far as the step has come."""

    def __init__(self, around: _Template, step: Step):
        self.around, self.watch, self.step = around, around.watch, step
        self.out: list[Action] = []
        self.on = around.register("on", 8)
        self.claimed = around.register("claimed", 1)
        self.section = in_section(self.watch.old, self.watch.slots[id(around.old)][0], step)
        self.effects = {k: e for k, e in effects(around.old, step).items() if self._matters(step.actions[k], e)}
        self.racing = {
            k for k, a in enumerate(step.actions) if isinstance(a, _Access) and self.watch.may_race(around.old, step, a)
        }

    def _matters(self, action: Action, effect: Effect) -> bool:
        assert isinstance(action, (Load, Store))
        return any(cell in self.watch.carried for cell in self.watch.cells(self.around.old, action))

    def actions(self) -> list[Action]:
        starts = any(tag.kind == "start" for tag in self.step.tags)
        order = fence(self.step) if self.watch.fences else None
        lives = any(isinstance(action, (Alloc, Enter)) for action in self.step.actions)
        if not (self.effects or self.racing or starts or order is not None or lives):
            return list(self.step.actions)
        self._load(self.on, self.watch.on[0])
        if starts:
            self._start()
        if order is not None:
            self._fence(order)
        if any(effect.seen for effect in self.effects.values()):
            self.out.append(Assign(str(self.claimed.data), FALSE))
        for k, action in enumerate(self.step.actions):
            if isinstance(action, _Access) and (k in self.racing or k in self.effects):
                self._access(k, action)
            else:
                self.out.append(action)
                if isinstance(action, (Alloc, Enter)):
                    self._born(action)
        return self.out

    # ------------------------------------------------------------ pieces

    def _load(self, target: Expr, address: Expr, when: Expr = TRUE) -> None:
        self.out.append(Load(str(target.data), address, target.width // 8, True, when))

    def _store(self, address: Expr, value: Expr, when: Expr = TRUE) -> None:
        self.out.append(Store(address, value, value.width // 8, True, when))

    def _active(self, when: Expr = TRUE) -> Expr:
        return conj(eq(self.on, const(1, 8)), when)

    def _set(self, address: Expr, name: str, bit: Expr, when: Expr) -> None:
        """The bits join a mask of the monitor."""
        old = self.around.register(name, self.around.bits)
        self._load(old, address, when)
        self._store(address, binary("or", old, bit), when)

    def _clear(self, address: Expr, name: str, when: Expr) -> None:
        """This thread's bit leaves a mask."""
        old = self.around.register(name, self.around.bits)
        self._load(old, address, when)
        self._store(address, binary("and", old, self._not(self.around.me)), when)

    @staticmethod
    def _not(value: Expr) -> Expr:
        return make("not", value.width, (value,))

    def _kept(self, name: str, value: Expr, action: Action) -> Expr:
        """A value as it is before the action, which may change a register that it reads."""
        written = defined(action)
        if written is None or written not in value.reads:
            return value
        target = self.around.register(name, value.width)
        self.out.append(Assign(str(target.data), value))
        return target

    def _start(self) -> None:
        """Another thread runs in this slot: it knows nothing yet, and heads no release sequence."""
        for address in [self.watch.knows[0], self.watch.seen[0], self.watch.fenced[0], *self.watch.carried.values()]:
            self._clear(address, "old", self._active())

    def _fence(self, order: str) -> None:
        mine, old = self.around.me, self.around.register("old", self.around.bits)
        for wanted, source, target in ((acquires, self.watch.seen, self.watch.knows), (releases, self.watch.knows, self.watch.fenced)):
            if wanted(order):
                self._load(old, source[0], self._active())
                known = self.around.register("known", 1)
                self.out.append(Assign(str(known.data), conj(self._active(), nonzero(binary("and", old, mine)))))
                self._set(target[0], "mask", mine, known)

    def _born(self, action: Alloc | Enter) -> None:
        """A new object is where the watched one was: the watch is over."""
        shift = self.watch.old.offset_bits
        address = reg(action.reg, self.around.word) if isinstance(action, Alloc) else action.address
        watched, when = self.around.register("address", self.around.word), self._active(action.when)
        self._load(watched, self.watch.address[0], when)
        same = eq(_object(address, shift), _object(watched, shift))
        self._store(self.watch.on[0], const(2, 8), conj(when, same))
        self.out.append(Assign(str(self.on.data), const(2, 8), conj(when, same)))

    # ------------------------------------------------------------ accesses

    def _access(self, k: int, action: _Access) -> None:
        address, when = self._kept("at", action.address, action), self._kept("when", action.when, action)
        extent = action.size if isinstance(action, (Load, Store)) else 0
        use = _use(action, self.section)
        self.out.append(action)
        if k in self.racing:  # after it, for an access that fails makes no race
            self._check(address, when, extent, use, action)
            self._pick(address, when, extent, use, action)
        if k in self.effects:
            assert isinstance(action, (Load, Store))
            (self._taken if isinstance(action, Load) else self._given)(action, address, when, self.effects[k])

    def _check(self, address: Expr, when: Expr, extent: int, use: _Use, action: _Access) -> None:
        around, watch = self.around, self.watch
        fields = [("address", around.word, watch.address), ("size", around.word, watch.extent), ("kind", 8, watch.kind),
                  ("knows", around.bits, watch.knows)]  # fmt: skip
        active = self._active(when)
        found = {name: around.register(name, width) for name, width, _ in fields}
        for name, _, (at, _size) in fields:
            self._load(found[name], at, active)
        meets = self._overlap(address, extent, found["address"], found["size"])
        if not use.write:
            meets = conj(meets, nonzero(binary("and", found["kind"], const(1, 8))))
        if not use.plain:
            meets = conj(meets, nonzero(binary("and", found["kind"], const(2, 8))))
        unknown = eq(binary("and", found["knows"], around.me), const(0, around.bits))
        loc = action.loc if action.loc.line > 0 else self.step.loc
        self.out.append(Check(negate(conj(meets, unknown)), CHECK, "data race", active, loc))

    def _overlap(self, mine: Expr, extent: int, other: Expr, size: Expr) -> Expr:
        """Both accesses are in one object (an extent of 0: all of it) and share a byte, one that counts."""
        shift, width = self.watch.old.offset_bits, self.around.word
        same = eq(_object(mine, shift), _object(other, shift))
        whole, start = eq(size, const(0, width)), _offset(other, shift)
        stop = ite(whole, const((1 << shift) - 1, width), binary("add", start, size))
        if extent == 0:
            return conj(same, self._counts(other, start, stop))
        low, end = _offset(mine, shift), binary("add", _offset(mine, shift), const(extent, width))
        apart = disj(binary("ule", end, start), binary("ule", stop, low))
        first, last = ite(binary("ult", low, start), start, low), ite(binary("ult", end, stop), end, stop)
        return conj(conj(same, negate(apart)), self._counts(mine, first, last))

    def _counts(self, address: Expr, low: Expr, end: Expr) -> Expr:
        """The bytes [low, end) of the object are among those on which races count."""
        ranges, width = self.watch.ranges, self.around.word
        if ranges is None:
            return TRUE
        found: Expr = FALSE
        for number, parts in ranges.items():
            here = eq(_object(address, self.watch.old.offset_bits), const(number, width))
            for start, stop in parts:
                within = conj(binary("ult", low, const(stop, width)), binary("ult", const(start, width), end))
                found = disj(found, conj(here, within))
        return found

    def _pick(self, address: Expr, when: Expr, extent: int, use: _Use, action: _Access) -> None:
        around, watch = self.around, self.watch
        free, picked = conj(eq(self.on, const(0, 8)), when), around.register("pick", 1)
        self.out.append(Assign(str(picked.data), FALSE))
        loc = action.loc if action.loc.line > 0 else self.step.loc
        self.out.append(Input(str(picked.data), PICK, when=free, loc=loc))
        self._store(watch.address[0], address, picked)
        self._store(watch.extent[0], const(extent, around.word), picked)
        self._store(watch.kind[0], const(use.write + 2 * use.plain, 8), picked)
        self._store(watch.knows[0], around.me, picked)
        self._store(watch.on[0], const(1, 8), picked)
        self.out.append(Assign(str(self.on.data), const(1, 8), picked))

    # ------------------------------------------------------------ synchronisation

    def _places(self, action: Load | Store, address: Expr) -> Iterable[tuple[Expr, Expr]]:
        """The masks of the cells that an access may go to, each with the condition that it does."""
        cells = sorted(self.watch.cells(self.around.old, action))
        for cell in cells:
            if cell in self.watch.carried:
                here = const(cell[0] << self.watch.old.offset_bits | cell[1], self.around.word)
                yield self.watch.carried[cell], TRUE if len(cells) == 1 else eq(address, here)

    def _taken(self, action: Load, address: Expr, when: Expr, effect: Effect) -> None:
        heads, carries = self.around.register("heads", self.around.bits), self.around.register("carries", 1)
        for mask, here in self._places(action, address):
            active = self._active(conj(when, here))
            self._load(heads, mask, active)
            self.out.append(Assign(str(carries.data), conj(active, nonzero(heads))))
            if effect.takes:
                self._set(self.watch.knows[0], "mask", self.around.me, carries)
            if effect.seen:
                self.out.append(Assign(str(self.claimed.data), TRUE, carries))
            if effect.atomic and self.watch.fences:
                self._set(self.watch.seen[0], "mask", self.around.me, carries)

    def _given(self, action: Store, address: Expr, when: Expr, effect: Effect) -> None:
        around, watch = self.around, self.watch
        if effect.claims:
            self._set(watch.knows[0], "mask", around.me, conj(self._active(when), self.claimed))
        heads, source = around.register("heads", around.bits), around.register("mask", around.bits)
        for mask, here in self._places(action, address):
            active = self._active(conj(when, here))
            self._load(heads, mask, active)
            kept = heads if effect.continues else binary("and", heads, around.me)
            mine: Expr = const(0, around.bits)
            if effect.gives or (effect.atomic and watch.fences):
                self._load(source, (watch.knows if effect.gives else watch.fenced)[0], active)
                mine = binary("and", source, around.me)
            self._store(mask, binary("or", kept, mine), active)


def _object(address: Expr, shift: int) -> Expr:
    return binary("lshr", address, const(shift, address.width))


def _offset(address: Expr, shift: int) -> Expr:
    return binary("and", address, const((1 << shift) - 1, address.width))


def home(program: Program, moves: list[Move]) -> list[Move]:
    """A run of a watched Program as one of the plain one: without picks, and before the step that violates the check."""
    machine = Machine(program, compiled=False)
    played = play(machine, moves)
    if played and any(isinstance(event, Violation) and event.prop == CHECK for event in played[-1].events):
        played.pop()
    return [one.move._replace(choices=tuple(answer for question, answer in one.asked if question.name != PICK)) for one in played]


def with_race_model(program: Program) -> Program:
    """The Program in which checks answer what `program.race_model` means by a data race."""
    if program.race_model != "c11" or RACE not in program.checks or not weaker_orders(program):
        return program
    try:
        return watched(program)
    except Unwatchable as why:
        return replace(program, unwatched=str(why))


def under_race_model(program: Program, verdict: Verdict) -> tuple[Program, Verdict]:
    """What a verdict about such a Program says about the one that the user wrote, and that one."""
    plain = program.plain
    if plain is None:
        if not program.unwatched or verdict.kind != "TRUE":
            return program, verdict
        why = f"race model c11: what release and acquire order is not followed here ({program.unwatched}); svcomp: no race"
        return program, replace(verdict, kind="UNKNOWN", reasons=[*verdict.reasons, why], bounds=[*verdict.bounds, why])
    prop, moves = RACE if verdict.prop == CHECK else verdict.prop, home(program, verdict.trace)
    if verdict.kind != "FALSE":
        return plain, replace(verdict, prop=prop, trace=moves)
    return plain, replace(confirmed(plain, moves, prop, verdict.stats), engine=verdict.engine)


__all__ = ["CHECK", "PICK", "RACE", "Unwatchable", "home", "under_race_model", "watched", "with_race_model"]
