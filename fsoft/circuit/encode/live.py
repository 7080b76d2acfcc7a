"""Executions and a tableau in the circuit: a Model whose fair runs are the executions that violate a property.

What an execution is stands in `properties/ltl/runs.py`; here it is a constraint on frames (`legal`): nobody moves after the
end, somebody moves where somebody can, no thread is pruned, and after a bound there is no frame any more (`alive`). The tableau
adds its latches, guesses and constraints; its eventualities are the sets of one `justice` property, fairness per thread becomes
`fairness`. Bounds stay what they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from fsoft.circuit.encode.encoding import SCHEDULE, ProgramCircuit
from fsoft.circuit.encode.memory_terms import AddressFacts
from fsoft.circuit.encode.steps import Inputs, StepEffect, StepTerms, VectorWords
from fsoft.circuit.model import Model, check_model
from fsoft.program import descriptor
from fsoft.program.expr import FALSE, TRUE, Expr, binary, conj, const, disj, eq, fill, make, negate, nonzero, reg, substitute
from fsoft.program.program import Step
from fsoft.program.state import OVER, Layout
from fsoft.properties.deadlocks import has_tag
from fsoft.properties.ltl import Atom, Property, Watched

VIOLATION = "violation"
_ALIVE = "ltl.alive"


def live_model(encoding: ProgramCircuit, watched: Watched, prop: Property) -> Model:
    """The Model for one property; `encoding` is that of `watched.program` under the free scheduler, perhaps with a stubborn set that
    knows what the property sees."""
    return _Live(encoding, watched, prop).model()


def any_of(terms: Iterable[Expr]) -> Expr:
    result: Expr = FALSE
    for term in terms:
        result = disj(result, term)
    return result


def all_of(terms: Iterable[Expr]) -> Expr:
    result: Expr = TRUE
    for term in terms:
        result = conj(result, term)
    return result


class Scene:
    """What can be said about the threads of an encoding in a frame, as terms."""

    def __init__(self, encoding: ProgramCircuit):
        self.encoding, self.program, self.layout, self.words = encoding, encoding.program, encoding.layout, encoding.words
        self.slots = range(len(self.program.threads))
        self.pruned = any_of(self._stopped(slot, "pruned") for slot in self.slots)
        self.ended = any_of(disj(self._stopped(slot, "ended"), self._stopped(slot, "failed")) for slot in self.slots)
        self.moved = [any_of(f.when for f in encoding.steps if f.slot == slot) for slot in self.slots]
        self.inside = [self.at(slot, self._atomic(slot)) for slot in self.slots]
        self.enabled = [self._enabled(slot) for slot in self.slots]
        self.someone_moves = any_of(self.moved)

    def at(self, slot: int, locations: Iterable[int]) -> Expr:
        """The slot is at one of these locations."""
        pc = self.words.leaf(self.layout.pc[slot])
        return any_of(eq(pc, const(number, pc.width)) for number in sorted(locations))

    def _stopped(self, slot: int, kind: str) -> Expr:
        return self.at(slot, [self.program.threads[slot].template.stops[kind]])

    def _atomic(self, slot: int) -> list[int]:
        return [k for k, place in enumerate(self.program.threads[slot].template.locations) if place.atomic]

    def _enabled(self, slot: int) -> Expr:
        """The slot has a step other than a spurious wake-up."""
        free = conj(negate(self.words.leaf(OVER)), negate(self.ended))
        free = conj(free, negate(any_of(term for other, term in enumerate(self.inside) if other != slot)))
        steps = self.program.threads[slot].template.steps
        ready = [f for f in self.encoding.steps if f.slot == slot and not has_tag(steps[f.index], "spurious")]
        return conj(free, any_of(conj(self.at(slot, [steps[f.index].source]), f.effect.enabled) for f in ready))

    def legal(self) -> Expr:
        """The frame is one of an execution."""
        waiting = disj(any_of(self.enabled), any_of([*self.inside, *(self._waits_in_section(slot) for slot in self.slots)]))
        rests = disj(self.ended, negate(waiting))
        return all_of([negate(self.pruned), disj(self.someone_moves, rests), negate(conj(self.ended, self.someone_moves))])

    def _waits_in_section(self, slot: int) -> Expr:
        """All steps from where the slot is whose guard holds are atomic sections of the user, and there is one."""
        found: Expr = FALSE
        for location, steps in enumerate(self.program.threads[slot].template.outgoing()):
            if any(has_tag(step, "section") for step in steps):
                inside = any_of(self._guard(slot, step) for step in steps if has_tag(step, "section"))
                outside = any_of(self._guard(slot, step) for step in steps if not has_tag(step, "section"))
                found = disj(found, all_of([self.at(slot, [location]), inside, negate(outside)]))
        return found

    def _guard(self, slot: int, step: Step) -> Expr:
        own = self.program.threads[slot].own
        guard = substitute(step.guard, lambda leaf: const(own[str(leaf.data)], leaf.width) if leaf.op == "own" else None)
        return fill(guard, {name: self.words.leaf(index) for name, index in self.layout.registers[slot].items()})

    def idle(self, slot: int) -> Expr:
        """The slot has nothing to do; see `properties/ltl/watched.is_idle`."""
        out = self.program.threads[slot].template.outgoing()
        done = self.at(slot, [k for k, steps in enumerate(out) if not steps])
        return disj(done, conj(self.at(slot, [0] if out[0] else []), self._not_running(slot)))

    def _not_running(self, slot: int) -> Expr:
        array = self.layout.descriptors
        place = self.layout.places[array.id] if array is not None else None
        if place is None:
            return TRUE if slot > 0 else FALSE
        word = self.program.word
        number = place.cells.exact(descriptor.offset(slot, "state", word // 8), word // 8)
        assert number is not None
        state = const(place.rom[number], word) if place.rom is not None else self.words.leaf(place.base + number)
        return negate(eq(state, const(descriptor.RUNNING, word)))


class _Live:
    def __init__(self, encoding: ProgramCircuit, watched: Watched, prop: Property):
        self.encoding, self.watched, self.prop = encoding, watched, prop
        self.scene = Scene(encoding)
        self.layout = Layout(watched.whole)
        self.words = VectorWords(watched.whole, self.layout)
        self.facts: AddressFacts | None = None
        self.bounds: dict[str, Expr] = {}

    def model(self) -> Model:
        base = self.encoding.model
        model = replace(
            base, inputs=dict(base.inputs), states=dict(base.states), init=dict(base.init), next=dict(base.next), bad={},
            bounds=dict(base.bounds), constraints=dict(base.constraints), justice={}, fairness={},
        )  # fmt: skip
        model.constraints.pop(SCHEDULE, None)  # who has to move, and who must not, is said by `legal`
        self._tableau(model)
        model.bounds.update(self.bounds)
        model.constraints["legal"] = self.scene.legal()
        _latch(model, _ALIVE, 1, conj(reg(_ALIVE, 1), negate(any_of(model.bounds.values()))))
        model.constraints["alive"] = reg(_ALIVE, 1)
        self._fairness(model)
        check_model(model)
        return model

    def _tableau(self, model: Model) -> None:
        made = self.prop.violation()
        told = {leaf: self._atom(atom) for atom, leaf in made.atoms.items()}
        model.inputs.update(dict.fromkeys(made.inputs, 1))
        for name, (start, following) in made.latches.items():
            _latch(model, name, start, fill(following, told))
        for number, term in enumerate(made.constraints):
            model.constraints[f"ltl.{number}"] = fill(term, told)
        model.justice[VIOLATION] = tuple(fill(term, told) for term in made.justice) or (TRUE,)

    def _fairness(self, model: Model) -> None:
        for slot in self.scene.slots if self.prop.fairness != "none" else ():
            enabled, moved = self.scene.enabled[slot], self.scene.moved[slot]
            if self.prop.fairness == "weak":
                model.fairness[f"thread_{slot}"] = disj(negate(enabled), moved)
                continue
            never, guess = reg(f"fair.never.{slot}", 1), reg(f"fair.guess.{slot}", 1)
            model.inputs[str(guess.data)] = 1
            _latch(model, str(never.data), 0, disj(never, guess))
            model.constraints[f"fair.{slot}"] = negate(conj(never, enabled))
            model.fairness[f"thread_{slot}"] = disj(never, moved)

    # ------------------------------------------------------------ atoms

    def _atom(self, atom: Atom) -> Expr:
        scene, source = self.scene, self.prop.source
        if atom.kind in ("c", "holds"):
            return self._read(atom)
        if atom.kind in ("label", "line"):
            return any_of(scene.at(slot, places) for slot, places in self.watched.locations(atom, source).items())
        if atom.kind == "ended":
            return disj(scene.ended, all_of(scene.idle(slot) for slot in scene.slots))
        slot = self.watched.slot(atom, source)
        if atom.kind == "idle":
            return scene.idle(slot)
        return scene.enabled[slot] if atom.kind == "enabled" else scene.moved[slot]

    def _read(self, atom: Atom) -> Expr:
        """What the observer's step would put into the atom's variable."""
        reading = self.watched.readings[atom]
        if self.facts is None:
            self.facts = AddressFacts(self.watched.whole)
        slot = len(self.watched.program.threads)
        step = self.watched.whole.threads[slot].template.steps[reading.step]
        effect = StepTerms(self.words, Inputs(), self.facts, None, slot, step).effect
        blank = {self.words.names[k]: const(0, self.words.widths[k]) for k in self.layout.registers[slot].values()}
        wrong = fill(any_of([*effect.cuts.values(), *effect.fails.values()]), blank)
        if wrong is not FALSE:
            self.bounds[f"atom.{reading.watch.number}"] = wrong
        value = fill(self._written(effect, reading.value.id), blank)  # what a failed load leaves is nobody's business
        if reading.readers is None:
            return nonzero(value)
        owner = self.watched.slot(atom, self.prop.source)
        mask = make("extract", 1, (fill(self._written(effect, reading.readers.id), blank),), owner)
        return disj(binary("eq", value, const(owner + 1, value.width)), mask)

    def _written(self, effect: StepEffect, number: int) -> Expr:
        place = self.layout.places[number]
        assert place is not None and place.rom is None
        return effect.writes[place.base]


def _latch(model: Model, name: str, start: int, following: Expr) -> None:
    model.states[name], model.init[name], model.next[name] = 1, const(start, 1), following


__all__ = ["Scene", "VIOLATION", "live_model"]
