"""Terms in the operators that every bit-vector tool knows: pointer addition and IEEE 754 are rewritten, all else stays.

The result uses const, reg, not, neg, and, or, xor, add, sub, mul, udiv, sdiv, urem, srem, shl, lshr, ashr, eq, ult, ule, slt, sle, ite,
zext, sext, extract and concat, and on arrays select, store and constarray, with the meaning of SMT-LIB.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fsoft.circuit.model import Model
from fsoft.circuit.model.softfloat import FLOAT_OPERATORS, lower_float
from fsoft.program.expr import Expr, binary, const, eq, ite, make, walk


def lower_pointer(node: Expr) -> Expr:
    """`padd` in integer operators: a move that does not fit the signed offset field gives the lowest offset."""
    pointer, delta = node.args
    assert isinstance(node.data, int)
    bits = node.data
    wide = max(node.width, bits) + 1
    offset = make("extract", bits, (pointer,), 0)
    moved = binary("add", make("sext", wide, (offset,)), make("sext", wide, (delta,)))
    low = make("extract", bits, (moved,), 0)
    fits = eq(make("sext", wide, (low,)), moved)
    offset = ite(fits, low, const(1 << (bits - 1), bits))
    if bits == node.width:
        return offset
    return make("concat", node.width, (make("extract", node.width - bits, (pointer,), bits), offset))


def lower_shift(node: Expr) -> Expr:
    """A shift by a variable amount as shifts by powers of two that are less than the width; other terms stay."""
    if node.op not in ("shl", "lshr", "ashr") or node.args[1].op == "const":
        return node
    value, amount = node.args
    width = node.width
    moved = value
    for k in range((width - 1).bit_length()):
        moved = ite(make("extract", 1, (amount,), k), binary(node.op, moved, const(1 << k, width)), moved)
    filled = binary("ashr", value, const(width - 1, width)) if node.op == "ashr" else const(0, width)
    return ite(binary("ult", const(width - 1, width), amount), filled, moved)


def lower_operator(node: Expr) -> Expr:
    """A term whose operands are lowered already, without pointer and floating-point operators."""
    if node.op == "padd":
        return lower_pointer(node)
    return lower_float(node) if node.op in FLOAT_OPERATORS else node


class TermLowering:
    """Applies a rule to a term from the leaves up. Remembers what it has rewritten, so that shared terms stay shared."""

    def __init__(self, rule: Callable[[Expr], Expr] = lower_operator) -> None:
        self._done: dict[Expr, Expr] = {}
        self._rule = rule

    def __call__(self, root: Expr) -> Expr:
        return walk(root, self._done, self._node)

    def _node(self, node: Expr, args: list[Expr]) -> Expr:
        return self._rule(make(node.op, node.width, tuple(args), node.data) if args else node)


def lower(model: Model) -> Model:
    """The model without pointer and floating-point operators."""
    return rewritten(model, TermLowering())


def lower_shifts(model: Model) -> Model:
    """The model without shifts by variable amounts."""
    return rewritten(model, TermLowering(lower_shift))


def rewritten(model: Model, rewrite: Callable[[Expr], Expr]) -> Model:
    """The model with every term rewritten."""
    return replace(
        model,
        next={name: rewrite(term) for name, term in model.next.items()},
        bad={name: rewrite(term) for name, term in model.bad.items()},
        bounds={name: rewrite(term) for name, term in model.bounds.items()},
        constraints={name: rewrite(term) for name, term in model.constraints.items()},
        justice={name: tuple(rewrite(term) for term in terms) for name, terms in model.justice.items()},
        fairness={name: rewrite(term) for name, term in model.fairness.items()},
    )
