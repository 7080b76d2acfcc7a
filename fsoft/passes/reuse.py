"""Inside one step: a load of what the step has just loaded or stored takes that value instead.

Nobody else moves in the middle of a step, so the value is still there; and the access was valid a moment ago. An entry is remembered
under the predicate under which its access ran, and serves loads that run only if that holds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fsoft.analysis.actions import defined
from fsoft.passes.ways import conjuncts
from fsoft.program.expr import TRUE, Expr, reg, to_signed
from fsoft.program.program import Action, Alloc, Assign, Enter, Free, Leave, Load, Store


@dataclass(frozen=True, slots=True)
class _Entry:
    """Memory at `address` holds `value` if `when` held."""

    address: Expr
    size: int
    value: Expr
    when: Expr
    sync: bool


def reuse_loads(actions: Iterable[Action]) -> tuple[Action, ...]:
    """The actions with repeated loads as assignments."""
    table: list[_Entry] = []
    done: list[Action] = []
    for action in actions:
        if isinstance(action, Load):
            entry = _find(action, table)
            if entry is not None:
                action = Assign(action.reg, entry.value, action.when)
        done.append(action)
        _update(action, table)
    return tuple(done)


def _find(load: Load, table: list[_Entry]) -> _Entry | None:
    for entry in table:
        if entry.address is load.address and entry.size == load.size and (entry.sync == load.sync or load.sync):
            if entry.when is TRUE or entry.when is load.when or set(conjuncts(entry.when)) <= set(conjuncts(load.when)):
                return entry
    return None


def _update(action: Action, table: list[_Entry]) -> None:
    if isinstance(action, (Free, Alloc, Enter, Leave)):
        table.clear()
    name = defined(action)
    if name is not None and table:
        table[:] = [e for e in table if name not in e.value.reads and name not in e.address.reads and name not in e.when.reads]
    if isinstance(action, Store):
        table[:] = [e for e in table if apart(e.address, e.size, action.address, action.size)]
        table.append(_Entry(action.address, action.size, action.value, action.when, action.sync))
    elif isinstance(action, Load) and name not in action.address.reads | action.when.reads:
        table.append(_Entry(action.address, action.size, reg(action.reg, 8 * action.size), action.when, action.sync))


def apart(a: Expr, a_size: int, b: Expr, b_size: int) -> bool:
    """Two ranges of memory that cannot overlap, as far as the form of their addresses shows."""
    (a_base, a_at), (b_base, b_at) = _split(a), _split(b)
    return a_base is b_base and (a_at + a_size <= b_at or b_at + b_size <= a_at)


def _split(address: Expr) -> tuple[Expr | None, int]:
    """An address as a base and a constant distance; constants have no base. A distance that is no small number stays in the base."""
    if address.op == "const":
        return None, address.value
    distance = 0
    while address.op == "padd" and address.args[1].op == "const":
        delta = to_signed(address.args[1].value, address.width)
        if abs(delta) >= 1 << 16:
            break
        distance += delta
        address = address.args[0]
    return address, distance
