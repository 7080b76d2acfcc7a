"""Expressions of the Program, and terms of the circuit: bit-vectors over registers, and arrays of bit-vectors.

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
| select | array, i | the element at i |
| store | array, i, v | the array with element i replaced |
| constarray | v; data = index bits | the array whose elements are all v |

An array has 2 ** `index` elements for `index` > 0 (a bit-vector has `index` 0), `width` is the number of all its bits, and its value is
the int that has element k in the bits from k * (width >> index) up. const, reg, ite and eq work on arrays too. Only circuits have arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar
from weakref import WeakValueDictionary

from fsoft.program.meaning import BINARY as BINARY
from fsoft.program.meaning import COMMUTATIVE as COMMUTATIVE
from fsoft.program.meaning import COMPARISONS as COMPARISONS
from fsoft.program.meaning import bits_of_float as bits_of_float
from fsoft.program.meaning import elements, repeated
from fsoft.program.meaning import float_of_bits as float_of_bits
from fsoft.program.meaning import operate as operate
from fsoft.program.meaning import pointer_add as pointer_add
from fsoft.program.meaning import sdiv as sdiv
from fsoft.program.meaning import srem as srem
from fsoft.program.meaning import to_signed as to_signed

T = TypeVar("T")


class Expr:
    """An interned node; see the module's table. `args` are Exprs, `data` is an int, a str or None."""

    __slots__ = ("__weakref__", "_reads", "args", "data", "index", "op", "width")

    op: str
    width: int
    args: tuple[Expr, ...]
    data: int | str | None
    index: int
    _reads: frozenset[str] | None

    @property
    def reads(self) -> frozenset[str]:
        """The registers below. Found when it is asked for: formulas have as many nodes as inputs, and a set for each would be too much."""
        found = self._reads
        return _find_reads(self) if found is None else found

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

    @property
    def element(self) -> int:
        """Bits of an element of an array."""
        return self.width >> self.index


_table: WeakValueDictionary[tuple[object, ...], Expr] = WeakValueDictionary()
_find = _table.data.get  # type: ignore[attr-defined]  # as `_table.get`, without its Python: this is the busiest place of all


def _node(op: str, width: int, args: tuple[Expr, ...] = (), data: int | str | None = None, index: int = 0) -> Expr:
    key = (op, width, args, data, index)
    found = _find(key)
    node = None if found is None else found()
    if node is None:
        node = Expr.__new__(Expr)
        node.op, node.width, node.args, node.data, node.index = op, width, args, data, index
        node._reads = None
        _table[key] = node
    return node


_NO_REGISTERS: frozenset[str] = frozenset()


def _find_reads(root: Expr) -> frozenset[str]:
    """The registers below a node, which are then known for it and all nodes below."""
    stack = [root]
    while stack:
        node = stack[-1]
        if node._reads is None:
            waiting = [arg for arg in node.args if arg._reads is None]
            if waiting:
                stack += waiting
                continue
            found = frozenset((str(node.data),)) if node.op == "reg" else _NO_REGISTERS
            for arg in node.args:
                below = arg._reads or _NO_REGISTERS
                if not below <= found:
                    found = below if found <= below else found | below
            node._reads = found
        stack.pop()
    return root.reads


# ---------------------------------------------------------------- the constructor


def const(value: int, width: int, index: int = 0) -> Expr:
    return _node("const", width, (), value & ((1 << width) - 1), index)


TRUE = const(1, 1)
FALSE = const(0, 1)


def reg(name: str, width: int, index: int = 0) -> Expr:
    return _node("reg", width, (), name, index)


def own(name: str, width: int) -> Expr:
    return _node("own", width, (), name)


def make(op: str, width: int, args: tuple[Expr, ...], data: int | str | None = None) -> Expr:
    """The one constructor of operator nodes: folds constants and simplifies locally."""
    for a in args:
        if a.op != "const":
            break
    else:
        values = tuple([a.value for a in args])
        return const(operate(op, width, tuple([a.width for a in args]), data, values), width, _index_of(op, args, data))
    if args[0].op == "const" and op in COMMUTATIVE:
        args = (args[1], args[0])
    rule = _RULES.get(op)
    if rule is not None:
        simpler = rule(width, args, data)
        if simpler is not None:
            return simpler
    return _node(op, width, args, data, _index_of(op, args, data))


def _index_of(op: str, args: tuple[Expr, ...], data: int | str | None) -> int:
    """Whether the operator gives an array: its index bits, else 0."""
    if op == "ite" or op == "store":
        return args[1 if op == "ite" else 0].index
    return data if op == "constarray" and isinstance(data, int) else 0


def _opposite(a: Expr, b: Expr) -> bool:
    """One is the negation of the other (no node is made to find out)."""
    return (a.op == "not" and a.args[0] is b) or (b.op == "not" and b.args[0] is a)


def _rule_and(width: int, args: tuple[Expr, ...], data: object) -> Expr | None:
    a, b = args
    if a is b:
        return a
    if b.op == "const":
        if b.data == 0:
            return b
        if b.data == (1 << width) - 1:
            return a
    if width == 1 and _opposite(a, b):
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
    if width == 1 and _opposite(a, b):
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
    if a.op == b.op == "store" and a.args[0] is b.args[0] and a.args[1] is b.args[1]:
        return make("store", width, (a.args[0], a.args[1], ite(c, a.args[2], b.args[2])))
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


def _rule_select(width: int, args: tuple[Expr, ...], data: object) -> Expr | None:
    """Read over write: past stores at other constant indices, to the one at the same index."""
    array, at = args
    found = array
    while found.op == "store" and found.args[1] is not at and at.op == found.args[1].op == "const":
        found = found.args[0]
    if found.op == "store" and found.args[1] is at:
        return found.args[2]
    if found.op == "constarray":
        return found.args[0]
    if found.op == "const" and (at.op == "const" or found.value == (found.value & (1 << width) - 1) * repeated(width, found.width)):
        return const(found.value >> (at.value * width if at.op == "const" else 0), width)
    return make("select", width, (found, at)) if found is not array else None


def _rule_store(width: int, args: tuple[Expr, ...], data: object) -> Expr | None:
    array, at, value = args
    if array.op == "store" and array.args[1] is at:
        return make("store", width, (array.args[0], at, value))
    if value.op == "select" and value.args[0] is array and value.args[1] is at:
        return array
    if array.op == "constarray" and array.args[0] is value:
        return array
    if array.op == "const" and value.op == "const" and array.value == value.value * repeated(value.width, width):
        return array
    return None


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
    "select": _rule_select,
    "store": _rule_store,
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


def select(array: Expr, at: Expr) -> Expr:
    """The element of an array at an index."""
    return make("select", array.element, (array, at))


def store(array: Expr, at: Expr, value: Expr) -> Expr:
    """The array with one element replaced."""
    return make("store", array.width, (array, at, value))


def constant_array(value: Expr, index: int) -> Expr:
    """The array of 2 ** `index` elements that are all `value`."""
    return make("constarray", value.width << index, (value,), index)


def array_elements(array: Expr) -> list[int]:
    """The elements of a constant array."""
    return elements(array.value, array.element, array.width)


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
    stack: list[Expr | None] = list(reversed(roots))  # None: the operands of the node below it are done
    while stack:
        node = stack.pop()
        if node is None:
            node = stack.pop()
            assert node is not None
            order.append(node)
        elif node not in seen:
            seen.add(node)
            if node.args:
                stack += (node, None, *node.args[::-1])
            else:
                order.append(node)
    return order


def walk(root: Expr, done: dict[Expr, T], rule: Callable[[Expr, list[T]], T]) -> T:
    """What `rule` makes of the root, given what it made of the operands. `done` remembers, so that many terms can share one walk."""
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
        done[node] = rule(node, [done[a] for a in node.args])
    return done[root]


def registers(*roots: Expr) -> set[str]:
    """Names of the registers that the expressions read."""
    return {name for root in roots for name in root.reads}


def substitute(root: Expr, leaf: Callable[[Expr], Expr | None]) -> Expr:
    """Rebuild with each leaf (reg, own) replaced by `leaf(node)` where that is not None."""
    if not root.args:
        return leaf(root) or root
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


def rebuilt(root: Expr, known: dict[Expr, Expr]) -> Expr:
    """Rebuild with the nodes in `known` replaced by what it says of them. What is found on the way is added to it, for the next root."""
    stack = [root]
    while stack:
        node = stack[-1]
        if node not in known:
            waiting = [a for a in node.args if a not in known]
            if waiting:
                stack += waiting
                continue
            args = tuple([known[a] for a in node.args])
            known[node] = node if args == node.args else make(node.op, node.width, args, node.data)
        stack.pop()
    return known[root]


def evaluate(root: Expr, leaf: Callable[[Expr], int]) -> int:
    """The value of an expression; `leaf` gives the values of `reg` and `own` nodes."""
    if not root.args:
        return root.value if root.op == "const" else leaf(root)
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
