"""Truncate: long arrays keep their first cells only (F-Soft section 4.1), and whatever that leaves open is said.

"Writes to elements above a certain index are ignored, and reads from these elements yield non-deterministic values." An object keeps its
size, so that the same accesses are valid; the bytes of the cells that go become padding, which forgets what is stored there. A load that
reaches them is followed by an Input with a marker: it may see more than the program does, so a trace that passes it is no evidence for
FALSE, and TRUE stays TRUE, because the values of the program are among those tried.

That argument needs a property of steps. Races, deadlocks and leaks are properties of states, where a write that is not there, or a lock
that looks free, may hide something. If one of them is asked for, and where a step may block on what it loads, an access beyond the limit
is a cut. Whoever compares accesses by their addresses sees races there, too (`races`), and has no need of that.

**Ranges.** A dense array that exists from the start may come with a range for its values (`ranges`). Then a value that a load brings from
beyond is taken to be in the range, and a store that puts another value there is a cut. No trust is needed in the range: as long as no store
has been cut, all values beyond are in it, for they were there at the start or were stored; so a run of the program is among the runs of
the truncated one up to the first store of a value outside the range, and there the truncated one reaches the cut, which forbids TRUE.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fsoft.analysis.actions import blocking
from fsoft.analysis.points_to import PointsTo, members
from fsoft.frontend.source import NOWHERE, Loc
from fsoft.passes.graph import Graph, each_template, shortened
from fsoft.program.expr import FALSE, TRUE, Expr, binary, conj, const, disj, eq, make, negate, reg, to_signed
from fsoft.program.options import Options
from fsoft.program.program import Action, Assign, CellRun, Halt, Input, Load, Marker, Object, Program, Step, Store, Template

_OF_STATES = frozenset({"no-data-race", "no-deadlock", "valid-memtrack"})

Range = tuple[int, int]
"""Bytes from the first up to, not including, the second."""

ValueBounds = tuple[int, int]
"""The least and the greatest value, signed."""


@dataclass(frozen=True)
class Truncate:
    """`limit`: how many cells an array may have; 0 for any number. `kept`: how many of a longer one stay (None: `limit`). `ranges`: by
    number of the object, what the values of those that go are taken to be (only for objects that are `ranged`). `races`: who asks for data
    races sees those beyond."""

    limit: int = 0
    name: str = "truncate"
    kept: int | None = None
    ranges: Mapping[int, ValueBounds] = field(default_factory=dict)
    races: bool = False

    def suited(self, options: Options) -> Truncate:
        """With the limit that users set."""
        return replace(self, limit=options.array_limit)

    def apply(self, program: Program) -> Program:
        kept = self.limit if self.kept is None else self.kept
        objects = [_short(obj, self.limit, kept) for obj in program.objects] if self.limit else program.objects
        short = sum(1 << obj.id for obj in objects if obj.dropped)
        if not short:
            return program
        stops = bool(program.checks & (_OF_STATES - {"no-data-race"} if self.races else _OF_STATES))
        work = _Truncating(program, objects, short, kept, self._summaries(program), stops)
        done = each_template(program, work.template)
        return replace(done, objects=objects, markers=work.markers)

    def _summaries(self, program: Program) -> dict[int, CellSummary]:
        """The ranges that may be given and that hold at the start."""
        found = {}
        for number, (low, high) in self.ranges.items():
            obj = program.objects[number]
            size = ranged(obj, self.limit)
            if size is not None and all(low <= to_signed(value, 8 * size) <= high for value in (0, *obj.initial.values())):
                found[number] = CellSummary(size, low, high)
        return found


@dataclass(frozen=True, slots=True)
class CellSummary:
    """All cells that go are of `size` bytes, with values from `low` to `high`, signed."""

    size: int
    low: int
    high: int

    def holds(self, value: Expr) -> Expr:
        low, high = (const(bound, value.width) for bound in (self.low, self.high))
        return conj(binary("sle", low, value), binary("sle", value, high))

    def aligned(self, address: Expr) -> Expr:
        """An address of a cell, not one between two."""
        bits = self.size.bit_length() - 1
        return eq(make("extract", bits, (address,), 0), const(0, bits)) if bits else TRUE


# ---------------------------------------------------------------- objects


def ranged(obj: Object, limit: int) -> int | None:
    """The size of the cells that go, if a range may be given for their values: they fill arrays without gaps, have one size and are there
    from the start."""
    sizes = {run.size for run in obj.runs if run.count > limit}
    dense = all(run.stride == run.size for run in obj.runs if run.count > limit)
    fixed = obj.storage in ("global", "static") and obj.alive and not obj.undefined
    return sizes.pop() if fixed and dense and len(sizes) == 1 else None


def _short(obj: Object, limit: int, kept: int) -> Object:
    """The object without the cells of long arrays. String literals and fsoft's own objects stay whole."""
    if obj.cut is not None or obj.storage in ("system", "function", "string"):
        return obj
    if any(run.start % run.size or run.stride % run.size for run in obj.runs):
        return obj  # packed: which accesses are misaligned depends on the cells
    gone = _joined([(r.start + kept * r.stride, r.start + (r.count - 1) * r.stride + r.size) for r in obj.runs if r.count > limit])
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


def _outside(run: CellRun, gone: Sequence[Range]) -> list[CellRun]:
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


def _any(terms: Iterable[Expr]) -> Expr:
    found: Expr = FALSE
    for term in terms:
        found = disj(found, term)
    return found


class _Truncating:
    """Rewrites accesses; `markers` grows as places are found where the limit may show."""

    def __init__(self, program: Program, objects: list[Object], short: int, limit: int, known: Mapping[int, CellSummary], stops: bool):
        self.program, self.objects, self.short, self.limit, self.known = program, objects, short, limit, known
        self.points_to = PointsTo(program)
        self.stops = stops
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
        parts = self._parts(mask, action)
        place = step.loc if action.loc == NOWHERE else action.loc
        cuts: list[Action] = []
        for marker in sorted({cut for k, _ in parts if (cut := self.objects[k].cut) is not None}):
            reached = conj(action.when, _any(where for k, where in parts if self.objects[k].cut == marker))
            cuts += [] if reached is FALSE else [Halt("cut", marker, reached, place)]
        return [*cuts, *self._shortened(graph, step, action, [part for part in parts if self.objects[part[0]].cut is None], place)]

    def _shortened(self, graph: Graph, step: Step, action: Load | Store, parts: list[tuple[int, Expr]], place: Loc) -> list[Action]:
        """An access to objects of which this pass keeps the first cells only."""
        mask = sum(1 << k for k, _ in parts)
        beyond = conj(action.when, _any(where for _, where in parts))
        if beyond is FALSE:
            return [action]
        if self.stops or (blocking(step) and isinstance(action, Load)):
            return [Halt("cut", self._marker(mask, place, True), beyond, place), action]
        if isinstance(action, Store):
            odd = conj(action.when, _any(conj(where, self._unusual(k, action)) for k, where in parts))
            return [action] if odd is FALSE else [Halt("cut", self._marker(mask, place, True), odd, place), action]
        return self._load(graph, mask, action, beyond, parts, place)

    def _load(self, graph: Graph, mask: int, action: Load, beyond: Expr, parts: list[tuple[int, Expr]], place: Loc) -> list[Action]:
        """The load, then any value instead if it goes beyond; where a summary is known, any value that it allows."""
        flag, marker = graph.register("beyond", 1), self._marker(mask, place, False)
        before: list[Action] = [Assign(str(flag.data), beyond)]
        odd, value = FALSE, reg(action.reg, 8 * action.size)
        for k, where in parts:
            summary = self.known.get(k)
            if summary is not None and summary.size == action.size:
                here = graph.register("here", 1)  # decided before: the load may change the register that the address is in
                before.append(Assign(str(here.data), conj(conj(action.when, where), summary.aligned(action.address))))
                odd = disj(odd, conj(here, negate(summary.holds(value))))
        given = Input(action.reg, "element beyond the array limit", None, flag, place, marker=marker)
        return [*before, action, given, *([] if odd is FALSE else [Halt("pruned", None, odd, place)])]

    def _unusual(self, number: int, action: Store) -> Expr:
        """The store breaks what is taken for granted about the object."""
        summary = self.known.get(number)
        if summary is None:
            return FALSE
        if summary.size != action.size:
            return TRUE
        return negate(conj(summary.aligned(action.address), summary.holds(action.value)))

    def _parts(self, mask: int, action: Load | Store) -> list[tuple[int, Expr]]:
        """By object: when the access reaches bytes that have no cell any more."""
        bits, word = self.program.offset_bits, self.program.word
        number, low = make("extract", word - bits, (action.address,), bits), make("extract", bits, (action.address,), 0)
        found = []
        for k in members(mask):
            inside: Expr = FALSE
            for start, end in self.objects[k].dropped:
                after = binary("ult", const(start - action.size, bits), low) if start >= action.size else TRUE
                inside = disj(inside, conj(after, binary("ult", low, const(end, bits))))
            found.append((k, conj(eq(number, const(k, number.width)), inside)))
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
