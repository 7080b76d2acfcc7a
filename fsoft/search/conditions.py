"""The condition of a path: a list of terms that grows and shrinks with it, and what follows from them without a solver."""

from __future__ import annotations

from fsoft.program.expr import FALSE, TRUE, Expr, conj, disj, negate


def _parts(term: Expr, whole: str, dual: str) -> list[Expr]:
    """The operands of a nest of `whole` (and, or), with negations of the `dual` opened up."""
    found: list[Expr] = []
    stack = [term]
    while stack:
        node = stack.pop()
        if node.op == whole and node.width == 1:
            stack += [node.args[1], node.args[0]]
        elif node.op == "not" and node.args[0].op == dual:
            stack += [negate(node.args[0].args[1]), negate(node.args[0].args[0])]
        else:
            found.append(node)
    return found


def conjuncts(term: Expr) -> list[Expr]:
    return _parts(term, "and", "or")


def disjuncts(term: Expr) -> list[Expr]:
    return _parts(term, "or", "and")


class Conditions:
    """`terms` hold together on the path. A term that one of them states, or contradicts, is a constant (`reduce`): branches that the
    path has decided do not fork again."""

    def __init__(self) -> None:
        self.terms: list[Expr] = []
        self._known: dict[Expr, int] = {}  # and the length at which it became known
        self._trail: list[Expr] = []

    def __len__(self) -> int:
        return len(self.terms)

    def add(self, term: Expr) -> None:
        self.terms.append(term)
        for part in conjuncts(term):
            if part not in self._known:
                self._known[part] = len(self.terms)
                self._trail.append(part)

    def cut(self, length: int) -> None:
        """Back to the first so many terms."""
        del self.terms[length:]
        while self._trail and self._known[self._trail[-1]] > length:
            del self._known[self._trail.pop()]

    def reduce(self, term: Expr) -> Expr:
        """The term as it is where the path's condition holds."""
        if not self._known or term.op == "const":
            return term
        rest: Expr = TRUE
        for part in conjuncts(term):
            told = self._told(part)
            if told is FALSE:
                return FALSE
            rest = conj(rest, told)
        return rest

    def _told(self, part: Expr) -> Expr:
        if part in self._known:
            return TRUE
        if negate(part) in self._known:
            return FALSE
        options = disjuncts(part)
        if len(options) == 1:
            return part
        rest: Expr = FALSE
        for option in options:
            if option in self._known:
                return TRUE
            if negate(option) not in self._known:
                rest = disj(rest, option)
        return rest


def conjunction(terms: list[Expr]) -> Expr:
    found: Expr = TRUE
    for term in terms:
        found = conj(found, term)
    return found
