"""Model to BTOR2 (Niemetz, Preiner, Wolf and Biere, CAV 2018): words stay words. Bounds follow the bads, named `bound:...`."""

from __future__ import annotations

import re

from fsoft.circuit.bits import BOUND
from fsoft.circuit.lower import lower
from fsoft.circuit.model import Model
from fsoft.program.expr import Expr

OPERATORS = {
    "not": "not", "neg": "neg", "and": "and", "or": "or", "xor": "xor", "add": "add", "sub": "sub", "mul": "mul", "udiv": "udiv",
    "sdiv": "sdiv", "urem": "urem", "srem": "srem", "shl": "sll", "lshr": "srl", "ashr": "sra", "eq": "eq", "ult": "ult",
    "ule": "ulte", "slt": "slt", "sle": "slte", "ite": "ite", "concat": "concat",
}  # fmt: skip


def write_btor2(model: Model, comment: str = "") -> str:
    """The text of the file; the same model gives the same text."""
    return _Writer(lower(model)).write(comment)


class _Writer:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.lines: list[str] = []
        self.sorts: dict[int, int] = {}
        self.nodes: dict[Expr, int] = {}
        self.leaves: dict[str, int] = {}
        self.count = 0

    def line(self, text: str) -> int:
        self.count += 1
        self.lines.append(f"{self.count} {text}")
        return self.count

    def sort(self, width: int) -> int:
        if width not in self.sorts:
            self.sorts[width] = self.line(f"sort bitvec {width}")
        return self.sorts[width]

    def write(self, comment: str) -> str:
        model = self.model
        head = [f"; {row}" for row in comment.splitlines()]
        for name, width in model.inputs.items():
            sort = self.sort(width)
            self.leaves[name] = self.line(f"input {sort} {symbol(name)}")
        for name, width in model.states.items():
            sort = self.sort(width)
            self.leaves[name] = self.line(f"state {sort} {symbol(name)}")
        for name, start in model.init.items():
            if start is not None:
                value = self.node(start)
                self.line(f"init {self.sort(start.width)} {self.leaves[name]} {value}")
        for name in model.states:
            term = model.next[name]
            value = self.node(term)
            self.line(f"next {self.sort(term.width)} {self.leaves[name]} {value}")
        self.properties()
        return "\n".join([*head, *self.lines]) + "\n"

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
        sort = self.sort(node.width)
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
