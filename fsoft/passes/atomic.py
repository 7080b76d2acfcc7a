"""Atomic sections without loops become one step each, by if-conversion.

    e --x--> a1 --[c]--> a2 --y--> exit          e --( x; p := c; y when p; z when !p )--> exit
                \\-[!c]--> a3 --z--> exit    =>

The atomic locations behind a step are laid out in topological order; each action runs under the path predicate of its location.
A predicate is a register of its own as soon as it is computed, so later actions cannot change it (`tidy` puts it back into the
uses where that is safe). A location that every way from its dominator passes has the predicate of that dominator. Ways
that can only stop the thread are laid out at once where they branch off, a copy for each: what comes after them does not run.

Steps that exclude each other by form are decided by their guards; other choices become an explicit Input. A location inside
at which no guard may hold blocks, so it becomes a Require. Several exits meet in a fresh location that branches on the predicates:
an invisible step later. A section with a loop, or one that may block depending on an input of its own, stays a sequence at
atomic locations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fsoft.analysis.actions import always, defined, ending, reads, with_when
from fsoft.analysis.liveness import live_registers
from fsoft.analysis.validity import Validity
from fsoft.passes.graph import Graph, changed, each_template
from fsoft.passes.reuse import reuse_loads
from fsoft.passes.simplify import CHOICES
from fsoft.passes.tidy import tags_before, written_first
from fsoft.passes.ways import all_exclusive, any_of, exhaustive
from fsoft.program.expr import FALSE, TRUE, Expr, conj, const, eq, make, negate
from fsoft.program.program import (
    Action,
    Alloc,
    Assign,
    Enter,
    Free,
    Halt,
    Input,
    Leave,
    Load,
    Program,
    Require,
    Step,
    Store,
    Tag,
    Template,
)  # fmt: skip

_WRITES = (Store, Alloc, Free, Enter, Leave)


@dataclass(frozen=True)
class Atomic:
    """`largest`: sections with more actions than this stay sequences."""

    name: str = "atomic"
    largest: int = 400

    def apply(self, program: Program) -> Program:
        validity = Validity(program)
        return each_template(program, lambda t: self._template(validity, t))

    def _template(self, validity: Validity, template: Template) -> Template:
        if not any(where.atomic for where in template.locations):
            return template
        inside = frozenset(number for number, where in enumerate(template.locations) if where.atomic)
        return with_sections(template, inside, lambda graph, step: self._converted(graph, step, inside, validity, template))[1]

    def _converted(self, graph: Graph, step: Step, inside: frozenset[int], validity: Validity, template: Template) -> Step:
        section = converted(graph, step, inside, self.largest)
        if section is None or _chooses_to_block(section.actions):
            return step
        tags = section.tags
        if _half_done(section.actions, validity, template) and not any(t.kind in ("section", "atomic") for t in tags):
            tags = (*tags, Tag("atomic"))
        return section.step(tags)


def with_sections(
    template: Template, inside: frozenset[int], convert: Callable[[Graph, Step], Step], last: Callable[[Graph], None] | None = None
) -> tuple[Graph, Template]:
    """The template with `convert` applied to every step that does not begin inside a section; `last` may edit what came of it. Before it
    the graph that it was made from, with the old numbers of locations."""
    graph = Graph(template)
    live = live_registers(template)
    for node in range(len(template.locations)):
        if node not in inside:
            made = [convert(graph, step) for step in graph.out[node]]
            graph.out[node] = [_settled(new, old, graph, live[node]) for new, old in zip(made, graph.out[node], strict=True)]
    if last is not None:
        last(graph)
    return graph, graph.finish()


def converted(graph: Graph, step: Step, inside: frozenset[int], largest: int) -> Section | None:
    """The section behind a step, laid out; None if there is none, it has a cycle or more than so many actions."""
    if step.target not in inside or ending(step):
        return None
    order = _topological(graph, step.target, inside)
    if order is None or sum(len(s.actions) for n in order for s in graph.out[n]) > largest:
        return None
    section = Section(graph, step, order, inside, 4 * largest)
    try:
        section.run()
    except _TooLargeError:
        return None
    return section


def _settled(new: Step, old: Step, graph: Graph, live: frozenset[str]) -> Step:
    """A converted step, with what was live before it: other registers were written on every way before they were read."""
    if new is old:
        return new
    return changed(new, new.guard, tuple(written_first(reuse_loads(new.actions), live, graph.registers)), new.tags)


def _half_done(actions: list[Action], validity: Validity, template: Template) -> bool:
    """The thread may stop after it has written something: others must not see that."""
    written = False
    for action in actions:
        if written and not validity.safe(template, action):
            return True
        written = written or isinstance(action, _WRITES)
    return False


def _chooses_to_block(actions: list[Action]) -> bool:
    """Whether a step is enabled must not depend on its own inputs: such a section stays a sequence, in which the choice comes first."""
    chosen: set[str] = set()
    stored = False
    for action in actions:
        depends = not reads(action).isdisjoint(chosen)
        if isinstance(action, Require) and depends:
            return True
        name = defined(action)
        if isinstance(action, (Input, Alloc)) or depends or (stored and isinstance(action, Load)):
            stored = stored or isinstance(action, Store)
            if name is not None:
                chosen.add(name)
        elif name is not None and always(action):
            chosen.discard(name)
    return False


def _topological(graph: Graph, start: int, inside: frozenset[int]) -> list[int] | None:
    """The locations inside that are reachable from `start` through such locations, sources first; None if there is a cycle."""
    order: list[int] = []
    state = {start: 1}
    stack = [(start, iter(graph.out[start]))]
    while stack:
        node, rest = stack[-1]
        for step in rest:
            if ending(step) or step.target not in inside:
                continue
            if state.get(step.target) == 1:
                return None
            if step.target not in state:
                state[step.target] = 1
                stack.append((step.target, iter(graph.out[step.target])))
                break
        else:
            stack.pop()
            state[node] = 2
            order.append(node)
    order.reverse()
    return order


def _without_exit(graph: Graph, order: list[int]) -> set[int]:
    """Locations from which every way stops the thread or blocks."""
    doomed: set[int] = set()
    for node in reversed(order):
        if all(ending(s) or s.target in doomed for s in graph.out[node]):
            doomed.add(node)
    return doomed


class _TooLargeError(Exception):
    """The section has too many ways to stop."""


class Section:
    """The conversion of one section: `run` fills `actions` and `tags`, `target` says where control goes. `parts` are its steps."""

    def __init__(self, graph: Graph, first: Step, order: list[int], inside: frozenset[int], largest: int):
        self.graph = graph
        self.largest = largest
        self.first = first
        self.actions: list[Action] = list(first.actions)
        self.tags: tuple[Tag, ...] = first.tags
        self.parts = [first, *(step for node in order for step in graph.out[node])]
        self._doomed = _without_exit(graph, order)
        self.order = [n for n in order if n not in self._doomed]
        self._ways: dict[int, list[Expr]] = {n: [] for n in self.order}  # predicates of arriving steps
        self._exits: dict[int, list[Expr]] = {}
        self._predicate: dict[int, Expr] = {}
        self._dominator, self._meets = _dominance(graph, self.order, inside)
        self._stop = next((a.kind for n in order for s in graph.out[n] for a in s.actions if isinstance(a, Halt)), "failed")

    def run(self) -> None:
        if not self.order:
            self._stopping(self.first.target, TRUE)
        for node in self.order:
            predicate = self._at(node)
            self._predicate[node] = predicate
            for step, way in zip(self.graph.out[node], self._decide(node, predicate), strict=True):
                self._emit(step, way)
                if ending(step):
                    continue
                if step.target in self._ways:
                    self._ways[step.target].append(way)
                elif step.target in self._doomed:
                    self._stopping(step.target, way)
                else:
                    self._exits.setdefault(step.target, []).append(way)

    def _stopping(self, start: int, predicate: Expr) -> None:
        """All that can happen from a location that leads to no exit, way by way."""
        stack = [(start, predicate)]
        while stack:
            node, here = stack.pop()
            if len(self.actions) > self.largest:
                raise _TooLargeError
            for step, way in zip(self.graph.out[node], self._decide(node, here), strict=True):
                self._emit(step, way)
                if not ending(step):
                    stack.append((step.target, way))

    def _emit(self, step: Step, way: Expr) -> None:
        tags = tuple(t for t in step.tags if t.kind not in CHOICES)
        if tags:
            self.tags += tuple(t for t in tags_before(tags, self.actions) if t not in self.tags)
        self.actions.extend(with_when(action, conj(way, action.when)) for action in step.actions)

    def _at(self, node: int) -> Expr:
        if node == self.order[0]:
            return TRUE
        above = self._dominator[node]
        if node in self._meets[above]:
            return self._predicate[above]
        return self._kept(any_of(self._ways[node]))

    def _kept(self, value: Expr) -> Expr:
        """The value now, in a register that nothing else writes."""
        if value.op == "const" or (value.op == "reg" and str(value.data).startswith("when.")):
            return value
        if value.op == "not" and value.args[0].op == "reg" and str(value.args[0].data).startswith("when."):
            return value
        target = self.graph.register("when", 1)
        self.actions.append(Assign(str(target.data), value))
        return target

    def _decide(self, node: int, predicate: Expr) -> list[Expr]:
        """The predicate of each step from a location."""
        guards = [s.guard for s in self.graph.out[node]]
        if not guards:
            self.actions.append(Require(FALSE, predicate))
            return []
        if not exhaustive(guards):
            self.actions.append(Require(any_of(guards), predicate))
        if len(guards) == 1:
            return [predicate]
        if not all_exclusive(guards):
            return self._choose(guards, predicate)
        if len(guards) == 2 and guards[0] is negate(guards[1]):
            yes = self._kept(guards[0])
            return [conj(predicate, yes), conj(predicate, negate(yes))]
        kept = [self._kept(g) for g in guards]
        return [conj(predicate, g) for g in kept]

    def _choose(self, guards: list[Expr], predicate: Expr) -> list[Expr]:
        """Any of the steps whose guard holds: an explicit choice among their numbers."""
        among = guards[0]
        for guard in guards[1:]:
            among = make("concat", among.width + 1, (guard, among))
        way = self.graph.register("way", max(8, len(guards)))
        self.actions.append(Input(str(way.data), "which way", among, predicate))
        return [self._kept(conj(predicate, eq(way, const(k, way.width)))) for k in range(len(guards))]

    def step(self, tags: tuple[Tag, ...]) -> Step:
        """The whole section as one step."""
        first = self.first
        return Step(first.source, first.guard, tuple(self.actions), self.target(), first.loc, first.text, tags, first.calls)

    def target(self) -> int:
        """The one exit, or a fresh location that branches to the exits."""
        if not self._exits:
            return self.graph.stops[self._stop]
        if len(self._exits) == 1:
            return next(iter(self._exits))
        fork = self.graph.location(self.first.target)
        for exit_, ways in self._exits.items():
            step = Step(fork, any_of(ways), (), exit_, self.first.loc, self.first.text, (), self.first.calls)
            self.graph.out[fork].append(step)
        return fork


_END = -1


def _dominance(graph: Graph, order: list[int], inside: frozenset[int]) -> tuple[dict[int, int], dict[int, set[int]]]:
    """For each location of an acyclic section its immediate dominator, and the locations that all ways from it pass (stops apart)."""
    rank = {n: i for i, n in enumerate(order)}
    exits = {s.target for n in order for s in graph.out[n] if s.target not in inside}
    goes = {n: [_END if s.target in exits else s.target for s in graph.out[n] if not ending(s)] for n in order}
    goes = {n: [t for t in targets if t == _END or t in rank] for n, targets in goes.items()}
    dominator = {n: n for n in order[:1]}
    for node in order:
        for target in goes[node]:
            if target == _END:
                continue
            a, b = node, dominator.get(target, node)
            while a != b:
                a, b = (dominator[a], b) if rank[a] > rank[b] else (a, dominator[b])
            dominator[target] = a
    passed: dict[int, set[int]] = {_END: set()}
    for node in reversed(order):
        after = [{t} | passed[t] for t in goes[node]]
        passed[node] = set.intersection(*after) if after else set()
    return dominator, passed
