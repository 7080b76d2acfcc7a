"""A set of states of the interpreter as an invariant of the circuit: clauses for bits that never change, a decision diagram for the rest.

Entry by entry, the words of a circuit are those of the interpreter (`encode.py`), with three liberties: a register that nobody reads any
more keeps what it had, an undefined cell has any value, and of a cell that is partly defined some bytes have. Where a state says nothing
about a word, the invariant says nothing either. The diagram asks thread by thread for the location, which settles what registers say, and
for the registers, then for memory; what is left to say after the same words is shared. On a path that was chosen, unit propagation
knows the whole state.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from fsoft.analysis.liveness import live_registers
from fsoft.checkers.explicit.reachable import States
from fsoft.circuit.bits import BitModel, fingerprint
from fsoft.circuit.bits.aig import FALSE, TRUE, Aig
from fsoft.circuit.encode.encoding import ProgramCircuit
from fsoft.circuit.encode.narrow import LOST
from fsoft.circuit.encode.ranges import WordShape, shape_of
from fsoft.circuit.encode.scheduler import PICK
from fsoft.circuit.model import Model
from fsoft.circuit.model.verdict import Certificate
from fsoft.program.expr import to_signed
from fsoft.program.liveness import live_registers as kept_registers
from fsoft.program.program import Template

StateRow = tuple[Any, ...]
"""What a state says about each column; None where any value will do."""
LOCATION, REGISTER, MEMORY = range(3)


@dataclass(frozen=True, slots=True)
class Column:
    """Bits of an entry of the state vector: the whole word, or the byte at bit `low`. `latches` are those of the bits that change, the
    highest first, `bits` their numbers in the column."""

    index: int
    low: int
    latches: tuple[int, ...]
    bits: tuple[int, ...]


class StateSet:
    """A set of reachable states, and what it says about the words of the encoding. Looks at components of states: there are few."""

    def __init__(self, encoding: ProgramCircuit, states: States):
        self.encoding, self.states, self.layout = encoding, states, encoding.layout
        self.order = {index: (LOCATION, slot) for slot, index in enumerate(self.layout.pc)}
        for slot, table in enumerate(self.layout.registers):
            self.order.update((index, (REGISTER, slot)) for index in table.values())
        self.parts = [self._silenced(k) for k in range(len(states.collapse.spans))]
        self.values = [set(column) for part in self.parts for column in zip(*part)]  # of each entry

    def _silenced(self, k: int) -> list[StateRow]:
        """The values of a component, without the registers that are not kept at the location of its thread."""
        found, slots = self.states.collapse.values(k), self.encoding.program.threads
        if k >= len(slots):
            return found
        low = self.states.collapse.spans[k][0]
        dead = [{entry - low for entry in row} for row in _dead(slots[k].template, self.layout.registers[k])]
        at = self.layout.pc[k] - low
        return [tuple([None if i in dead[value[at]] else x for i, x in enumerate(value)]) for value in found]

    def kind(self, index: int) -> tuple[int, int]:
        """What an entry of the vector is, and whose."""
        return self.order.get(index, (MEMORY, 0))

    # ------------------------------------------------------------ bits

    def shapes(self, model: Model) -> dict[str, WordShape]:
        """How many bits the words of the model need."""
        found: dict[str, WordShape] = {}
        for index, name in enumerate(self.encoding.words.names):
            width, start = model.states.get(name, 0), model.init.get(name)
            values = self._met(index)
            if width < 2 or values is None or start is None or name in model.arrays:
                continue
            numbers = [to_signed(value, width) for value in {*values, start.value}]
            shape = shape_of((min(numbers), max(numbers)))
            if shape.bits < width:
                found[name] = shape
        return found

    def _met(self, index: int) -> set[int] | None:
        """The values of an entry; None if it may have any. A register that is not read keeps what it had, and had 0 at the start."""
        values = self.values[index]
        if self.kind(index)[0] == MEMORY:
            return None if any(not isinstance(value, int) for value in values) else values
        return {0 if value is None else value for value in values} | {0}

    # ------------------------------------------------------------ the invariant

    def certificate(self, bits: BitModel) -> Certificate:
        """The set as an invariant of the bit-blasted model (or of a narrowed one), against all its targets."""
        facts, columns = self._columns(bits)
        aig = Aig()
        latches = [aig.input() for _ in bits.latches]
        places = [([latches[latch] for latch in column.latches], column.bits) for column in columns]
        root = _Diagram(aig, places).build(self._rows(columns))
        clauses = tuple((2 * latch + 1 - value,) for latch, value in sorted(facts.items()))
        circuit = tuple((aig.left[v], aig.right[v]) for v in range(len(latches) + 1, len(aig)))
        split = (_schedule(bits), *[column.latches for column in columns if self.kind(column.index)[0] == LOCATION])
        return Certificate("invariant", fingerprint(bits), tuple(bits.targets()), clauses, circuit, (root,), split=split)

    def _columns(self, bits: BitModel) -> tuple[dict[int, int], list[Column]]:
        """The latches that never change, and columns of the others in the order of the diagram."""
        indices = {name: index for index, name in enumerate(self.encoding.words.names) if name}
        facts: dict[int, int] = {}
        columns: list[Column] = []
        first = 0
        for name, width in bits.latch_words:
            latches = range(first, first + width)
            first += width
            if name == LOST:
                facts[latches[0]] = 0
            if name not in indices:
                continue
            index = indices[name]
            facts.update((latches[bit], value) for bit, value in self._fixed(index, width).items())
            pieces = range(0, width, 8) if any(isinstance(value, tuple) for value in self.values[index]) else [0]
            for low in pieces:
                piece = latches[low : low + 8] if len(pieces) > 1 else latches
                free = [(latch, bit) for bit, latch in reversed(list(enumerate(piece))) if latch not in facts]
                if free:
                    columns.append(Column(index, low if len(pieces) > 1 else -1, *zip(*free)))
        return facts, sorted(columns, key=self._rank)

    def _rank(self, column: Column) -> tuple[int, ...]:
        """Thread by thread, the location before the registers; then memory."""
        kind, slot = self.kind(column.index)
        return kind == MEMORY, slot, kind, column.index, column.low

    def _fixed(self, index: int, width: int) -> dict[int, int]:
        """The lowest `width` bits of an entry that are the same in all states."""
        values, ones, zeros = self._met(index), 0, 0
        if values is None:
            return {}
        for value in values:
            ones, zeros = ones | value, zeros | ~value
        return {bit: ones >> bit & 1 for bit in range(width) if not (ones & zeros) >> bit & 1}

    def _rows(self, columns: list[Column]) -> set[StateRow]:
        """The states, column by column."""
        collapse = self.states.collapse
        found: list[int] = []
        parts: list[list[StateRow]] = []
        for k, (low, high) in enumerate(collapse.spans):
            mine = [number for number, column in enumerate(columns) if low <= column.index < high]
            found += mine
            parts.append([tuple([_piece(value[columns[n].index - low], columns[n].low) for n in mine]) for value in self.parts[k]])
        arrange = itemgetter(*sorted(range(len(found)), key=found.__getitem__)) if len(found) > 1 else tuple
        rows: set[StateRow] = set()
        for key in self.states.keys:
            row: StateRow = ()
            for part, number in zip(parts, collapse.unpack(key)):
                row += part[number]
            rows.add(arrange(row))
        return rows


def _schedule(bits: BitModel) -> tuple[int, ...]:
    """The inputs that say who moves, numbered after the latches."""
    first = len(bits.latches)
    for name, width in bits.input_words:
        if name == PICK:
            return tuple(range(first, first + width))
        first += width
    return ()


def _piece(value: Any, low: int) -> Any:
    """The byte of a value at bit `low` (-1: the value)."""
    if value is None or low < 0:
        return value
    return value[low // 8] if isinstance(value, tuple) else value >> low & 0xFF


def _dead(template: Template, index: dict[str, int]) -> list[frozenset[int]]:
    """For each location the entries of registers that the interpreter or the circuit does not keep there."""
    ours, theirs = kept_registers(template), live_registers(template)
    return [frozenset(entry for name, entry in index.items() if name not in a or name not in b) for a, b in zip(ours, theirs)]


class _Diagram:
    """Sets of rows as multiplexers. A suffix of a row has a number; what is left after some columns is a set of such numbers, and the
    same set is the same node."""

    def __init__(self, aig: Aig, places: list[tuple[list[int], tuple[int, ...]]]):
        self.aig, self.places = aig, places
        self.tails: list[dict[tuple[Any, int], int]] = [{} for _ in places]
        self.pairs: list[list[tuple[Any, int]]] = [[] for _ in places]

    def build(self, rows: set[StateRow]) -> int:
        """The literal that is true in the states of the rows."""
        if not self.places:
            return TRUE if rows else FALSE
        levels: list[list[frozenset[int]]] = [[frozenset(self._number(row) for row in sorted(rows, key=repr))]]
        nodes: list[dict[frozenset[int], dict[Any, frozenset[int]]]] = []
        for k in range(len(self.places)):
            branches = {node: self._branches(k, node) for node in dict.fromkeys(levels[-1])}
            nodes.append(branches)
            levels.append([child for table in branches.values() for child in table.values()])
        made: dict[frozenset[int], int] = {frozenset([0]): TRUE}
        for k in reversed(range(len(self.places))):
            made = {node: self._choose(k, {value: made[child] for value, child in table.items()}) for node, table in nodes[k].items()}
        return made[levels[0][0]]

    def _number(self, row: StateRow) -> int:
        number = 0
        for k in reversed(range(len(row))):
            pair = (row[k], number)
            known = self.tails[k].get(pair)
            if known is None:
                known = self.tails[k][pair] = len(self.pairs[k])
                self.pairs[k].append(pair)
            number = known
        return number

    def _branches(self, k: int, node: frozenset[int]) -> dict[Any, frozenset[int]]:
        """By value of column k what is left to say; under None for all other values."""
        found: dict[Any, set[int]] = {}
        for number in sorted(node):
            value, rest = self.pairs[k][number]
            found.setdefault(value, set()).add(rest)
        free = found.get(None, set())
        return {value: frozenset(rest | free) for value, rest in found.items()}

    def _choose(self, k: int, branches: dict[Any, int]) -> int:
        """The multiplexers over the bits of column k, the highest first."""
        latches, bits = self.places[k]
        other = branches.get(None, FALSE)
        table: dict[tuple[int, ...], int] = {}
        for value, literal in branches.items():
            if value is not None:
                table[tuple(value >> bit & 1 for bit in bits)] = literal
        for depth in reversed(range(len(bits))):
            heads = dict.fromkeys(key[:depth] for key in table)
            table = {h: self.aig.mux(latches[depth], table.get((*h, 1), other), table.get((*h, 0), other)) for h in heads}
        return table.get((), other)
