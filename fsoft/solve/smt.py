"""Bitwuzla behind a small interface: terms of `fsoft.program.expr` in, answers and values out.

`bind` says what a leaf means, `term` translates (without recursion, and once per node and binding), `solve` asks under assumptions.
"""

from __future__ import annotations

import time
from typing import Any

from fsoft.circuit.model.lower import TermLowering
from fsoft.frontend.source import NOWHERE, InputError
from fsoft.process.interrupts import noticed
from fsoft.program.expr import Expr, walk
from fsoft.program.meaning import elements, repeated
from fsoft.solve.sat import SolverTimeout

_KINDS = {
    "not": "BV_NOT", "neg": "BV_NEG", "and": "BV_AND", "or": "BV_OR", "xor": "BV_XOR", "add": "BV_ADD", "sub": "BV_SUB", "mul": "BV_MUL",
    "udiv": "BV_UDIV", "sdiv": "BV_SDIV", "urem": "BV_UREM", "srem": "BV_SREM", "shl": "BV_SHL", "lshr": "BV_SHR", "ashr": "BV_ASHR",
    "concat": "BV_CONCAT", "select": "ARRAY_SELECT", "store": "ARRAY_STORE",
}  # fmt: skip
_COMPARE = {"eq": "EQUAL", "ult": "BV_ULT", "ule": "BV_ULE", "slt": "BV_SLT", "sle": "BV_SLE"}


_SPELLED_OUT = 12  # index bits up to which equality of arrays is that of their elements


class Undecided(Exception):
    """The solver gave up, though there was time left."""


class Smt:
    """One solver with one assertion stack."""

    def __init__(self, cores: bool = False) -> None:
        """`cores`: the assumptions behind an answer False will be asked for."""
        try:
            import bitwuzla  # an optional package
        except ImportError:
            raise InputError(NOWHERE, "the engine smt needs Bitwuzla: pip install bitwuzla") from None
        self._b: Any = bitwuzla
        self._manager = bitwuzla.TermManager()
        options = bitwuzla.Options()
        options.set(bitwuzla.Option.PRODUCE_MODELS, True)
        if cores:
            options.set(bitwuzla.Option.PRODUCE_UNSAT_ASSUMPTIONS, True)
        self._deadline = 0.0
        self._options = options
        self._solver = bitwuzla.Bitwuzla(self._manager, options)
        self._sorts: dict[tuple[int, int], Any] = {}
        self._lower = TermLowering()
        self.calls = 0

    def sort(self, width: int, index: int = 0) -> Any:
        """Bit-vectors, or arrays of `width` bits in all with `index` bits of index."""
        found = self._sorts.get((width, index))
        if found is None:
            manager = self._manager
            found = manager.mk_array_sort(self.sort(index), self.sort(width >> index)) if index else manager.mk_bv_sort(width)
            self._sorts[width, index] = found
        return found

    def constant(self, name: str, width: int, index: int = 0) -> Any:
        """A fresh unknown."""
        return self._manager.mk_const(self.sort(width, index), name)

    def value_term(self, value: int, width: int, index: int = 0) -> Any:
        if not index:
            return self._manager.mk_bv_value(self.sort(width), value)
        size = width >> index
        values = elements(value, size, width)
        term = self._manager.mk_const_array(self.sort(width, index), self.value_term(values[0], size))
        for k, element in enumerate(values):
            if element != values[0]:
                args = [term, self.value_term(k, index), self.value_term(element, size)]
                term = self._manager.mk_term(self._b.Kind.ARRAY_STORE, args)
        return term

    def term(self, root: Expr, leaves: dict[str, Any], done: dict[Expr, Any]) -> Any:
        """The term with its leaves replaced; `done` is the memory of one binding of the leaves."""

        def rule(node: Expr, args: list[Any]) -> Any:
            if node.op == "const":
                return self.value_term(node.value, node.width, node.index)
            return leaves[str(node.data)] if node.op == "reg" else self._apply(node, args)

        return walk(self._lower(root), done, rule)

    def _apply(self, node: Expr, args: list[Any]) -> Any:
        kinds, make = self._b.Kind, self._manager.mk_term
        if node.op == "eq" and node.args[0].index:
            return self._bit(self._same(args[0], args[1]))
        if node.op in _COMPARE:
            return self._bit(make(getattr(kinds, _COMPARE[node.op]), args))
        if node.op == "ite":
            return make(kinds.ITE, [self.holds(args[0]), args[1], args[2]])
        if node.op == "constarray":
            return self._manager.mk_const_array(self.sort(node.width, node.index), args[0])
        if node.op in ("zext", "sext"):
            kind = kinds.BV_ZERO_EXTEND if node.op == "zext" else kinds.BV_SIGN_EXTEND
            return make(kind, args, [node.width - node.args[0].width])
        if node.op == "extract":
            assert isinstance(node.data, int)
            return make(kinds.BV_EXTRACT, args, [node.data + node.width - 1, node.data])
        return make(getattr(kinds, _KINDS[node.op]), args)

    def _bit(self, truth: Any) -> Any:
        return self._manager.mk_term(self._b.Kind.ITE, [truth, self.value_term(1, 1), self.value_term(0, 1)])

    def holds(self, bit: Any) -> Any:
        """A bit as a truth value."""
        return self._manager.mk_term(self._b.Kind.EQUAL, [bit, self.value_term(1, 1)])

    def negate(self, truth: Any) -> Any:
        return self._manager.mk_term(self._b.Kind.NOT, [truth])

    def differ(self, pairs: list[tuple[Any, Any]]) -> Any:
        """Some pair has different members: to be asserted or assumed, not to be negated, because arrays differ at a fresh place."""
        kinds, make = self._b.Kind, self._manager.mk_term
        words = [(a, b) if (at := self._place(a)) is None else self._elements(a, b, at) for a, b in pairs]
        return self.some([make(kinds.DISTINCT, [a, b]) for a, b in words])

    def _place(self, term: Any) -> Any:
        """A fresh index of an array; None if the term is none."""
        return self._manager.mk_const(term.sort().array_index(), "differ") if term.sort().is_array() else None

    def _elements(self, a: Any, b: Any, at: Any) -> tuple[Any, Any]:
        select, make = self._b.Kind.ARRAY_SELECT, self._manager.mk_term
        return make(select, [a, at]), make(select, [b, at])

    def _same(self, a: Any, b: Any) -> Any:
        """Two arrays are equal, element by element unless they are large: Bitwuzla does not fully know the equality of constant arrays."""
        index, kinds, make = int(a.sort().array_index().bv_size()), self._b.Kind, self._manager.mk_term
        if index > _SPELLED_OUT:
            return make(kinds.EQUAL, [a, b])
        pairs = [self._elements(a, b, self.value_term(k, index)) for k in range(1 << index)]
        return make(kinds.AND, [make(kinds.EQUAL, [x, y]) for x, y in pairs])

    def some(self, truths: list[Any]) -> Any:
        if len(truths) < 2:
            return truths[0] if truths else self._manager.mk_false()
        return self._manager.mk_term(self._b.Kind.OR, truths)

    def add(self, truth: Any) -> None:
        self._solver.assert_formula(truth)

    def push(self) -> None:
        self._solver.push(1)

    def pop(self, levels: int = 1) -> None:
        self._solver.pop(levels)

    def core(self) -> list[Any]:
        """The assumptions that the last answer False used."""
        return list(self._solver.get_unsat_assumptions())

    def solve(self, assumptions: list[Any], deadline: float | None = None) -> bool:
        """Whether the assertions and assumptions can be satisfied; SolverTimeout past the deadline, Undecided if the solver gives up."""
        self.calls += 1
        end = float("inf") if deadline is None else deadline
        if time.monotonic() >= end:
            raise SolverTimeout
        with noticed() as interrupted:
            self._solver.configure_terminator(lambda: interrupted() or time.monotonic() > end)
            answer = self._solver.check_sat(*assumptions)
        if answer == self._b.Result.UNKNOWN:
            raise SolverTimeout if deadline is not None and time.monotonic() > deadline else Undecided
        return bool(answer == self._b.Result.SAT)

    def value(self, term: Any) -> int:
        """The value of a bit-vector or an array in the last satisfying assignment."""
        value = self._solver.get_value(term)
        return self._array(value) if term.sort().is_array() else int(value.value(2), 2)

    def _array(self, value: Any) -> int:
        """An array that the solver gives as stores over a constant array."""
        kinds, sort = self._b.Kind, value.sort()
        size, index = int(sort.array_element().bv_size()), int(sort.array_index().bv_size())
        written: dict[int, int] = {}
        while value.kind() == kinds.ARRAY_STORE:
            value, at, element = value.children()
            written.setdefault(int(at.value(2), 2), int(element.value(2), 2))
        if value.kind() != kinds.CONST_ARRAY:
            raise AssertionError(f"the value of an array is {value}")
        usual: int = int(value.children()[0].value(2), 2)
        rest = sum((usual ^ element) << at * size for at, element in written.items())
        return usual * repeated(size, size << index) ^ rest
