"""Clauses that might be invariant: simple relations that hold in all samples, place by place.

For the shared words alone, for each location of each kind, and for each pair of locations:

- combinations of values of *small* words (those that were seen with few values) that were never seen together;
- a comparison of two words (also: one is at most one more), or of a word and a constant of the program, alone or where a small word has
  a certain value;
- two threads that were never at two places at the same time;
- the negation of what makes a step fail, and of what makes it fail one or a few steps earlier in the same thread;
- that a word still is what a step made it.

This is the guessing half of Houdini (Flanagan, Leino, FME 2001); samples from small instances as in invisible invariants (Pnueli, Ruah,
Zuck, TACAS 2001). `infer.py` throws away what is not invariant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from fsoft.parametric.clauses import ThreadClause, role_name, role_words
from fsoft.parametric.evaluate import compiled
from fsoft.parametric.goals import clash_conditions, definitions, failure_conditions
from fsoft.parametric.relations import Relations
from fsoft.parametric.samples import ClauseView, Samples
from fsoft.parametric.system import System
from fsoft.program.expr import Expr, binary, conj, const, eq, fill, make, negate

SMALL = 8
_ROWS = 1500  # samples that are looked at for one place
_CONSTANTS = 12

Mask = int
"""One bit for each sample at a place: where something holds."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How rich the language is: values combined in a clause about one thread and about two, whether comparisons of two threads get a
    condition."""

    values: int = 2
    values_of_two: int = 2
    guarded_pairs: bool = False


@dataclass(slots=True)
class _Column:
    """A word at a place. `role`: -1 shared, else 0 or 1. `domain`: all values it was seen with anywhere if they are few."""

    word: Expr
    role: int
    family: int
    values: list[int]
    domain: tuple[int, ...] | None


class Candidates:
    """`clauses` gives them all, without repetition."""

    def __init__(self, system: System, samples: Samples, effort: Effort, dropped: Iterable[ThreadClause] = ()):
        """`dropped` are clauses that turned out to be too strong: they are tried again under conditions."""
        self.system, self.samples, self.effort = system, samples, effort
        self._dropped: dict[tuple[tuple[int, ...], tuple[int, ...]], set[Expr]] = {}
        for clause in dropped:
            if len(clause.literals) == 1:
                self._dropped.setdefault((clause.kinds, clause.places), set()).add(clause.literals[0])
        self.relations = Relations(system)
        self.domains = self._domains()
        self._one: dict[tuple[int, int], set[tuple[Expr, ...]]] = {}
        self.goals, self.definitions, self.apart = failure_conditions(system), definitions(system), clash_conditions(system)

    def clauses(self) -> list[ThreadClause]:
        found: dict[ThreadClause, None] = {}
        for kinds in sorted(self.samples.views, key=len):
            for clause in self._of_kinds(kinds):
                found[clause] = None
        return list(found)

    def _domains(self) -> dict[tuple[int, int], tuple[int, ...]]:
        """(kind, position) to the values of a word, if they are few; kind -1: shared words."""
        seen: dict[tuple[int, int], set[int]] = {}
        for kinds, views in self.samples.views.items():
            if len(kinds) < 2:
                for view in views:
                    for k, words in enumerate(view):
                        kind = -1 if k == 0 else kinds[0]
                        for position, value in enumerate(words):
                            seen.setdefault((kind, position), set()).add(value)
        return {key: tuple(sorted(values)) for key, values in seen.items() if len(values) <= SMALL}

    # ------------------------------------------------------------ places

    def _of_kinds(self, kinds: tuple[int, ...]) -> Iterator[ThreadClause]:
        groups: dict[tuple[int, ...], list[ClauseView]] = {}
        for view in sorted(self.samples.views[kinds]):
            groups.setdefault(tuple(words[0] for words in view[1:]), []).append(view)
        same = len(kinds) == 2 and kinds[0] == kinds[1]
        for places in sorted(groups):
            if same and places[0] > places[1]:
                continue
            stride = max(1, len(groups[places]) // _ROWS)
            for literals in self._at(kinds, places, groups[places][::stride]):
                yield ThreadClause(kinds, places, literals)
        if len(kinds) == 2:
            yield from self._never(kinds, groups.keys())

    def _never(self, kinds: tuple[int, ...], together: Iterable[tuple[int, ...]]) -> Iterator[ThreadClause]:
        """Places that two threads were seen at, but not together; places where nobody was seen are in a clause of their own."""
        seen = set(together)
        first, second = ({view[1][0] for view in self.samples.views[kind,]} for kind in kinds)
        for a in sorted(first):
            for b in sorted(second):
                if (a, b) not in seen and (kinds[0] != kinds[1] or a <= b):
                    yield ThreadClause(kinds, (a, b), ())

    def unseen(self) -> list[ThreadClause]:
        """Locations where no thread of the kind was seen, and numbers that are no locations."""
        out = []
        for kind in self.system.kinds:
            seen = {view[1][0] for view in self.samples.views[kind.index,]}
            count = 1 << self.system.widths[self.system.owned[kind.slots[0]][0]]
            out += [ThreadClause((kind.index,), (place,), ()) for place in range(count) if place not in seen]
        return out

    def _columns(self, kinds: tuple[int, ...], places: tuple[int, ...], rows: Sequence[ClauseView]) -> list[_Column]:
        out = []
        for position, name in enumerate(self.system.shared):
            values = [row[0][position] for row in rows]
            out.append(_Column(self.system.word(name), -1, self.relations.family(name), values, self.domains.get((-1, position))))
        for role, (kind, place) in enumerate(zip(kinds, places, strict=True)):
            words = role_words(self.system, self.system.kinds[kind], role)
            for position in sorted(self.system.live[kind][place] - {0}):
                values = [row[role + 1][position] for row in rows]
                family = self.relations.family(self.system.owned[self.system.kinds[kind].slots[0]][position])
                out.append(_Column(words[position], role, family, values, self.domains.get((kind, position))))
        return out

    # ------------------------------------------------------------ literals at one place

    def _at(self, kinds: tuple[int, ...], places: tuple[int, ...], rows: Sequence[ClauseView]) -> Iterator[tuple[Expr, ...]]:
        place = _Place(rows, self._columns(kinds, places, rows), self._dropped.get((kinds, places), set()))
        if len(kinds) < 2:
            found = dict.fromkeys(self._single(place))
            if kinds:
                guards = place.guards()
                for goal in (*self.goals.get((kinds[0], places[0]), ()), *self.definitions[kinds[0]]):
                    if place.mask(goal) == place.full:
                        found.update((literals, None) for literals in place.implied(goal, guards))
                self._one[kinds[0], places[0]] = set(found)
            yield from found
            return
        known = self._one[kinds[0], places[0]] | {self._renamed(kinds[1], one) for one in self._one[kinds[1], places[1]]}
        for literals in self._double(kinds, place):
            if literals not in known:
                yield literals
        for goal in self.apart.get((kinds, places), ()):
            if place.mask(goal) == place.full:
                yield (goal,)

    def _renamed(self, kind: int, literals: tuple[Expr, ...]) -> tuple[Expr, ...]:
        """Literals about thread i as literals about thread j."""
        names = {role_name(0, k): word for k, word in enumerate(role_words(self.system, self.system.kinds[kind], 1))}
        return tuple(fill(literal, names) for literal in literals)

    def _single(self, place: _Place) -> Iterator[tuple[Expr, ...]]:
        yield from place.domains()
        yield from place.combinations(self.effort.values, ())
        guards = place.guards()
        for atom in self._atoms(place):
            yield from place.implied(atom, guards)

    def _double(self, kinds: tuple[int, ...], place: _Place) -> Iterator[tuple[Expr, ...]]:
        yield from place.domains()
        yield from place.combinations(self.effort.values_of_two, (0, 1))
        guards = place.guards() if self.effort.guarded_pairs else []
        if kinds[0] == kinds[1]:
            pairs = [conj(one, *self._renamed(kinds[1], (one,))) for one in guards]
            guards += [both for both in pairs if 0 < place.mask(both) < place.full]
        for a, b in combinations(place.columns, 2):
            if {a.role, b.role} == {0, 1} and _comparable(a, b):
                for atom in _comparisons(a.word, b.word):
                    yield from place.implied(atom, guards)
        for column in place.columns:
            if column.role == -1:
                for atom in self._with_constants(column):
                    yield from place.implied(atom, [])

    def _atoms(self, place: _Place) -> Iterator[Expr]:
        for a, b in combinations(place.columns, 2):
            if _comparable(a, b):
                yield from _comparisons(a.word, b.word)
                yield from place.nearly(a.word, b.word)
        for column in place.columns:
            yield from self._with_constants(column)

    def _with_constants(self, column: _Column) -> Iterator[Expr]:
        if column.word.width == 1 or column.family < 0:
            return
        for value in self.relations.constants(column.family, column.word.width)[:_CONSTANTS]:
            yield from _bounds(column.word, const(value, column.word.width))
        odd = make("extract", 1, (column.word,), 0)
        yield odd
        yield negate(odd)


class _Place:
    """The samples at one place, and what holds in them."""

    def __init__(self, rows: Sequence[ClauseView], columns: list[_Column], dropped: set[Expr]):
        self.rows, self.columns, self.dropped = rows, columns, dropped
        self.full: Mask = (1 << len(rows)) - 1
        self._index = {str(c.word.data): c for c in columns}
        self._masks: dict[Expr, Mask] = {}

    def mask(self, term: Expr) -> Mask:
        found = self._masks.get(term)
        if found is None:
            found = self._masks[term] = self._compute(term)
        return found

    def _compute(self, term: Expr) -> Mask:
        names = tuple(sorted(term.reads))
        if any(name not in self._index for name in names):
            return 0  # about words that do not matter here: nothing is claimed
        function = compiled(term, names)
        columns = [self._index[name].values for name in names]
        bits = ["1" if function(*values) else "0" for values in zip(*columns, strict=True)]
        return int("".join(reversed(bits)), 2) if bits else (self.full if function() else 0)

    def nearly(self, a: Expr, b: Expr) -> Iterator[Expr]:
        """One word is at most the other and one more, where that says more than other comparisons do."""
        one = const(1, a.width)
        for low, high in ((a, b), (b, a)):
            more = binary("sle", low, binary("add", high, one))
            if self.mask(more) == self.full and self.mask(binary("sle", low, high)) != self.full:
                yield more

    def domains(self) -> Iterator[tuple[Expr, ...]]:
        """Each small word has one of the values it was seen with here."""
        for column in self.columns:
            if column.domain is None:
                continue
            here = sorted(set(column.values))
            yield tuple(eq(column.word, const(value, column.word.width)) for value in here)
            for value in column.domain:
                if value not in here:
                    yield (negate(eq(column.word, const(value, column.word.width))),)

    def guards(self) -> list[Expr]:
        """A word has a certain value, in some samples but not in all."""
        out = []
        for column in self.columns:
            usual = (0, 1) if column.family >= 0 else ()
            for value in usual if column.domain is None else column.domain:
                test = eq(column.word, const(value, column.word.width))
                if 0 < self.mask(test) < self.full:
                    out.append(test)
        return out

    def combinations(self, most: int, roles: tuple[int, ...]) -> Iterator[tuple[Expr, ...]]:
        """Values of up to `most` small words that were never seen together, though any fewer of them were. With `roles`: only
        combinations that have something of each of these threads, or speak of shared words alone."""
        tests = [
            (column, eq(column.word, const(value, column.word.width)))
            for column in self.columns
            for value in sorted(set(column.values))
            if column.domain is not None and len(set(column.values)) > 1
        ]
        level: list[tuple[tuple[int, ...], Mask]] = [((), self.full)]
        for _ in range(most):
            following = []
            for chosen, mask in level:
                for k in range(chosen[-1] + 1 if chosen else 0, len(tests)):
                    if any(tests[one][0] is tests[k][0] for one in chosen):
                        continue
                    both = mask & self.mask(tests[k][1])
                    now = (*chosen, k)
                    if both:
                        following.append((now, both))
                    elif self._fits([tests[one][0].role for one in now], roles):
                        yield tuple(negate(tests[one][1]) for one in now)
            level = following

    @staticmethod
    def _fits(found: list[int], roles: tuple[int, ...]) -> bool:
        return all(role in found for role in roles) or not any(role in found for role in roles)

    def implied(self, atom: Expr, guards: Iterable[Expr]) -> Iterator[tuple[Expr, ...]]:
        """The atom alone if it holds in all samples, else, or if that was not enough, under the guards that make it hold."""
        mask = self.mask(atom)
        if mask == self.full:
            yield (atom,)
        if mask != self.full or atom in self.dropped:
            for guard in guards if mask else ():
                if not self.mask(guard) & ~mask and not guard.reads & atom.reads:
                    yield (negate(guard), atom)


def _comparable(a: _Column, b: _Column) -> bool:
    return a.family == b.family >= 0 and a.word.width == b.word.width > 1


def _bounds(a: Expr, value: Expr) -> list[Expr]:
    """Comparisons with a constant that say something."""
    same = eq(a, value)
    low, high = 1 << value.width - 1, (1 << value.width - 1) - 1
    out = [same, negate(same)]
    if value.value not in (0, (1 << value.width) - 1):
        out += [binary("ule", a, value), binary("ule", value, a)]
    if value.value not in (low, high):
        out += [binary("sle", a, value), binary("sle", value, a)]
    return out


def _comparisons(a: Expr, b: Expr) -> list[Expr]:
    same = eq(a, b)
    return [same, negate(same), binary("ult", a, b), binary("ult", b, a), binary("ule", a, b), binary("ule", b, a),
            binary("slt", a, b), binary("slt", b, a), binary("sle", a, b), binary("sle", b, a)]  # fmt: skip


__all__ = ["Candidates", "Effort"]
