"""Sets of values of expressions. A set is a frozenset of at most LIMIT numbers, or None: any value.

`evaluate_set` goes over the nodes of an expression once and forgets how operands depend on each other, so its answer may be too
large and is never too small.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from fsoft.program.expr import Expr, operate, postorder

ValueSet = frozenset[int] | None
LIMIT = 256
_MOST = 4096  # combinations of operands that are tried

BOTH: frozenset[int] = frozenset((0, 1))
YES: frozenset[int] = frozenset((1,))
NO: frozenset[int] = frozenset((0,))


def any_of(width: int) -> ValueSet:
    """All values of that many bits."""
    return BOTH if width == 1 else None


def union(x: ValueSet, y: ValueSet) -> ValueSet:
    if x is None or y is None:
        return None
    if y <= x:
        return x
    both = x | y
    return both if len(both) <= LIMIT else None


def within(x: ValueSet, y: ValueSet) -> bool:
    """Whether all values of x are values of y."""
    return y is None or (x is not None and x <= y)


def evaluate_set(root: Expr, leaf: Callable[[Expr], ValueSet]) -> ValueSet:
    """The values that an expression may have; `leaf` gives those of `reg` and `own` nodes."""
    found: dict[Expr, ValueSet] = {}
    for node in postorder((root,)):
        if node.op == "const":
            found[node] = frozenset((node.value,))
        elif node.args:
            found[node] = operate_sets(node, [found[a] for a in node.args])
        else:
            found[node] = leaf(node)
    return found[root]


def operate_sets(node: Expr, args: list[ValueSet]) -> ValueSet:
    """The values of a node, given those of its arguments."""
    shortcut = _SHORT.get(node.op)
    if shortcut is not None:
        known = shortcut(node, args)
        if known is not None:
            return known
    count = 1
    for one in args:
        if one is None or not one:
            return any_of(node.width) if one is None else one
        count *= len(one)
    if count > _MOST:
        return any_of(node.width)
    widths = tuple(a.width for a in node.args)
    values = frozenset(operate(node.op, node.width, widths, node.data, row) for row in product(*[one or NO for one in args]))
    return values if len(values) <= LIMIT else any_of(node.width)


def _and(node: Expr, args: list[ValueSet]) -> ValueSet:
    return NO if NO in args else None


def _or(node: Expr, args: list[ValueSet]) -> ValueSet:
    ones = frozenset(((1 << node.width) - 1,))
    return ones if ones in args else None


def _ite(node: Expr, args: list[ValueSet]) -> ValueSet:
    if args[0] == YES:
        return args[1]
    if args[0] == NO:
        return args[2]
    return union(args[1], args[2])


_SHORT: dict[str, Callable[[Expr, list[ValueSet]], ValueSet]] = {"and": _and, "or": _or, "ite": _ite}
"""Operators of which one operand may decide; None: all operands count."""
