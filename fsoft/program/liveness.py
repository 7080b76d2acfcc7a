"""Which registers matter at which location.

A register is live at a location if some way from there reads it before writing it. The explorer keeps dead registers at
zero, so that states that differ only in them are one.
"""

from __future__ import annotations

from fsoft.program.expr import Expr, postorder
from fsoft.program.program import (
    Action,
    Alloc,
    Assign,
    Check,
    Enter,
    Free,
    Halt,
    Input,
    Leave,
    Load,
    Measure,
    Require,
    Step,
    Store,
    Template,
)


def expressions(action: Action) -> tuple[Expr, ...]:
    """The expressions that an action evaluates, besides its `when`."""
    if isinstance(action, Assign):
        return (action.value,)
    if isinstance(action, (Load, Free, Measure, Enter, Leave)):
        return (action.address,)
    if isinstance(action, Store):
        return (action.address, action.value)
    if isinstance(action, Input):
        return () if action.among is None else (action.among,)
    if isinstance(action, (Require, Check)):
        return (action.condition,)
    if isinstance(action, Alloc):
        return (action.size,)
    assert isinstance(action, Halt)
    return ()


def target(action: Action) -> str | None:
    """The register that an action writes."""
    return action.reg if isinstance(action, (Assign, Load, Input, Alloc, Measure)) else None


class Registers:
    """Bit masks over a template's registers, with the reads of each expression remembered."""

    def __init__(self, template: Template):
        self.bit = {name: 1 << k for k, name in enumerate(template.registers)}
        self._reads: dict[Expr, int] = {}

    def reads(self, root: Expr) -> int:
        known = self._reads.get(root)
        if known is None:
            known = 0
            for node in postorder((root,)):
                if node.op == "reg":
                    known |= self.bit.get(str(node.data), 0)
            self._reads[root] = known
        return known

    def flow(self, step: Step) -> tuple[int, int]:
        """(read before written, always written) by a step."""
        used, written = self.reads(step.guard), 0
        for action in step.actions:
            for root in (action.when, *expressions(action)):
                used |= self.reads(root) & ~written
            name = target(action)
            if name is not None:
                if action.when.is_const and action.when.value:
                    written |= self.bit.get(name, 0)
                else:
                    used |= self.bit.get(name, 0) & ~written
        return used, written

    def names(self, mask: int) -> set[str]:
        return {name for name, bit in self.bit.items() if mask & bit}


def live_registers(template: Template) -> list[set[str]]:
    """The live registers of each location."""
    registers = Registers(template)
    flows = [registers.flow(step) for step in template.steps]
    into: list[list[int]] = [[] for _ in template.locations]
    for k, step in enumerate(template.steps):
        into[step.target].append(k)
    live = [0] * len(template.locations)
    work = list(range(len(template.locations)))
    waiting = [True] * len(template.locations)
    for k, step in enumerate(template.steps):
        live[step.source] |= flows[k][0]
    while work:
        location = work.pop()
        waiting[location] = False
        for k in into[location]:
            source = template.steps[k].source
            new = live[source] | flows[k][0] | (live[location] & ~flows[k][1])
            if new != live[source]:
                live[source] = new
                if not waiting[source]:
                    waiting[source] = True
                    work.append(source)
    return [registers.names(mask) for mask in live]
