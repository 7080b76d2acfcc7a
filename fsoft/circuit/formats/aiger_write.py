"""BitModel to AIGER, ASCII or binary; the same model gives the same bytes.

Inputs, latches and the gates that something needs are numbered in this order, as the binary form demands. Bads are followed by the
bounds, whose names start with `bound:`. In the form 1.0 (for tools that know no B C J F fields) bads are outputs, and constraints,
justice and fairness are refused: fold them first.
"""

from __future__ import annotations

from fsoft.circuit.bits import BitModel, bit_names
from fsoft.frontend.source import NOWHERE, InputError


def write_aiger(bits: BitModel, binary: bool = False, version: str = "1.9", comment: str = "") -> bytes:
    """The bytes of the file."""
    if version == "1.0" and (bits.constraints or bits.justice or bits.fairness):
        raise InputError(NOWHERE, "AIGER 1.0 has no constraints, justice or fairness: fold the constraints, or write AIGER 1.9")
    return _Writer(bits, version == "1.0").write(binary, comment)


class _Writer:
    def __init__(self, bits: BitModel, old: bool) -> None:
        self.bits, self.old = bits, old
        self.targets = bits.targets()
        aig = bits.aig
        number = [0] * len(aig)
        for i, literal in enumerate([*bits.inputs, *bits.latches], 1):
            number[literal >> 1] = i
        self.gates = [v for v in aig.cone([*bits.next, *bits.property_literals()]) if aig.left[v] >= 0]
        first = len(bits.inputs) + len(bits.latches) + 1
        for i, v in enumerate(self.gates, first):
            number[v] = i
        self.number = number
        self.first = first

    def literal(self, literal: int) -> int:
        return 2 * self.number[literal >> 1] | literal & 1

    def write(self, binary: bool, comment: str) -> bytes:
        head = "\n".join([self.header("aig" if binary else "aag"), *self.definitions(binary), ""])
        gates = self.binary_gates() if binary else self.ascii_gates()
        tail = "".join(line + "\n" for line in self.symbols())
        if comment:
            tail += "c\n" + comment.rstrip("\n") + "\n"
        return head.encode() + gates + tail.encode()

    def header(self, kind: str) -> str:
        b = self.bits
        counts = [self.first - 1 + len(self.gates), len(b.inputs), len(b.latches), 0, len(self.gates)]
        if self.old:
            counts[3] = len(self.targets)
        else:
            counts += [len(self.targets), len(b.constraints), len(b.justice), len(b.fairness)]
            while len(counts) > 5 and counts[-1] == 0:
                counts.pop()
        return " ".join([kind, *map(str, counts)])

    def definitions(self, binary: bool) -> list[str]:
        """Inputs, latches, properties."""
        b, literal = self.bits, self.literal
        lines = [] if binary else [str(literal(x)) for x in b.inputs]
        for latch, after, reset in zip(b.latches, b.next, b.reset):
            own = literal(latch)
            line = str(literal(after)) if binary else f"{own} {literal(after)}"
            if reset is None:
                line += f" {own}"
            elif reset:
                line += " 1"
            lines.append(line)
        lines += [str(literal(x)) for x in self.targets.values()]
        lines += [str(literal(x)) for x in b.constraints.values()]
        lines += [str(len(group)) for group in b.justice.values()]
        lines += [str(literal(x)) for group in b.justice.values() for x in group]
        return lines + [str(literal(x)) for x in b.fairness.values()]

    def operands(self) -> list[tuple[int, int]]:
        """The larger and the smaller operand of each gate."""
        left, right, number = self.bits.aig.left, self.bits.aig.right, self.number
        pairs = []
        for v in self.gates:
            x, y = left[v], right[v]
            x, y = 2 * number[x >> 1] | x & 1, 2 * number[y >> 1] | y & 1
            pairs.append((x, y) if x > y else (y, x))
        return pairs

    def ascii_gates(self) -> bytes:
        start = 2 * self.first
        return "".join(f"{start + 2 * i} {x} {y}\n" for i, (x, y) in enumerate(self.operands())).encode()

    def binary_gates(self) -> bytes:
        data = bytearray()
        own = 2 * self.first
        for x, y in self.operands():
            for delta in (own - x, x - y):
                while delta > 127:
                    data.append(delta & 127 | 128)
                    delta >>= 7
                data.append(delta)
            own += 2
        return bytes(data)

    def symbols(self) -> list[str]:
        b = self.bits
        groups = [
            ("i", bit_names(b.input_words)),
            ("l", bit_names(b.latch_words)),
            ("o" if self.old else "b", list(self.targets)),
            ("c", list(b.constraints)),
            ("j", list(b.justice)),
            ("f", list(b.fairness)),
        ]
        return [f"{kind}{i} {name}" for kind, names in groups for i, name in enumerate(names)]
