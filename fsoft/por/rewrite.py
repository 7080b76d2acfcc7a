"""Terms under assumptions: replace parts of a term by what they are supposed to be, and simplify."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fsoft.program.expr import FALSE, Expr, const, eq, postorder, rebuilt


def replaced(term: Expr, known: Mapping[Expr, Expr]) -> Expr:
    """The term with every node of `known` replaced."""
    return rebuilt(term, dict(known)) if known else term


def assume_not(value: Expr, numbers: Iterable[int]) -> dict[Expr, Expr]:
    """The value is none of the numbers."""
    return {eq(value, const(n, value.width)): FALSE for n in numbers}


def atoms(terms: Iterable[Expr]) -> list[Expr]:
    """Comparisons of something with a constant, in a fixed order."""
    found = [n for n in postorder(tuple(terms)) if n.op == "eq" and n.args[1].is_const and not n.args[0].is_const]
    return list(dict.fromkeys(found))
