"""The checker of lock-order certificates: believes nothing that `lock_order.py` or `thread_states.py` computed.

It lets `thread_evidence.py` check the facts about threads; then it looks whether every wait goes up in rank or has one of the reasons of
`lock_order.py`. No order is computed here. It trusts what one step does to sets of values (`slot_steps.py`) and what a wait is
(`lock_order.all_waits`).
"""

from __future__ import annotations

from fsoft.analysis.lock_order import LockOrderCertificate, WaitEdge, all_waits, harmless, needed
from fsoft.analysis.slot_memory import NoClaim
from fsoft.analysis.thread_evidence import Refuted, check_facts
from fsoft.program.program import Program


def check_certificate(program: Program, asked: frozenset[str], certificate: LockOrderCertificate) -> None:
    """Refuted unless the certificate shows that no deadlock is reachable and no asked check can fail."""
    facts = certificate.facts
    if not facts.locks:
        raise Refuted("facts that do not tell apart who holds a lock")
    threads = check_facts(program, asked, facts)
    try:
        edges = list(needed(list(all_waits(threads, facts)), facts.protocol.capacity))
    except NoClaim as reason:
        raise Refuted(str(reason)) from reason
    _check_order(edges, certificate)


def _check_order(edges: list[WaitEdge], certificate: LockOrderCertificate) -> None:
    ranks = certificate.ranks
    level: dict[int, list[WaitEdge]] = {}
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
