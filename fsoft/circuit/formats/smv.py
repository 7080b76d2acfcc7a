"""Model to SMV, as NuSMV and nuXmv read it.

Arrays are written as one variable per element, which NuSMV reads too.
Every word is `unsigned word[w]`, one bit included; operators whose meaning in SMV is partial (division by zero, wide shifts) are guarded.
Names become identifiers `i0`, `s0`, ..., and comments say what they stand for. Inputs are state variables without `next`, because an
INVARSPEC may not read an IVAR.
"""

from __future__ import annotations

from collections.abc import Iterator

from fsoft.circuit.bits import BOUND
from fsoft.circuit.model import Model, roots
from fsoft.circuit.model.flatten_arrays import flatten_arrays
from fsoft.circuit.model.lower import lower, lower_shifts
from fsoft.program.expr import Expr, postorder

_INFIX = {"and": "&", "or": "|", "xor": "xor", "add": "+", "sub": "-", "mul": "*", "concat": "::"}
_SINGLE = {
    "neg": "{0}", "add": "{0} xor {1}", "sub": "{0} xor {1}", "mul": "{0} & {1}",
    "udiv": "{0} | !{1}", "sdiv": "{0} | !{1}", "urem": "{0} & !{1}", "srem": "{0} & !{1}",
    "shl": "{0} & !{1}", "lshr": "{0} & !{1}", "ashr": "{0}",
    "ult": "!{0} & {1}", "ule": "!{0} | {1}", "slt": "{0} & !{1}", "sle": "{0} | !{1}",
    "zext": "bool({0}) ? {one} : {zero}", "sext": "bool({0}) ? {ones} : {zero}",
}  # fmt: skip
"""Operators on words of one bit: NuSMV takes such words for truth values and refuses to count with them."""


def write_smv(model: Model, comment: str = "") -> str:
    """The text of the file."""
    return "\n".join(_lines(lower_shifts(lower(flatten_arrays(model)[0])), comment)) + "\n"


def _lines(model: Model, comment: str) -> Iterator[str]:
    yield from (f"-- {row}" for row in comment.splitlines())
    yield "MODULE main"
    leaves: dict[str, str] = {}
    for prefix, table in (("i", model.inputs), ("s", model.states)):
        for k, (name, width) in enumerate(table.items()):
            leaves[name] = f"{prefix}{k}"
            yield f"VAR {prefix}{k} : unsigned word[{width}]; -- {name}"
    names: dict[Expr, str] = {}
    for k, node in enumerate(postorder(roots(model))):
        if node.op == "reg":
            names[node] = leaves[str(node.data)]
        elif node.op == "const":
            names[node] = _constant(node.value, node.width)
        else:
            names[node] = f"n{k}"
            yield f"DEFINE n{k} := {_apply(node, [names[a] for a in node.args])};"
    for name in model.states:
        start = model.init[name]
        if start is not None:
            yield f"ASSIGN init({leaves[name]}) := {_constant(start.value, start.width)};"
        yield f"ASSIGN next({leaves[name]}) := {names[model.next[name]]};"
    for name, term in model.constraints.items():
        yield f"INVAR bool({names[term]}); -- {name}"
    for name, term in model.fairness.items():
        yield f"JUSTICE bool({names[term]}); -- {name}"
    targets = [*model.bad.items(), *((BOUND + name, term) for name, term in model.bounds.items())]
    for name, term in targets:
        yield f"INVARSPEC !bool({names[term]}); -- {name}"
    for name, terms in model.justice.items():
        often = " & ".join(f"(G F bool({names[term]}))" for term in terms)
        yield f"LTLSPEC !({often}); -- {name}"


def _constant(value: int, width: int) -> str:
    return f"0ud{width}_{value & ((1 << width) - 1)}"


def _apply(node: Expr, args: list[str]) -> str:
    op, a = node.op, args[0]
    if node.args[0].width == 1 and op in _SINGLE:
        return _SINGLE[op].format(*args, zero=_constant(0, node.width), one=_constant(1, node.width), ones=_constant(-1, node.width))
    if op == "not":
        return f"!{a}"
    if op == "neg":
        return f"-{a}"
    if op in _INFIX:
        return f"{a} {_INFIX[op]} {args[1]}"
    if op == "eq":
        return f"word1({a} = {args[1]})"
    if op in ("ult", "ule"):
        return f"word1({a} {'<' if op == 'ult' else '<='} {args[1]})"
    if op in ("slt", "sle"):
        return f"word1(signed({a}) {'<' if op == 'slt' else '<='} signed({args[1]}))"
    if op == "ite":
        return f"bool({a}) ? {args[1]} : {args[2]}"
    more = node.width - node.args[0].width
    if op == "zext":
        return f"extend({a}, {more})"
    if op == "sext":
        return f"unsigned(extend(signed({a}), {more}))"
    if op == "extract":
        assert isinstance(node.data, int)
        return f"{a}[{node.data + node.width - 1}:{node.data}]"
    if op in ("shl", "lshr", "ashr"):
        return _shifted(op, node, a)
    return _divided(op, node.width, a, args[1])


def _shifted(op: str, node: Expr, a: str) -> str:
    """A shift by a constant; an amount out of range is an error in SMV even where it is not used."""
    amount = node.args[1].value
    if op == "ashr":
        return f"unsigned(signed({a}) >> {min(amount, node.width - 1)})"
    if amount >= node.width:
        return _constant(0, node.width)
    return f"{a} {'<<' if op == 'shl' else '>>'} {amount}"


def _divided(op: str, width: int, a: str, b: str) -> str:
    """Division and remainder, total as in SMT-LIB."""
    zero, one, ones = _constant(0, width), _constant(1, width), _constant(-1, width)
    divisor = f"({b} | extend(word1({b} = {zero}), {width - 1}))"
    if op == "udiv":
        return f"{b} = {zero} ? {ones} : {a} / {divisor}"
    if op == "urem":
        return f"{b} = {zero} ? {a} : {a} mod {divisor}"
    sign = f"{a}[{width - 1}:{width - 1}]"
    other = f"{b}[{width - 1}:{width - 1}]"
    above, below = f"(bool({sign}) ? -{a} : {a})", f"(bool({other}) ? -{divisor} : {divisor})"
    if op == "sdiv":
        some = f"(bool({sign} xor {other}) ? -({above} / {below}) : {above} / {below})"
        return f"{b} = {zero} ? (bool({sign}) ? {one} : {ones}) : {some}"
    return f"{b} = {zero} ? {a} : (bool({sign}) ? -({above} mod {below}) : {above} mod {below})"
