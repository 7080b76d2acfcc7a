"""Solvers for terms behind one small interface: add, push, pop, solve under assumptions, core, value.

A question is a set of terms of one bit over free leaves `reg(name, width)`; a name has one width. Bitwuzla answers by default, Z3 and a
SAT solver on bit-blasted terms are alternatives (`SOLVERS`); `Dumping` writes every question as an SMT-LIB file beside asking it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from fsoft.circuit.bits.aig import Aig
from fsoft.circuit.bits.bitblast import Blaster
from fsoft.circuit.bits.cnf import POSITIVE, Encoder
from fsoft.program.expr import Expr, evaluate, postorder
from fsoft.solve.sat import Sat
from fsoft.solve.smt import Smt

SOLVERS = ("bitwuzla", "z3", "pysat")
DEFAULT = "bitwuzla"


class Solver(Protocol):
    """`add` asserts on the current level; `core` are the assumptions that the last answer False used; `value` is that of any term in the
    last satisfying assignment, where leaves that no question mentioned are 0. `calls` counts the questions."""

    @property
    def calls(self) -> int: ...

    def add(self, term: Expr) -> None: ...

    def push(self) -> None: ...

    def pop(self, levels: int = 1) -> None: ...

    def solve(self, assumptions: Sequence[Expr] = (), deadline: float | None = None) -> bool: ...

    def core(self) -> list[Expr]: ...

    def value(self, term: Expr) -> int: ...


def make_solver(name: str = DEFAULT) -> Solver:
    """A fresh solver of that name (one of SOLVERS)."""
    if name == "bitwuzla":
        return Bitwuzla()
    if name == "pysat":
        return Blasted()
    if name == "z3":
        from fsoft.solve.z3_terms import Z3  # with z3, an optional package

        return Z3()
    raise ValueError(f"no solver '{name}': one of {', '.join(SOLVERS)}")


class Bitwuzla:
    """`Smt` with leaves by name."""

    def __init__(self) -> None:
        self._smt = Smt(cores=True)
        self._leaves: dict[str, Any] = {}
        self._done: dict[Expr, Any] = {}
        self._assumed: dict[Any, Expr] = {}

    @property
    def calls(self) -> int:
        return self._smt.calls

    def _truth(self, term: Expr) -> Any:
        for node in postorder((term,)) if term not in self._done else ():
            if node.op == "reg" and str(node.data) not in self._leaves:
                self._leaves[str(node.data)] = self._smt.constant(str(node.data), node.width, node.index)
        return self._smt.holds(self._smt.term(term, self._leaves, self._done))

    def add(self, term: Expr) -> None:
        self._smt.add(self._truth(term))

    def push(self) -> None:
        self._smt.push()

    def pop(self, levels: int = 1) -> None:
        self._smt.pop(levels)

    def solve(self, assumptions: Sequence[Expr] = (), deadline: float | None = None) -> bool:
        truths = [self._truth(term) for term in assumptions]
        self._assumed = dict(zip(truths, assumptions, strict=True))
        return self._smt.solve(truths, deadline)

    def core(self) -> list[Expr]:
        return [self._assumed[truth] for truth in self._smt.core() if truth in self._assumed]

    def value(self, term: Expr) -> int:
        return evaluate(term, lambda leaf: self._leaf(str(leaf.data)))

    def _leaf(self, name: str) -> int:
        return self._smt.value(self._leaves[name]) if name in self._leaves else 0


class Blasted:
    """A SAT solver on bits. Levels are lists of literals that every question assumes, so that nothing is ever taken back."""

    def __init__(self, name: str = "cadical195") -> None:
        self._aig = Aig()
        self._blaster = Blaster(self._aig)
        self._sat = Sat(name)
        self._encoder = Encoder(self._aig, self._sat.add, self._sat.var)
        self._bits: dict[str, list[int]] = {}
        self._seen: set[Expr] = set()
        self._levels: list[list[int]] = [[]]
        self._assumed: dict[int, Expr] = {}

    @property
    def calls(self) -> int:
        return self._sat.calls

    def _literal(self, term: Expr) -> int:
        stack = [term]
        while stack:
            node = stack.pop()
            if node in self._seen:
                continue
            self._seen.add(node)
            stack.extend(node.args)
            if node.op == "reg" and str(node.data) not in self._bits:
                self._bits[str(node.data)] = [self._aig.input() for _ in range(node.width)]
                self._blaster.bind(str(node.data), self._bits[str(node.data)])
        return self._encoder.literal(self._blaster.bit(term), POSITIVE)

    def add(self, term: Expr) -> None:
        literal = self._literal(term)
        if len(self._levels) == 1:
            self._sat.add([literal])
        else:
            self._levels[-1].append(literal)

    def push(self) -> None:
        self._levels.append([])

    def pop(self, levels: int = 1) -> None:
        del self._levels[len(self._levels) - levels :]

    def solve(self, assumptions: Sequence[Expr] = (), deadline: float | None = None) -> bool:
        self._assumed = {self._literal(term): term for term in assumptions}
        kept = [literal for level in self._levels for literal in level]
        return self._sat.solve([*kept, *self._assumed], deadline)

    def core(self) -> list[Expr]:
        return [self._assumed[literal] for literal in self._sat.core() if literal in self._assumed]

    def value(self, term: Expr) -> int:
        return evaluate(term, lambda leaf: self._leaf(str(leaf.data)))

    def _leaf(self, name: str) -> int:
        known = [self._encoder.known(literal) for literal in self._bits.get(name, ())]
        return sum(1 << k for k, literal in enumerate(known) if literal and self._sat.value(literal))
