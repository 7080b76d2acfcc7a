"""Helpers for the tests of sema: analyse a text, print typed C compactly, and compare constants and data with gcc's."""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path

import pytest

from fsoft.frontend import tree
from fsoft.frontend.parse import parse_text
from fsoft.frontend.sema.analyzer import Analyzer
from fsoft.frontend.source import InputError
from fsoft.frontend.types import ILP32, LP64, DataModel, Float, Int, Pointer, Types, size_of

MODELS = (ILP32, LP64)
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None or shutil.which("objcopy") is None, reason="gcc is not installed")


def nothing(name: str) -> str | None:
    """A library without functions."""
    return None


def analyse(
    *texts: str,
    model: DataModel = ILP32,
    roots: Sequence[str] | None = ("main",),
    library: Callable[[str], str | None] = nothing,
) -> tree.Unit:
    """The Unit of one or more texts, named a.c, b.c and so on."""
    analyzer = Analyzer(Types(model), library)
    for number, text in enumerate(texts):
        analyzer.add(parse_text(text, f"{'abcdefgh'[number]}.c"))
    return analyzer.finish(roots)


def message(*texts: str, **options: object) -> str:
    """The error that the texts end in."""
    with pytest.raises(InputError) as caught:
        analyse(*texts, **options)  # type: ignore[arg-type]
    return str(caught.value)


def body(text: str, declarations: str = "", **options: object) -> tuple[tree.Statement, ...]:
    """The statements of `main` with this body."""
    unit = analyse(declarations + "\nint main(void) {" + text + "}", **options)  # type: ignore[arg-type]
    return unit.functions["main"].body.items


def expression(text: str, declarations: str = "", **options: object) -> tree.TypedExpr:
    """The last expression statement of a body."""
    statement = body(text + ";", declarations, **options)[-1]
    assert isinstance(statement, tree.ExprStatement)
    return statement.expr


def show(node: object) -> str:
    """Typed C as one line, with the types of conversions."""
    if isinstance(node, tree.IntConstant):
        return f"{node.value}:{node.type}"
    if isinstance(node, tree.FloatConstant):
        return f"{node.value}:{node.type}"
    if isinstance(node, tree.StringLiteral):
        return repr(node.data)
    if isinstance(node, tree.VariableExpr):
        return node.symbol.name
    if isinstance(node, tree.FunctionName):
        return node.name
    if isinstance(node, tree.Cast):
        return f"({node.type}){show(node.operand)}"
    if isinstance(node, tree.MemberExpr):
        return f"{show(node.base)}.{node.field.name}"
    if isinstance(node, tree.Deref):
        return f"*{show(node.pointer)}"
    if isinstance(node, tree.AddressOf):
        return f"&{show(node.lvalue)}"
    if isinstance(node, tree.Symbol):
        return node.unique
    if isinstance(node, tuple):
        return "[" + ", ".join(map(show, node)) + "]"
    if hasattr(node, "__dataclass_fields__") and type(node).__module__ == tree.__name__:
        shown = [show(getattr(node, item.name)) for item in fields(node) if item.name not in ("loc", "end")]  # type: ignore[arg-type]
        return f"{type(node).__name__}({', '.join(shown)})"
    return str(node)


def constants(expressions: Sequence[str], declarations: str, model: DataModel) -> list[int]:
    """The values of constant expressions as sema sees them."""
    lines = [f"long long v{i} = (long long)({text});" for i, text in enumerate(expressions)]
    uses = "".join(f"v{i};" for i in range(len(lines)))
    unit = analyse(declarations + "\n" + "\n".join(lines) + f"\nint main(void) {{ {uses} return 0; }}", model=model)
    values: list[int] = []
    for i in range(len(lines)):
        init = unit.globals[f"v{i}"].init
        assert init is not None
        value = init.items[0].value
        assert isinstance(value, tree.IntConstant), (expressions[i], show(value))
        values.append(value.value)
    return values


def gcc(model: DataModel, text: str, tmp_path: Path, *extra: str) -> str:
    """What gcc says about a text ("" if it compiles)."""
    source = tmp_path / "check.c"
    source.write_text(text)
    flag = "-m32" if model is ILP32 else "-m64"
    command = ["gcc", flag, "-std=gnu11", "-w", "-fno-common", "-fno-zero-initialized-in-bss", "-fno-pie", *extra]
    done = subprocess.run([*command, str(source)], capture_output=True, text=True, cwd=tmp_path, timeout=120)
    return done.stderr if done.returncode else ""


def agree_on_constants(expressions: Sequence[str], declarations: str, model: DataModel, tmp_path: Path) -> None:
    """gcc must find every value that sema finds."""
    values = constants(expressions, declarations, model)
    lines = [declarations]
    for text, value in zip(expressions, values):
        lines.append(f'_Static_assert((long long)({text}) == (long long){value & (1 << 64) - 1:#x}ULL, "{value}");')
    assert gcc(model, "\n".join(lines) + "\n", tmp_path, "-fsyntax-only") == ""


def image(definition: tree.GlobalDef) -> bytes:
    """The bytes of an object without addresses in it."""
    data = bytearray(size_of(definition.symbol.type))
    for item in definition.init.items if definition.init is not None else ():
        value = item.value
        size = size_of(item.type)
        if isinstance(value, tree.FloatConstant):
            assert isinstance(item.type, Float)
            raw = struct.pack("<f" if item.type.bits == 32 else "<d", value.value)
            data[item.offset : item.offset + len(raw)] = raw
            continue
        assert isinstance(value, tree.IntConstant) and isinstance(item.type, (Int, Pointer))
        bits = value.value & (1 << 8 * size) - 1
        if item.bitfield is not None:
            assert item.bitfield.bit_width is not None
            mask = ((1 << item.bitfield.bit_width) - 1) << item.bitfield.bit_offset
            old = int.from_bytes(data[item.offset : item.offset + size], "little")
            bits = (old & ~mask) | (bits << item.bitfield.bit_offset & mask)
        data[item.offset : item.offset + size] = bits.to_bytes(size, "little")
    return bytes(data)


def gcc_images(text: str, names: Sequence[str], sizes: Sequence[int], model: DataModel, tmp_path: Path) -> list[bytes]:
    """The bytes that gcc gives to objects."""
    assert gcc(model, text, tmp_path, "-c", "-o", "check.o") == ""
    listing = subprocess.run(["nm", "check.o"], capture_output=True, text=True, cwd=tmp_path, check=True).stdout
    places = {line.split()[2]: int(line.split()[0], 16) for line in listing.splitlines() if len(line.split()) == 3}
    subprocess.run(["objcopy", "-O", "binary", "-j", ".data", "check.o", "check.bin"], cwd=tmp_path, check=True)
    data = (tmp_path / "check.bin").read_bytes()
    return [data[places[name] : places[name] + size] for name, size in zip(names, sizes)]


def agree_on_data(text: str, names: Sequence[str], model: DataModel, tmp_path: Path) -> None:
    """Objects must have the same bytes as with gcc."""
    uses = "".join(f"{name};" for name in names)
    unit = analyse(f"{text}\nint main(void) {{ {uses} return 0; }}", model=model)
    ours = [image(unit.globals[name]) for name in names]
    theirs = gcc_images(text, names, [len(data) for data in ours], model, tmp_path)
    for name, mine, other in zip(names, ours, theirs):
        assert mine == other, f"{name}: {mine.hex()} and not {other.hex()} in\n{text}"
