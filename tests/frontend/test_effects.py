"""The table of effects: every row is right C and becomes a Program; bad rows are one clear line."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.ask.load import Options, check, load
from fsoft.frontend.effects import EffectRow, effect_text, read_rows, rows
from fsoft.frontend.source import InputError

NAMES = sorted(rows())
EVERY = frozenset({"unreach-call", "valid-deref", "no-data-race", "no-handle-misuse"})


def caller(names: list[str]) -> str:
    """A program that calls each of the functions with something behind every pointer."""
    declarations, calls = [], []
    for row in (rows()[name] for name in names):
        types = [p.type for p in row.params] + ["..."] * row.variadic
        declarations.append(f"{row.result} {row.name}({', '.join(types) or 'void'});")
        given = ", ".join(f"({p.type})room" if "*" in p.type else "1" for p in row.params)
        calls.append(f"if (__VERIFIER_nondet_bool()) {row.name}({given});")
    return "\n".join([*declarations, "static char room[64];", "int main(void) {", *calls, "return 0; }"]) + "\n"


def test_there_are_many_rows() -> None:
    assert len(NAMES) >= 300


@pytest.mark.parametrize(("bits", "part"), [(64, 0), (64, 1), (32, 2), (32, 3)])
def test_every_row_becomes_a_program(tmp_path: Path, bits: int, part: int) -> None:
    path = tmp_path / "calls.c"
    for start in range(part * 10, len(NAMES), 40):
        path.write_text(caller(NAMES[start : start + 10]))
        load([str(path)], Options(checks=EVERY, fold=False), bits=bits)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("read = 1", r"r\.toml:1: error: the row of 'read' needs its type"),
        ("read = {}}", r"r\.toml:1: error: this is no TOML"),
        ('read = { type = "int" }', r"is no function: 'int'"),
        ('read = { type = "int(int)" }', r"the parameter 'int' of 'read' needs a type and a name"),
        ('read = { type = "int(int a)", wriets = [] }', r"unknown column 'wriets'; there are: type, reads"),
        ('read = { type = "int(int a)", errno = 1 }', r"the column 'errno' of 'read' must be true or false"),
        ('read = { type = "int(int a)", writes = ["b[a]"] }', r"'b\[a\]' is no region of a parameter"),
        ('read = { type = "int(int a)", calls = ["b"] }', r"the column 'calls' of 'read' names no parameter: b"),
        ('read = { type = "int(int a)", opens = "door" }', r"must be a kind \(stream or directory\)"),
        ('"a-b" = { type = "int(int a)" }', r"'a-b' is no name of a function"),
    ],
)
def test_bad_rows_are_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "r.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_rows(str(path))


def test_no_file_of_rows(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read the effects: No such file"):
        read_rows(str(tmp_path / "none.toml"))


def test_a_users_row_narrows_an_unknown_function(tmp_path: Path) -> None:
    program, effects = tmp_path / "p.c", tmp_path / "mine.toml"
    program.write_text(
        "#include <assert.h>\nint fill(int *p, int n); int x, y;\n"
        "int main(void) { int r = fill(&x, 3); assert(y == 0); assert(r <= 3); return 0; }\n"
    )
    effects.write_text('fill = { type = "int(int *p, int n)", writes = ["p"], returns = "0..n" }\n')
    assert check([str(program)], engine="pdr").kind == "UNKNOWN"
    assert check([str(program)], Options(effects=(str(effects),)), engine="pdr").kind == "TRUE"


def test_the_text_of_a_row_is_a_sequence_of_accesses() -> None:
    text = effect_text("read")
    assert text is not None and "__fsoft_atomic" not in text and "__fsoft_any_bytes(data, result);" in text
    assert isinstance(rows()["read"], EffectRow) and effect_text("no_such_function") is None
