"""BTOR2 to Model: bit-vectors, and arrays of at most `MOST_ARRAY_BITS` bits. What is wrong with the file is one `InputError` with its line.

A state without `next` takes any value at each step (a fresh input `name.next`). Bads named `bound:...` are bounds. A state may start at
whatever is constant once the states initialised before it are known.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NoReturn

from fsoft.circuit.bits import BOUND
from fsoft.circuit.formats.btor2_write import OPERATORS
from fsoft.circuit.model import Model
from fsoft.frontend.source import InputError, Loc, Unsupported
from fsoft.program import expr
from fsoft.program.expr import Expr, binary, const, eq, make, negate

Sort = tuple[int, int]
"""Bits, and index bits if it is an array."""

MOST_ARRAY_BITS = 1 << 22
_MOST_BITS = 1 << 16
_FROM = {theirs: ours for ours, theirs in OPERATORS.items()}
_ON_ARRAYS = frozenset({"read", "write", "eq", "neq"})
_BINARY = frozenset({"and", "or", "xor", "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr"})


def _reduce(op: str) -> Callable[[Expr], Expr]:
    def build(a: Expr) -> Expr:
        result = make("extract", 1, (a,), 0)
        for i in range(1, a.width):
            result = make(op, 1, (result, make("extract", 1, (a,), i)))
        return result

    return build


_UNARY: dict[str, Callable[[Expr], Expr]] = {
    "not": lambda a: make("not", a.width, (a,)),
    "neg": lambda a: make("neg", a.width, (a,)),
    "inc": lambda a: binary("add", a, const(1, a.width)),
    "dec": lambda a: binary("sub", a, const(1, a.width)),
    "redand": lambda a: eq(a, const(-1, a.width)),
    "redor": lambda a: negate(eq(a, const(0, a.width))),
    "redxor": _reduce("xor"),
}


def _inverted(op: str) -> Callable[[Expr, Expr], Expr]:
    return lambda a, b: make("not", a.width, (binary(op, a, b),))


_DERIVED: dict[str, Callable[[Expr, Expr], Expr]] = {
    "neq": lambda a, b: negate(eq(a, b)),
    "ugt": lambda a, b: binary("ult", b, a),
    "ugte": lambda a, b: binary("ule", b, a),
    "sgt": lambda a, b: binary("slt", b, a),
    "sgte": lambda a, b: binary("sle", b, a),
    "iff": eq,
    "implies": lambda a, b: expr.disj(negate(a), b),
    "nand": _inverted("and"),
    "nor": _inverted("or"),
    "xnor": _inverted("xor"),
}


def read_btor2(text: str, name: str = "<btor2>") -> Model:
    """The model in a file; `name` is for messages."""
    return _Reader(text, name).read()


class _Reader:
    def __init__(self, text: str, name: str) -> None:
        self.text, self.name, self.line = text, name, 0
        self.sorts: dict[int, Sort] = {}
        self.nodes: dict[int, Expr] = {}
        self.model = Model()
        self.taken: set[str] = set()

    def fail(self, what: str) -> NoReturn:
        raise InputError(Loc(self.name, self.line), what)

    def read(self) -> Model:
        for row in self.text.split("\n"):
            self.line += 1
            words = re.sub(r"(^|\s);.*", "", row).split()
            if words:
                self.statement(words)
        model = self.model
        for state, width in model.states.items():
            model.init.setdefault(state, None)
            if state not in model.next:
                model.next[state] = self.leaf(model.inputs, (width, model.arrays.get(state, 0)), f"{state}.next")
        if not model.states and not model.inputs and not self.nodes:
            self.fail("the BTOR2 file has no statements")
        model.init = {state: model.init[state] for state in model.states}
        model.next = {state: model.next[state] for state in model.states}
        return model

    # ------------------------------------------------------------ pieces

    def number(self, word: str, what: str = "a number") -> int:
        if not re.fullmatch(r"\d{1,9}", word):
            self.fail(f"{what} expected, not '{word[:40]}'")
        return int(word)

    def sort_of(self, word: str) -> Sort:
        number = self.number(word, "a sort")
        if number not in self.sorts:
            self.fail(f"no sort {number}")
        return self.sorts[number]

    def node(self, word: str) -> Expr:
        negative = word.startswith("-")
        number = self.number(word.removeprefix("-"), "an operand")
        found = self.nodes.get(number)
        if found is None:
            self.fail(f"no operand {number}")
        if negative and found.index:
            self.fail(f"operand {word} is the negation of an array")
        return make("not", found.width, (found,)) if negative else found

    def bit(self, word: str) -> Expr:
        found = self.node(word)
        if found.width != 1:
            self.fail(f"operand {word} has {found.width} bits, not 1")
        return found

    def label(self, words: list[str], default: str, taken: object) -> str:
        name = words[0] if words else default
        candidate, count = name, 1
        while candidate in taken:  # type: ignore[operator]
            count += 1
            candidate = f"{name}~{count}"
        return candidate

    def leaf(self, table: dict[str, int], sort: Sort, name: str) -> Expr:
        name = self.label([name], "", self.taken)
        self.taken.add(name)
        table[name] = sort[0]
        if sort[1]:
            self.model.arrays[name] = sort[1]
        return expr.reg(name, *sort)

    def need(self, words: list[str], count: int) -> None:
        if len(words) < count:
            self.fail(f"'{words[1] if len(words) > 1 else words[0]}' has too few operands")

    # ------------------------------------------------------------ statements

    def statement(self, words: list[str]) -> None:
        own = self.number(words[0], "the number of a statement")
        self.need(words, 3)
        kind = words[1]
        if own in self.sorts or own in self.nodes:
            self.fail(f"{own} is defined twice")
        if kind == "sort":
            self.sort(own, words)
        elif kind in ("input", "state"):
            table = self.model.inputs if kind == "input" else self.model.states
            self.nodes[own] = self.leaf(table, self.sort_of(words[2]), words[3] if len(words) > 3 else f"{kind}{own}")
        elif kind in ("init", "next"):
            self.assign(kind, words)
        elif kind in ("bad", "constraint", "fair", "justice"):
            self.property(kind, own, words)
        elif kind != "output":
            self.nodes[own] = self.operator(kind, words)

    def sort(self, own: int, words: list[str]) -> None:
        self.need(words, 4)
        if words[2] == "array":
            self.array_sort(own, words)
            return
        width = self.number(words[3], "a width")
        if words[2] != "bitvec" or not 1 <= width <= _MOST_BITS:
            self.fail("a sort is 'bitvec' and a width, or 'array' and two sorts")
        self.sorts[own] = (width, 0)

    def array_sort(self, own: int, words: list[str]) -> None:
        self.need(words, 5)
        (index, nested), (element, deep) = self.sort_of(words[3]), self.sort_of(words[4])
        if nested or deep:
            raise Unsupported(Loc(self.name, self.line), "BTOR2 arrays of arrays are not supported")
        if index > 64 or element << index > MOST_ARRAY_BITS:
            raise Unsupported(Loc(self.name, self.line), f"an array of 2^{index} elements of {element} bits is too large")
        self.sorts[own] = (element << index, index)

    def assign(self, kind: str, words: list[str]) -> None:
        self.need(words, 5)
        state, value = self.node(words[3]), self.node(words[4])
        name = str(state.data)
        if kind == "init":
            value = self.start(state, value)
        if state.op != "reg" or name not in self.model.states or (value.width, value.index) != (state.width, state.index):
            self.fail(f"'{kind}' wants a state and a value of its sort")
        if kind == "next":
            if name in self.model.next:
                self.fail(f"'{name}' has two next functions")
            self.model.next[name] = value
        elif name in self.model.init:
            self.fail(f"'{name}' is initialised twice")
        elif not value.is_const:
            raise Unsupported(Loc(self.name, self.line), f"'{name}' starts at something that is not constant")
        else:
            self.model.init[name] = value

    def start(self, state: Expr, value: Expr) -> Expr:
        """What a state starts at: a bit-vector stands for the array of it, and states that have a start for that."""
        if state.index and not value.index and value.width == state.element:
            value = expr.constant_array(value, state.index)
        starts = self.model.init
        return expr.substitute(value, lambda leaf: starts.get(str(leaf.data)) if leaf.op == "reg" else None)

    def property(self, kind: str, own: int, words: list[str]) -> None:
        model = self.model
        if kind == "justice":
            count = self.number(words[2], "a count")
            self.need(words, 3 + count)
            terms = tuple(self.bit(word) for word in words[3 : 3 + count])
            model.justice[self.label(words[3 + count :], f"j{own}", model.justice)] = terms
            return
        term = self.bit(words[2])
        name = words[3] if len(words) > 3 else f"{kind}{own}"
        table = {"bad": model.bad, "constraint": model.constraints, "fair": model.fairness}[kind]
        if kind == "bad" and name.startswith(BOUND):
            table, name = model.bounds, name.removeprefix(BOUND)
        table[self.label([name], "", table)] = term

    def operator(self, kind: str, words: list[str]) -> Expr:
        width, index = self.sort_of(words[2])
        result = None if index else self.constant(kind, width, words)
        if result is None:
            result = self.term(kind, width, words)
        if (result.width, result.index) != (width, index):
            self.fail(f"'{kind}' gives {result.width} bits, its sort has {width}, or one of them is an array")
        return result

    def constant(self, kind: str, width: int, words: list[str]) -> Expr | None:
        if kind in ("zero", "one", "ones"):
            return const({"zero": 0, "one": 1, "ones": -1}[kind], width)
        if kind not in ("const", "constd", "consth"):
            return None
        self.need(words, 4)
        digits, base = {"const": ("[01]+", 2), "constd": ("-?[0-9]+", 10), "consth": ("[0-9a-fA-F]+", 16)}[kind]
        if len(words[3]) > _MOST_BITS or not re.fullmatch(digits, words[3]) or (base == 10 and len(words[3]) > 4000):
            self.fail(f"'{kind}' wants digits of base {base}")
        value = int(words[3], base)
        if not -(1 << width) // 2 <= value < 1 << width:
            self.fail(f"'{words[3][:40]}' does not fit in {width} bits")
        return const(value, width)

    def term(self, kind: str, width: int, words: list[str]) -> Expr:
        self.need(words, 4)
        a = self.node(words[3])
        if a.index and kind not in _ON_ARRAYS:
            self.fail(f"'{kind}' wants bit-vectors, not an array")
        if kind in _UNARY:
            return _UNARY[kind](a)
        if kind in ("uext", "sext"):
            self.need(words, 5)
            if width != a.width + self.number(words[4]):
                self.fail(f"'{kind}' does not give {width} bits")
            return make("zext" if kind == "uext" else "sext", width, (a,)) if width > a.width else a
        if kind == "slice":
            self.need(words, 6)
            high, low = self.number(words[4]), self.number(words[5])
            if not low <= high < a.width:
                self.fail(f"no bits {high} to {low} in {a.width}")
            return make("extract", high - low + 1, (a,), low)
        self.need(words, 5)
        return self.several(kind, a, self.node(words[4]), words)

    def array(self, kind: str, a: Expr, at: Expr, words: list[str]) -> Expr:
        if not a.index or at.index or at.width != a.index:
            self.fail(f"'{kind}' wants an array and an index of its sort")
        if kind == "read":
            return expr.select(a, at)
        self.need(words, 6)
        value = self.node(words[5])
        if value.index or value.width != a.element:
            self.fail("'write' wants a value of the array's elements")
        return expr.store(a, at, value)

    def several(self, kind: str, a: Expr, b: Expr, words: list[str]) -> Expr:
        if kind in ("read", "write"):
            return self.array(kind, a, b, words)
        if kind == "concat" and not b.index:
            return make("concat", a.width + b.width, (a, b))
        if kind == "ite":
            self.need(words, 6)
            c = self.node(words[5])
            if a.width != 1 or (b.width, b.index) != (c.width, c.index):
                self.fail("'ite' wants a bit and two values of one sort")
            return expr.ite(a, b, c)
        if (a.width, a.index) != (b.width, b.index):
            self.fail(f"'{kind}' wants operands of one sort")
        if kind in _DERIVED:
            return _DERIVED[kind](a, b)
        ours = _FROM.get(kind, "")
        if ours in _BINARY or ours in expr.COMPARISONS:
            return binary(ours, a, b)
        raise Unsupported(Loc(self.name, self.line), f"the BTOR2 operator '{kind[:40]}' is not supported")
