"""Program to Model: threads become latches, composed under `execute_i` (F-Soft sections 4.1 and 4.2).

Each entry of the interpreter's state vector is a state of the Model; `pc` has ceil(log2 N) bits. Every step of every slot
becomes a firing condition and the words it writes; the next value of a word is the value that the firing step gives it, else the old one.
At most one step fires: the scheduler allows one slot, and where a location has steps that do not exclude each other an input picks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from fsoft.analysis.liveness import Liveness
from fsoft.circuit.encode.banks import Bank, find_banks
from fsoft.circuit.encode.memory_terms import AddressFacts
from fsoft.circuit.encode.pending import Candidate, PendingSteps
from fsoft.circuit.encode.ports import Ports
from fsoft.circuit.encode.scheduler import FreeScheduler, Scheduler, width_for
from fsoft.circuit.encode.states import OF_STATES, add_state_properties
from fsoft.circuit.encode.steps import Inputs, StepEffect, StepTerms, VectorWords
from fsoft.circuit.model import Model, check_model
from fsoft.frontend.source import InputError, Loc
from fsoft.passes.ways import all_exclusive
from fsoft.program.expr import FALSE, TRUE, Expr, conj, const, disj, eq, ite, negate, reg
from fsoft.program.markers import step_markers
from fsoft.program.program import Program, Step, Template
from fsoft.program.state import OVER, Layout

WHICH = "which"
SCHEDULE = "schedule"
"""The constraint of a restricted scheduler: somebody moves, or nobody can."""
MOST_WORDS = 50_000


@dataclass(slots=True)
class Fired:
    """A step in the circuit: it happens when `when` holds."""

    slot: int
    index: int
    when: Expr
    effect: StepEffect


@dataclass(slots=True)
class Moves:
    """What a restriction of the scheduler may look at: by slot the steps (index, the slot is at its source, effect), and whether
    some slot is inside an atomic section."""

    layout: Layout
    words: VectorWords
    steps: list[list[tuple[int, Expr, StepEffect]]]
    holder: Expr


Restrict = Callable[[Moves], list[Expr]]
"""For each slot a condition without which it does not move (a stubborn set, ...)."""


@runtime_checkable
class Remembers(Protocol):
    """A restriction with latches of its own: it is told which steps there are once that is known."""

    def remember(self, model: Model, fired: Sequence[Fired]) -> None: ...


@dataclass(slots=True)
class ProgramCircuit:
    """A Model with what is needed to read its runs as runs of the Program."""

    program: Program
    model: Model
    layout: Layout
    words: VectorWords
    steps: list[Fired] = field(default_factory=list)


def encode(program: Program, scheduler: Scheduler | None = None, arrays: int = 0, restrict: Restrict | None = None) -> ProgramCircuit:
    """The circuit of a Program, with the moves that `restrict` allows. TRUE about the Program means that no bad and no bound of the
    Model is reachable. `arrays` or more equal cells that are accessed at places that are not constant are kept together as an array
    (`banks.py`; 0: never)."""
    layout = Layout(program)
    if layout.size > MOST_WORDS:
        what = f"the program has {layout.size} words of state, more than a circuit can hold"
        raise InputError(Loc(program.name, 0), f"{what}; make its arrays smaller")
    encoder = _Encoder(program, layout, scheduler or FreeScheduler(), arrays if restrict is None else 0)
    encoder.run(restrict)
    check_model(encoder.encoding.model)
    return encoder.encoding


def _excluding(steps: list[Step]) -> bool:
    return len(steps) == 1 or all_exclusive([s.guard for s in steps])


def _alternatives(program: Program) -> int:
    """The largest number of steps from one location that an input has to choose from."""
    most = 1
    for template in program.templates():
        for steps in template.outgoing():
            if steps and not _excluding(steps):
                most = max(most, len(steps))
    return most


def _busy(within: list[Expr], able: list[Expr], moved: list[Expr]) -> Expr:
    """Somebody moves, or nobody can: without the runs that only wait in between, what is left out is not searched for in vain."""
    possible: Expr = FALSE
    someone: Expr = FALSE
    for inside, can, moves in zip(within, able, moved, strict=True):
        possible, someone = disj(possible, conj(inside, can)), disj(someone, moves)
    return disj(someone, negate(possible))


class _Encoder:
    def __init__(self, program: Program, layout: Layout, scheduler: Scheduler, arrays: int):
        self.program, self.layout, self.scheduler = program, layout, scheduler
        self.inputs = Inputs()
        self.facts = AddressFacts(program)
        states = program.checks & OF_STATES  # those ask which cells a step touches
        banks = find_banks(program, layout, self.facts.points_to, self.facts.strides, arrays) if arrays and not states else []
        self.words = VectorWords(program, layout, banks)
        self.ports = Ports(self.words.leaf)
        self.share = not banks  # what is one array already needs no port
        self.encoding = ProgramCircuit(program, Model(), layout, self.words)
        self.which = _alternatives(program)
        self._live: dict[int, list[frozenset[str]]] = {}

    def run(self, restrict: Restrict | None) -> None:
        model = self.encoding.model
        allowed = self.scheduler.allow(model, len(self.program.threads))
        self.share = self.share and restrict is None  # a restriction asks many steps at once
        self.terms = [self._terms(slot) for slot in range(len(self.program.threads))]
        within: list[Expr] = []
        if restrict is not None:
            within = restrict(self._moves())
            allowed = [conj(a, b) for a, b in zip(allowed, within, strict=True)]
        able: list[Expr] = []
        for slot in range(len(self.program.threads)):
            outside, running = self._others_outside(slot), negate(self.words.leaf(OVER))
            execute = conj(conj(allowed[slot], outside), running)
            able.append(conj(conj(outside, running), self._slot(slot, execute)))
        moved = [conj(a, can) for a, can in zip(allowed, able, strict=True)]
        if restrict is not None:
            model.constraints[SCHEDULE] = _busy(within, able, moved)
        self.scheduler.close(model, moved, able)
        if self.which > 1:
            model.inputs[WHICH] = width_for(self.which)
        model.inputs.update(sorted(self.inputs.widths.items()))
        model.arrays.update(sorted(self.inputs.arrays.items()))
        self._states(model)
        if isinstance(restrict, Remembers):
            restrict.remember(model, self.encoding.steps)
        for fired in self.encoding.steps if self.ports.used else ():
            fired.when = self.ports.connected(fired.when)
            self.ports.connect(fired.effect)
        self._properties(model)
        self._state_properties(model)

    def _others_outside(self, slot: int) -> Expr:
        """No other slot is at an atomic location."""
        outside: Expr = TRUE
        for other, thread in enumerate(self.program.threads):
            if other == slot:
                continue
            pc = self.words.leaf(self.layout.pc[other])
            for number, location in enumerate(thread.template.locations):
                if location.atomic:
                    outside = conj(outside, negate(eq(pc, const(number, pc.width))))
        return outside

    def _moves(self) -> Moves:
        steps = []
        for slot, terms in enumerate(self.terms):
            pc = self.words.leaf(self.layout.pc[slot])
            steps.append([(k, eq(pc, const(one.step.source, pc.width)), one.effect) for k, one in enumerate(terms)])
        return Moves(self.layout, self.words, steps, negate(self._others_outside(-1)))

    # ------------------------------------------------------------ steps

    def _terms(self, slot: int) -> list[StepTerms]:
        """What each step of a slot does."""
        template, ports, out = self.program.threads[slot].template, self.ports if self.share else None, []
        for step in template.steps:
            terms = StepTerms(self.words, self.inputs, self.facts, ports, slot, step)
            self._forget_dead(slot, template, step, terms.effect)
            out.append(terms)
        return out

    def _slot(self, slot: int, execute: Expr) -> Expr:
        """Encode the steps of a slot; the result says when one of them is enabled."""
        template = self.program.threads[slot].template
        pc = self.words.leaf(self.layout.pc[slot])
        by_source: dict[int, list[int]] = {}
        for index, step in enumerate(template.steps):
            by_source.setdefault(step.source, []).append(index)
        enabled: Expr = FALSE
        for source, indices in by_source.items():
            at_source = eq(pc, const(source, pc.width))
            here = conj(execute, at_source)
            chosen = self._choice([template.steps[i] for i in indices])
            for index, pick in zip(indices, chosen, strict=True):
                terms = self.terms[slot][index]
                effect = terms.effect
                for marker in step_markers(template.steps[index]):
                    if self.program.markers[marker].hides(self.program.checks):
                        effect.passes.append(f"marker.{marker}")
                enabled = disj(enabled, conj(conj(at_source, pick), effect.enabled))
                when = conj(conj(here, pick), effect.enabled)
                if when is not FALSE:
                    self.encoding.steps.append(Fired(slot, index, when, effect))
                    self.ports.use(terms.uses, when)
        return enabled

    def _choice(self, steps: list[Step]) -> list[Expr]:
        """Which of the steps from one location is tried: by their guards if those exclude each other, else by an input."""
        if _excluding(steps):
            return [TRUE] * len(steps)
        width = width_for(self.which)
        return [eq(reg(WHICH, width), const(k, width)) for k in range(len(steps))]

    def _forget_dead(self, slot: int, template: Template, step: Step, effect: StepEffect) -> None:
        """Registers that nobody reads after the step keep their old value: fewer multiplexers, and often no latch at all."""
        if id(template) not in self._live:
            table = Liveness(template)
            self._live[id(template)] = [table.names(mask) for mask in table.at]
        live, known = self._live[id(template)][step.target], list(template.registers)
        low, high = self.layout.spans[slot]
        for index in [index for index in effect.writes if low < index < high and known[index - low - 1] not in live]:
            del effect.writes[index]

    # ------------------------------------------------------------ states and properties

    def _states(self, model: Model) -> None:
        initial, readable = self.layout.initial(), self._readable()
        following = {index: self._following(index, writers) for index, writers in self._writers().items()}
        for index, value in enumerate(initial):
            name, width = self.words.names[index], self.words.widths[index]
            if not name:
                continue
            model.states[name] = width
            model.init[name] = None if value is None and index in readable else const(value or 0, width)
            model.next[name] = self.ports.connected(following.get(index, self.words.leaf(index)))
        for bank, name in self.words.arrays.items():
            values = [initial[entry] for entry in bank.entries()]
            model.states[name], model.arrays[name] = bank.width, bank.index
            total = sum((value or 0) << k * bank.element for k, value in enumerate(values))
            free = values[0] is None and bank.entries()[0] in readable
            model.init[name] = None if free else const(total, bank.width, bank.index)
            model.next[name] = self._next_array(bank)

    def _next_array(self, bank: Bank) -> Expr:
        following = self.words.array(bank)
        for fired in self.encoding.steps:
            if bank in fired.effect.arrays:
                following = ite(fired.when, fired.effect.arrays[bank], following)
        return following

    def _writers(self) -> dict[int, dict[Expr, Expr]]:
        """For each entry the values that steps give it, and when. At most one fires, so those that give the same value are joined."""
        found: dict[int, dict[Expr, Expr]] = {}
        for fired in self.encoding.steps:
            for index, value in fired.effect.writes.items():
                writers = found.setdefault(index, {})
                writers[value] = disj(writers.get(value, FALSE), fired.when)
        return found

    def _following(self, index: int, writers: dict[Expr, Expr]) -> Expr:
        term = self.words.leaf(index)
        for value, when in writers.items():
            term = self.ports.following(value, when, self.words.leaf(index), term)
        return term

    def _readable(self) -> set[int]:
        """The cells that can be read before a step makes them: those of objects that are alive at the start."""
        places = [place for place in self.layout.places if place is not None and place.rom is None and place.object.alive]
        return {place.base + k for place in places for k in range(place.cells.count)}

    def _properties(self, model: Model) -> None:
        for fired in self.encoding.steps:
            for prop, condition in fired.effect.fails.items():
                if prop in self.program.checks:
                    model.bad[prop] = disj(model.bad.get(prop, FALSE), conj(fired.when, condition))
                elif prop != "unreach-call":  # a run that ends in an error that nobody asked about is a run that ended
                    stopped = f"violated.{prop}"
                    model.bounds[stopped] = disj(model.bounds.get(stopped, FALSE), conj(fired.when, condition))
            for bound, condition in fired.effect.cuts.items():
                model.bounds[bound] = disj(model.bounds.get(bound, FALSE), conj(fired.when, condition))
            for bound in fired.effect.passes:
                model.bounds[bound] = disj(model.bounds.get(bound, FALSE), fired.when)
        for prop in sorted(self.program.checks):
            model.bad.setdefault(prop, FALSE)

    def _state_properties(self, model: Model) -> None:
        """They ask what threads could do, whether or not the scheduler ever lets them."""
        fires = {(fired.slot, fired.index): fired.when for fired in self.encoding.steps}
        candidates = [
            Candidate(slot, one.step, one.effect, fires.get((slot, index), FALSE))
            for slot, steps in enumerate(self.terms)
            for index, one in enumerate(steps)
            if one.effect.enabled is not FALSE
        ]
        add_state_properties(model, PendingSteps(self.words, self.facts, self.inputs, candidates))
