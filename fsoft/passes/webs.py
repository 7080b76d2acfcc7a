"""Live-range splitting: a temporary that holds unrelated values at unrelated places becomes several registers.

The lowering reuses temporaries, which would make flow-insensitive analyses mix everything. A **web** is a connected piece of a
register's live range: nodes are (location, register) where it is live, and each step joins the nodes that it reads and writes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial

from fsoft.analysis.actions import always, defined, reads, renamed, rewritten
from fsoft.analysis.liveness import Liveness
from fsoft.passes.graph import changed
from fsoft.program.expr import Expr, fill, reg
from fsoft.program.program import Action, Register, Step, Tag, Template

_Names = dict[str, int]  # register -> web node


class _Webs:
    """Union-find over web nodes, and the walk of each step that connects them."""

    def __init__(self, template: Template):
        self.template = template
        self.live = Liveness(template)
        definitions = Counter(defined(action) for step in template.steps for action in step.actions)
        self.split = {name for name, register in template.registers.items() if not register.symbol and definitions[name] > 1}
        self._split = self.live.mask(frozenset(self.split))
        self.parent: list[int] = []
        self.of: list[str] = []  # the register of each node
        self.at: dict[tuple[int, str], int] = {}
        self._names: dict[int, list[str]] = {}

    def node(self, name: str) -> int:
        self.parent.append(len(self.parent))
        self.of.append(name)
        return len(self.parent) - 1

    def find(self, node: int) -> int:
        parent = self.parent
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    def union(self, a: int, b: int) -> None:
        a, b = self.find(a), self.find(b)
        if a != b:
            self.parent[max(a, b)] = min(a, b)

    def live_names(self, location: int) -> list[str]:
        mask = self.live.at[location]
        if mask not in self._names:
            self._names[mask] = sorted(self.live.names(mask & self._split))
        return self._names[mask]

    def place(self, location: int, name: str) -> int:
        key = (location, name)
        if key not in self.at:
            self.at[key] = self.node(name)
        return self.at[key]

    def walk(self, step: Step) -> list[tuple[_Names, int | None]]:
        """For each action (last first) the nodes that it reads and the one that it writes; then those read before the step."""
        current = {name: self.place(step.target, name) for name in self.live_names(step.target)}
        rows: list[tuple[_Names, int | None]] = []
        for action in reversed(step.actions):
            name = defined(action)
            written = None
            if name in self.split and name is not None:
                written = current[name] if name in current else self.node(name)
                if always(action):
                    current.pop(name, None)
                else:
                    current[name] = written
            rows.append((self._use(reads(action), current), written))
        before = step.guard.reads
        for tag in step.tags:
            before |= tag.operand.reads if tag.operand is not None else frozenset()
        rows.append((self._use(before, current), None))
        for name, node in current.items():
            self.union(node, self.place(step.source, name))
        return rows

    def _use(self, names: frozenset[str], current: _Names) -> _Names:
        found: _Names = {}
        for name in names & self.split:
            if name not in current:
                current[name] = self.node(name)
            found[name] = current[name]
        return found


MOST_STEPS = 40_000


def split_webs(template: Template) -> Template:
    """The template with each web of a temporary in a register of its own. Very large templates stay as they are: more
    registers would make every analysis of them slow."""
    if len(template.steps) > MOST_STEPS:
        return template
    webs = _Webs(template)
    rows = [webs.walk(step) for step in template.steps]
    naming = _Naming(webs, template)
    steps = [_renamed(step, row, naming) for step, row in zip(template.steps, rows, strict=True)]
    return Template(template.name, naming.registers, template.locations, steps, template.stops)


class _Naming:
    """Register names of webs, numbered in order of appearance; the first web of a register keeps its name."""

    def __init__(self, webs: _Webs, template: Template):
        self.webs = webs
        self.template = template
        self.registers = {n: r for n, r in template.registers.items() if n not in webs.split}
        self._count: dict[str, int] = {}
        self._name: dict[int, str] = {}

    def name(self, node: int) -> str:
        root = self.webs.find(node)
        found = self._name.get(root)
        if found is None:
            base = self.webs.of[node]
            k = self._count[base] = self._count.get(base, 0) + 1
            found = base if k == 1 else f"{base}'{k}"
            self._name[root] = found
            self.registers[found] = self._like(base, found)
        return found

    def _like(self, base: str, name: str) -> Register:
        return replace(self.template.registers[base], name=name)

    def renaming(self, nodes: _Names) -> dict[str, Expr]:
        """Registers whose name changes, with the new ones."""
        found = {}
        for name in sorted(nodes):
            new = self.name(nodes[name])
            if new != name:
                found[name] = reg(new, self.template.registers[name].width)
        return found


def _renamed(step: Step, rows: list[tuple[_Names, int | None]], naming: _Naming) -> Step:
    before = naming.renaming(rows[-1][0])
    guard, tags = fill(step.guard, before), step.tags
    if before and any(t.operand is not None for t in tags):
        tags = tuple(Tag(t.kind, None if t.operand is None else fill(t.operand, before)) for t in tags)
    actions: list[Action] = []
    for action, (nodes, written) in zip(step.actions, reversed(rows[:-1]), strict=True):
        names = naming.renaming(nodes) if nodes else {}
        new = rewritten(action, partial(fill, known=names)) if names else action
        if written is not None and naming.name(written) != defined(new):
            new = renamed(new, naming.name(written))
        actions.append(new)
    return changed(step, guard, tuple(actions), tags)
