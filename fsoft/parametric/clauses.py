"""What a proof says: clauses about the shared words and one or two threads.

A clause names up to two kinds, a location of each, and literals over the shared words and the words of the two threads, which are called
`i.0`, `i.1`, ... and `j.0`, `j.1`, ... by their position in `System.owned`. It means: whenever two different threads of these kinds are at
these locations, one of the literals holds. An invariant is a set of clauses: the same for any number of threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fsoft.parametric.system import System, ThreadKind
from fsoft.program.expr import FALSE, Expr, disj, fill, negate, reg, show, substitute

ROLES = ("i", "j")


@dataclass(frozen=True, slots=True)
class ThreadClause:
    """`kinds` and `places` have the same length, at most two. No literals: such threads are never there together."""

    kinds: tuple[int, ...]
    places: tuple[int, ...]
    literals: tuple[Expr, ...]


def role_name(role: int, position: int) -> str:
    return f"{ROLES[role]}.{position}"


def role_words(system: System, kind: ThreadKind, role: int) -> list[Expr]:
    """The words of a thread of that kind, as literals of clauses name them."""
    return [reg(role_name(role, k), system.widths[name]) for k, name in enumerate(system.owned[kind.slots[0]])]


def choices(system: System, kinds: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """All ways to choose different slots of the kinds."""
    if not kinds:
        yield ()
        return
    for first in system.kinds[kinds[0]].slots:
        if len(kinds) == 1:
            yield (first,)
            continue
        for second in system.kinds[kinds[1]].slots:
            if second != first:
                yield (first, second)


def after_move(system: System, mover: int, kinds: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The slots for which a clause about these kinds must hold after a move of `mover`: all of them. What others of the mover's own kind
    suffer from it is among them."""
    return choices(system, kinds)


def binding(system: System, slots: tuple[int, ...], after: Mapping[str, Expr] | None = None) -> dict[str, Expr]:
    """What the names in literals mean for these slots: words, or what `after` gives for them."""
    found = {} if after is None else dict(after)
    for role, slot in enumerate(slots):
        for k, name in enumerate(system.owned[slot]):
            value = None if after is None else after.get(name)
            found[role_name(role, k)] = system.word(name) if value is None else value
    return found


def instance(system: System, clause: ThreadClause, slots: tuple[int, ...], after: Mapping[str, Expr] | None = None) -> Expr:
    """The clause about these slots, as a term over the words (in the state that `after` describes)."""
    meaning = binding(system, slots, after)
    term: Expr = FALSE
    for literal in clause.literals:
        term = disj(term, fill(literal, meaning))
    for slot, place in zip(slots, clause.places, strict=True):
        term = disj(term, negate(fill(system.at(slot, place), after) if after else system.at(slot, place)))
    return term


def text_of(system: System, clause: ThreadClause) -> str:
    """A clause for people."""
    names = {}
    for role, kind in enumerate(clause.kinds):
        thread = ROLES[role]
        for k, name in enumerate(system.owned[system.kinds[kind].slots[0]]):
            plain = name.split(".", 1)[1] if name.startswith("thread_") else name.split(":", 1)[0]
            names[role_name(role, k)] = f"{thread}.{plain}"

    def leaf(node: Expr) -> Expr | None:
        return reg(names[str(node.data)], node.width) if node.op == "reg" and str(node.data) in names else None

    where = [f"{ROLES[r]}: {system.kinds[k].name} at {p}" for r, (k, p) in enumerate(zip(clause.kinds, clause.places, strict=True))]
    what = " | ".join(show(substitute(literal, leaf)) for literal in clause.literals) or "never"
    return f"{', '.join(where)}: {what}" if where else what


__all__ = ["ThreadClause", "ROLES", "after_move", "binding", "choices", "instance", "role_name", "role_words", "text_of"]
