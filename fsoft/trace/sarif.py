"""Violations as SARIF 2.1.0, for code scanning.

A violation is a result whose `ruleId` is the property. Its one code flow has a thread flow for each thread, and `executionOrder` is the
place of a statement in the whole run: a viewer can show one thread or the interleaving. The fingerprint is made of the property, the
function and the text of the guilty lines, not of line numbers, so it survives edits elsewhere in the file. TRUE has no result; UNKNOWN is a
notification.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from fsoft.frontend.source import Loc
from fsoft.trace.outcome import ReportedAnswer
from fsoft.trace.statements import Actor, Point, ThreadStatement, ThreadStory
from fsoft.trace.task import PRODUCER, VERSION, ReportTask, creation_time

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "fsoftFinding/v1"
RULES = {
    "unreach-call": ("An assertion can fail", "Some interleaving reaches a failing assertion or a call of reach_error()."),
    "valid-deref": ("Invalid memory access", "A pointer that is null, dangling, freed, misaligned or out of bounds is dereferenced."),
    "valid-free": ("Invalid free", "Memory is freed twice, or something that is not the start of a heap object is freed."),
    "valid-memtrack": ("Memory leak", "The program ends while nothing points to a heap object that was not freed."),
    "no-overflow": ("Signed overflow", "The result of signed arithmetic does not fit its type."),
    "no-division-by-zero": ("Division by zero", "The divisor of a division or a remainder is zero."),
    "no-bad-shift": ("Undefined shift", "A shift by a negative or too large amount."),
    "no-bad-conversion": ("Undefined conversion", "A floating number is converted to an integer type that cannot hold it."),
    "no-bad-index": ("Index out of bounds", "An index is outside the array that it is applied to: a member, or a row of a matrix."),
    "no-handle-misuse": ("Misuse of a handle", "A file or directory is used after it was closed, or closed twice."),
    "no-lock-misuse": ("Misuse of a lock", "A lock is unlocked by a thread that does not hold it, or destroyed while in use."),
    "no-data-race": ("Data race", "Two threads access the same memory at the same time, one of them writes, and not both are atomic."),
    "no-deadlock": ("Deadlock", "Threads wait for each other, or all that are left wait for ever."),
    "termination": ("Non-termination", "Some fair run never ends."),
    "ltl": ("Temporal property violated", "Some run does not satisfy the formula."),
}
"""What each property is called, and when it is violated. The keys are the rule ids: they never change."""

_KINDS = {
    "acquire": ("acquire", "lock"), "rdlock": ("acquire", "lock"), "wrlock": ("acquire", "lock"), "release": ("release", "lock"),
    "rwunlock": ("release", "lock"), "start": ("enter", "function"), "exit": ("exit", "function"), "create": ("call", "function"),
}  # fmt: skip


def sarif(task: ReportTask, outcomes: Sequence[ReportedAnswer], exit_code: int) -> str:
    """The log of one run of fsoft."""
    violated = [one for one in outcomes if one.verdict.kind == "FALSE"]
    asked = dict.fromkeys([*sorted(task.checks), *(_rule_id(one) for one in outcomes if one.verdict.prop)])
    rules = [_rule(name) for name in asked]
    run = {
        "tool": {"driver": {"name": PRODUCER, "semanticVersion": VERSION, "version": VERSION, "rules": rules}},
        "invocations": [_invocation(task, outcomes, exit_code)],
        "columnKind": "unicodeCodePoints",
        "artifacts": [
            {"location": _artifact(file), "roles": ["analysisTarget"], "sourceLanguage": "c", "hashes": {"sha-256": value}}
            for file, value in task.hashes().items()
        ],
        "results": [_result(task, one, list(asked)) for one in violated],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _rule_id(one: ReportedAnswer) -> str:
    return one.verdict.prop if one.verdict.prop in RULES else "ltl"


def _rule(name: str) -> dict[str, Any]:
    title, text = RULES[name]
    return {
        "id": name,
        "name": "".join(word.capitalize() for word in name.split("-")),
        "shortDescription": {"text": title},
        "fullDescription": {"text": text},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["correctness", "concurrency"], "precision": "very-high", "problem.severity": "error"},
    }


def _invocation(task: ReportTask, outcomes: Sequence[ReportedAnswer], exit_code: int) -> dict[str, Any]:
    found: dict[str, Any] = {"executionSuccessful": True, "exitCode": exit_code, "endTimeUtc": creation_time()}
    if task.command:
        found["commandLine"] = task.command
    open_ = [one for one in outcomes if one.verdict.kind == "UNKNOWN"]
    if open_:
        found["toolExecutionNotifications"] = [
            {"level": "warning", "message": {"text": f"UNKNOWN: {'; '.join(one.verdict.lines()) or one.name}"}} for one in open_
        ]
    return found


# ---------------------------------------------------------------- places


def _artifact(file: str) -> dict[str, Any]:
    """A file below the current folder is relative to the root of the sources, whatever that is for the reader."""
    path = os.path.relpath(file)
    if path.startswith(".."):
        return {"uri": "file://" + quote(os.path.abspath(file))}
    return {"uri": quote(path.replace(os.sep, "/")), "uriBaseId": "%SRCROOT%"}


def _physical(task: ReportTask, loc: Loc) -> dict[str, Any]:
    found: dict[str, Any] = {"artifactLocation": _artifact(loc.file)}
    if loc.line > 0:
        found["region"] = {"startLine": loc.line} | ({"startColumn": loc.column} if loc.column > 0 else {})
        if text := task.line(loc).strip():
            found["region"]["snippet"] = {"text": text}
    return found


def _location(task: ReportTask, loc: Loc, function: str, message: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {"physicalLocation": _physical(task, loc)}
    if function:
        found["logicalLocations"] = [{"name": function, "kind": "function"}]
    return found | ({"message": {"text": message}} if message else {})


# ---------------------------------------------------------------- results


def _result(task: ReportTask, one: ReportedAnswer, rules: list[str]) -> dict[str, Any]:
    verdict, story = one.verdict, one.story
    points = story.points if story is not None else []
    place = points[0] if points else Point(0, verdict.loc, "", "")
    name = _rule_id(one)
    found: dict[str, Any] = {
        "ruleId": name,
        "ruleIndex": rules.index(name),
        "kind": "fail",
        "level": "error",
        "message": {"text": "\n".join([one.message, *verdict.lines()[1:]])},
        "locations": [_location(task, place.loc, place.function, place.what)],
        "partialFingerprints": {FINGERPRINT: fingerprint(task, name, points or [place], story.about if story is not None else one.name)},
    }
    if len(points) > 1:
        found["relatedLocations"] = [
            {"id": k} | _location(task, point.loc, point.function, f"thread {point.thread} {point.what}".strip())
            for k, point in enumerate(points)
        ]
    if story is not None and (flows := _thread_flows(task, story)):
        found["codeFlows"] = [{"message": {"text": "one run that violates the property"}, "threadFlows": flows}]
    return found


def fingerprint(task: ReportTask, prop: str, points: Sequence[Point], about: str) -> str:
    """The same for the same defect in a text whose lines have moved: no line numbers, no columns, no order of threads."""
    places = sorted([os.path.basename(point.loc.file), point.function, " ".join(task.line(point.loc).split())] for point in points)
    return hashlib.sha256(json.dumps([prop, about, places]).encode()).hexdigest()[:32]


def _thread_flows(task: ReportTask, story: ThreadStory) -> list[dict[str, Any]]:
    flows: dict[int, list[dict[str, Any]]] = {actor.number: [] for actor in story.actors}
    for order, statement in enumerate(story.statements, 1):
        flows[statement.thread].append(_step(task, statement, order))
    for order, point in enumerate(story.points, len(story.statements) + 1):
        flows[point.thread].append(
            {
                "location": _location(task, point.loc, point.function, point.what),
                "kinds": ["danger"],
                "executionOrder": order,
                "importance": "essential",
            }
        )
    return [
        {"id": f"thread-{actor.number}", "message": {"text": _who(actor)}, "locations": flows[actor.number]}
        for actor in story.actors
        if flows[actor.number]
    ]


def _who(actor: Actor) -> str:
    made = f", created by thread {actor.creator}" if actor.creator is not None else ""
    return f"thread {actor.number} ({actor.name}){made}"


def _step(task: ReportTask, statement: ThreadStatement, order: int) -> dict[str, Any]:
    changed = {name: new for name, (old, new) in statement.changes.items() if old != new}
    text = task.line(statement.loc).strip() or statement.text
    effects = [*(a.text for a in statement.inputs), *(f"{name} = {new}" for name, new in changed.items()), *statement.notes]
    found: dict[str, Any] = {
        "location": _location(task, statement.loc, statement.function, "  // ".join(filter(None, [text, "; ".join(effects)]))),
        "executionOrder": order,
        "nestingLevel": len(statement.calls),
        "importance": "important" if effects or statement.tags else "unimportant",
    }
    kinds = list(dict.fromkeys(kind for tag in sorted(statement.tags) for kind in _KINDS.get(tag, ())))
    if kinds:
        found["kinds"] = kinds
    if changed:
        found["state"] = {name: {"text": new} for name, new in changed.items()}
    return found


__all__ = ["FINGERPRINT", "RULES", "SCHEMA", "fingerprint", "sarif"]
