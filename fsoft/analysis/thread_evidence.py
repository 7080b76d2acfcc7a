"""The checker of facts about threads: believes nothing that `thread_states.py` computed.

It goes once over the states, writes and starts that are listed and looks whether they are closed: every slot begins in a state of the list,
every step from a listed state leads to listed ones and violates no check that is asked, writes what is listed, starts slots with memory
that is listed. There is no fixed point and no search here. It trusts what one step does to sets of values (`slot_steps.py`).
"""

from __future__ import annotations

from fsoft.analysis.slot_memory import NoClaim
from fsoft.analysis.thread_states import LocalState, ThreadFacts, ThreadStates, included, view_included
from fsoft.analysis.value_sets import within
from fsoft.program.program import Program


class Refuted(Exception):
    """The certificate does not hold; the message says where."""


def check_facts(program: Program, asked: frozenset[str], facts: ThreadFacts) -> ThreadStates:
    """Refuted unless the facts show that no asked check can fail and no bound is met. What is returned has taken them over."""
    try:
        threads = ThreadStates(program, asked, facts.locks)
        threads.adopt(facts)
        for slot, states in enumerate(facts.states):
            _check_slot(threads, slot, states)
    except NoClaim as reason:
        raise Refuted(str(reason)) from reason
    return threads


def _check_slot(threads: ThreadStates, slot: int, states: list[LocalState]) -> None:
    start, places = threads.starts[slot], dict[int, list[LocalState]]()
    for state in states:
        places.setdefault(state.location, []).append(state)
    from_the_start = threads.at_start(slot)
    if from_the_start is not None and (start is None or not view_included(from_the_start, start, threads.memory)):
        raise Refuted(f"slot {slot} starts with other memory")
    first = threads.first(slot)
    if first is not None and not _listed(threads, slot, first, places):
        raise Refuted(f"the start of slot {slot} is not listed")
    for state in states:
        _check_state(threads, slot, state, places)


def _listed(threads: ThreadStates, slot: int, state: LocalState, places: dict[int, list[LocalState]]) -> bool:
    """A state in which nobody else runs is none of those in which the rules of locks hold already."""
    alone, there = threads.alone(slot, state), places.get(state.location, ())
    return any(threads.alone(slot, other) == alone and included(state, other, threads.memory) for other in there)


def _check_state(threads: ThreadStates, slot: int, state: LocalState, places: dict[int, list[LocalState]]) -> None:
    """One state is closed under the steps of the others and of its own slot."""
    if not view_included(threads.closed(slot, state.view), state.view, threads.memory):
        raise Refuted(f"slot {slot}, location {state.location}: others may change what is listed")
    for step, outcome in threads.outcomes(slot, state):
        for write in outcome.writes:
            if threads.matters(write) and not within(write.values, threads.known(slot, write)):
                raise Refuted(f"{step.loc}: a write of slot {slot} is not listed")
        for view in threads.unruled(slot, state, outcome):
            threads.first_start(slot, view)
        for started, view in outcome.started:
            known = threads.starts[started]
            if known is None or not view_included(threads.inherited(started, view), known, threads.memory):
                raise Refuted(f"{step.loc}: a start of slot {started} is not listed")
        for successor in threads.successors(slot, step, outcome):
            if not _listed(threads, slot, successor, places):
                raise Refuted(f"{step.loc}: a step of slot {slot} leads to a state that is not listed")
