"""Fold: invisible steps join the step before them, so that only what other threads can see remains a step of its own.

A step is **invisible** if it touches registers and memory that no other thread can see at that time (`analysis/sharing`). It
commutes with whatever the others do, so it may as well happen at once after the step before it. Three rules:

1. *Chain*: `s -a-> l -b-> t` with b invisible and the only step from l becomes `s -a;b-> t`, for each a.
2. *Diamond*: `l -[c] a-> t` and `l -[!c] b-> t`, both invisible, become `l -(p := c; a when p; b when !p)-> t`. A way that stops the
   thread fits any t: a folded assume, check or bound cut stops the thread after the update it was folded into and never disables it.
3. *Branch*: an empty (or register-only) step `l -[c]-> m` is joined to each step y from m, as `l -[c and guard of y] y->`: nothing is
   delayed that anyone could miss. What only the branch reads is decided before, so that one bit waits at l and not a value.

Folding stops at loop heads (a location on every cycle stays), at steps that may block, at steps with synchronisation tags, at atomic
locations, at labels if asked, and at locations that the caller names.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from fsoft.analysis.actions import always, blocking, defined, ending, ends_process, reads, with_when
from fsoft.analysis.flow import depth_first
from fsoft.analysis.liveness import live_registers
from fsoft.analysis.sharing import Sharing
from fsoft.analysis.validity import Validity
from fsoft.passes.dead import droppable
from fsoft.passes.graph import Graph, each_template, shortened
from fsoft.passes.tidy import Tidy, tags_before, tidy_template, values_after, written_first
from fsoft.passes.ways import all_exclusive, exhaustive
from fsoft.program.expr import TRUE, Expr, conj, fill, negate, reg
from fsoft.program.options import Options
from fsoft.program.program import Action, Assign, Check, Halt, Program, Step, Template

_TEXT = 160


@dataclass(frozen=True)
class Fold:
    """`largest`: actions of a folded step. `copies`: actions that may be copied to several steps. `keep_labels`: locations with
    the user's labels stay. `keep`: further (template name, location) pairs of the input that stay. `stops`: steps that may stop their
    thread are not folded (the end of a run is observed)."""

    name: str = "fold"
    largest: int = 128
    copies: int = 12
    keep_labels: bool = False
    keep: frozenset[tuple[str, int]] = frozenset()
    stops: bool = False

    def suited(self, options: Options) -> Fold | None:
        """Not at all, or with the ends of threads apart where somebody looks on."""
        return replace(self, stops=bool(options.observer)) if options.fold else None

    def apply(self, program: Program) -> Program:
        sharing = Sharing(program)
        validity = Validity(program)

        def template(old: Template) -> Template:
            folding = _Folding(self, old, sharing, validity, "valid-memtrack" in program.checks)
            folding.run()
            drop = droppable(program, validity, old)
            return Graph(tidy_template(folding.graph.finish(), drop, old)).finish()

        return each_template(program, template)


class _Folding:
    """One template. `invisible` holds the ids of steps that may be folded into what comes before; new steps are added as they are made.
    `ends`: what is there when the process ends is asked, so that nobody may miss the moment."""

    def __init__(self, options: Fold, template: Template, sharing: Sharing, validity: Validity, ends: bool):
        self.options = options
        self.template = template
        self.validity = validity
        self.graph = Graph(template)
        self.tidy = Tidy(self.graph.registers)
        self.live = live_registers(template)
        self.kept = self._kept()
        self.into: list[set[int]] = [set() for _ in self.graph.locations]
        self._invisible: dict[int, Step] = {}
        for step in template.steps:
            self.into[step.target].add(step.source)
            if step.tags or blocking(step) or template.locations[step.target].atomic:
                continue
            if options.stops and any(isinstance(action, (Check, Halt)) for action in step.actions):
                continue
            if ends and ends_process(step):
                continue
            if not sharing.visible(template, step):
                self._invisible[id(step)] = step

    def _kept(self) -> set[int]:
        """Locations that stay."""
        kept = self.graph.fixed()
        out = self.graph.out
        _, _, retreating = depth_first(lambda n: [s.target for s in out[n]])
        kept |= {target for _, target in retreating}
        asked = {number for name, number in self.options.keep if name == self.template.name}
        for number, where in enumerate(self.graph.locations):
            if where.atomic or where.loop or number in asked or (self.options.keep_labels and where.labels):
                kept.add(number)
        return kept

    def run(self) -> None:
        order, _, _ = depth_first(lambda n: [s.target for s in self.graph.out[n]])
        work = order  # taken from the end: what comes later is folded first
        waiting = set(order)
        while work:
            node = work.pop()
            waiting.discard(node)
            for changed in self._reduce(node):
                if changed not in waiting:
                    waiting.add(changed)
                    work.append(changed)
        order, _, _ = depth_first(lambda n: [s.target for s in self.graph.out[n]])
        for node in order:
            self._decide(node)
        order, _, _ = depth_first(lambda n: [s.target for s in self.graph.out[n]])  # with the forks that were made
        for node in reversed(order):
            self._push(node)

    def _reduce(self, node: int) -> list[int]:
        """Apply rules 1 and 2 at a location; the locations at which something new may be possible."""
        if len(self.graph.out[node]) > 1 and not self.graph.locations[node].atomic:
            joined = self._diamond(node)
            if joined is not None:
                self._replace(node, [joined])
        return self._chain(node)

    def _replace(self, node: int, steps: list[Step]) -> None:
        old, self.graph.out[node] = self.graph.out[node], steps
        for step in steps:
            self.into[step.target].add(node)
        for target in sorted({s.target for s in old} - {s.target for s in steps}):
            self.into[target].discard(node)
            if not self.into[target] and target not in self.kept:
                self._forget(target)

    def _forget(self, node: int) -> None:
        """A location that nothing leads to any more."""
        todo = [node]
        while todo:
            lost = todo.pop()
            targets = sorted({s.target for s in self.graph.out[lost]})
            self.graph.out[lost] = []
            for target in targets:
                self.into[target].discard(lost)
                if not self.into[target] and target not in self.kept:
                    todo.append(target)

    # ------------------------------------------------------------ rule 1

    def _chain(self, node: int) -> list[int]:
        steps = self.graph.out[node]
        if node in self.kept or len(steps) != 1 or id(steps[0]) not in self._invisible or steps[0].guard is not TRUE:
            return []
        follower = steps[0]
        sources = sorted(self.into[node])
        arriving = sum(1 for source in sources for s in self.graph.out[source] if s.target == node)
        if arriving > 1 and (arriving - 1) * len(follower.actions) > self.options.copies:
            return []
        changed = []
        for source in sources:
            if not self.graph.locations[source].atomic:
                new = [self._appended(s, follower) if s.target == node else s for s in self.graph.out[source]]
                if any(map(lambda a, b: a is not b, new, self.graph.out[source])):
                    self._replace(source, new)
                    changed.append(source)
        return changed

    def _appended(self, first: Step, follower: Step) -> Step:
        if ending(first) or len(first.actions) + len(follower.actions) > self.options.largest:
            return first
        if any(t.kind in ("section", "atomic") for t in first.tags):
            if not all(self.validity.safe(self.template, a) for a in follower.actions):
                return first
        actions = shortened(first.actions + follower.actions)
        return self._made(first, first.guard, actions, follower.target, [first, follower], id(first) in self._invisible)

    def _made(self, like: Step, guard: Expr, actions: tuple[Action, ...], target: int, parts: list[Step], invisible: bool) -> Step:
        step = Step(like.source, guard, actions, target, like.loc, _text(parts), like.tags, like.calls)
        if invisible:
            self._invisible[id(step)] = step
        return step

    # ------------------------------------------------------------ rule 2

    def _diamond(self, node: int) -> Step | None:
        steps = self.graph.out[node]
        if not all(id(s) in self._invisible for s in steps) or sum(len(s.actions) for s in steps) + len(steps) > self.options.largest:
            return None
        targets = {s.target for s in steps if not ending(s)} or {steps[0].target}
        guards = [s.guard for s in steps]
        if len(targets) != 1 or not exhaustive(guards) or not all_exclusive(guards):
            return None
        stopping = [s for s in steps if ending(s)]
        going = [s for s in steps if not ending(s)]
        actions: list[Action] = []
        predicates = {id(s): self._predicate(s.guard, steps, actions) for s in steps}
        for step in stopping + going:
            alone = len(going) == 1 and step is going[0]
            for action in step.actions:
                actions.append(action if alone else with_when(action, conj(predicates[id(step)], action.when)))
        clean = written_first(actions, self.live[node], self.graph.registers)
        return self._made(steps[0], TRUE, shortened(clean), targets.pop(), stopping + going, True)

    def _predicate(self, guard: Expr, steps: list[Step], actions: list[Action]) -> Expr:
        """The guard, or a register that keeps it if the actions may change what it reads."""
        written = {str(defined(a)) for s in steps for a in s.actions}
        if guard.reads.isdisjoint(written):
            return guard
        for earlier in actions:
            if isinstance(earlier, Assign) and earlier.value is negate(guard):
                return negate(_register(earlier))
        target = self.graph.register("when", 1)
        actions.append(Assign(str(target.data), guard))
        return target

    # ------------------------------------------------------------ rule 3

    def _decide(self, node: int) -> None:
        """Where a branch is the last to read some register, the steps before it keep one bit, the decision, instead of that register."""
        steps = self.graph.out[node]
        if node in self.kept or len(steps) != 2 or steps[0].guard is not negate(steps[1].guard) or _bit(steps[0].guard):
            return
        guard = steps[0].guard
        if guard.reads <= self._needed(steps[0]) | self._needed(steps[1]) or not self._open(node):
            return
        bit, fork = self.graph.register("when", 1), self.graph.location(node)
        self.into.append(set())
        self.live.append(frozenset())
        made = Step(node, TRUE, (Assign(str(bit.data), guard),), fork, steps[0].loc, "", (), steps[0].calls)
        self._invisible[id(made)] = made
        self._replace(fork, [replace(s, source=fork, guard=g) for s, g in zip(steps, (bit, negate(bit)), strict=True)])
        self._replace(node, [made])
        self._chain(node)

    def _open(self, node: int) -> bool:
        """One more assignment fits into every step into the location."""
        arriving = [s for source in self.into[node] for s in self.graph.out[source] if s.target == node]
        return all(len(s.actions) < self.options.largest and not self.graph.locations[s.source].atomic for s in arriving)

    def _needed(self, step: Step) -> set[str]:
        """Registers whose value matters when the step is taken, its guard apart."""
        needed = set(self.live[step.target])
        for action in reversed(step.actions):
            if always(action):
                needed.discard(str(defined(action)))
            needed |= reads(action)
        return needed

    def _push(self, node: int) -> None:
        if self.graph.locations[node].atomic:
            return
        for _ in range(8):
            steps = self.graph.out[node]
            new = [made for step in steps for made in self._pushed(node, step)]
            if len(new) == len(steps) and all(map(lambda a, b: a is b, new, steps)):
                return
            self._replace(node, new)

    def _pushed(self, node: int, step: Step) -> list[Step]:
        target = step.target
        if target in self.kept or target == node or step.tags or not self.graph.out[target]:
            return [step]
        values = values_after(step.actions, self.tidy)
        followers = self.graph.out[target]
        size = sum(len(s.actions) for s in followers)
        if values is None or (size > self.options.copies and len(self.into[target]) > 1):
            return [step]
        if len(step.actions) + max(len(s.actions) for s in followers) > self.options.largest:
            return [step]
        guards = [conj(step.guard, fill(s.guard, values)) for s in followers]
        if not all(self.tidy.small(g) for g in guards):
            return [step]
        made = [self._before(step, s, guard) for s, guard in zip(followers, guards, strict=True)]
        return [s for s in made if s.guard.op != "const" or s.guard.data]

    def _before(self, step: Step, follower: Step, guard: Expr) -> Step:
        tags = tags_before(follower.tags, step.actions)
        return replace(follower, source=step.source, guard=guard, actions=step.actions + follower.actions, tags=tags)


def _bit(guard: Expr) -> bool:
    """A register of one bit, or its negation: already decided."""
    return (guard.args[0] if guard.op == "not" else guard).op == "reg"


def _register(action: Assign) -> Expr:
    return reg(action.reg, action.value.width)


def _text(parts: list[Step]) -> str:
    """The statements of a folded step, each once, as far as they fit a line."""
    texts = list(dict.fromkeys(p.text for p in parts if p.text))
    joined = " ".join(text for text in texts if not any(other != text and other.startswith(text) for other in texts))
    return joined if len(joined) <= _TEXT else joined[: _TEXT - 3].rstrip() + "..."
