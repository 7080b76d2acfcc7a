"""What one step of one slot does, as terms over the slot's registers before it: accesses, conditions to go on, registers after.

The step is executed symbolically. A value that comes from memory gets a name of its own, `#k` for the k-th load; an input `?k`. A load of
cells that nobody ever writes is their initial value: most of the library's case distinctions disappear that way. `@n` stands for entry n
of the state vector where that cannot change before the term is used (the argument in the descriptor of a thread about to start).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from fsoft.analysis.actions import Touching, defined, members
from fsoft.analysis.liveness import Liveness
from fsoft.por.cells import Ground, Where, where_of
from fsoft.por.rewrite import replaced
from fsoft.program.expr import FALSE, TRUE, Expr, conj, const, disj, eq, fill, ite, negate, reg, substitute
from fsoft.program.program import Action, Alloc, Assign, Check, Halt, Load, Require, Store

LARGEST = 400
"""Terms with more leaves and operators than this are not kept."""


class Item(NamedTuple):
    """An access that slot `owner` may make: at `address` (over its registers; None: not known), in any case within the masks.
    `origin` tells accesses of a slot apart."""

    owner: int
    origin: int
    where: Where
    address: Expr | None
    reads: int
    writes: int

    def anywhere(self) -> Item:
        return self if self.address is None else self._replace(address=None)


class LoadedValue(NamedTuple):
    """Load number k gave the value `#k`, of `size` bytes at `address` (over registers and earlier loads), when `when` held."""

    name: str
    address: Expr
    size: int
    when: Expr
    masks: tuple[int, int]


class Need(NamedTuple):
    """The step needs `condition` if it comes here with `when`. `loads` come before it; `stops` is when the thread has stopped before: at a
    check, or at an access that may be invalid, which is an input unless registers decide it. `mortal`: an object that may die is
    accessed before, so that its end lets the step through."""

    when: Expr
    condition: Expr
    loads: int
    stops: Expr
    mortal: bool


class StoredValue(NamedTuple):
    """A store, with all that was needed before it: it happens when `when` holds and the thread has not stopped."""

    address: Expr
    size: int
    value: Expr
    when: Expr
    stops: Expr
    needs: int
    masks: tuple[int, int]


@dataclass
class Footprint:
    """`after`: the registers that the step changes and that are live then, as terms. `plain`: no load comes after a
    store of the same step to the same place, so that values of loads are those of the state before it. `full`: all that the accesses may
    touch. `deep`: by origin, addresses that depend on loads of this step. `tested`: entries of which the step only asks
    whether they are 0."""

    slot: int
    index: int
    guard: Expr
    items: list[Item] = field(default_factory=list)
    loads: list[LoadedValue] = field(default_factory=list)
    needs: list[Need] = field(default_factory=list)
    stores: list[StoredValue] = field(default_factory=list)
    after: dict[str, Expr] = field(default_factory=dict)
    stops: Expr = FALSE
    plain: bool = True
    possible: bool = True
    deep: dict[int, Expr] = field(default_factory=dict)
    tested: int = 0
    full: tuple[int, int] = (0, 0)

    @property
    def blocks(self) -> bool:
        return bool(self.needs)


def settled(term: Expr) -> bool:
    """The term reads registers of the state before the step only."""
    return not any(name[0] in "#?" for name in term.reads)


Frozen = Callable[[int], int | None]
"""The value that entry n of the state vector always has, if there is one."""


class Tracer:
    """Makes the footprints of a slot. `early` are entries that cannot change between now and the slot's next step at location 0; `state` is
    the entry of the slot's state."""

    def __init__(self, ground: Ground, slot: int, frozen: Frozen | None = None, early: int = 0, state: int = -1):
        self.state = state
        self.ground, self.slot, self.frozen, self.early = ground, slot, frozen, early
        self.thread = ground.program.threads[slot]
        self._origins = 0
        self._numbers: dict[Expr, Expr] = {}
        self._alive: list[frozenset[str]] | None = None

    def trace(self, index: int) -> Footprint:
        step = self.thread.template.steps[index]
        guard = self._owned(step.guard)
        self.print = Footprint(self.slot, index, guard, possible=self.ground.possible(self.slot, index))
        self.env: dict[str, Expr] = {}
        self._stored = self._inputs = 0
        self._invalid: Expr = FALSE
        self._mortal = False
        self._load_items: list[int | None] = []
        self._at_start = step.source == 0
        for action in self.ground.actions(self.slot, index):
            when = self._term(action.when)
            if when is not FALSE:
                self._action(action, when)
        out = self.print
        out.after = {name: value for name, value in self.env.items() if name in self._live(step.target)}
        out.full = (_union(i.reads for i in out.items), _union(i.writes for i in out.items))
        if not out.plain:
            out.deep.clear()
        else:
            self._only_tested(out)
        return out

    def _live(self, location: int) -> frozenset[str]:
        if self._alive is None:
            table = Liveness(self.thread.template)
            self._alive = [table.names(mask) for mask in table.at]
        return self._alive[location]

    def _only_tested(self, out: Footprint) -> None:
        """Loads of watched entries that are compared with 0 and used in no other way read that comparison only."""
        for k, load in enumerate(out.loads):
            index = self.ground.entry(load.address.value, load.size) if load.address.is_const else None
            if index is None or index not in self.ground.zeros or load.when is not TRUE:
                continue
            zero = eq(reg(load.name, 8 * load.size), const(0, 8 * load.size))
            if not any(load.name in replaced(term, {zero: TRUE}).reads for term in terms_of(out)):
                out.tested |= 1 << index
                place = self._load_items[k]
                if place is not None:
                    out.items[place] = out.items[place]._replace(address=None, reads=1 << self.ground.zeros[index])

    def _term(self, expr: Expr) -> Expr:
        return fill(self._owned(expr), self.env)

    def _owned(self, expr: Expr) -> Expr:
        """The expression with the thread's own numbers in it."""
        known = self._numbers.get(expr)
        if known is None:
            known = self._numbers[expr] = _own(expr, self.thread.own)
        return known

    def _action(self, action: Action, when: Expr) -> None:
        out = self.print
        if isinstance(action, Require):
            stops = disj(out.stops, self._invalid)
            out.needs.append(Need(when, self._term(action.condition), len(out.loads), stops, self._mortal))
        elif isinstance(action, (Check, Halt)):
            failed = negate(self._term(action.condition)) if isinstance(action, Check) else TRUE
            out.stops = disj(out.stops, conj(when, failed))
        elif isinstance(action, Touching):
            self._touch(action, when)
        name = defined(action)
        if name is not None:
            self._define(name, action, when)

    def _touch(self, action: Action, when: Expr) -> None:
        out = self.print
        raw = None if isinstance(action, Alloc) else action.address  # type: ignore[union-attr]
        address = None if raw is None else self._term(raw)
        masks = self.ground.static(self.slot, action, address)
        known = address if address is not None and settled(address) and _small(address) else None
        self._origins += 1
        if isinstance(action, Load):
            self._load_items.append(len(out.items) if masks != (0, 0) else None)
        if masks != (0, 0):
            if known is None and address is not None and not any(name[0] == "?" for name in address.reads) and _small(address):
                out.deep[self._origins] = address
            if isinstance(action, Store) and address is not None:
                masks = masks[0], masks[1] & ~self._still_nonzero(address, self._term(action.value), action.size)
            out.items.append(Item(self.slot, self._origins, where_of(action), known, *masks))
        if isinstance(action, Load):
            assert address is not None
            out.plain = out.plain and not self._stored & masks[0]
            out.loads.append(LoadedValue(f"#{len(out.loads)}", address, action.size, when, masks))
        else:
            self._stored |= masks[1]
            if isinstance(action, Store):
                assert address is not None
                value = self._term(action.value)
                out.stores.append(StoredValue(address, action.size, value, when, out.stops, len(out.needs), masks))
        self._mortal = self._mortal or masks[0] & self.ground.lives != 0
        if address is not None and not (settled(address) and settled(when)) and not self._sound(action, address):
            self._invalid = disj(self._invalid, self._input(1))

    def _sound(self, action: Action, address: Expr) -> bool:
        """The access is in order, whatever others do."""
        return address.is_const and self.ground.sound(where_of(action), address.value)

    def _still_nonzero(self, address: Expr, value: Expr, size: int) -> int:
        """The bit of the slot's own state, where it goes from RUNNING to another number that is not 0."""
        index = self.ground.entry(address.value, size) if address.is_const else None
        if index is None or index != self.state or self._at_start or not value.is_const or not value.value:
            return 0
        return 1 << self.ground.zeros[index] if index in self.ground.zeros else 0

    def _define(self, name: str, action: Action, when: Expr) -> None:
        width = self.thread.template.registers[name].width
        value = self._value(action, width)
        if when is not TRUE:
            value = ite(when, value, self.env.get(name, reg(name, width)))
        self.env[name] = value if _small(value) else self._input(width)

    def _input(self, width: int) -> Expr:
        self._inputs += 1
        return reg(f"?{self._inputs}", width)

    def _value(self, action: Action, width: int) -> Expr:
        if isinstance(action, Assign):
            return self._term(action.value)
        if not isinstance(action, Load):
            return self._input(width)
        load = self.print.loads[-1]
        known = self._constant(load)
        if known is not None:
            return const(known, width)
        index = self.ground.entry(load.address.value, load.size) if load.address.is_const else None
        if index is not None and self._at_start and self.early >> index & 1 and not self._stored >> index & 1:
            return reg(f"@{index}", width)
        return reg(load.name, width)

    def _constant(self, load: LoadedValue) -> int | None:
        """The value of a load whose cells never change: the one cell, or cells that are all zero."""
        if self.frozen is None or load.masks[1] or not load.masks[0]:
            return None
        values = {self.frozen(index) for index in members(load.masks[0])}
        exact = load.address.is_const and self.ground.entry(load.address.value, load.size) is not None
        return values.pop() if values == {0} or (exact and len(values) == 1) else None


def terms_of(one: Footprint) -> list[Expr]:
    """All terms in which a value that the step loaded can matter."""
    found = [one.stops, *one.after.values()]
    for load in one.loads:
        found += [load.address, load.when]
    for need in one.needs:
        found += [need.when, need.condition, need.stops]
    for store in one.stores:
        found += [store.address, store.value, store.when, store.stops]
    return found


def _union(masks: Iterable[int]) -> int:
    total = 0
    for mask in masks:
        total |= mask
    return total


def _own(expr: Expr, own: dict[str, int]) -> Expr:
    return substitute(expr, lambda n: const(own[str(n.data)], n.width) if n.op == "own" and n.data in own else None)


def _small(expr: Expr) -> bool:
    """At most LARGEST nodes."""
    seen: set[Expr] = set()
    stack = [expr]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            if len(seen) > LARGEST:
                return False
            stack.extend(node.args)
    return True
