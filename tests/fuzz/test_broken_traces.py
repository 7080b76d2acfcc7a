"""A slice of the campaign over mutated traces, and the schema's own judge beside ours."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest

from fsoft.cli.main import main
from fsoft.trace.schema import TRACE, Schema, trace_schema
from tests.fuzz.broken_traces import campaign, mutated
from tests.models.table import MODELS

needs_gcc = pytest.mark.skipif(not all(map(shutil.which, ("gcc", "objcopy", "nm", "objdump"))), reason="gcc or binutils are not installed")


@needs_gcc
def test_mutated_traces_are_answered() -> None:
    tally = campaign(12, 7)
    assert tally.wrong == [] and tally.codes.total() == 12


def test_our_validator_agrees_with_jsonschema(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    whole = json.loads(TRACE.read_text())
    official, ours, pick = jsonschema.Draft202012Validator(whole), trace_schema(), random.Random(3)
    path = tmp_path / "t.json"
    assert main(["check", str(MODELS / "heap/reuse.c"), "--trace-file", str(path)]) == 10
    trace = json.loads(path.read_text())
    assert ours.mistake(trace) == ""
    judged = {True: 0, False: 0}
    for _ in range(150):
        try:
            mutant = json.loads(mutated(trace, pick))
        except ValueError:
            continue
        good = official.is_valid(mutant)
        judged[good] += 1
        assert (ours.mistake(mutant) == "") == good, ours.mistake(mutant)
    assert min(judged.values()) > 20


def test_every_keyword_of_the_schema_is_known() -> None:
    todo: list[object] = [json.loads(TRACE.read_text())]
    while todo:
        one = todo.pop()
        if isinstance(one, list):
            todo += one
        elif isinstance(one, dict):
            assert set(one) <= set(Schema._KEYWORDS) | Schema.SILENT, one
            todo += [v for k, v in one.items() if k in ("items", "additionalProperties", "oneOf")]
            todo += [v for k in ("properties", "$defs") for v in one.get(k, {}).values()]
