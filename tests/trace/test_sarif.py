"""SARIF: valid, with one flow per thread, and fingerprints that outlive edits. JUnit: one case per property."""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from fsoft.program.options import PROPERTIES
from fsoft.program.verdict import Verdict
from fsoft.trace.junit import junit
from fsoft.trace.outcome import ReportedAnswer
from fsoft.trace.sarif import FINGERPRINT, RULES, sarif
from fsoft.trace.task import ReportTask
from tests.trace.reports import MODELS, answer, answered
from tests.trace.schemas import SARIF


def valid(text: str) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(text)
    jsonschema.validate(log, SARIF)
    official = Path(os.environ.get("FSOFT_SCHEMAS", ""), "sarif-schema-2.1.0.json")
    if official.is_file():
        jsonschema.validate(log, json.loads(official.read_text()))
    return log


def result(name: str) -> dict[str, Any]:
    task, _, one = answered(name)
    found: dict[str, Any] = valid(sarif(task, [one], 10))["runs"][0]["results"][0]
    return found


@pytest.mark.parametrize("name", ("race", "assertion", "deadlock"))
def test_valid(name: str) -> None:
    found = result(name)
    assert found["ruleId"] == answered(name)[2].verdict.prop
    (flow,) = found["codeFlows"]
    orders = [step["executionOrder"] for thread in flow["threadFlows"] for step in thread["locations"]]
    assert sorted(orders) == list(range(1, len(orders) + 1)), "one order over all threads"
    for thread in flow["threadFlows"]:
        own = [step["executionOrder"] for step in thread["locations"]]
        assert own == sorted(own)


def test_both_accesses_of_a_race_are_shown() -> None:
    found = result("race")
    assert [thread["id"] for thread in found["codeFlows"][0]["threadFlows"]] == ["thread-0", "thread-1", "thread-2"]
    assert [place["message"]["text"] for place in found["relatedLocations"]] == ["thread 1 writes balance", "thread 2 reads balance"]
    assert found["message"]["text"].startswith("data race on balance\n")


def test_changes_and_locks_are_in_the_flow() -> None:
    steps = [s for thread in result("deadlock")["codeFlows"][0]["threadFlows"] for s in thread["locations"]]
    assert any(step.get("kinds") == ["acquire", "lock"] for step in steps)
    assert any(step.get("state") == {"ready": {"text": "1"}} for step in steps)


def test_fingerprints_survive_line_shifts_and_only_those(tmp_path: Path) -> None:
    def mark(folder: str, text: str, prop: str = "no-data-race") -> str:
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "account.c").write_text(text)
        task, _, one = answer(str(tmp_path / folder / "account.c"), prop, ("UNLOCKED",))
        found: str = valid(sarif(task, [one], 10))["runs"][0]["results"][0]["partialFingerprints"][FINGERPRINT]
        return found

    text = (MODELS / "classic/account.c").read_text()
    first = mark("first", text)
    assert mark("shifted", "/* new */\n\n" + text.replace("static int balance = 10;", "static int balance = 10;\n\n\n")) == first
    assert mark("indented", text.replace("    balance =", "        balance =")) == first
    assert mark("renamed", text.replace("balance", "amounts")) != first
    assert mark("other", text, "unreach-call") != first


def test_a_proof_has_no_result_and_a_bound_is_a_notification() -> None:
    task, _, one = answered("true")
    run = valid(sarif(task, [one], 0))["runs"][0]
    assert run["results"] == [] and "toolExecutionNotifications" not in run["invocations"][0]
    unknown = ReportedAnswer("unreach-call", Verdict("UNKNOWN", "unreach-call", ["a loop was cut"]))
    run = valid(sarif(task, [unknown], 5))["runs"][0]
    assert run["results"] == []
    assert run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"] == "UNKNOWN: a loop was cut"


def test_every_property_has_a_rule() -> None:
    assert set(PROPERTIES) <= RULES.keys()


# ---------------------------------------------------------------- JUnit


def cases(task: ReportTask, one: ReportedAnswer) -> dict[str, list[str]]:
    root = ET.fromstring(junit(task, [one]))
    (suite,) = root
    found = {case.get("name", ""): [child.tag for child in case] for case in suite}
    for tag, count in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        assert suite.get(count) == str(sum(tag in tags for tags in found.values()))
    assert suite.get("tests") == str(len(found))
    return found


def test_one_case_per_property() -> None:
    task, _, one = answered("race")
    several = ReportTask(task.files, 32, frozenset({"no-data-race", "unreach-call"}))
    assert cases(task, one) == {"no-data-race": ["failure"]}
    both = ReportedAnswer("", one.verdict, one.story)
    assert cases(several, both) == {"no-data-race": ["failure"], "unreach-call": ["skipped"]}
    assert cases(*(answered("true")[k] for k in (0, 2))) == {"unreach-call": []}  # type: ignore[arg-type]


def test_unknown_does_not_pass_and_odd_characters_are_harmless() -> None:
    task = answered("true")[0]
    unknown = ReportedAnswer("unreach-call", Verdict("UNKNOWN", "unreach-call", ['<bound> & "quote" \x01']))
    assert cases(task, unknown) == {"unreach-call": ["error"]}
