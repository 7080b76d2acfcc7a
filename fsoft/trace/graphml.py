"""Verification witnesses in GraphML, format 1.0 (sosy-lab/sv-witnesses, README-GraphML.md).

A violation witness is the automaton of one run: an edge per statement with its line and its thread (`threadId`), `createThread` where a
thread is created, `enterFunction` and `returnFromFunction` for the start routines, `assumption` for the values of inputs. For a race the
last two edges are the accesses. A run that violates a property of runs is a lasso: its last edge leads back to the node that is the
`cyclehead`, and no node is a `violation`. A correctness witness has one state and no invariant: it claims TRUE and gives no hint.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from fsoft.frontend.source import Loc
from fsoft.trace.statements import InputValue, ThreadStatement, ThreadStory
from fsoft.trace.task import PRODUCER, VERSION, ReportTask, creation_time

Data = dict[str, str]

_KEYS = {
    "graph": (
        "witness-format-version", "witness-type", "sourcecodelang", "producer", "specification", "programfile", "programhash",
        "architecture", "creationtime",
    ),
    "node": ("entry", "violation", "cyclehead"),
    "edge": (
        "originfile", "startline", "assumption", "assumption.scope", "assumption.resultfunction", "enterFunction", "returnFromFunction",
        "threadId", "createThread",
    ),
}  # fmt: skip
_TYPES = {"entry": "boolean", "violation": "boolean", "cyclehead": "boolean", "startline": "int"}
_HEAD = """<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">"""


_LOOP = "loop"  # on the edge with which a loop begins; it is not written


def violation_graphml(task: ReportTask, story: ThreadStory, lasso: bool = False) -> str:
    """The witness of a run that violates the property; `lasso`: the run never ends, and its loop (or its last state) repeats."""
    edges = list(_edges(task, story))
    if lasso:
        return _lasso(task, edges)
    nodes: list[Data] = [{} for _ in range(len(edges) + 1)]
    nodes[0]["entry"], nodes[-1]["violation"] = "true", "true"
    return _document(task, "violation_witness", nodes, edges)


def _lasso(task: ReportTask, edges: list[Data]) -> str:
    begins = next((k for k, data in enumerate(edges) if _LOOP in data), len(edges))
    if begins == len(edges):  # nobody moves any more
        edges.append({})
    nodes: list[Data] = [{} for _ in edges]
    nodes[0]["entry"], nodes[begins]["cyclehead"] = "true", "true"
    plain = [{key: value for key, value in data.items() if key != _LOOP} for data in edges]
    return _document(task, "violation_witness", nodes, plain, begins)


def correctness_graphml(task: ReportTask) -> str:
    """The witness that claims that the property holds."""
    return _document(task, "correctness_witness", [{"entry": "true"}], [])


def _edges(task: ReportTask, story: ThreadStory) -> Iterator[Data]:
    main = story.actors[0]
    yield {"enterFunction": main.name, "createThread": str(main.number)}
    for actor in story.actors[1:]:
        if actor.creator is None:  # it runs from the start (--thread)
            yield {"createThread": str(actor.number), "threadId": str(main.number)}
    entered, last = {main.number}, None
    for statement in story.statements:
        actor = story.actors[statement.thread]
        thread = {"threadId": str(statement.thread)} | ({_LOOP: "true"} if statement.loop else {})
        if statement.thread not in entered:
            entered.add(statement.thread)
            yield {"enterFunction": actor.name} | thread
        if not _at_entry(task, statement):
            yield from _statement(task, statement, thread)
            last = (statement.thread, statement.loc[:2])
        if statement.last:
            yield {"returnFromFunction": actor.name} | thread
    for point in story.points:
        if (point.thread, point.loc[:2]) != last or len(story.points) > 1:
            if point.thread not in entered:
                entered.add(point.thread)
                yield {"enterFunction": story.actors[point.thread].name, "threadId": str(point.thread)}
            yield _place(task, point.loc) | {"threadId": str(point.thread)}


def _at_entry(task: ReportTask, statement: ThreadStatement) -> bool:
    """Whether it only enters or leaves the start routine: it is at its head, and no statement begins there."""
    if statement.inputs or statement.creates or not statement.tags & {"start", "exit"}:
        return False
    return not statement.text or not task.column_of(statement.loc, statement.text)


def _statement(task: ReportTask, statement: ThreadStatement, thread: Data) -> Iterator[Data]:
    """One edge, and one more for each further thread or input: an edge can name one of either."""
    place = _place(task, statement.loc)
    created = [place | {"createThread": str(number)} for number in statement.creates]
    given = [place | _place(task, a.question.loc) | _assumption(task, statement, a) for a in statement.inputs if returned(a)]
    for data in created + given or [place]:
        yield data | thread


def _place(task: ReportTask, loc: Loc) -> Data:
    if loc.line <= 0:
        return {}
    return ({"originfile": loc.file} if loc.file != task.files[0] else {}) | {"startline": str(loc.line)}


def _assumption(task: ReportTask, statement: ThreadStatement, answer: InputValue) -> Data:
    """The value that was returned; where it goes straight into a variable, that of the variable, which more validators understand."""
    name = returned(answer)
    stored = re.search(rf"(\w+)\s*=\s*{name}\s*\(\s*\)\s*;", task.line(answer.question.loc))
    value = statement.changes.get(stored[1], ("", ""))[1] if stored else ""
    if stored and re.fullmatch(r"-?\d+", value) and statement.function:
        return {"assumption": f"{stored[1]} == {value};", "assumption.scope": statement.function}
    return {"assumption": f"\\result == {answer.number};", "assumption.resultfunction": name}


def returned(answer: InputValue) -> str:
    """The name of the function that returned the value, "" if it came in another way."""
    name = answer.question.name
    return name[:-2] if answer.question.kind == "input" and name.endswith("()") and name[:-2].isidentifier() else ""


def _document(task: ReportTask, kind: str, nodes: list[Data], edges: list[Data], back: int | None = None) -> str:
    """The file; the last edge leads to node `back`, if that is given."""
    graph = {
        "witness-format-version": "1.0",
        "witness-type": kind,
        "sourcecodelang": "C",
        "producer": f"{PRODUCER} {VERSION}",
        "specification": task.specification(),
        "programfile": task.files[0],
        "programhash": task.hashes().get(task.files[0], ""),
        "architecture": f"{task.bits}bit",
        "creationtime": creation_time(),
    }
    lines = [_HEAD]
    for element, names in _KEYS.items():
        for name in names:
            lines.append(f'  <key id="{name}" attr.name="{name}" attr.type="{_TYPES.get(name, "string")}" for="{element}"/>')
    lines += ['  <graph edgedefault="directed">', *_data(graph, 4)]
    for number, data in enumerate(nodes):
        lines += _element(f'node id="N{number}"', data)
    for number, data in enumerate(edges):
        target = back if back is not None and number == len(edges) - 1 else number + 1
        lines += _element(f'edge id="E{number}" source="N{number}" target="N{target}"', data)
    return "\n".join([*lines, "  </graph>", "</graphml>", ""])


def _element(head: str, data: Data) -> list[str]:
    if not data:
        return [f"    <{head}/>"]
    return [f"    <{head}>", *_data(data, 6), f"    </{head.split()[0]}>"]


def _data(data: Data, indent: int) -> list[str]:
    return [f"{' ' * indent}<data key={quoteattr(key)}>{escape(value)}</data>" for key, value in data.items()]


__all__ = ["correctness_graphml", "returned", "violation_graphml"]
