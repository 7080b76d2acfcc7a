"""Inside one step: forward substitution of assigned values into their uses, then removal of assignments nobody reads.

Within a step a register's value is known as long as nothing it was computed from changes. Small values replace the register wherever it
is read; so temporaries that die in the step disappear. The order of everything else stays.
"""

from __future__ import annotations

from collections.abc import Iterable

from fsoft.analysis.actions import Harmless, always, defined, reads, renamed, rewritten
from fsoft.analysis.liveness import Droppable, Liveness
from fsoft.passes.graph import changed, shortened
from fsoft.passes.reuse import reuse_loads
from fsoft.program.expr import Expr, const, fill, ite, reg
from fsoft.program.program import Action, Alloc, Assign, Input, Load, Register, Store, Tag, Template

LARGEST = 24
"""Nodes of an expression that may be copied to each use of a register."""


class Tidy:
    """Shared tables for the steps of one template."""

    def __init__(self, registers: dict[str, Register], largest: int = LARGEST):
        self.largest = largest
        self.registers = registers
        self._size: dict[Expr, int] = {}

    def size(self, expr: Expr) -> int:
        """Nodes when written out as a tree, counted up to the limit or a little more."""
        known = self._size.get(expr)
        if known is None:
            total, stack = 0, [expr]
            while stack and total <= self.largest:
                node = stack.pop()
                total += 1
                stack.extend(node.args)
            known = self._size[expr] = total
        return known

    def small(self, expr: Expr) -> bool:
        return self.size(expr) <= self.largest

    def straight_line(self, actions: tuple[Action, ...]) -> tuple[Action, ...]:
        """Known values filled in, then repeated loads replaced, then what that told filled in."""
        once = self.forward(actions)
        if sum(isinstance(a, Load) for a in once) == 0 or sum(isinstance(a, (Load, Store)) for a in once) < 2:
            return once
        reused = reuse_loads(once)
        return once if all(map(lambda a, b: a is b, once, reused)) else self.forward(reused)

    def forward(self, actions: Iterable[Action]) -> tuple[Action, ...]:
        """The same actions with known values in place of registers."""
        return _Forward(self).run(actions)

    # ------------------------------------------------------------ backward

    def backward(self, actions: tuple[Action, ...], live: set[str], droppable: Droppable) -> tuple[Action, ...]:
        """Without assignments to registers that are not read later; `live` are those read after the step (changed in place)."""
        kept: list[Action] = []
        for action in reversed(actions):
            name = defined(action)
            if name is not None:
                if name not in live and (isinstance(action, Harmless) or (isinstance(action, Load) and droppable(action))):
                    continue
                if isinstance(action, Assign) and action.value.op == "reg" and action.value.data == name:
                    continue
                if always(action):
                    live.discard(name)
            live |= reads(action)
            kept.append(action)
        kept.reverse()
        return tuple(kept)


class _Forward:
    """One walk over the actions of a step. `known` are values of registers that still hold; `readers` says which of them
    to forget when a register changes; `changed` counts when the knowledge about a register changed last."""

    def __init__(self, tidy: Tidy):
        self.tidy = tidy
        self.known: dict[str, Expr] = {}
        self.readers: dict[str, set[str]] = {}
        self.done: list[Action] = []
        self._time = 0
        self._changed: dict[str, int] = {}
        self._told: dict[Expr, tuple[Expr, int]] = {}

    def run(self, actions: Iterable[Action]) -> tuple[Action, ...]:
        for action in actions:
            if self.known:
                action = rewritten(action, self._tell)
            name = defined(action)
            if name is not None:
                if self.done and self._moves(self.done[-1], action):
                    action = self._straight(action)
                    name = str(defined(action))
                action = self._define(action, name)
            self.done.append(action)
        return shortened(self.done)

    def _tell(self, expr: Expr) -> Expr:
        """What is known filled in; of an expression that gets large by that, only constants and copies."""
        known = self.known
        if known.keys().isdisjoint(expr.reads):
            return expr
        cached = self._told.get(expr)
        if cached is not None:
            changed = self._changed
            if all(changed.get(name, 0) <= cached[1] for name in expr.reads):
                return cached[0]
        new = fill(expr, known)
        size = self.tidy.size
        if size(new) > self.tidy.largest and size(new) > size(expr):
            new = fill(expr, {name: known[name] for name in expr.reads if name in known and not known[name].args})
        self._told[expr] = (new, self._time)
        return new

    def _moves(self, earlier: Action, action: Action) -> bool:
        """A variable gets what the action before has just put into a temporary."""
        if not isinstance(action, Assign) or action.value.op != "reg" or not isinstance(earlier, (Load, Input, Alloc)):
            return False
        if earlier.reg != action.value.data or earlier.reg == action.reg or earlier.when is not action.when:
            return False
        ours, theirs = self.tidy.registers[action.reg], self.tidy.registers[earlier.reg]
        return bool(ours.symbol) and not theirs.symbol and action.reg not in action.when.reads

    def _straight(self, move: Action) -> Action:
        """`t = load; x = t` as `x = load; t = x`, which leaves t to die."""
        earlier = self.done[-1]
        assert isinstance(move, Assign) and isinstance(earlier, (Load, Input, Alloc))
        self.done[-1] = renamed(earlier, move.reg)
        self._define(self.done[-1], move.reg)
        return Assign(earlier.reg, reg(move.reg, move.value.width), move.when)

    def _define(self, action: Action, name: str) -> Action:
        self._time += 1
        known, now = self.known, self._time
        before = known.pop(name, None)
        self._changed[name] = now
        for other in self.readers.pop(name, ()):
            known.pop(other, None)
            self._changed[other] = now
        if not isinstance(action, Assign):
            return action
        if not always(action) and before is not None:
            merged = ite(action.when, action.value, before)
            if self.tidy.small(merged):
                action = Assign(name, merged)
        if always(action) and name not in action.value.reads and self.tidy.small(action.value):
            known[name] = action.value
            for source in action.value.reads:
                self.readers.setdefault(source, set()).add(name)
        return action


def written_first(actions: Iterable[Action], live: frozenset[str], registers: dict[str, Register]) -> list[Action]:
    """Actions that were on several ways, now under predicates: `live` are the registers whose value before them matters on some way.

    The first definition of any other register need not keep the old value: nobody reads that before it is written.
    """
    seen: set[str] = set()
    done: list[Action] = []
    for action in actions:
        name = defined(action)
        if name is not None and name not in seen:
            seen.add(name)
            if name not in live and not always(action):
                if isinstance(action, Assign):
                    action = Assign(name, action.value)
                else:
                    done.append(Assign(name, const(0, registers[name].width)))
        done.append(action)
    return done


def tidy_template(template: Template, droppable: Droppable, clean: Template | None = None) -> Template:
    """Every step tidied. Steps whose actions are those of a step of `clean` are known to be tidy, but for what is dead."""
    tidy = Tidy(template.registers)
    known = {id(s.actions) for s in clean.steps} if clean is not None else set()
    steps = [s if id(s.actions) in known else changed(s, s.guard, tidy.straight_line(s.actions), s.tags) for s in template.steps]
    current = Template(template.name, template.registers, template.locations, steps, template.stops)
    live = Liveness(current, droppable)
    steps = [changed(s, s.guard, tidy.backward(s.actions, set(live.names(live.at[s.target])), droppable), s.tags) for s in steps]
    return Template(template.name, template.registers, template.locations, steps, template.stops)


def values_after(actions: Iterable[Action], tidy: Tidy) -> dict[str, Expr] | None:
    """Registers in terms of the state before, for a run of unconditional assignments; None if there is anything else."""
    known: dict[str, Expr] = {}
    for action in actions:
        if not isinstance(action, Assign):
            return None
        value = fill(action.value, known)
        if not always(action):
            old = known.get(action.reg) or reg(action.reg, value.width)
            value = ite(fill(action.when, known), value, old)
        if not tidy.small(value):
            return None
        known[action.reg] = value
    return known


def tags_before(tags: tuple[Tag, ...], earlier: Iterable[Action]) -> tuple[Tag, ...]:
    """Tags of a step whose actions now come after `earlier`: operands in terms of the state before those, or unknown."""
    if not any(t.operand is not None and t.operand.op not in ("const", "own") for t in tags):
        return tags
    known: dict[str, Expr] = {}
    lost: set[str] = set()
    for action in earlier:
        name = defined(action)
        if name is None:
            continue
        value = fill(action.value, known) if isinstance(action, Assign) and always(action) else None
        known.pop(name, None)
        if value is None or value.reads & lost:
            lost.add(name)
        else:
            lost.discard(name)
            known[name] = value
    return tuple(Tag(t.kind, _told(t.operand, known, lost)) for t in tags)


def _told(operand: Expr | None, known: dict[str, Expr], lost: set[str]) -> Expr | None:
    if operand is None or operand.reads & lost:
        return None
    return fill(operand, known)
