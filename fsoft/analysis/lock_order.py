"""No deadlock by the order of locks: who may hold what while waiting for what, and why that never closes a circle.

A *resource* is an owner word, a readers word, a semaphore, or a thread (which holds itself while it runs, and is waited for by a
join). There is an edge x -> y if some thread may wait for y while it has x. Claim: if every circle of edges is excluded by one of
the reasons below, and every wait is for resources, then no reachable state is a deadlock, neither global nor local.

*Proof.* In a deadlock each waiting thread is blocked by a resource that is not free: an owner word with the id of a thread, a
readers word with bits of threads, the state of a thread that runs, a semaphore at 0. By the rules that `slot_steps.py` checks,
somebody has it: the thread with that id, or bit; the running thread itself; those that have the units (there are some, the capacity
is not 0). Whoever has it has not ended (a thread ends with empty hands) and has not stopped (then it is no deadlock), so it waits,
too, and this gives an edge. Going on like that closes a circle of different threads after finitely many steps, each with the
resource that the one before waits for. Reasons why there is none:

- *rank*: x -> y is an edge only where the rank of x is lower;
- *few threads*: in a strongly connected part whose shortest circle has m edges, fewer than m threads cause edges;
- *gate*: all edges of the part are made under a lock, or units of a semaphore of capacity c < m, outside of the part: at most c threads
  are in there at a time;
- *enough units*: x = y is a semaphore, and those who wait for it can have less than all its units together. Then one of the threads that
  have units waits for something else; the proof goes on with that one, so this edge is not needed.

A wait where another step is open to the thread (a time-out) is none. A thread that waits inside an atomic section of the user's is
no deadlock by definition. Conditions, barriers and whatever else waits without an owner: no claim.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from fsoft.analysis.flow import components
from fsoft.analysis.locks import Held
from fsoft.analysis.slot_memory import MemoryView, NoClaim
from fsoft.analysis.slot_steps import SlotSteps, StepOutcome, World
from fsoft.analysis.thread_states import LocalState, ThreadFacts, ThreadStates
from fsoft.analysis.value_sets import NO
from fsoft.program import descriptor
from fsoft.program.expr import Expr
from fsoft.program.program import Program, Step

Resource = tuple[str, int]
"""("lock", owner word), ("readers", readers word), ("units", semaphore) or ("thread", slot)."""


_OWNERLESS = frozenset({"wake", "barrier", "once"})
"""Tags of steps that wait for something without an owner: it would only take longer to find that out."""


@dataclass(frozen=True, slots=True)
class Wait:
    """A slot may wait for `wanted` while it has the resources `has`; of semaphores with how many units."""

    slot: int
    wanted: Resource
    has: frozenset[Resource]
    units: tuple[tuple[int, int], ...]
    location: int


@dataclass(slots=True)
class LockOrderCertificate:
    """The facts about threads, and the rank of every resource; resources of one rank that wait for each other share a reason:
    the lock or semaphore that is the gate, or None if they are few threads."""

    facts: ThreadFacts
    ranks: dict[Resource, int] = field(default_factory=dict)
    gates: dict[int, Resource | None] = field(default_factory=dict)


def prove(program: Program, asked: frozenset[str]) -> LockOrderCertificate:
    """A certificate that no deadlock is reachable, nor a violation of the checks that are asked for; NoClaim if there is none."""
    for template in program.templates():
        for step in template.steps:
            if any(tag.kind in _OWNERLESS for tag in step.tags):
                raise NoClaim(f"{step.loc}: a wait that no thread can be held to")
    threads = ThreadStates(program, asked)
    facts = threads.solve()
    waits = list(all_waits(threads, facts))
    edges = list(needed(waits, facts.protocol.capacity))
    ranks, gates = _rank(edges, facts.protocol.capacity)
    return LockOrderCertificate(facts, ranks, gates)


# ---------------------------------------------------------------- who waits for what


def all_waits(threads: ThreadStates, facts: ThreadFacts) -> Iterator[Wait]:
    """The waits of all threads; NoClaim if one is not for resources."""
    for slot, states in enumerate(facts.states):
        for state in states:
            if state.location == 0:
                view = dict(state.view)  # a thread that is not running does not wait
                view[facts.protocol.states[slot]] = frozenset((descriptor.RUNNING,))
                state = LocalState(0, state.registers, view)
            yield from _waits(threads, slot, state)


def _waits(threads: ThreadStates, slot: int, state: LocalState) -> Iterator[Wait]:
    steps = threads.steps[slot]
    outcomes = list(threads.outcomes(slot, state))
    blocked = [(step, outcome) for step, outcome in outcomes if outcome.blocked and not _has(step, "section")]
    closed = [step for step, outcome in outcomes if outcome.blocked or _has(step, "spurious")]
    everything = threads.out[id(threads.program.threads[slot].template)][state.location]
    if not everything or _covers(steps, state, [step.guard for step in everything if step not in closed]):
        return  # done, or a step can be taken (those whose guard cannot hold do no harm here)
    if not _covers(steps, state, [step.guard for step in everything]):
        raise NoClaim(f"{everything[0].loc}: it is not plain that some step can be taken")
    if steps.unclear(state.view):
        raise NoClaim(f"{everything[0].loc}: it is not plain which locks are held")
    held = steps.held(state.view)
    has = frozenset([("thread", slot), *(_resource(threads, cell) for cell in held)])
    units = tuple(sorted((cell, steps.units(state.view, cell)) for cell in held & threads.protocol.semaphores))
    for step, outcome in blocked:
        for wanted in _wanted(threads, slot, state, step, outcome):
            yield Wait(slot, wanted, has, units, state.location)


def _resource(threads: ThreadStates, cell: int) -> Resource:
    if cell in threads.protocol.states:
        return ("thread", threads.protocol.states.index(cell))
    if cell in threads.protocol.semaphores:
        return ("units", cell)
    return ("readers", cell) if cell in threads.protocol.readers else ("lock", cell)


def _wanted(threads: ThreadStates, slot: int, state: LocalState, step: Step, outcome: StepOutcome) -> list[Resource]:
    """What the step waits for; NoClaim unless it is certain to go on when all that is free."""
    steps, protocol = threads.steps[slot], threads.protocol
    known = protocol.owners | protocol.semaphores | protocol.readers | set(protocol.states)
    cells = outcome.blockers & known
    free: MemoryView = dict(state.view)
    running = steps.running(state.view) | steps.bit
    for cell in cells:
        values = threads.memory.read(state.view, cell)
        ids = [v - 1 for v in values or ()] if cell in protocol.owners else []
        bits = (values or ()) if cell in protocol.readers else ()
        if values is None or any(k >= 0 and not running >> k & 1 for k in ids) or any(v & ~running for v in bits):
            raise NoClaim(f"{step.loc}: a lock may be held by nobody that runs")
        if cell in protocol.owners or cell in protocol.readers:
            free[cell] = NO
        elif cell in protocol.states:
            free[cell] = frozenset((descriptor.FINISHED,))
        else:
            if not protocol.capacity.get(cell):
                raise NoClaim(f"{step.loc}: nobody has what is waited for")
            free[cell] = (threads.memory.read(free, cell) or frozenset()) - NO
    again = steps.take(step, state.registers, free)
    if again is None or again.blocked:
        raise NoClaim(f"{step.loc}: a wait for something that no thread owns")
    return sorted(_resource(threads, cell) for cell in cells)


def _has(step: Step, kind: str) -> bool:
    return any(tag.kind == kind for tag in step.tags)


def _covers(steps: SlotSteps, state: LocalState, guards: list[Expr]) -> bool:
    """One of the guards always holds in a state: by its values, or by cases over the conditions that the guards are made of."""
    world: World | None = World(dict(state.registers), dict(state.view))
    for guard in guards:
        if world is not None:
            _, world = steps.split(world, guard)
    return world is None or _always(guards)


def _always(guards: list[Expr]) -> bool:
    atoms = list(dict.fromkeys(atom for guard in guards for atom in _atoms(guard)))
    if not guards or len(atoms) > 10:
        return False
    for case in range(1 << len(atoms)):
        chosen = {atom: case >> k & 1 for k, atom in enumerate(atoms)}
        if not any(_holds(guard, chosen) for guard in guards):
            return False
    return True


_CONNECTIVES = ("and", "or", "not")


def _atoms(guard: Expr) -> Iterator[Expr]:
    stack = [guard]
    while stack:
        node = stack.pop()
        if node.op in _CONNECTIVES:
            stack.extend(node.args)
        elif node.op != "const":
            yield node


def _holds(guard: Expr, chosen: dict[Expr, int]) -> bool:
    values: dict[Expr, bool] = {}
    stack = [guard]
    while stack:
        node = stack[-1]
        if node.op not in _CONNECTIVES:
            values[stack.pop()] = bool(node.value if node.op == "const" else chosen[node])
        elif todo := [a for a in node.args if a not in values]:
            stack.extend(todo)
        else:
            stack.pop()
            parts = [values[a] for a in node.args]
            values[node] = not parts[0] if node.op == "not" else all(parts) if node.op == "and" else any(parts)
    return values[guard]


# ---------------------------------------------------------------- the order


@dataclass(frozen=True, slots=True)
class WaitEdge:
    """`slot` may wait for `second` while it has `first`, and all that is in `has`."""

    first: Resource
    second: Resource
    slot: int
    has: frozenset[Resource]


def needed(waits: list[Wait], capacity: dict[int, int]) -> Iterator[WaitEdge]:
    """The edges, without those from a semaphore to itself of which there are always enough units."""
    for wait in dict.fromkeys((w.slot, w.wanted, w.has) for w in waits):
        slot, wanted, has = wait
        for first in sorted(has):
            if first != wanted or wanted[0] != "units" or not enough(waits, wanted, capacity):
                yield WaitEdge(first, wanted, slot, has)


def enough(waits: list[Wait], semaphore: Resource, capacity: dict[int, int]) -> bool:
    """Those who wait for a semaphore and have units of it have less than all, together."""
    most: dict[int, int] = {}
    common: Held | None = None
    for wait in waits:
        mine = dict(wait.units).get(semaphore[1], 0)
        if wait.wanted == semaphore and mine:
            most[wait.slot] = max(most.get(wait.slot, 0), mine)
            locks = frozenset(cell for kind, cell in wait.has if kind == "lock")
            common = locks if common is None else common & locks
    total = max(most.values(), default=0) if common else sum(most.values())
    return total < capacity[semaphore[1]]


def _rank(edges: list[WaitEdge], capacity: dict[int, int]) -> tuple[dict[Resource, int], dict[int, Resource | None]]:
    succ: dict[Resource, set[Resource]] = {}
    for edge in edges:
        succ.setdefault(edge.first, set()).add(edge.second)
        succ.setdefault(edge.second, set())
    ranks: dict[Resource, int] = {}
    gates: dict[int, Resource | None] = {}
    parts = components(succ)
    for number, part in enumerate(reversed(parts)):
        ranks.update(dict.fromkeys(part, number))
        inside = [edge for edge in edges if edge.first in part and edge.second in part]
        if inside:
            gates[number] = _gate(inside, part, capacity)
    return ranks, gates


def _gate(inside: list[WaitEdge], part: set[Resource], capacity: dict[int, int]) -> Resource | None:
    for gate in [None, *sorted(frozenset.intersection(*[edge.has for edge in inside]) - part)]:
        if harmless(inside, gate, capacity):
            return gate
    names = ", ".join(f"{kind} 0x{number:x}" for kind, number in sorted(part)[:4])
    raise NoClaim(f"locks may be taken in a circle ({names})")


def harmless(inside: list[WaitEdge], gate: Resource | None, capacity: dict[int, int]) -> bool:
    """Too few threads can be in the part for its shortest circle."""
    threads = len({edge.slot for edge in inside})
    if gate is not None:
        threads = min(threads, 1 if gate[0] == "lock" else capacity[gate[1]] if gate[0] == "units" else threads)
    return threads < girth(inside)


def girth(edges: Iterable[WaitEdge]) -> int:
    """The number of edges of a shortest circle."""
    succ: dict[Resource, set[Resource]] = {}
    for edge in edges:
        succ.setdefault(edge.first, set()).add(edge.second)
    best = len(succ) + 1
    for start in succ:
        distance, layer = 0, {start}
        seen: set[Resource] = set()
        while layer and distance < best:
            distance += 1
            layer = {y for x in layer for y in succ.get(x, ())} - seen
            seen |= layer
            if start in layer:
                best = min(best, distance)
                break
    return best
