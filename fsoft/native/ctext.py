"""Expressions as C text: one case per operator of `program/expr.py`, and a writer that shares common subexpressions.

Values are unsigned: 64 bits wide, or 128 for expressions of more than 64 bits, and always below 2 ** width. Nothing traps, so that a
subexpression can be computed ahead of the condition under which it matters.
"""

from __future__ import annotations

from fsoft.native.packing import Unpackable
from fsoft.program.expr import Expr, postorder

_DEEP = 10  # nesting beyond which a subexpression gets a name of its own

_PLAIN = {"and": "&", "or": "|", "xor": "^", "eq": "==", "ult": "<", "ule": "<="}
_MASKED = {"add": "+", "sub": "-", "mul": "*"}
_FLOATS = {"fadd": "+", "fsub": "-", "fmul": "*", "fdiv": "/"}
_FLOAT_TESTS = {"feq": "==", "flt": "<", "fle": "<="}
_REPEATS = frozenset({"shl", "lshr", "udiv", "urem", "ashr", "ite"})  # their text may mention an operand twice, or not evaluate it


def ctype(width: int) -> str:
    """The C type of values of that width."""
    if width > 128:
        raise Unpackable(f"arithmetic of {width} bits")
    return "u64" if width <= 64 else "u128"


def number(value: int) -> str:
    """A constant as C text."""
    if value >> 64:
        return f"((u128){value >> 64}ull << 64 | {value & (1 << 64) - 1}ull)"
    return f"{value}ull"


def _mask(text: str, width: int) -> str:
    if width in (64, 128):
        return text
    return f"({text} & {number((1 << width) - 1)})"


def _signed(text: str, width: int) -> str:
    return f"signed{64 if width <= 64 else 128}({text}, {width})"


def _shift(op: str, a: str, b: str, width: int) -> str:
    if op == "ashr":
        return _mask(f"({ctype(width)})({_signed(a, width)} >> ({b} < {width} ? {b} : {width - 1}))", width)
    text = f"(({ctype(width)}){a} {'<<' if op == 'shl' else '>>'} {b})"
    return f"({b} < {width} ? {_mask(text, width) if op == 'shl' else text} : 0)"


def _division(op: str, a: str, b: str, width: int) -> str:
    if op[0] == "s":
        return f"{'narrow' if width <= 64 else 'wide'}_{op[1:]}({a}, {b}, {width}, {number((1 << width) - 1)})"
    return f"({b} ? {a} {'/' if op == 'udiv' else '%'} {b} : {number((1 << width) - 1) if op == 'udiv' else a})"


def _binary(node: Expr, a: str, b: str) -> str | None:
    op, width = node.op, node.args[0].width
    if op in _PLAIN:
        return f"({a} {_PLAIN[op]} {b})"
    if op in _MASKED:
        return _mask(f"(({ctype(width)}){a} {_MASKED[op]} {b})", width)
    if op in ("slt", "sle"):
        return f"({_signed(a, width)} {'<' if op == 'slt' else '<='} {_signed(b, width)})"
    if op in ("shl", "lshr", "ashr"):
        return _shift(op, a, b, width)
    if op in ("udiv", "urem", "sdiv", "srem"):
        return _division(op, a, b, width)
    if op in _FLOATS:
        return f"bits_of(float_of({a}, {width}) {_FLOATS[op]} float_of({b}, {width}), {width})"
    if op in _FLOAT_TESTS:
        return f"(float_of({a}, {width}) {_FLOAT_TESTS[op]} float_of({b}, {width}))"
    if op == "concat":
        return f"(({ctype(node.width)}){a} << {node.args[1].width} | {b})"
    if op == "padd":
        return f"pointer_add({a}, {b}, {node.width}, {node.data})"
    return None


def _from_int(text: str, node: Expr) -> str:
    """An integer as a float, rounded once."""
    source = node.args[0].width
    if source > 64:
        raise Unpackable("a float made of a wide integer")
    value = _signed(text, source) if node.op == "itof" else f"(u64){text}"
    return f"bits_of_single((float){value})" if node.width == 32 else f"bits_of((double){value}, 64)"


def _unary(node: Expr, a: str) -> str | None:
    op, width, source = node.op, node.width, node.args[0].width
    if op == "not":
        return f"({a} ^ {number((1 << width) - 1)})"
    if op == "neg":
        return _mask(f"(0 - ({ctype(width)}){a})", width)
    if op == "zext":
        return f"({ctype(width)}){a}"
    if op == "sext":
        return _mask(f"({ctype(width)}){_signed(a, source)}", width)
    if op == "extract":
        return f"({ctype(width)}){_mask(f'({a} >> {node.data})', width)}" if width < source else a
    if op == "fconv":
        return f"bits_of(float_of({a}, {source}), {width})"
    if op in ("itof", "utof"):
        return _from_int(a, node)
    if op in ("ftoi", "ftou"):
        return f"float_to_int(float_of({a}, {source}), {width}, {int(op == 'ftoi')})"
    return None


def operator_text(node: Expr, parts: list[str]) -> str:
    """C for an operator node over the texts of its operands."""
    found = None
    if len(parts) == 2:
        found = _binary(node, *parts)
    elif len(parts) == 1:
        found = _unary(node, parts[0])
    elif node.op == "ite":
        found = f"({parts[0]} ? {parts[1]} : {parts[2]})"
    if found is None:
        raise Unpackable(f"the operator {node.op}")
    return f"({found})"


class CLines:
    """Lines of C under construction. A register is a C variable, `registers` says which."""

    def __init__(self, registers: dict[str, str]):
        self.registers = registers
        self._lines: list[str] = []
        self._shared: dict[Expr, str] = {}  # subexpressions that have a name at this point
        self._scopes: list[dict[Expr, str]] = []
        self._count = 0

    def text(self) -> str:
        return "\n".join(self._lines) + "\n"

    def line(self, text: str) -> None:
        self._lines.append(text)

    def open(self, header: str) -> None:
        """Start a block; names made inside are not known after it."""
        self.line(header + " {")
        self._scopes.append(dict(self._shared))

    def close(self) -> None:
        self.line("}")
        before = self._scopes.pop()
        self._shared = {node: name for node, name in before.items() if self._shared.get(node) == name}

    def forget(self, register: str) -> None:
        """A register changed: what was computed from it is stale."""
        self._shared = {node: name for node, name in self._shared.items() if register not in node.reads}

    def expr(self, root: Expr) -> str:
        """C for the value; writes lines for shared and deep subexpressions first."""
        order = postorder((root,))
        uses: dict[Expr, int] = {}
        for node in order:
            for argument in node.args:
                uses[argument] = uses.get(argument, 0) + (2 if node.op in _REPEATS else 1)
        done: dict[Expr, tuple[str, int]] = {}
        for node in order:
            done[node] = self._node(node, done, uses.get(node, 0))
        return done[root][0]

    def _node(self, node: Expr, done: dict[Expr, tuple[str, int]], uses: int) -> tuple[str, int]:
        if node.op == "const":
            return number(node.value), 0
        if node.op == "reg":
            return self.registers[str(node.data)], 0
        if node in self._shared:
            return self._shared[node], 0
        depth = 1 + max(done[a][1] for a in node.args)
        text = operator_text(node, [done[a][0] for a in node.args])
        if uses > 1 or depth > _DEEP:
            name = f"t{self._count}"
            self._count += 1
            self.line(f"{ctype(node.width)} {name} = {text};")
            self._shared[node] = name
            return name, 0
        return text, depth


__all__ = ["CLines", "ctype", "number", "operator_text"]
