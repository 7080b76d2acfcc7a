"""Layout of structs and unions, enums and bit-fields: fixed cases, and random ones compared with gcc."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fsoft.frontend.types import ILP32, LP64, DataModel
from tests.frontend.sema_tools import MODELS, agree_on_constants, agree_on_data, analyse, constants, message, needs_gcc

TYPES = ("char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long", "long long")
WIDE = (*TYPES, "float", "double", "long double", "char *", "_Bool", "int (*)[3]", "enum e", "unsigned long long")
PRELUDE = "enum e { A, B = 5 }; enum n { M = -1, N }; enum w { W = 0x100000000LL }; enum __attribute__((packed)) p { P = 200 };\n"


@pytest.mark.parametrize("model", MODELS)
def test_long_long_and_double_in_structs(model: DataModel) -> None:
    text = "struct s { char c; long long v; }; struct d { char c; double v; };"
    sizes = constants(["sizeof(struct s)", "sizeof(struct d)", "__builtin_offsetof(struct s, v)"], text, model)
    assert sizes == ([12, 12, 4] if model is ILP32 else [16, 16, 8])


def test_members_of_anonymous_structs() -> None:
    text = "struct s { int a; union { int b; struct { char c, d; }; }; int e; };"
    assert constants(["__builtin_offsetof(struct s, d)", "__builtin_offsetof(struct s, e)"], text, ILP32) == [5, 8]
    unit = analyse(text + "struct s x; int main(void) { return x.d; }")
    record = unit.records["struct s"]
    assert [field.name for field in record.members["d"]] == ["", "", "d"]


def test_unnamed_bit_fields_are_no_members() -> None:
    unit = analyse("struct s { int a:3; int :5; unsigned b:4; int :0; char c; } x; int main(void) { return x.a; }")
    fields = unit.records["struct s"].fields
    assert fields is not None
    assert [(f.name, f.offset, f.bit_offset, f.bit_width) for f in fields] == [("a", 0, 0, 3), ("b", 0, 8, 4), ("c", 4, 0, None)]


def test_storage_units_stay_inside_packed_structs() -> None:
    unit = analyse("struct __attribute__((packed)) s { int a:3; int b:20; } x; int main(void) { return x.b; }")
    record = unit.records["struct s"]
    assert record.size == 3 and record.fields is not None
    for field in record.fields:
        assert field.offset + field.type.size <= 3  # type: ignore[union-attr]


@needs_gcc
@pytest.mark.parametrize("model", MODELS)
def test_scalars_and_enums_agree_with_gcc(model: DataModel, tmp_path: Path) -> None:
    names = [*TYPES, "float", "double", "long double", "void *", "_Bool", "enum e", "enum n", "enum w", "enum p", "int[3]", "char[7]"]
    expressions = [f"{op}({name})" for name in names for op in ("sizeof", "_Alignof")]
    expressions += ["(enum e)-1 < 0", "(enum n)-1 < 0", "(enum w)-1 < 0", "(enum p)-1 < 0", "sizeof(A)", "sizeof(W)", "-1 < A", "W"]
    agree_on_constants(expressions, PRELUDE, model, tmp_path)


def _member(rng: random.Random, name: str) -> str:
    if rng.random() < 0.45:
        base = rng.choice((*TYPES, "_Bool", "enum e", "enum n"))
        limit = {"_Bool": 1, "char": 8, "unsigned char": 8, "short": 16, "unsigned short": 16}.get(base, 32)
        if base == "long long":
            limit = 64
        width = rng.randint(1, limit)
        if rng.random() < 0.15:
            return f"{base} :{rng.choice((0, width))};"
        return f"{base} {name}:{width};"
    base = rng.choice(WIDE)
    attribute = rng.choice(("", "", "", "", " __attribute__((aligned(8)))", " __attribute__((packed))"))
    if base == "int (*)[3]":
        return f"int (*{name})[3]{attribute};"
    return f"{base} {name}{rng.choice(('', '', '[3]'))}{attribute};"


def _record(rng: random.Random, tag: str) -> tuple[str, list[str], list[str]]:
    """A random definition, its plain members and its bit-fields."""
    members, plain, bits = [], [], []
    for index in range(rng.randint(1, 7)):
        text = _member(rng, f"m{index}")
        members.append(text)
        if f" m{index}:" in text:
            bits.append(f"m{index}")
        elif f"m{index}" in text:
            plain.append(f"m{index}")
    kind = rng.choice(("struct", "struct", "struct", "union"))
    attribute = rng.choice(("", "", "", "__attribute__((packed))", "__attribute__((aligned(16)))", "__attribute__((packed, aligned(2)))"))
    text = f"{kind} {attribute} {tag} {{ {' '.join(members)} }};"
    if rng.random() < 0.2:
        text = f"\n#pragma pack(push, {rng.choice((1, 2, 4))})\n{text}\n#pragma pack(pop)\n"
    return text.replace(f"{kind} {attribute} {tag}", f"{kind} {attribute} {tag}"), plain, bits


@needs_gcc
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("seed", range(6))
def test_random_records_agree_with_gcc(model: DataModel, seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    declarations, expressions, objects, names = [PRELUDE], [], [], []
    for number in range(40):
        text, plain, bits = _record(rng, f"r{number}")
        kind = "union" if "union" in text else "struct"
        declarations.append(text)
        expressions += [f"sizeof({kind} r{number})", f"_Alignof({kind} r{number})"]
        expressions += [f"__builtin_offsetof({kind} r{number}, {name})" for name in plain]
        for name in bits:
            names.append(f"v{number}_{name}")
            objects.append(f"{kind} r{number} v{number}_{name} = {{ .{name} = -1 }};")
    agree_on_constants(expressions, "\n".join(declarations), model, tmp_path)
    agree_on_data("\n".join([*declarations, *objects]), names, model, tmp_path)


@needs_gcc
def test_atomic_members_are_aligned_to_their_size(tmp_path: Path) -> None:
    text = "struct s { char c; _Atomic long long v; }; struct p { int a, b; }; struct q { char c; _Atomic struct p v; };"
    expressions = ["sizeof(struct s)", "__builtin_offsetof(struct s, v)", "sizeof(struct q)", "__builtin_offsetof(struct q, v)"]
    for model in (ILP32, LP64):
        agree_on_constants(expressions, text, model, tmp_path)


@needs_gcc
@pytest.mark.parametrize("model", MODELS)
def test_alignment_agrees_with_gcc(model: DataModel, tmp_path: Path) -> None:
    """`_Alignof` of a type is what members get, `__alignof__` what variables get; of expressions both say the latter."""
    text = """
struct d { char c; double d; long long a[2]; }; struct s { double d; }; union u { long long l; char c; };
struct at { char c; _Atomic long long a; }; struct p { char c; double d; } __attribute__((packed)); typedef double td;
typedef long long high __attribute__((aligned(16))); struct h { char c; high x; };
struct m { double a[2]; double z __attribute__((aligned(8))); };
double gd; double ga[2]; struct d gs; struct p gp; struct m gm; _Atomic long long al; char ch __attribute__((aligned(8)));
_Alignas(16) double da; high gh;
extern char later __attribute__((aligned(4))); enum e { A };
"""
    types = "double|long long|unsigned long long|long double|struct d|struct s|union u|double[2]|td|high|struct h|struct m|struct p"
    names = [*types.split("|"), "_Atomic long long", "_Atomic double", "struct at", "enum e", "double *", "double[2][3]", "int", "char"]
    expressions = [f"{op}({name})" for name in names for op in ("sizeof", "_Alignof", "__alignof__")]
    values = "gd|ga|gs|gs.d|gs.c|gs.a|ga[0]|gp.d|gm.a|gm.z|al|ch|da|gh|later|1.0|1LL + 1|*&gd|*(double *)0|((struct d *)0)->d"
    expressions += [f"{op}({value})" for value in values.split("|") for op in ("_Alignof", "__alignof__")]
    agree_on_constants(expressions, text, model, tmp_path)


def test_lower_alignments_of_types_are_rejected() -> None:
    text = "typedef long long low __attribute__((aligned(2))); struct s { char c; low x; } v; int main(void) { return sizeof v; }"
    assert "the alignment of 'low', which is below that of its type" in message(text)
