"""Expressions of the Program: bit-vectors over a thread's registers.

A node is an `Expr(op, width, args, data)`, immutable and interned: equal expressions are the same object, so equality is
identity and memo tables are plain dicts. Build nodes only through `make` (or the helpers below it): constant folding
and local simplification sit there. Expressions never read memory; a `Load` action does.

| op | operands | result |
|---|---|---|
| const | data = value | `width` bits |
| reg | data = register name | the executing thread's register |
| own | data = name | a constant of the executing thread (its id, the address of its copy of a local): `Thread.own[name]` |
| not neg | a | same width |
| and or xor add sub mul | a, b | same width |
| udiv sdiv urem srem | a, b | same width; by zero as in SMT-LIB: all ones, 1 or -1, a, a |
| shl lshr ashr | a, b | same width; a shift by `width` or more gives 0 (ashr: the sign) |
| eq ult ule slt sle | a, b | 1 bit |
| ite | c (1 bit), a, b | width of a |
| zext sext | a | widened |
| extract | a, data = low bit | `width` bits from the low bit up |
| concat | high, low | sum of widths |
| padd | p, delta; data = offset bits | pointer plus byte delta (see `pointer_add`) |
| fadd fsub fmul fdiv | a, b | IEEE 754, 32 or 64 bits, round to nearest even |
| feq flt fle | a, b | 1 bit |
| fconv | a | IEEE 754 between 32 and 64 bits |
| itof utof | a | integer to IEEE of `width` bits |
| ftoi ftou | a | IEEE to integer of `width` bits, toward zero; what does not fit gives the lowest signed value (ftou: wraps) |
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
from weakref import WeakValueDictionary


class Expr:
    """An interned node; see the module's table. `args` are Exprs, `data` is an int, a str or None. `reads` are the registers below."""

    __slots__ = ("__weakref__", "args", "data", "op", "reads", "width")

    op: str
    width: int
    args: tuple[Expr, ...]
    data: int | str | None
    reads: frozenset[str]

    def __repr__(self) -> str:
        return show(self)

    @property
    def is_const(self) -> bool:
        return self.op == "const"

    @property
    def value(self) -> int:
        """The value of a constant node."""
        assert self.op == "const" and isinstance(self.data, int)
        return self.data


_table: WeakValueDictionary[tuple[object, ...], Expr] = WeakValueDictionary()


def _node(op: str, width: int, args: tuple[Expr, ...] = (), data: int | str | None = None) -> Expr:
    key = (op, width, args, data)
    node = _table.get(key)
    if node is None:
        node = Expr.__new__(Expr)
        node.op, node.width, node.args, node.data = op, width, args, data
        node.reads = _reads_of(op, args, data)
        _table[key] = node
    return node


_NO_REGISTERS: frozenset[str] = frozenset()


def _reads_of(op: str, args: tuple[Expr, ...], data: int | str | None) -> frozenset[str]:
    if not args:
        return frozenset((str(data),)) if op == "reg" else _NO_REGISTERS
    found = args[0].reads
    for arg in args[1:]:
        if not arg.reads <= found:
            found = arg.reads if found <= arg.reads else found | arg.reads
    return found


# ---------------------------------------------------------------- the meaning of each operator


def to_signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def pointer_add(pointer: int, delta: int, width: int, offset_bits: int) -> int:
    """Move within the object: the offset field is signed; a move that does not fit it gives the offset that no object has."""
    half = 1 << (offset_bits - 1)
    mask = (1 << offset_bits) - 1
    offset = to_signed(pointer & mask, offset_bits) + to_signed(delta, width)
    if not -half <= offset < half:
        offset = half
    return (pointer & ~mask) | (offset & mask)


def float_of_bits(value: int, width: int) -> float:
    if width == 32:
        return float(struct.unpack("<f", struct.pack("<I", value))[0])
    return float(struct.unpack("<d", struct.pack("<Q", value))[0])


def bits_of_float(value: float, width: int) -> int:
    if math.isnan(value):
        return 0x7FC00000 if width == 32 else 0x7FF8000000000000
    if width == 64:
        return int(struct.unpack("<Q", struct.pack("<d", value))[0])
    try:
        return int(struct.unpack("<I", struct.pack("<f", value))[0])
    except OverflowError:
        return 0xFF800000 if value < 0 else 0x7F800000


def _float_divide(a: float, b: float) -> float:
    if b != 0:
        return a / b
    if a == 0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _float_to_int(value: float, width: int, signed: bool) -> int:
    mask = (1 << width) - 1
    if math.isnan(value) or math.isinf(value):
        return 1 << (width - 1)
    whole = int(value)
    if signed and not -(1 << (width - 1)) <= whole < (1 << (width - 1)):
        return 1 << (width - 1)
    return whole & mask


def _int_to_float(value: int, width: int) -> int:
    """Round once to the target precision (Python rounds int to double; float32 is then exact only up to 2**53)."""
    if width == 64 or abs(value) < 1 << 53:
        return bits_of_float(float(value), width)
    shift = abs(value).bit_length() - 53
    kept, lost = abs(value) >> shift, abs(value) & ((1 << shift) - 1)
    sticky = kept | (1 if lost else 0)
    return bits_of_float(math.ldexp(float(sticky), shift) * (1 if value > 0 else -1), width)


def sdiv(a: int, b: int, width: int) -> int:
    x, y = to_signed(a, width), to_signed(b, width)
    if y == 0:
        return 1 if x < 0 else (1 << width) - 1
    quotient = abs(x) // abs(y)
    return (quotient if (x < 0) == (y < 0) else -quotient) & ((1 << width) - 1)


def srem(a: int, b: int, width: int) -> int:
    x, y = to_signed(a, width), to_signed(b, width)
    if y == 0:
        return a
    rest = abs(x) % abs(y)
    return (-rest if x < 0 else rest) & ((1 << width) - 1)


def _arith(f: Callable[[float, float], float]) -> Callable[[int, int, int], int]:
    return lambda a, b, w: bits_of_float(f(float_of_bits(a, w), float_of_bits(b, w)), w)


BINARY: dict[str, Callable[[int, int, int], int]] = {
    "and": lambda a, b, w: a & b,
    "or": lambda a, b, w: a | b,
    "xor": lambda a, b, w: a ^ b,
    "add": lambda a, b, w: (a + b) & ((1 << w) - 1),
    "sub": lambda a, b, w: (a - b) & ((1 << w) - 1),
    "mul": lambda a, b, w: (a * b) & ((1 << w) - 1),
    "udiv": lambda a, b, w: a // b if b else (1 << w) - 1,
    "urem": lambda a, b, w: a % b if b else a,
    "sdiv": sdiv,
    "srem": srem,
    "shl": lambda a, b, w: (a << b) & ((1 << w) - 1) if b < w else 0,
    "lshr": lambda a, b, w: a >> b if b < w else 0,
    "ashr": lambda a, b, w: (to_signed(a, w) >> min(b, w - 1)) & ((1 << w) - 1),
    "eq": lambda a, b, w: int(a == b),
    "ult": lambda a, b, w: int(a < b),
    "ule": lambda a, b, w: int(a <= b),
    "slt": lambda a, b, w: int(to_signed(a, w) < to_signed(b, w)),
    "sle": lambda a, b, w: int(to_signed(a, w) <= to_signed(b, w)),
    "fadd": _arith(lambda x, y: x + y),
    "fsub": _arith(lambda x, y: x - y),
    "fmul": _arith(lambda x, y: x * y),
    "fdiv": _arith(_float_divide),
    "feq": lambda a, b, w: int(float_of_bits(a, w) == float_of_bits(b, w)),
    "flt": lambda a, b, w: int(float_of_bits(a, w) < float_of_bits(b, w)),
    "fle": lambda a, b, w: int(float_of_bits(a, w) <= float_of_bits(b, w)),
}
"""Operators of two operands of one width `w` (the operands' width)."""

COMPARISONS = frozenset({"eq", "ult", "ule", "slt", "sle", "feq", "flt", "fle"})
COMMUTATIVE = frozenset({"and", "or", "xor", "add", "mul", "eq"})


def operate(op: str, width: int, widths: tuple[int, ...], data: int | str | None, values: tuple[int, ...]) -> int:
    """The value of an operator on constant operands: the one definition of what each `op` means."""
    a = values[0]
    if op in BINARY:
        return BINARY[op](a, values[1], widths[0])
    mask = (1 << width) - 1
    if op == "not":
        return ~a & mask
    if op == "neg":
        return -a & mask
    if op == "ite":
        return values[1] if a else values[2]
    if op == "zext":
        return a
    if op == "sext":
        return to_signed(a, widths[0]) & mask
    if op == "extract":
        assert isinstance(data, int)
        return (a >> data) & mask
    if op == "concat":
        return a << widths[1] | values[1]
    if op == "padd":
        assert isinstance(data, int)
        return pointer_add(a, values[1], width, data)
    if op == "fconv":
        return bits_of_float(float_of_bits(a, widths[0]), width)
    if op == "itof":
        return _int_to_float(to_signed(a, widths[0]), width)
    if op == "utof":
        return _int_to_float(a, width)
    if op == "ftoi":
        return _float_to_int(float_of_bits(a, widths[0]), width, True)
    if op == "ftou":
        return _float_to_int(float_of_bits(a, widths[0]), width, False)
    raise ValueError(f"no meaning for operator {op!r}")


# ---------------------------------------------------------------- the constructor


def const(value: int, width: int) -> Expr:
    return _node("const", width, (), value & ((1 << width) - 1))


TRUE = const(1, 1)
FALSE = const(0, 1)


def reg(name: str, width: int) -> Expr:
    return _node("reg", width, (), name)


def own(name: str, width: int) -> Expr:
    return _node("own", width, (), name)


def make(op: str, width: int, args: tuple[Expr, ...], data: int | str | None = None) -> Expr:
    """The one constructor of operator nodes: folds constants and simplifies locally."""
    if all(a.op == "const" for a in args):
        values = tuple(a.value for a in args)
        return const(operate(op, width, tuple(a.width for a in args), data, values), width)
    if op in COMMUTATIVE and args[0].op == "const":
        args = (args[1], args[0])
    simpler = _simplify(op, width, args, data)
    return simpler if simpler is not None else _node(op, width, args, data)


def _simplify(op: str, width: int, args: tuple[Expr, ...], data: int | str | None) -> Expr | None:
    rule = _RULES.get(op)
    return rule(width, args, data) if rule else None


def _rule_and(width: int, args: tuple[Expr, ...], data: object) -> Expr | None:
    a, b = args
    if a is b:
        return a
    if b.op == "const":
        if b.data == 0:
            return b
        if b.data == (1 << width) - 1:
            return a
    if width == 1 and (a is negate(b)):
        return FALSE
    return None


def _rule_or(width: int, args: tuple[Expr, ...], data: object) -> Expr | None:
    a, b = args
    if a is b:
        return a
    if b.op == "const":
        if b.data == 0:
            return a
        if b.data == (1 << width) - 1:
            return b
    if width == 1 and (a is negate(b)):
        return TRUE
    return None


def _rule_xor(width: int, args: tuple[Expr, ...], data: object) -> Expr | None:
    a, b = args
    if a is b:
        return const(0, width)
    if b.op == "const" and b.data == 0:
        return a
    return negate(a) if width == 1 and b is TRUE else None


def _rule_add(width: int, args: tuple[Expr, ...], data: object) -> Expr | None:
    a, b = args
    if b.op != "const":
        return None
    if b.data == 0:
        return a
    if a.op == "add" and a.args[1].op == "const":
        return make("add", width, (a.args[0], const(a.args[1].value + b.value, width)))
    return None


def _rule_sub(width: int, args: tuple[Expr, ...], data: object) -> Expr | None:
    a, b = args
    if a is b:
        return const(0, width)
    return make("add", width, (a, const(-b.value, width))) if b.op == "const" else None


def _rule_mul(width: int, args: tuple[Expr, ...], data: object) -> Expr | None:
    b = args[1]
    if b.op == "const" and b.value in (0, 1):
        return b if b.value == 0 else args[0]
    return None


def _rule_not(width: int, args: tuple[Expr, ...], data: object) -> Expr | None:
    return args[0].args[0] if args[0].op == "not" else None


def _rule_eq(width: int, args: tuple[Expr, ...], data: object) -> Expr | None:
    a, b = args
    if a is b:
        return TRUE
    if b.op != "const":
        return None
    if a.width == 1:
        return a if b.value else negate(a)
    if a.op == "zext":
        inner = a.args[0]
        if b.value >> inner.width:
            return FALSE
        return make("eq", 1, (inner, const(b.value, inner.width)))
    if a.op == "ite" and a.args[1].op == "const" and a.args[2].op == "const":
        yes, no = a.args[1].data == b.data, a.args[2].data == b.data
        if yes and no:
            return TRUE
        if not yes and not no:
            return FALSE
        return a.args[0] if yes else negate(a.args[0])
    return None


def _rule_same_is(value: int) -> Callable[[int, tuple[Expr, ...], object], Expr | None]:
    return lambda width, args, data: const(value, 1) if args[0] is args[1] else None


def _rule_ult(width: int, args: tuple[Expr, ...], data: object) -> Expr | None:
    a, b = args
    return FALSE if a is b or (b.op == "const" and b.data == 0) else None


def _rule_ite(width: int, args: tuple[Expr, ...], data: object) -> Expr | None:
    c, a, b = args
    if c.op == "const":
        return a if c.data else b
    if a is b:
        return a
    if width == 1 and a.op == "const" and b.op == "const":
        return c if a.data else negate(c)
    if c.op == "not":
        return make("ite", width, (c.args[0], b, a))
    return None


def _rule_extend(width: int, args: tuple[Expr, ...], data: object) -> Expr | None:
    return args[0] if args[0].width == width else None


def _rule_extract(width: int, args: tuple[Expr, ...], data: object) -> Expr | None:
    a = args[0]
    assert isinstance(data, int)
    if width == a.width:
        return a
    if a.op == "extract":
        assert isinstance(a.data, int)
        return make("extract", width, a.args, a.data + data)
    if a.op in ("zext", "sext") and data + width <= a.args[0].width:
        return make("extract", width, a.args, data)
    if a.op == "zext" and data >= a.args[0].width:
        return const(0, width)
    if a.op == "padd" and isinstance(a.data, int) and data >= a.data:
        return make("extract", width, (a.args[0],), data)
    if a.op == "concat":
        low = a.args[1]
        if data + width <= low.width:
            return make("extract", width, (low,), data)
        if data >= low.width:
            return make("extract", width, (a.args[0],), data - low.width)
    return None


def _rule_padd(width: int, args: tuple[Expr, ...], data: object) -> Expr | None:
    return args[0] if args[1].op == "const" and args[1].data == 0 else None


def _rule_shift(width: int, args: tuple[Expr, ...], data: object) -> Expr | None:
    return args[0] if args[1].op == "const" and args[1].data == 0 else None


_RULES: dict[str, Callable[[int, tuple[Expr, ...], int | str | None], Expr | None]] = {
    "and": _rule_and,
    "or": _rule_or,
    "xor": _rule_xor,
    "add": _rule_add,
    "sub": _rule_sub,
    "mul": _rule_mul,
    "not": _rule_not,
    "eq": _rule_eq,
    "ult": _rule_ult,
    "slt": _rule_same_is(0),
    "ule": _rule_same_is(1),
    "sle": _rule_same_is(1),
    "ite": _rule_ite,
    "zext": _rule_extend,
    "sext": _rule_extend,
    "extract": _rule_extract,
    "padd": _rule_padd,
    "shl": _rule_shift,
    "lshr": _rule_shift,
    "ashr": _rule_shift,
}


# ---------------------------------------------------------------- helpers


def binary(op: str, a: Expr, b: Expr) -> Expr:
    """A binary operator; comparisons give one bit."""
    return make(op, 1 if op in COMPARISONS else a.width, (a, b))


def negate(a: Expr) -> Expr:
    """Not of one bit."""
    return make("not", 1, (a,))


def conj(a: Expr, b: Expr) -> Expr:
    return make("and", 1, (a, b))


def disj(a: Expr, b: Expr) -> Expr:
    return make("or", 1, (a, b))


def eq(a: Expr, b: Expr) -> Expr:
    return make("eq", 1, (a, b))


def ite(c: Expr, a: Expr, b: Expr) -> Expr:
    return make("ite", a.width, (c, a, b))


def nonzero(a: Expr) -> Expr:
    """One bit: a is not zero."""
    return a if a.width == 1 else negate(eq(a, const(0, a.width)))


def resize(a: Expr, width: int, signed: bool) -> Expr:
    """Truncate or extend to `width`."""
    if width <= a.width:
        return make("extract", width, (a,), 0)
    return make("sext" if signed else "zext", width, (a,))


# ---------------------------------------------------------------- walks (never recursive: expressions can be deep)


def postorder(roots: tuple[Expr, ...]) -> list[Expr]:
    """Every node below the roots once, operands before users."""
    seen: set[Expr] = set()
    order: list[Expr] = []
    stack: list[tuple[Expr, bool]] = [(r, False) for r in reversed(roots)]
    while stack:
        node, done = stack.pop()
        if done:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend((a, False) for a in reversed(node.args))
    return order


def registers(*roots: Expr) -> set[str]:
    """Names of the registers that the expressions read."""
    return {name for root in roots for name in root.reads}


def substitute(root: Expr, leaf: Callable[[Expr], Expr | None]) -> Expr:
    """Rebuild with each leaf (reg, own) replaced by `leaf(node)` where that is not None."""
    new: dict[Expr, Expr] = {}
    for node in postorder((root,)):
        if node.args:
            args = tuple(new[a] for a in node.args)
            new[node] = node if all(map(lambda x, y: x is y, args, node.args)) else make(node.op, node.width, args, node.data)
        else:
            new[node] = leaf(node) or node
    return new[root]


def fill(root: Expr, known: Mapping[str, Expr]) -> Expr:
    """Rebuild with registers replaced by what `known` says of them; parts that read none of those are not visited."""
    names = known.keys()
    if names.isdisjoint(root.reads):
        return root
    new: dict[Expr, Expr] = {}
    stack = [root]
    while stack:
        node = stack[-1]
        if node in new:
            stack.pop()
            continue
        if node.op == "reg":
            new[node] = known[str(node.data)]
            stack.pop()
            continue
        todo = [a for a in node.args if a not in new and not names.isdisjoint(a.reads)]
        if todo:
            stack.extend(todo)
            continue
        new[node] = make(node.op, node.width, tuple([new.get(a, a) for a in node.args]), node.data)
        stack.pop()
    return new[root]


def evaluate(root: Expr, leaf: Callable[[Expr], int]) -> int:
    """The value of an expression; `leaf` gives the values of `reg` and `own` nodes."""
    value: dict[Expr, int] = {}
    for node in postorder((root,)):
        if node.op == "const":
            value[node] = node.value
        elif node.args:
            args = tuple(value[a] for a in node.args)
            value[node] = operate(node.op, node.width, tuple(a.width for a in node.args), node.data, args)
        else:
            value[node] = leaf(node)
    return value[root]


_SYMBOLS = {
    "and": "&", "or": "|", "xor": "^", "add": "+", "sub": "-", "mul": "*", "udiv": "/u", "sdiv": "/s", "urem": "%u",
    "srem": "%s", "shl": "<<", "lshr": ">>u", "ashr": ">>s", "eq": "==", "ult": "<u", "ule": "<=u", "slt": "<s",
    "sle": "<=s", "concat": "++", "padd": "+p", "fadd": "+f", "fsub": "-f", "fmul": "*f", "fdiv": "/f", "feq": "==f",
    "flt": "<f", "fle": "<=f",
}  # fmt: skip


def _show_node(node: Expr, parts: list[str]) -> str:
    if node.op == "const":
        if node.width == 1:
            return "true" if node.data else "false"
        signed = to_signed(node.value, node.width)
        return f"{signed}" if -1000 < signed < 65536 else f"0x{node.value:x}"
    if node.op == "reg":
        return str(node.data)
    if node.op == "own":
        return f"own({node.data})"
    if node.op in _SYMBOLS:
        return f"({parts[0]} {_SYMBOLS[node.op]} {parts[1]})"
    if node.op == "not":
        return f"!{parts[0]}" if node.width == 1 else f"~{parts[0]}"
    if node.op == "neg":
        return f"-{parts[0]}"
    if node.op == "ite":
        return f"({parts[0]} ? {parts[1]} : {parts[2]})"
    if node.op == "extract":
        assert isinstance(node.data, int)
        return f"{parts[0]}[{node.data + node.width - 1}:{node.data}]"
    return f"{node.op}{node.width}({', '.join(parts)})"


def show(root: Expr) -> str:
    """The canonical text of an expression (exponential sharing is printed out; meant for statements of human size)."""
    text: dict[Expr, str] = {}
    for node in postorder((root,)):
        text[node] = _show_node(node, [text[a] for a in node.args])
    return text[root]
