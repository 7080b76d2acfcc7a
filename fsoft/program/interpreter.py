"""What a Program means: the executable definition that every encoding is tested against.

`Interpreter.run` executes one step on a state vector, action by action, with `expr.evaluate`. `Machine` is the door: states as
tuples, which steps are enabled, all successors, pending accesses. A Machine runs either the definition or Python code generated
from it (`codegen.py`); tests hold the two together.

Halting is lazy: a thread that stops leaves the others free to go on. The exception is a thread that stops inside an atomic section (its
step starts at an atomic location or is tagged `section`): others could see the half-done section, so the run is over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from fsoft.frontend.source import NOWHERE, Loc
from fsoft.program import descriptor
from fsoft.program.codegen import Compiler
from fsoft.program.expr import Expr, evaluate
from fsoft.program.memory import Memory
from fsoft.program.program import (
    PADDING,
    Action,
    Alloc,
    Assign,
    Check,
    Enter,
    Free,
    Halt,
    Input,
    Leave,
    Load,
    Measure,
    Program,
    Require,
    Step,
    Store,
)  # fmt: skip
from fsoft.program.state import (
    OVER,
    Access,
    ChoicePoint,
    Choose,
    Event,
    GuardFunction,
    Halted,
    Layout,
    State,
    StepFunction,
    Vector,
    Violation,
    in_section,
    set_bits,
)

Domain = Callable[[ChoicePoint, Sequence[int] | None], Sequence[int]]
"""The answers to try for a question."""


WatchAction = Callable[[Action, Callable[[Expr], int], Vector], None]
"""Called with each action before it is executed, the values of registers (for `expr.evaluate`), and the state."""


class Interpreter:
    """Runs steps by the book."""

    def __init__(self, layout: Layout, memory: Memory):
        self.layout = layout
        self.memory = memory
        self.program = layout.program
        self.watch: WatchAction | None = None

    def leaf(self, v: Sequence[Any], slot: int) -> Callable[[Expr], int]:
        """What the slot's registers and own constants are worth."""
        registers, own = self.layout.registers[slot], self.program.threads[slot].own
        return lambda node: int(v[registers[str(node.data)]]) if node.op == "reg" else own[str(node.data)]

    def guard(self, slot: int, step: Step) -> GuardFunction:
        return lambda v: evaluate(step.guard, self.leaf(v, slot))

    def run(self, v: Vector, slot: int, step: Step, choose: Choose, events: list[Event], log: list[Access]) -> bool:
        """Execute a step in place; False if it is not enabled (the vector is then to be thrown away).

        `log` collects the valid accesses. Whether another thread is at an atomic location is for the caller to ask.
        """
        leaf = self.leaf(v, slot)
        if not evaluate(step.guard, leaf):
            return False
        for action in step.actions:
            if not evaluate(action.when, leaf):
                continue
            if isinstance(action, Require):
                if not evaluate(action.condition, leaf):
                    return False
                continue
            if self.watch is not None and not isinstance(action, Alloc):
                self.watch(action, leaf, v)
            event = _Do(self, v, slot, step, choose, log, leaf).action(action)
            if self.watch is not None and isinstance(action, Alloc) and event is None:  # now there is an object
                self.watch(action, leaf, v)
            if event is not None:
                events.append(event)
                kind = event.kind if isinstance(event, Halted) else "failed"
                v[self.layout.pc[slot]] = self.program.threads[slot].template.stops[kind]
                if in_section(self.program, slot, step):
                    v[OVER] = 1
                return True
        v[self.layout.pc[slot]] = step.target
        return True


class _Do:
    """One action in its surroundings; `action` gives the event that stops the thread, if any."""

    def __init__(self, interpreter: Interpreter, v: Vector, slot: int, step: Step, choose: Choose, log: list[Access],
                 leaf: Callable[[Expr], int]):  # fmt: skip
        self.program, self.memory, self.layout = interpreter.program, interpreter.memory, interpreter.layout
        self.v, self.slot, self.step, self.choose, self.log, self.leaf = v, slot, step, choose, log, leaf

    def action(self, action: Action) -> Event | None:
        if isinstance(action, Assign):
            self.set(action.reg, self.value(action.value))
        elif isinstance(action, (Load, Store)):
            return self.access(action)
        elif isinstance(action, Input):
            self.input(action)
        elif isinstance(action, Check):
            failed = not self.value(action.condition)
            return Violation(action.prop, action.message, self.loc(action.loc)) if failed else None
        elif isinstance(action, Halt):
            return Halted(action.kind, action.marker, self.loc(action.loc))
        elif isinstance(action, Alloc):
            return self.alloc(action)
        elif isinstance(action, Free):
            return self.free(action)
        elif isinstance(action, Measure):
            self.set(action.reg, self.memory.measure(self.v, self.value(action.address)) & self.mask(action.reg))
        else:
            assert isinstance(action, (Enter, Leave))
            self.lifetime(action)
        return None

    def mask(self, reg: str) -> int:
        return (1 << self.program.threads[self.slot].template.registers[reg].width) - 1

    def value(self, expr: Expr) -> int:
        return evaluate(expr, self.leaf)

    def loc(self, loc: Loc) -> Loc:
        return self.step.loc if loc == NOWHERE else loc

    def set(self, reg: str, value: int) -> None:
        self.v[self.layout.registers[self.slot][reg]] = value

    def record(self, address: int, size: int, write: bool, sync: bool, loc: Loc, death: str = "") -> None:
        """Take down an access; inside an atomic section it is atomic."""
        number, offset = address >> self.program.offset_bits, address & self.layout.offset_mask
        atomic = sync or in_section(self.program, self.slot, self.step)
        self.log.append(Access(number, offset, size, write, atomic, self.loc(loc), death))

    def broken(self, prop: str, message: str, loc: Loc) -> Event:
        """A violation where the property is on, undefined behaviour where it is off."""
        if prop in self.program.checks:
            return Violation(prop, message, self.loc(loc))
        return Halted("undefined", None, self.loc(loc), message)

    def access(self, action: Load | Store) -> Event | None:
        address, write = self.value(action.address), isinstance(action, Store)
        if isinstance(action, Load):
            value = self.memory.load(self.v, address, action.size, self.choose)
            if value is not None:
                self.set(action.reg, value)
            valid = value is not None
        else:
            valid = self.memory.store(self.v, address, action.size, self.value(action.value))
        if not valid:
            return self.broken("valid-deref", self.memory.fault(self.v, address, action.size, write), action.loc)
        self.record(address, action.size, write, action.sync, action.loc)
        return None

    def input(self, action: Input) -> None:
        width = self.program.threads[self.slot].template.registers[action.reg].width
        loc = self.loc(action.loc)
        if action.among is None:
            question = ChoicePoint("input", action.name, width, loc, action.signed, marker=action.marker, padding=action.name == PADDING)
            self.set(action.reg, self.choose(question, None))
            return
        options = set_bits(self.value(action.among))
        question = ChoicePoint("among", action.name, width, loc, action.signed)
        self.set(action.reg, self.choose(question, options) if len(options) > 1 else options[0])

    def alloc(self, action: Alloc) -> Event | None:
        question = ChoicePoint("alloc", "heap object", self.program.word, self.loc(action.loc))
        address = self.memory.alloc(self.v, action.pool, self.value(action.size), self.choose, question, action.zero)
        if not address:
            return Halted("cut", self.program.pools[action.pool].marker, self.loc(action.loc))
        self.set(action.reg, address)
        return None

    def free(self, action: Free) -> Event | None:
        address = self.value(action.address)
        place = self.memory.freeable(self.v, address)
        if place is None:
            return self.broken("valid-free", self.memory.bad_free(self.v, address), action.loc)
        self.record(address, place.object.size, True, False, action.loc, "free")
        self.memory.leave(self.v, place)
        return None

    def lifetime(self, action: Enter | Leave) -> None:
        place = self.layout.place_of(self.value(action.address))
        assert place is not None, "Enter and Leave name a local object"
        if isinstance(action, Enter):
            self.memory.enter(self.v, place)
            return
        self.record(self.program.address(place.object), place.object.size, True, False, action.loc, "leave")
        self.memory.leave(self.v, place)


# ---------------------------------------------------------------- choices


class Chooser:
    """Goes through all combinations of answers: run a step, then `advance` and run it again from the same state."""

    def __init__(self, domain: Domain):
        self.domain = domain
        self.picks: list[int] = []
        self._domains: list[Sequence[int]] = []
        self._position = 0

    def __call__(self, question: ChoicePoint, options: Sequence[int] | None) -> int:
        at = self._position
        self._position += 1
        if at == len(self.picks):
            self.picks.append(0)
            self._domains.append(self.domain(question, options))
        return self._domains[at][self.picks[at]]

    def reset(self) -> None:
        self.picks.clear()
        self._domains.clear()
        self._position = 0

    def values(self) -> tuple[int, ...]:
        """The answers given in the last run."""
        return tuple(domain[pick] for domain, pick in zip(self._domains, self.picks, strict=True))

    def advance(self) -> bool:
        """On to the next combination; False when all have been tried."""
        self._position = 0
        while self.picks:
            self.picks[-1] += 1
            if self.picks[-1] < len(self._domains[-1]):
                return True
            self.picks.pop()
            self._domains.pop()
        return False


class Script:
    """Answers questions from a list, then from `default` (0 or the first option if that is None)."""

    def __init__(self, answers: Sequence[int], default: Choose | None = None):
        self.answers = list(answers)
        self.default = default
        self.used = 0
        self.asked: list[tuple[ChoicePoint, int]] = []

    def __call__(self, question: ChoicePoint, options: Sequence[int] | None) -> int:
        if self.used < len(self.answers):
            answer = self.answers[self.used]
            if options is not None and answer not in options:
                raise ValueError(f"{answer} is no answer to {question.name}")
            answer &= (1 << question.width) - 1
        elif self.default is not None:
            answer = self.default(question, options)
        else:
            answer = options[0] if options else 0
        self.used += 1
        self.asked.append((question, answer))
        return answer


def two_values(question: ChoicePoint, options: Sequence[int] | None) -> Sequence[int]:
    """A small domain for callers that bring none: every option, else 0 and 1."""
    return options if options is not None else (0, 1)


# ---------------------------------------------------------------- the machine


class Machine:
    """States and steps of a program. `compiled`: run generated code instead of the definition. `canonical`: dead registers
    are kept at zero. `logging`: generated code collects accesses (the definition always does)."""

    def __init__(self, program: Program, *, compiled: bool = True, canonical: bool = False, logging: bool = False):
        self.program = program
        self.layout = Layout(program)
        self.memory = Memory(self.layout)
        self.interpreter = Interpreter(self.layout, self.memory)
        self.compiled, self.canonical, self.logging = compiled, canonical, logging
        self._out: dict[int, list[list[int]]] = {}
        for template in program.templates():
            out: list[list[int]] = [[] for _ in template.locations]
            for k, step in enumerate(template.steps):
                out[step.source].append(k)
            self._out[id(template)] = out
        self._functions: list[dict[int, StepFunction]] = [{} for _ in program.threads]
        self._guards: list[dict[int, GuardFunction | None]] = [{} for _ in program.threads]
        self._blocks: list[dict[int, bool]] = [{} for _ in program.threads]
        self._compiler: Any = None
        self._atomic = [
            (slot, self.layout.pc[slot], frozenset(k for k, place in enumerate(thread.template.locations) if place.atomic))
            for slot, thread in enumerate(program.threads)
            if any(place.atomic for place in thread.template.locations)
        ]

    def step(self, slot: int, index: int) -> Step:
        return self.program.threads[slot].template.steps[index]

    def outgoing(self, slot: int, location: int) -> list[int]:
        """Indices of the steps from a location of a slot's template."""
        return self._out[id(self.program.threads[slot].template)][location]

    def function(self, slot: int, index: int) -> StepFunction:
        """The step as a function on vectors: False if not enabled."""
        found = self._functions[slot].get(index)
        if found is None:
            found = self._make(slot, index)
            self._functions[slot][index] = found
        return found

    def _make(self, slot: int, index: int) -> StepFunction:
        step = self.step(slot, index)
        if not self.compiled:
            run = self.interpreter.run
            return lambda v, choose, events, log: run(v, slot, step, choose, events, log)
        function: StepFunction = self.compiler().compile(slot, step)
        return function

    def compiler(self) -> Any:
        """The `codegen.Compiler` of this machine."""
        if self._compiler is None:
            self._compiler = Compiler(self.memory, self.canonical, self.logging)
        return self._compiler

    def guard(self, slot: int, index: int) -> GuardFunction | None:
        """A step's guard alone, as a function on vectors; None if it always holds."""
        known = self._guards[slot]
        if index not in known:
            step = self.step(slot, index)
            known[index] = self.compiler().guard(slot, step) if self.compiled else self.interpreter.guard(slot, step)
        return known[index]

    def blocks(self, slot: int, index: int) -> bool:
        """Whether a step can be disabled by a Require."""
        known = self._blocks[slot]
        if index not in known:
            known[index] = any(isinstance(action, Require) for action in self.step(slot, index).actions)
        return known[index]

    def finished(self, v: Sequence[Any], slot: int) -> bool:
        """Whether a slot has nothing to do: never started, or done. (Asked only where nobody can move.)"""
        location = v[self.layout.pc[slot]]
        steps = [self.step(slot, index) for index in self.outgoing(slot, location)]
        if not steps:
            return True
        if location != 0 and not any(tag.kind == "start" for step in steps for tag in step.tags):
            return False
        state = self.layout.descriptor(v, slot, "state")
        return slot > 0 if state is None else state != descriptor.RUNNING

    def holder(self, v: Sequence[Any]) -> int | None:
        """The slot at an atomic location, which alone may move."""
        for slot, at, locations in self._atomic:
            if v[at] in locations:
                return slot
        return None

    def movable(self, v: Sequence[Any]) -> list[int]:
        """Slots that atomicity lets move."""
        if v[OVER]:
            return []
        holder = self.holder(v)
        return list(range(len(self.program.threads))) if holder is None else [holder]

    # ------------------------------------------------------------ states as tuples

    def initial(self) -> State:
        return tuple(self.layout.initial())

    def enabled(self, state: State, domain: Domain = two_values) -> list[tuple[int, int]]:
        """(slot, step index) of the steps that can be taken, for some answers of the domain."""
        return [
            (slot, index)
            for slot in self.movable(state)
            for index in self.outgoing(slot, state[self.layout.pc[slot]])
            if self.pending(state, slot, index, domain)[0]
        ]

    def execute(self, state: State, slot: int, index: int, choose: Choose) -> tuple[State, list[Event]]:
        """Take a step; it must begin where its thread is, and be enabled."""
        v, events = list(state), list[Event]()
        if self.step(slot, index).source != state[self.layout.pc[slot]]:
            raise ValueError(f"step {index} of thread {slot} begins elsewhere")
        if slot not in self.movable(state) or not self.function(slot, index)(v, choose, events, []):
            raise ValueError(f"step {index} of thread {slot} is not enabled")
        return tuple(v), events

    def successors(self, state: State, slot: int, index: int, domain: Domain = two_values,
                   ) -> Iterator[tuple[tuple[int, ...], State, list[Event]]]:  # fmt: skip
        """(choices, new state, events) for all answers of the domain; nothing if the step is not enabled."""
        if slot not in self.movable(state):
            return
        chooser, function = Chooser(domain), self.function(slot, index)
        while True:
            v, events = list(state), list[Event]()
            if function(v, chooser, events, []):
                yield chooser.values(), tuple(v), events
            if not chooser.advance():
                return

    def pending(self, state: State, slot: int, index: int, domain: Domain = two_values) -> tuple[bool, list[Access]]:
        """By the definition: whether the step could be taken now, and what it would access. Atomic sections of others are not asked."""
        chooser, step, log, ready = Chooser(domain), self.step(slot, index), list[Access](), False
        while True:
            part: list[Access] = []
            if self.interpreter.run(list(state), slot, step, chooser, [], part):
                ready = True
                log.extend(part)
            if not chooser.advance():
                return ready, list(dict.fromkeys(log))

    def accesses(self, state: State, slot: int, index: int) -> list[Access]:
        """What the step would access if taken now; nothing if it is blocked."""
        return self.pending(state, slot, index)[1]
