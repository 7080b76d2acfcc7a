"""Transactions as steps: what a thread does at quiet locations joins the step before it.

    lock(m) -> x = 1 -> unlock(m) -> ...     becomes     (lock(m); x = 1; unlock(m)) -> ...

if `x` is touched under `m` only: no context switch is needed inside (F-Soft section 3; `quiet.py` says where). A scheduler that does not
switch there saves branches; a program that has no such states saves frames, locations and the latches of what only lives inside.

A thread that stops inside keeps what it has done, and the others go on, as in the program before. `in_steps` takes a run back to that
program, step by step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fsoft.analysis.actions import Touching
from fsoft.analysis.validity import Validity
from fsoft.passes.atomic import converted, with_sections
from fsoft.passes.graph import Graph, each_template
from fsoft.por.facts import StubbornFacts
from fsoft.program.expr import FALSE, conj
from fsoft.program.interpreter import Machine, Script
from fsoft.program.program import Action, Apart, Check, Halt, Load, Origin, Program, Step, Store, Template
from fsoft.program.state import State
from fsoft.program.verdict import InternalError, Move
from fsoft.transactions.quiet import quiet_locations

_LARGEST = 400  # actions of a section
_COPIED = 200  # actions that are copied to where a section ends in several ways
_OF_ACCESSES = ("valid-deref", "valid-free")  # properties that an access itself may violate


def merged(facts: StubbornFacts) -> Program:
    """The program with transactions as single steps, and the way home; the same program if there are none."""
    quiet = quiet_locations(facts)
    if not any(quiet.values()):
        return facts.program
    validity = Validity(facts.program)
    origins: dict[str, Origin] = {}

    def rewrite(template: Template) -> Template:
        made, origins[template.name] = _Merging(facts, validity, template, quiet[template.name]).run()
        return made

    program = each_template(facts.program, rewrite)
    return replace(program, apart=Apart(facts.program, origins))


class _Merging:
    """One template. `begins` says of each step with which step of the old template it begins, `ends` where in the old one a new location
    is."""

    def __init__(self, facts: StubbornFacts, validity: Validity, template: Template, inside: frozenset[int]):
        self.template, self.inside = template, inside
        self.racing = "no-data-race" in facts.program.checks
        self.validity, self.checks = validity, facts.program.checks
        self.begins: dict[int, list[int]] = {}
        self.ends: dict[int, frozenset[int]] = {}
        for index, step in enumerate(template.steps):
            self.begins.setdefault(step.source, []).append(index)
        whole = {step.source for step in template.steps if _whole(step)}
        self._ways = [inside, inside - whole] if whole & inside else [inside]

    def run(self) -> tuple[Template, Origin]:
        graph, made = with_sections(self.template, self.inside, self._convert, self._choose)
        number = {id(where): node for node, where in enumerate(graph.locations)}
        old = [number[id(where)] for where in made.locations]
        left = [iter(self.begins.get(node, ())) for node in old]
        places = tuple(self.ends.get(node, frozenset((node,))) for node in old)
        return made, Origin(tuple(next(left[step.source]) for step in made.steps), places)

    def _convert(self, graph: Graph, step: Step) -> Step:
        for inside in self._ways:
            section = converted(graph, step, inside, _LARGEST)
            if section is not None and self._fits(section.parts):
                if self.racing:
                    own = len(step.actions)
                    section.actions[own:] = [_without_race(action) for action in section.actions[own:]]
                return section.step(section.tags)
        return step

    def _fits(self, parts: list[Step]) -> bool:
        """In a step that is marked as a whole stopping ends the run, and accesses are atomic. A part that is not must not stop; and where
        races are asked for, the first part, which may be in one, must have no other accesses."""
        if not any(map(_whole, parts)):
            return True
        racing = self.racing and not _whole(parts[0]) and any(map(_usual, parts[0].actions))
        return not racing and all(_whole(step) or self._goes_on(step) for step in parts)

    def _goes_on(self, step: Step) -> bool:
        """The step does not stop its thread, but for what forbids a proof in any case."""
        for action in step.actions:
            if isinstance(action, Check) or (isinstance(action, Halt) and action.kind not in ("cut", "undefined")):
                return False
            if not self.checks.isdisjoint(_OF_ACCESSES) and not self.validity.safe(self.template, action):
                return False
        return True

    def _choose(self, graph: Graph) -> None:
        """Where a section ends in several ways, the step after it is chosen at once."""
        for fork in range(len(self.template.locations), len(graph.out)):
            self.ends[fork] = frozenset(step.target for step in graph.out[fork])
            rows = [row for step in graph.out[fork] for row in self._behind(graph, step) if row[0].guard is not FALSE]
            graph.out[fork], self.begins[fork] = [step for step, _ in rows], [index for _, index in rows]

    def _behind(self, graph: Graph, step: Step) -> list[tuple[Step, int]]:
        followers = graph.out[step.target]
        fixed = step.target in graph.fixed() or step.target in self.inside
        if fixed or not followers or sum(len(s.actions) for s in followers) > _COPIED:
            return [(step, -1)]
        rows = zip(followers, self.begins[step.target], strict=True)
        return [(replace(s, source=step.source, guard=conj(step.guard, s.guard)), index) for s, index in rows]


def _whole(step: Step) -> bool:
    return any(tag.kind in ("atomic", "section") for tag in step.tags)


def _usual(action: Action) -> bool:
    """An access that is not atomic."""
    return isinstance(action, Touching) and not getattr(action, "sync", False)


def _without_race(action: Action) -> Action:
    """At a quiet location nobody else is about to touch the same cells: that access is in no race."""
    return replace(action, sync=True) if isinstance(action, (Load, Store)) else action


# ---------------------------------------------------------------- the way home


def in_steps(program: Program, moves: Sequence[Move]) -> list[Move]:
    """A run of a merged program as a run of the one that it was made of; the run itself if the program was not merged."""
    if program.apart is None:
        return list(moves)
    walk = _Walk(program, program.apart)
    for move in moves:
        walk.take(move)
    return walk.moves


class _Walk:
    """The run so far in the program before merging."""

    def __init__(self, program: Program, apart: Apart):
        self.program, self.apart = program, apart
        self.machine = Machine(apart.program, compiled=False)
        self.state: State = self.machine.initial()
        self.moves: list[Move] = []

    def take(self, move: Move) -> None:
        """The steps that one step of the merged program stands for: from its first one to where it ends, or to a location that remains."""
        template = self.program.threads[move.slot].template
        origin = self.apart.origins[template.name]
        first, ends = origin.steps[move.step], origin.places[template.steps[move.step].target]
        ends |= frozenset(self.apart.program.threads[move.slot].template.stops.values())
        script = Script(move.choices)
        if first >= 0:
            self._step(move.slot, first, script)
            while self._pc(move.slot) not in ends:
                self._step(move.slot, self._next(move.slot), script)
        if script.used != len(move.choices):
            raise InternalError(f"a transaction asks for {script.used} values, its run has {len(move.choices)}")

    def _pc(self, slot: int) -> int:
        return int(self.state[self.machine.layout.pc[slot]])

    def _next(self, slot: int) -> int:
        for index in self.machine.outgoing(slot, self._pc(slot)):
            guard = self.machine.guard(slot, index)
            if guard is None or guard(self.state):
                return index
        raise InternalError("a transaction cannot go on")

    def _step(self, slot: int, index: int, script: Script) -> None:
        before = script.used
        try:
            self.state, _ = self.machine.execute(self.state, slot, index, script)
        except ValueError as error:
            raise InternalError(f"a transaction does not replay: {error}") from error
        self.moves.append(Move(slot, index, tuple(script.answers[before : script.used])))
