"""Property files, task files, compilation databases, and the YAML they are written in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fsoft.cli.tasks import read_compile_commands, read_property, read_task
from fsoft.cli.yaml import read_yaml
from fsoft.frontend.source import InputError, Unsupported


@pytest.mark.parametrize(
    ("text", "checks"),
    [
        ("CHECK( init(main()), LTL(G ! call(reach_error())) )", {"unreach-call"}),
        ("CHECK( init(main()), LTL(G ! call(__VERIFIER_error())) )\n\n", {"unreach-call"}),
        ("CHECK( init(main()), LTL(G ! data-race) )", {"no-data-race"}),
        ("CHECK( init(main()), LTL(G ! overflow) )", {"no-overflow"}),
        ("CHECK( init(main()), LTL(G ! deadlock) )", {"no-deadlock"}),
        ("CHECK( init(main()), LTL(G valid-free) )\nCHECK(init(main()),LTL(G valid-deref))\n", {"valid-free", "valid-deref"}),
    ],
)
def test_properties(text: str, checks: set[str], tmp_path: Path) -> None:
    file = tmp_path / "p.prp"
    file.write_text(text)
    assert read_property(str(file)).checks == checks
    assert read_property(str(file)).entry == "main"


def test_property_of_another_entry(tmp_path: Path) -> None:
    file = tmp_path / "p.prp"
    file.write_text("CHECK( init(start()), LTL(G ! data-race) )\n")
    assert read_property(str(file)).entry == "start"


def test_property_not_supported_is_named(tmp_path: Path) -> None:
    file = tmp_path / "p.prp"
    file.write_text("CHECK( init(main()), LTL(G ! call(launch())) )\n")
    with pytest.raises(Unsupported, match="call\\(launch"):
        read_property(str(file))


def test_properties_of_runs(tmp_path: Path) -> None:
    file = tmp_path / "p.prp"
    file.write_text("CHECK( init(main()), LTL(F end) )\n  CHECK( init(main()), LTL(G (x -> F y)) )\n")
    found = read_property(str(file))
    assert found.checks == frozenset()
    assert [(t.text, t.line, t.column) for t in found.formulas] == [("termination", 1, 26), ("G (x -> F y)", 2, 28)]


def test_task(tmp_path: Path) -> None:
    file = tmp_path / "t.yml"
    file.write_text(
        "format_version: '2.0'\n\n# a comment\ninput_files: 'a.i'   # the program\n\nproperties:\n"
        "  - property_file: ../properties/unreach-call.prp\n    expected_verdict: false\n  - property_file: p.prp\n"
        "options:\n  language: C\n  data_model: LP64\n"
    )
    task = read_task(str(file))
    assert task.files == (str(tmp_path / "a.i"),)
    assert [Path(p).name for p in task.properties] == ["unreach-call.prp", "p.prp"]
    assert task.model == "LP64"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: [x, 'y z']", {"a": ["x", "y z"]}),
        ("a:\n- x\n- y", {"a": ["x", "y"]}),
        ("a:\n  b: 1\n  c:\n    d: 2\ne: 3", {"a": {"b": "1", "c": {"d": "2"}}, "e": "3"}),
        ("- a: 1\n  b: 2\n-\n  a: 3", [{"a": "1", "b": "2"}, {"a": "3"}]),
        ("a: 'x # y'  # z", {"a": "x # y"}),
        ("a:", {"a": None}),
        ("", None),
    ],
)
def test_yaml(text: str, value: object) -> None:
    assert read_yaml(text, "t.yml") == value


@pytest.mark.parametrize("text", ["a: 1\na: 2", "a: 1\n    b: 2", "just words", "a: [1", "a: 'x", "a: {b: 1}", "a: |\n  text"])
def test_yaml_that_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"cannot read this task file|indentation"):
        read_yaml(text, "t.yml")


def test_compile_commands(tmp_path: Path) -> None:
    file = tmp_path / "compile_commands.json"
    entries = [
        {"directory": str(tmp_path), "file": "a.c", "command": "cc -Iinc -I sys -DX=1 -D Y -UZ -isystem hdr -O2 -c a.c"},
        {"directory": str(tmp_path), "file": "b.c", "arguments": ["cc", "-DQ", "-c", "b.c"]},
        {"directory": str(tmp_path), "file": "a.c", "command": "cc -DAGAIN a.c"},
    ]
    file.write_text(json.dumps(entries))
    first, second = read_compile_commands(str(file))
    assert first.file == str(tmp_path / "a.c")
    assert first.include == tuple(str(tmp_path / d) for d in ("inc", "sys", "hdr"))
    assert (first.define, first.undefine) == (("X=1", "Y"), ("Z",))
    assert (second.file, second.define) == (str(tmp_path / "b.c"), ("Q",))


def test_a_task_as_sv_benchmarks_has_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With properties that are no question for a verdict, and keys with spaces: what can be checked is, the rest is named."""
    from fsoft.cli.main import main

    (tmp_path / "a.c").write_text("extern void reach_error(void);\nint main(void) { reach_error(); return 0; }\n")
    (tmp_path / "cover.prp").write_text("COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )\n")
    (tmp_path / "reach.prp").write_text("CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
    (tmp_path / "t.yml").write_text(
        "format_version: '2.0'\n# old name: x\ninput_files: 'a.c'\nproperties:\n  - property_file: cover.prp\n"
        "  - property_file: reach.prp\n    expected_verdict: false\n    subproperty: unreach-call\n"
        "options:\n  language: C\n  data_model: LP64\nadditional_information:\n  verification task type: 'intentional'\n"
    )
    assert main(["check", str(tmp_path / "t.yml"), "--no-trace"]) == 10
    assert "cover.prp:1:1: note: not checked" in capsys.readouterr().err
