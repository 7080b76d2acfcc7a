"""Memory as a step changes it that is looked at but not taken: a list of what the step has done, over the memory of the state.

Bytes are put together from the writes before; an object that has come to life in the step has unknown bytes, or zeros. What was once read
of unknown bytes stays so: a read of them is listed like a write.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from fsoft.passes.reuse import apart
from fsoft.program.expr import FALSE, Expr, binary, conj, const, eq, ite, make
from fsoft.program.program import Program


@dataclass(frozen=True, slots=True)
class _Write:
    address: Expr
    size: int
    value: Expr
    when: Expr


@dataclass(frozen=True, slots=True)
class _Life:
    """The object at `address` comes to life with so many bytes, or dies (then it has none)."""

    address: Expr
    size: Expr
    zero: bool
    when: Expr


@dataclass(slots=True)
class Overlay:
    """`store`, `begin` and `end` list what the step does; `size` and `load` are answers of the state seen through that."""

    program: Program
    _done: list[_Write | _Life] = field(default_factory=list)

    def store(self, address: Expr, size: int, value: Expr, when: Expr) -> None:
        self._done.append(_Write(address, size, value, when))

    def begin(self, address: Expr, size: Expr, zero: bool, when: Expr) -> None:
        self._done.append(_Life(address, size, zero, when))

    def end(self, address: Expr, when: Expr) -> None:
        self._done.append(_Life(address, const(0, self.program.word), False, when))

    def size(self, address: Expr, measured: Expr) -> Expr:
        """The size of the live object there, 0 if there is none; `measured` in the state."""
        for one in self._done:
            if isinstance(one, _Life):
                measured = ite(conj(one.when, self._same(one.address, address)), one.size, measured)
        return measured

    def load(self, address: Expr, size: int, loaded: Expr, when: Expr, unknown: Callable[[], Expr]) -> Expr:
        """The value there, if `loaded` is what the state holds; `unknown` makes one that may be anything."""
        guessed = False
        for one in self._done:
            if isinstance(one, _Write):
                loaded = _covered(one, address, size, loaded)
                continue
            here = conj(one.when, self._same(one.address, address))
            if here is not FALSE:
                loaded = ite(here, const(0, loaded.width) if one.zero else unknown(), loaded)
                guessed |= not one.zero
        if guessed:
            self.store(address, size, loaded, when)
        return loaded

    def _same(self, a: Expr, b: Expr) -> Expr:
        """Both addresses name the same object."""
        bits = self.program.offset_bits
        return eq(make("extract", a.width - bits, (a,), bits), make("extract", b.width - bits, (b,), bits))


def _covered(write: _Write, address: Expr, size: int, loaded: Expr) -> Expr:
    """Bytes of memory after a write, wherever the two ranges overlap."""
    if apart(write.address, write.size, address, size):
        return loaded
    if write.address is address and write.size == size:
        return ite(write.when, write.value, loaded)
    total, distance = loaded, binary("sub", address, write.address)
    for ahead in range(1 - size, write.size):
        here = conj(write.when, eq(distance, const(ahead, distance.width)))
        if here is not FALSE:
            total = ite(here, _laid(write.value, loaded, ahead), total)
    return total


def _laid(value: Expr, loaded: Expr, ahead: int) -> Expr:
    """`value` laid over `loaded`, whose first byte is `ahead` bytes behind the first one of the value."""
    low, high = max(0, -8 * ahead), min(loaded.width, value.width - 8 * ahead)
    total = make("extract", high - low, (value,), low + 8 * ahead)
    if low:
        total = make("concat", high, (total, make("extract", low, (loaded,), 0)))
    if high < loaded.width:
        total = make("concat", loaded.width, (make("extract", loaded.width - high, (loaded,), high), total))
    return total
