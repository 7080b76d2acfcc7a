"""Derived locks: a flag that is set only when it is free, inside the region of a real lock (its token), and cleared only by its setter.

    lock(token); while (held) wait(cond, token); held = 1; unlock(token);   ...   lock(token); held = 0; signal(cond); unlock(token);

What counts is what the program does. At the store that sets the flag the thread holds the token and has read, under the same token and
without giving it back since, that the flag is 0; all such stores to one flag agree on the token. So the flag is 0 there, and whoever has
set it and not cleared it since is the only one: a thread that does not move keeps all others from the store. A store that clears it
happens only where the thread itself has certainly set it. Anything else that may write the cell, and it is no derived lock.

Who holds a derived lock is not in memory (the flag may just be 1): it is told by the location, where the lock is certainly held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from fsoft.analysis.actions import members
from fsoft.passes.ways import conjuncts
from fsoft.por.cells import Ground
from fsoft.por.footprint import Footprint, StoredValue, settled
from fsoft.por.locks import SlotLocks, steady_cells, value_of
from fsoft.program.expr import FALSE, TRUE, Expr, const, eq, fill, negate, reg

Tokens = frozenset[Expr]


@dataclass
class Flags:
    """What holds at a location on all ways. `tells`: if the term is true, the flag at an address was 0 and the tokens have been held
    since; `free`: flags that are certainly 0, by address; `owned`: flags that the thread has certainly set, with their cells; `apart`:
    addresses that differ."""

    tells: dict[Expr, tuple[Expr, int, Tokens]] = field(default_factory=dict)
    free: dict[Expr, tuple[int, Tokens]] = field(default_factory=dict)
    owned: dict[Expr, int] = field(default_factory=dict)
    apart: set[frozenset[Expr]] = field(default_factory=set)

    def copy(self) -> Flags:
        return Flags(dict(self.tells), dict(self.free), dict(self.owned), set(self.apart))

    def meet(self, other: Flags) -> bool:
        """Keep what both say; whether something was lost."""
        old = (dict(self.tells), dict(self.free), dict(self.owned), set(self.apart))
        self.tells = {
            k: (a, m, t & other.tells[k][2]) for k, (a, m, t) in self.tells.items() if k in other.tells and other.tells[k][0] is a
        }
        self.free = {a: (m, t & other.free[a][1]) for a, (m, t) in self.free.items() if a in other.free}
        self.owned = {a: m for a, m in self.owned.items() if a in other.owned}
        self.apart &= other.apart
        return old != (self.tells, self.free, self.owned, self.apart)

    def filter(self, changed: set[str], held: set[Expr]) -> None:
        """Registers changed, and only these locks are still held."""

        def stays(*terms: Expr) -> bool:
            return all(changed.isdisjoint(term.reads) for term in terms)

        self.tells = {k: (a, m, t & held) for k, (a, m, t) in self.tells.items() if stays(k, a) and t & held}
        self.free = {a: (m, t & held) for a, (m, t) in self.free.items() if stays(a) and t & held}
        self.owned = {a: m for a, m in self.owned.items() if stays(a)}
        self.apart = {p for p in self.apart if stays(*p)}

    def written(self, address: Expr, mask: int) -> None:
        """Something else is stored at an address: what may lie there is not known any more."""

        def other(a: Expr, m: int) -> bool:
            return not m & mask or (a is not address and frozenset((a, address)) in self.apart)

        self.tells = {k: row for k, row in self.tells.items() if other(row[0], row[1])}
        self.free = {a: row for a, row in self.free.items() if other(a, row[0])}
        self.owned = {a: m for a, m in self.owned.items() if other(a, m)}


@dataclass(frozen=True)
class Setting:
    """A store that sets a flag: the flag's address over the registers before the step, its cells, and what its tokens are."""

    index: int
    address: Expr
    mask: int
    tokens: frozenset[tuple[str, int]]


class FlagsOf:
    """The flags of one slot. `at` by location; `settings` are its stores that set a flag, `spoiled` the cells that it writes otherwise."""

    def __init__(self, ground: Ground, held: SlotLocks, prints: Sequence[Footprint], locks: int, exempt: frozenset[int]):
        self.ground, self.held, self.prints, self.locks = ground, held, prints, locks
        self.template = held.template
        self.at: list[Flags | None] = [None] * len(self.template.locations)
        self.settings: dict[int, Setting] = {}
        self.spoiled = 0
        self._solve()
        self._judge(exempt)

    def _solve(self) -> None:
        out: list[list[int]] = [[] for _ in self.template.locations]
        for index, step in enumerate(self.template.steps):
            if self.prints[index].possible:
                out[step.source].append(index)
        self.at[0] = Flags()
        work = [0]
        while work:
            location = work.pop()
            for index in out[location]:
                if not self.held.possible(index):
                    continue
                target = self.template.steps[index].target
                new = Flags() if target == 0 else self._after(index)
                old = self.at[target]
                if old is None:
                    self.at[target] = new
                    work.append(target)
                elif old.meet(new):
                    work.append(target)

    def _branched(self, index: int) -> tuple[Flags, dict[str, Expr]]:
        """What is certain once the step's guard holds, and what registers are."""
        step = self.template.steps[index]
        flags = self.at[step.source]
        defs = self.held.defs[step.source] or {}
        new = flags.copy() if flags is not None else Flags()
        for part in conjuncts(fill(self.prints[index].guard, defs)):
            told = new.tells.get(part)
            if told is not None:
                new.free[told[0]] = (told[1], told[2])
        return new, defs

    def _after(self, index: int) -> Flags:
        one = self.prints[index]
        new, defs = self._branched(index)
        before = self.held.at[self.template.steps[index].source]
        assert before is not None
        tokens = frozenset(lock for lock, mask in before.held.items() if not mask & ~self.locks)
        for store in one.stores:
            self._store(new, store, fill(store.address, defs))
        for item in one.items:
            if item.where.kind == "life":
                new.written(FALSE, item.writes)
        changed = set(one.after)
        new.filter(changed, set(self.held.after(index, before).held))
        if one.plain:
            self._loads(one, new, defs, changed, tokens & frozenset(self.held.after(index, before).held))
        return new

    def _store(self, new: Flags, store: StoredValue, address: Expr) -> None:
        found = self._sets(new, store, address)
        if found is None:
            new.written(address, store.masks[1])
            return
        new.apart.update(frozenset((address, other)) for other in new.owned if other is not address)
        new.written(address, store.masks[1])
        new.owned[address] = store.masks[1]

    def _sets(self, flags: Flags, store: StoredValue, address: Expr) -> tuple[int, Tokens] | None:
        sure = store.when is TRUE and store.stops is FALSE and store.value.is_const and store.value.value != 0
        return flags.free.get(address) if sure and settled(address) and self._whole(store.masks[1], store.size) else None

    def _whole(self, cells: int, size: int) -> bool:
        """An access of that size is one of the whole flag."""
        sizes = self.ground.sizes
        return all(cell >= len(sizes) or sizes[cell] == size for cell in members(cells))  # beyond: whether another entry is 0

    def _loads(self, one: Footprint, new: Flags, defs: dict[str, Expr], changed: set[str], tokens: Tokens) -> None:
        """Registers that tell whether a flag is 0."""
        if not tokens:
            return
        for load in one.loads:
            address = fill(load.address, defs)
            if load.when is not TRUE or not settled(address) or not changed.isdisjoint(address.reads):
                continue
            if not self._whole(load.masks[0], load.size):
                continue
            zero = eq(value_of(load), const(0, 8 * load.size))
            for name, value in one.after.items():
                told: Expr | None = None
                if value is value_of(load):
                    told = eq(reg(name, value.width), const(0, value.width))
                elif value is zero or value is negate(zero):
                    told = reg(name, 1) if value is zero else negate(reg(name, 1))
                if told is not None:
                    new.tells[told] = (address, load.masks[0], tokens)

    # ------------------------------------------------------------ which stores are in order

    def _judge(self, exempt: frozenset[int]) -> None:
        for index, one in enumerate(self.prints):
            if not one.possible or self.template.steps[index].source in exempt:
                continue
            flags, defs = self._branched(index)
            for item in one.items:
                if item.where.kind == "life":
                    self.spoiled |= item.writes
            for store in one.stores:
                self._judge_store(index, store, fill(store.address, defs), flags)

    def _judge_store(self, index: int, store: StoredValue, address: Expr, flags: Flags) -> None:
        found = self._sets(flags, store, address)
        if found is not None and len(self.prints[index].stores) == 1:
            keys = frozenset(key for token in found[1] for key in _relations(address, token, self.ground))
            self.settings[index] = Setting(index, store.address, store.masks[1], keys)
        elif not (store.value.is_const and store.value.value == 0 and address in flags.owned and self._whole(store.masks[1], store.size)):
            self.spoiled |= store.masks[1]


def _relations(flag: Expr, token: Expr, ground: Ground) -> list[tuple[str, int]]:
    """How the token's address follows from the flag's: always the same, or always as far away."""
    offset_bits = ground.program.offset_bits
    (base, a), (other, b) = split(flag, offset_bits), split(token, offset_bits)
    found = [("at", token.value)] if token.is_const else []
    return [*found, ("off", b - a)] if base is other else found


def split(term: Expr, offset_bits: int) -> tuple[Expr, int]:
    """An address as a term and the bytes behind it; a constant one as its object and the offset there."""
    offset = 0
    while term.op == "padd" and term.args[1].is_const:
        width = term.args[1].width
        value = term.args[1].value
        offset += value - (1 << width) if value >> (width - 1) else value
        term = term.args[0]
    if term.is_const:
        return const(term.value >> offset_bits, term.width), offset + (term.value & ((1 << offset_bits) - 1))
    return term, offset


def derived_cells(ground: Ground, slots: Sequence[FlagsOf]) -> int:
    """Mask of the cells that are derived locks."""
    good, initial = 0, ground.layout.initial()
    tokens: dict[int, frozenset[tuple[str, int]]] = {}
    for slot in slots:
        for setting in slot.settings.values():
            for cell in members(setting.mask):
                tokens[cell] = tokens[cell] & setting.tokens if cell in tokens else setting.tokens
    steady = steady_cells(ground)
    for cell, common in tokens.items():
        if common and steady >> cell & 1 and initial[cell] == 0:
            good |= 1 << cell
    for slot in slots:
        good &= ~slot.spoiled
    return good
