"""Formulas of linear temporal logic with past, and their negation normal form.

| op | meaning at position i of a run |
|---|---|
| atom | the atom holds there |
| X F G U R W | next, some time, always, until, release (dual of U), weak until: positions from i on |
| Y O H S | yesterday (false at 0), once, historically, since: positions up to i |
| Z T | the duals of Y and S, which only the normal form has: Z is true at 0 |

A formula is immutable and compares by value. `normal` pushes negations to the atoms and leaves X U R Y Z S T and the
boolean operators (F G W O H are written with them).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

UNARY = ("X", "F", "G", "Y", "O", "H")
BINARY = ("U", "R", "W", "S")


@dataclass(frozen=True, slots=True)
class Atom:
    """What can be true of a state. `kind`: c, label, line, enabled, running, finished, idle, holds, ended. `text` is the C text,
    label, or lock; `thread` the thread as written ("" for any); `column` is where the atom starts in the formula, `at` where its
    text does, `who` where its first argument does (from 1). `pieces` is a C text made of several: each with its column, 0 for what
    joins them."""

    kind: str
    text: str = ""
    thread: str = ""
    column: int = field(default=1, compare=False)
    at: int = field(default=1, compare=False)
    pieces: tuple[tuple[str, int], ...] = field(default=(), compare=False)
    who: int = field(default=1, compare=False)

    def __str__(self) -> str:
        if self.kind == "c":
            return self.text
        if self.kind in ("label", "line"):
            return f"at({self.thread + ', ' if self.thread else ''}{self.text})"
        return f"{self.kind}({', '.join(part for part in (self.thread, self.text) if part)})"


@dataclass(frozen=True, slots=True)
class TemporalFormula:
    op: str
    args: tuple[TemporalFormula, ...] = ()
    atom: Atom | None = None

    def __str__(self) -> str:
        if self.op == "atom":
            assert self.atom is not None
            return f"({self.atom})" if self.atom.kind == "c" else str(self.atom)
        if self.op in ("true", "false"):
            return self.op
        if len(self.args) == 1:
            return f"{'!' if self.op == 'not' else self.op + ' '}{self.args[0]}"
        sign = {"and": "&&", "or": "||", "implies": "->", "iff": "<->"}.get(self.op, self.op)
        return f"({self.args[0]} {sign} {self.args[1]})"


TRUE, FALSE = TemporalFormula("true"), TemporalFormula("false")


def negate(f: TemporalFormula) -> TemporalFormula:
    if f.op == "not":
        return f.args[0]
    return {"true": FALSE, "false": TRUE}.get(f.op) or TemporalFormula("not", (f,))


def subformulas(f: TemporalFormula) -> Iterator[TemporalFormula]:
    """Every subformula once, operands before operators."""
    seen: set[TemporalFormula] = set()
    stack: list[tuple[TemporalFormula, bool]] = [(f, False)]
    while stack:
        node, done = stack.pop()
        if done:
            yield node
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend((arg, False) for arg in reversed(node.args))


def atoms_of(f: TemporalFormula) -> list[Atom]:
    """The atoms, each once, in order."""
    return list(dict.fromkeys(node.atom for node in subformulas(f) if node.atom is not None))


def joined(f: TemporalFormula) -> TemporalFormula:
    """Boolean combinations of C expressions as one C expression, so that `p == 0 || *p > 0` means what it means in C; and
    `finished(t)` as *idle now, but not always so far*."""
    done: dict[TemporalFormula, TemporalFormula] = {}
    for node in subformulas(f):
        args = tuple(done[a] for a in node.args)
        if node.atom is not None and node.atom.kind == "finished":
            idle = TemporalFormula("atom", atom=replace(node.atom, kind="idle"))
            done[node] = TemporalFormula("and", (idle, TemporalFormula("O", (negate(idle),))))
        elif node.op in _JOINS and all(a.atom is not None and a.atom.kind == "c" for a in args):
            done[node] = TemporalFormula("atom", atom=_join(node.op, [a.atom for a in args if a.atom is not None]))
        else:
            done[node] = TemporalFormula(node.op, args, node.atom)
    return done[f]


_JOINS = {
    "not": ("!(", ")"),
    "and": ("((", ") && (", "))"),
    "or": ("((", ") || (", "))"),
    "implies": ("(!(", ") || (", "))"),
    "iff": ("(!(", ") == !(", "))"),
}


def _join(op: str, parts: list[Atom]) -> Atom:
    pieces: list[tuple[str, int]] = []
    for glue, part in zip(_JOINS[op], parts):
        pieces += [(glue, 0), *(part.pieces or ((part.text, part.at),))]
    pieces.append((_JOINS[op][len(parts)], 0))
    return Atom("c", "".join(text for text, _ in pieces), "", parts[0].column, parts[0].at, tuple(pieces))


_DUAL = {"and": "or", "or": "and", "X": "X", "U": "R", "R": "U", "Y": "Z", "Z": "Y", "S": "T", "T": "S"}


def _core(f: TemporalFormula) -> TemporalFormula:
    """F G W O H, implications and equivalences in terms of the others, at the top."""
    a = f.args
    if f.op == "F":
        return TemporalFormula("U", (TRUE, a[0]))
    if f.op == "G":
        return TemporalFormula("R", (FALSE, a[0]))
    if f.op == "O":
        return TemporalFormula("S", (TRUE, a[0]))
    if f.op == "H":
        return TemporalFormula("T", (FALSE, a[0]))
    if f.op == "W":
        return TemporalFormula("R", (a[1], TemporalFormula("or", a)))
    if f.op == "implies":
        return TemporalFormula("or", (negate(a[0]), a[1]))
    if f.op == "iff":
        return TemporalFormula("or", (TemporalFormula("and", a), TemporalFormula("and", (negate(a[0]), negate(a[1])))))
    return f


def normal(f: TemporalFormula) -> TemporalFormula:
    """Negation normal form."""
    done: dict[tuple[TemporalFormula, bool], TemporalFormula] = {}
    stack = [(f, True)]
    while stack:
        node, positive = key = stack[-1]
        if key in done:
            stack.pop()
            continue
        core = _core(node)
        if core.op == "not":
            inner = (core.args[0], not positive)
            if inner in done:
                done[key] = done[inner]
            else:
                stack.append(inner)
            continue
        if not core.args:
            done[key] = core if positive else negate(core)
            continue
        missing = [(arg, positive) for arg in core.args if (arg, positive) not in done]
        if missing:
            stack.extend(missing)
            continue
        parts = tuple(done[arg, positive] for arg in core.args)
        done[key] = _simplified(core.op if positive else _DUAL[core.op], parts)
    return done[f, True]


def _simplified(op: str, args: tuple[TemporalFormula, ...]) -> TemporalFormula:
    if op in ("and", "or"):
        unit, zero = (TRUE, FALSE) if op == "and" else (FALSE, TRUE)
        if zero in args:
            return zero
        rest = [a for a in args if a != unit]
        if len(rest) < 2 or rest[0] == rest[1]:
            return rest[0] if rest else unit
    if op in ("X", "U", "R", "S", "T") and args[-1] in (TRUE, FALSE) and op != "X":
        return args[-1]
    if op == "X" and args[0] in (TRUE, FALSE):
        return args[0]
    return TemporalFormula(op, args)


def counts_steps(f: TemporalFormula) -> list[str]:
    """What in a formula can tell a run from one that has the same states more or less often in a row, by name: X, Y and atoms about steps.
    No reduction of the order of steps is right for them."""
    return [name for name in stutters(f) if name != "at"]


def stutters(f: TemporalFormula) -> list[str]:
    """What in a formula can tell a run from the same run with steps joined: X, Y and atoms about steps and places, by name."""
    found: dict[str, None] = {}
    for node in subformulas(f):
        if node.op in ("X", "Y", "Z"):
            found["Y" if node.op == "Z" else node.op] = None
        elif node.atom is not None and node.atom.kind in ("enabled", "running"):
            found[node.atom.kind] = None
        elif node.atom is not None and node.atom.kind in ("label", "line"):
            found["at"] = None
    return list(found)
