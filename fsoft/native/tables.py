"""What generated steps and the runtime look up: events, questions with their answers, objects and cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fsoft.frontend.source import Loc
from fsoft.native.packing import NOWHERE_BITS, Packing, Unpackable
from fsoft.program.inputs import Sampler, representatives
from fsoft.program.program import PADDING, Input, Object
from fsoft.program.state import ChoicePoint, Place, can_die
from fsoft.properties.leaks import ROOTS

_BYTES = 1 << 23  # of all objects together, at most: there is a table with an entry for each
_KINDS = {
    "other": 0,
    "failed": 0,
    "pruned": 1,
    "ended": 2,
    "cut": 3,
    "undefined": 3,
}  # what an event means to the search; from 4: a property


class EventTable:
    """The events of all steps, each by its number. `props` are the properties asked for: the events that are findings."""

    FOUND = 4

    def __init__(self, props: Sequence[str]):
        self.props = list(props)
        self.kinds: list[int] = []

    def violation(self, prop: str) -> int:
        return self._new(self.FOUND + self.props.index(prop) if prop in self.props else _KINDS["other"])

    def halt(self, kind: str) -> int:
        return self._new(_KINDS[kind])

    def _new(self, kind: int) -> int:
        self.kinds.append(kind)
        return len(self.kinds) - 1

    def text(self) -> str:
        return f"static const u8 EVENT[] = {{{','.join(map(str, self.kinds or [0]))}}};\n#define EVENTS {len(self.kinds)}\n"


class _Answers(NamedTuple):
    """The values to try, all of `number` if None; whether others are left out."""

    values: tuple[int, ...] | None
    number: int
    sample: bool


class ChoicePointTable:
    """What steps ask, each question by its number, with the answers that are tried. `asked[k]` is question k."""

    def __init__(self, packing: Packing):
        self.packing, self.program = packing, packing.layout.program
        self.asked: list[ChoicePoint] = []
        self._sampler = Sampler(self.program)
        self._representatives = representatives(self.program)
        self._domains: dict[_Answers, int] = {}
        self._inputs: dict[int, tuple[int, int]] = {}
        self._cells: dict[int, int] = {}

    def input(self, action: Input, width: int, loc: Loc) -> tuple[int, int]:
        """The numbers of the domain and of the question of an input."""
        values = self._representatives.get(id(action))
        question = ChoicePoint("input", action.name, width, loc, action.signed, values, action.marker, action.name == PADDING)
        return self._domain(question), self._number(question)

    def undefined(self, place: Place, number: int, size: int) -> tuple[int, int]:
        """The same for an undefined cell."""
        question = self.packing.memory.question(place, number, size)
        return self._domain(question), self._number(question)

    def place_cell(self, entry: int, number: int) -> None:
        """The cell at an entry of the vector is that number of the table CELL."""
        self._cells[entry] = number

    def cell(self, entry: int) -> int:
        return self._cells[entry]

    def _number(self, question: ChoicePoint) -> int:
        self.asked.append(question)
        return len(self.asked) - 1

    def _domain(self, question: ChoicePoint) -> int:
        values = self._sampler(question, None)
        sampled = question.name in self._sampler.sampled
        self._sampler.sampled.clear()
        if question.width > 64:
            raise Unpackable(f"an input of {question.width} bits")
        answers = _Answers(None if isinstance(values, range) else tuple(values), len(values), sampled)
        return self._domains.setdefault(answers, len(self._domains))

    def text(self) -> str:
        lines = []
        rows = []
        for answers, k in self._domains.items():
            name = "0"
            if answers.values is not None:
                name = f"VALUES_{k}"
                lines.append(f"static const u64 {name}[] = {{{','.join(f'{x}ull' for x in answers.values)}}};")
            rows.append(f"{{{name},{answers.number},{int(answers.sample)}}}")
        lines.append(f"static const Domain DOMAIN[] = {{{','.join(rows or ['{0,1,0}'])}}};")
        return "\n".join(lines) + "\n"

    def count(self) -> str:
        return f"#define QUESTIONS {len(self.asked)}\n"


_TYPES = """
typedef struct {
    Field value, defined;
    u32 offset, size;
    u32 domain, question;
    u64 rom;
    u8 frozen;
} Cell;
typedef struct {
    u32 cells, count, bytes, covered;
    u64 limit, size;
    Field status, extent;
    u8 readonly, rom, heap, root;
} Object;
typedef struct {
    u64 capacity;
    u32 count;
    const u32 *objects;
} Pool;
typedef struct {
    Field value, defined;
} Holder;
"""


class MemoryTables:
    """Objects, cells, bytes and pools as C."""

    def __init__(self, packing: Packing, questions: ChoicePointTable):
        self.packing, self.questions = packing, questions
        self.program, self.layout = packing.layout.program, packing.layout
        self._cells: list[str] = []
        self._bytes: list[int] = []
        self._objects = [self._object(obj, place) for obj, place in zip(self.program.objects, self.layout.places, strict=True)]

    def _object(self, obj: Object, place: Place | None) -> str:
        if place is None:
            return "{0}"
        if (obj.pool is not None) != (obj.storage == "heap") or (place.status >= 0) != can_die(obj):
            raise Unpackable(f"the object {obj.name}")
        first, count = len(self._cells), place.cells.count
        covering = self._covering(place)
        self._cells += self._cells_of(place)
        at = len(self._bytes)
        self._bytes += covering
        if len(self._bytes) > _BYTES:
            raise Unpackable("more memory than tables can describe")
        status = self.packing.field[place.status].c() if place.status >= 0 else NOWHERE_BITS
        extent = self.packing.field[place.extent].c() if place.extent >= 0 else NOWHERE_BITS
        flags = (obj.readonly, place.rom is not None, obj.pool is not None, obj.storage in ROOTS)
        numbers = f"{first},{count},{at},{len(covering)},{place.limit},{obj.size}"
        return f"{{{numbers},{status},{extent},{','.join(str(int(flag)) for flag in flags)}}}"

    def _covering(self, place: Place) -> list[int]:
        """By byte, up to the last cell: the number of the cell that covers it, or -1."""
        covering = [-1] * min(place.limit, max((cell.offset + cell.size for cell in place.cells), default=0))
        for cell in place.cells:
            if cell.size > 8:
                raise Unpackable(f"a cell of {cell.size} bytes")
            for k in range(cell.offset, min(cell.offset + cell.size, len(covering))):
                if covering[k] >= 0:
                    raise Unpackable("overlapping cells")
                covering[k] = cell.number
        return covering

    def _cells_of(self, place: Place) -> list[str]:
        rows = []
        for cell in place.cells:
            entry = place.base + cell.number
            value = defined = NOWHERE_BITS
            domain = question = rom = 0
            frozen = entry in self.packing.frozen
            if place.rom is not None:
                rom = int(place.rom[cell.number])
            elif frozen:
                rom = int(self.packing.initial[entry])
            else:
                value = self.packing.field[entry].c()
                self.questions.place_cell(entry, len(self._cells) + cell.number)
                mask = self.packing.defined[entry]
                if mask is not None:
                    defined = mask.c()
                    domain, question = self.questions.undefined(place, cell.number, cell.size)
            rows.append(f"{{{value},{defined},{cell.offset},{cell.size},{domain},{question},{rom}ull,{int(frozen)}}}")
        return rows

    def _pools(self) -> str:
        lines, rows = [], []
        for pool in self.program.pools:
            lines.append(f"static const u32 POOL_{pool.index}[] = {{{','.join(map(str, pool.objects)) or '0'}}};")
            rows.append(f"{{{pool.capacity},{len(pool.objects)},POOL_{pool.index}}}")
        lines.append(f"static const Pool POOL[] = {{{','.join(rows or ['{0}'])}}};")
        lines.append(f"#define POOL_MOST {max([1, *(len(pool.objects) for pool in self.program.pools)])}")
        return "\n".join(lines)

    def _holders(self) -> str:
        """The entries that can hold an address."""
        rows = []
        for bits, defined in zip(self.packing.field, self.packing.defined, strict=True):
            if bits.width > self.program.offset_bits or defined is not None:
                rows.append(f"{{{bits.c()},{defined.c() if defined is not None else NOWHERE_BITS}}}")
        return f"static const Holder HELD[] = {{{','.join(rows or ['{0}'])}}};\n#define HELD_COUNT {len(rows)}"

    def text(self) -> str:
        program = self.program
        constants = {
            "OFFSET_BITS": program.offset_bits,
            "WORD_BITS": program.word,
            "STRICT": int(self.packing.memory.strict),
            "OBJECTS": len(program.objects),
            "HEAP_REUSE": int(program.heap_reuse),
            "WORDS": self.packing.words,
            "SLOTS": len(program.threads),
        }
        lines = [f"#define {name} {value}" for name, value in constants.items()]
        lines.append("#define OFFSET_MASK (((u64)1 << OFFSET_BITS) - 1)")
        lines.append("static int alike = 1;")
        lines.append(_TYPES)
        lines.append(self.questions.text())
        lines += ["static const Cell CELL[] = {", ",\n".join(self._cells or ["{0}"]), "};"]
        lines.append(f"static const int CELL_AT[] = {{{','.join(map(str, self._bytes or [0]))}}};")
        lines += ["static const Object OBJECT[] = {", ",\n".join(self._objects), "};"]
        lines += [self._pools(), self._holders()]
        return "\n".join(lines) + "\n"


__all__ = ["EventTable", "MemoryTables", "ChoicePointTable"]
