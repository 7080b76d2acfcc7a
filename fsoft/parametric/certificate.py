"""The judge of a proof for any number of threads: three conditions on a set of clauses, each asked of a fresh SMT solver, in words.

Let I be the conjunction of the clauses over all choices of different threads. I is enough of a proof if

1. it holds initially;
2. from a state in which it holds, no move of any thread leads to a state in which it does not (unless the run is over then);
3. from a state in which it holds, no move violates a property or hits a bound;
4. in no state in which it holds do two threads race, where that is asked.

Each is asked with three representatives of every unbounded kind: a move has one mover, a clause speaks of two threads, so a
counterexample with any number of threads is one with these (`docs/parametric.md`). The system is built anew from the Program; nothing
is shared with the search that found the clauses but the meaning of a clause.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fsoft.parametric.clauses import ThreadClause, after_move, choices, instance
from fsoft.parametric.system import System, SystemMove
from fsoft.program.expr import FALSE, TRUE, Expr, conj, const, disj, eq, negate, postorder
from fsoft.solve.smt import Smt


def refuted(system: System, clauses: Sequence[ThreadClause], deadline: float | None = None) -> str | None:
    """None if the clauses prove that nothing bad can happen; otherwise what is wrong with them."""
    for clause in clauses:
        if (wrong := _malformed(system, clause)) is not None:
            return wrong
    invariant: Expr = TRUE
    for clause in clauses:
        for slots in choices(system, clause.kinds):
            invariant = conj(invariant, instance(system, clause, slots))
    start: Expr = TRUE
    for name, value in system.initial.items():
        if value is not None:
            start = conj(start, eq(system.word(name), const(value, system.widths[name])))
    if _satisfiable([start, negate(invariant), *system.axioms], deadline):
        return "it does not hold initially"
    for move in system.moves:
        if _satisfiable([invariant, *_moving(system, move), _harm(system, clauses, move)], deadline):
            return f"{move.step.loc}: this step leads out of it, or to something bad: {move.step.text}"
    for clash in system.clashes:
        if _satisfiable([invariant, *system.axioms, clash.condition], deadline):
            names = " and ".join(system.program.threads[slot].name for slot in clash.slots)
            return f"it does not exclude a data race between {names}"
    return None


def _moving(system: System, move: SystemMove) -> list[Expr]:
    """The move can be made."""
    return [*system.axioms, system.at(move.slot, move.step.source), system.others_outside(move.slot), move.enabled]


def _harm(system: System, clauses: Sequence[ThreadClause], move: SystemMove) -> Expr:
    """The move is bad, or some clause does not hold after it."""
    broken: Expr = FALSE
    for clause in clauses:
        for slots in after_move(system, move.slot, clause.kinds):
            broken = disj(broken, negate(instance(system, clause, slots, move.writes)))
    return disj(move.bad, conj(negate(move.over), broken))


def _malformed(system: System, clause: ThreadClause) -> str | None:
    if len(clause.kinds) > 2 or len(clause.kinds) != len(clause.places) or not all(0 <= kind < len(system.kinds) for kind in clause.kinds):
        return "a clause is not about one or two threads"
    known = set(system.shared)
    for role, kind in enumerate(clause.kinds):
        known |= {f"{'ij'[role]}.{k}" for k in range(len(system.owned[system.kinds[kind].slots[0]]))}
    if any(literal.width != 1 or not literal.reads <= known for literal in clause.literals):
        return "a clause speaks of what is neither shared nor one of its threads'"
    return None


def _satisfiable(terms: list[Expr], deadline: float | None) -> bool:
    smt = Smt()
    leaves: dict[str, Any] = {}
    for node in postorder(tuple(terms)):
        if node.op == "reg":
            leaves[str(node.data)] = smt.constant(str(node.data), node.width)
    done: dict[Expr, Any] = {}
    for term in terms:
        smt.add(smt.holds(smt.term(term, leaves, done)))
    return smt.solve([], deadline)


__all__ = ["refuted"]
