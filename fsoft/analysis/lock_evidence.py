"""The checker of lock-order certificates: believes nothing that `lock_order.py` or `thread_states.py` computed.

It goes once over the states, writes and starts that the certificate lists and looks whether they are closed: every slot begins in a
state of the list, every step from a listed state leads to listed ones, writes what is listed, starts slots with memory that is
listed; then, whether every wait goes up in rank or has one of the reasons of `lock_order.py`. There is no fixed point, no search
and no order computed here. It trusts what one step does to sets of values (`slot_steps.py`) and what a wait is
(`lock_order.all_waits`).
"""

from __future__ import annotations

from fsoft.analysis.lock_order import Certificate, Edge, all_waits, harmless, needed
from fsoft.analysis.slot_memory import NoClaim
from fsoft.analysis.thread_states import LocalState, ThreadStates, included, view_included
from fsoft.analysis.value_sets import within
from fsoft.program.program import Program


class Refuted(Exception):
    """The certificate does not hold; the message says where."""


def check_certificate(program: Program, asked: frozenset[str], certificate: Certificate) -> None:
    """Refuted unless the certificate shows that no deadlock is reachable and no asked check can fail."""
    facts = certificate.facts
    threads = ThreadStates(program, asked)
    threads.adopt(facts)
    try:
        for slot, states in enumerate(facts.states):
            _check_slot(threads, slot, states)
        edges = list(needed(list(all_waits(threads, facts)), facts.protocol.capacity))
    except NoClaim as reason:
        raise Refuted(str(reason)) from reason
    _check_order(edges, certificate)


def _check_slot(threads: ThreadStates, slot: int, states: list[LocalState]) -> None:
    start, places = threads.starts[slot], dict[int, list[LocalState]]()
    for state in states:
        places.setdefault(state.location, []).append(state)
    from_the_start = threads.at_start(slot)
    if from_the_start is not None and (start is None or not view_included(from_the_start, start, threads.memory)):
        raise Refuted(f"slot {slot} starts with other memory")
    first = threads.first(slot)
    if first is not None and not _listed(threads, first, places):
        raise Refuted(f"the start of slot {slot} is not listed")
    for state in states:
        _check_state(threads, slot, state, places)


def _listed(threads: ThreadStates, state: LocalState, places: dict[int, list[LocalState]]) -> bool:
    return any(included(state, other, threads.memory) for other in places.get(state.location, ()))


def _check_state(threads: ThreadStates, slot: int, state: LocalState, places: dict[int, list[LocalState]]) -> None:
    """One state is closed under the steps of the others and of its own slot."""
    if not view_included(threads.closed(slot, state.view), state.view, threads.memory):
        raise Refuted(f"slot {slot}, location {state.location}: others may change what is listed")
    for step, outcome in threads.outcomes(slot, state):
        for write in outcome.writes:
            if threads.matters(write) and not within(write.values, threads.known(slot, write)):
                raise Refuted(f"{step.loc}: a write of slot {slot} is not listed")
        for started, view in outcome.started:
            if not threads.steps[slot].running(state.view):
                threads.first_start(slot, view)
            known = threads.starts[started]
            if known is None or not view_included(threads.inherited(started, view), known, threads.memory):
                raise Refuted(f"{step.loc}: a start of slot {started} is not listed")
        for successor in threads.successors(slot, step, outcome):
            if not _listed(threads, successor, places):
                raise Refuted(f"{step.loc}: a step of slot {slot} leads to a state that is not listed")


def _check_order(edges: list[Edge], certificate: Certificate) -> None:
    ranks = certificate.ranks
    level: dict[int, list[Edge]] = {}
    for edge in edges:
        first, second = ranks.get(edge.first), ranks.get(edge.second)
        if first is None or second is None or first > second:
            raise Refuted(f"a thread of slot {edge.slot} waits for what has a lower rank")
        if first == second:
            level.setdefault(first, []).append(edge)
    for rank, inside in level.items():
        gate = certificate.gates.get(rank)
        if gate is not None and (ranks.get(gate) == rank or not all(gate in edge.has for edge in inside)):
            raise Refuted(f"rank {rank}: the gate is not held everywhere")
        if not harmless(inside, gate, certificate.facts.protocol.capacity):
            raise Refuted(f"rank {rank}: threads may wait in a circle")
