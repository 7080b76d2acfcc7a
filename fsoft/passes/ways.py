"""Guards of the steps from one location: do they exclude each other, and is one of them always true? Answered by form only."""

from __future__ import annotations

from collections.abc import Sequence

from fsoft.program.expr import TRUE, Expr, disj, negate


def conjuncts(guard: Expr) -> list[Expr]:
    """The parts of a conjunction of bits; `!(a | b)` counts as `!a & !b`."""
    parts: list[Expr] = []
    stack = [guard]
    while stack:
        node = stack.pop()
        if node.op == "and":
            stack.extend(reversed(node.args))
        elif node.op == "not" and node.args[0].op == "or":
            stack.extend(negate(a) for a in reversed(node.args[0].args))
        else:
            parts.append(node)
    return parts


def exclusive(a: Expr, b: Expr) -> bool:
    """The two cannot hold together (as far as their form shows)."""
    left, right = conjuncts(a), conjuncts(b)
    negated = {negate(x) for x in left}
    if any(x in negated for x in right):
        return True
    values = {x.args[0]: x.args[1] for x in left if x.op == "eq" and x.args[1].op == "const"}
    return any(x.op == "eq" and x.args[1].op == "const" and values.get(x.args[0], x.args[1]) is not x.args[1] for x in right)


def all_exclusive(guards: Sequence[Expr]) -> bool:
    return all(exclusive(a, b) for i, a in enumerate(guards) for b in guards[:i])


def exhaustive(guards: Sequence[Expr]) -> bool:
    """One of them always holds (as far as their form shows)."""
    if any(g is TRUE for g in guards):
        return True
    for guard in guards:
        rest = {negate(g) for g in guards if g is not guard}
        if set(conjuncts(guard)) <= rest:
            return True
    return False


def any_of(guards: Sequence[Expr]) -> Expr:
    total = guards[0]
    for guard in guards[1:]:
        total = disj(total, guard)
    return total
