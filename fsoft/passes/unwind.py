"""Unwinding: every slot gets a template of its own whose control flow has no cycles, with locations numbered in topological order.

A location of the result is a location of the original with the number of the round in each cycle around it (`analysis/nesting`)
and the number of times the slot has been started. Locations are made in topological order, so everything that leads to one is
known when it is reached: constants are propagated on the way, and a step whose guard is known to be false is not followed. A loop
is unwound as long as constants decide that it goes on (up to `Bounds.static` rounds); rounds that they do not decide are counted,
and beyond the bound there is a cut instead of the round (`Marker`, kind "loop", or "unwindset" where the user has bounded that loop). Of
spin loops only the last round is kept (`passes/spin`).

Steps are copied one by one, so a run of the result is a run of the original (`Unwound.home`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush

from fsoft.analysis.actions import READING, Touching, defined, ending
from fsoft.analysis.constants import KnownValues, Transfer, meet
from fsoft.analysis.flow import successors
from fsoft.analysis.liveness import Liveness
from fsoft.analysis.loops import loops
from fsoft.analysis.nesting import Nesting, nesting
from fsoft.analysis.points_to import PointsTo
from fsoft.analysis.validity import Validity
from fsoft.frontend.source import Loc
from fsoft.passes.bounds import START, Bounds, LoopLimits
from fsoft.passes.dead import droppable
from fsoft.passes.graph import Graph, shortened
from fsoft.passes.slots import Slots, without_zero
from fsoft.passes.spin import KEPT_OUT, spin_heads
from fsoft.program.expr import FALSE, Expr
from fsoft.program.program import Action, Assign, Halt, Load, Location, Marker, Program, Require, Step, Tag, Template, Thread
from fsoft.program.verdict import Move
from fsoft.properties import MONITORS

UnwoundKey = tuple[int, ...]
"""A location of the unwound template: (start, head, round, head, round, ..., location), heads and the location by their rank; keys are in
topological order."""


@dataclass(slots=True)
class Unwound:
    """`origin[slot][step]` is the step of the original that a step of `program` copies, or in place of which it stops its thread:
    those are in `stopping[slot]` (a cut, or the end of a useless round of a spin loop). `notes` is for what others find out about it,
    by name."""

    program: Program
    original: Program
    origin: list[list[int]]
    stopping: list[set[int]]
    notes: dict[str, object] = field(default_factory=dict, repr=False, compare=False)

    def home(self, moves: Sequence[Move], prop: str = "") -> list[Move]:
        """A run of the unwound program as a run of the original. What only stops its thread goes; unless the run ends with it, because
        `prop` is violated before the thread stops."""
        kept = [k for k, m in enumerate(moves) if m.step not in self.stopping[m.slot]]
        if moves and prop and prop not in MONITORS and len(moves) - 1 not in kept:
            kept.append(len(moves) - 1)
        return [Move(m.slot, self.origin[m.slot][m.step], m.choices) for m in (moves[k] for k in kept)]


def unwind(program: Program, bounds: Bounds | None = None) -> Unwound:
    """The program without cycles. Slots that share a template get copies; `own` leaves become constants."""
    limits = LoopLimits(bounds or Bounds(), program)
    points_to, validity = PointsTo(program), Validity(program)
    slots = Slots(points_to)
    facts: dict[int, _Facts] = {}
    result = replace(program, threads=[], markers=list(program.markers))
    origin: list[list[int]] = []
    stopping: list[set[int]] = []
    for thread in program.threads:
        about = facts.get(id(thread.template))
        if about is None:
            about = facts[id(thread.template)] = _Facts(program, thread.template, validity)
        starts, known = slots.starts(thread.index, result.threads), slots.at_start(thread.index, result.threads)
        transfer = Transfer(points_to, thread.index, points_to.private(thread.index))
        one = _Unwinding(thread, about, transfer, limits, slots, starts, result.markers)
        result.threads.append(replace(thread, template=one.run(known)))
        origin.append(one.origin)
        stopping.append(one.stopping)
    return Unwound(result, program, origin, stopping)


class _Facts:
    """What is to be known about a template, whoever runs it."""

    def __init__(self, program: Program, template: Template, validity: Validity):
        self.out: list[list[tuple[int, Step]]] = [[] for _ in template.locations]
        for number, step in enumerate(template.steps):
            self.out[step.source].append((number, step))
        self.nest: Nesting = nesting([[t for t in targets if t] for targets in successors(template)])
        self.names = {loop.head: loop.id for loop in loops(program) if loop.template == template.name}
        self.counts = {loop.head: loop.count for loop in loops(program) if loop.template == template.name}
        live = Liveness(template)
        self.live = [live.names(mask) for mask in live.at]
        self.ways_out = {head: self._way_out(head) for head in self.nest.members}
        self.spins: dict[int, frozenset[int]] = {}
        if not program.checks & KEPT_OUT:
            self.spins = spin_heads(template, self.nest, droppable(program, validity, template))

    def _way_out(self, head: int) -> list[int]:
        """The locations from the head on that have one successor inside the loop each, up to the last that can leave it: the part
        that runs once more after the last full round."""
        members, chain, leaving = self.nest.members[head], [head], 0
        while True:
            steps = [step for _, step in self.out[chain[-1]]]
            inside = {step.target for step in steps if step.target in members and not ending(step)}
            leaving = len(chain) if any(ending(step) or step.target not in members for step in steps) else leaving
            if len(inside) != 1 or inside & set(chain):
                return chain[:leaving]
            chain += inside


@dataclass(slots=True)
class _Round:
    """One round of one loop. `number` counts from 0. `undecided`: how many rounds before it were not decided by constants. `tests`: what
    the exits that are known to be closed read. `last`: the round is cut."""

    head: int
    number: int
    before: _Round | None
    undecided: int = 0
    decided: bool = False
    last: bool = False
    tests: dict[tuple[int, int], tuple[Expr | None, ...]] = field(default_factory=dict)


class _Unwinding:
    """One slot."""

    def __init__(
        self, thread: Thread, facts: _Facts, transfer: Transfer, limits: LoopLimits, slots: Slots, starts: int, markers: list[Marker]
    ):
        self.thread, self.facts, self.transfer, self.limits, self.slots = thread, facts, transfer, limits, slots
        self.markers = markers
        self.starts = min(starts, limits.starts(thread))
        self.more_starts = starts > self.starts
        self.template = thread.template
        self.stops = {at: kind for kind, at in thread.template.stops.items()}
        self.origin: list[int] = []
        self.stopping: set[int] = set()
        self.known: dict[UnwoundKey, KnownValues] = {}
        self.place: dict[UnwoundKey, int] = {}  # the original location
        self.number: dict[UnwoundKey, int] = {}
        self.rounds: dict[UnwoundKey, _Round] = {}
        self.cuts: dict[int, int] = {}  # markers of loops, by head
        self.waiting: list[UnwoundKey] = []
        self.steps: list[tuple[int, Step, UnwoundKey | str]] = []  # origin, filled step, where to

    # ------------------------------------------------------------ the walk

    def run(self, known: KnownValues) -> Template:
        self._reach((0, 0), 0, known)
        while self.waiting:
            key = heappop(self.waiting)
            self.number[key] = len(self.number)
            self._expand(key)
        return self._template()

    def _reach(self, key: UnwoundKey, location: int, known: KnownValues) -> None:
        kept = {k: v for k, v in known.items() if isinstance(k, int) or k in self.facts.live[location]}
        if key in self.known:
            meet(self.known[key], kept)
            return
        self.known[key], self.place[key] = kept, location
        heappush(self.waiting, key)

    def _expand(self, key: UnwoundKey) -> None:
        here, known = self.place[key], self.known[key]
        if here == 0 and key[0] == self.starts:
            if self.more_starts:
                self._cut_start(key)
            return
        rounds = self._rounds(key)
        if here in self.facts.nest.members:
            self._begin_round(rounds[-1])
        for number, step in self.facts.out[here]:
            if not self.transfer.open(step, known):
                if rounds and step.target not in self.facts.nest.members[rounds[-1].head]:
                    self._closed((number, -1), step.guard, known, rounds[-1])
                continue
            if not ending(step) and self._ends_here(number, step, known, key, rounds):
                continue
            after = dict(known)
            new = self._filled(step, after, number, rounds[-1] if rounds else None)
            if ending(new) or step.target in self.stops:
                self.steps.append((number, new, self.stops.get(step.target, self._stop_of(new))))
            else:
                target = self._target(key, here, step.target)
                self._reach(target, step.target, after)
                self.steps.append((number, new, target))
            self._number(key, number)

    @staticmethod
    def _stop_of(step: Step) -> str:
        return next((a.kind for a in step.actions if isinstance(a, Halt)), "failed")

    def _number(self, key: UnwoundKey, origin: int) -> None:
        """The step that was added last leaves the location with this key."""
        place, step, target = self.steps[-1]
        self.steps[-1] = (place, replace(step, source=self.number[key]), target)
        self.origin.append(origin)

    # ------------------------------------------------------------ rounds

    def _rounds(self, key: UnwoundKey) -> list[_Round]:
        """The current rounds of the loops around a location, outermost first."""
        found = []
        for depth, head in enumerate(self.facts.nest.heads[self.place[key]]):
            prefix = key[: 3 + 2 * depth]
            this = self.rounds.get(prefix)
            if this is None:
                this = self.rounds[prefix] = _Round(head, prefix[-1], self.rounds.get((*prefix[:-1], prefix[-1] - 1)))
            found.append(this)
        return found

    def _begin_round(self, this: _Round) -> None:
        if this.before is not None:
            this.undecided = this.before.undecided + (not this.before.decided)
        counted, most = this.undecided, self.limits.of(self.thread, self.facts.names.get(this.head, ""))
        if most is not None or this.number > self.limits.bounds.static or self._too_long(this.head):
            counted = this.number
        this.last = counted >= (self.limits.bounds.unwind if most is None else most)

    def _too_long(self, head: int) -> bool:
        count = self.facts.counts.get(head)
        return (count is not None and count > self.limits.bounds.static) or len(self.steps) > self.limits.bounds.largest

    @staticmethod
    def _closed(which: tuple[int, int], test: Expr, known: KnownValues, this: _Round) -> None:
        """A way out of a loop is known to be closed: constants decide that it goes on, unless they were the same the last time."""
        read = tuple(known.get(name) for name in sorted(test.reads))
        if read:
            this.tests[which] = read
            this.decided |= this.before is None or this.before.tests.get(which) != read

    def _target(self, key: UnwoundKey, here: int, target: int) -> UnwoundKey:
        """Where a step leads to: the same rounds of the loops that it stays in, the next of the one whose head it returns to."""
        if target == 0:
            return (key[0] + 1, 0)
        nest = self.facts.nest
        rank, old, new = nest.rank, nest.heads[here], nest.heads[target]
        common = 0
        while common < min(len(old), len(new)) and old[common] == new[common]:
            common += 1
        parts = list(key[: 1 + 2 * common])
        if target in old and rank[target] <= rank[here]:
            depth = old.index(target)
            parts = list(key[: 1 + 2 * depth]) + [rank[target], key[2 + 2 * depth] + 1]
            common = depth + 1
        for head in new[common:]:
            parts += [rank[head], 0]
        return (*parts, rank[target])

    # ------------------------------------------------------------ steps

    def _filled(self, step: Step, known: KnownValues, number: int = -1, this: _Round | None = None) -> Step:
        """The step with constants in place; `known` becomes what holds after it."""
        guard = self.transfer.fill(step.guard, known)
        tags = tuple([t if t.operand is None else Tag(t.kind, self.transfer.fill(t.operand, known)) for t in step.tags])
        actions: list[Action] = []
        taken: set[str] = set()
        for place, action in enumerate(step.actions):
            new = self.transfer.apply(without_zero(action, taken), known)
            self.slots.watch(self.thread.index, new, known, taken)
            if this is not None and isinstance(new, Halt) and new.when is FALSE:
                self._closed((number, place), action.when, known, this)
            name = defined(new)
            if isinstance(new, Load) and name is not None and name in known:
                new = Assign(name, known[name], new.when)
            actions.append(new)
        return Step(step.source, guard, shortened(actions), step.target, step.loc, step.text, tags, step.calls)

    def _ends_here(self, number: int, step: Step, known: KnownValues, key: UnwoundKey, rounds: list[_Round]) -> bool:
        """Whether the step goes on in a round that is cut, or round a spin loop: then something else stands in its place."""
        for this in rounds:
            head = this.head
            if step.target not in self.facts.nest.members[head]:
                continue
            leaving = self.facts.spins.get(head)
            if leaving is not None:
                if step.target == head or step.target not in leaving:
                    self._stop(number, step, known, key, Halt("pruned", loc=step.loc))
                    return True
            elif this.last and not self._on_way_out(head, step):
                self._stop(number, step, known, key, Halt("cut", self._marker(head), loc=self.template.locations[head].loc))
                return True
        return False

    def _on_way_out(self, head: int, step: Step) -> bool:
        way = self.facts.ways_out[head]
        return step.source in way[:-1] and way[way.index(step.source) + 1] == step.target

    def _stop(self, number: int, step: Step, known: KnownValues, key: UnwoundKey, halt: Halt) -> None:
        """The thread stops instead of taking a step; not if the step is blocked, and what it does up to where it may block is done. What it
        changes until then nobody sees, as if it stopped inside an atomic section. Who waits for whom is read from the tags."""
        new = self._filled(step, dict(known))
        last = max((k for k, action in enumerate(new.actions) if isinstance(action, Require)), default=-1)
        before, tags = new.actions[: last + 1], new.tags
        if any(isinstance(action, Touching) and not isinstance(action, READING) for action in before):
            tags = (*tags, Tag("atomic"))
        self.stopping.add(len(self.steps))
        self.steps.append((-1, replace(new, actions=(*before, halt), tags=tags), halt.kind))
        self._number(key, number)

    def _marker(self, head: int) -> int:
        if head not in self.cuts:
            name = self.facts.names.get(head, f"{self.template.name}.{head}")
            bound = self.limits.of(self.thread, name)
            times = self.limits.bounds.unwind if bound is None else bound
            message = f"loop {name} of thread {self.thread.name} may run more than {times} time{'s' * (times != 1)}"
            self.cuts[head] = len(self.markers)
            self.markers.append(self._cut(message, name, times, self.template.locations[head].loc))
        return self.cuts[head]

    def _cut(self, message: str, name: str, times: int, loc: Loc) -> Marker:
        """What says that a loop is cut; its kind says which option can change that."""
        own = f"--unwindset {self.thread.name}:{name}:{times + 1}"
        if self.limits.of(self.thread, name) is None:
            return Marker("loop", True, False, loc, message, f"raise --unwind, or {own}")
        return Marker("unwindset", True, False, loc, message, own)

    def _cut_start(self, key: UnwoundKey) -> None:
        """The slot may be started once more than it is unwound."""
        message = f"thread {self.thread.name} may be started more than {self.starts} time{'s' * (self.starts != 1)}"
        marker = self._cut(message, START, self.starts, self.template.locations[0].loc)
        self.markers.append(marker)
        for number, step in self.facts.out[0]:
            self._stop(number, step, self.known[key], key, Halt("cut", len(self.markers) - 1, loc=marker.loc))

    # ------------------------------------------------------------ the result

    def _template(self) -> Template:
        old = self.template.locations
        locations = [replace(old[self.place[key]], loop="") for key in self.number]
        stops = {}
        for kind, at in self.template.stops.items():
            stops[kind] = len(locations)
            locations.append(Location(old[at].loc, old[at].function))
        steps = [replace(s, target=stops[to] if isinstance(to, str) else self.number[to]) for _, s, to in self.steps]
        graph = Graph(Template(self.thread.name, self.template.registers, locations, steps, stops))
        return Template(self.thread.name, graph.mentioned(steps), locations, steps, stops)


__all__ = ["Bounds", "Unwound", "unwind"]
