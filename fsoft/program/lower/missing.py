"""Functions of a program about which nothing is known: no body, no model, no row of effects. Ranked by how much depends on them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fsoft.frontend import tree
from fsoft.frontend import types as ct
from fsoft.frontend.source import Loc
from fsoft.program.lower.scan import facts_of

_BUILT_IN = re.compile(r"__(fsoft|VERIFIER|builtin|atomic|sync|c11)_|reach_error$")


@dataclass(frozen=True, slots=True)
class MissingFunction:
    """`calls`: call sites in the program. `dependents`: functions that call it, themselves or through others."""

    name: str
    type: ct.Function
    loc: Loc
    calls: int
    dependents: int

    def row(self) -> str:
        """A row of effects to fill in: what is known is its type."""
        params = [f"{_word(ctype)} a{k}" for k, ctype in enumerate(self.type.params or ())]
        if self.type.variadic or self.type.params is None:
            params.append("...")
        return f'{self.name} = {{ type = "{_word(self.type.result)}({", ".join(params) or "void"})" }}'


def missing_functions(unit: tree.Unit) -> list[MissingFunction]:
    """Those that the program calls, most important first."""
    calls = {name: facts_of(definition.body).calls for name, definition in unit.functions.items()}
    users = {name for name, definition in unit.functions.items() if "library" not in definition.attributes}
    found = []
    for name, (ctype, loc) in unit.declared.items():
        sites = sum(calls[user].count(name) for user in users)
        if sites and not _BUILT_IN.match(name):
            found.append(MissingFunction(name, ctype, loc, sites, len(_callers(name, calls) & users)))
    return sorted(found, key=lambda missing: (-missing.dependents, -missing.calls, missing.name))


def _callers(name: str, calls: dict[str, list[str]]) -> set[str]:
    """The functions that call it, themselves or through others."""
    known, more = set[str](), {name}
    while more:
        more = {caller for caller, called in calls.items() if caller not in known and not more.isdisjoint(called)}
        known |= more
    return known


def _word(ctype: ct.CType) -> str:
    """A type as rows of effects write it: pointers to structs and functions are `void *`."""
    if isinstance(ctype, ct.Pointer):
        plain = isinstance(ctype.to, (ct.Int, ct.Float))
        return f"{ctype.to} *" if plain else "void *"
    return "long" if isinstance(ctype, ct.Int) and not re.fullmatch(r"[a-z ]+", str(ctype)) else str(ctype)


__all__ = ["MissingFunction", "missing_functions"]
