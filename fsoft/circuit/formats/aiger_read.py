"""AIGER 1.0 and 1.9, ASCII and binary, to BitModel. Whatever is wrong with the file is one `InputError` with the line (in the
binary gates: the byte) where it is.

Outputs count as bads where the file has no bads and no justice. Bads named `bound:...` are bounds. Bits whose symbols are `x[0]`,
`x[1]`, ... in order become one word `x`; a signal without a symbol is called `i0`, `l0`, `b0`, ...; a taken name gets `~2`, `~3`, ...
"""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from fsoft.circuit.bits import BOUND, BitModel, WordWidths
from fsoft.frontend.source import InputError, Loc

_MOST = 1 << 30
_FIELDS = ("inputs", "latches", "outputs", "gates", "bads", "constraints", "justice", "fairness")


class _Header(NamedTuple):
    most: int
    inputs: int
    latches: int
    outputs: int
    gates: int
    bads: int
    constraints: int
    justice: int
    fairness: int


def read_aiger(data: bytes, name: str = "<aiger>") -> BitModel:
    """The model in a file; `name` is for messages."""
    return _Reader(data, name).read()


class _Reader:
    def __init__(self, data: bytes, name: str) -> None:
        self.data, self.name = data, name
        self.at = 0
        self.line = 0
        self.bits = BitModel()
        self.meaning: list[int] = []

    # ------------------------------------------------------------ text

    def fail(self, what: str) -> NoReturn:
        raise InputError(Loc(self.name, self.line), what)

    def next_line(self) -> bytes:
        """The next line without its end; the file must go on."""
        self.line += 1
        end = self.data.find(b"\n", self.at)
        if self.at >= len(self.data):
            self.fail("the AIGER file ends too early")
        if end < 0:
            end = len(self.data)
        text = self.data[self.at : end]
        self.at = end + 1
        return text

    def numbers(self, least: int, most: int, what: str) -> list[int]:
        """A line of `least` to `most` numbers."""
        words = self.next_line().split(b" ")
        if not least <= len(words) <= most or not all(w.isdigit() and len(w) < 12 for w in words):
            self.fail(f"{what} expected")
        return [int(w) for w in words]

    def literal(self, number: int, what: str) -> int:
        """The AIG literal of a literal of the file."""
        v = number >> 1
        if v >= len(self.meaning):
            self.fail(f"{what} {number} is beyond the header's maximum {2 * len(self.meaning) - 1}")
        known = self.meaning[v]
        if known < 0:
            self.fail(f"{what} {number} is not defined")
        return known ^ number & 1

    # ------------------------------------------------------------ the file

    def read(self) -> BitModel:
        binary, head = self.header()
        self.meaning = [-1] * (head.most + 1)
        self.meaning[0] = 0
        inputs = self.define_inputs(head, binary)
        latches = self.define_latches(head, binary)
        properties = self.property_numbers(head)
        if binary:
            self.binary_gates(head)
        else:
            self.ascii_gates(head)
        symbols = self.symbols(head)
        self.name_words(symbols, inputs, [row[0] for row in latches])
        for own, after, reset in latches:
            self.bits.next.append(self.literal(after, "the next value"))
            self.bits.reset.append(None if reset == own else reset)
        self.properties(head, properties, symbols)
        return self.bits

    def header(self) -> tuple[bool, _Header]:
        if not self.data.startswith((b"aag ", b"aig ")):
            self.line = 1
            self.fail("not an AIGER file: it starts with neither 'aag' nor 'aig'")
        words = self.next_line().split(b" ")
        if not 6 <= len(words) <= 10 or not all(w.isdigit() and len(w) < 12 for w in words[1:]):
            self.fail("the AIGER header is not 'aag|aig M I L O A [B C J F]'")
        head = _Header(*[int(w) for w in words[1:]], *[0] * (10 - len(words)))
        binary = words[0] == b"aig"
        defined = head.inputs + head.latches + head.gates
        if head.most > _MOST or defined > head.most or (binary and defined != head.most):
            self.fail(f"the AIGER header's maximum variable {head.most} does not fit its {defined} inputs, latches and gates")
        needed = head.latches * 2 + head.gates * 2 + sum(head[5:]) * 2 + head.outputs * 2 + (0 if binary else head.inputs * 2)
        if needed > len(self.data):
            self.fail("the AIGER file ends too early: it is shorter than its header says")
        if (binary and head.inputs > len(self.data) * 64 + 65536) or (not binary and head.most > 4 * len(self.data)):
            self.fail("the AIGER header's numbers are out of proportion to the file")
        return binary, head

    def fresh(self, number: int, what: str) -> int:
        """A positive literal that the file defines here; its variable."""
        v = number >> 1
        if number & 1 or number < 2 or v >= len(self.meaning):
            self.fail(f"{what} {number} is no positive literal within the header's maximum")
        if self.meaning[v] >= 0:
            self.fail(f"{what} {number} is defined twice")
        return v

    def define_inputs(self, head: _Header, binary: bool) -> list[int]:
        found = []
        for i in range(head.inputs):
            number = 2 * (i + 1) if binary else self.numbers(1, 1, "an input literal")[0]
            self.meaning[self.fresh(number, "input")] = self.bits.aig.input()
            found.append(number)
        return found

    def define_latches(self, head: _Header, binary: bool) -> list[tuple[int, int, int]]:
        """(own literal, next, reset) of each, as the file's literals."""
        rows = []
        for i in range(head.latches):
            if binary:
                row = [2 * (head.inputs + i + 1), *self.numbers(1, 2, "a latch 'next [reset]'")]
            else:
                row = self.numbers(2, 3, "a latch 'literal next [reset]'")
            own, after, reset = (*row, 0)[:3]
            if reset not in (0, 1, own):
                self.fail(f"the reset {reset} of latch {own} is not 0, 1 or the latch itself")
            self.meaning[self.fresh(own, "latch")] = self.bits.aig.input()
            rows.append((own, after, reset))
        return rows

    def property_numbers(self, head: _Header) -> dict[str, list[list[int]]]:
        """The file's literals of each property, by kind."""
        found: dict[str, list[list[int]]] = {}
        for kind, count in (("o", head.outputs), ("b", head.bads), ("c", head.constraints)):
            found[kind] = [self.numbers(1, 1, "a literal") for _ in range(count)]
        sizes = [self.numbers(1, 1, "the size of a justice property")[0] for _ in range(head.justice)]
        if sum(sizes) > len(self.data):
            self.fail("the AIGER file ends too early: its justice properties do not fit")
        found["j"] = [[self.numbers(1, 1, "a literal")[0] for _ in range(size)] for size in sizes]
        found["f"] = [self.numbers(1, 1, "a literal") for _ in range(head.fairness)]
        return found

    # ------------------------------------------------------------ gates

    def binary_gates(self, head: _Header) -> None:
        land, meaning, data, at = self.bits.aig.land, self.meaning, self.data, self.at
        own = 2 * (head.inputs + head.latches)
        try:
            for _ in range(head.gates):
                own += 2
                x = own
                for turn in (0, 1):
                    delta = shift = 0
                    while data[at] & 128:
                        delta |= (data[at] & 127) << shift
                        shift += 7
                        at += 1
                    delta |= data[at] << shift
                    at += 1
                    if delta > x or (turn == 0 and delta == 0) or shift > 28:
                        raise InputError(Loc(self.name, 0), f"the binary gate {own} at byte {at} is corrupt")
                    if turn == 0:
                        x -= delta
                    else:
                        y = x - delta
                meaning[own >> 1] = land(meaning[x >> 1] ^ x & 1, meaning[y >> 1] ^ y & 1)
        except IndexError:
            raise InputError(Loc(self.name, 0), f"the AIGER file ends too early: in the binary gate {own}") from None
        self.at = at

    def ascii_gates(self, head: _Header) -> None:
        """Gates may stand in any order: those that are ready go in at once, the others when their operands are."""
        land, meaning = self.bits.aig.land, self.meaning
        waiting: dict[int, tuple[int, int, int]] = {}
        most = len(meaning)
        for _ in range(head.gates):
            own, x, y = self.numbers(3, 3, "a gate 'literal operand operand'")
            v = self.fresh(own, "gate")
            if v in waiting:
                self.fail(f"gate {own} is defined twice")
            if x >> 1 >= most or y >> 1 >= most:
                self.fail(f"an operand of gate {own} is beyond the header's maximum")
            if meaning[x >> 1] >= 0 and meaning[y >> 1] >= 0:
                meaning[v] = land(meaning[x >> 1] ^ x & 1, meaning[y >> 1] ^ y & 1)
            else:
                waiting[v] = (x, y, self.line)
        for v in waiting:
            self.define_late(v, waiting)

    def define_late(self, root: int, waiting: dict[int, tuple[int, int, int]]) -> None:
        meaning = self.meaning
        stack, open_now = [root], set()
        while stack:
            v = stack[-1]
            if meaning[v] >= 0:
                stack.pop()
                continue
            x, y, self.line = waiting[v]
            missing = [o >> 1 for o in (x, y) if meaning[o >> 1] < 0]
            if not missing:
                meaning[v] = self.bits.aig.land(meaning[x >> 1] ^ x & 1, meaning[y >> 1] ^ y & 1)
                stack.pop()
                continue
            open_now.add(v)
            for operand in missing:
                if operand not in waiting:
                    self.fail(f"an operand of gate {2 * v}, variable {operand}, is not defined")
                if operand in open_now:
                    self.fail(f"gate {2 * operand} depends on itself")
            stack += missing

    # ------------------------------------------------------------ names and properties

    def symbols(self, head: _Header) -> dict[tuple[str, int], str]:
        limits = {"i": head.inputs, "l": head.latches, "o": head.outputs, "b": head.bads, "c": head.constraints}
        limits |= {"j": head.justice, "f": head.fairness}
        found: dict[tuple[str, int], str] = {}
        while self.at < len(self.data):
            try:
                text = self.next_line().decode()
            except UnicodeDecodeError:
                self.fail("a symbol is not text")
            if text.rstrip() == "c":
                break
            match = re.fullmatch(r"([ilobcjf])(\d{1,10}) (.+)", text)
            if not match:
                self.fail("a symbol, 'c' or the end of the file expected")
            kind, index = match[1], int(match[2])
            if index >= limits[kind] or (kind, index) in found:
                self.fail(f"the symbol {kind}{index} names nothing, or names it twice")
            found[kind, index] = match[3]
        return found

    def name_words(self, symbols: dict[tuple[str, int], str], inputs: list[int], latches: list[int]) -> None:
        taken: set[str] = set()
        bits = self.bits
        bits.inputs = [self.meaning[n >> 1] for n in inputs]
        bits.latches = [self.meaning[n >> 1] for n in latches]
        bits.input_words = _group([symbols.get(("i", i), f"i{i}") for i in range(len(inputs))], taken)
        bits.latch_words = _group([symbols.get(("l", i), f"l{i}") for i in range(len(latches))], taken)

    def properties(self, head: _Header, numbers: dict[str, list[list[int]]], symbols: dict[tuple[str, int], str]) -> None:
        bits = self.bits

        def named(kind: str) -> dict[str, tuple[int, ...]]:
            result: dict[str, tuple[int, ...]] = {}
            for i, row in enumerate(numbers[kind]):
                name = _unique(symbols.get((kind, i), f"{kind}{i}"), result.keys())
                result[name] = tuple(self.literal(n, "the property's literal") for n in row)
            return result

        outputs = named("o")
        targets = named("b") if head.bads or head.justice else outputs
        for name, (literal,) in targets.items():
            if name.startswith(BOUND):
                bits.bounds[name.removeprefix(BOUND)] = literal
            else:
                bits.bad[name] = literal
        bits.constraints = {name: row[0] for name, row in named("c").items()}
        bits.justice = named("j")
        bits.fairness = {name: row[0] for name, row in named("f").items()}


def _unique(name: str, taken: object) -> str:
    """The name, or with `~2`, `~3`, ... where it is taken."""
    candidate, count = name, 1
    while candidate in taken:  # type: ignore[operator]
        count += 1
        candidate = f"{name}~{count}"
    return candidate


def _group(names: list[str], taken: set[str]) -> WordWidths:
    """Runs of `x[0]`, `x[1]`, ... become words of several bits."""
    words: WordWidths = []
    i = 0
    while i < len(names):
        width, name = 1, names[i]
        if name.endswith("[0]"):
            stem = name[:-3]
            while i + width < len(names) and names[i + width] == f"{stem}[{width}]":
                width += 1
            if width > 1:
                name = stem
        name = _unique(name, taken)
        taken.add(name)
        words.append((name, width))
        i += width
    return words
