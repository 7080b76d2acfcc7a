"""Ports: accesses to a long array that all steps share.

An access at an offset that is not known needs one comparison and one multiplexer for each cell of the array, and every step of every
slot would have its own. But at most one step fires at a time. So the k-th access of a step goes through a port: the port's offset (for a
store, also the value, and whether it happens) is that of the step that fires, and cells are compared and multiplexed once per port.
What is asked of many steps at once never depends on a port: steps with a `Require` use none, nor does any step where races count.

While steps are encoded the signals of a port are leaves (`<port.N>`); when all users are known, `connect` puts in what they are. The k-th
access of a step depends on accesses before it only, so what is put in never contains a later port.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fsoft.analysis.strides import Stride
from fsoft.circuit.encode.memory_terms import MemoryTerms
from fsoft.circuit.model.reduce import Rewrite
from fsoft.program.expr import FALSE, TRUE, Expr, conj, disj, ite, make, reg, substitute
from fsoft.program.program import Load, Store
from fsoft.program.state import Place

if TYPE_CHECKING:
    from fsoft.circuit.encode.steps import StepEffect

SHARED = 32
"""An access that considers at least so many offsets of one object goes through a port."""

PortKey = tuple[int, bool, int, int, Stride]


@dataclass(slots=True)
class Port:
    """One object, one size, one position among the accesses of a step. `low`, `data` and `on` are its signals: the offset, the value to
    store, whether to store it. `valid` and `odd` judge the offset as `memory_terms.Reach` does; `value` is what a load gets, `written` what
    the entries become by a store. A port is on only if a step fires."""

    position: int
    low: Expr
    data: Expr
    on: Expr
    valid: Expr
    odd: Expr
    value: Expr
    written: dict[int, Expr] = field(default_factory=dict)
    uses: list[tuple[Expr, PortUse]] = field(default_factory=list)

    def judge(self, memory: MemoryTerms, address: Expr, syntax: Expr) -> tuple[Expr, Expr]:
        """Whether an access is valid, and whether it is valid but not followed."""
        found = memory.objects(address, syntax)
        match = found[0][1]
        return conj(match, self.valid), disj(memory.stray(address, found), conj(match, self.odd))


@dataclass(slots=True)
class PortUse:
    """A step accesses `port` at offset `low`; a store gives it `value`, and happens when `on`."""

    port: Port
    low: Expr
    value: Expr | None = None
    on: Expr = FALSE


def _entries(place: Place, offsets: list[int], size: int) -> set[int]:
    """The entries of the state that an access at one of these offsets may depend on."""
    found = {place.base + cell.number for offset in offsets for cell in place.cells.overlapping(offset, size)}
    return found | {entry for entry in (place.status, place.extent) if entry >= 0}


class Ports:
    """All ports of an encoding. `leaf` gives the entries of the state before a step."""

    def __init__(self, leaf: Callable[[int], Expr]):
        self._leaf = leaf
        self._ports: dict[PortKey, Port] = {}
        self._writers: dict[Expr, Port] = {}
        self._rewrite: Rewrite | None = None

    @property
    def used(self) -> bool:
        return bool(self._ports)

    def find(self, memory: MemoryTerms, address: Expr, action: Load | Store, position: int, writes: dict[int, Expr]) -> Port | None:
        """The port for an access, if it is to share one: it considers many offsets of one object, which the step has not changed yet."""
        low = make("extract", memory.program.offset_bits, (address,), 0)
        found = memory.objects(address, action.address) if not low.is_const else []
        if len(found) != 1:
            return None
        place, size, write = found[0][0], action.size, isinstance(action, Store)
        if place.limit < size or place.cells.count < SHARED or (place.object.readonly and (write or place.rom is not None)):
            return None
        stride = memory.facts.strides.offset(memory.slot, action.address)
        offsets, _ = memory.offsets(place, low, size, stride)
        if len(offsets) < SHARED or (writes and not writes.keys().isdisjoint(_entries(place, offsets, size))):
            return None
        key = (position, write, place.object.id, size, stride)
        if key not in self._ports:
            self._ports[key] = self._make(memory, place, key)
        return self._ports[key]

    def _make(self, memory: MemoryTerms, place: Place, key: PortKey) -> Port:
        position, write, _, size, stride = key
        name = f"<port.{len(self._ports)}>"  # no name of the program looks like this
        low, data, on = reg(name, memory.program.offset_bits), reg(f"{name}.value", 8 * size), reg(f"{name}.on", 1)
        before = MemoryTerms(memory.program, memory.layout, self._leaf, memory.facts, memory.slot)
        reach = before.reach_at([(place, TRUE)], low, stride, size, write)
        if not write:
            return Port(position, low, data, on, reach.valid, reach.odd, before.value(reach, size))
        for way in reach.ways:
            way.when = conj(on, way.when)
        port = Port(position, low, data, on, reach.valid, reach.odd, data, before.stored(reach, size, data))
        self._writers.update((term, port) for term in port.written.values())
        return port

    def use(self, uses: list[PortUse], fires: Expr) -> None:
        """A step that happens when `fires` holds uses these ports."""
        for one in uses:
            one.port.uses.append((fires, one))

    def following(self, value: Expr, when: Expr, leaf: Expr, otherwise: Expr) -> Expr:
        """What an entry becomes if a step writes `value` into it when `when` holds, and otherwise `otherwise`."""
        port = self._writers.get(value)
        if port is None:
            return ite(when, value, otherwise)
        return value if otherwise is leaf else substitute(value, lambda node: otherwise if node is leaf else None)

    # ------------------------------------------------------------ once all users are known

    def connected(self, term: Expr) -> Expr:
        """The term with every signal of a port replaced by what it is."""
        if not self._ports:
            return term
        if self._rewrite is None:
            self._rewrite = self._connect()
        return self._rewrite(term)

    def connect(self, effect: StepEffect) -> None:
        """The same for a step."""
        now = self.connected
        effect.enabled, effect.lost, effect.ends = now(effect.enabled), now(effect.lost), now(effect.ends)
        effect.writes = {index: now(term) for index, term in effect.writes.items()}
        effect.fails = {name: now(term) for name, term in effect.fails.items()}
        effect.cuts = {name: now(term) for name, term in effect.cuts.items()}
        effect.answers = [(now(asked), now(value)) for asked, value in effect.answers]
        effect.born = [(index, now(when), now(value)) for index, when, value in effect.born]

    def _connect(self) -> Rewrite:
        known: dict[Expr, Expr] = {}
        rewrite = Rewrite(lambda leaf: known.get(leaf, leaf))
        for port in sorted(self._ports.values(), key=lambda port: port.position):
            if not port.uses:
                continue
            low, data, on = port.uses[0][1].low, port.uses[0][1].value, FALSE
            for when, use in port.uses:
                low = ite(when, use.low, low)
                if use.value is not None and data is not None:
                    data, on = ite(when, use.value, data), disj(on, conj(when, use.on))
            known[port.low] = rewrite(low)  # first: whether a store happens depends on where
            known[port.on] = rewrite(on)
            if data is not None:
                known[port.data] = rewrite(data)
        return rewrite
