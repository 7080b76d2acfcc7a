"""Model to SMT-LIB 2 (QF_BV) for a bound: satisfiable if and only if a bad (or one of the given) holds after at most that many steps.

Inputs and free states are constants `name@step`; the terms of each step are definitions. Bounds do not count as bads.
"""

from __future__ import annotations

from collections.abc import Iterator

from fsoft.circuit.lower import lower
from fsoft.circuit.model import Model, roots
from fsoft.program.expr import Expr, postorder

OPERATORS = {
    "not": "bvnot", "neg": "bvneg", "and": "bvand", "or": "bvor", "xor": "bvxor", "add": "bvadd", "sub": "bvsub", "mul": "bvmul",
    "udiv": "bvudiv", "sdiv": "bvsdiv", "urem": "bvurem", "srem": "bvsrem", "shl": "bvshl", "lshr": "bvlshr", "ashr": "bvashr",
    "concat": "concat",
}  # fmt: skip
COMPARISONS = {"eq": "=", "ult": "bvult", "ule": "bvule", "slt": "bvslt", "sle": "bvsle"}


def write_smtlib(model: Model, depth: int, comment: str = "") -> str:
    """The text of the file."""
    return "\n".join(_lines(lower(model), depth, comment)) + "\n"


def _lines(model: Model, depth: int, comment: str) -> Iterator[str]:
    yield from (f"; {row}" for row in comment.splitlines())
    yield "(set-logic QF_BV)"
    order = postorder(roots(model))
    state: dict[str, str] = {}
    for name, width in model.states.items():
        start = model.init[name]
        state[name] = f"#b{start.value:0{width}b}" if start is not None else quoted(f"{name}@0")
        if start is None:
            yield f"(declare-const {state[name]} (_ BitVec {width}))"
    hits = []
    for step in range(depth + 1):
        text = dict(state)
        for name, width in model.inputs.items():
            text[name] = quoted(f"{name}@{step}")
            yield f"(declare-const {text[name]} (_ BitVec {width}))"
        names: dict[Expr, str] = {}
        for i, node in enumerate(order):
            if node.op == "reg":
                names[node] = text[str(node.data)]
            elif node.op == "const":
                names[node] = f"#b{node.value:0{node.width}b}"
            else:
                names[node] = f"n{i}@{step}"
                yield f"(define-fun {names[node]} () (_ BitVec {node.width}) {_apply(node, [names[a] for a in node.args])})"
        for term in model.constraints.values():
            yield f"(assert (= {names[term]} #b1))"
        hits += [f"(= {names[term]} #b1)" for term in model.bad.values()]
        state = {name: names[model.next[name]] for name in model.states}
    yield f"(assert (or false {' '.join(hits)}))"
    yield "(check-sat)"


def _apply(node: Expr, args: list[str]) -> str:
    if node.op in COMPARISONS:
        return f"(ite ({COMPARISONS[node.op]} {args[0]} {args[1]}) #b1 #b0)"
    if node.op == "ite":
        return f"(ite (= {args[0]} #b1) {args[1]} {args[2]})"
    if node.op in ("zext", "sext"):
        kind = "zero_extend" if node.op == "zext" else "sign_extend"
        return f"((_ {kind} {node.width - node.args[0].width}) {args[0]})"
    if node.op == "extract":
        assert isinstance(node.data, int)
        return f"((_ extract {node.data + node.width - 1} {node.data}) {args[0]})"
    return f"({OPERATORS[node.op]} {' '.join(args)})"


def quoted(name: str) -> str:
    """A name as an SMT-LIB symbol."""
    return "|" + name.replace("|", "!").replace("\\", "!") + "|"
