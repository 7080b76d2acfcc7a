"""Z3 behind the interface of `terms.Solver`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from fsoft.circuit.model.lower import TermLowering
from fsoft.frontend.source import NOWHERE, InputError
from fsoft.program.expr import Expr, array_elements, evaluate, walk
from fsoft.solve.sat import SolverTimeout
from fsoft.solve.smt import Undecided

_DIRECT = {"add": "__add__", "sub": "__sub__", "mul": "__mul__", "and": "__and__", "or": "__or__", "xor": "__xor__", "shl": "__lshift__",
           "sdiv": "__truediv__", "ashr": "__rshift__", "not": "__invert__", "neg": "__neg__"}  # fmt: skip
_NAMED = {"udiv": "UDiv", "urem": "URem", "srem": "SRem", "lshr": "LShR", "concat": "Concat", "select": "Select", "store": "Store"}
_COMPARE = {"ult": "ULT", "ule": "ULE"}


class Z3:
    """One Z3 solver with a context of its own."""

    def __init__(self) -> None:
        try:
            import z3  # an optional package
        except ImportError:
            raise InputError(NOWHERE, "the solver z3 needs Z3: pip install z3-solver") from None
        self._z: Any = z3
        self._context = z3.Context()
        self._solver = z3.SolverFor("QF_ABV", ctx=self._context)
        self._lower = TermLowering()
        self._leaves: dict[str, Any] = {}
        self._done: dict[Expr, Any] = {}
        self._named: dict[Expr, Any] = {}
        self._assumed: dict[str, Expr] = {}
        self._model: Any = None
        self._core: list[Expr] = []
        self.calls = 0

    # ------------------------------------------------------------ terms

    def _truth(self, term: Expr) -> Any:
        return walk(self._lower(term), self._done, self._node) == self._number(1, 1)

    def _number(self, value: int, width: int) -> Any:
        return self._z.BitVecVal(value, width, self._context)

    def _sort(self, node: Expr) -> Any:
        z, context = self._z, self._context
        if not node.index:
            return z.BitVecSort(node.width, context)
        return z.ArraySort(z.BitVecSort(node.index, context), z.BitVecSort(node.element, context))

    def _node(self, node: Expr, args: list[Any]) -> Any:
        if node.op == "const":
            return self._array(node) if node.index else self._number(node.value, node.width)
        if node.op == "reg":
            name = str(node.data)
            if name not in self._leaves:
                self._leaves[name] = self._z.Const(name, self._sort(node))
            return self._leaves[name]
        return self._apply(node, args)

    def _array(self, node: Expr) -> Any:
        first, *rest = array_elements(node)
        term = self._z.K(self._z.BitVecSort(node.index, self._context), self._number(first, node.element))
        for k, value in enumerate(rest, 1):
            if value != first:
                term = self._z.Store(term, self._number(k, node.index), self._number(value, node.element))
        return term

    def _apply(self, node: Expr, args: list[Any]) -> Any:
        z = self._z
        if node.op in _DIRECT:
            return getattr(args[0], _DIRECT[node.op])(*args[1:])
        if node.op in _NAMED:
            return getattr(z, _NAMED[node.op])(*args)
        if node.op == "ite":
            return z.If(args[0] == self._number(1, 1), args[1], args[2])
        if node.op in ("zext", "sext"):
            return (z.ZeroExt if node.op == "zext" else z.SignExt)(node.width - node.args[0].width, args[0])
        if node.op == "extract":
            assert isinstance(node.data, int)
            return z.Extract(node.data + node.width - 1, node.data, args[0])
        if node.op == "constarray":
            return z.K(z.BitVecSort(node.index, self._context), args[0])
        return z.If(self._compared(node.op, args), self._number(1, 1), self._number(0, 1))

    def _compared(self, op: str, args: list[Any]) -> Any:
        if op in _COMPARE:
            return getattr(self._z, _COMPARE[op])(*args)
        return {"eq": args[0].__eq__, "slt": getattr(args[0], "__lt__", None), "sle": getattr(args[0], "__le__", None)}[op](args[1])

    # ------------------------------------------------------------ questions

    def add(self, term: Expr) -> None:
        self._solver.add(self._truth(term))

    def push(self) -> None:
        self._solver.push()

    def pop(self, levels: int = 1) -> None:
        self._solver.pop(levels)

    def _name_of(self, term: Expr) -> Any:
        """A fresh truth value that implies the term: Z3 assumes literals only."""
        if term not in self._named:
            name = self._z.Bool(f"assume!{len(self._named)}", self._context)
            self._named[term] = name
        return self._named[term]

    def solve(self, assumptions: Sequence[Expr] = (), deadline: float | None = None) -> bool:
        self.calls += 1
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise SolverTimeout
            self._solver.set("timeout", max(1, int(1000 * left)))
        names = [self._name_of(term) for term in assumptions]
        self._assumed = {str(name): term for name, term in zip(names, assumptions, strict=True)}
        if names:
            self._solver.push()
            for name, term in zip(names, assumptions, strict=True):
                self._solver.add(self._z.Implies(name, self._truth(term)))
        try:
            return self._answer(names, deadline)
        finally:
            if names:
                self._solver.pop()

    def _answer(self, names: list[Any], deadline: float | None) -> bool:
        answer = self._solver.check(*names)
        if answer == self._z.unknown:
            if deadline is not None and time.monotonic() >= deadline - 0.01:
                raise SolverTimeout
            why = self._solver.reason_unknown()  # Z3 takes Ctrl-C for itself
            raise KeyboardInterrupt if "interrupted" in why or "cancel" in why else Undecided
        satisfiable = bool(answer == self._z.sat)
        self._model = self._solver.model() if satisfiable else None
        self._core = [] if satisfiable else [self._assumed[str(name)] for name in self._solver.unsat_core()]
        return satisfiable

    def core(self) -> list[Expr]:
        return list(self._core)

    def value(self, term: Expr) -> int:
        return evaluate(term, lambda leaf: self._leaf(str(leaf.data)))

    def _leaf(self, name: str) -> int:
        if name not in self._leaves:
            return 0
        return int(self._model.eval(self._leaves[name], model_completion=True).as_long())
