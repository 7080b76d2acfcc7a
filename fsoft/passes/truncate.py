"""Truncate: long arrays keep their first cells only (F-Soft section 4.1), and whatever that leaves open is said.

"Writes to elements above a certain index are ignored, and reads from these elements yield non-deterministic values." An object keeps its
size, so that the same accesses are valid; the bytes of the cells that go become padding, which forgets what is stored there. A load that
reaches them is followed by an Input with a marker: it may see more than the program does, so a trace that passes it is no evidence for
FALSE, and TRUE stays TRUE, because the values of the program are among those tried.

That argument needs a property of steps. Races, deadlocks and leaks are properties of states, where a write that is not there, or a lock
that looks free, may hide something. If one of them is asked for, and where a step may block on what it loads, an access beyond the limit
is a cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fsoft.analysis.actions import blocking
from fsoft.analysis.points_to import PointsTo, members
from fsoft.frontend.source import NOWHERE, Loc
from fsoft.passes.graph import Graph, each_template, shortened
from fsoft.program.expr import FALSE, TRUE, Expr, binary, conj, const, disj, eq, make
from fsoft.program.program import Action, Assign, Halt, Input, Load, Marker, Object, Program, Run, Step, Store, Template

_OF_STATES = frozenset({"no-data-race", "no-deadlock", "valid-memtrack"})

Range = tuple[int, int]
"""Bytes from the first up to, not including, the second."""


@dataclass(frozen=True)
class Truncate:
    """`limit`: how many cells of an array stay; 0 for all."""

    limit: int = 0
    name: str = "truncate"

    def apply(self, program: Program) -> Program:
        objects = [_short(obj, self.limit) for obj in program.objects] if self.limit else program.objects
        short = sum(1 << obj.id for obj in objects if obj.dropped)
        if not short:
            return program
        work = _Truncating(program, objects, short, self.limit)
        done = each_template(program, work.template)
        return replace(done, objects=objects, markers=work.markers)


# ---------------------------------------------------------------- objects


def _short(obj: Object, limit: int) -> Object:
    """The object without the cells of long arrays. String literals and fsoft's own objects stay whole."""
    if obj.storage in ("system", "function", "string"):
        return obj
    if any(run.start % run.size or run.stride % run.size for run in obj.runs):
        return obj  # packed: which accesses are misaligned depends on the cells
    gone = _joined([(r.start + limit * r.stride, r.start + (r.count - 1) * r.stride + r.size) for r in obj.runs if r.count > limit])
    if not gone:
        return obj
    runs = tuple(part for run in obj.runs for part in _outside(run, gone))
    starts = {run.start + k * run.stride for run in runs for k in range(run.count)}
    return replace(obj, runs=runs, initial={at: value for at, value in obj.initial.items() if at in starts}, dropped=gone)


def _joined(ranges: list[Range]) -> tuple[Range, ...]:
    """The same bytes in ranges that do not overlap, in order."""
    found: list[Range] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1]:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    return tuple(found)


def _outside(run: Run, gone: Sequence[Range]) -> list[Run]:
    """What is left of a run: its first cells as a run, any others one by one under their own names."""
    kept = [k for k in range(run.count) if not _hit(run.start + k * run.stride, run.size, gone)]
    first = next((n for n, k in enumerate(kept) if n != k), len(kept))
    parts = [replace(run, count=first)] if first else []
    for k in kept[first:]:
        name = run.name.replace("[]", f"[{k}]", 1)
        parts.append(replace(run, start=run.start + k * run.stride, count=1, name=name))
    return parts


def _hit(offset: int, size: int, gone: Sequence[Range]) -> bool:
    return any(offset < high and offset + size > low for low, high in gone)


# ---------------------------------------------------------------- accesses


class _Truncating:
    """Rewrites accesses; `markers` grows as places are found where the limit may show."""

    def __init__(self, program: Program, objects: list[Object], short: int, limit: int):
        self.program, self.objects, self.short, self.limit = program, objects, short, limit
        self.points_to = PointsTo(program)
        self.stops = bool(program.checks & _OF_STATES)
        self.markers = list(program.markers)
        self._numbers: dict[tuple[Loc, str], int] = {}

    def template(self, template: Template) -> Template:
        slots = [thread.index for thread in self.program.threads if thread.template is template]
        graph = Graph(template)
        for node, steps in enumerate(graph.out):
            graph.out[node] = [self._step(graph, slots, step) for step in steps]
        return graph.finish()

    def _step(self, graph: Graph, slots: list[int], step: Step) -> Step:
        actions: list[Action] = []
        for action in step.actions:
            if isinstance(action, (Load, Store)):
                actions += self._access(graph, slots, step, action)
            else:
                actions.append(action)
        return step if len(actions) == len(step.actions) else replace(step, actions=shortened(actions))

    def _access(self, graph: Graph, slots: list[int], step: Step, action: Load | Store) -> list[Action]:
        mask = 0
        for slot in slots:
            mask |= self.points_to.value(slot, action.address) & self.short
        beyond = conj(action.when, self._beyond(mask, action.address, action.size))
        if beyond is FALSE:
            return [action]
        place = step.loc if action.loc == NOWHERE else action.loc
        if self.stops or (blocking(step) and isinstance(action, Load)):
            return [Halt("cut", self._marker(mask, place, True), beyond, place), action]
        if isinstance(action, Store):
            return [action]
        flag = graph.register("beyond", 1)
        given = Input(action.reg, "element beyond the array limit", None, flag, place, marker=self._marker(mask, place, False))
        return [Assign(str(flag.data), beyond), action, given]

    def _beyond(self, mask: int, address: Expr, size: int) -> Expr:
        """The access reaches bytes that have no cell any more."""
        bits, word = self.program.offset_bits, self.program.word
        number, low = make("extract", word - bits, (address,), bits), make("extract", bits, (address,), 0)
        found: Expr = FALSE
        for k in members(mask):
            inside: Expr = FALSE
            for start, end in self.objects[k].dropped:
                after = binary("ult", const(start - size, bits), low) if start >= size else TRUE
                inside = disj(inside, conj(after, binary("ult", low, const(end, bits))))
            found = disj(found, conj(eq(number, const(k, number.width)), inside))
        return found

    def _marker(self, mask: int, loc: Loc, cuts: bool) -> int:
        names = sorted({self.objects[k].name for k in members(mask)})
        shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
        message = f"an access beyond the first {self.limit} cells of {shown}"
        key = (loc, message + str(cuts))
        if key not in self._numbers:
            self._numbers[key] = len(self.markers)
            self.markers.append(Marker("array", cuts, not cuts, loc, message, "raise --array-limit"))
        return self._numbers[key]
