"""Witness files: valid by their formats, and true of the run that they tell."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from fsoft.ask.load import Options, check, load
from fsoft.trace.graphml import correctness_graphml, violation_graphml
from fsoft.trace.outcome import outcome
from fsoft.trace.task import ReportTask
from fsoft.trace.yaml_witness import best_version, correctness_yaml, violation_yaml
from tests.trace.reports import answer, answered
from tests.trace.schemas import correctness, violation

NS = "{http://graphml.graphdrawing.org/xmlns}"
VIOLATIONS = ("race", "assertion", "deadlock")
INPUTS = """#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int g;
void *f(void *p) {
  int x = __VERIFIER_nondet_int();
  if (x == -7)
    g = 3;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  int y = g;
  pthread_join(t, 0);
  if (y == 0 && g == 3) {
    reach_error();
  }
  return 0;
}
"""


@pytest.fixture
def inputs(tmp_path: Path) -> str:
    (tmp_path / "inputs.c").write_text(INPUTS)
    return str(tmp_path / "inputs.c")


# ---------------------------------------------------------------- YAML


def sequence(name: str, version: str) -> list[list[dict[str, Any]]]:
    task, program, one = answered(name)
    assert one.story is not None
    return _segments(violation_yaml(task, program, one.story, version), version)


def _segments(text: str, version: str) -> list[list[dict[str, Any]]]:
    entries = yaml.safe_load(text)
    jsonschema.validate(entries, violation(version))
    segments = [[w["waypoint"] for w in segment["segment"]] for segment in entries[0]["content"]]
    for segment in segments[:-1]:
        assert [w["action"] for w in segment] == ["follow"] and segment[0]["type"] != "target"
    assert all(w["type"] == "target" and w["action"] == "follow" for w in segments[-1])
    return segments


@pytest.mark.parametrize("version", ("2.0", "2.2"))
@pytest.mark.parametrize("name", VIOLATIONS)
def test_yaml_violations_are_valid(name: str, version: str) -> None:
    segments = sequence(name, version)
    assert len(segments[-1]) == (2 if (name, version) == ("race", "2.2") else 1)


def test_threads_are_registered_before_they_are_named() -> None:
    for name in VIOLATIONS:
        known = 1
        for waypoint in (w for segment in sequence(name, "2.2") for w in segment):
            assert waypoint["thread_id"] < known
            known += waypoint["type"] == "function_enter"
        assert known == 3


def test_a_race_ends_in_its_two_accesses() -> None:
    assert [(w["thread_id"], w["location"]["line"]) for w in sequence("race", "2.2")[-1]] == [(1, 14), (2, 14)]


def test_waypoints_are_where_statements_begin() -> None:
    lines = Path(answered("deadlock")[0].files[0]).read_text().splitlines()
    named = [w["location"] for segment in sequence("deadlock", "2.2") for w in segment if w["type"] == "assumption"]
    texts = [lines[at["line"] - 1][at.get("column", 1) - 1 :].strip() for at in named]
    assert texts and all(text.split("(")[0].isidentifier() or text[0].isalpha() for text in texts), texts
    assert any(text.startswith("pthread_mutex_lock") for text in texts)


def test_inputs_and_globals_are_told(inputs: str) -> None:
    task, program, one = answer(inputs, "unreach-call")
    assert one.story is not None and best_version(one.story) == "2.2"
    flat = [w for segment in _segments(violation_yaml(task, program, one.story, "2.2"), "2.2") for w in segment]
    kinds = [(w["type"], w["thread_id"], w["location"]["line"], w.get("constraint", {}).get("value")) for w in flat]
    assert ("function_return", 1, 6, "\\result == -7") in kinds
    assert ("assumption", 0, 14, "1") in kinds, "main reads g before the other thread writes it"
    assert kinds.index(("assumption", 0, 14, "1")) < kinds.index(("function_return", 1, 6, "\\result == -7"))
    assert ("assumption", 0, 15, "g == 3") in kinds
    assert kinds[-1][:3] == ("target", 0, 17)
    returned = next(w["location"] for w in flat if w["type"] == "function_return")
    assert INPUTS.splitlines()[5][returned["column"] - 1] == ")"


def test_locals_are_never_taken_for_globals(tmp_path: Path) -> None:
    path = tmp_path / "shadow.c"
    path.write_text(INPUTS.replace("int y = g;", "int y = g; { int g = y; y = g; }"))
    task, program, one = answer(str(path), "unreach-call")
    assert one.story is not None
    assert "g == 3" not in violation_yaml(task, program, one.story, "2.2")


def test_yaml_correctness() -> None:
    task, program, one = answered("true")
    assert one.verdict.kind == "TRUE" and one.story is None
    for version in ("2.0", "2.2"):
        jsonschema.validate(yaml.safe_load(correctness_yaml(task, program, version)), correctness(version))


def test_a_program_of_which_nothing_is_left_has_a_correctness_witness(tmp_path: Path) -> None:
    path = tmp_path / "settled.c"
    path.write_text("/* int main(void) { } */\n#define X main() { \\\n }\nint main(void)\n{ // begins\n    int x = 1;\n    return 0;\n}\n")
    task, program, one = answer(str(path), "unreach-call")
    assert one.verdict.kind == "TRUE"
    entries = yaml.safe_load(correctness_yaml(task, program, "2.0"))
    jsonschema.validate(entries, correctness("2.0"))
    where = entries[0]["content"][0]["invariant"]["location"]
    assert (where["line"], where["column"]) == (6, 5)


def test_files_are_reproducible(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    task, program, one = answered("race")
    assert one.story is not None
    texts = {violation_yaml(task, program, one.story, "2.2") for _ in range(2)}
    assert len(texts) == 1 and "2023-11-14T22:13:20Z" in texts.pop()


# ---------------------------------------------------------------- GraphML


def _check_graphml(text: str, kind: str) -> list[dict[str, str]]:
    """The rules of format 1.0: declared keys, required data of the graph, one entry, connected edges; the data of the edges, in order."""
    root = ET.fromstring(text)
    keys = {key.get("id"): key.get("for") for key in root.findall(f"{NS}key")}
    graph = root.find(f"{NS}graph")
    assert root.tag == f"{NS}graphml" and graph is not None and graph.get("edgedefault") == "directed"
    data = _data(graph, "graph", keys)
    required = {"witness-type", "sourcecodelang", "producer", "specification", "programfile", "programhash", "architecture", "creationtime"}
    assert required <= data.keys() and data["witness-type"] == kind and data["architecture"] in ("32bit", "64bit")
    assert len(data["programhash"]) == 64
    nodes = {node.get("id"): _data(node, "node", keys) for node in graph.findall(f"{NS}node")}
    assert [n for n, d in nodes.items() if d.get("entry") == "true"] == ["N0"]
    assert len([n for n, d in nodes.items() if d.get("violation") == "true"]) == (kind == "violation_witness")
    edges = graph.findall(f"{NS}edge")
    assert all(edge.get("source") in nodes and edge.get("target") in nodes for edge in edges)
    return [_data(edge, "edge", keys) for edge in edges]


def _data(element: ET.Element, of: str, keys: dict[str | None, str | None]) -> dict[str, str]:
    found = {}
    for data in element.findall(f"{NS}data"):
        key = data.get("key")
        assert key is not None and keys.get(key) == of and key not in found
        found[key] = data.text or ""
    return found


@pytest.mark.parametrize("name", VIOLATIONS)
def test_graphml_violations(name: str) -> None:
    task, _, one = answered(name)
    assert one.story is not None
    edges = _check_graphml(violation_graphml(task, one.story), "violation_witness")
    assert edges[0] == {"enterFunction": "main", "createThread": "0"}
    live, entered = {"0"}, {"0"}
    for edge in edges[1:]:
        assert edge["threadId"] in live
        if "createThread" in edge:
            assert edge["createThread"] not in live
            live.add(edge["createThread"])
        if "enterFunction" in edge:
            assert edge["threadId"] not in entered
            entered.add(edge["threadId"])
        else:
            assert edge["threadId"] in entered
        if "returnFromFunction" in edge:
            live.remove(edge["threadId"])
    if name == "race":
        assert [(edge["threadId"], edge["startline"]) for edge in edges[-2:]] == [("1", "14"), ("2", "14")]


def test_graphml_inputs(inputs: str) -> None:
    task, _, one = answer(inputs, "unreach-call")
    assert one.story is not None
    edges = _check_graphml(violation_graphml(task, one.story), "violation_witness")
    given = [edge for edge in edges if "assumption" in edge]
    assert [(e["assumption"], e["assumption.scope"], e["startline"]) for e in given] == [("x == -7;", "f", "6")]
    assert edges[-1]["startline"] == "17"
    lines = INPUTS.splitlines()
    assert all(lines[int(e["startline"]) - 1].strip().endswith((";", "{", ")")) for e in edges if "startline" in e)


def test_graphml_inputs_without_a_variable(tmp_path: Path) -> None:
    path = tmp_path / "direct.c"
    path.write_text(INPUTS.replace("int x = __VERIFIER_nondet_int();", ";").replace("x == -7", "__VERIFIER_nondet_int() == -7"))
    task, _, one = answer(str(path), "unreach-call")
    assert one.story is not None
    given = [e for e in _check_graphml(violation_graphml(task, one.story), "violation_witness") if "assumption" in e]
    assert [(e["assumption"], e["assumption.resultfunction"]) for e in given] == [("\\result == -7;", "__VERIFIER_nondet_int")]


def test_graphml_correctness() -> None:
    assert _check_graphml(correctness_graphml(answered("true")[0]), "correctness_witness") == []


def test_threads_that_nobody_creates(tmp_path: Path) -> None:
    """`--thread f --thread g`: GraphML introduces them at the start, YAML leaves threads out."""
    path = tmp_path / "free.c"
    path.write_text("#include <assert.h>\nint x;\nvoid f(void) {\n  x = 1;\n}\nvoid g(void) {\n  assert(x == 0);\n}\n")
    options = Options(thread_functions=("f", "g"))
    program, verdict = load([str(path)], options), check([str(path)], options)
    one = outcome(program, verdict, "unreach-call")
    task = ReportTask((str(path),), 32, options.checks)
    assert one.story is not None and best_version(one.story) == "2.0"
    edges = _check_graphml(violation_graphml(task, one.story), "violation_witness")
    known = {edge["createThread"] for edge in edges if "createThread" in edge}
    assert {edge["threadId"] for edge in edges if "threadId" in edge} <= known
    _segments(violation_yaml(task, program, one.story, "2.0"), "2.0")
