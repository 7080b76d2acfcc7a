"""What threads could do next, as terms over the state: the common part of the properties of whole states."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fsoft.circuit.encode.memory_terms import AddressFacts
from fsoft.circuit.encode.steps import Inputs, StepEffect, StepTerms, VectorWords
from fsoft.program.expr import FALSE, Expr, conj, const, disj, eq, fill, negate, registers, substitute
from fsoft.program.program import Program, Step
from fsoft.program.state import OVER, Layout

_MOST_CHOICES = 8  # bits of input over which a question about all answers is spelled out


def any_of(terms: Iterable[Expr]) -> Expr:
    found: Expr = FALSE
    for term in terms:
        found = disj(found, term)
    return found


@dataclass(slots=True)
class Candidate:
    """A step of a slot with its effect; it fires `when` the scheduler lets it."""

    slot: int
    step: Step
    effect: StepEffect
    when: Expr


class PendingSteps:
    """The steps of a program as its circuit has them. `inputs` are those of the model."""

    def __init__(self, words: VectorWords, facts: AddressFacts, inputs: Inputs, steps: Sequence[Candidate]):
        self.words, self.facts, self.inputs, self.steps = words, facts, inputs, steps
        self.program: Program = words.program
        self.layout: Layout = words.layout

    def at(self, slot: int, location: int) -> Expr:
        """The slot is at the location."""
        pc = self.words.leaf(self.layout.pc[slot])
        return eq(pc, const(location, pc.width))

    def going_on(self) -> Expr:
        """The run is not over."""
        return negate(self.words.leaf(OVER))

    def ready(self, one: Candidate) -> Expr:
        """The step could be taken now, as far as its thread is concerned, under the answers that the inputs give."""
        return conj(self.at(one.slot, one.step.source), one.effect.enabled)

    def guard(self, one: Candidate) -> Expr:
        """The slot is where the step starts and its guard holds, blocked or not."""
        return conj(self.at(one.slot, one.step.source), self.term(one.slot, one.step.guard))

    def term(self, slot: int, expr: Expr) -> Expr:
        """An expression of the slot over the words of the state."""
        known = {name: self.words.leaf(index) for name, index in self.layout.registers[slot].items()}
        own = self.program.threads[slot].own
        return fill(substitute(expr, lambda leaf: const(own[str(leaf.data)], leaf.width) if leaf.op == "own" else None), known)

    def again(self, one: Candidate, inputs: Inputs) -> Candidate:
        """The same step with inputs of its own, where it has any."""
        effect = one.effect
        used = registers(effect.enabled, *(way.when for touch in effect.touches for way in touch.ways))
        if used.isdisjoint(self.inputs.widths):
            return one
        effect = StepTerms(self.words, inputs, self.facts, None, one.slot, one.step).effect
        return Candidate(one.slot, one.step, effect, one.when)

    def for_some_answer(self, term: Expr) -> Expr | None:
        """The term holds for some values of the inputs; None if those are too many to spell out."""
        names = sorted(registers(term) & self.inputs.widths.keys())
        if sum(self.inputs.widths[name] for name in names) > _MOST_CHOICES:
            return None
        for name in names:
            width = self.inputs.widths[name]
            some: Expr = FALSE
            for value in range(1 << width):
                some = disj(some, fill(term, {name: const(value, width)}))
            term = some
        return term
