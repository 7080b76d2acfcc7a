"""Every operator of expressions, as C and as the definition has it, on random and on extreme values."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from fsoft.native.build import available
from fsoft.native.ctext import CLines, number
from fsoft.native.source import runtime
from fsoft.program.expr import COMPARISONS, Expr, evaluate, make, reg

pytestmark = pytest.mark.skipif(not available(), reason="there is no C compiler")

SAME = ("and", "or", "xor", "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "eq", "ult", "ule", "slt", "sle")
FLOATS = ("fadd", "fsub", "fmul", "fdiv", "feq", "flt", "fle")
SPECIAL = {
    32: (0x7F800000, 0xFF800000, 0x7FC00001, 0x80000000, 0x3F800000, 0x7F7FFFFF, 1, 0x4F000000, 0xCF000001),
    64: (0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000001, 1 << 63, 0x3FF0000000000000, 0x7FEFFFFFFFFFFFFF, 1, 0x43E0000000000000,
         0xC3E0000000000001, 0x43F0000000000000, 0x36A0000000000000),
}  # fmt: skip


def operations() -> Iterator[Expr]:
    """An expression for each operator and width, over the registers a, b and c."""
    for width in (1, 8, 32, 33, 64, 128):
        a, b = reg("a", width), reg("b", width)
        for op in SAME:
            yield make(op, 1 if op in COMPARISONS else width, (a, b))
        yield make("not", width, (a,))
        yield make("neg", width, (a,))
        yield make("ite", width, (reg("c", 1), a, b))
        for more in (64, 128):
            if more > width:
                yield make("zext", more, (a,))
                yield make("sext", more, (a,))
        if width > 8:
            yield make("extract", 8, (a,), width - 8)
            yield make("extract", 5, (a,), 3)
    for width in (32, 64):
        a, b = reg("a", width), reg("b", width)
        yield make("concat", 2 * width, (a, b))
        yield make("padd", width, (a, b), 16)
        for op in FLOATS:
            yield make(op, 1 if op in COMPARISONS else width, (a, b))
        yield make("fconv", 96 - width, (a,))
        for other in (8, 32, 64):
            yield make("ftoi", other, (a,))
            yield make("ftou", other, (a,))
            yield make("itof", width, (reg("a", other),))
            yield make("utof", width, (reg("a", other),))


def inputs(rng: random.Random, width: int) -> list[int]:
    top = 1 << width
    found = [0, 1, top - 1, top >> 1, (top >> 1) - 1, *SPECIAL.get(width, ())]
    found += [rng.getrandbits(width) >> rng.randrange(width) for _ in range(12)]
    return [value % top for value in found]


def test_operators(tmp_path: Path) -> None:
    rng, lines, expected = random.Random(7), [], []
    for k, root in enumerate(operations()):
        widths = {str(leaf): reg_width(root, leaf) for leaf in ("a", "b", "c")}
        out = CLines({"a": "a", "b": "b", "c": "c"})
        out.open(f"static u128 f{k}(u128 wa, u128 wb, u128 wc)")
        for name, width in widths.items():
            out.line(f"{'u128' if width > 64 else 'u64'} {name} = w{name};")
        out.line(f"return {out.expr(root)};")
        out.close()
        lines.append(out.text())
        values = inputs(rng, widths["a"])
        for x in values:
            y = rng.choice(inputs(rng, widths["b"]))
            z = rng.getrandbits(1)
            lines.append(f"#define CALL_{len(expected)} f{k}({number(x)}, {number(y)}, {number(z)})")
            value = evaluate(root, lambda leaf, given={"a": x, "b": y, "c": z}: given[str(leaf.data)])  # type: ignore[misc]
            expected.append((root, x, y, z, value))
    calls = [f"CALL_{k}" for k in range(len(expected))]
    lines.append("int main(void) { u128 x;")
    lines += [f'x = {call}; printf("%llx %llx\\n", (unsigned long long)(x >> 64), (unsigned long long)x);' for call in calls]
    lines.append("return 0; }")
    source, made = tmp_path / "operators.c", tmp_path / "operators"
    source.write_text(runtime("base.h") + "\n".join(lines))
    subprocess.run(["cc", "-O1", "-w", "-ffp-contract=off", str(source), "-o", str(made), "-lm"], check=True)
    said = subprocess.run([str(made)], check=True, capture_output=True, text=True).stdout.splitlines()
    for line, (root, x, y, z, value) in zip(said, expected, strict=True):
        high, low = line.split()
        assert int(high, 16) << 64 | int(low, 16) == value, (root, hex(x), hex(y), z)


def reg_width(root: Expr, name: str) -> int:
    """The width of a register in an expression; 1 if it is not there."""
    work = [root]
    while work:
        node = work.pop()
        if node.op == "reg" and node.data == name:
            return node.width
        work += node.args
    return 1
