"""Model to SMT-LIB 2 for a bound: satisfiable if and only if a bad (or one of the given) holds after at most that many steps.

The logic is QF_BV, or QF_ABV where there are arrays. Inputs and free states are constants `name@step`; the terms of each step are
definitions. Bounds do not count as bads. A run ends where a bad holds: constraints count up to there (`ok@step`), and nothing is
asked of the steps after it.
"""

from __future__ import annotations

from collections.abc import Iterator

from fsoft.circuit.model import Model, has_arrays, leaf, roots
from fsoft.circuit.model.lower import lower
from fsoft.program.expr import Expr, array_elements, postorder

OPERATORS = {
    "not": "bvnot", "neg": "bvneg", "and": "bvand", "or": "bvor", "xor": "bvxor", "add": "bvadd", "sub": "bvsub", "mul": "bvmul",
    "udiv": "bvudiv", "sdiv": "bvsdiv", "urem": "bvurem", "srem": "bvsrem", "shl": "bvshl", "lshr": "bvlshr", "ashr": "bvashr",
    "concat": "concat", "select": "select", "store": "store",
}  # fmt: skip
COMPARISONS = {"eq": "=", "ult": "bvult", "ule": "bvule", "slt": "bvslt", "sle": "bvsle"}


def write_smtlib(model: Model, depth: int, comment: str = "") -> str:
    """The text of the file."""
    return "\n".join(_lines(lower(model), depth, comment)) + "\n"


def _lines(model: Model, depth: int, comment: str) -> Iterator[str]:
    yield from (f"; {row}" for row in comment.splitlines())
    yield f"(set-logic {'QF_ABV' if has_arrays(model) else 'QF_BV'})"
    order = postorder(roots(model))
    state: dict[str, str] = {}
    for name in model.states:
        start = model.init[name]
        state[name] = constant(start) if start is not None else quoted(f"{name}@0")
        if start is None:
            yield f"(declare-const {state[name]} {sort(leaf(model, name))})"
    hits, so_far = [], "true"
    for step in range(depth + 1):
        text = dict(state)
        for name in model.inputs:
            text[name] = quoted(f"{name}@{step}")
            yield f"(declare-const {text[name]} {sort(leaf(model, name))})"
        names: dict[Expr, str] = {}
        for i, node in enumerate(order):
            if node.op == "reg":
                names[node] = text[str(node.data)]
            elif node.op == "const":
                names[node] = constant(node)
            else:
                names[node] = f"n{i}@{step}"
                yield f"(define-fun {names[node]} () {sort(node)} {apply(node, [names[a] for a in node.args])})"
        if model.constraints:
            yield f"(define-fun ok@{step} () Bool (and {so_far} {' '.join(_true(names[term]) for term in model.constraints.values())}))"
            so_far = f"ok@{step}"
        hits += [f"(and {so_far} {_true(names[term])})" for term in model.bad.values()]
        state = {name: names[model.next[name]] for name in model.states}
    yield f"(assert (or false {' '.join(hits)}))"
    yield "(check-sat)"


def _true(bit: str) -> str:
    return f"(= {bit} #b1)"


def sort(term: Expr) -> str:
    if term.index:
        return f"(Array (_ BitVec {term.index}) (_ BitVec {term.element}))"
    return f"(_ BitVec {term.width})"


def constant(term: Expr) -> str:
    """A constant: of an array, its first element everywhere with the others stored over it."""
    if not term.index:
        return f"#b{term.value:0{term.width}b}"
    first, *rest = (f"#b{value:0{term.element}b}" for value in array_elements(term))
    text = [f"((as const {sort(term)}) {first})"]
    for k, value in enumerate(rest, 1):
        if value != first:
            text = ["(store ", *text, f" #b{k:0{term.index}b} {value})"]
    return "".join(text)


def apply(node: Expr, args: list[str]) -> str:
    """An operator applied to operands that are text already."""
    if node.op in COMPARISONS:
        return f"(ite ({COMPARISONS[node.op]} {args[0]} {args[1]}) #b1 #b0)"
    if node.op == "ite":
        return f"(ite (= {args[0]} #b1) {args[1]} {args[2]})"
    if node.op in ("zext", "sext"):
        kind = "zero_extend" if node.op == "zext" else "sign_extend"
        return f"((_ {kind} {node.width - node.args[0].width}) {args[0]})"
    if node.op == "constarray":
        return f"((as const {sort(node)}) {args[0]})"
    if node.op == "extract":
        assert isinstance(node.data, int)
        return f"((_ extract {node.data + node.width - 1} {node.data}) {args[0]})"
    return f"({OPERATORS[node.op]} {' '.join(args)})"


def quoted(name: str) -> str:
    """A name as an SMT-LIB symbol."""
    return "|" + name.replace("|", "!").replace("\\", "!") + "|"
