"""Words that can hold the number of one of any number of threads, and the check that programs only copy and compare such numbers.

Which number a thread has is not known. If moves do no more with it than copy it and ask whether two are equal, it does not matter either:
exchanging the numbers of threads maps runs to runs. The constants that such words are compared with must be numbers that no thread of an
unbounded kind can have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fsoft.parametric.identity import SELF, NotCovered
from fsoft.parametric.system import System, SystemMove
from fsoft.program.expr import Expr, postorder

LEAST_FREE = 1 << 31
"""No thread of an unbounded kind has this number or a larger one."""
_LEAST_BITS, _INT = 32, (1 << 32) - 1


def named_words(system: System) -> frozenset[str]:
    """The words that can hold such a number, by the names they have in the first slot of a kind. NotCovered if a move does something
    else with a number than copying and comparing it."""
    return _Names(system).found()


class _Names:
    def __init__(self, system: System):
        self.system = system
        self.first = {
            name: first
            for kind in system.kinds
            for slot in kind.slots
            for name, first in zip(system.owned[slot], system.owned[kind.slots[0]], strict=True)
        }
        singles = [system.program.threads[kind.slots[0]] for kind in system.kinds if not kind.many]
        self.single = {thread.own["self"] for thread in singles if "self" in thread.own}
        self.named: set[str] = set()

    def found(self) -> frozenset[str]:
        for kind in self.system.kinds:
            registers = self.system.layout.registers[kind.slots[0]]
            entries = {self.system.entries[name]: name for name in self.system.owned[kind.slots[0]]}
            if kind.many and registers.get(SELF) in entries:
                self.named.add(entries[registers[SELF]])
        groups = [group for move in self.system.moves for group in self._together(move)] if self.named else []
        while fresh := [group for group in groups if not group.isdisjoint(self.named) and not group <= self.named]:
            self.named.update(*fresh)
        for move in self.system.moves if self.named else ():
            self._check(move)
        for name in sorted(self.named):
            value = self.system.initial[name]
            if value is not None and not self._harmless(value):
                raise NotCovered(f"{name}: its first value may be the number of a thread")
        return frozenset(self.named)

    def _together(self, move: SystemMove) -> Iterator[set[str]]:
        """Words of which all hold numbers of threads if one does: those that are copied or compared with each other."""
        for name, term in move.writes.items():
            yield self._words([*_values(term)]) | {self.first.get(name, name)}
        for node in _comparisons(move):
            yield self._words([*_values(node.args[0]), *_values(node.args[1])])

    def _words(self, terms: Iterable[Expr]) -> set[str]:
        names = {str(term.data) for term in terms if term.op == "reg"}
        return {self.first.get(name, name) for name in names if name in self.system.widths}

    # ------------------------------------------------------------ what moves do with numbers

    def _check(self, move: SystemMove) -> None:
        for node in postorder(_terms(move)):
            if node.op == "eq" and any(self._carries(a) for a in node.args):
                self._check_values(move, [*_values(node.args[0]), *_values(node.args[1])])
            elif node.op not in ("eq", "ite") and not _passing(node) and any(self._carries(a) for a in node.args):
                raise NotCovered(f"{move.step.loc}: computes with the number of a thread")
        for name, term in move.writes.items():
            if self.first.get(name, name) in self.named:
                self._check_values(move, [*_values(term)])

    def _carries(self, term: Expr) -> bool:
        return not self._words(_values(term)).isdisjoint(self.named)

    def _check_values(self, move: SystemMove, values: list[Expr]) -> None:
        for value in values:
            fits = value.width >= _LEAST_BITS if value.op == "reg" else value.is_const and self._harmless(value.value)
            if not fits:
                raise NotCovered(f"{move.step.loc}: the number of a thread meets another number, which may be the same")

    def _harmless(self, value: int) -> bool:
        """No thread of an unbounded kind has this number, nor the one that an int makes of it."""
        return all(part == 0 or part >= LEAST_FREE or part in self.single for part in (value, value & _INT))


def _terms(move: SystemMove) -> tuple[Expr, ...]:
    return (move.enabled, move.bad, move.over, *move.writes.values())


def _comparisons(move: SystemMove) -> list[Expr]:
    return [node for node in postorder(_terms(move)) if node.op == "eq"]


def _values(term: Expr) -> Iterator[Expr]:
    """What the term can be: the ends of its conditionals, before they are made wider or narrower."""
    todo, seen = [term], {term}
    while todo:
        node = todo.pop()
        if not _passing(node):
            yield node
        for branch in _passing(node):
            if branch not in seen:
                seen.add(branch)
                todo.append(branch)


def _passing(node: Expr) -> tuple[Expr, ...]:
    """The operands that the node may be, where they are numbers of threads: these fit into an int."""
    if node.op == "extract" and (node.data != 0 or node.width < _LEAST_BITS):
        return ()
    return node.args[1:] if node.op == "ite" else node.args if node.op in ("zext", "sext", "extract") else ()


__all__ = ["LEAST_FREE", "named_words"]
