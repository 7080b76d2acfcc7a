"""The JSON object: it follows its schema, and has what a replay needs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import fsoft.trace
from fsoft.cli.main import main
from tests.models.table import MODELS

jsonschema = pytest.importorskip("jsonschema")

QUESTIONS = [
    ("mutex/peterson.c", ["-DSWAPPED"]),
    ("mutex/peterson.c", ["--property", "no-data-race"]),
    ("sync/prodcons_cond.c", ["-DNO_SIGNAL", "--property", "no-deadlock"]),
    ("heap/reuse.c", []),
    ("heap/reuse.c", ["-DALWAYS", "--heap", "fresh"]),
    ("memory/uninitialised.c", []),
]


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    main(["check", *arguments, "--json"])
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return found


def validate(value: Any) -> None:
    schema = json.loads((Path(fsoft.trace.__file__).parent / "trace.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(value)


@pytest.mark.parametrize(("program", "options"), QUESTIONS)
def test_schema(capsys: pytest.CaptureFixture[str], program: str, options: list[str]) -> None:
    validate(answer(capsys, str(MODELS / program), "--64", *options))


@pytest.mark.parametrize("options", [["--no-trace"], ["--ltl", "G F turn"], ["--property", "no-deadlock"]])
def test_schema_without_a_run(capsys: pytest.CaptureFixture[str], options: list[str]) -> None:
    validate(answer(capsys, str(MODELS / "mutex/peterson.c"), *options))


def test_moves_tell_all(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, str(MODELS / "mutex/peterson.c"), "--64", "-DSWAPPED")
    names = {o["id"]: o["name"] for o in found["objects"]}
    accesses = [(m["slot"], names[a["object"]], a["offset"], a["write"]) for m in found["moves"] for a in m["accesses"] if m["slot"]]
    assert (1, "turn", 0, True) in accesses and (2, "flag", 4, True) in accesses
    assert [m["creates"] for m in found["moves"] if m["creates"]] == [1, 2]
    assert found["end"]["kind"] == "violation" and found["end"]["line"] == found["location"]["line"]
    assert found["files"][0]["define"] == ["SWAPPED"] and len(found["files"][0]["sha256"]) == 64


def test_a_race_names_both_accesses(capsys: pytest.CaptureFixture[str]) -> None:
    end = answer(capsys, str(MODELS / "mutex/peterson.c"), "--64", "--property", "no-data-race")["end"]
    one, two = end["accesses"]
    assert end["kind"] == "race" and one["slot"] != two["slot"] and (one["write"] or two["write"])
    assert (one["object"], one["offset"]) == (two["object"], two["offset"])


def test_trace_file_beside_the_text(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    program = str(MODELS / "mutex/peterson.c")
    assert main(["check", program, "-DSWAPPED", "--trace-file", str(tmp_path / "t.json")]) == 10
    assert capsys.readouterr().out.splitlines()[-1] == "FALSE(unreach-call)"
    validate(json.loads((tmp_path / "t.json").read_text()))
    assert [p.name for p in tmp_path.iterdir()] == ["t.json"]
    assert main(["check", program, "-DSWAPPED", "--trace-file", str(tmp_path / "no" / "t.json")]) == 2
