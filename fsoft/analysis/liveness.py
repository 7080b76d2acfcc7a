"""Live registers: those whose value a thread may still read. Backward over each template, bit masks over registers.

A step reads its guard and the operands of its tags in the state before it; its actions follow in order. Nothing is live at a
stop. A definition under a `when` keeps the old value where that is false, so it does not kill.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress

from fsoft.analysis.actions import Harmless, always, defined, ending, reads
from fsoft.program.program import Action, Load, Step, Template

Droppable = Callable[[Load], bool]
_TRUTH = bytes.maketrans(b"01", b"\x00\x01")
_Row = tuple[int, int, bool, bool]  # registers read, register written, certainly written, whether the action goes if that is dead


class Liveness:
    """The table of one template: `at[location]` is a mask, `names(mask)` spells it.

    Without `droppable` a register is live if anything may read it. With it, what only feeds assignments to dead registers is
    dead too; loads for which `droppable` holds count as assignments.
    """

    def __init__(self, template: Template, droppable: Droppable | None = None):
        self.template = template
        self.droppable = droppable
        self._order = list(template.registers)
        self.bit = {name: 1 << i for i, name in enumerate(self._order)}
        self._masks: dict[frozenset[str], int] = {frozenset(): 0}
        self._names: dict[int, frozenset[str]] = {}
        self.at = self._solve()

    def mask(self, names: frozenset[str]) -> int:
        known = self._masks.get(names)
        if known is None:
            known = 0
            for name in names:
                known |= self.bit[name]
            self._masks[names] = known
        return known

    def names(self, mask: int) -> frozenset[str]:
        known = self._names.get(mask)
        if known is None:
            digits = f"{mask:b}"[::-1].encode().translate(_TRUTH)  # long masks are many: no loop over bits
            known = self._names[mask] = frozenset(compress(self._order, digits))
        return known

    def _may_go(self, action: Action) -> bool:
        if self.droppable is None:
            return False
        return isinstance(action, Harmless) or (isinstance(action, Load) and self.droppable(action))

    def _rows(self, step: Step) -> tuple[list[_Row], int]:
        """The actions from last to first as masks, and what the step reads before them."""
        rows: list[_Row] = []
        for action in reversed(step.actions):
            name = defined(action)
            bit = self.bit[name] if name is not None else 0
            rows.append((self.mask(reads(action)), bit, always(action), bit != 0 and self._may_go(action)))
        first = self.mask(step.guard.reads)
        for tag in step.tags:
            if tag.operand is not None:
                first |= self.mask(tag.operand.reads)
        return rows, first

    @staticmethod
    def _before(rows: list[_Row], first: int, after: int) -> int:
        for read, written, certain, may_go in rows:
            if may_go and not after & written:
                continue
            if certain:
                after &= ~written
            after |= read
        return after | first

    def _solve(self) -> list[int]:
        """Locations take turns from the ends of the control flow to its beginning, so that each is looked at about as often as loops lie
        within loops."""
        template = self.template
        live = [0] * len(template.locations)
        incoming: list[list[tuple[int, list[_Row], int]]] = [[] for _ in live]
        stops = set(template.stops.values())
        for step in template.steps:
            rows, first = self._rows(step)
            if ending(step):
                live[step.source] |= self._before(rows, first, 0)
            else:
                incoming[step.target].append((step.source, rows if self.droppable is not None else _joined(rows), first))
        order = _last_first(template)
        waiting = [True] * len(live)
        while any(waiting):
            for node in order:
                if waiting[node]:
                    waiting[node] = False
                    after = 0 if node in stops else live[node]
                    for source, rows, first in incoming[node]:
                        new = live[source] | self._before(rows, first, after)
                        if new != live[source]:
                            live[source] = new
                            waiting[source] = True
        return [0 if node in stops else mask for node, mask in enumerate(live)]


def _joined(rows: list[_Row]) -> list[_Row]:
    """Actions none of which may go, as one."""
    read = written = 0
    for uses, writes, certain, _ in rows:
        if certain:
            written |= writes
            read &= ~writes
        read |= uses
    return [(read, written, True, False)] if rows else []


def _last_first(template: Template) -> list[int]:
    """All locations, each behind those that a depth-first walk from the entry reaches from it."""
    out: list[list[int]] = [[] for _ in template.locations]
    for step in template.steps:
        out[step.source].append(step.target)
    order: list[int] = []
    seen = [False] * len(out)
    for root in range(len(out)):
        stack = [] if seen[root] else [(root, iter(out[root]))]
        seen[root] = True
        while stack:
            node, targets = stack[-1]
            following = next((t for t in targets if not seen[t]), None)
            if following is None:
                order.append(node)
                stack.pop()
            else:
                seen[following] = True
                stack.append((following, iter(out[following])))
    return order


def live_registers(template: Template) -> list[frozenset[str]]:
    """For each location the registers whose value may still be read from there."""
    table = Liveness(template)
    return [table.names(mask) for mask in table.at]
