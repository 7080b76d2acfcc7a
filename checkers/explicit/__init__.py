"""The engine `explicit`: every reachable state, one by one. This is its entry; the engine itself is imported when it is asked to work.

`engine.py` is the engine and `explore`, which asks about any properties; `search.py` the search; `hunter.py` its guided runs; `collapse.py`
states in few bytes; `product.py` the search for runs that violate a formula; `certificate.py` proves with a certificate, from all states
(`reachable.py`) as a formula (`state_set.py`). What a reduction tells the search is `fsoft/program/choice.py`; a run that was found is
judged in `fsoft/properties/confirmation.py`.
"""

from __future__ import annotations

from fsoft.checkers.registry import ANYTHING, Engine, ProgramChecker


def _load() -> ProgramChecker:
    from fsoft.checkers.explicit.engine import Explicit

    return Explicit()


ENGINE = Engine(
    name="explicit",
    summary="explores every state, breadth first; a counterexample found so is a shortest one",
    takes="program",
    properties=ANYTHING,
    proves=True,
    refutes=True,
    load=_load,
    options=("seed",),
    reduces=True,
)
