"""Binary decision diagrams behind one small interface: CUDD through `dd` (or dd's own Python diagrams where CUDD is missing), and pyeda.

A manager knows variables by number, in the order in which they are declared; neighbours that were declared as a pair stay together
when the order is changed. Diagrams support `&`, `|`, `~` and `==`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from fsoft.frontend.source import NOWHERE, InputError

Diagram = Any
BACKENDS = ("cudd", "autoref", "pyeda")


class Manager(Protocol):
    """What an engine needs of a BDD package."""

    true: Diagram
    false: Diagram

    def declare(self, pairs: list[tuple[int, ...]]) -> None:
        """All variables, in groups of one or two."""

    def var(self, number: int) -> Diagram: ...

    def and_exists(self, u: Diagram, v: Diagram, numbers: list[int]) -> Diagram: ...

    def exists(self, u: Diagram, numbers: list[int]) -> Diagram: ...

    def rename(self, u: Diagram, pairs: dict[int, int]) -> Diagram: ...

    def support(self, u: Diagram) -> set[int]: ...

    def size(self, u: Diagram) -> int: ...

    def pick(self, u: Diagram) -> dict[int, int]:
        """A satisfying assignment of the support of a diagram that is not false."""

    def branches(self, u: Diagram) -> tuple[int, Diagram, Diagram]:
        """The top variable, and the diagrams where it is 0 and 1, of a diagram that is not constant."""

    def key(self, u: Diagram) -> int:
        """The identity of a diagram."""


def manager(name: str = "cudd", reorder: bool = True, memory: int | None = None) -> Manager:
    """A fresh manager of that package; "cudd" gives dd's own diagrams where CUDD is not there."""
    if name not in BACKENDS:
        raise InputError(NOWHERE, f"no BDD package '{name}': one of {', '.join(BACKENDS)}")
    try:
        return _Pyeda() if name == "pyeda" else _Dd(name, reorder, memory)
    except ImportError:
        package = "pyeda" if name == "pyeda" else "dd"
        raise InputError(NOWHERE, f"the BDD package '{name}' is not installed: pip install {package}") from None


class _Dd:
    def __init__(self, name: str, reorder: bool, memory: int | None) -> None:
        self._cudd: Any = None
        if name == "cudd":
            try:
                import dd.cudd as package  # an optional package

                self._cudd = package
            except ImportError:
                import dd.autoref as package  # an optional package
        else:
            import dd.autoref as package  # an optional package
        self._bdd = package.BDD()
        self._bdd.configure(reordering=reorder)
        if memory is not None and self._cudd is not None:
            self._bdd.configure(max_memory=memory)
        self.true, self.false = self._bdd.true, self._bdd.false

    def declare(self, pairs: list[tuple[int, ...]]) -> None:
        reordering = self._bdd.configure(reordering=False)["reordering"]
        for pair in pairs:
            for number in pair:
                self._bdd.declare(f"v{number}")
        if self._cudd is not None:
            for pair in pairs:
                if len(pair) > 1:
                    self._bdd.group({f"v{pair[0]}": len(pair)})
        self._bdd.configure(reordering=reordering)

    def var(self, number: int) -> Diagram:
        return self._bdd.var(f"v{number}")

    def and_exists(self, u: Diagram, v: Diagram, numbers: list[int]) -> Diagram:
        names = [f"v{n}" for n in numbers]
        if self._cudd is None or not names:
            return self._bdd.exist(names, u & v) if names else u & v
        return self._cudd.and_exists(u, v, names)

    def exists(self, u: Diagram, numbers: list[int]) -> Diagram:
        return self._bdd.exist([f"v{n}" for n in numbers], u) if numbers else u

    def rename(self, u: Diagram, pairs: dict[int, int]) -> Diagram:
        return self._bdd.let({f"v{a}": f"v{b}" for a, b in pairs.items()}, u) if pairs else u

    def support(self, u: Diagram) -> set[int]:
        return {int(name[1:]) for name in self._bdd.support(u)}

    def size(self, u: Diagram) -> int:
        return len(u)

    def pick(self, u: Diagram) -> dict[int, int]:
        chosen = self._bdd.pick(u) or {}
        return {int(name[1:]): int(value) for name, value in chosen.items()}

    def branches(self, u: Diagram) -> tuple[int, Diagram, Diagram]:
        low, high = (~u.low, ~u.high) if u.negated else (u.low, u.high)
        return int(u.var[1:]), low, high

    def key(self, u: Diagram) -> int:
        return int(u)


class _Pyeda:
    def __init__(self) -> None:
        from pyeda.boolalg import bdd  # an optional package

        self._package = bdd
        self._vars: dict[int, Any] = {}
        self.true, self.false = bdd.BDDONE, bdd.BDDZERO

    def declare(self, pairs: list[tuple[int, ...]]) -> None:
        for position, number in enumerate(n for pair in pairs for n in pair):
            variable = self._package.bddvar("v", position)
            self._vars[number] = variable
        self._numbers = {variable.uniqid: number for number, variable in self._vars.items()}

    def var(self, number: int) -> Diagram:
        return self._vars[number]

    def and_exists(self, u: Diagram, v: Diagram, numbers: list[int]) -> Diagram:
        return self.exists(u & v, numbers)

    def exists(self, u: Diagram, numbers: Iterable[int]) -> Diagram:
        present = self.support(u)
        chosen = [self._vars[n] for n in numbers if n in present]
        return u.smoothing(chosen) if chosen else u

    def rename(self, u: Diagram, pairs: dict[int, int]) -> Diagram:
        present = self.support(u)
        chosen = {self._vars[a]: self._vars[b] for a, b in pairs.items() if a in present}
        return u.compose(chosen) if chosen else u

    def support(self, u: Diagram) -> set[int]:
        return {self._numbers[variable.uniqid] for variable in u.support}

    def size(self, u: Diagram) -> int:
        return sum(1 for _ in u.dfs_preorder())

    def pick(self, u: Diagram) -> dict[int, int]:
        point = u.satisfy_one() or {}
        return {self._numbers[variable.uniqid]: int(value) for variable, value in point.items()}

    def branches(self, u: Diagram) -> tuple[int, Diagram, Diagram]:
        variable = u.top
        return self._numbers[variable.uniqid], u.restrict({variable: 0}), u.restrict({variable: 1})

    def key(self, u: Diagram) -> int:
        return id(u.node)
