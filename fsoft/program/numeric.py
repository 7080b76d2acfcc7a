"""Where an expression treats an address as a number: what comes out may depend on which object it is, or hide a pointer to it.

Moving within the object (`padd`), copies, tests for equality and dereferencing do not. Nor does what looks at the offset only (an
alignment), or compares or subtracts two addresses of one object.
"""

from __future__ import annotations

from fsoft.program.expr import Expr, postorder

Use = tuple[Expr, Expr | None]
"""An operand that is taken for a number; with another one: harmless if both are in one object."""

_LOWEST_FIRST = frozenset({"and", "or", "xor", "not", "neg", "add", "sub", "mul"})  # their low bits come from the low bits of operands
_PAIRS = frozenset({"ult", "ule", "slt", "sle", "sub"})


def _needed(node: Expr, wanted: int, k: int) -> int:
    """How many low bits of operand k the low `wanted` bits of the node depend on."""
    argument = node.args[k]
    if node.op in ("and", "urem") and (mask := node.args[1 - k]).is_const and not argument.is_const:
        if node.op == "and":
            return min(wanted, mask.value.bit_length())
        if k == 0 and mask.value & (mask.value - 1) == 0 and mask.value:
            return min(wanted, mask.value.bit_length() - 1)
    if node.op in _LOWEST_FIRST or (node.op == "ite" and k):
        return min(wanted, argument.width)
    if node.op == "zext":
        return min(wanted, argument.width)
    if node.op == "extract":
        assert isinstance(node.data, int)
        return node.data + min(wanted, node.width)
    return argument.width


def _harmless(node: Expr, k: int) -> bool:
    return node.op == "eq" or (node.op == "padd" and k == 0) or (node.op == "ite" and k > 0)


def numeric_uses(root: Expr, word: int, offset_bits: int) -> list[Use]:
    """The operands in an expression that may be addresses and are taken for numbers."""
    wanted = {root: root.width}
    found: dict[Use, None] = {}
    for node in reversed(postorder((root,))):
        for k, argument in enumerate(node.args):
            needed = _needed(node, wanted[node], k)
            wanted[argument] = max(wanted.get(argument, 0), needed)
            if argument.width != word or argument.op not in ("reg", "padd", "ite") or needed <= offset_bits or _harmless(node, k):
                continue
            other = node.args[1 - k] if node.op in _PAIRS else None
            if other is None or node.op == "sub" or not other.is_const or other.value >> offset_bits:
                found[argument, other] = None
    return list(found)


__all__ = ["Use", "numeric_uses"]
