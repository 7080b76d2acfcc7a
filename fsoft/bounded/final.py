"""The state in which a bounded run ends: every thread where it stays, shared memory as the run leaves it.

A thread may stay anywhere, so the final states are all states that can be reached within the bounds. What is asked about states (races,
deadlocks, leaks) is therefore asked about the final one: the bads of the circuit of the same Program, with the words of that
state put in. And the bounds are too small if, in the final state of a run that uses all of them, somebody can still go on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fsoft.bounded.home import InputValues
from fsoft.bounded.shared import SharedWalk, unheld
from fsoft.bounded.walk import Here, Taken, WalkGround, WalkScene, joined
from fsoft.circuit.encode.encoding import encode
from fsoft.circuit.encode.states import BEFORE, OF_STATES
from fsoft.circuit.encode.steps import Inputs, StepTerms
from fsoft.program.expr import FALSE, TRUE, Expr, conj, const, disj, fill, negate
from fsoft.program.state import OVER, in_section

if TYPE_CHECKING:
    from fsoft.circuit.encode.encoding import ProgramCircuit


class FinalState:
    """The end of the runs of all walks (by slot); `shared` says what an entry that is no thread's own holds then."""

    def __init__(self, ground: WalkGround, walks: Sequence[SharedWalk], shared: Callable[[int], Expr]):
        self.ground, self.walks, self.shared = ground, walks, shared
        self.program = ground.program
        self._circuit: ProgramCircuit | None = None
        self._values: dict[str, Expr] = {}

    # ------------------------------------------------------------ properties of states

    def add_states(self) -> None:
        """Bads and bounds of the properties of states that are asked for."""
        asked = sorted(self.program.checks & OF_STATES)
        if not asked:
            return
        self._circuit = encode(self.program)
        circuit, model = self._circuit.model, self.ground.model
        self._values = self._words()
        for name in asked:
            model.bad[name] = fill(circuit.bad[name], self._values)
        for name, term in circuit.bounds.items():
            model.bounds[name] = disj(model.bounds.get(name, FALSE), fill(term, self._values))
        model.inputs.update(circuit.inputs)

    def _words(self) -> dict[str, Expr]:
        """The words of the circuit in the final state."""
        words, layout = self.ground.words, self.ground.layout
        found = {words.names[OVER]: const(0, words.widths[OVER])}
        owned: dict[int, Expr] = {}
        for walk in self.walks:
            ends = self._ends(walk)
            found[words.names[layout.pc[walk.slot]]] = joined((when, at) for when, at, _ in ends)
            for name, index in layout.registers[walk.slot].items():
                found[words.names[index]] = joined((when, here.registers[name]) for when, _, here in ends)
            for index in dict.fromkeys(index for _, _, here in ends for index in here.memory):
                owned[index] = joined((when, walk.value(index, here)) for when, _, here in ends)
        for index, name in enumerate(words.names):
            if name and name not in found:
                found[name] = owned[index] if index in owned else self.shared(index)
        return found

    def _ends(self, walk: SharedWalk) -> list[tuple[Expr, Expr, Here]]:
        """Where a thread can be at the end: when, at which location, with which registers and memory of its own."""
        pc = self.ground.layout.pc[walk.slot]
        width = self.ground.words.widths[pc]
        ends = [(when, const(location, width), here) for when, location, here in walk.stays]
        for one, after in walk.stopped:
            step = walk.template.steps[one.index]
            unseen = in_section(self.program, walk.slot, step)
            ends.append((conj(one.when, negate(one.goes_on)), const(step.source, width) if unseen else one.effect.writes[pc], after))
        return ends

    def last_step(self, prop: str, value: InputValues) -> list[Taken]:
        """The step with which a property is violated that is asked about a state and a step from there."""
        if self._circuit is None or prop not in OF_STATES - BEFORE:
            return []
        last = []
        for fired in self._circuit.steps:
            if value(fill(fired.when, self._values)):
                answers = [(fill(asked, self._values), fill(answer, self._values)) for asked, answer in fired.effect.answers]
                born = [(entry, fill(when, self._values), fill(fresh, self._values)) for entry, when, fresh in fired.effect.born]
                effect = replace(fired.effect, answers=answers, born=born)
                last.append(Taken(fired.slot, fired.index, TRUE, TRUE, effect, lambda index: self._values[self.ground.words.names[index]]))
        return last

    # ------------------------------------------------------------ coverage

    def can_go_on(self, walk: SharedWalk, how: Callable[[SharedWalk, StepTerms], Expr] = lambda _walk, _terms: TRUE) -> Expr:
        """The thread has a step that is enabled in the final state and does something of the kind that `how` says."""
        total: Expr = FALSE
        for when, location, here in walk.stays:
            if when is not FALSE:
                total = disj(total, conj(when, self._enabled(walk, location, here, how)))
        if walk.shared.sections:
            total = conj(total, unheld(self.shared(walk.shared.holder), walk.slot))
        return total

    def _enabled(self, walk: SharedWalk, location: int, here: Here, how: Callable[[SharedWalk, StepTerms], Expr]) -> Expr:
        total: Expr = FALSE
        for index, step in enumerate(walk.template.steps):
            if step.source == location:
                inputs = Inputs(f"next.{walk.slot}.{index}")
                scene = WalkScene(self.ground.words, walk.slot, here.registers, lambda entry: self._at_end(walk, entry, here))
                terms = StepTerms(scene, inputs, self.ground.facts, None, walk.slot, step)
                total = disj(total, conj(terms.effect.enabled, how(walk, terms)))
                self.ground.model.inputs.update(inputs.widths)
        return total

    def _at_end(self, walk: SharedWalk, entry: int, here: Here) -> Expr:
        return self.shared(entry) if walk.is_shared(entry) else walk.value(entry, here)
