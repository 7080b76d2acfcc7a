"""Which words are worth comparing: those between which the program moves or compares values.

Words fall into families: a word and what is assigned to it, or compared with it, are of one family, through arithmetic and conditionals.
A constant that a word is assigned or compared with belongs to the family, too. Words that only steer control are in none. Families that
share a constant that is not a usual one are one: a counter and an index with the same bound have to do with each other.
"""

from __future__ import annotations

from fsoft.parametric.system import System
from fsoft.program.expr import COMPARISONS, Expr, postorder

_NONE = -1
_USUAL = 4  # constants up to that are in every program


class Relations:
    """`family` of a word by name, `constants` of a family."""

    def __init__(self, system: System):
        self.system = system
        self._parent: dict[str, str] = {}
        self._values: dict[str, set[int]] = {}
        self._same = self._representatives()
        self._related: set[str] = set()
        self._widths = dict(system.widths)
        self._inputs = ""  # what tells the inputs of one move from those of others
        self._read()
        roots = sorted({self._root(name) for name in self._related})
        self._number = {root: k for k, root in enumerate(roots)}
        self._constants: list[set[int]] = [set() for _ in roots]
        for name, values in self._values.items():
            self._constants[self._number[self._root(name)]] |= values

    def family(self, name: str) -> int:
        """The number of the word's family; -1 if it has none."""
        name = self._same.get(name, name)
        return self._number[self._root(name)] if name in self._related else _NONE

    def constants(self, family: int, width: int) -> list[int]:
        """The constants of a family, and their neighbours."""
        near = {(value + step) & (1 << width) - 1 for value in self._constants[family] for step in (0, -1, 1)}
        return sorted(near, key=lambda value: (value not in self._constants[family], value))

    def _representatives(self) -> dict[str, str]:
        """The words of the slots of a kind are those of its first."""
        out: dict[str, str] = {}
        for kind in self.system.kinds:
            for slot in kind.slots[1:]:
                out.update(zip(self.system.owned[slot], self.system.owned[kind.slots[0]], strict=True))
        return out

    def _root(self, name: str) -> str:
        while (parent := self._parent.get(name, name)) != name:
            name = parent
        return name

    def _read(self) -> None:
        control = {row[0] for row in self.system.owned}
        for number, move in enumerate(self.system.moves):
            self._inputs = f"{number}:"
            for name, term in move.writes.items():
                if name not in control:
                    self._join([name], [term])
            for node in postorder((move.enabled, move.bad, *move.writes.values())):
                if node.op in COMPARISONS:
                    self._join([], list(node.args))
        self._join_by_constants()

    def _join_by_constants(self) -> None:
        first: dict[tuple[int, int], str] = {}
        for name, values in self._values.items():
            width = self._widths[name]
            for value in values:
                if _USUAL < value < (1 << width) - _USUAL:
                    other = first.setdefault((width, value), name)
                    self._parent[self._root(name)] = self._root(other)

    def _join(self, names: list[str], terms: list[Expr]) -> None:
        """These words and the values of these terms are of one family."""
        values: set[int] = set()
        for term in terms:
            sources = self._sources(term, values)
            if sources is None:
                return
            names = names + sources
        names = [self._same.get(name, name) for name in names]
        wide = [name for name in dict.fromkeys(names) if self._widths[name] > 2]
        for name in wide:
            self._related.add(name)
            self._parent[self._root(name)] = self._root(wide[0])
        if wide:
            self._values.setdefault(wide[0], set()).update(value & (1 << self._widths[wide[0]]) - 1 for value in values)

    def _sources(self, term: Expr, values: set[int]) -> list[str] | None:
        """The words whose values go into the term's; its constants go to `values`. None for addresses."""
        out: list[str] = []
        stack, seen = [term], set[Expr]()
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            if node.op == "reg":
                name = str(node.data)
                if name not in self.system.widths:
                    name = self._inputs + name
                    self._widths[name] = node.width
                out.append(name)
            elif node.op == "const":
                values.add(node.value)
            elif node.op == "padd":
                return None
            elif node.op not in COMPARISONS:
                stack.extend(node.args[1:] if node.op == "ite" else node.args)
        return out


__all__ = ["Relations"]
