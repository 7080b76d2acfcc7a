"""CaDiCaL as PySAT compiles it, without PySAT's Python: importing that takes longer than most questions that are put to it.

`Cadical` has those methods of `pysat.solvers.Cadical195` that `sat.py` calls, over the same functions of the module `pysolvers`.
"""

from __future__ import annotations

import threading
from functools import partial
from typing import Any

try:
    import pysolvers
except ImportError:  # PySAT is an extra: who starts a solver says so
    pysolvers = None

_FUNCTIONS = ("new", "del", "add_cl", "solve", "solve_lim", "cbudget", "core", "model", "nof_cls", "acc_stats")
available = all(hasattr(pysolvers, f"cadical195_{name}") for name in _FUNCTIONS)
"""Whether this PySAT has the functions."""


class Cadical:
    """An incremental solver."""

    def __init__(self) -> None:
        self._handle: Any = pysolvers.cadical195_new()
        self._status: bool | None = None
        self._assumptions: list[int] = []
        self.add_clause = partial(pysolvers.cadical195_add_cl, self._handle)

    def solve(self, assumptions: list[int]) -> bool:
        self._assumptions = assumptions
        self._status = bool(pysolvers.cadical195_solve(self._handle, assumptions, _in_main_thread()))
        return self._status

    def conf_budget(self, conflicts: int) -> None:
        """How many conflicts the next `solve_limited` may have."""
        pysolvers.cadical195_cbudget(self._handle, conflicts)

    def solve_limited(self, assumptions: list[int]) -> bool | None:
        """None: the budget was used up."""
        self._assumptions = assumptions
        answer = pysolvers.cadical195_solve_lim(self._handle, assumptions, _in_main_thread())
        self._status = None if answer == 0 else answer > 0
        return self._status

    def get_core(self) -> list[int] | None:
        found: list[int] | None = pysolvers.cadical195_core(self._handle, self._assumptions) if self._status is False else None
        return found

    def get_model(self) -> list[int] | None:
        if self._status is not True:
            return None
        return pysolvers.cadical195_model(self._handle) or []

    def nof_clauses(self) -> int:
        return int(pysolvers.cadical195_nof_cls(self._handle))

    def accum_stats(self) -> dict[str, int]:
        """Restarts, conflicts, decisions, propagations so far."""
        found: dict[str, int] = pysolvers.cadical195_acc_stats(self._handle)
        return found

    def delete(self) -> None:
        if self._handle is not None:
            handle, self._handle = self._handle, None
            del self.add_clause
            pysolvers.cadical195_del(handle, None)

    def __del__(self) -> None:
        self.delete()


def _in_main_thread() -> int:
    """Only there can a signal interrupt the solver."""
    return int(threading.current_thread() is threading.main_thread())
