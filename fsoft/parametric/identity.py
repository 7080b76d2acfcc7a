"""Who a thread is, when there may be any number of them.

The slots of an unbounded group are representatives: what they do must not depend on which slot they are. A thread's own number is the one
thing by which the library's models tell threads apart (the owner of a mutex). `anonymous` makes it a register that nothing changes, so that
a proof can hold for all values that differ from thread to thread. Whatever else depends on the number of threads or on the position of a
slot (sets of waiting threads are masks over slots) is not covered.
"""

from __future__ import annotations

from dataclasses import replace

from fsoft.analysis.actions import expressions, rewritten
from fsoft.program.expr import Expr, postorder, reg, substitute
from fsoft.program.program import Program, Register, Step, Template, Thread

SELF = "<self>"
_SHIFTS = frozenset({"shl", "lshr", "ashr"})


class NotCovered(Exception):
    """The program does something for which there is no argument about any number of threads; the message says what and where."""


def anonymous(program: Program) -> Program:
    """The same program, in which the threads of unbounded groups know their number from the register SELF."""
    representatives = {slot for group in program.unbounded for slot in group}
    if representatives:
        _check_counts(program)
    templates: dict[int, Template] = {}
    threads = []
    for thread in program.threads:
        if thread.index not in representatives:
            threads.append(thread)
            continue
        if id(thread.template) not in templates:
            templates[id(thread.template)] = _template(thread.template, program.word)
        threads.append(Thread(thread.index, thread.name, templates[id(thread.template)], thread.own))
    return replace(program, threads=threads)


def _template(template: Template, word: int) -> Template:
    here = reg(SELF, word)

    def of(expr: Expr) -> Expr:
        return substitute(expr, lambda leaf: here if leaf.op == "own" and leaf.data == "self" else None)

    steps = []
    for step in template.steps:
        steps.append(replace(step, guard=of(step.guard), actions=tuple(rewritten(action, of) for action in step.actions)))
        _check_masks(steps[-1])
    registers = {**template.registers, SELF: Register(SELF, word, signed=False)}
    return replace(template, steps=steps, registers=registers)


def _all_expressions(step: Step) -> tuple[Expr, ...]:
    return (step.guard, *(expr for action in step.actions for expr in (action.when, *expressions(action))))


def _check_masks(step: Step) -> None:
    for node in postorder(_all_expressions(step)):
        if node.op in _SHIFTS and SELF in node.reads:
            raise NotCovered(f"{step.loc}: sets of waiting threads, of which there may be any number")


def _check_counts(program: Program) -> None:
    for template in program.templates():
        for step in template.steps:
            if any(node.op == "own" and node.data == "threads" for node in postorder(_all_expressions(step))):
                raise NotCovered(f"{step.loc}: the handle of a thread is looked up, and there may be any number of threads")


__all__ = ["SELF", "NotCovered", "anonymous"]
