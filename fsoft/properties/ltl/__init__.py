"""Linear temporal logic over runs of a Program: `read` a formula, `watched` a program, `confirm` a counterexample."""

from __future__ import annotations

from dataclasses import dataclass

from fsoft.properties.ltl.formula import Atom, TemporalFormula, atoms_of, counts_steps, joined, negate, normal, stutters
from fsoft.properties.ltl.lasso import FAIRNESS, Lasso, NotALasso, Unconfirmed, confirm
from fsoft.properties.ltl.observer import OBSERVER, WatchedAtom, observer_text, text_of, watches
from fsoft.properties.ltl.runs import Looking, Runs
from fsoft.properties.ltl.syntax import FormulaError, Text, parse
from fsoft.properties.ltl.tableau import STARTED, Tableau, tableau
from fsoft.properties.ltl.watched import Atoms, UndefinedAtom, Watched, watched

TERMINATION = "F ended()"


@dataclass(frozen=True, slots=True)
class Property:
    """A formula to be checked. `name` is what stands in FALSE(...): ltl or termination; `fairness` one of FAIRNESS."""

    source: Text
    formula: TemporalFormula
    name: str = "ltl"
    fairness: str = "none"

    def violation(self) -> Tableau:
        """The tableau of the runs that violate the property."""
        return tableau(normal(negate(self.formula)))

    def atoms(self) -> list[tuple[Atom, Text]]:
        return [(atom, self.source) for atom in atoms_of(self.formula)]

    def unreducible(self) -> str:
        """Why the order of independent steps matters for this property; "" if it does not."""
        if self.fairness != "none":
            return f"{self.fairness} fairness asks who could move in each state"
        found = counts_steps(self.formula)
        return f"{', '.join(found)} in '{self}' can tell steps apart" if found else ""

    def __str__(self) -> str:
        return self.name if self.name != "ltl" else self.source.text.strip()


def read(source: Text, fairness: str | None = None) -> Property:
    """The property that a text states: a formula, or `termination` (which is fair unless said otherwise)."""
    if source.text.strip() == "termination":
        return Property(source, joined(parse(Text(TERMINATION))), "termination", fairness or "weak")
    return Property(source, joined(parse(source)), "ltl", fairness or "none")


__all__ = [
    "Atom", "Atoms", "FAIRNESS", "TemporalFormula", "FormulaError", "Lasso", "Looking", "NotALasso", "OBSERVER",
    "Property", "Runs", "STARTED", "TERMINATION", "Tableau", "Text", "Unconfirmed", "UndefinedAtom", "WatchedAtom", "Watched", "confirm",
    "normal", "observer_text", "read", "stutters", "tableau", "text_of", "watched", "watches",
]  # fmt: skip
