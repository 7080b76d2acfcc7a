"""Forward reachability on BDDs: breadth first, a partitioned transition relation, early quantification (Burch, Clarke and Long, 1991; the
order of the parts as in Ranjan and others, IWLS 1995).

Latch i is the pair of variables 2i (now) and 2i + 1 (next), inputs follow. The states reached in exactly k steps for the first time
are kept for each k: a counterexample is picked backwards through them. The proof is the set of all reachable states, as a circuit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from fsoft.checkers.registry import Fair, ModelChecker, ModelEngine
from fsoft.checkers.safety import Excluded, Goal, Open, Reached, SafetyEngine, TargetOutcome, invariant
from fsoft.circuit.bits import BitStimulus
from fsoft.circuit.bits.aig import Aig
from fsoft.circuit.bits.unroll import influence
from fsoft.circuit.model.verdict import Certificate
from fsoft.option import option
from fsoft.solve.bdd import Diagram, Manager, manager


@dataclass(slots=True)
class Bdd(SafetyEngine):
    """See the options."""

    backend: str = option("cudd", "the package (cudd)", metavar="NAME", allowed=("cudd", "autoref", "pyeda"))
    cluster: int = option(2500, "nodes of a part of the transition relation (2500)", metavar="N", least=1)
    nodes: int = option(20_000_000, "nodes of the reached states before it gives up (20000000)", metavar="N", least=1)
    depth: int | None = option(None, "at most that many steps", metavar="N", least=0)

    def solve(self, goal: Goal) -> TargetOutcome:
        if all(literal == 0 for literal in goal.targets.values()):
            return invariant([])
        space = Space(goal, manager(self.backend))
        image = Image(space, self.cluster)
        return self._explore(goal, space, image)

    def _explore(self, goal: Goal, space: Space, image: Image) -> TargetOutcome:
        dd = space.dd
        rings = [space.initial]
        reached = space.initial
        while True:
            if rings[-1] & space.bad_states != dd.false:
                return Reached(space.trace(rings))
            goal.cover(len(rings) - 1)
            goal.tick()
            if self.depth is not None and len(rings) > self.depth:
                return Open(f"no violation within {self.depth} steps")
            following = image(rings[-1]) & ~reached
            if following == dd.false:
                return Excluded(space.certificate(reached))
            reached = reached | following
            rings.append(following)
            if dd.size(reached) > self.nodes:
                return Open(f"more than {self.nodes} BDD nodes for the states within {len(rings) - 1} steps")


class Space:
    """The model as diagrams: next functions, bads, constraints, initial states."""

    def __init__(self, goal: Goal, dd: Manager) -> None:
        self.goal, self.dd, self.bits = goal, dd, goal.bits
        bits = goal.bits
        self.count = len(bits.latches)
        self.inputs = {2 * self.count + i: i for i in range(len(bits.inputs))}
        dd.declare(_order(goal))
        self._value: dict[int, Diagram] = {0: dd.false}
        for i, literal in enumerate(bits.latches):
            self._value[literal >> 1] = dd.var(2 * i)
        for number, i in self.inputs.items():
            self._value[bits.inputs[i] >> 1] = dd.var(number)
        self._build([*goal.targets.values(), *bits.constraints.values(), *bits.next])
        self.next = [self.at(literal) for literal in bits.next]
        self.legal = dd.true
        for literal in bits.constraints.values():
            self.legal = self.legal & self.at(literal)
        self.bad = dd.false
        self._targets = {name: self.at(literal) for name, literal in goal.targets.items()}
        for target in self._targets.values():
            self.bad = self.bad | target
        self.bad = self.bad & self.legal
        self.bad_states = dd.exists(self.bad, list(self.inputs))
        self.initial = dd.true
        for i, reset in enumerate(bits.reset):
            if reset is not None:
                self.initial = self.initial & (dd.var(2 * i) if reset else ~dd.var(2 * i))
        self._value = {}

    def _build(self, wanted: list[int]) -> None:
        """Diagrams of the cone, each forgotten after its last use."""
        aig, value = self.bits.aig, self._value
        cone = [v for v in aig.cone(wanted) if aig.left[v] >= 0]
        uses: dict[int, int] = {}
        for v in cone:
            for operand in (aig.left[v] >> 1, aig.right[v] >> 1):
                uses[operand] = uses.get(operand, 0) + 1
        for literal in [*wanted, *self.bits.latches, *self.bits.inputs, 0]:
            uses[literal >> 1] = uses.get(literal >> 1, 0) + 1
        for count, v in enumerate(cone):
            value[v] = self.at(aig.left[v]) & self.at(aig.right[v])
            if count & 255 == 0:
                self.goal.tick()
            for operand in (aig.left[v] >> 1, aig.right[v] >> 1):
                uses[operand] -= 1
                if not uses[operand]:
                    del value[operand]

    def at(self, literal: int) -> Diagram:
        value = self._value[literal >> 1]
        return ~value if literal & 1 else value

    def at_target(self, name: str) -> Diagram:
        """The transitions in which a target holds."""
        return self._targets[name]

    # ------------------------------------------------------------ evidence

    def trace(self, rings: list[Diagram]) -> BitStimulus:
        """A run to a bad state in the last ring."""
        dd = self.dd
        state, step = self.choose(rings[-1] & self.bad)
        steps = [step]
        for ring in reversed(rings[:-1]):
            before = ring & self.legal
            for i, value in enumerate(state):
                before = before & (self.next[i] if value else ~self.next[i])
            assert before != dd.false
            state, step = self.choose(before)
            steps.append(step)
        return BitStimulus(state, tuple(reversed(steps)))

    def choose(self, states: Diagram) -> tuple[tuple[int, ...], tuple[int, ...]]:
        chosen = self.dd.pick(states)
        state = tuple(chosen.get(2 * i, 0) for i in range(self.count))
        return state, tuple(chosen.get(number, 0) for number in self.inputs)

    def certificate(self, reached: Diagram) -> Certificate:
        """The set of states as a circuit of multiplexers over the latches."""
        dd = self.dd
        aig = Aig()
        latches = [aig.input() for _ in range(self.count)]
        made: dict[int, int] = {dd.key(dd.true): 1, dd.key(dd.false): 0}
        alive = [reached]  # keeps the diagrams, and with them their keys
        stack = [reached]
        while stack:
            u = stack[-1]
            if dd.key(u) in made:
                stack.pop()
                continue
            number, low, high = dd.branches(u)
            missing = [d for d in (low, high) if dd.key(d) not in made]
            if missing:
                alive += missing
                stack += missing
                continue
            made[dd.key(u)] = aig.mux(latches[number >> 1], made[dd.key(high)], made[dd.key(low)])
            stack.pop()
        circuit = tuple((aig.left[v], aig.right[v]) for v in range(self.count + 1, len(aig)))
        return Certificate("invariant", "", (), (), circuit, (made[dd.key(reached)],))


def _order(goal: Goal) -> list[tuple[int, ...]]:
    """Variables in the order in which a depth-first walk from the targets meets them."""
    bits = goal.bits
    count = len(bits.latches)
    number = {literal >> 1: (2 * i, 2 * i + 1) for i, literal in enumerate(bits.latches)}
    other = {literal >> 1: (2 * count + i,) for i, literal in enumerate(bits.inputs)}
    latch_of = {literal >> 1: i for i, literal in enumerate(bits.latches)}
    left, right = bits.aig.left, bits.aig.right
    seen: set[int] = {0}
    order: list[tuple[int, ...]] = []
    roots = [*goal.targets.values(), *bits.constraints.values()]
    at = 0
    while at < len(roots):
        stack = [roots[at] >> 1]
        at += 1
        while stack:
            v = stack.pop()
            if v in seen:
                continue
            seen.add(v)
            if left[v] >= 0:
                stack += [right[v] >> 1, left[v] >> 1]
            elif v in latch_of:
                order.append(number[v])
                roots.append(bits.next[latch_of[v]])
            elif v in other:
                order.append(other[v])
    rest = [pair for v, pair in [*number.items(), *other.items()] if v not in seen]
    return order + rest


class Image:
    """The states one step after given ones."""

    def __init__(self, space: Space, cluster: int) -> None:
        self.space, self.dd = space, space.dd
        self.back = {2 * i + 1: 2 * i for i in range(space.count)}
        alive = set(influence(space.bits, [*space.goal.targets.values(), *space.bits.constraints.values()]))
        parts = self._clusters([i for i in range(space.count) if i in alive], cluster)
        gone = [2 * i for i in range(space.count)] + list(space.inputs)
        self.schedule, self.first = self._schedule(parts, gone)

    def _clusters(self, latches: list[int], limit: int) -> list[Diagram]:
        """Relations of single latches, joined while they stay small."""
        dd, space = self.dd, self.space
        parts: list[Diagram] = [space.legal] if space.legal != dd.true else []
        current = dd.true
        for i in latches:
            space.goal.tick()
            after, function = dd.var(2 * i + 1), space.next[i]
            relation = (after & function) | (~after & ~function)
            joined = current & relation
            if current != dd.true and dd.size(joined) > limit:
                parts.append(current)
                joined = relation
            current = joined
        return parts + ([current] if current != dd.true else [])

    def _schedule(self, parts: list[Diagram], gone: list[int]) -> tuple[list[tuple[Diagram, list[int]]], list[int]]:
        """An order of the parts with the variables that no later part mentions; and those that none mentions at all."""
        dd = self.dd
        leaving = set(gone)
        supports = [(part, dd.support(part)) for part in parts]
        mentioned = set().union(*[s for _, s in supports]) if supports else set()
        users: dict[int, int] = {}
        for _, support in supports:
            for v in support:
                users[v] = users.get(v, 0) + 1
        schedule = []
        while supports:

            def merit(entry: tuple[Diagram, set[int]]) -> tuple[float, int]:
                _, support = entry
                freed = sum(1 for v in support if v in leaving and users[v] == 1)
                fresh = sum(1 for v in support if v not in leaving)
                return (2 * freed - fresh) / (len(support) + 1), freed

            best = max(range(len(supports)), key=lambda k: merit(supports[k]))
            part, support = supports.pop(best)
            for v in support:
                users[v] -= 1
            schedule.append((part, sorted(v for v in support if v in leaving and not users[v])))
        return schedule, sorted(leaving - mentioned)

    def __call__(self, states: Diagram) -> Diagram:
        dd = self.dd
        result = dd.exists(states, self.first)
        for part, numbers in self.schedule:
            self.space.goal.tick()
            result = dd.and_exists(result, part, numbers)
        return dd.rename(result, self.back)


def _fair(engine: ModelChecker) -> Fair:
    from fsoft.checkers.fairness import check_fair  # which is made of what is here

    assert isinstance(engine, Bdd)
    return partial(check_fair, engine)


ENGINE = ModelEngine(
    name="bdd",
    summary="forward reachability on BDDs; the proof is the set of reachable states",
    proves=True,
    refutes=True,
    maker=Bdd,
    fair=_fair,
)
