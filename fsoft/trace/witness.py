"""The witness file of a verdict, whichever format: GraphML (1.0) or YAML (2.0, 2.2)."""

from __future__ import annotations

from fsoft.program.program import Program
from fsoft.trace.graphml import correctness_graphml, violation_graphml
from fsoft.trace.outcome import ReportedAnswer
from fsoft.trace.task import ReportTask
from fsoft.trace.yaml_witness import best_version, correctness_yaml, violation_yaml

VERSIONS = ("1.0", "2.0", "2.2")
"""1.0 is GraphML."""


def witness(task: ReportTask, program: Program, one: ReportedAnswer, version: str | None = None) -> str | None:
    """The text of the witness; None if the verdict has none (UNKNOWN). Without a version: the YAML format that suits the run."""
    if one.verdict.kind == "UNKNOWN":
        return None
    chosen = version or best_version(one.story)
    if chosen == "1.0":
        return correctness_graphml(task) if one.story is None else violation_graphml(task, one.story, bool(task.formula))
    return correctness_yaml(task, program, chosen) if one.story is None else violation_yaml(task, program, one.story, chosen)


__all__ = ["VERSIONS", "witness"]
