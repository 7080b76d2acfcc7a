"""Whether a circuit can be true, by cases: for each value of some leaves what is left of the circuit is a small question to a solver.

A circuit is a list of ANDs over literals `2 * variable + sign`: variable 0 is the constant false, leaves follow, then the gates in order.
All its `roots` have to be true. To fix a leaf means to put in a constant and to drop what becomes constant with it; a root that is itself
a leaf, or the AND of others, fixes more. Nothing else is simplified, and the cases cover all values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fsoft.solve.sat import Sat

_SMALL = 3000  # gates that a solver is asked about at once


@dataclass(slots=True)
class Circuit:
    """Gate k is variable `first + k`. The variables below are leaves."""

    first: int
    left: list[int]
    right: list[int]
    roots: list[int]

    def gate(self, a: int, b: int) -> int:
        """The literal of the AND of two literals."""
        if a < 2 or b < 2:
            return 0 if a == 0 or b == 0 else b if a == 1 else a
        if a ^ b < 2:
            return a if a == b else 0
        self.left.append(a)
        self.right.append(b)
        return 2 * (self.first + len(self.left) - 1)

    def every(self, literals: Sequence[int]) -> int:
        """The AND of many."""
        found = 1
        for literal in literals:
            found = self.gate(found, literal)
        return found


Groups = list[list[int]]


def satisfiable(circuit: Circuit, groups: Sequence[Sequence[int]], solver: str) -> bool:
    """Whether all roots can be true together. It is asked for each value of the first group of leaves, then of the group that makes the
    circuits smallest, and so on, until no group is left or the circuit is small."""
    work: list[tuple[Circuit, Groups]] = []
    first = _fix(circuit, {})
    if first is not None:
        work.append((first, [list(group) for group in groups]))
    while work:
        now, left = work.pop()
        present = _leaves(now) if len(now.left) > _SMALL else set[int]()
        kept = [[leaf for leaf in group if leaf in present] for group in left]
        left = [group for k, group in enumerate(kept) if group or (k == 0 and present)]
        if not any(left):
            if _solve(now, solver):
                return True
            continue
        if left[0]:
            work += [(one, [left[0][1:], *left[1:]]) for one in _both(now, left[0][0])]
        else:
            work += _next_group(now, left[1:])
    return False


def _next_group(circuit: Circuit, groups: Groups) -> list[tuple[Circuit, Groups]]:
    """The cases of the group whose first leaf makes the circuits smallest."""
    tried = [_both(circuit, group[0]) for group in groups]
    best = min(range(len(groups)), key=lambda k: sum(len(one.left) for one in tried[k]))
    rest = [groups[best][1:], *groups[:best], *groups[best + 1 :]]
    return [(one, rest) for one in tried[best]]


def _both(circuit: Circuit, leaf: int) -> list[Circuit]:
    """What is left where the leaf is 1, and where it is 0."""
    found = [_fix(circuit, {leaf: value}) for value in (1, 0)]
    return [one for one in found if one is not None]


def _fix(circuit: Circuit, fixed: dict[int, int]) -> Circuit | None:
    """The circuit with these leaves, and those that follow from them, put in; None if a root becomes false."""
    while True:
        small = _put(circuit, fixed)
        roots, fixed = dict.fromkeys(small.roots), {}
        if 0 in roots or any(root ^ 1 in roots for root in roots):
            return None
        queue, kept = list(roots), dict[int, None]()
        for root in queue:  # grows on the way
            gate = (root >> 1) - small.first
            if root == 1:
                continue
            if gate < 0:
                if fixed.setdefault(root >> 1, 1 - (root & 1)) == root & 1:
                    return None
            elif root & 1:
                kept[root] = None
            else:
                queue += [small.left[gate], small.right[gate]]
        small.roots = list(kept)
        if not fixed:
            return small
        circuit = small


def _put(circuit: Circuit, fixed: dict[int, int]) -> Circuit:
    """What is left of the cone of the roots when the leaves have these values."""
    first, left, right = circuit.first, circuit.left, circuit.right
    needed = bytearray(first + len(left))
    for root in circuit.roots:
        needed[root >> 1] = 1
    for k in reversed(range(len(left))):
        if needed[first + k]:
            needed[left[k] >> 1] = needed[right[k] >> 1] = 1
    value = list(range(0, 2 * first, 2)) + [0] * len(left)
    for leaf, constant in fixed.items():
        value[leaf] = constant
    small = Circuit(first, [], [], [])
    gate = small.gate
    for k in range(len(left)):
        if needed[first + k]:
            a, b = left[k], right[k]
            value[first + k] = gate(value[a >> 1] ^ a & 1, value[b >> 1] ^ b & 1)
    small.roots = [value[root >> 1] ^ root & 1 for root in circuit.roots]
    return small


def _leaves(circuit: Circuit) -> set[int]:
    """The leaves of a circuit all of whose gates are needed."""
    return {x >> 1 for side in (circuit.left, circuit.right, circuit.roots) for x in side if x >> 1 < circuit.first}


def _solve(circuit: Circuit, solver: str) -> bool:
    """The question in clauses."""
    if not circuit.roots:
        return True
    sat, names = Sat(solver), dict[int, int]()

    def at(literal: int) -> int:
        name = names.get(literal >> 1)
        if name is None:
            name = names[literal >> 1] = sat.var()
        return -name if literal & 1 else name

    try:
        for k, (a, b) in enumerate(zip(circuit.left, circuit.right)):
            x, y, z = at(a), at(b), at(2 * (circuit.first + k))
            sat.add([-z, x])
            sat.add([-z, y])
            sat.add([z, -x, -y])
        for root in circuit.roots:
            sat.add([at(root)])
        return sat.solve()
    finally:
        sat.close()
