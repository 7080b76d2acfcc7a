"""Program to Model: threads become latches, composed under `execute_i` (F-Soft sections 4.1 and 4.2).

Each entry of the interpreter's state vector is a state of the Model; `pc` has ceil(log2 N) bits. Every step of every slot
becomes a firing condition and the words it writes; the next value of a word is the value that the firing step gives it, else the old one.
At most one step fires: the scheduler allows one slot, and where a location has steps that do not exclude each other an input picks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from fsoft.analysis.liveness import Liveness
from fsoft.circuit.memory_terms import Facts
from fsoft.circuit.model import Model, check_model
from fsoft.circuit.scheduler import Free, Scheduler, width_for
from fsoft.circuit.steps import Effect, Inputs, StepTerms, Words
from fsoft.frontend.source import InputError, Loc
from fsoft.passes.ways import all_exclusive
from fsoft.program.explorer import step_markers
from fsoft.program.expr import FALSE, TRUE, Expr, conj, const, disj, eq, ite, negate, reg
from fsoft.program.program import Program, Step, Template
from fsoft.program.state import OVER, Layout

WHICH = "which"
MOST_WORDS = 50_000
STATE_PROPERTIES = frozenset({"no-data-race", "no-deadlock", "valid-memtrack"})
"""Properties of states rather than of steps; only the explicit engine answers them so far."""


@dataclass(slots=True)
class Fired:
    """A step in the circuit: it happens when `when` holds."""

    slot: int
    index: int
    when: Expr
    effect: Effect


@dataclass(slots=True)
class Moves:
    """What a restriction of the scheduler may look at: by slot the steps (index, the slot is at its source, effect), and whether
    some slot is inside an atomic section."""

    layout: Layout
    words: Words
    steps: list[list[tuple[int, Expr, Effect]]]
    holder: Expr


Restrict = Callable[[Moves], list[Expr]]
"""For each slot a condition without which it does not move (a stubborn set, ...)."""


@dataclass(slots=True)
class Encoding:
    """A Model with what is needed to read its runs as runs of the Program."""

    program: Program
    model: Model
    layout: Layout
    words: Words
    steps: list[Fired] = field(default_factory=list)


def encode(program: Program, scheduler: Scheduler | None = None, restrict: Restrict | None = None) -> Encoding:
    """The circuit of a Program, with the moves that `restrict` allows. TRUE about the Program means that no bad and no bound of the
    Model is reachable."""
    layout = Layout(program)
    if layout.size > MOST_WORDS:
        what = f"the program has {layout.size} words of state, more than a circuit can hold"
        raise InputError(Loc(program.name, 0), f"{what}; make its arrays smaller")
    encoder = _Encoder(program, layout, scheduler or Free())
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


class _Encoder:
    def __init__(self, program: Program, layout: Layout, scheduler: Scheduler):
        self.program, self.layout, self.scheduler = program, layout, scheduler
        self.words = Words(program, layout)
        self.inputs = Inputs()
        self.facts = Facts(program)
        self.encoding = Encoding(program, Model(), layout, self.words)
        self.which = _alternatives(program)
        self._live: dict[int, list[frozenset[str]]] = {}

    def run(self, restrict: Restrict | None) -> None:
        model = self.encoding.model
        allowed = self.scheduler.allow(model, len(self.program.threads))
        self.effects = [self._effects(slot) for slot in range(len(self.program.threads))]
        within: list[Expr] = []
        if restrict is not None:
            moves = self._moves()
            within = restrict(moves)
            allowed = [conj(a, b) for a, b in zip(allowed, within, strict=True)]
        moved: list[Expr] = []
        for slot in range(len(self.program.threads)):
            execute = conj(conj(allowed[slot], self._others_outside(slot)), negate(self.words.leaf(OVER)))
            moved.append(self._slot(slot, execute))
        if restrict is not None:
            model.constraints["schedule"] = self._busy(moves, within, moved)
        self.scheduler.close(model, moved)
        if self.which > 1:
            model.inputs[WHICH] = width_for(self.which)
        model.inputs.update(sorted(self.inputs.widths.items()))
        self._states(model)
        self._properties(model)

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
        for slot, effects in enumerate(self.effects):
            pc = self.words.leaf(self.layout.pc[slot])
            sources = [step.source for step in self.program.threads[slot].template.steps]
            steps.append([(k, eq(pc, const(sources[k], pc.width)), effect) for k, effect in enumerate(effects)])
        return Moves(self.layout, self.words, steps, negate(self._others_outside(-1)))

    def _busy(self, moves: Moves, within: list[Expr], moved: list[Expr]) -> Expr:
        """Somebody moves, or nobody can: without the runs that only wait in between, what is left out is not searched for in vain."""
        able: Expr = FALSE
        for slot, steps in enumerate(moves.steps):
            here: Expr = FALSE
            for _, at, effect in steps:
                here = disj(here, conj(at, effect.enabled))
            able = disj(able, conj(conj(within[slot], self._others_outside(slot)), here))
        someone: Expr = FALSE
        for move in moved:
            someone = disj(someone, move)
        return disj(someone, negate(conj(able, negate(self.words.leaf(OVER)))))

    # ------------------------------------------------------------ steps

    def _effects(self, slot: int) -> list[Effect]:
        """What each step of a slot does."""
        out = []
        template = self.program.threads[slot].template
        for step in template.steps:
            effect = StepTerms(self.words, self.inputs, self.facts, slot, step).effect
            self._forget_dead(slot, template, step, effect)
            out.append(effect)
        return out

    def _slot(self, slot: int, execute: Expr) -> Expr:
        """Encode the steps of a slot; the result says when the slot moves."""
        template = self.program.threads[slot].template
        pc = self.words.leaf(self.layout.pc[slot])
        by_source: dict[int, list[int]] = {}
        for index, step in enumerate(template.steps):
            by_source.setdefault(step.source, []).append(index)
        moves: Expr = FALSE
        for source, indices in by_source.items():
            here = conj(execute, eq(pc, const(source, pc.width)))
            chosen = self._choice([template.steps[i] for i in indices])
            for index, pick in zip(indices, chosen, strict=True):
                effect = self.effects[slot][index]
                for marker in step_markers(template.steps[index]):
                    if self.program.markers[marker].cuts:
                        effect.passes.append(f"marker.{marker}")
                when = conj(conj(here, pick), effect.enabled)
                if when is not FALSE:
                    self.encoding.steps.append(Fired(slot, index, when, effect))
                    moves = disj(moves, when)
        return moves

    def _choice(self, steps: list[Step]) -> list[Expr]:
        """Which of the steps from one location is tried: by their guards if those exclude each other, else by an input."""
        if _excluding(steps):
            return [TRUE] * len(steps)
        width = width_for(self.which)
        return [eq(reg(WHICH, width), const(k, width)) for k in range(len(steps))]

    def _forget_dead(self, slot: int, template: Template, step: Step, effect: Effect) -> None:
        """Registers that nobody reads after the step keep their old value: fewer multiplexers, and often no latch at all."""
        if id(template) not in self._live:
            table = Liveness(template)
            self._live[id(template)] = [table.names(mask) for mask in table.at]
        live = self._live[id(template)][step.target]
        for name, index in self.layout.registers[slot].items():
            if name not in live:
                effect.writes.pop(index, None)

    # ------------------------------------------------------------ states and properties

    def _states(self, model: Model) -> None:
        initial, readable = self.layout.initial(), self._readable()
        following: dict[int, Expr] = {}
        for fired in self.encoding.steps:
            for index, value in fired.effect.writes.items():
                old = following.get(index)
                following[index] = ite(fired.when, value, self.words.leaf(index) if old is None else old)
        for index, value in enumerate(initial):
            name, width = self.words.names[index], self.words.widths[index]
            if not name:
                continue
            model.states[name] = width
            model.init[name] = None if value is None and index in readable else const(value or 0, width)
            model.next[name] = following.get(index, self.words.leaf(index))

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
        for prop in sorted(self.program.checks - STATE_PROPERTIES):
            model.bad.setdefault(prop, FALSE)
