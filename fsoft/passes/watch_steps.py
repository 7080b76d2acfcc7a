"""The actions that `passes/watch.py` adds to the steps of a Program."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from fsoft.analysis.actions import defined
from fsoft.passes.watch_plan import Plan, SlotUse, accesses, use_of
from fsoft.program.expr import FALSE, TRUE, Expr, binary, conj, const, disj, eq, ite, make, negate, nonzero, own, reg
from fsoft.program.program import Action, Alloc, Assign, Check, Enter, Input, Load, Register, Step, Store, Template
from fsoft.program.state import in_section
from fsoft.properties.happens_before import Accessing
from fsoft.properties.ordering import OrderEffect, acquires, effects, fence, releases

CHECK = "no-unordered-access"
PICK = "watch this access"
SELF = "watch.self"


class Watching:
    """One template with the monitor in its steps."""

    def __init__(self, plan: Plan, template: Template):
        self.plan, self.old = plan, template
        self.registers = dict(template.registers)
        self.word, self.bits = plan.old.word, 8 * plan.mask
        self.me = own(SELF, self.bits)

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

    def __init__(self, around: Watching, step: Step):
        self.around, self.plan, self.step = around, around.plan, step
        self.out: list[Action] = []
        self.on = around.register("on", 8)
        self.claimed = around.register("claimed", 1)
        self.section = in_section(self.plan.old, self.plan.slots[id(around.old)][0], step)
        self.effects = {k: e for k, e in effects(around.old, step).items() if self._matters(step.actions[k], e)}
        self.racing = {k for k, a in enumerate(step.actions) if accesses(a) and self.plan.may_race(around.old, step, a)}

    def _matters(self, action: Action, effect: OrderEffect) -> bool:
        assert isinstance(action, (Load, Store))
        return any(cell in self.plan.carried for cell in self.plan.cells(self.around.old, action))

    def actions(self) -> list[Action]:
        starts = any(tag.kind == "start" for tag in self.step.tags)
        order = fence(self.step) if self.plan.fences else None
        lives = any(isinstance(action, (Alloc, Enter)) for action in self.step.actions)
        if not (self.effects or self.racing or starts or order is not None or lives):
            return list(self.step.actions)
        self._load(self.on, self.plan.on[0])
        if starts:
            self._start()
        if order is not None:
            self._fence(order)
        if any(effect.seen for effect in self.effects.values()):
            self.out.append(Assign(str(self.claimed.data), FALSE))
        for k, action in enumerate(self.step.actions):
            if isinstance(action, Accessing) and (k in self.racing or k in self.effects):
                self._access(k, action)
            else:
                self.out.append(action)
                if isinstance(action, (Alloc, Enter)):
                    self._born(action)
                if isinstance(action, Alloc) and k in self.racing:
                    self._pick(reg(action.reg, self.around.word), action.when, 0, use_of(action, self.section), action)
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
        """Another thread runs in this slot: it knows nothing yet, and heads no release sequence. Those of its predecessor go on."""
        old, active = self.around.register("old", self.around.bits), self._active()
        for address in [self.plan.knows[0], self.plan.seen[0], self.plan.fenced[0]]:
            self._clear(address, "old", active)
        for address in self.plan.carried.values():
            self._load(old, address, active)
            headed = nonzero(binary("and", old, self.around.me))
            others = binary("and", old, self._not(self.around.me))
            self._store(address, ite(headed, binary("or", others, self.plan.gone), old), active)

    def _fence(self, order: str) -> None:
        mine, old = self.around.me, self.around.register("old", self.around.bits)
        for wanted, source, target in ((acquires, self.plan.seen, self.plan.knows), (releases, self.plan.knows, self.plan.fenced)):
            if wanted(order):
                self._load(old, source[0], self._active())
                known = self.around.register("known", 1)
                self.out.append(Assign(str(known.data), conj(self._active(), nonzero(binary("and", old, mine)))))
                self._set(target[0], "mask", mine, known)

    def _born(self, action: Alloc | Enter) -> None:
        """A new object is where the watched one was: the watch is over."""
        shift = self.plan.old.offset_bits
        address = reg(action.reg, self.around.word) if isinstance(action, Alloc) else action.address
        watched, when = self.around.register("address", self.around.word), self._active(action.when)
        self._load(watched, self.plan.address[0], when)
        same = eq(_object(address, shift), _object(watched, shift))
        self._store(self.plan.on[0], const(2, 8), conj(when, same))
        self.out.append(Assign(str(self.on.data), const(2, 8), conj(when, same)))

    # ------------------------------------------------------------ accesses

    def _access(self, k: int, action: Accessing) -> None:
        address, when = self._kept("at", action.address, action), self._kept("when", action.when, action)
        extent = action.size if isinstance(action, (Load, Store)) else 0
        use = use_of(action, self.section)
        self.out.append(action)
        if k in self.racing:  # after it, for an access that fails makes no race
            self._check(address, when, extent, use, action)
            self._pick(address, when, extent, use, action)
        if k in self.effects and isinstance(action, Load):
            self._taken(action, address, when, self.effects[k])
        elif k in self.effects and isinstance(action, Store):
            self._given(action, address, when, self.effects[k])

    def _check(self, address: Expr, when: Expr, extent: int, use: SlotUse, action: Accessing) -> None:
        around, plan = self.around, self.plan
        fields = [("address", around.word, plan.address), ("size", around.word, plan.extent), ("kind", 8, plan.kind),
                  ("knows", around.bits, plan.knows)]  # fmt: skip
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
        shift, width = self.plan.old.offset_bits, self.around.word
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
        ranges, width = self.plan.ranges, self.around.word
        if ranges is None:
            return TRUE
        found: Expr = FALSE
        for number, parts in ranges.items():
            here = eq(_object(address, self.plan.old.offset_bits), const(number, width))
            for start, stop in parts:
                within = conj(binary("ult", low, const(stop, width)), binary("ult", const(start, width), end))
                found = disj(found, conj(here, within))
        return found

    def _pick(self, address: Expr, when: Expr, extent: int, use: SlotUse, action: Accessing | Alloc) -> None:
        around, plan = self.around, self.plan
        free, picked = conj(eq(self.on, const(0, 8)), when), around.register("pick", 1)
        self.out.append(Assign(str(picked.data), FALSE))
        loc = action.loc if action.loc.line > 0 else self.step.loc
        self.out.append(Input(str(picked.data), PICK, when=free, loc=loc))
        self._store(plan.address[0], address, picked)
        self._store(plan.extent[0], const(extent, around.word), picked)
        self._store(plan.kind[0], const(use.write + 2 * use.plain, 8), picked)
        self._store(plan.knows[0], around.me, picked)
        self._store(plan.on[0], const(1, 8), picked)
        self.out.append(Assign(str(self.on.data), const(1, 8), picked))

    # ------------------------------------------------------------ synchronisation

    def _places(self, action: Load | Store, address: Expr) -> Iterable[tuple[Expr, Expr]]:
        """The masks of the cells that an access may go to, each with the condition that it does."""
        cells = sorted(self.plan.cells(self.around.old, action))
        for cell in cells:
            if cell in self.plan.carried:
                here = const(cell[0] << self.plan.old.offset_bits | cell[1], self.around.word)
                yield self.plan.carried[cell], TRUE if len(cells) == 1 else eq(address, here)

    def _taken(self, action: Load, address: Expr, when: Expr, effect: OrderEffect) -> None:
        heads, carries = self.around.register("heads", self.around.bits), self.around.register("carries", 1)
        for mask, here in self._places(action, address):
            active = self._active(conj(when, here))
            self._load(heads, mask, active)
            self.out.append(Assign(str(carries.data), conj(active, nonzero(heads))))
            if effect.takes:
                self._set(self.plan.knows[0], "mask", self.around.me, carries)
            if effect.seen:
                self.out.append(Assign(str(self.claimed.data), TRUE, carries))
            if effect.atomic and self.plan.fences:
                self._set(self.plan.seen[0], "mask", self.around.me, carries)

    def _given(self, action: Store, address: Expr, when: Expr, effect: OrderEffect) -> None:
        around, plan = self.around, self.plan
        if effect.claims:
            self._set(plan.knows[0], "mask", around.me, conj(self._active(when), self.claimed))
        heads, source = around.register("heads", around.bits), around.register("mask", around.bits)
        for mask, here in self._places(action, address):
            active = self._active(conj(when, here))
            self._load(heads, mask, active)
            kept = heads if effect.continues else binary("and", heads, around.me)
            mine: Expr = const(0, around.bits)
            if effect.gives or (effect.atomic and plan.fences):
                self._load(source, (plan.knows if effect.gives else plan.fenced)[0], active)
                mine = binary("and", source, around.me)
            self._store(mask, binary("or", kept, mine), active)


def _object(address: Expr, shift: int) -> Expr:
    return binary("lshr", address, const(shift, address.width))


def _offset(address: Expr, shift: int) -> Expr:
    return binary("and", address, const((1 << shift) - 1, address.width))


__all__ = ["CHECK", "PICK", "SELF", "Watching"]
