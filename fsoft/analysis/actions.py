"""What an action reads and writes, and how to rebuild it: the one place that knows the fields of each kind of action."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from operator import attrgetter
from typing import Any

from fsoft.program.expr import Expr
from fsoft.program.program import Action, Alloc, Assign, Check, Enter, Free, Halt, Input, Leave, Load, Measure, Require, Step, Store

RewriteTerm = Callable[[Expr], Expr]
Defining = (Assign, Load, Input, Alloc, Measure)
Touching = (Load, Store, Alloc, Free, Measure, Enter, Leave)
READING = (Load, Measure)
Harmless = (Assign, Input, Measure)  # nothing but their register changes

_DEFINING = frozenset(Defining)
_FIELDS: dict[type, tuple[str, ...]] = {
    Assign: ("value",),
    Load: ("address",),
    Store: ("address", "value"),
    Input: ("among",),
    Require: ("condition",),
    Check: ("condition",),
    Halt: (),
    Alloc: ("size",),
    Free: ("address",),
    Measure: ("address",),
    Enter: ("address",),
    Leave: ("address",),
}
"""The fields of each action that hold an expression, `when` apart."""


class _Kind:
    """How to read and rebuild one kind of action: all its fields in order, and where the expressions are among them."""

    def __init__(self, cls: type, names: tuple[str, ...]):
        self.make: Callable[..., Any] = cls
        order = [f.name for f in fields(cls)]
        self.all: Callable[[Any], tuple[Any, ...]] = attrgetter(*order)
        self.places = [order.index(name) for name in names]
        self.when = order.index("when")
        self.reg = order.index("reg") if "reg" in order else -1


_KINDS = {cls: _Kind(cls, names) for cls, names in _FIELDS.items()}


def expressions(action: Action) -> tuple[Expr, ...]:
    """The expressions that an action evaluates besides `when`."""
    return tuple([e for e in [getattr(action, name) for name in _FIELDS[type(action)]] if e is not None])


def defined(action: Action) -> str | None:
    """The register that an action assigns, if any."""
    return action.reg if type(action) in _DEFINING else None  # type: ignore[union-attr]


def reads(action: Action) -> frozenset[str]:
    """Everything the action reads, `when` included."""
    found = action.when.reads
    for expr in expressions(action):
        found = found | expr.reads if found else expr.reads
    return found


def renamed(action: Action, name: str) -> Action:
    """The defining action with another register as its target."""
    kind = _KINDS[type(action)]
    values = list(kind.all(action))
    values[kind.reg] = name
    return kind.make(*values)  # type: ignore[no-any-return]


def rewritten(action: Action, rewrite: RewriteTerm) -> Action:
    """The action with every expression, `when` included, replaced by `rewrite(expression)`; the same object if nothing changed."""
    kind = _KINDS[type(action)]
    when = rewrite(action.when)
    values: list[Any] | None = None
    if when is not action.when:
        values = list(kind.all(action))
        values[kind.when] = when
    for place, name in zip(kind.places, _FIELDS[type(action)], strict=True):
        old = getattr(action, name)
        new = rewrite(old) if old is not None else None
        if new is not old:
            if values is None:
                values = list(kind.all(action))
            values[place] = new
    return action if values is None else kind.make(*values)


def with_when(action: Action, when: Expr) -> Action:
    """The action under another predicate."""
    if when is action.when:
        return action
    kind = _KINDS[type(action)]
    values = list(kind.all(action))
    values[kind.when] = when
    return kind.make(*values)  # type: ignore[no-any-return]


def members(mask: int) -> Iterator[int]:
    """The numbers of the set bits, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def always(action: Action) -> bool:
    return action.when.op == "const" and action.when.data == 1


def ends(action: Action) -> bool:
    """No action after this one can run."""
    if isinstance(action, Halt):
        return always(action)
    return isinstance(action, Check) and action.condition.op == "const" and action.condition.data == 0 and always(action)


def ending(step: Step) -> bool:
    """The step certainly stops its thread: its target is never reached."""
    return any(ends(a) for a in step.actions)


def ends_process(step: Step) -> bool:
    """The step may end the whole process."""
    return any(isinstance(a, Halt) and a.kind == "ended" for a in step.actions)


def blocking(step: Step) -> bool:
    return any(isinstance(a, Require) for a in step.actions)
