"""Loops of a template: where they are, what they contain, and how often they run where that can be read off.

Heads are the targets of retreating edges of a depth-first walk (with the marks that the lowering left); a head that dominates the sources
of its back edges has a natural loop as its body. A count is given for loops that are driven by one register with a constant
start, a constant stride and a test against a constant, as `for (i = 0; i < 10; i++)` becomes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from fsoft.analysis.actions import always, defined, ending
from fsoft.analysis.flow import depth_first, dominates, dominators, predecessors, successors
from fsoft.frontend.source import Loc
from fsoft.program.expr import Expr, fill
from fsoft.program.program import Action, Assign, Program, Step, Template

LONGEST = 100_000
"""Counts beyond this are not computed."""
_LAST = 3


@dataclass(frozen=True, slots=True)
class Loop:
    """`id` is unique in the program ("worker.0"). `count`: how often the body runs before the loop is left by its test, if known; then
    `counter` is the register that drives it and `last` are its values in the last rounds, in order."""

    id: str
    template: str
    function: str
    head: int
    loc: Loc
    body: frozenset[int]
    count: int | None = None
    counter: str = ""
    last: tuple[int, ...] = ()


def loops(program: Program) -> list[Loop]:
    """All loops, template by template, heads in order of their numbers."""
    found: list[Loop] = []
    names: dict[str, int] = {}
    for template in program.templates():
        found.extend(_named(template, names))
    return found


def template_loops(template: Template) -> list[Loop]:
    return list(_named(template, {}))


def show_loops(program: Program) -> str:
    """A table for people: id, threads, place, how often."""
    rows = [("loop", "threads", "place", "runs")]
    for loop in loops(program):
        threads = ", ".join(t.name for t in program.threads if t.template.name == loop.template)
        rows.append((loop.id, threads, str(loop.loc), str(loop.count) if loop.count is not None else "not known"))
    widths = [max(len(row[k]) for row in rows) for k in range(3)]
    if len(rows) == 1:
        return "no loops"
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True)).rstrip() for row in rows)


def _named(template: Template, names: dict[str, int]) -> Iterator[Loop]:
    succ = successors(template)
    _, _, retreating = depth_first(lambda n: succ[n])
    idom = dominators(succ)
    back = predecessors(succ)
    number = 0
    for head in sorted({target for _, target in retreating}):
        if head == 0:
            continue  # a slot that is started again
        where = template.locations[head]
        sources = [s for s, t in retreating if t == head]
        name = where.loop or f"{template.name}.{number}"
        number += 1
        names[name] = names.get(name, 0) + 1
        label = name if names[name] == 1 else f"{name}'{names[name]}"
        body = _body(head, sources, back, idom)
        loop = Loop(label, template.name, where.function, head, where.loc, body)
        yield _Counter(template, head, sources, body, idom).counted(loop)


def _body(head: int, sources: Iterable[int], back: list[list[int]], idom: dict[int, int]) -> frozenset[int]:
    """The locations of the natural loop; for an irreducible one, what leads to a back edge without passing the head."""
    body = {head}
    work = [s for s in sources if s != head]
    while work:
        node = work.pop()
        if node not in body and node in idom:
            body.add(node)
            work.extend(back[node])
    return frozenset(body)


class _Counter:
    """How often one loop runs: a register with a constant start, a stride, and a test at the head that reads nothing else."""

    def __init__(self, template: Template, head: int, sources: list[int], body: frozenset[int], idom: dict[int, int]):
        self.head, self.sources, self.body, self.idom = head, sources, body, idom
        self.out = template.outgoing()
        self.into: list[list[Step]] = [[] for _ in template.locations]
        for step in template.steps:
            if not ending(step):
                self.into[step.target].append(step)

    def counted(self, loop: Loop) -> Loop:
        if not all(dominates(self.head, s, self.idom) for s in self.sources):
            return loop
        for test in self._tests():
            if len(test.guard.reads) == 1:
                (name,) = test.guard.reads
                start, stride = self._start(name), self._stride(name)
                if start is not None and stride is not None:
                    rounds, last = _run(test.guard, name, start, stride)
                    return replace(loop, count=rounds, counter=name, last=last) if rounds is not None else loop
        return loop

    def _tests(self) -> list[Step]:
        """Steps that leave the loop at its head, or at a location behind it that single empty steps lead to."""
        current = self.head
        for _ in range(8):
            steps = self.out[current]
            if len(steps) != 1 or steps[0].actions:
                return [s for s in steps if s.target not in self.body]
            current = steps[0].target
        return []

    def _start(self, name: str) -> Expr | None:
        """The constant that the register has whenever the loop is entered."""
        entering = [s for s in self.into[self.head] if s.source not in self.body]
        values = {self._value_after(step, name) for step in entering}
        return values.pop() if len(values) == 1 else None

    def _value_after(self, step: Step, name: str) -> Expr | None:
        """Up the only way that leads here: the last assignment on it, if that is a constant."""
        for _ in range(len(self.into)):
            found = [a for a in step.actions if defined(a) == name]
            if found:
                last = found[-1]
                return last.value if isinstance(last, Assign) and always(last) and last.value.op == "const" else None
            before = self.into[step.source]
            if len(before) != 1 or step.source == 0:
                return None
            step = before[0]
        return None

    def _stride(self, name: str) -> Expr | None:
        """What a round makes of the register, in terms of itself, if every round passes the one assignment to it."""
        inside = [(s, a) for node in sorted(self.body) for s in self.out[node] for a in s.actions if defined(a) == name]
        if len(inside) > 1:
            return self._stride_at_the_end(name, inside)
        if not inside:
            return None
        step, action = inside[0]
        if not isinstance(action, Assign) or not always(action) or action.value.reads != {name}:
            return None
        passed = all(dominates(step.source, s, self.idom) for s in self.sources)
        alone = sum(1 for s in self.out[step.source] if s.target in self.body and not ending(s)) == 1
        return action.value if passed and alone else None

    def _stride_at_the_end(self, name: str, inside: list[tuple[Step, Action]]) -> Expr | None:
        """The same for a loop that was folded: each step back to the head, and no other, has its copy of the one assignment."""
        back = [step for step in self.into[self.head] if step.source in self.body]
        if sorted(id(step) for step, _ in inside) != sorted(map(id, back)):
            return None
        values = {action.value if isinstance(action, Assign) and always(action) else None for _, action in inside}
        value = values.pop() if len(values) == 1 else None
        return value if value is not None and value.reads == {name} else None


def _run(leave: Expr, name: str, start: Expr, stride: Expr) -> tuple[int | None, tuple[int, ...]]:
    """Rounds until the exit test holds, by running the register, and its last values before that."""
    value = start
    last: deque[int] = deque(maxlen=_LAST)
    for rounds in range(LONGEST):
        told = fill(leave, {name: value})
        if told.op != "const":
            break
        if told.data:
            return rounds, tuple(last)
        last.append(value.value)
        after = fill(stride, {name: value})
        if after.op != "const" or after is value or (after is start and rounds):
            break
        value = after
    return None, ()
