"""Guarded SSA of one thread: every step of an unwound template is executed once, symbolically, in topological order.

Where ways meet, registers (and memory that only this thread touches) are merged by the conditions of the ways, so a value holds under the
condition that the thread is there; a condition that is known prunes. `SlotWalk` is a thread alone with its memory: the SSA of a
sequential Program. What threads share is up to subclasses, which say what a shared entry holds (`shared_value`) and are told of writes
(`shared_write`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass, field

from fsoft.analysis.liveness import Liveness
from fsoft.circuit.encode.banks import Bank
from fsoft.circuit.encode.memory_terms import AddressFacts
from fsoft.circuit.encode.steps import Inputs, StepEffect, StepTerms, VectorWords
from fsoft.circuit.model import Model
from fsoft.passes.ways import all_exclusive
from fsoft.program.expr import FALSE, TRUE, Expr, conj, const, disj, eq, ite, negate, reg
from fsoft.program.markers import step_markers
from fsoft.program.program import Program, Step
from fsoft.program.state import Layout, in_section
from fsoft.program.verdict import InternalError


@dataclass(slots=True)
class Here:
    """The thread is at a location if `when` holds, and then these are its registers and its own memory, as far as that changed."""

    when: Expr
    registers: dict[str, Expr]
    memory: dict[int, Expr] = field(default_factory=dict)
    turn: tuple[Expr, ...] = ()


@dataclass(slots=True)
class Taken:
    """A step of a slot: it happens, once, if `when` holds. `goes_on`: it did not stop the thread. `before` gives the term of an entry of
    the state vector before it, `turn` says in which of its turns the slot is then (see `contexts.py`)."""

    slot: int
    index: int
    when: Expr
    goes_on: Expr
    effect: StepEffect
    before: Callable[[int], Expr]
    turn: tuple[Expr, ...] = ()


class WalkScene(VectorWords):
    """The words of a state in the middle of a walk: what `StepTerms` reads."""

    def __init__(self, words: VectorWords, slot: int, registers: dict[str, Expr], read: Callable[[int], Expr]):
        self.program, self.layout, self.widths = words.program, words.layout, words.widths
        self.names, self.arrays, self.at, self.banks = words.names, {}, {}, {}
        self.registers = [registers if k == slot else {} for k in range(len(words.program.threads))]
        self._read = read
        self._known: dict[int, Expr] = {}

    def leaf(self, index: int) -> Expr:
        """The entry as it was when it was first asked for."""
        if index not in self._known:
            self._known[index] = self._read(index)
        return self._known[index]

    def array(self, bank: Bank) -> Expr:
        raise InternalError("an unwound program has no arrays")


class WalkGround:
    """What the walks of all slots of a program have in common."""

    def __init__(self, program: Program, facts: AddressFacts | None = None):
        self.program, self.layout = program, Layout(program)
        self.words = VectorWords(program, self.layout)
        self.facts = facts or AddressFacts(program)
        self.model = Model()
        self._initial = self.layout.initial()

    def again(self) -> WalkGround:
        """The same for another Model."""
        other = copy(self)
        other.model = Model()
        return other

    def initial(self, index: int) -> Expr:
        """An entry at the start of a run; one that is undefined is any value."""
        value, width = self._initial[index], self.words.widths[index]
        return const(value, width) if isinstance(value, int) else self.input(f"any.{self.words.names[index]}", width)

    def input(self, name: str, width: int) -> Expr:
        self.model.inputs[name] = width
        return reg(name, width)


class SlotWalk:
    """The walk through the template of a slot; `steps` is the result. `stays` says when the thread ends its run at a location, `stopped`
    lists steps that may stop it, with what it leaves then: inside an atomic section, what was there before the step."""

    def __init__(self, ground: WalkGround, slot: int):
        self.ground, self.program, self.slot = ground, ground.program, slot
        self.template = ground.program.threads[slot].template
        self.steps: list[Taken] = []
        self.stays: list[tuple[Expr, int, Here]] = []
        self.stopped: list[tuple[Taken, Here]] = []
        self.arrivals: dict[int, list[Here]] = {}
        self._pc = ground.layout.pc[slot]
        self._own = range(*ground.layout.spans[slot])
        self._zeros = {name: const(0, one.width) for name, one in self.template.registers.items()}
        live = Liveness(self.template)
        self._live = [live.names(mask) for mask in live.at]
        self._outgoing: list[list[int]] = [[] for _ in self.template.locations]
        for index, step in enumerate(self.template.steps):
            if step.target <= step.source and step.target not in self.template.stops.values():
                raise InternalError(f"{step.loc}: a loop in an unwound program")
            self._outgoing[step.source].append(index)

    def run(self) -> None:
        """Visit every location that can be reached."""
        self.arrivals = {0: [self.start()]}
        for location, indices in enumerate(self._outgoing):
            ways = self.arrivals.pop(location, [])
            if not ways:
                continue
            here = self.merged(ways)
            left: Expr = FALSE
            allowed = self.enter(location, here, indices)
            for index, pick in zip(indices, self._choice(location, indices), strict=True):
                after = self._step(index, here, conj(allowed, pick))
                if after is not None:
                    left = disj(left, self.steps[-1].when)
                    if after.when is not FALSE:
                        self.arrivals.setdefault(self.template.steps[index].target, []).append(after)
            self.stays.append((conj(here.when, negate(left)), location, here))

    # ------------------------------------------------------------ what subclasses decide

    def start(self) -> Here:
        return Here(TRUE, self._zeros)

    def enter(self, location: int, here: Here, steps: list[int]) -> Expr:
        """Called once per location; when its steps may be taken."""
        return TRUE

    def is_shared(self, index: int) -> bool:
        return False

    def shared_value(self, index: int, here: Here) -> Expr:
        raise NotImplementedError

    def shared_write(self, index: int, value: Expr, when: Expr, here: Here) -> None:
        raise NotImplementedError

    def meet(self, index: int, terms: StepTerms, when: Expr, here: Here) -> tuple[Expr, tuple[Expr, ...], tuple[Expr, ...]]:
        """The step writes what threads share. When it happens (it could if `when` holds), its turn, and the thread's turn after it."""
        seen = conj(when, self.seen(terms))
        for entry, value in terms.effect.writes.items():
            if entry not in self._own and self.is_shared(entry):
                self.shared_write(entry, value, seen, here)
        return when, here.turn, here.turn

    def seen(self, terms: StepTerms) -> Expr:
        """What the step writes counts: to stop inside an atomic section ends the run, and nobody sees what has been done."""
        return terms.running if in_section(self.program, self.slot, terms.step) else TRUE

    def initial(self, entry: int) -> Expr:
        """An entry at the start of a run."""
        return self.ground.initial(entry)

    # ------------------------------------------------------------ steps

    def _choice(self, location: int, indices: list[int]) -> list[Expr]:
        """Which of the steps from a location is tried: by their guards if those exclude each other, else by an input."""
        guards = [self.template.steps[index].guard for index in indices]
        if len(indices) <= 1 or all_exclusive(guards):
            return [TRUE] * len(indices)
        width = (len(indices) - 1).bit_length()
        which = self.ground.input(f"which.{self.slot}.{location}", width)
        return [eq(which, const(k, width)) for k in range(len(indices))]

    def value(self, index: int, here: Here) -> Expr:
        """An entry of the state vector when the thread is here."""
        if index == self._pc:
            return const(0, self.ground.words.widths[index])  # read only where a new value is merged into it
        if self.is_shared(index):
            return self.shared_value(index, here)
        known = here.memory.get(index)
        return known if known is not None else self.initial(index)

    def _step(self, index: int, here: Here, allowed: Expr) -> Here | None:
        """Execute a step; where the thread is then, or None if it cannot happen."""
        step, possible = self.template.steps[index], conj(here.when, allowed)
        if possible is FALSE:
            return None
        inputs = Inputs(f"in.{self.slot}.{index}")
        scene = WalkScene(self.ground.words, self.slot, here.registers, lambda entry: self.value(entry, here))
        terms = StepTerms(scene, inputs, self.ground.facts, None, self.slot, step)
        when = conj(possible, terms.effect.enabled)
        if when is FALSE:
            return None
        self.ground.model.inputs.update(inputs.widths)
        when, turn, turn_after = self.meet(index, terms, when, here)
        if when is FALSE:
            return None
        self.steps.append(Taken(self.slot, index, when, terms.running, terms.effect, scene.leaf, turn))
        own = self._own
        written = {entry: value for entry, value in terms.effect.writes.items() if entry not in own and not self.is_shared(entry)}
        registers = terms.registers
        for name in (self._live[step.source] | terms.changed) - self._live[step.target]:
            registers[name] = self._zeros[name]  # those that were dead before are zero already
        after = Here(conj(when, terms.running), registers, here.memory | written, turn_after)
        if terms.running is not TRUE:
            self.stopped.append((self.steps[-1], here if in_section(self.program, self.slot, step) else after))
        return after

    def merged(self, ways: list[Here]) -> Here:
        """One record where several ways meet."""
        if len(ways) == 1:
            return ways[0]
        when: Expr = FALSE
        for way in ways:
            when = disj(when, way.when)
        registers = {name: joined((w.when, w.registers[name]) for w in ways) for name in ways[0].registers}
        changed = dict.fromkeys(index for way in ways for index in way.memory)
        memory = {index: joined((w.when, self.value(index, w)) for w in ways) for index in changed}
        turn = tuple(joined((w.when, w.turn[k]) for w in ways) for k in range(len(ways[0].turn)))
        return Here(when, registers, memory, turn)


def joined(ways: Iterable[tuple[Expr, Expr]]) -> Expr:
    """The value of the way that was taken; where none was, it does not matter. Neighbours of one value are one way; its condition is put
    together from the end, for many words share that part of it."""
    (_, total), *others = ways
    start, last = 0, len(others) - 1
    while start <= last:
        value, end = others[start][1], start
        while end < last and others[end + 1][1] is value:
            end += 1
        if value is not total:
            when = others[end][0]
            for k in range(end - 1, start - 1, -1):
                when = disj(others[k][0], when)
            total = ite(when, value, total)
        start = end + 1
    return total


def add_violations(model: Model, program: Program, steps: Iterable[Taken], during: Expr = TRUE) -> None:
    """Bads and bounds of the steps that happen."""
    for one in steps:
        when, step = conj(during, one.when), program.threads[one.slot].template.steps[one.index]
        for prop, condition in one.effect.fails.items():
            if prop in program.checks:
                model.bad[prop] = disj(model.bad.get(prop, FALSE), conj(when, condition))
            elif prop != "unreach-call":  # a run that ends in an error that nobody asked about is a run that ended
                _add_bound(model, f"violated.{prop}", conj(when, condition))
        for name, condition in one.effect.cuts.items():
            _add_bound(model, name, conj(when, condition))
        for marker in _cutting(program, step):
            _add_bound(model, f"marker.{marker}", when)
    for prop in sorted(program.checks):
        model.bad.setdefault(prop, FALSE)


def _cutting(program: Program, step: Step) -> list[int]:
    return [marker for marker in step_markers(step) if program.markers[marker].hides(program.checks)]


def _add_bound(model: Model, name: str, when: Expr) -> None:
    if when is not FALSE:
        model.bounds[name] = disj(model.bounds.get(name, FALSE), when)
