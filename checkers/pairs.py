"""Invariants of two literals: Case, Mishchenko and Brayton, "Automated Extraction of Inductive Invariants to Aid Model
Checking" (FMCAD 2007).

Clauses of one or two latch literals that hold in all states of some random runs are candidates; those that are not inductive
together go, round by round, as in Houdini. What is left is inductive as a set and holds initially: who owns a lock and where the
threads are, which flags exclude each other. An engine may take the clauses for granted in every reachable state, and puts them
into its certificate.

A literal is `i + 1` (latch i is true) or `-(i + 1)`; an initial state satisfies every clause. The work is bounded by counts, not by
the clock, so that the same model gives the same clauses.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from fsoft.circuit.bits import BitModel
from fsoft.circuit.bits.cnf import POSITIVE, Encoder
from fsoft.circuit.bits.simulate import Simulator
from fsoft.solve.sat import Sat

Clause = tuple[int, ...]

_RUNS, _STEPS = 256, 120  # of the random simulation
_LATCHES = 600  # more than that, and the candidates are too many
_CANDIDATES = 12_000
_QUERIES = 1_500  # of the solver, over all rounds


def pair_invariants(bits: BitModel, tick: Callable[[], None] = lambda: None, solver: str = "minisat22") -> list[Clause]:
    """Clauses of at most two literals that hold in every reachable state; none where finding them is too much work. `tick` is called
    now and then and may raise."""
    if len(bits.latches) > _LATCHES:
        return []
    candidates = _candidates(bits)
    if len(candidates) > _CANDIDATES:
        return []
    return _needed(inductive_part(bits, candidates, tick, solver))


def inductive_part(bits: BitModel, candidates: list[Clause], tick: Callable[[], None], solver: str) -> list[Clause]:
    """The largest part of the candidates that is inductive as a set, if initial states satisfy them; none if that takes too much work."""
    queries = _QUERIES
    while candidates:
        tick()
        kept, used = _round(bits, candidates, solver, queries, tick)
        if kept is None:
            return []
        if len(kept) == len(candidates):
            return kept
        queries -= used
        candidates = kept
    return []


def _candidates(bits: BitModel) -> list[Clause]:
    """The clauses that random runs do not refute."""
    false = _signatures(bits)
    literals = [literal for i in range(len(bits.latches)) for literal in (i + 1, -(i + 1))]
    single = [literal for literal in literals if not false[literal]]
    clauses: list[Clause] = [(literal,) for literal in single]
    rest = [literal for literal in literals if false[literal] and false[-literal]]
    for k, a in enumerate(rest):
        never = false[a]
        clauses += [(a, b) for b in rest[k + 1 :] if b != -a and not never & false[b]]
        if len(clauses) > _CANDIDATES:
            break
    return clauses


def _signatures(bits: BitModel) -> dict[int, int]:
    """For each literal, a mask of the visited states in which it is false."""
    rng = random.Random(len(bits.latches))
    constraints = list(bits.constraints.values())
    simulator = Simulator(bits.aig, [*bits.next, *constraints], _RUNS)
    state = [rng.getrandbits(_RUNS) if r is None else simulator.mask * r for r in bits.reset]
    alive = simulator.mask
    false = {sign * (i + 1): 0 for i in range(len(bits.latches)) for sign in (1, -1)}
    for step in range(_STEPS):
        shift = step * _RUNS
        for i, value in enumerate(state):
            false[i + 1] |= (alive & ~value) << shift
            false[-(i + 1)] |= (alive & value) << shift
        for literal in bits.inputs:
            simulator.set(literal, rng.getrandbits(_RUNS))
        for literal, value in zip(bits.latches, state):
            simulator.set(literal, value)
        simulator.run()
        for literal in constraints:
            alive &= simulator.get(literal)
        state = [simulator.get(literal) for literal in bits.next]
    return false


def _round(
    bits: BitModel, candidates: list[Clause], solver: str, queries: int, tick: Callable[[], None]
) -> tuple[list[Clause] | None, int]:
    """The candidates that no step from a state that satisfies them all violates, as far as single steps show, and the number of
    queries; None if that took too many."""
    sat = Sat(solver)
    try:
        encoder = Encoder(bits.aig, sat.add, sat.var)
        now = [encoder.literal(latch) for latch in bits.latches]
        then = [encoder.literal(following) for following in bits.next]
        for literal in bits.constraints.values():
            sat.add([encoder.literal(literal, POSITIVE)])
        violated = []
        for clause in candidates:
            sat.add([now[x - 1] if x > 0 else -now[-x - 1] for x in clause])
            wrong = sat.var()
            violated.append(wrong)
            for x in clause:
                sat.add([-wrong, -then[x - 1] if x > 0 else then[-x - 1]])
        sat.add(violated)
        open_ = dict(zip(candidates, violated))
        count = 0
        while sat.solve():
            count += 1
            if count > queries:
                return None, count
            if count & 31 == 0:
                tick()
            after = [sat.value(name) for name in then]
            gone = [c for c in open_ if not any(after[x - 1] if x > 0 else not after[-x - 1] for x in c)]
            for clause in gone:
                sat.add([-open_.pop(clause)])
        return list(open_), count
    finally:
        sat.close()


def _needed(clauses: list[Clause]) -> list[Clause]:
    """The clauses without those that follow from two others (a or b, not b or c give a or c)."""
    single = {clause[0] for clause in clauses if len(clause) == 1}
    after: dict[int, set[int]] = {}  # what a literal implies
    for clause in clauses:
        if len(clause) == 2:
            a, b = clause
            after.setdefault(-a, set()).add(b)
            after.setdefault(-b, set()).add(a)
    found: list[Clause] = [clause for clause in clauses if len(clause) == 1]
    for clause in clauses:
        if len(clause) == 2 and not single.intersection(clause):
            a, b = clause
            between = after[-a] & {-c for c in after.get(-b, ())}
            if between:
                after[-a].discard(b)
                after[-b].discard(a)
            else:
                found.append(clause)
    return found


__all__ = ["Clause", "inductive_part", "pair_invariants"]
