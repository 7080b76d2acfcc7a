"""A bounded formula as a sequential Program: guess the inputs, compute term by term, assume the constraints, assert that nothing is bad.

This is how memory unwinding becomes C. `main` of MU-CSeq guesses the memory unwinding, simulates the threads one after the other, checks
that they conform to it, and asserts at the end that none of them has failed (Tomasco et al., section 3, figure 3); the terms of a
walk are that simulation with every function expanded. They are written down step by step, each with its place in the user's program.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from fsoft.bounded.given import Formula
from fsoft.bounded.walk import Taken
from fsoft.frontend.source import NOWHERE
from fsoft.program.expr import Expr, conj, make, negate, postorder, reg
from fsoft.program.interpreter import Machine
from fsoft.program.program import Action, Assign, Check, Halt, Input, Marker, Program, Step
from fsoft.program.replay import play
from fsoft.program.verdict import Move
from fsoft.sequentialize.sequential import Sequential, TemplateWriter

_LARGEST = 12
"""Operators in an expression before it gets a register of its own."""


class Walked(Formula, Protocol):
    """A formula that was made by walking threads."""

    @property
    def steps(self) -> Sequence[Taken]:
        """What threads do, in the order in which they were walked."""


@dataclass(slots=True)
class FormulaProgram(Sequential):
    """The sequential Program of a formula; its runs come home through the formula. `inputs` maps registers to inputs."""

    formula: Formula
    inputs: Mapping[str, str]

    def home(self, moves: Sequence[Move]) -> list[Move]:
        """A run of the sequential Program as a run of the concurrent one."""
        machine = Machine(self.program, compiled=False)
        played = play(machine, moves)
        last = played[-1].after
        values = {name: int(last[machine.layout.registers[0][register]] or 0) for register, name in self.inputs.items()}
        failed = [event.prop for one in played for event in one.events if hasattr(event, "prop")]
        return self.formula.run(values, failed[-1]) if failed else []


def sequential_program(program: Program, formula: Walked, coverage: bool) -> FormulaProgram:
    """`program` is the unwound one. With `coverage` the bounds of the formula are cuts."""
    return _Writing(program, formula, coverage).run()


class _Writing:
    def __init__(self, program: Program, formula: Walked, coverage: bool):
        self.program, self.formula, self.model = program, formula, formula.model
        self.coverage = coverage
        self.out = TemplateWriter(program)
        self.written: dict[Expr, Expr] = {}
        self.uses: dict[Expr, int] = {}

    def run(self) -> FormulaProgram:
        bounds = self.model.bounds if self.coverage else {}
        constraints = self.model.constraints
        fails = [(one, prop, conj(one.when, failing)) for one in self.formula.steps for prop, failing in self._fails(one)]
        bads = self._bads_of_states(fails)
        roots = [one.when for one in self.formula.steps] + [failing for *_, failing in fails]
        roots += [*constraints.values(), *bads.values(), *bounds.values()]
        nodes = postorder(tuple(roots))
        for node in nodes:
            for arg in node.args:
                self.uses[arg] = self.uses.get(arg, 0) + 1
        inputs = self._inputs(nodes)
        for one in self.formula.steps:
            step = self._origin(one)
            self._note([one.when], step.text, step)
        self._note(list(constraints.values()), "threads conform to the guess")
        for name, term in constraints.items():
            self._do([Halt("pruned", None, negate(self._term(term)))], name)
        for one, prop, failing in fails:
            self._note([failing], "", self._origin(one))
            self._do([Check(negate(self._term(failing)), prop, self._message(one, prop))], self._origin(one).text, self._origin(one))
        for prop, term in bads.items():
            self._note([term], prop)
            self._do([Check(negate(self._term(term)), prop, f"{prop} is violated")], prop)
        self._cuts(bounds)
        made = self.out.finish()
        alone = replace(made.program, objects=made.program.objects[:1], pools=[])  # terms read inputs only: no memory is left
        return FormulaProgram(alone, made.concurrent, made.origin, self.formula, inputs)

    def _origin(self, one: Taken) -> Step:
        return self.program.threads[one.slot].template.steps[one.index]

    def _fails(self, one: Taken) -> list[tuple[str, Expr]]:
        return [(prop, failing) for prop, failing in one.effect.fails.items() if prop in self.program.checks]

    def _message(self, one: Taken, prop: str) -> str:
        found = [a.message for a in self._origin(one).actions if isinstance(a, Check) and a.prop == prop]
        return found[0] if found else f"{prop} is violated"

    def _bads_of_states(self, fails: Sequence[tuple[Taken, str, Expr]]) -> dict[str, Expr]:
        """Bads that are no step's."""
        of_steps = {prop for _, prop, _ in fails}
        return {prop: term for prop, term in self.model.bad.items() if prop not in of_steps and not (term.is_const and not term.value)}

    def _inputs(self, nodes: Iterable[Expr]) -> dict[str, str]:
        """Guess what the terms read."""
        leaves = [node for node in nodes if node.op == "reg"]
        found = {}
        for k, leaf in enumerate(sorted(leaves, key=lambda leaf: list(self.model.inputs).index(str(leaf.data)))):
            name = f"guess.{k}"
            self.written[leaf] = self.out.register(name, leaf.width)
            self._do([Input(name, str(leaf.data))], "guess")
            found[name] = str(leaf.data)
        return found

    def _cuts(self, bounds: Mapping[str, Expr]) -> None:
        self._note(list(bounds.values()), "bounds")
        for name, term in bounds.items():
            if name.startswith("marker."):
                number = int(name.removeprefix("marker."))
            else:
                number = self.out.marker(Marker(name, True, False, NOWHERE, f"the bound {name} cuts", "raise the bounds"))
            self._do([Halt("cut", number, self._term(term))], name)

    def _do(self, actions: Sequence[Action], text: str, like: Step | None = None) -> None:
        self.out.step(actions, text, like)

    # ------------------------------------------------------------ terms

    def _note(self, roots: Sequence[Expr], text: str, like: Step | None = None) -> None:
        """Compute what the terms need."""
        actions: list[Action] = []
        sizes: dict[Expr, int] = {}
        todo = [root for root in reversed(roots) if root not in self.written]
        while todo:
            node = todo[-1]
            waiting = [arg for arg in node.args if arg not in self.written]
            if node in self.written or not waiting:
                todo.pop()
            else:
                todo += waiting
                continue
            if node not in self.written:
                self.written[node] = self._made(node, sizes, actions)
        if actions:
            self._do(actions, text, like)

    def _made(self, node: Expr, sizes: dict[Expr, int], actions: list[Action]) -> Expr:
        """The term over registers that have been written; in one of its own if it is used more than once, or large."""
        if not node.args:
            return node
        new = make(node.op, node.width, tuple(self.written[arg] for arg in node.args), node.data)
        sizes[node] = 1 + sum(sizes.get(arg, 0) for arg in node.args)
        if self.uses.get(node, 0) < 2 and sizes[node] < _LARGEST:
            return new
        register = self.out.register(f"t.{len(self.out.registers)}", node.width)
        actions.append(Assign(str(register.data), new))
        sizes[node] = 0
        return reg(str(register.data), node.width)

    def _term(self, root: Expr) -> Expr:
        return self.written[root]
