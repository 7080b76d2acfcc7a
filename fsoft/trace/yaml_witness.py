"""Verification witnesses in YAML, formats 2.0 and 2.2 (Ayaziová, Beyer, Lingsch-Rosenfeld, Spiessl, Strejček: Software Verification
Witnesses 2.0, SPIN 2024; 2.2 adds threads).

A violation witness is a sequence of segments, each with one waypoint to follow. In 2.2 a waypoint names its thread (`thread_id`: 0 is
main, the k-th `function_enter` at a call that creates a thread registers thread k), and a race ends in one segment with two targets.
What is told:

- `function_return` for the values of inputs;
- `function_enter` for the creation of threads (2.2);
- `assumption` where another thread goes on, at the last statement of the one and the first of the other, with the values of the globals
  that changed meanwhile (2.2). Only a place where a statement begins may be named, so a switch in the middle of one is left to the
  validator: a witness with fewer waypoints describes more runs, never a wrong one;
- `target`, where the property is violated.

Format 2.0 has no threads: what is left there are inputs and the target. A correctness witness (`invariant_set`) says no more than that an
invariant exists: it has the trivial one.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator
from functools import cache
from typing import Any

from fsoft.frontend.source import Loc
from fsoft.program.program import Program
from fsoft.trace.graphml import returned
from fsoft.trace.statements import Point, ThreadStatement, ThreadStory
from fsoft.trace.task import PRODUCER, VERSION, ReportTask, creation_time

VERSIONS = ("2.0", "2.2")
_NUMBER = re.compile(r"-?\d+")


def best_version(story: ThreadStory | None) -> str:
    """2.2 where there are threads to tell about, else the version that every validator reads. A thread that nobody creates (--thread) has
    no place in 2.2, either."""
    threads = story.actors[1:] if story is not None else []
    return "2.2" if threads and all(actor.creator is not None for actor in threads) else "2.0"


def violation_yaml(task: ReportTask, program: Program, story: ThreadStory, version: str) -> str:
    """The witness of a run that violates the property."""
    segments = [[waypoint] for waypoint in _Waypoints(task, program, story, version == "2.2").all()]
    targets = [_target(task, point) | ({"thread_id": point.thread} if version == "2.2" else {}) for point in _targets(story, version)]
    content = [{"segment": [{"waypoint": waypoint} for waypoint in segment]} for segment in [*segments, targets]]
    return _document(task, "violation_sequence", version, content)


def correctness_yaml(task: ReportTask, program: Program, version: str) -> str:
    """The witness that claims that the property holds."""
    steps = [step for step in program.threads[0].template.steps if step.text and task.own(step.loc) and task.column_of(step.loc, step.text)]
    content: list[dict[str, Any]] = []
    begin = steps[0].loc._replace(column=task.column_of(steps[0].loc, steps[0].text)) if steps else task.first_statement()
    if begin is not None:
        where = _location(task, begin, "", begin.column)
        content = [{"invariant": {"type": "location_invariant", "location": where, "value": "1", "format": "c_expression"}}]
    return _document(task, "invariant_set", version, content)


# ---------------------------------------------------------------- waypoints


def _location(task: ReportTask, loc: Loc, function: str, column: int = 0) -> dict[str, Any]:
    """Without a column the format means the leftmost place on the line that fits."""
    where: dict[str, Any] = {"file_name": loc.file, "line": loc.line}
    if column:
        where["column"] = column
    if function:
        where["function"] = function
    return where


def _targets(story: ThreadStory, version: str) -> list[Point]:
    return story.points if version == "2.2" and story.about else story.points[:1]


def _target(task: ReportTask, point: Point) -> dict[str, Any]:
    return {"type": "target", "action": "follow", "location": _location(task, point.loc, point.function)}


class _Waypoints:
    """The waypoints before the target, in the order of the run."""

    def __init__(self, task: ReportTask, program: Program, story: ThreadStory, threads: bool):
        self.task, self.story, self.threads = task, story, threads
        self.globals = {obj.name for obj in program.objects if obj.storage in ("global", "static")}
        self.once = cache(task.declared_once)
        self.starts = {
            step.loc[:2] for template in program.templates() for step in template.steps if step.text and task.column_of(step.loc, step.text)
        }
        self.meanwhile: dict[int, dict[str, str]] = {actor.number: {} for actor in story.actors}
        self.last: dict[int, tuple[str, int]] = {}

    def all(self) -> Iterator[dict[str, Any]]:
        statements = self.story.statements
        for k, statement in enumerate(statements):
            around = {other.thread for other in statements[max(0, k - 1) : k + 2]}
            if self.threads and len(around) > 1 and self._begins(statement):
                yield self._switch(statement)
            yield from self._creations(statement)
            yield from self._inputs(statement)
            self._remember(statement)

    def _begins(self, statement: ThreadStatement) -> bool:
        """Whether the thread is at the beginning of a statement of the user's, and not in the middle of one."""
        return self.task.own(statement.loc) and statement.loc[:2] in self.starts and self.last.get(statement.thread) != statement.loc[:2]

    def _switch(self, statement: ThreadStatement) -> dict[str, Any]:
        known = self.meanwhile[statement.thread]
        value = " && ".join(f"{name} == {number}" for name, number in known.items()) or "1"
        column = self.task.column_of(statement.loc, statement.text)
        return self._waypoint("assumption", statement, column, {"value": value, "format": "c_expression"})

    def _creations(self, statement: ThreadStatement) -> Iterator[dict[str, Any]]:
        if self.threads:
            for _ in statement.creates:
                called = re.match(r"(?:.*?\W)?(\w*create\w*)\s*\(", statement.text)
                column = self.task.closing(statement.loc, called[1]) if called else 0
                yield self._waypoint("function_enter", statement, column)

    def _inputs(self, statement: ThreadStatement) -> Iterator[dict[str, Any]]:
        kind = "ext_c_expression" if self.threads else "acsl_expression"
        for answer in statement.inputs:
            name, loc = returned(answer), answer.question.loc
            if name and self.task.own(loc):
                constraint = {"value": f"\\result == {answer.number}", "format": kind}
                yield self._waypoint("function_return", statement, self.task.closing(loc, name), constraint, loc)

    def _waypoint(
        self, kind: str, statement: ThreadStatement, column: int, constraint: dict[str, str] | None = None, loc: Loc | None = None
    ) -> dict[str, Any]:
        where = _location(self.task, loc or statement.loc, statement.function, column)
        found: dict[str, Any] = {"type": kind, "action": "follow", "location": where}
        if self.threads:
            found["thread_id"] = statement.thread
        return found if constraint is None else found | {"constraint": constraint}

    def _remember(self, statement: ThreadStatement) -> None:
        """Globals that changed, for the threads that will go on later; what a thread has been told it need not be told again."""
        self.last[statement.thread] = statement.loc[:2]
        self.meanwhile[statement.thread].clear()
        for name, (_, new) in statement.changes.items():
            for number, seen in self.meanwhile.items():
                if number != statement.thread and name in self.globals and _NUMBER.fullmatch(new) and self.once(name):
                    seen[name] = new
                else:
                    seen.pop(name, None)


# ---------------------------------------------------------------- the document


def _document(task: ReportTask, kind: str, version: str, content: list[dict[str, Any]]) -> str:
    entry = {"entry_type": kind, "metadata": _metadata(task, version, json.dumps([kind, version, content])), "content": content}
    return "\n".join([*_yaml([entry], ""), ""])


def _metadata(task: ReportTask, version: str, content: str) -> dict[str, Any]:
    hashes, created = task.hashes(), creation_time()
    name = json.dumps([PRODUCER, VERSION, hashes, task.specification(), created, content])
    producer = {"name": PRODUCER, "version": VERSION}
    return {
        "format_version": version,
        "uuid": str(uuid.uuid5(uuid.NAMESPACE_OID, name)),
        "creation_time": created,
        "producer": producer | ({"command_line": task.command} if task.command else {}),
        "task": {
            "input_files": list(task.files),
            "input_file_hashes": hashes,
            "specification": task.specification(),
            "data_model": task.model,
            "language": "C",
        },
    }


def _yaml(value: Any, indent: str) -> Iterator[str]:
    """Block style; every string in double quotes, as JSON writes it, which is YAML as well."""
    for item in value if isinstance(value, list) else value.items():
        key, inner = ("-", item) if isinstance(value, list) else (f"{_key(item[0])}:", item[1])
        if not isinstance(inner, (dict, list)) or not inner:
            yield f"{indent}{key} {json.dumps(inner, ensure_ascii=False)}"
        elif key == "-":
            lines = list(_yaml(inner, indent + "  "))
            yield f"{indent}- {lines[0].lstrip()}"
            yield from lines[1:]
        else:
            yield f"{indent}{key}"
            yield from _yaml(inner, indent + "  ")


def _key(name: str) -> str:
    return name if name.isidentifier() else json.dumps(name, ensure_ascii=False)


__all__ = ["VERSIONS", "best_version", "correctness_yaml", "violation_yaml"]
