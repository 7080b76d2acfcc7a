"""A step that is looked at but not taken: whether it is enabled in the current state, and what it would access.

Its loads are done into registers of their own; everything else is a matter of expressions (memory as the step changes it: `overlay.py`), so
nothing changes. An access counts if the step is enabled, the access is valid and nothing in the step stops the thread before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from fsoft.analysis.actions import members
from fsoft.analysis.points_to import PointsTo
from fsoft.analysis.validity import Validity, constant_in
from fsoft.program.expr import FALSE, TRUE, Expr, binary, conj, const, disj, eq, fill, ite, make, negate, resize
from fsoft.program.program import Action, Alloc, Assign, Check, Enter, Free, Halt, Input, Leave, Load, Measure, Object, Require, Step, Store
from fsoft.program.state import can_die, in_section
from fsoft.sequentialize.lives import Lives
from fsoft.sequentialize.overlay import Overlay
from fsoft.sequentialize.sequential import TemplateWriter
from fsoft.sequentialize.threads import ThreadSource


@dataclass(frozen=True, slots=True)
class SeenAccess:
    """An access of a step that is enabled."""

    when: Expr
    address: Expr
    size: Expr
    write: bool
    atomic: bool
    action: Action


@dataclass(slots=True)
class Probe:
    """Looks at a step of a thread that is at the source of the step if `here` holds. `whole`: accesses are asked for, too."""

    out: TemplateWriter
    source: ThreadSource
    step: Step
    here: Expr
    validity: Validity
    lives: Lives
    points_to: PointsTo
    whole: bool = False
    enabled: Expr = TRUE
    seen: list[SeenAccess] = field(default_factory=list)
    _running: Expr = TRUE
    _known: dict[str, Expr] = field(default_factory=dict)
    _memory: Overlay = field(init=False)
    _live: dict[int, Expr] = field(init=False)
    _used: dict[int, Expr] = field(init=False)

    def __post_init__(self) -> None:
        self._memory = Overlay(self.source.program)
        self._live, self._used = dict(self.lives.live), dict(self.lives.used)

    def look(self) -> Probe:
        """Emit what has to be loaded and fill in the result."""
        self.enabled = self.expr(self.step.guard)
        actions: list[Action] = []
        last = max((k for k, action in enumerate(self.step.actions) if isinstance(action, Require)), default=-1)
        for action in self.step.actions if self.whole else self.step.actions[: last + 1]:
            if not self._action(action, actions):
                break
        if actions:
            self.out.step(actions, f"a look at: {self.step.text}", self.step)
        self.seen = [
            SeenAccess(conj(conj(self.here, self.enabled), s.when), s.address, s.size, s.write, s.atomic, s.action) for s in self.seen
        ]
        return self

    def expr(self, expr: Expr) -> Expr:
        return fill(self.source.expr(expr), self._known)

    def _fresh(self, width: int) -> Expr:
        return self.out.register(f"look.{self.source.slot}.{len(self.out.registers)}", width)

    def _set(self, name: str, value: Expr, when: Expr) -> None:
        register = self.source.template.registers[name]
        old = self.out.register(self.source.name(name), register.width, register)
        self._known[str(old.data)] = ite(when, value, self._known.get(str(old.data), old))

    def _action(self, action: Action, actions: list[Action]) -> bool:
        """One action; False if nothing is known about what follows."""
        when = conj(self._running, self.expr(action.when))
        guarded = conj(self.here, conj(self.enabled, when))
        if isinstance(action, Assign):
            self._set(action.reg, self.expr(action.value), when)
        elif isinstance(action, Input):
            new = self._fresh(self.source.template.registers[action.reg].width)
            among = None if action.among is None else self.expr(action.among)
            actions.append(Input(str(new.data), action.name, among, guarded, action.loc, action.signed, action.marker))
            self._set(action.reg, new, when)
        elif isinstance(action, Require):
            self.enabled = conj(self.enabled, disj(negate(when), self.expr(action.condition)))
        elif isinstance(action, Check):
            self._stop(conj(when, negate(self.expr(action.condition))))
        elif isinstance(action, Halt):
            self._stop(when)
        elif isinstance(action, (Load, Store)):
            self._access(action, when, guarded, actions)
        elif isinstance(action, Measure):
            size = self._memory.size(self.expr(action.address), self._measured(self.expr(action.address), guarded, actions))
            self._set(action.reg, resize(size, self.source.template.registers[action.reg].width, False), when)
        elif isinstance(action, Free):
            self._free(action, when, guarded, actions)
        elif isinstance(action, (Enter, Leave)):
            self._lifetime(action, when)
        elif all(number in self._live for number in self.source.program.pools[action.pool].objects):
            self._alloc(action, when, guarded, actions)
        else:
            return False  # nothing that is looked at follows
        return True

    def _stop(self, when: Expr) -> None:
        self._running = conj(self._running, negate(when))

    def _measured(self, address: Expr, when: Expr, actions: list[Action]) -> Expr:
        """The size of the object there, in the state."""
        size = self._fresh(self.source.program.word)
        actions.append(Assign(str(size.data), const(0, size.width)))
        actions.append(Measure(str(size.data), address, when))
        return size

    # ------------------------------------------------------------ accesses

    def _access(self, action: Load | Store, when: Expr, guarded: Expr, actions: list[Action]) -> None:
        word, address = self.source.program.word, self.expr(action.address)
        valid, before = TRUE, TRUE  # `before`: the object was there already
        if not self.validity.safe(self.source.thread.template, action):
            size = self._measured(address, guarded, actions)
            allowed = self._allowed(action, address)
            before = conj(allowed, self._within(address, action.size, size))
            valid = conj(allowed, self._within(address, action.size, self._memory.size(address, size)))
            self._stop(conj(when, negate(valid)))
        self._saw(action, conj(when, valid), address, const(action.size, word), isinstance(action, Store), action.sync)
        if isinstance(action, Store):
            self._memory.store(address, action.size, self.expr(action.value), conj(when, valid))
            return
        new = self._fresh(8 * action.size)
        actions.append(Load(str(new.data), address, action.size, action.sync, conj(guarded, before), action.loc))
        unknown = partial(self._unknown, 8 * action.size, guarded, actions)
        self._set(action.reg, self._memory.load(address, action.size, new, conj(when, valid), unknown), when)

    def _within(self, address: Expr, count: int, size: Expr) -> Expr:
        """So many bytes lie inside an object of that size."""
        offset = make("extract", self.source.program.offset_bits, (address,), 0)
        return binary("ule", binary("add", resize(offset, size.width, False), const(count, size.width)), size)

    def _allowed(self, action: Load | Store, address: Expr) -> Expr:
        """The object may be written, if the access is a write; where valid-deref is asked for, the access is aligned or just a cell."""
        program, fine = self.source.program, TRUE
        reached = [program.objects[k] for k in members(self.points_to.touched(self.source.slot, action)) if 0 < k < len(program.objects)]
        for obj in reached if isinstance(action, Store) else ():
            if obj.readonly:
                fine = conj(fine, negate(eq(self._number(address), const(obj.id, program.word - program.offset_bits))))
        align = min(action.size, program.word // 8)
        if "valid-deref" not in program.checks or action.size & (action.size - 1) or align == 1:
            return fine
        low = make("extract", align.bit_length() - 1, (address,), 0)
        aligned = eq(low, const(0, low.width))
        for obj in reached:
            cells = [run.start + k * run.stride for run in obj.runs if run.size == action.size for k in range(run.count)]
            for offset in (offset for offset in cells if offset % align):
                aligned = disj(aligned, eq(address, const(program.address(obj, offset), program.word)))
        return conj(fine, aligned)

    def _number(self, address: Expr) -> Expr:
        """The number of the object that an address points into."""
        bits = self.source.program.offset_bits
        return make("extract", address.width - bits, (address,), bits)

    def _unknown(self, width: int, when: Expr, actions: list[Action]) -> Expr:
        new = self._fresh(width)
        actions.append(Input(str(new.data), "undefined memory", None, when))
        return new

    # ------------------------------------------------------------ lives of objects

    def _lifetime(self, action: Enter | Leave, when: Expr) -> None:
        program = self.source.program
        number = constant_in(action.address, self.source.thread.own)
        assert number is not None, "Enter and Leave name a local object"
        obj = program.objects[number >> program.offset_bits]
        address, size = const(program.address(obj), program.word), const(obj.size, program.word)
        if isinstance(action, Leave):
            self._saw(action, when, address, size, True, False)
        if can_die(obj) and isinstance(action, Enter):
            self._memory.begin(address, size, False, when)
        elif can_die(obj):
            self._memory.end(address, when)

    def _free(self, action: Free, when: Expr, guarded: Expr, actions: list[Action]) -> None:
        """Only the start of a live heap object can be freed."""
        program, address = self.source.program, self.expr(action.address)
        size = self._memory.size(address, self._measured(address, guarded, actions))
        alive = negate(eq(size, const(0, size.width)))
        heap: Expr = FALSE
        for obj in (obj for obj in program.objects if obj.storage == "heap"):
            here = eq(address, const(program.address(obj), program.word))
            heap = disj(heap, here)
            if obj.id in self._live:
                here = conj(here, self._live[obj.id])
                alive, size = disj(alive, here), ite(here, const(obj.size, program.word), size)
        valid = conj(heap, alive)
        self._saw(action, conj(when, valid), address, size, True, False)
        self._stop(conj(when, negate(valid)))
        self._memory.end(address, conj(when, valid))
        for number, live in self._live.items():
            here = eq(address, const(program.address(program.objects[number]), program.word))
            self._live[number] = conj(live, negate(conj(when, here)))

    def _alloc(self, action: Alloc, when: Expr, guarded: Expr, actions: list[Action]) -> None:
        """The first object of the pool that was never used, or any that is dead."""
        program = self.source.program
        pool, size = program.pools[action.pool], self.expr(action.size)
        objects = [program.objects[number] for number in pool.objects]
        ready = self._ready(objects)
        mask = ready[0]
        for one in ready[1:]:
            mask = make("concat", mask.width + 1, (one, mask))
        pick = self._fresh(max(1, (len(objects) - 1).bit_length()))
        actions.append(Input(str(pick.data), "heap object", mask, guarded))
        got = conj(negate(eq(mask, const(0, mask.width))), binary("ule", size, const(pool.capacity, size.width)))
        self._stop(conj(when, negate(got)))
        done, address = conj(when, got), const(program.address(objects[0]), program.word)
        for k, obj in enumerate(objects):
            here = eq(pick, const(k, pick.width))
            address = ite(here, const(program.address(obj), program.word), address)
            self._live[obj.id] = disj(self._live[obj.id], conj(done, here))
            self._used[obj.id] = disj(self._used[obj.id], conj(done, here))
        self._set(action.reg, address, done)
        self._memory.begin(address, resize(size, program.word, False), action.zero, done)

    def _ready(self, objects: list[Object]) -> list[Expr]:
        """Which of the objects of a pool an allocation may give."""
        found: list[Expr] = []
        first: Expr = TRUE  # all objects before this one are used
        for obj in objects:
            used, live = self._used[obj.id], self._live[obj.id]
            freed = conj(used, negate(live)) if self.source.program.heap_reuse else FALSE
            found.append(disj(conj(first, negate(used)), freed))
            first = conj(first, used)
        return found

    def _saw(self, action: Action, when: Expr, address: Expr, size: Expr, write: bool, sync: bool) -> None:
        if self.whole:
            atomic = sync or in_section(self.source.program, self.source.slot, self.step)
            self.seen.append(SeenAccess(when, address, resize(size, self.source.program.word, False), write, atomic, action))
