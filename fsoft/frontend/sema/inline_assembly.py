"""Inline assembly as a statement: operands are typed, memory operands become addresses."""

from __future__ import annotations

from fsoft.frontend import nodes, tree
from fsoft.frontend.sema import literals
from fsoft.frontend.sema.context import AstNode, UnitContext
from fsoft.frontend.types import is_scalar

_REGISTERS = frozenset("rqQRlabcdSDUAgXixyftu0123456789npP[")
"""Letters of constraints that let an operand be in a register, or be a constant."""
_HARMLESS = (".symver", ".ident", ".weak", ".globl", ".global", ".section", ".previous", ".text", ".type", ".size", ".hidden", ".protected")


def _text(context: UnitContext, written: str) -> str:
    return literals.string(written, context.types)[1].rstrip(b"\0").decode("utf-8", "replace")


def in_memory(constraint: str) -> bool:
    """Whether a constraint wants the operand in memory and nowhere else."""
    return any(letter in constraint for letter in "moV") and _REGISTERS.isdisjoint(constraint)


def inline_assembly(context: UnitContext, node: AstNode) -> tree.Asm:
    function = context.function
    loc = context.loc(node)
    outputs = tuple(_operand(context, item, True) for item in node.outputs)
    inputs = tuple(_operand(context, item, False) for item in node.inputs)
    for label in node.labels:
        if function is not None:
            function.gotos.setdefault(label, loc)
    clobbers = tuple(_text(context, item) for item in node.clobbers)
    return tree.Asm(loc, _text(context, node.template), outputs, inputs, clobbers, tuple(node.labels))


def _operand(context: UnitContext, item: nodes.AsmArgument, output: bool) -> tree.AsmOperand:
    constraint = _text(context, item.constraint)
    loc = context.loc(item)
    if output and constraint[:1] not in ("=", "+"):
        context.error(loc, f"output operand constraint '{constraint}' lacks '='")
    expressions = context.expressions
    if in_memory(constraint):
        return tree.AsmOperand(item.name, constraint, expressions.address_of(expressions.any(item.expr), loc), True)
    if not output:
        return tree.AsmOperand(item.name, constraint, expressions.value(item.expr), False)
    target = expressions.any(item.expr)
    if not expressions.is_lvalue(target):
        context.error(loc, "an output of asm is no lvalue")
    if not is_scalar(target.type):
        return tree.AsmOperand(item.name, constraint, expressions.address_of(target, loc), True)
    return tree.AsmOperand(item.name, constraint, target, False)


def check_directives(context: UnitContext, node: AstNode) -> None:
    """Assembly outside of functions: directives about symbols change nothing that a program does."""
    for line in _text(context, node.template).replace(";", "\n").split("\n"):
        if line.strip() and not line.strip().startswith(_HARMLESS):
            context.unsupported(node, f"assembly outside of functions '{line.strip()}'")


__all__ = ["check_directives", "in_memory", "inline_assembly"]
