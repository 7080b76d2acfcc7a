"""Stores that nobody can ever look at, such as the result of a thread in a program that joins none.

An object is **contained** if its address never travels: it occurs only as the base of accesses. Then every load of the object is
in sight, and a store to bytes that none of them reads has no effect on anything.
"""

from __future__ import annotations

from fsoft.program.expr import Expr, to_signed
from fsoft.program.local import contained_objects
from fsoft.program.program import Load, Program, Store, Template


def _constant_address(address: Expr, own: dict[str, int]) -> tuple[int, int | None] | None:
    """(base address, constant distance from it or None) where the base is known."""
    distance: int | None = 0
    while address.op == "padd":
        delta = address.args[1]
        distance = None if distance is None or not delta.is_const else distance + to_signed(delta.value, delta.width)
        address = address.args[0]
    if address.op == "own":
        return own[str(address.data)], distance
    return (address.value, distance) if address.is_const else None


class Unread:
    """Which stores of a program no load can see."""

    def __init__(self, program: Program):
        self.program = program
        self.contained = contained_objects(program)
        self._read: dict[int, set[int] | None] = {}  # by object: bytes that are read; None for all
        for thread in program.threads:
            loads = (a for step in thread.template.steps for a in step.actions if isinstance(a, Load))
            for load in loads:
                self._note(load, thread.own)

    def _range(self, access: Load | Store, own: dict[str, int]) -> tuple[int, range | None] | None:
        """(object, bytes or None if not known) of an access with a known base."""
        found = _constant_address(access.address, own)
        if found is None:
            return None
        base, distance = found
        start = None if distance is None else (base & ((1 << self.program.offset_bits) - 1)) + distance
        return base >> self.program.offset_bits, None if start is None else range(start, start + access.size)

    def _note(self, load: Load, own: dict[str, int]) -> None:
        found = self._range(load, own)
        if found is None:
            return
        number, part = found
        known = self._read.setdefault(number, set())
        if part is None or known is None:
            self._read[number] = None
        else:
            known.update(part)

    def unread(self, template: Template, store: Store) -> bool:
        """Whether no load sees what the store writes, whichever thread runs the template."""
        for thread in self.program.threads:
            if thread.template is not template:
                continue
            found = self._range(store, thread.own)
            if found is None or found[0] not in self.contained or found[1] is None:
                return False
            known = self._read.get(found[0], set())
            if known is None or not known.isdisjoint(found[1]):
                return False
        return True
