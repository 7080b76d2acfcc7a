"""And-inverter graph in flat integer lists.

A literal is `2 * variable + sign`: an even literal is the variable, an odd one its negation; 0 is false and 1 is true (variable 0 is
the constant). Variable `v` is an input where `left[v] == -1`, otherwise the conjunction of the literals `left[v]` and
`right[v]`, with `left[v] > right[v]` and both below `2 * v`: the order of variables is topological.

`land` is the one constructor. It hashes structurally and applies the two-level rules of Brummayer and Biere, "Local Two-Level
And-Inverter Graph Minimization without Blowup" (MEMICS 2006): contradiction, idempotence, subsumption, substitution and
resolution. Its answers, simplified ones too, are remembered, so that asking again costs one look-up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

FALSE, TRUE = 0, 1


class Aig:
    """See the module's text. `land`, `lxor` and `mux` are functions stored per graph: they are the hot spot of everything."""

    __slots__ = ("land", "left", "lxor", "mux", "right", "table")

    left: list[int]
    right: list[int]
    table: dict[int, int]
    land: Callable[[int, int], int]
    lxor: Callable[[int, int], int]
    mux: Callable[[int, int, int], int]

    def __init__(self) -> None:
        self._setup([-1], [-1], {})

    def _setup(self, left: list[int], right: list[int], table: dict[int, int]) -> None:
        self.left, self.right, self.table = left, right, table
        self.land = _conjunction(left, right, table)
        self.lxor = _exclusive(self.land)
        self.mux = _choice(self.land, self.lxor)

    def __getstate__(self) -> tuple[list[int], list[int], dict[int, int]]:
        return self.left, self.right, self.table

    def __setstate__(self, state: tuple[list[int], list[int], dict[int, int]]) -> None:
        self._setup(*state)

    def __len__(self) -> int:
        """Number of variables, the constant included."""
        return len(self.left)

    def input(self) -> int:
        """A fresh input variable, as its positive literal."""
        literal = 2 * len(self.left)
        self.left.append(-1)
        self.right.append(-1)
        return literal

    def lor(self, a: int, b: int) -> int:
        return self.land(a ^ 1, b ^ 1) ^ 1

    def conjoin(self, literals: Iterable[int]) -> int:
        """The conjunction of many literals, as a balanced tree."""
        level = list(literals) or [TRUE]
        land = self.land
        while len(level) > 1:
            pairs = [land(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
            level = pairs + level[len(level) & ~1 :]
        return level[0]

    def disjoin(self, literals: Iterable[int]) -> int:
        return self.conjoin([literal ^ 1 for literal in literals]) ^ 1

    def cone(self, roots: Iterable[int]) -> list[int]:
        """The variables (not the constant) below the root literals, in topological order."""
        left, right = self.left, self.right
        seen = bytearray(len(left))
        seen[0] = 1
        stack = [root >> 1 for root in roots]
        found = []
        while stack:
            v = stack.pop()
            if seen[v]:
                continue
            seen[v] = 1
            found.append(v)
            if left[v] >= 0:
                stack.append(left[v] >> 1)
                stack.append(right[v] >> 1)
        found.sort()
        return found

    def gates(self) -> int:
        """How many AND nodes there are."""
        return len(self.left) - self.left.count(-1)


def _conjunction(left: list[int], right: list[int], table: dict[int, int]) -> Callable[[int, int], int]:
    find = table.get
    add_left, add_right = left.append, right.append

    def land(a: int, b: int) -> int:
        if a < b:
            a, b = b, a
        if b < 2:
            return a if b else 0
        if a ^ b < 2:
            return a if a == b else 0
        key = a << 32 | b
        known = find(key)
        if known is not None:
            return known
        a0 = left[a >> 1]
        if a0 >= 0:  # b < a, so a is no operand of b; only what a and b share can simplify
            a1 = right[a >> 1]
            if a0 ^ b < 2 or a1 ^ b < 2:
                table[key] = short = one_side(a, b, a0, a1)
                return short
            b0, b1 = left[b >> 1], right[b >> 1]
            if b0 >= 0 and (a0 ^ b0 < 2 or a0 ^ b1 < 2 or a1 ^ b0 < 2 or a1 ^ b1 < 2):
                new = two_level(a, b, a0, a1, b0, b1)
                if new >= 0:
                    table[key] = new
                    return new
        table[key] = new = 2 * len(left)
        add_left(a)
        add_right(b)
        return new

    def two_level(a: int, b: int, a0: int, a1: int, b0: int, b1: int) -> int:
        """Two gates that share an operand; -1 where no rule applies."""
        if a & 1:
            return resolve(a0, a1, b0, b1) if b & 1 else mixed(b, b0, b1, a0, a1)
        return mixed(a, a0, a1, b0, b1) if b & 1 else both(a, a0, a1, b0, b1)

    def one_side(a: int, b: int, a0: int, a1: int) -> int:
        """`a` is a gate (or the negation of one) over a0, a1; `b` is one of those or its negation."""
        if a & 1:
            if b == a0:
                return land(b, a1 ^ 1)
            return land(b, a0 ^ 1) if b == a1 else b
        return a if b in (a0, a1) else 0

    def both(a: int, a0: int, a1: int, b0: int, b1: int) -> int:
        """(a0 & a1) & (b0 & b1), `a` being the first conjunction."""
        n0, n1 = a0 ^ 1, a1 ^ 1
        if n0 in (b0, b1) or n1 in (b0, b1):
            return 0
        if b0 in (a0, a1):
            return land(a, b1)
        return land(a, b0) if b1 in (a0, a1) else -1

    def mixed(a: int, a0: int, a1: int, b0: int, b1: int) -> int:
        """(a0 & a1) & !(b0 & b1), `a` being the first conjunction."""
        n0, n1 = a0 ^ 1, a1 ^ 1
        if n0 in (b0, b1) or n1 in (b0, b1):
            return a
        if b0 in (a0, a1):
            return land(a, b1 ^ 1)
        return land(a, b0 ^ 1) if b1 in (a0, a1) else -1

    def resolve(a0: int, a1: int, b0: int, b1: int) -> int:
        """!(a0 & a1) & !(b0 & b1) where one operand is shared and the other complementary."""
        if (a0 == b0 and a1 ^ 1 == b1) or (a0 == b1 and a1 ^ 1 == b0):
            return a0 ^ 1
        return a1 ^ 1 if (a1 == b1 and a0 ^ 1 == b0) or (a1 == b0 and a0 ^ 1 == b1) else -1

    return land


def _exclusive(land: Callable[[int, int], int]) -> Callable[[int, int], int]:
    def lxor(a: int, b: int) -> int:
        if a < 2 or b < 2:
            return a ^ b
        sign = (a ^ b) & 1
        a &= ~1
        b &= ~1
        if a == b:
            return sign
        return land(land(a, b) ^ 1, land(a ^ 1, b ^ 1) ^ 1) ^ sign

    return lxor


def _choice(land: Callable[[int, int], int], lxor: Callable[[int, int], int]) -> Callable[[int, int, int], int]:
    def mux(c: int, a: int, b: int) -> int:
        """`a` if `c`, else `b`."""
        if a == b:
            return a
        if c < 2:
            return a if c else b
        if a ^ b == 1 and a > 1:
            return lxor(c, b)
        if c & 1:
            c, a, b = c ^ 1, b, a
        return land(land(c, a) ^ 1, land(c ^ 1, b) ^ 1) ^ 1

    return mux
