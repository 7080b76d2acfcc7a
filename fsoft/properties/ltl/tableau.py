"""A formula as a transition system: the symbolic tableau (Clarke, Grumberg and Hamaguchi, "Another look at LTL model checking", FMSD 1997).

The formula is in negation normal form. Every temporal subformula has one latch. For X, U and R the latch is a promise: an input
guesses that the subformula is going to hold one frame later, the latch remembers the guess, and a constraint makes it true.
Only promises count, so one direction is enough (all operators are monotone in the normal form); a promise that is not needed is
not made. The latch of U gives one justice set: infinitely often nothing is promised, or the right side holds. The latches of Y
Z S T remember the past.

Terms are one-bit `Expr`s over the leaves `atom.K`, the inputs and the latches, so that the circuit and the explicit product read the same
tableau. A run satisfies the formula iff for some guesses all constraints hold in every frame and every justice set infinitely often.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fsoft.program.expr import FALSE, TRUE, Expr, conj, disj, negate, reg
from fsoft.properties.ltl.formula import Atom, TemporalFormula, atoms_of, subformulas

STARTED = "ltl.started"


@dataclass(slots=True)
class Tableau:
    """`atoms` names the leaf of every atom; `latches` have their value in the first frame and their next value."""

    atoms: dict[Atom, str] = field(default_factory=dict)
    inputs: list[str] = field(default_factory=list)
    latches: dict[str, tuple[int, Expr]] = field(default_factory=dict)
    constraints: list[Expr] = field(default_factory=list)
    justice: list[Expr] = field(default_factory=list)


def tableau(formula: TemporalFormula) -> Tableau:
    """The tableau of a formula in negation normal form, for the runs that satisfy it from their first frame."""
    result = Tableau({atom: f"atom.{k}" for k, atom in enumerate(atoms_of(formula))})
    value: dict[TemporalFormula, Expr] = {}
    for number, node in enumerate(subformulas(formula)):
        value[node] = _value(result, node, [value[a] for a in node.args], number)
    result.latches[STARTED] = (0, TRUE)
    result.constraints.append(disj(reg(STARTED, 1), value[formula]))
    return result


def _value(result: Tableau, node: TemporalFormula, args: list[Expr], number: int) -> Expr:
    if node.op == "atom":
        assert node.atom is not None
        return reg(result.atoms[node.atom], 1)
    if node.op in ("true", "false"):
        return TRUE if node.op == "true" else FALSE
    if node.op == "not":
        return negate(args[0])
    if node.op in ("and", "or"):
        return (conj if node.op == "and" else disj)(args[0], args[1])
    if node.op in ("X", "U", "R"):
        return _promise(result, node.op, args, number)
    return _memory(result, node.op, args, number)


def _promise(result: Tableau, op: str, args: list[Expr], number: int) -> Expr:
    guess, promised = reg(f"ltl.guess.{number}", 1), reg(f"ltl.{op}.{number}", 1)
    result.inputs.append(str(guess.data))
    result.latches[str(promised.data)] = (0, guess)
    if op == "X":
        result.constraints.append(disj(negate(promised), args[0]))
        return guess
    left, right = args
    if op == "U":
        value, needed = disj(right, conj(left, guess)), conj(left, negate(right))
        result.justice.append(disj(negate(promised), right))
    else:
        value, needed = conj(right, disj(left, guess)), conj(right, negate(left))
    result.constraints += [disj(negate(promised), value), disj(negate(guess), needed)]
    return value


def _memory(result: Tableau, op: str, args: list[Expr], number: int) -> Expr:
    """Y and Z give what their argument was one frame before; S and T what they were themselves, combined with now."""
    latch = reg(f"ltl.{op}.{number}", 1)
    start = 1 if op in ("Z", "T") else 0
    if op in ("Y", "Z"):
        result.latches[str(latch.data)] = (start, args[0])
        return latch
    left, right = args
    value = disj(right, conj(left, latch)) if op == "S" else conj(right, disj(left, latch))
    result.latches[str(latch.data)] = (start, value)
    return value


__all__ = ["STARTED", "Tableau", "tableau"]
