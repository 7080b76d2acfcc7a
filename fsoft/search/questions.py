"""What a path owes: violations and bounds that it may have met, asked at its end with one question to the solver.

An obligation is a term under the first so many conditions of the path. All that a path has collected since the last question go to the
solver together, as a disjunction; conditions that the questions share stay asserted, level by level, while the search moves on. What
constants decide costs no question.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fsoft.bounded.outcomes import EntryTerms
from fsoft.circuit.encode.answers import TermValue
from fsoft.program.expr import FALSE, TRUE, Expr, conj, disj, evaluate
from fsoft.search.conditions import Conditions, conjunction
from fsoft.search.lift import PathEdge
from fsoft.solve.terms import Solver


@dataclass(slots=True)
class Obligation:
    """`name` is a property, or a bound if `bound`. The path has `edges` edges up to there and `depth` conditions. `last` is the way the
    last step ends there (an edge that the path itself does not take), None for a property of the state that the path is in: then
    `values` is that state, and `inputs` are the names and widths of the inputs of what could happen next."""

    name: str
    bound: bool
    depth: int
    edges: int
    term: Expr
    last: PathEdge | None = None
    values: EntryTerms = ()
    inputs: dict[str, int] = field(default_factory=dict)


def _zero(term: Expr) -> int:
    """Values where nothing constrains anything."""
    return evaluate(term, lambda _leaf: 0)


class Questions:
    """Asks the solver about the path that `conditions` describe."""

    def __init__(self, solver: Solver, conditions: Conditions, deadline: float | None):
        self.solver, self.conditions, self.deadline = solver, conditions, deadline
        self._asserted: list[Expr] = []

    def _align(self, depth: int) -> None:
        """The solver has asserted the first so many conditions and nothing else."""
        wanted = self.conditions.terms[:depth]
        common = 0
        while common < min(len(wanted), len(self._asserted)) and wanted[common] is self._asserted[common]:
            common += 1
        if common < len(self._asserted):
            self.solver.pop(len(self._asserted) - common)
            del self._asserted[common:]
        for term in wanted[common:]:
            self.solver.push()
            self.solver.add(term)
            self._asserted.append(term)

    def possible(self) -> bool:
        """Whether all conditions of the path can hold together."""
        if not self.conditions.terms:
            return True
        self._align(len(self.conditions))
        return self.solver.solve((), self.deadline)

    def ask(self, owed: list[Obligation]) -> tuple[Obligation, TermValue] | None:
        """An obligation that is met, with the values that show it; None if none can be."""
        plain = next((one for one in owed if one.depth == 0 and one.term is TRUE), None)
        if plain is not None:
            return plain, _zero
        base = min(one.depth for one in owed)
        terms = [conj(conjunction(self.conditions.terms[base : one.depth]), one.term) for one in owed]
        some: Expr = FALSE
        for term in terms:
            some = disj(some, term)
        if some is FALSE:
            return None
        self._align(base)
        if not self.solver.solve([some], self.deadline):
            return None
        return next(one for one, term in zip(owed, terms, strict=True) if self.solver.value(term)), self.solver.value
