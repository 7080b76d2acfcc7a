"""The places of a sequential Program where something is chosen, by number, and runs by what was chosen there.

Control never comes back, so every site is passed at most once: a table from sites to values is a run, whoever made it (a model, the
trace of another verifier, dice). Undefined memory is chosen when it comes to life: a site per cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fsoft.passes.ways import all_exclusive
from fsoft.program.expr import TRUE, evaluate
from fsoft.program.interpreter import Machine, Script
from fsoft.program.program import Alloc, Enter, Input, Program, Step
from fsoft.program.state import ChoicePoint, Event, Violation
from fsoft.program.verdict import Move

START = -1
"""In place of a step: what is undefined from the start."""

SiteKey = tuple[int, int, int]
"""(step, action, cell); cell -1 for the choice itself, step `START - 1 - location` for the choice between steps from a location."""


@dataclass(slots=True)
class Sites:
    """The sites of a Program with one thread, in the order in which a run can pass them."""

    program: Program
    number: dict[SiteKey, int] = field(default_factory=dict)
    width: list[int] = field(default_factory=list)
    what: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        program, template = self.program, self.program.threads[0].template
        for obj in program.objects[1:]:
            if obj.alive and obj.undefined:
                self._cells(START, obj.id, obj.id)
        out: list[list[int]] = [[] for _ in template.locations]
        for index, step in enumerate(template.steps):
            out[step.source].append(index)
        for location, indices in enumerate(out):
            if len(indices) > 1 and not all_exclusive([template.steps[k].guard for k in indices]):
                self._add((START - 1 - location, 0, -1), 8, "which way")
            for index in indices:
                self._step(index, template.steps[index])

    def _add(self, key: SiteKey, width: int, what: str) -> None:
        self.number[key] = len(self.width)
        self.width.append(width)
        self.what.append(what)

    def _step(self, index: int, step: Step) -> None:
        registers = self.program.threads[0].template.registers
        for place, action in enumerate(step.actions):
            if isinstance(action, Input):
                self._add((index, place, -1), registers[action.reg].width, action.name)
            elif isinstance(action, Alloc):
                self._add((index, place, -1), self.program.word, "which heap object")
                if not action.zero and self.program.pools[action.pool].objects:
                    self._cells(index, place, self.program.pools[action.pool].objects[0])
            elif isinstance(action, Enter) and action.address.is_const:
                number = action.address.value >> self.program.offset_bits
                self._cells(index, place, number)

    def _cells(self, step: int, action: int, number: int) -> None:
        obj = self.program.objects[number]
        cell = 0
        for run in obj.runs:
            for _ in range(run.count):
                self._add((step, action, cell), 8 * run.size, f"undefined {obj.name}{run.name}")
                cell += 1


@dataclass(slots=True)
class Player:
    """Runs a Program with one thread by a table of values, or by moves, from which it makes a table."""

    sites: Sites
    values: dict[int, int] = field(default_factory=dict)

    def play(self, given: Mapping[int, int] | None = None, moves: Sequence[Move] | None = None,
             order: Sequence[int] = ()) -> tuple[list[Move], Violation | None]:  # fmt: skip
        """The moves of the run, and the violation in which it ended. What is not given is taken from `order`, values in the order in
        which the C program asks for them, else it is 0; `values` is then what was chosen."""
        return _Run(self, dict(given or {}), None if moves is None else list(moves), list(order)).all()


class _Run:
    """One run: the steps of the Program are executed action by action, so that it is known where a question comes from."""

    def __init__(self, player: Player, given: dict[int, int], moves: list[Move] | None, order: list[int]):
        self.order = order
        self.sites, self.given, self.moves, self.chosen = player.sites, given, moves, player.values
        self.machine = Machine(player.sites.program, compiled=False)
        self.state: list[Any] = list(self.machine.initial())
        self.born: dict[int, int] = {}  # entry of the vector -> site
        self.here = (0, 0)
        self.script: Script | None = None
        self.answers: list[int] = []
        layout = self.machine.layout
        for obj in player.sites.program.objects[1:]:
            place = layout.places[obj.id]
            if obj.alive and obj.undefined and place is not None:
                self._bear(place.base, (START, obj.id))

    def _bear(self, base: int, where: tuple[int, int]) -> None:
        cell = 0
        while (site := self.sites.number.get((*where, cell))) is not None:
            self.born[base + cell] = site
            cell += 1

    def all(self) -> tuple[list[Move], Violation | None]:
        done: list[Move] = []
        while (index := self._next(len(done))) is not None:
            self.answers = []
            self.script = None if self.moves is None else Script(self.moves[len(done)].choices)
            events, blocked = self._take(index)
            if blocked:
                break
            done.append(Move(0, index, tuple(self.answers)))
            if events:
                return done, next((e for e in events if isinstance(e, Violation)), None)
        return done, None

    def _next(self, count: int) -> int | None:
        if self.moves is not None:
            return self.moves[count].step if count < len(self.moves) else None
        at = self.state[self.machine.layout.pc[0]]
        leaf = self.machine.interpreter.leaf(self.state, 0)
        ready = [k for k in self.machine.outgoing(0, at) if evaluate(self.machine.step(0, k).guard, leaf)]
        if not ready:
            return None
        site = self.sites.number.get((START - 1 - at, 0, -1))
        if site is None:
            return ready[0]
        pick = self.given.get(site, 0)
        self.chosen[site] = pick
        return ready[pick % len(ready)]

    def _take(self, index: int) -> tuple[list[Event], bool]:
        """Execute a step; the events that stop the thread, and whether it is blocked."""
        step, interpreter = self.machine.step(0, index), self.machine.interpreter
        for place, action in enumerate(step.actions):
            self.here = (index, place)
            if self.order and evaluate(action.when, interpreter.leaf(self.state, 0)):
                self._ask(index, place)
            one = Step(step.source, TRUE, (action,), step.target, step.loc, step.text, step.tags, step.calls)
            events: list[Event] = []
            if not interpreter.run(self.state, 0, one, self._choose, events, []):
                return [], True
            if events:
                return events, False
            self._lived(index, place, action)
        self.state[self.machine.layout.pc[0]] = step.target
        return [], False

    def _ask(self, index: int, place: int) -> None:
        """The values that come next are for the sites of this action."""
        cell = -1
        while (site := self.sites.number.get((index, place, cell))) is not None or cell < 0:
            if site is not None and self.order:
                self.given[site] = self.order.pop(0)
            cell += 1

    def _lived(self, index: int, place: int, action: object) -> None:
        """Cells that have come to life are chosen here, as far as anyone asks for them later."""
        leaf = self.machine.interpreter.leaf(self.state, 0)
        if isinstance(action, (Enter, Alloc)) and evaluate(action.when, leaf):
            address = action.address.value if isinstance(action, Enter) else self.state[self.machine.layout.registers[0][action.reg]]
            where = self.machine.layout.place_of(address)
            if where is not None:
                self._bear(where.base, (index, place))

    def _choose(self, question: ChoicePoint, options: Sequence[int] | None) -> int:
        if question.kind == "undefined":
            site = self.born.get(self.machine.memory.cell_of(question), -1)
        else:
            site = self.sites.number[(*self.here, -1)]
        if self.script is not None:
            answer = self.script(question, options)
        else:
            answer = self.given.get(site, 0) & ((1 << question.width) - 1)
            if options is not None and answer not in options:
                answer = options[0]
        self.chosen[site] = answer
        self.answers.append(answer)
        return answer
