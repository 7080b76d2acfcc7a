"""The data model: the host's unless someone says otherwise, and never the wrong one for a preprocessed file."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.ask.load import load
from fsoft.cli.main import main
from fsoft.frontend.source import InputError
from fsoft.frontend.types import HOST

MAIN = "int main(void) { return 0; }\n"
MARKED = '# 1 "/usr/include/stddef.h" 1 3 4\n'


def test_the_default_is_the_hosts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.c").write_text(f"#include <assert.h>\nint main(void) {{ assert(sizeof(long) == {HOST.long}); return 0; }}")
    assert main(["check", str(tmp_path / "p.c")]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[2].startswith(f"data model {HOST.name} (--{HOST.pointer_bits})") and said[-1] == "TRUE"
    assert load([str(tmp_path / "p.c")]).word == HOST.pointer_bits


@pytest.mark.parametrize(
    ("name", "text", "wrong"),
    [
        ("p.i", "typedef unsigned int size_t;\n", 64),
        ("p.c", "typedef unsigned int size_t;\n", 64),  # no directive: the output of a preprocessor without markers
        ("p.c", MARKED + "typedef long unsigned int size_t;\n" + '# 1 "p.c"\n', 32),
        ("p.i", "__extension__ typedef signed long int __int64_t;\n", 32),
        ("p.i", "typedef long int ptrdiff_t; typedef long int int64_t;\n", 32),
        ("p.i", "typedef int  __intptr_t;\n", 64),
    ],
)
def test_the_other_model_is_refused(name: str, text: str, wrong: int, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text + MAIN)
    with pytest.raises(InputError, match=f"use --{96 - wrong}"):
        load([str(path)], bits=wrong)
    assert load([str(path)], bits=96 - wrong).word == 96 - wrong


@pytest.mark.parametrize(
    "text",
    [
        "#define WORD unsigned int\ntypedef WORD word; typedef unsigned int size_t;\n",  # a program's own choice
        "typedef unsigned long size_t;\n",
        "typedef long long int64_t; typedef unsigned long uintptr_t;\n",
    ],
)
def test_what_both_models_allow_is_read(text: str, tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(text + MAIN)
    assert [load([str(path)], bits=bits).word for bits in (32, 64)] == [32, 64]


def test_a_task_without_a_model_has_the_hosts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.c").write_text(MAIN)
    for model in ("", "options:\n  data_model: ILP32\n"):
        (tmp_path / "t.yml").write_text("format_version: '2.0'\ninput_files: p.c\n" + model)
        assert main(["check", str(tmp_path / "t.yml")]) == 0
        assert ("data model ILP32" in capsys.readouterr().out) == (bool(model) or HOST.name == "ILP32")
