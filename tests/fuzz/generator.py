"""Random sequential C programs without undefined behaviour, for comparing fsoft's C semantics with gcc's.

A program declares globals of random types (all integers, structs with bit-fields, unions, arrays, pointers, doubles), runs random
statements over them and folds everything into the global `fsoft_result`, which it also prints. gcc compiles with -fwrapv, so
signed overflow wraps on both sides; divisors and shift distances are guarded in the text.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

INTEGERS = (
    "signed char", "unsigned char", "char", "short", "unsigned short", "int", "unsigned int", "long", "unsigned long",
    "long long", "unsigned long long", "_Bool", "enum color",
)  # fmt: skip
CONSTANTS = (
    "0", "1", "-1", "2", "7", "255", "256", "32767", "-32768", "65535u", "2147483647", "(-2147483647 - 1)", "0x80000000",
    "4294967295u", "0x7fffffffffffffffLL", "0xffffffffffffffffULL", "'a'", "'\\377'", "10L", "3UL", "GREEN", "017",
)  # fmt: skip
BINARY = ("+", "-", "*", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=", "&&", "||")


@dataclass(frozen=True)
class Cell:
    """An lvalue of integer or floating type."""

    text: str
    floating: bool = False
    bitfield: bool = False


class Generator:
    """One program per seed."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.cells: list[Cell] = []
        self.lines: list[str] = []
        self.functions: list[str] = []
        self.loops = 0

    # ------------------------------------------------------------ declarations

    def _globals(self) -> None:
        pick = self.random
        self.lines += ["enum color { RED, GREEN = 5, BLUE = -3 };"]
        for k in range(pick.randint(3, 6)):
            kind = pick.choice(INTEGERS)
            self.lines.append(f"static {kind} g{k} = {'RED' if 'enum' in kind else pick.choice(CONSTANTS[:8])};")
            self.cells.append(Cell(f"g{k}"))
        for k in range(2):
            kind, count = pick.choice(INTEGERS[:11]), pick.randint(2, 4)
            self.lines.append(f"static {kind} a{k}[{count}] = {{ {', '.join(pick.choice(CONSTANTS[:8]) for _ in range(count - 1))} }};")
            self.cells += [Cell(f"a{k}[{i}]") for i in range(count)]
        self._struct()
        self._union()
        self.lines += ["static double d0 = 2.5;", "static float f0 = -1.25f;"]
        self.cells += [Cell("d0", True), Cell("f0", True)]
        self.lines += ["static int *p0 = &i0, **pp0 = &p0;", "static struct s *ps = &s0;"]
        self.cells += [Cell("(*p0)"), Cell("(**pp0)"), Cell("ps->m0"), Cell("ps->b1", bitfield=True)]

    def _struct(self) -> None:
        pick = self.random
        fields = [f"{pick.choice(INTEGERS[:11])} m{k};" for k in range(2)]
        names = [Cell("s0.m0"), Cell("s0.m1"), Cell("s1.in[1].m0"), Cell("s1.tail")]
        for k in range(4):
            base = pick.choice(("unsigned int", "int", "unsigned char", "unsigned long long", "signed char", "_Bool"))
            width = 1 if base == "_Bool" else pick.randint(1, {"unsigned char": 8, "signed char": 8}.get(base, 24))
            fields.insert(pick.randint(0, len(fields)), f"{base} b{k} : {width};")
            names += [Cell(f"s0.b{k}", bitfield=True), Cell(f"s1.in[0].b{k}", bitfield=True)]
        if pick.random() < 0.4:
            fields.insert(pick.randint(1, len(fields)), f"{pick.choice(('int', 'unsigned char'))} : 0;")
        self.lines += ["static int i0 = 5;", f"struct s {{ {' '.join(fields)} }};", "static struct s s0;"]
        self.lines.append("struct t { char head; struct s in[2]; short tail; };")
        self.lines.append("static struct t s1 = { 1, { { 0 }, { 0 } }, .tail = 9 };")
        self.cells += [Cell("i0"), *names]

    def _union(self) -> None:
        self.lines.append("static union { unsigned int w; unsigned char c[4]; struct { unsigned short lo, hi; } h; } u0 = { 0x01020304 };")
        self.cells += [Cell("u0.w"), Cell("u0.c[2]"), Cell("u0.h.hi")]

    # ------------------------------------------------------------ expressions

    def expression(self, depth: int) -> str:
        pick = self.random
        if depth <= 0 or pick.random() < 0.2:
            if pick.random() < 0.45:
                return pick.choice(CONSTANTS)
            return pick.choice([c for c in self.cells if not c.floating]).text
        kind = pick.randrange(10)
        a = self.expression(depth - 1)
        if kind < 5:
            return f"({a} {pick.choice(BINARY)} {self.expression(depth - 1)})"
        if kind == 5:
            return f"({pick.choice('-~!+')}({a}))"
        if kind == 6:
            return f"(({pick.choice(INTEGERS[:12])})({a}))"
        if kind == 7:
            b = self.expression(depth - 1)
            return f"(({a}) {pick.choice(('<<', '>>'))} (({b}) & {pick.choice((3, 7))}))"
        if kind == 8:
            return f"({a} ? {self.expression(depth - 1)} : {self.expression(depth - 1)})"
        return self._division(a, self.expression(depth - 1))

    def _division(self, a: str, b: str) -> str:
        return f"(({b}) != 0 && ({b}) != -1 ? ({a}) {self.random.choice('/%')} ({b}) : ({a}))"

    def floating(self, depth: int) -> str:
        pick = self.random
        if depth <= 0 or pick.random() < 0.3:
            return pick.choice(("d0", "f0", "0.5", "3.0f", "1e3", "-7.75", "(double)g0", "(float)i0"))
        return f"({self.floating(depth - 1)} {pick.choice('+-*')} {self.floating(depth - 1)})"

    # ------------------------------------------------------------ statements

    def statement(self, depth: int) -> list[str]:
        pick = self.random
        kind = pick.randrange(12)
        cell = pick.choice(self.cells)
        if cell.floating:
            return self._floating_statement(cell)
        if kind < 4 or depth <= 0:
            return [f"{cell.text} = {self.expression(3)};"]
        if kind == 4:
            op = pick.choice(("+", "-", "*", "&", "|", "^"))
            return [f"{cell.text} {op}= {self.expression(2)};"]
        if kind == 5:
            return [f"{cell.text} {pick.choice(('<<', '>>'))}= ({self.expression(1)}) & 3;"]
        if kind == 6:
            return [pick.choice((f"{cell.text}++;", f"--{cell.text};", f"fsoft_result += {cell.text}--;", f"mix(++{cell.text});"))]
        if kind == 7:
            return [f"if ({self.expression(2)}) {{", *self.statement(depth - 1), "} else {", *self.statement(depth - 1), "}"]
        if kind == 8:
            return self._loop(depth)
        if kind == 9:
            return self._switch(depth)
        if kind == 10:
            target = pick.choice(("p0 = &i0;", "p0 = (int *)&u0.w;", "ps = &s1.in[1];", "ps = &s0;", "s1.in[0] = s0;", "s0 = copy(*ps);"))
            return [target]
        if not self.functions:
            return ["mix(g0);"]
        return [f"{cell.text} = {pick.choice(self.functions)}({self.expression(2)}, {self.expression(1)});"]

    def _floating_statement(self, cell: Cell) -> list[str]:
        bounded = f"if (d0 > 1e9 || d0 < -1e9) d0 = 1.5; if (f0 > 1e9f || f0 < -1e9f) f0 = 2.0f; mix((long long){cell.text});"
        return [f"{cell.text} = {self.floating(2)};", bounded, f"mix({self.floating(1)} < {self.floating(1)});"]

    def _loop(self, depth: int) -> list[str]:
        self.loops += 1
        name = f"k{self.loops}"
        head = f"for (int {name} = 0; {name} < {self.random.randint(1, 3)}; {name}++) {{"
        middle = [f"if ({self.expression(1)}) {self.random.choice(('continue', 'break'))};"] if self.random.random() < 0.3 else []
        return [head, *self.statement(depth - 1), *middle, *self.statement(depth - 1), "}"]

    def _switch(self, depth: int) -> list[str]:
        out = [f"switch (({self.expression(2)}) & 3) {{"]
        for label in ("case 0:", "case 1 ... 2:", "default:"):
            out += [label, *self.statement(depth - 1)]
            if self.random.random() < 0.6:
                out.append("break;")
        return [*out, "}"]

    # ------------------------------------------------------------ the program

    def program(self) -> str:
        head = [
            "#include <stdio.h>", "unsigned long long fsoft_result = 1469598103934665603ULL;",
            "static void mix(unsigned long long v) { fsoft_result = (fsoft_result ^ v) * 1099511628211ULL; }",
        ]  # fmt: skip
        self._globals()
        body = ["static struct s copy(struct s v) { v.m0 ^= 3; return v; }"]
        for k in range(2):
            kind = self.random.choice(INTEGERS[:12])
            statements = "\n  ".join(self.statement(1))
            body.append(f"static {kind} fun{k}({self.random.choice(INTEGERS[:12])} x, int y) {{\n  {statements}\n  return x + y * 3;\n}}")
            self.functions.append(f"fun{k}")
        main = [line for _ in range(self.random.randint(6, 14)) for line in self.statement(2)]
        final = [f"mix((long long)({c.text}));" for c in self.cells]
        return "\n".join([
            *head, *self.lines, *body, "int main(void) {", *main, *final, 'printf("%llx\\n", fsoft_result);', "return 0;", "}",
        ]) + "\n"  # fmt: skip


def program(seed: int) -> str:
    """The program of a seed."""
    return Generator(seed).program()
