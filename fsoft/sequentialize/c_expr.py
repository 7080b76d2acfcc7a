"""Expressions of a Program as C over unsigned words.

A value of w bits is an unsigned C integer of the next size that holds it, below 2 ** w; a bit is a `_Bool`. Parts that are used
several times become constants of their own, so that the text does not grow beyond the expression. What C has no operator for is a
helper function, printed if it is used.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from fsoft.program.expr import Expr, postorder
from fsoft.program.verdict import InternalError
from fsoft.sequentialize.c_helpers import HELPERS
from fsoft.sequentialize.c_words import number, size_of, type_of

_INFIX = {"and": "&", "or": "|", "xor": "^", "add": "+", "sub": "-", "mul": "*", "eq": "==", "ult": "<", "ule": "<="}
_SIGNED = {"slt": "<", "sle": "<="}
_WRAPS = frozenset({"add", "sub", "mul"})
_LARGE = 3
"""Nodes below a shared part that is worth a name."""


def identifier(name: str) -> str:
    """A C name for a name of a Program."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


@dataclass(slots=True)
class ExpressionPrinter:
    """Prints expressions. `names` are the C names of registers, `helpers` collects the helper functions that are used."""

    names: dict[str, str] = field(default_factory=dict)
    helpers: dict[str, str] = field(default_factory=dict)
    _parts: int = 0

    def text(self, roots: Sequence[Expr]) -> tuple[list[str], list[str]]:
        """C for each expression, and the declarations that must stand before them."""
        order = postorder(tuple(roots))
        uses = Counter(arg for node in order for arg in node.args)
        uses.update(roots)
        text: dict[Expr, str] = {}
        sizes: dict[Expr, int] = {}
        before: list[str] = []
        for node in order:
            text[node] = self._node(node, [text[a] for a in node.args])
            sizes[node] = 1 + sum(sizes[a] for a in node.args)
            if node.args and uses[node] > 1 and sizes[node] > _LARGE:
                self._parts += 1
                before.append(f"const {type_of(node.width)} e{self._parts} = {text[node]};")
                text[node], sizes[node] = f"e{self._parts}", 1
        return [text[root] for root in roots], before

    def _fits(self, text: str, width: int) -> str:
        """A C value cut to `width` bits."""
        cast = f"({type_of(width)})({text})"
        return cast if size_of(width) == width else f"({cast} & {number((1 << width) - 1, width)})"

    def _node(self, node: Expr, args: list[str]) -> str:
        op, width = node.op, node.width
        if op == "const":
            return number(node.value, width)
        if op == "reg":
            return self.names[str(node.data)]
        if op in _INFIX:
            text = f"({args[0]} {_INFIX[op]} {args[1]})"
            return self._fits(text, width) if op in _WRAPS or (width > 1 and size_of(width) < 32) else text
        if op in _SIGNED and size_of(node.args[0].width) == node.args[0].width > 1:
            kind = f"s{node.args[0].width}"
            return f"(({kind}){args[0]} {_SIGNED[op]} ({kind}){args[1]})"
        if op == "ite":
            text = f"({args[0]} ? {args[1]} : {args[2]})"
            return self._fits(text, width) if 1 < size_of(width) < 32 else text
        if op == "not":
            return f"(!{args[0]})" if width == 1 else self._fits(f"~{args[0]}", width)
        if op == "neg":
            return args[0] if width == 1 else self._fits(f"0u - {args[0]}", width)
        if op == "zext":
            return f"({type_of(width)}){args[0]}"
        if op == "extract":
            return self._extract(node, args[0])
        if op == "concat":
            low = node.args[1].width
            return f"({type_of(width)})(({type_of(width)}){args[0]} << {low} | ({type_of(width)}){args[1]})"
        return self._called(node, args)

    def _extract(self, node: Expr, arg: str) -> str:
        low = int(node.data or 0)
        shifted = f"({arg} >> {low})" if low else arg
        if node.width == 1:
            return f"(({shifted} & 1u) != 0)" if node.args[0].width > 1 else arg
        return self._fits(shifted, node.width)

    def _called(self, node: Expr, args: list[str]) -> str:
        """An operator by its helper function."""
        inner = node.args[0].width
        if node.op not in HELPERS:
            raise InternalError(f"no C for the operator {node.op}")
        name = f"{node.op}_{inner}_{node.width}"
        if name not in self.helpers:
            self.helpers[name] = HELPERS[node.op](name, inner, node.width, node.data)
        return f"{name}({', '.join(args)})"
