"""Guards of the steps from one location: do they exclude each other, and is one of them always true? Answered by form only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fsoft.program.expr import TRUE, Expr, conj, disj, negate


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
    if a is negate(b):
        return True
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
    if any(g is TRUE or negate(g) in guards for g in guards):
        return True
    for guard in guards:
        rest = {negate(g) for g in guards if g is not guard}
        if set(conjuncts(guard)) <= rest:
            return True
    return False


def any_of(guards: Sequence[Expr]) -> Expr:
    total = guards[0]
    for guard in guards[1:]:
        total = either(total, guard)
    return total


def either(a: Expr, b: Expr) -> Expr:
    """Disjunction of path predicates: `x & c | x & !c` is x, and `x | y & !x` is `x | y`."""
    left, right = set(conjuncts(a)), set(conjuncts(b))
    if left <= right:
        return a
    if right <= left:
        return b
    only_left, only_right = left - right, right - left
    if len(only_left) == 1:
        (one,) = only_left
        no = negate(one)
        if only_right == {no}:
            return _all_of(c for c in conjuncts(a) if c is not one)
        if no in only_right and len(left) == 1:
            return disj(a, _all_of(c for c in conjuncts(b) if c is not no))
    if len(only_right) == 1 and len(right) == 1:
        (one,) = only_right
        no = negate(one)
        if no in only_left:
            return disj(_all_of(c for c in conjuncts(a) if c is not no), b)
    return disj(a, b)


def _all_of(parts: Iterable[Expr]) -> Expr:
    total = TRUE
    for part in parts:
        total = conj(total, part)
    return total
