"""The memory unwinding: a guessed sequence of writes to shared memory (Tomasco et al., TACAS'15, sections 3 and 4).

Position 0 is memory as it is when threads first meet. A position after that is, in a fine-grained sequence, one step that writes: which
thread's, and one entry with its new value per column (`columns.py`); in a coarse-grained one a cluster of such steps: a partial map
from entries to the values that the cluster leaves.

Reads are *explicit* (a matrix holds every entry at every position, a read picks the row), *implicit* (no matrix: a read looks for the last
position that writes the entry) or *mixed* (implicit for elements of arrays).
"""

from __future__ import annotations

from collections.abc import Sequence

from fsoft.bounded.columns import columns
from fsoft.bounded.common import Common
from fsoft.bounded.shared import SharedEntries
from fsoft.bounded.walk import WalkGround
from fsoft.program.expr import TRUE, Expr, binary, conj, const, disj, eq, ite, make, negate

READS = ("explicit", "implicit", "mixed")


class Unwinding:
    """What every grain has. Positions count from 1 to `count`; `first` has what differs from the initial state at position 0."""

    def __init__(self, ground: WalkGround, common: Common, count: int, reads: str):
        self.ground, self.shared, self.domains, self.count = ground, common.shared, common.domains, count
        self.slots = len(ground.program.threads)
        self.first: dict[int, Expr] = {}
        self._matrix: dict[tuple[int, int], Expr] = {}
        mask = self.shared.mask
        self._implicit = mask if reads == "implicit" else _elements(self.shared) if reads == "mixed" else 0

    # ------------------------------------------------------------ the guess

    def writes(self, position: int, entry: int) -> Expr:
        """The position writes the entry."""
        raise NotImplementedError

    def value(self, position: int, entry: int) -> Expr:
        """The value it writes then."""
        raise NotImplementedError

    def owner(self, position: int, slot: int) -> Expr:
        """The position belongs to that thread."""
        return eq(self._thread(position), const(slot, self.slots.bit_length()))

    def used(self, position: int) -> Expr:
        """Some thread writes there."""
        return negate(eq(self._thread(position), const(self.slots, self.slots.bit_length())))

    def _thread(self, position: int) -> Expr:
        return self.ground.input(f"thread.{position}", self.slots.bit_length())

    def constrain(self, name: str, condition: Expr) -> None:
        if condition is not TRUE:
            self.ground.model.constraints[name] = condition

    def width(self, entry: int) -> int:
        return self.shared.holder_width if entry == self.shared.holder else self.ground.words.widths[entry]

    def name(self, entry: int) -> str:
        return "<holder>" if entry == self.shared.holder else self.ground.words.names[entry]

    # ------------------------------------------------------------ reading

    def implicit(self, entries: int) -> bool:
        """All of these entries are read implicitly."""
        return entries & ~self._implicit == 0

    def at(self, position: int, entry: int) -> Expr:
        """The entry after the position."""
        if position == 0 or not self.shared.mask >> entry & 1:
            first = self.first.get(entry)
            return first if first is not None else self._initial(entry)
        key = (position, entry)
        if key not in self._matrix:
            for k in range(1, position + 1):
                if (k, entry) not in self._matrix:
                    self._matrix[k, entry] = ite(self.writes(k, entry), self.value(k, entry), self.at(k - 1, entry))
        return self._matrix[key]

    def _initial(self, entry: int) -> Expr:
        return const(0, self.shared.holder_width) if entry == self.shared.holder else self.ground.initial(entry)

    def read(self, entry: int, past: Sequence[Expr]) -> Expr:
        """The entry for a thread that has position k behind it if `past[k - 1]` holds."""
        value = self.at(0, entry)
        implicit = self._implicit >> entry & 1
        for position, behind in enumerate(past, 1):
            if implicit:
                value = ite(conj(behind, self.writes(position, entry)), self.value(position, entry), value)
            else:
                value = ite(behind, self.at(position, entry), value)
        return value

    def next_of(self, past: Sequence[Expr], items: Sequence[Expr]) -> Expr:
        """The item of the position that comes next (of the last, where none is left)."""
        value = items[0]
        for behind, item in zip(past, items[1:], strict=False):
            value = ite(behind, item, value)
        return value


class Steps(Unwinding):
    """Fine grain: every position is one writing step. `thread` is the number of slots where nobody writes, from some position on."""

    def __init__(self, ground: WalkGround, common: Common, count: int, reads: str):
        super().__init__(ground, common, count, reads)
        self.columns = columns(self.shared)
        self._code = {entry: (c, k) for c, column in enumerate(self.columns) for k, entry in enumerate(column, 1)}
        for position in range(1, count + 1):
            used = self.used(position)
            nobody = const(self.slots, self.slots.bit_length())
            self.constrain(f"thread.{position}", binary("ule", self._thread(position), nobody))
            if position > 1:
                self.constrain(f"used.{position}", disj(negate(used), self.used(position - 1)))
            for c in range(len(self.columns)):
                variable = self.variable(position, c)
                self.constrain(f"idle.{position}.{c}", disj(used, eq(variable, const(0, variable.width))))

    def variable(self, position: int, column: int) -> Expr:
        """Which entry of the column is written: its number in the column from 1 on, or 0."""
        return self.ground.input(f"var.{position}.{column}", len(self.columns[column]).bit_length())

    def code(self, entry: int) -> tuple[int, Expr]:
        """The column of an entry and its number there."""
        column, number = self._code[entry]
        return column, const(number, len(self.columns[column]).bit_length())

    def word(self, position: int, column: int) -> Expr:
        """The guess of the value in a column; entries use as many of its bits as they need."""
        width = max(1, *(self.domains.of(entry).bits for entry in self.columns[column]))
        return self.ground.input(f"value.{position}.{column}", width)

    def writes(self, position: int, entry: int) -> Expr:
        column, number = self.code(entry)
        return eq(self.variable(position, column), number)

    def value(self, position: int, entry: int) -> Expr:
        return self.cut(self.word(position, self._code[entry][0]), entry)

    def cut(self, word: Expr, entry: int) -> Expr:
        """The value of an entry that the bits of a column's word stand for."""
        domain = self.domains.of(entry)
        return domain.decoded(make("extract", domain.bits, (word,), 0)) if domain.bits else domain.only()


class Clusters(Unwinding):
    """Coarse grain: a position is a partial map from entries to values."""

    def writes(self, position: int, entry: int) -> Expr:
        return self.ground.input(f"in.cluster.{position}.{self.name(entry)}", 1)

    def value(self, position: int, entry: int) -> Expr:
        return self.domains.of(entry).guessed(self.ground, f"value.{position}.{self.name(entry)}")


def _elements(shared: SharedEntries) -> int:
    """The entries that are elements of arrays."""
    found = 0
    for place in shared.cells.layout.places:
        if place is not None and place.rom is None:
            for cell in place.cells:
                if place.cells.run_of(cell.number)[0].count > 1:
                    found |= 1 << place.base + cell.number
    return found & shared.mask
