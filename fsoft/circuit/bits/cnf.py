"""AIG to CNF: Tseitin's translation of the cones that are asked for, with polarity.

A gate gets only the clauses of the direction in which it is used (Plaisted and Greenbaum); trees of ANDs whose inner gates
have one user become one conjunction; exclusive or and multiplexer are recognised in their three gates and get their own clauses.
The encoder is incremental: the graph may grow between calls, and later calls add what is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fsoft.circuit.bits.aig import Aig

POSITIVE, NEGATIVE, BOTH = 1, 2, 3
_WIDEST = 24  # operands of one flattened conjunction
_SWAP = (0, NEGATIVE, POSITIVE, BOTH)


class Encoder:
    """Clauses go to `add`, fresh variables come from `var`. `literal` is the only door. `redundant`: multiplexers get the two clauses that
    follow from their other four, by which a solver sees that both operands are equal; formulas that are solved once do without."""

    def __init__(self, aig: Aig, add: Callable[[list[int]], object], var: Callable[[], int], redundant: bool = True) -> None:
        self.aig = aig
        self.add = add
        self.fresh = var
        self.redundant = redundant
        self.variable = [0] * len(aig)
        self._done = bytearray(len(aig))
        self._users = [0] * len(aig)
        self._counted = 1

    def literal(self, literal: int, polarity: int = BOTH) -> int:
        """The CNF literal of an AIG literal. POSITIVE: it will only be asserted or assumed true; NEGATIVE: only false."""
        if literal < 2:
            return self._constant() * (1 if literal else -1)
        self._grow()
        self._encode(literal >> 1, _SWAP[polarity] if literal & 1 else polarity)
        variable = self.variable[literal >> 1]
        return -variable if literal & 1 else variable

    def known(self, literal: int) -> int:
        """The CNF literal if the gate has a variable already, else 0."""
        v = literal >> 1
        variable = self.variable[v] if v < len(self.variable) else 0
        return -variable if literal & 1 else variable

    def _constant(self) -> int:
        """A variable that is true."""
        if not self.variable[0]:
            self.variable[0] = self.fresh()
            self.add([self.variable[0]])
        return self.variable[0]

    def _grow(self) -> None:
        """Takes notice of the gates that are new in the graph."""
        size = len(self.aig)
        if self._counted == size:
            return
        left, right, users = self.aig.left, self.aig.right, self._users
        more = size - len(users)
        users += [0] * more
        self.variable += [0] * more
        self._done += bytes(more)
        for v in range(self._counted, size):
            if left[v] >= 0:
                users[left[v] >> 1] += 1
                users[right[v] >> 1] += 1
        self._counted = size

    def _encode(self, root: int, wanted: int) -> None:
        done, variable, fresh = self._done, self.variable, self.fresh
        left, right, users = self.aig.left, self.aig.right, self._users
        stack = [(root, wanted)]
        pop = stack.pop
        if not variable[root]:
            variable[root] = fresh()
        while stack:  # every variable on the stack has its CNF variable
            v, wanted = pop()
            missing = wanted & ~done[v]
            if not missing:
                continue
            done[v] |= missing
            x = left[v]
            if x < 0:
                continue
            y = right[v]
            x0, y0 = left[x >> 1], left[y >> 1]
            if x & y & 1 and x0 >= 0 and y0 >= 0:
                x1, y1 = right[x >> 1], right[y >> 1]
                if x0 ^ y0 == 1:
                    c, t, e = x0, x1, y1
                elif x0 ^ y1 == 1:
                    c, t, e = x0, x1, y0
                elif x1 ^ y0 == 1:
                    c, t, e = x1, x0, y1
                elif x1 ^ y1 == 1:
                    c, t, e = x1, x0, y0
                else:
                    self._and(v, (x, y), missing, stack)
                    continue
                if t ^ e == 1 or users[x >> 1] == 1 or users[y >> 1] == 1:
                    self._choice(v, c, t, e, missing, stack)
                    continue
            if (x0 >= 0 and not x & 1 and users[x >> 1] == 1) or (y0 >= 0 and not y & 1 and users[y >> 1] == 1):
                self._and(v, self._flatten(x, y), missing, stack)
            else:
                self._and(v, (x, y), missing, stack)

    def _flatten(self, x: int, y: int) -> list[int]:
        """The operands of the tree of single-user conjunctions below x and y."""
        left, right, users, variable = self.aig.left, self.aig.right, self._users, self.variable
        operands: list[int] = []
        todo = [x, y]
        while todo:
            literal = todo.pop()
            w = literal >> 1
            if literal & 1 or users[w] != 1 or left[w] < 0 or variable[w] or len(todo) + len(operands) > _WIDEST:
                if literal not in operands:
                    operands.append(literal)
            else:
                todo.append(left[w])
                todo.append(right[w])
        return operands

    def _choice(self, v: int, c: int, t: int, e: int, missing: int, stack: list[tuple[int, int]]) -> None:
        """v is (c ? !t : !e)."""
        add, variable = self.add, self.variable
        for literal in (c, t, e):
            if not variable[literal >> 1]:
                variable[literal >> 1] = self.fresh()
        own = variable[v]
        cc = -variable[c >> 1] if c & 1 else variable[c >> 1]
        tt = -variable[t >> 1] if t & 1 else variable[t >> 1]
        ee = -variable[e >> 1] if e & 1 else variable[e >> 1]
        exclusive = t ^ e == 1
        more = self.redundant and not exclusive
        if missing & POSITIVE:
            add([-own, -cc, -tt])
            add([-own, cc, -ee])
            if more:
                add([-own, -tt, -ee])
        if missing & NEGATIVE:
            add([own, -cc, tt])
            add([own, cc, ee])
            if more:
                add([own, tt, ee])
        stack.append((c >> 1, BOTH))
        if exclusive:
            stack.append((t >> 1, BOTH))
        else:
            stack.append((t >> 1, missing if t & 1 else _SWAP[missing]))
            stack.append((e >> 1, missing if e & 1 else _SWAP[missing]))

    def _and(self, v: int, operands: Sequence[int], missing: int, stack: list[tuple[int, int]]) -> None:
        variable, add = self.variable, self.add
        own = variable[v]
        other = _SWAP[missing]
        long = [own]
        for literal in operands:
            w = literal >> 1
            name = variable[w]
            if not name:
                name = variable[w] = self.fresh()
            if literal & 1:
                long.append(name)
                stack.append((w, other))
            else:
                long.append(-name)
                stack.append((w, missing))
        if missing & POSITIVE:
            for name in long[1:]:
                add([-own, -name])
        if missing & NEGATIVE:
            add(long)
