"""Model to BTOR2 (Niemetz, Preiner, Wolf and Biere, CAV 2018): words and arrays stay. Bounds follow the bads, named `bound:...`.

The format has no constant arrays except as the start of a state, so one in a term becomes a state that never changes and stores over
it (`constants_as_states`). What a state starts at stands before the state, as btor2tools wants it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from fsoft.circuit.bits import BOUND
from fsoft.circuit.model import Model, has_arrays, leaf, roots
from fsoft.circuit.model.lower import lower, rewritten
from fsoft.program.expr import Expr, array_elements, const, constant_array, make, postorder, reg, store

OPERATORS = {
    "not": "not", "neg": "neg", "and": "and", "or": "or", "xor": "xor", "add": "add", "sub": "sub", "mul": "mul", "udiv": "udiv",
    "sdiv": "sdiv", "urem": "urem", "srem": "srem", "shl": "sll", "lshr": "srl", "ashr": "sra", "eq": "eq", "ult": "ult",
    "ule": "ulte", "slt": "slt", "sle": "slte", "ite": "ite", "concat": "concat", "select": "read", "store": "write",
}  # fmt: skip


def write_btor2(model: Model, comment: str = "") -> str:
    """The text of the file; the same model gives the same text."""
    return _Writer(constants_as_states(lower(model))).write(comment)


def constants_as_states(model: Model) -> Model:
    """The model with every constant array in a term replaced by stores over states that never change, which come first. A state that
    starts at an array of different elements gets such a state too. Applied again it changes nothing."""
    if not has_arrays(model):
        return model
    table = _Constants(model)
    done: dict[Expr, Expr] = {}
    for node in postorder(roots(model)):
        if node.op == "const" and node.index:
            done[node] = table.stored(node)
        elif node.op == "constarray":
            done[node] = table.filled(done[node.args[0]], node)
        elif node.args:
            done[node] = make(node.op, node.width, tuple(done[a] for a in node.args), node.data)
        else:
            done[node] = node
    for start in model.init.values():
        if start is not None and start.index and common(start) != start.value:
            table.stored(start)
    result = rewritten(model, done.__getitem__)
    starts: dict[str, Expr | None] = dict(table.fresh)
    return replace(
        result,
        states={name: start.width for name, start in table.fresh.items()} | result.states,
        init=starts | result.init,
        next={name: reg(name, start.width, start.index) for name, start in table.fresh.items()} | result.next,
        arrays={name: start.index for name, start in table.fresh.items()} | result.arrays,
    )


def common(array: Expr) -> int:
    """The constant array whose elements are all the most frequent one (the first of several) of a constant array."""
    value = Counter(array_elements(array)).most_common(1)[0][0]
    return constant_array(const(value, array.element), array.index).value


class _Constants:
    """States that hold constant arrays: those that the model has, and `fresh` ones."""

    def __init__(self, model: Model) -> None:
        self.taken = {*model.inputs, *model.states}
        self.fresh: dict[str, Expr] = {}
        self._states: dict[Expr, Expr] = {}
        for name, start in model.init.items():
            if start is not None and start.index:
                if common(start) != start.value:
                    break  # it will be stores over a state before it
                if model.next[name] is leaf(model, name):
                    self._states.setdefault(start, leaf(model, name))

    def base(self, start: Expr) -> Expr:
        """The state that holds an array of equal elements."""
        if start not in self._states:
            name, count = "constant.array", 1
            while name in self.taken:
                count += 1
                name = f"constant.array~{count}"
            self.taken.add(name)
            self.fresh[name] = start
            self._states[start] = reg(name, start.width, start.index)
        return self._states[start]

    def stored(self, array: Expr) -> Expr:
        """A constant array as stores over a state."""
        start = const(common(array), array.width, array.index)
        term, usual = self.base(start), array_elements(start)[0]
        for k, value in enumerate(array_elements(array)):
            if value != usual:
                term = store(term, const(k, array.index), const(value, array.element))
        return term

    def filled(self, value: Expr, node: Expr) -> Expr:
        """An array whose elements are all the same term: stores at every index."""
        term = self.base(const(0, node.width, node.index))
        for k in range(1 << node.index):
            term = store(term, const(k, node.index), value)
        return term


class _Writer:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.lines: list[str] = []
        self.sorts: dict[tuple[int, int], int] = {}
        self.constants: dict[Expr, int] = {}
        self.nodes: dict[Expr, int] = {}
        self.leaves: dict[str, int] = {}
        self.count = 0

    def line(self, text: str) -> int:
        self.count += 1
        self.lines.append(f"{self.count} {text}")
        return self.count

    def sort(self, width: int, index: int = 0) -> int:
        if (width, index) not in self.sorts:
            if index:
                text = f"sort array {self.sort(index)} {self.sort(width >> index)}"
            else:
                text = f"sort bitvec {width}"
            self.sorts[width, index] = self.line(text)
        return self.sorts[width, index]

    def write(self, comment: str) -> str:
        model = self.model
        head = [f"; {row}" for row in comment.splitlines()]
        for name, width in model.inputs.items():
            sort = self.sort(width, model.arrays.get(name, 0))
            self.leaves[name] = self.line(f"input {sort} {symbol(name)}")
        for name, width in model.states.items():
            sort, start = self.sort(width, model.arrays.get(name, 0)), model.init[name]
            value = 0 if start is None else self.start(start)
            self.leaves[name] = self.line(f"state {sort} {symbol(name)}")
            if start is not None:
                self.line(f"init {sort} {self.leaves[name]} {value}")
                if start.index and model.next[name] is leaf(model, name):
                    self.constants.setdefault(start, self.leaves[name])
        for name in model.states:
            term = model.next[name]
            value = self.node(term)
            self.line(f"next {self.sort(term.width, term.index)} {self.leaves[name]} {value}")
        self.properties()
        return "\n".join([*head, *self.lines]) + "\n"

    def start(self, start: Expr) -> int:
        """The number of what a state starts at. An array of equal elements is its element, another is stores over a state."""
        if not start.index:
            return self.node(start)
        usual = const(common(start), start.width, start.index)
        if usual is start:
            return self.node(const(array_elements(start)[0], start.element))
        value, sort = self.constants[usual], self.sort(start.width, start.index)
        for k, (own, other) in enumerate(zip(array_elements(start), array_elements(usual))):
            if own != other:
                at, what = self.node(const(k, start.index)), self.node(const(own, start.element))
                value = self.line(f"write {sort} {value} {at} {what}")
        return value

    def properties(self) -> None:
        model = self.model
        for name, term in model.constraints.items():
            self.line(f"constraint {self.node(term)} {symbol(name)}")
        for name, term in model.bad.items():
            self.line(f"bad {self.node(term)} {symbol(name)}")
        for name, term in model.bounds.items():
            self.line(f"bad {self.node(term)} {symbol(BOUND + name)}")
        for name, term in model.fairness.items():
            self.line(f"fair {self.node(term)} {symbol(name)}")
        for name, terms in model.justice.items():
            numbers = " ".join(str(self.node(term)) for term in terms)
            self.line(f"justice {len(terms)} {numbers} {symbol(name)}")

    def node(self, root: Expr) -> int:
        """The number of a term; writes what is missing below it."""
        nodes = self.nodes
        stack = [root]
        while stack:
            node = stack[-1]
            if node in nodes:
                stack.pop()
                continue
            missing = [a for a in reversed(node.args) if a not in nodes]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            nodes[node] = self.leaves[str(node.data)] if node.op == "reg" else self.line(self.text(node))
        return nodes[root]

    def text(self, node: Expr) -> str:
        sort = self.sort(node.width, node.index)
        if node.op == "const":
            return f"const {sort} {node.value:0{node.width}b}"
        args = " ".join(str(self.nodes[a]) for a in node.args)
        if node.op in ("zext", "sext"):
            return f"{'uext' if node.op == 'zext' else 'sext'} {sort} {args} {node.width - node.args[0].width}"
        if node.op == "extract":
            assert isinstance(node.data, int)
            return f"slice {sort} {args} {node.data + node.width - 1} {node.data}"
        return f"{OPERATORS[node.op]} {sort} {args}"


def symbol(name: str) -> str:
    """A name without white space."""
    return re.sub(r"\s", "_", name)
