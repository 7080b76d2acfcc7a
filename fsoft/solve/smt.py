"""Bitwuzla behind a small interface: terms of `fsoft.program.expr` in, answers and values out.

`bind` says what a leaf means, `term` translates (without recursion, and once per node and binding), `solve` asks under assumptions.
"""

from __future__ import annotations

import time
from typing import Any

from fsoft.circuit.lower import Lowering
from fsoft.frontend.source import NOWHERE, InputError
from fsoft.program.expr import Expr
from fsoft.solve.sat import OutOfTime

_KINDS = {
    "not": "BV_NOT", "neg": "BV_NEG", "and": "BV_AND", "or": "BV_OR", "xor": "BV_XOR", "add": "BV_ADD", "sub": "BV_SUB", "mul": "BV_MUL",
    "udiv": "BV_UDIV", "sdiv": "BV_SDIV", "urem": "BV_UREM", "srem": "BV_SREM", "shl": "BV_SHL", "lshr": "BV_SHR", "ashr": "BV_ASHR",
    "concat": "BV_CONCAT",
}  # fmt: skip
_COMPARE = {"eq": "EQUAL", "ult": "BV_ULT", "ule": "BV_ULE", "slt": "BV_SLT", "sle": "BV_SLE"}


class Smt:
    """One solver with one assertion stack."""

    def __init__(self) -> None:
        try:
            import bitwuzla
        except ImportError:
            raise InputError(NOWHERE, "the engine smt needs Bitwuzla: pip install bitwuzla") from None
        self._b: Any = bitwuzla
        self._manager = bitwuzla.TermManager()
        options = bitwuzla.Options()
        options.set(bitwuzla.Option.PRODUCE_MODELS, True)
        self._deadline = 0.0
        self._options = options
        self._solver = bitwuzla.Bitwuzla(self._manager, options)
        self._sorts: dict[int, Any] = {}
        self._lower = Lowering()
        self.calls = 0

    def sort(self, width: int) -> Any:
        if width not in self._sorts:
            self._sorts[width] = self._manager.mk_bv_sort(width)
        return self._sorts[width]

    def constant(self, name: str, width: int) -> Any:
        """A fresh unknown."""
        return self._manager.mk_const(self.sort(width), name)

    def value_term(self, value: int, width: int) -> Any:
        return self._manager.mk_bv_value(self.sort(width), value)

    def term(self, root: Expr, leaves: dict[str, Any], done: dict[Expr, Any]) -> Any:
        """The term with its leaves replaced; `done` is the memory of one binding of the leaves."""
        root = self._lower(root)
        stack = [root]
        while stack:
            node = stack[-1]
            if node in done:
                stack.pop()
                continue
            missing = [a for a in node.args if a not in done]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            if node.op == "const":
                done[node] = self.value_term(node.value, node.width)
            elif node.op == "reg":
                done[node] = leaves[str(node.data)]
            else:
                done[node] = self._apply(node, [done[a] for a in node.args])
        return done[root]

    def _apply(self, node: Expr, args: list[Any]) -> Any:
        kinds, make = self._b.Kind, self._manager.mk_term
        if node.op in _COMPARE:
            return self._bit(make(getattr(kinds, _COMPARE[node.op]), args))
        if node.op == "ite":
            return make(kinds.ITE, [self.holds(args[0]), args[1], args[2]])
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
        """Some pair has different members."""
        kinds, make = self._b.Kind, self._manager.mk_term
        return self.some([make(kinds.DISTINCT, [a, b]) for a, b in pairs])

    def some(self, truths: list[Any]) -> Any:
        if len(truths) < 2:
            return truths[0] if truths else self._manager.mk_false()
        return self._manager.mk_term(self._b.Kind.OR, truths)

    def add(self, truth: Any) -> None:
        self._solver.assert_formula(truth)

    def solve(self, assumptions: list[Any], deadline: float | None = None) -> bool:
        """Whether the assertions and assumptions can be satisfied; OutOfTime past the deadline."""
        self.calls += 1
        if deadline is not None:
            if time.monotonic() >= deadline:
                raise OutOfTime
            self._solver.configure_terminator(lambda: time.monotonic() > deadline)
        answer = self._solver.check_sat(*assumptions)
        if answer == self._b.Result.UNKNOWN:
            raise OutOfTime
        return bool(answer == self._b.Result.SAT)

    def value(self, term: Any) -> int:
        """The value of a bit-vector in the last satisfying assignment."""
        return int(self._solver.get_value(term).value(2), 2)
