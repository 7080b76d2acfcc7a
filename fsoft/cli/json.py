"""A verdict as one JSON object, for tools that call fsoft."""

from __future__ import annotations

import json
from typing import Any

from fsoft.cli.arguments import Request
from fsoft.frontend.source import Loc
from fsoft.program.program import Program
from fsoft.program.verdict import Verdict
from fsoft.version import VERSION


def json_of(asked: Request, program: Program | None, verdict: Verdict, with_trace: bool) -> str:
    """`verdict`, `property`, `reasons` and `bounds` as in the text; `trace` has one entry per statement."""
    answer: dict[str, Any] = {
        "fsoft": VERSION,
        "files": [source.path for source in asked.sources],
        "checks": sorted(asked.options.checks),
        "verdict": verdict.kind,
        "engine": verdict.engine or None,
        "property": verdict.prop or None,
        "location": _place(verdict.loc) if verdict.loc.line > 0 else None,
        "reasons": verdict.reasons,
        "bounds": verdict.bounds,
        "notes": program.notes if program else [],
        "statistics": {
            "states": verdict.stats.states,
            "transitions": verdict.stats.transitions,
            "depth": verdict.stats.depth,
            "seconds": round(verdict.stats.seconds, 3),
        },
    }
    if with_trace and program is not None and verdict.trace:
        answer["trace"] = _trace(program, verdict)
    return json.dumps(answer, indent=2, ensure_ascii=False)


def _place(loc: Loc) -> dict[str, Any]:
    return {"file": loc.file, "line": loc.line, "column": loc.column}


def _trace(program: Program, verdict: Verdict) -> list[dict[str, Any]]:
    from fsoft.trace.text import lines_of_trace

    return [
        {
            "thread": program.threads[line.slot].name,
            "slot": line.slot,
            **_place(line.loc),
            "statement": line.text,
            "inputs": line.inputs,
            "changes": {name: {"old": old, "new": new} for name, (old, new) in line.changes.items() if old != new},
            "notes": line.notes,
        }
        for line in lines_of_trace(program, verdict.trace)
    ]
