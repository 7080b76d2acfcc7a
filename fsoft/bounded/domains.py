"""What shared entries can hold, so that a guess of what is there needs a few bits.

An encoding that guesses memory (`x_val` of tcbmc, the sequence of mu) guesses words of 32 and 64 bits of which a program uses few values:
the owner of a mutex is one of its threads, a flag is 0 or 1, a pointer is the address of one of some objects. Here every
thread is walked once on its own, each read of a shared entry being a new unknown; what its steps write are terms over those. The values of
an entry are its initial one and those of all terms that are written to it (`ValueSet`). Where these are too many, there are still
bits that are never set (`Masks`).

Entries whose values depend on each other are evaluated again and again. No step of an unwound program is taken twice, so a value has
come through at most as many writes as there are steps that write to such a group: after so many rounds all values are there, whether
or not another round would find more (a counter that four steps increase is at most 4). Conditions count as unknown at first; then all
is done once more, with the conditions that the values found so far decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from fsoft.analysis.actions import members
from fsoft.analysis.flow import components
from fsoft.analysis.value_sets import BOTH, NO, YES, ValueSet, any_of, operate_sets, union
from fsoft.bounded.shared import SharedEntries, SharedWalk, written_where
from fsoft.bounded.walk import Here, WalkGround
from fsoft.program.expr import FALSE, Expr, conj, const, ite, make, reg

MOST = 64
"""Values of an entry; of one that may have more only the bits are known."""
_FEW = 16
"""Values of what is compared in a condition."""


@dataclass(frozen=True, slots=True)
class WordDomain:
    """The words that an entry of `width` bits can hold: `values` in order, if those are known; else no bits but those of `mask` are set."""

    width: int
    values: tuple[int, ...] | None
    mask: int

    @property
    def bits(self) -> int:
        """How many bits a guess has."""
        if self.values is None:
            return self.mask.bit_count()
        plain, coded = self.mask.bit_length(), (len(self.values) - 1).bit_length()
        return plain if coded > 0 and plain <= coded + 1 else coded

    def guessed(self, ground: WalkGround, name: str) -> Expr:
        """A word of the domain, or beside it: an input of that name, or a constant."""
        return self.decoded(ground.input(name, self.bits)) if self.bits else self.only()

    def only(self) -> Expr:
        """The word that needs no guess."""
        return const(self.values[0] if self.values else 0, self.width)

    def decoded(self, guess: Expr) -> Expr:
        """The word that a guess of so many bits stands for."""
        if self.mask == (1 << guess.width) - 1 and (self.values is None or self.mask.bit_length() == self.bits):
            return _wide(guess, self.width)
        if self.values is None:
            return _spread(guess, self.mask, self.width)
        words = [const(value, self.width) for value in self.values]
        for k in range(guess.width):
            words += words[-1:] * (len(words) % 2)
            bit = make("extract", 1, (guess,), k)
            words = [ite(bit, high, low) for low, high in zip(words[::2], words[1::2], strict=True)]
        return words[0]


def _wide(word: Expr, width: int) -> Expr:
    return make("zext", width, (word,)) if word.width < width else word


def _spread(guess: Expr, mask: int, width: int) -> Expr:
    """The bits of the guess where the mask has ones."""
    word: Expr | None = None
    taken = 0
    for k in range(width):
        bit = make("extract", 1, (guess,), taken) if mask >> k & 1 else const(0, 1)
        taken += mask >> k & 1
        word = bit if word is None else make("concat", k + 1, (bit, word))
    assert word is not None
    return word


class Domains:
    """The domains of the shared entries of a program."""

    def __init__(self, ground: WalkGround, shared: SharedEntries):
        entries = [entry for entry in members(shared.mask) if entry != shared.holder]
        written = _Written(ground, shared, frozenset(entries))
        first = {entry: _first(ground, entry) for entry in entries}
        sure = _Sets(written, first, {}).found
        sets = _Sets(written, first, sure).found
        masks = _masks(written, first, sets, ground.words.widths)
        self._found = {entry: _domain(ground.words.widths[entry], sets[entry], masks[entry]) for entry in entries}
        self._widths = [*ground.words.widths, shared.holder_width]

    def of(self, entry: int) -> WordDomain:
        """The domain of an entry, or of the holder of atomic sections; of those that threads do not share nothing is known."""
        width = self._widths[entry]
        return self._found.get(entry) or WordDomain(width, None, (1 << width) - 1)


def _first(ground: WalkGround, entry: int) -> ValueSet:
    first = ground.again().initial(entry)
    return frozenset((first.value,)) if first.is_const else None


def _domain(width: int, values: ValueSet, mask: int) -> WordDomain:
    return WordDomain(width, None if values is None else tuple(sorted(values)), mask)


# ---------------------------------------------------------------- what is written


class _Alone(SharedWalk):
    """A thread of which nothing is known but its steps: every location finds any values in shared memory."""

    def __init__(self, ground: WalkGround, shared: SharedEntries, slot: int, cells: dict[str, int]):
        super().__init__(ground, shared, slot)
        self._cells, self._location = cells, 0

    def enter(self, location: int, here: Here, steps: list[int]) -> Expr:
        self._location = location
        return super().enter(location, here, steps)

    def shared_value(self, index: int, here: Here) -> Expr:
        name = f"cell.{self.slot}.{self._location}.{index}"
        self._cells[name] = index
        return reg(name, self.ground.words.widths[index])

    def shared_write(self, index: int, value: Expr, when: Expr, here: Here) -> None:
        pass


class _Written:
    """For each entry what steps write to it: the number of the step, when, and what. `cells`: the entries that unknowns stand for."""

    def __init__(self, ground: WalkGround, shared: SharedEntries, entries: frozenset[int]):
        self.cells: dict[str, int] = {}
        self.rows: dict[int, list[tuple[int, Expr, Expr]]] = {entry: [] for entry in sorted(entries)}
        alone, before = ground.again(), 0
        for slot in range(len(ground.program.threads)):
            walk = _Alone(alone, shared, slot, self.cells)
            walk.run()
            for number, one in enumerate(walk.steps, before):
                for entry in one.effect.writes.keys() & entries:
                    when, new = written_where(one.effect.writes[entry], one.before(entry))
                    if when is not FALSE:
                        self.rows[entry].append((number, conj(one.when, when), new))
            before += len(walk.steps)

    def entry(self, node: Expr) -> int | None:
        return self.cells.get(str(node.data)) if node.op == "reg" else None


def _finish(root: Expr, below: Callable[[Expr], Iterable[Expr]], *known: Mapping[Expr, object]) -> Iterator[Expr]:
    """The nodes under a root that are not known, each after those `below` it; whoever takes one makes it known."""
    stack = [root]
    while stack:
        node = stack[-1]
        if not any(node in one for one in known):
            waiting = [arg for arg in below(node) if not any(arg in one for one in known)]
            if waiting:
                stack += waiting
                continue
            yield node
        stack.pop()


# ---------------------------------------------------------------- values


class _Sets:
    """The values of entries; conditions are decided by those that are `sure`."""

    def __init__(self, written: _Written, first: Mapping[int, ValueSet], sure: Mapping[int, ValueSet]):
        self.found = dict(first)
        self._written, self._sure = written, sure
        self._conditions: dict[Expr, ValueSet] = {}
        self._read: dict[Expr, frozenset[int]] = {}
        self._known: dict[Expr, ValueSet] = {}
        self._rows = {
            entry: [(number, new) for number, when, new in rows if not sure or self._condition(when) != NO]
            for entry, rows in written.rows.items()
        }
        needs = {entry: frozenset[int]().union(*(self._reads(term) for _, term in rows)) for entry, rows in self._rows.items()}
        for part in components(needs):
            again = len(part) > 1 or any(entry in needs[entry] for entry in part)
            steps = {number for entry in part for number, _ in self._rows[entry]}
            for _ in range(len(steps) if again else 1):
                if not self._round(frozenset(part)):
                    break

    def _round(self, part: frozenset[int]) -> bool:
        """Evaluate what is written to the entries of a part; whether that added values."""
        fresh: dict[Expr, ValueSet] = {}
        new = {entry: self._all(entry, part, fresh) for entry in sorted(part)}
        changed = any(new[entry] != self.found[entry] for entry in part)
        self.found.update(new)
        return changed

    def _all(self, entry: int, part: frozenset[int], fresh: dict[Expr, ValueSet]) -> ValueSet:
        found = self.found[entry]
        for _, term in self._rows[entry]:
            if found is None:
                break
            found = union(found, self._evaluate(term, part, fresh))
        return found if found is not None and len(found) <= MOST else None

    def _evaluate(self, root: Expr, part: frozenset[int], fresh: dict[Expr, ValueSet]) -> ValueSet:
        """The values of a term; `fresh` has those that depend on the entries of the part, which are not final."""
        for node in _finish(root, self._below, self._known, fresh):
            store = self._known if self._reads(node).isdisjoint(part) else fresh
            store[node] = self._one(node, fresh)
        return self._known[root] if root in self._known else fresh[root]

    def _one(self, node: Expr, fresh: dict[Expr, ValueSet]) -> ValueSet:
        if node.op == "const":
            return frozenset((node.value,))
        if node.width == 1:
            return self._condition(node)
        if not node.args:
            entry = self._written.entry(node)
            return None if entry is None else self.found[entry]
        values = [self._known[arg] if arg in self._known else fresh[arg] for arg in self._below(node)]
        return values[0] if len(values) < 2 and node.op == "ite" else union(*values) if node.op == "ite" else operate_sets(node, values)

    def _below(self, node: Expr) -> tuple[Expr, ...]:
        """What the values of a term come from: bits have no values of their own, and a condition may be decided."""
        if node.width == 1:
            return ()
        if node.op != "ite":
            return node.args
        chosen = self._condition(node.args[0])
        return node.args[1:2] if chosen == YES else node.args[2:] if chosen == NO else node.args[1:]

    def _reads(self, root: Expr) -> frozenset[int]:
        """The entries that the values of a term come from."""
        for node in _finish(root, self._below, self._read):
            entry = self._written.entry(node)
            found = frozenset(() if entry is None else (entry,))
            for arg in self._below(node):
                found = found if self._read[arg] <= found else found | self._read[arg]
            self._read[node] = found
        return self._read[root]

    def _condition(self, root: Expr) -> ValueSet:
        """Whether a bit is decided by what is sure."""
        if not self._sure:
            return BOTH
        for node in _finish(root, lambda node: node.args, self._conditions):
            if node.op == "const":
                found: ValueSet = frozenset((node.value,))
            elif node.args:
                found = operate_sets(node, [self._conditions[arg] for arg in node.args])
            else:
                entry = self._written.entry(node)
                found = any_of(node.width) if entry is None else self._sure[entry]
            self._conditions[node] = found if found is not None and len(found) <= _FEW else any_of(node.width)
        return self._conditions[root]


# ---------------------------------------------------------------- bits


def _masks(written: _Written, first: Mapping[int, ValueSet], sets: Mapping[int, ValueSet], widths: list[int]) -> dict[int, int]:
    """For each entry the bits that some value of it may have."""
    found = {entry: _mask(first[entry] if values is None else values, widths[entry]) for entry, values in sets.items()}
    open_entries = [entry for entry, values in sets.items() if values is None]
    changed = True
    while changed:
        known: dict[Expr, int] = {}
        before = dict(found)
        for entry in open_entries:
            for _, _, term in written.rows[entry]:
                found[entry] |= _bits_of(term, written, before, known)
        changed = found != before
    return found


def _mask(values: ValueSet, width: int) -> int:
    total = 0
    for value in values if values is not None else ((1 << width) - 1,):
        total |= value
    return total


def _bits_of(root: Expr, written: _Written, masks: Mapping[int, int], known: dict[Expr, int]) -> int:
    """The bits that a term may have, given those of the entries."""
    for node in _finish(root, _bits_below, known):
        entry = written.entry(node)
        if node.op == "const":
            known[node] = node.value
        elif entry is not None:
            known[node] = masks[entry]
        else:
            known[node] = _operate_bits(node, [known[arg] for arg in _bits_below(node)])
    return known[root]


def _bits_below(node: Expr) -> tuple[Expr, ...]:
    if node.op in ("and", "or", "xor", "zext", "extract", "concat") and node.width > 1:
        return node.args
    return node.args[1:] if node.op == "ite" and node.width > 1 else ()


def _operate_bits(node: Expr, args: list[int]) -> int:
    if not args:
        return (1 << node.width) - 1
    if node.op == "and":
        return args[0] & args[1]
    if node.op == "extract":
        assert isinstance(node.data, int)
        return args[0] >> node.data & (1 << node.width) - 1
    if node.op == "concat":
        return args[0] << node.args[1].width | args[1]
    return args[0] if len(args) == 1 else args[0] | args[1]
