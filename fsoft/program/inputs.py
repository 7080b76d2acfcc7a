"""Which values the explorer tries for an input.

All values up to 8 bits, and the given options (of padding two values: structs have many such bytes, and are compared as wholes).
A wider input is exact where its value only meets constants in comparisons: one value per interval between the constants then
stands for all (`representatives`). Otherwise a few promising values are tried, and TRUE is out of reach.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsoft.program.expr import COMPARISONS, Expr, postorder
from fsoft.program.liveness import expressions
from fsoft.program.program import Assign, Input, Program, Store, Template
from fsoft.program.state import ChoicePoint
from fsoft.program.unread import Unread

_ENUMERATED = 8
_CANDIDATES = 24
_REPRESENTATIVES = 64

_ORDERED = frozenset({"eq", "ult", "ule", "slt", "sle"})


def _roots(template: Template, unread: Unread) -> dict[Expr, None]:
    """Every expression of a template whose value matters other than as a copy into a register or into memory that nobody reads."""
    roots: dict[Expr, None] = {}
    for step in template.steps:
        roots[step.guard] = None
        for action in step.actions:
            roots[action.when] = None
            if isinstance(action, Store) and action.value.op == "reg" and unread.unread(template, action):
                roots[action.address] = None
            elif not (isinstance(action, Assign) and action.value.op == "reg"):
                roots.update(dict.fromkeys(expressions(action)))
    return roots


class _Flow:
    """Copies between the registers of a template, and what each register meets."""

    def __init__(self, template: Template, unread: Unread):
        self.copies: dict[str, set[str]] = {}
        self.compared: dict[str, set[int]] = {}
        self.ordered: set[str] = set()  # compared by more than equality
        self.other: set[str] = set()  # used in some other way, or holds more than copies
        for step in template.steps:
            for action in step.actions:
                if isinstance(action, Assign) and action.value.op == "reg":
                    self.copies.setdefault(str(action.value.data), set()).add(action.reg)
        roots = _roots(template, unread)
        self.other.update(str(root.data) for root in roots if root.op == "reg" and root.width > 1)
        for node in postorder(tuple(roots)):
            self._uses(node)

    def _uses(self, node: Expr) -> None:
        constant = next((a for a in node.args if a.is_const), None)
        for argument in node.args:
            if argument.op != "reg":
                continue
            if node.op in _ORDERED and constant is not None:
                self.compared.setdefault(str(argument.data), set()).add(constant.value)
                if node.op != "eq":
                    self.ordered.add(str(argument.data))
            elif argument.width > 1:
                self.other.add(str(argument.data))

    def constants(self, register: str) -> tuple[set[int], bool] | None:
        """The constants that a value in the register is ever compared with, and whether their order matters; None if the value is
        used in another way."""
        found: set[int] = set()
        work, seen = [register], {register}
        while work:
            name = work.pop()
            if name in self.other:
                return None
            found |= self.compared.get(name, set())
            fresh = self.copies.get(name, set()) - seen
            seen |= fresh
            work.extend(sorted(fresh))
        return found, not seen.isdisjoint(self.ordered)


def _intervals(constants: set[int], order: bool, width: int) -> tuple[int, ...]:
    """The constants and one other value; where order matters, one value of every interval that the constants cut out, in
    both orders (signed and unsigned): each starts at a constant, after one, at 0 or at the lowest signed value."""
    top = 1 << width
    if not order:
        other = next(value for value in range(top) if value not in constants)
        return tuple(sorted({*constants, other}))
    found = {0, top >> 1}
    for value in constants:
        found |= {value, (value + 1) % top}
    return tuple(sorted(found))


def representatives(program: Program) -> dict[int, tuple[int, ...]]:
    """Values that suffice, by `id` of the Input action, where a wide input only meets constants in comparisons."""
    found: dict[int, tuple[int, ...]] = {}
    unread = Unread(program)
    for template in program.templates():
        inputs = [a for step in template.steps for a in step.actions if isinstance(a, Input) and a.among is None]
        flow = _Flow(template, unread) if inputs else None
        for action in inputs:
            width = template.registers[action.reg].width
            met = flow.constants(action.reg) if flow and width > 1 else None
            if met is not None and (len(met[0]) < _REPRESENTATIVES or width <= _ENUMERATED):
                found[id(action)] = _intervals(*met, width) if len(met[0]) < 1 << width else tuple(range(1 << width))
    return found


class Sampler:
    """The domain of every question; `sampled` remembers the names of those whose answers were not all tried."""

    def __init__(self, program: Program):
        self.sampled: dict[str, ChoicePoint] = {}
        self._constants: dict[int, dict[int, None]] = {}
        self._known: dict[int, tuple[int, ...]] = {}
        for template in program.templates():
            for step in template.steps:
                for root in (step.guard, *(r for action in step.actions for r in (action.when, *expressions(action)))):
                    self._collect(root)

    def _collect(self, root: Expr) -> None:
        for node in postorder((root,)):
            if node.op in COMPARISONS or node.op in ("add", "sub", "mul", "and", "srem", "urem"):
                for argument in node.args:
                    if argument.is_const:
                        self._constants.setdefault(argument.width, {})[argument.value] = None

    def __call__(self, question: ChoicePoint, options: Sequence[int] | None) -> Sequence[int]:
        if options is not None:
            return options
        if question.values is not None:
            return question.values
        if question.width <= _ENUMERATED and not question.padding:
            return range(1 << question.width)
        self.sampled.setdefault(question.name, question)
        return (0, (1 << question.width) - 1) if question.padding else self._candidates(question.width)

    def _candidates(self, width: int) -> tuple[int, ...]:
        found = self._known.get(width)
        if found is None:
            top = 1 << width
            values = dict.fromkeys([0, 1, top - 1, 2, top >> 1, (top >> 1) - 1])
            for value in self._constants.get(width, {}):
                for near in (value, (value + 1) % top, (value - 1) % top):
                    if len(values) < _CANDIDATES:
                        values[near] = None
            found = tuple(values)
            self._known[width] = found
        return found
