"""Expressions as Python text: one case per operator of `expr.py`, and a writer that shares common subexpressions.

Values are non-negative ints below 2 ** width. A comparison may give True or False, which count as 1 and 0; `integer` makes plain ints.
"""

from __future__ import annotations

from typing import Any

from fsoft.program import expr as e
from fsoft.program.expr import COMPARISONS, Expr, postorder

_DEEP = 12  # nesting beyond which a subexpression gets a name of its own

HELPERS: dict[str, Any] = {"sdiv": e.sdiv, "srem": e.srem, "padd": e.pointer_add, "B": e.BINARY, "operate": e.operate}

_PLAIN = {"and": "&", "or": "|", "xor": "^", "eq": "==", "ult": "<", "ule": "<="}
_MASKED = {"add": "+", "sub": "-", "mul": "*"}


def _biased(text: str, operand: Expr) -> str:
    """Signed order becomes unsigned order when the sign bit is flipped."""
    sign = 1 << (operand.width - 1)
    return str(operand.value ^ sign) if operand.is_const else f"({text} ^ {sign})"


def _signed(text: str, width: int) -> str:
    sign = 1 << (width - 1)
    return f"(({text} ^ {sign}) - {sign})"


def _binary(node: Expr, a: str, b: str) -> str | None:
    op, width = node.op, node.args[0].width
    mask = (1 << width) - 1
    if op in _PLAIN:
        return f"({a} {_PLAIN[op]} {b})"
    if op in _MASKED:
        return f"(({a} {_MASKED[op]} {b}) & {mask})"
    if op in ("slt", "sle"):
        return f"({_biased(a, node.args[0])} {'<' if op == 'slt' else '<='} {_biased(b, node.args[1])})"
    if op == "shl":
        return f"((({a} << {b}) & {mask}) if {b} < {width} else 0)"
    if op == "lshr":
        return f"({a} >> {b} if {b} < {width} else 0)"
    if op == "ashr":
        return f"(({_signed(a, width)} >> min({b}, {width - 1})) & {mask})"
    if op == "udiv":
        return f"({a} // {b} if {b} else {mask})"
    if op == "urem":
        return f"({a} % {b} if {b} else {a})"
    if op in ("sdiv", "srem"):
        return f"{op}({a}, {b}, {width})"
    return f"B[{op!r}]({a}, {b}, {width})" if op in e.BINARY else None


def operator_text(node: Expr, parts: list[str]) -> str:
    """Python for an operator node over the texts of its operands."""
    op, mask = node.op, (1 << node.width) - 1
    if len(parts) == 2:
        found = _binary(node, parts[0], parts[1])
        if found is not None:
            return found
    a = parts[0]
    if op == "not":
        return f"({a} ^ {mask})"
    if op == "neg":
        return f"(-{a} & {mask})"
    if op == "ite":
        return f"({parts[1]} if {a} else {parts[2]})"
    if op == "zext":
        return a
    if op == "sext":
        return f"({_signed(a, node.args[0].width)} & {mask})"
    if op == "extract":
        return f"({a} & {mask})" if node.data == 0 else f"(({a} >> {node.data}) & {mask})"
    if op == "concat":
        return f"({a} << {node.args[1].width} | {parts[1]})"
    if op == "padd":
        return f"padd({a}, {parts[1]}, {node.width}, {node.data})"
    widths = tuple(x.width for x in node.args)
    return f"operate({op!r}, {node.width}, {widths}, {node.data!r}, ({', '.join(parts)},))"


_KEEPS_BOOLEAN = frozenset({"and", "or", "xor", "ite", "zext"})
_REPEATS = frozenset({"shl", "lshr", "udiv", "urem"})  # their text mentions an operand twice


class PythonWriter:
    """Lines of Python under construction, with the names they use."""

    def __init__(self, names: dict[str, Any], registers: dict[str, int]):
        self.names = names
        self.registers = registers  # their indices; register k is the local variable `rk`
        self.indent = 0
        self._lines: list[str] = []
        self._shared: dict[Expr, str] = {}  # subexpressions that have a name at this point
        self._reads: dict[Expr, int] = {}  # registers that an expression depends on, as a bit mask
        self._scopes: list[dict[Expr, str]] = []
        self._count = 0

    def text(self) -> str:
        return "\n".join(self._lines) + "\n"

    def line(self, text: str) -> None:
        self._lines.append("    " * self.indent + text)

    def open(self, header: str) -> None:
        """Start a block; names made inside are not known after it."""
        self.line(header)
        self.indent += 1
        self._scopes.append(dict(self._shared))

    def close(self) -> None:
        self.indent -= 1
        before = self._scopes.pop()
        self._shared = {node: name for node, name in before.items() if self._shared.get(node) == name}

    def name(self, value: Any) -> str:
        """A name that stands for a Python object."""
        name = f"K{len(self.names)}"
        self.names[name] = value
        return name

    def forget(self, register: str) -> None:
        """A register changed: what was computed from it is stale."""
        if self._shared:
            bit = 1 << self.registers[register]
            self._shared = {n: name for n, name in self._shared.items() if not self._reads[n] & bit}

    def integer(self, root: Expr) -> str:
        """Python for the value as a plain int."""
        text = self.expr(root)
        boolean: set[Expr] = set()
        for node in postorder((root,)):
            if node.op in COMPARISONS or (node.op in _KEEPS_BOOLEAN and not boolean.isdisjoint(node.args)):
                boolean.add(node)
        return f"+{text}" if root in boolean else text

    def expr(self, root: Expr) -> str:
        """Python for the value; writes lines for shared and deep subexpressions first."""
        order = postorder((root,))
        uses: dict[Expr, int] = {}
        for node in order:
            for argument in node.args:
                uses[argument] = uses.get(argument, 0) + (2 if node.op in _REPEATS else 1)
        done: dict[Expr, tuple[str, int]] = {}
        for node in order:
            if node not in self._reads:
                self._reads[node] = self._depends(node)
            done[node] = self._node(node, done, uses.get(node, 0))
        return done[root][0]

    def _depends(self, node: Expr) -> int:
        if node.op == "reg":
            return 1 << self.registers[str(node.data)]
        mask = 0
        for argument in node.args:
            mask |= self._reads[argument]
        return mask

    def _node(self, node: Expr, done: dict[Expr, tuple[str, int]], uses: int) -> tuple[str, int]:
        if node.op == "const":
            return str(node.value), 0
        if node.op == "reg":
            return f"r{self.registers[str(node.data)]}", 0
        if node in self._shared:
            return self._shared[node], 0
        depth = 1 + max(done[a][1] for a in node.args)
        text = operator_text(node, [done[a][0] for a in node.args])
        if (uses > 1 or depth > _DEEP) and not text.isalnum():
            name = f"t{self._count}"
            self._count += 1
            self.line(f"{name} = {text}")
            self._shared[node] = name
            return name, 0
        return text, depth
