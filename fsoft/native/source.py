"""A Program as C: the text of a program of its own that enumerates all states (`runtime/` has the parts that are the same for all).

What is generated says for each slot which steps there are from each location, what monitors have to know of them, and the first state. The
reductions are those of the search in Python: threads at local locations move alone and settle, steps that only stop their thread are not
followed, freed objects stand for new ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from importlib.resources import files
from itertools import pairwise
from typing import NamedTuple

from fsoft.native.ctext import CLines
from fsoft.native.packing import NOWHERE_BITS, Packing, Unpackable
from fsoft.native.steps import StepWriter
from fsoft.native.tables import ChoicePointTable, EventTable, MemoryTables
from fsoft.por.cells import Ground
from fsoft.program import descriptor
from fsoft.program.interpreter import Machine
from fsoft.program.markers import step_markers
from fsoft.program.memory import Memory
from fsoft.program.program import STOPS, Program
from fsoft.program.state import OVER, Layout, Vector
from fsoft.properties.race_objects import race_ranges
from fsoft.properties.waits import Waits, WaitSource

MONITORED = ("no-data-race", "no-deadlock", "valid-memtrack")
"""Properties of states, in the order in which the runtime numbers them after the properties that are checks."""
_SLOTS = 64


class AskedProperties(NamedTuple):
    """What is asked: the properties, and by slot and location where a thread may move alone (never, if not `reduce`). `runs` are states,
    one after the other, of some runs: they tell which words of a state change often; `frozen` (see `unwritten`) are entries that are taken
    for constants."""

    props: tuple[str, ...]
    local: Sequence[Sequence[bool]]
    order: Sequence[int]
    reduce: bool
    runs: Sequence[Sequence[Vector]] = ()
    frozen: frozenset[int] = frozenset()


class Generated(NamedTuple):
    """The C text, and what its numbers mean: classes of findings, questions, moves as (slot, step)."""

    text: str
    packing: Packing
    classes: tuple[str, ...]
    questions: ChoicePointTable
    moves: list[tuple[int, int]]


def generate(program: Program, asked: AskedProperties) -> Generated:
    """The search of a program as C; Unpackable if it has something for which there is none."""
    return _Writer(program, asked).whole()


def unwritten(program: Program) -> frozenset[int]:
    """The entries of memory that no step is known to change, but for thread descriptors' states. Should one change all the same (through an
    address that no pointer was seen to lead to), the search says that it strayed."""
    ground = Ground(program)
    written = 0
    for slot, thread in enumerate(program.threads):
        for index in range(len(thread.template.steps)):
            written |= ground.of_step(slot, index)[1]
    states = {_state_entry(ground.layout, slot) for slot in range(len(program.threads))}
    memory, found = Memory(ground.layout), set[int]()
    for place in ground.layout.places:
        if place is not None and memory.steady(place):
            found.update(n for n in range(place.base, place.base + place.cells.count) if not written >> n & 1 and n not in states)
    return frozenset(found)


def _state_entry(layout: Layout, slot: int) -> int | None:
    """The entry of the state of a thread descriptor."""
    if layout.descriptors is None:
        return None
    word = layout.program.word // 8
    place = layout.places[layout.descriptors.id]
    at = place.cells.exact(descriptor.offset(slot, "state", word), word) if place is not None and place.rom is None else None
    return None if place is None or at is None else place.base + at


def runtime(name: str) -> str:
    """A part of the runtime."""
    return (files("fsoft.native") / "runtime" / name).read_text(encoding="utf-8")


class _Writer:
    """Writes the text of one program."""

    def __init__(self, program: Program, asked: AskedProperties):
        self.program, self.asked = program, asked
        if len(program.threads) > _SLOTS:
            raise Unpackable(f"{len(program.threads)} threads")
        self.machine = Machine(program, compiled=False)
        self.packing = Packing(self.machine.memory, asked.frozen)
        self.events, self.questions = EventTable(asked.props), ChoicePointTable(self.packing)
        self.memory = MemoryTables(self.packing, self.questions)
        self.steps = StepWriter(self.packing, self.events, self.questions, "no-data-race" in asked.props)
        self.moves: list[tuple[int, int]] = []
        self._functions: list[str] = []
        self._moves: list[str] = []
        self._guards: dict[tuple[int, int], str] = {}

    def whole(self) -> Generated:
        slots = [self._locations(slot) for slot in range(len(self.program.threads))]
        steps = [self._types(), *self._functions, self._tables(slots), self._waits_text]
        parts = [runtime("base.h"), self.memory.text(), runtime("memory.h"), *steps, self._races(), self._initial(), self._tree()]
        parts += [runtime(name) for name in ("store.h", "expand.h", "search.h", "main.c")]
        classes = (*self.asked.props, *MONITORED)
        return Generated("\n".join(parts), self.packing, classes, self.questions, self.moves)

    # ------------------------------------------------------------ steps

    def _types(self) -> str:
        return """
typedef struct {
    int (*guard)(const u64 *);
    int (*step)(Worker *, u64 *);
    u32 number;
    u8 spurious, section, marked;
} Move;
typedef struct {
    u32 move, count, row, rows;
    u8 local, atomic, stop, finished;
} Location;
typedef struct {
    int (*guard)(const u64 *);
    u64 (*names)(const u64 *);
} Row;
typedef struct {
    Field pc, state;
    u32 first, low, high;
    u8 sections;
} Slot;
static u64 owner_at(const u64 *s, u64 address, u32 size);
static u64 readers_at(const u64 *s, u64 address, u32 size);
static u64 joined_at(const u64 *s, u64 address, u32 size);
"""

    def _locations(self, slot: int) -> list[str]:
        """The rows of the table LOCATION of a slot; the functions of its steps come on the way."""
        template = self.program.threads[slot].template
        rows, waits = [], self._waits(slot)
        stops = {location: 1 + STOPS.index(kind) for kind, location in template.stops.items()}
        for location, place in enumerate(template.locations):
            first = len(self._moves)
            for index in self.machine.outgoing(slot, location):
                self._move(slot, index)
            row, count = waits.get(location, (0, 0))
            local = self.asked.local[slot][location]
            flags = f"{int(local)},{int(place.atomic)},{stops.get(location, 0)},{self._finished(slot, location)}"
            rows.append(f"{{{first},{len(self._moves) - first},{row},{count},{flags}}}")
        return rows

    def _move(self, slot: int, index: int) -> None:
        name = f"step_{slot}_{index}"
        guard = self._guard(slot, index)
        self._functions.append(self.steps.step(slot, index, name))
        step = self.machine.step(slot, index)
        kinds = {tag.kind for tag in step.tags}
        flags = f"{int('spurious' in kinds)},{int('section' in kinds)},{int(bool(step_markers(step)))}"
        self._moves.append(f"{{{guard},{name},{index},{flags}}}")
        self.moves.append((slot, index))

    def _guard(self, slot: int, index: int) -> str:
        """The name of the function of a guard; 0 if the guard always holds."""
        known = self._guards.get((slot, index))
        if known is None:
            text = self.steps.guard(slot, index, f"guard_{slot}_{index}")
            known = self._guards[slot, index] = "0" if text is None else f"guard_{slot}_{index}"
            if text is not None:
                self._functions.append(text)
        return known

    def _finished(self, slot: int, location: int) -> int:
        """Whether a thread is done there: 0 no, 1 yes, 2 its descriptor says it."""
        steps = [self.machine.step(slot, index) for index in self.machine.outgoing(slot, location)]
        if not steps:
            return 1
        return 2 if location == 0 or any(tag.kind == "start" for step in steps for tag in step.tags) else 0

    # ------------------------------------------------------------ who waits for whom

    def _waits(self, slot: int) -> dict[int, tuple[int, int]]:
        """By location: the first of its rows in the table ROW, and how many there are."""
        if slot == 0:
            self._waiting = Waits(self.program)
            self._rows: list[str] = []
        found = {}
        for location, rows in self._waiting.at(slot).items():
            found[location] = (len(self._rows), len(rows))
            for index, sources in rows:
                guard = self._guard(slot, index)
                self._rows.append(f"{{{guard},{self._names(slot, index, sources)}}}")
        return found

    def _names(self, slot: int, index: int, sources: Sequence[WaitSource]) -> str:
        """The function that says for whom a blocked step waits."""
        if not sources:
            return "0"
        name, entries = f"names_{slot}_{index}", self.packing.layout.registers[slot]
        out = CLines({register: f"r{entry}" for register, entry in entries.items()})
        out.open(f"static u64 {name}(const u64 *s)")
        for register in sorted({register for source in sources for register in source.address.reads}):
            bits = self.packing.field[entries[register]]
            out.line(f"u64 r{entries[register]} = GET({bits.word}, {bits.shift}, {bits.mask}ull);")
        kinds = {"owner": "owner_at", "readers": "readers_at", "join": "joined_at"}
        parts = [f"{kinds[source.kind]}(s, {out.expr(source.address)}, {source.size})" for source in sources]
        out.line(f"return {' | '.join(parts)};")
        out.close()
        self._functions.append(out.text())
        return name

    # ------------------------------------------------------------ tables

    def _tables(self, slots: list[list[str]]) -> str:
        rows, first = [], 0
        for slot, locations in enumerate(slots):
            low, high = self.packing.spans[slot]
            sections = any(place.atomic for place in self.program.threads[slot].template.locations)
            pc = self.packing.field[self.packing.layout.pc[slot]].c()
            rows.append(f"{{{pc},{self._state(slot)},{first},{low},{high},{int(sections)}}}")
            first += len(locations)
        every = [row for locations in slots for row in locations]
        lines = ["static const Move MOVE[] = {", ",\n".join(self._moves or ["{0}"]), "};", f"#define MOVES {len(self._moves)}"]
        lines += ["static const Location LOCATION[] = {", ",\n".join(every), "};"]
        lines.append(f"static const Slot SLOT[] = {{{','.join(rows)}}};")
        lines.append(f"static const int ORDER[] = {{{','.join(map(str, self.asked.order))}}};")
        lines += [self.events.text(), self.questions.count()]
        return "\n".join(lines)

    def _state(self, slot: int) -> str:
        """The field of a thread's descriptor that says whether it runs."""
        entry = _state_entry(self.packing.layout, slot)
        if entry is None:
            return NOWHERE_BITS
        if self.packing.defined[entry] is not None:
            raise Unpackable("thread descriptors that can be undefined")
        return self.packing.field[entry].c()

    @property
    def _waits_text(self) -> str:
        constants = {
            "RUNNING": descriptor.RUNNING,
            "DESCRIPTOR": self.program.word // 8 * len(descriptor.FIELDS),
            "PROPERTIES": len(self.asked.props),
            "RACES": int("no-data-race" in self.asked.props),
            "DEADLOCKS": int("no-deadlock" in self.asked.props),
            "LEAKS": int("valid-memtrack" in self.asked.props),
            "REDUCE": int(self.asked.reduce),
        }
        lines = [f"#define {name} {value}" for name, value in constants.items()]
        lines.append(f"static const Row ROW[] = {{{','.join(self._rows or ['{0}'])}}};")
        return "\n".join(lines)

    def _races(self) -> str:
        """The function that says whether a race on common bytes counts."""
        ranges = race_ranges(self.program)
        lines = ["static int race_counts(const Access *a, const Access *b) {"]
        if ranges is None:
            lines += ["(void)a, (void)b;", "return 1;", "}"]
            return "\n".join(lines)
        lines.append("u64 low = a->offset > b->offset ? a->offset : b->offset;")
        lines.append("u64 x = (u64)a->offset + a->size, y = (u64)b->offset + b->size, high = x < y ? x : y;")
        for number, some in ranges.items():
            tests = " || ".join(f"(low < {end} && {start} < high)" for start, end in some)
            lines.append(f"if (a->object == {number}) return {tests};")
        lines += ["return 0;", "}"]
        return "\n".join(lines)

    def _initial(self) -> str:
        words = self.packing.pack(self.packing.layout.initial())
        over = self.packing.field[OVER].c()
        return f"static const Field OVER_FIELD = {over};\nstatic const u64 INITIAL[] = {{{','.join(f'{word}ull' for word in words)}}};"

    def _tree(self) -> str:
        """The tree of the words of a state, as Huffman would have it: what changes often is near the root, so that a step renews few nodes,
        and what never changes is one node that is always the same."""
        changes = [0] * self.packing.words
        for run in self.asked.runs:
            for old, new in pairwise(map(self.packing.pack, run)):
                for k, (a, b) in enumerate(zip(old, new, strict=True)):
                    changes[k] += a != b
        heap = [(weight, k) for k, weight in enumerate(changes)]
        heapify(heap)
        pairs: list[str] = []
        while len(heap) > 1:
            (one, left), (two, right) = heappop(heap), heappop(heap)
            heappush(heap, (one + two, self.packing.words + len(pairs)))
            pairs.append(f"{{{left},{right}}}")
        return f"static const struct {{ u32 left, right; }} TREE[] = {{{','.join(pairs)}}};"


__all__ = ["AskedProperties", "Generated", "MONITORED", "generate", "unwritten"]
