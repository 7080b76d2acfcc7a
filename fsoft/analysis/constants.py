"""Constants along the control flow of one slot: registers, and cells of objects that no other slot touches.

Forward and conditional: steps whose guard is known to be false are not followed; at joins only what all ways agree on stays. It is
used where an address or a thread id has to be known exactly (which descriptor does a join wait for).
"""

from __future__ import annotations

from fsoft.analysis.actions import READING, Touching, always, defined, rewritten
from fsoft.analysis.points_to import PointsTo
from fsoft.program.expr import Expr, const, fill, substitute
from fsoft.program.program import Action, Assign, Load, Program, Step, Store

LIMIT = 4000
"""Templates with more locations are not analysed: nothing is constant there."""

KnownValues = dict[str | int, Expr]
"""Register name, or address of a private cell -> constant (its width is the access's)."""


class Transfer:
    """What the actions of one slot make of what is known. `private`: the objects (a mask) that no other slot touches."""

    def __init__(self, points_to: PointsTo, slot: int, private: int):
        self.points_to = points_to
        self.program: Program = points_to.program
        self.slot = slot
        self.private = private
        self._own = self.program.threads[slot].own
        self._owned: dict[Expr, Expr] = {}  # expressions with the slot's own values

    def fill(self, expr: Expr, known: KnownValues) -> Expr:
        """The expression with the slot's own values and all that is known in place."""
        told = self._owned.get(expr)
        if told is None:
            own = self._own
            told = substitute(expr, lambda n: const(own[str(n.data)], n.width) if n.op == "own" and n.data in own else None)
            self._owned[expr] = told
        return fill(told, known)  # type: ignore[arg-type]  # addresses among the keys do no harm

    def open(self, step: Step, known: KnownValues) -> bool:
        """The guard may hold, for all that is known."""
        guard = self.fill(step.guard, known)
        return guard.op != "const" or bool(guard.data)

    def apply(self, action: Action, known: KnownValues) -> Action:
        """The action with constants filled in; updates `known` to what holds after it."""
        filled = rewritten(action, lambda e: self.fill(e, known))
        if filled.when.op == "const" and not filled.when.data:
            return filled
        if isinstance(filled, Touching) and not isinstance(filled, READING):
            self._write(filled, known)
        name = defined(filled)
        if name is not None:
            self._assign(name, self._result(filled, known), always(filled), known)
        return filled

    def _result(self, filled: Action, known: KnownValues) -> Expr | None:
        if isinstance(filled, Assign):
            return filled.value if filled.value.op == "const" else None
        if isinstance(filled, Load) and filled.address.op == "const":
            value = known.get(filled.address.value)
            return value if value is not None and value.width == 8 * filled.size else None
        return None

    @staticmethod
    def _assign(name: str, value: Expr | None, certain: bool, known: KnownValues) -> None:
        if value is None or (not certain and known.get(name) is not value):
            known.pop(name, None)
        else:
            known[name] = value

    def _write(self, filled: Action, known: KnownValues) -> None:
        bits = self.program.offset_bits
        if isinstance(filled, Store) and filled.address.op == "const":
            start = filled.address.value
            for key in [k for k in known if isinstance(k, int) and k - 8 < start + filled.size and start < k + 8]:
                if key < start + filled.size and start < key + known[key].width // 8:
                    del known[key]
            if always(filled) and filled.value.op == "const" and self.private >> (start >> bits) & 1:
                known[start] = filled.value
            return
        touched = self.points_to.touched(self.slot, filled)
        for key in [k for k in known if isinstance(k, int) and touched >> (k >> bits) & 1]:
            del known[key]


def meet(old: KnownValues, new: KnownValues) -> bool:
    """Leave in `old` what both agree on; whether anything was lost."""
    lost = [key for key, value in old.items() if new.get(key) is not value]
    for key in lost:
        del old[key]
    return bool(lost)


class Constants:
    """`actions(step)` are the step's actions with every constant that is known filled in."""

    def __init__(self, points_to: PointsTo, slot: int, private: int):
        self.points_to = points_to
        self.program: Program = points_to.program
        self.slot = slot
        self.private = private
        self._transfer = Transfer(points_to, slot, private)
        self._template = self.program.threads[slot].template
        self._before: list[KnownValues | None] = [None] * len(self._template.locations)
        if len(self._before) <= LIMIT:
            self._solve()

    def actions(self, step: Step) -> list[Action]:
        known = dict(self._before[step.source] or {})
        return [self._transfer.apply(action, known) for action in step.actions]

    def before(self, location: int) -> KnownValues:
        """What is known at a location."""
        return self._before[location] or {}

    def results(self, step: Step) -> list[tuple[Action, Expr | None]]:
        """The step's actions, each with the constant that its register certainly has after it."""
        known = dict(self._before[step.source] or {})
        rows: list[tuple[Action, Expr | None]] = []
        for action in step.actions:
            self._transfer.apply(action, known)
            rows.append((action, known.get(defined(action) or "")))
        return rows

    def possible(self, step: Step) -> bool:
        """The step can be taken, for all that is known."""
        known = self._before[step.source]
        if known is None:
            return len(self._before) > LIMIT
        return self._transfer.open(step, known)

    def _solve(self) -> None:
        out = self._template.outgoing()
        self._before[0] = {}
        work = [0]
        while work:
            node = work.pop()
            for step in out[node]:
                known = dict(self._before[node] or {})
                if not self._transfer.open(step, known):
                    continue
                for action in step.actions:
                    self._transfer.apply(action, known)
                if self._join(step.target, known):
                    work.append(step.target)

    def _join(self, target: int, known: KnownValues) -> bool:
        old = self._before[target]
        if old is None:
            self._before[target] = known
            return True
        return meet(old, known)
