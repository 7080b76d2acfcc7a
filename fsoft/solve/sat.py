"""One small incremental interface over the SAT solvers of PySAT.

Variables are 1, 2, ...; a literal is a variable or its negative, as in DIMACS. CaDiCaL is the default; `minisat22` and `glucose4` answer
many small questions faster. A time limit is kept by solving in slices of conflicts.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

from fsoft.frontend.source import NOWHERE, InputError
from fsoft.solve import cadical

DEFAULT = "cadical195"
SOLVERS = (
    "cadical195", "cadical153", "cadical103", "glucose4", "glucose42", "glucose3", "minisat22", "maplechrono", "maplecm",
    "maplesat", "mergesat3", "minicard", "gluecard4", "gluecard3", "lingeling",
)  # fmt: skip
_NO_BUDGET = frozenset({"lingeling", "cadical103", "cadical153"})
_SLICE = 5000


class SolverTimeout(Exception):
    """The deadline passed inside a solver."""


class Sat:
    """A solver; `solve` answers True (then `value` and `model`) or False (then `core`)."""

    def __init__(self, name: str = DEFAULT) -> None:
        if name not in SOLVERS:
            raise InputError(NOWHERE, f"no SAT solver '{name}': one of {', '.join(SOLVERS)}")
        self.name = name
        self._solver = _start(name)
        self._inner = getattr(self._solver, "solver", self._solver)  # PySAT's `Solver` only passes on
        self.add = self._inner.add_clause
        self._model: list[int] | None = None
        self.variables = 0
        self.calls = 0
        self.seconds = 0.0

    def var(self) -> int:
        """A fresh variable."""
        self.variables += 1
        return self.variables

    def add_all(self, clauses: Iterable[Sequence[int]]) -> None:
        add = self.add
        for clause in clauses:
            add(clause)

    def solve(self, assumptions: Sequence[int] = (), deadline: float | None = None) -> bool:
        """Whether clauses and assumptions can be satisfied. `deadline` is in the time of `time.monotonic`; past it: SolverTimeout."""
        self.calls += 1
        self._model = None
        start = time.monotonic()
        try:
            if deadline is None or self.name in _NO_BUDGET:
                return bool(self._inner.solve(list(assumptions)))
            return self._sliced(list(assumptions), deadline)
        except Exception as error:  # what PySAT makes of Ctrl-C
            if "keyboard interrupt" in str(error).lower():
                raise KeyboardInterrupt from None
            raise
        finally:
            self.seconds += time.monotonic() - start

    def _sliced(self, assumptions: list[int], deadline: float) -> bool:
        while True:
            if time.monotonic() > deadline:
                raise SolverTimeout
            self._inner.conf_budget(_SLICE)
            answer = self._inner.solve_limited(assumptions)
            if answer is not None:
                return bool(answer)

    def core(self) -> list[int]:
        """The assumptions that the last answer False used."""
        return list(self._inner.get_core() or [])

    def model(self) -> list[int]:
        """The last satisfying assignment: element `v - 1` is `v` or `-v`. It may be shorter than the number of variables."""
        if self._model is None:
            self._model = self._inner.get_model()
        return self._model

    def value(self, literal: int) -> bool:
        """The value of a literal in the last satisfying assignment; a variable that no clause mentions is false."""
        model = self.model()
        v = abs(literal)
        positive = v <= len(model) and model[v - 1] > 0
        return positive == (literal > 0)

    def close(self) -> None:
        """Frees the solver's memory now."""
        self._solver.delete()


def _start(name: str) -> Any:
    """A solver with the methods of PySAT's classes."""
    try:
        if name == "cadical195":
            if cadical.available:
                return cadical.Cadical()
        from pysat.solvers import Solver  # an optional package
    except ImportError:
        raise InputError(NOWHERE, "the SAT engines need PySAT: pip install python-sat") from None
    return Solver(name=name)


def refutation(name: str, clauses: Iterable[Sequence[int]]) -> list[str] | None:
    """The lines of a DRAT proof that the clauses cannot be satisfied together; None if they can, or if the solver gives no proof."""
    from pysat.solvers import Solver  # an optional package

    try:
        solver = Solver(name=name, with_proof=True)
    except NotImplementedError:
        return None
    with solver:
        for clause in clauses:
            solver.add_clause(list(clause))
        if solver.solve():
            return None
        proof = solver.get_proof() or []
    return list(proof) if proof and proof[-1].split() == ["0"] else [*proof, "0"]
