"""A verdict as one JSON object: for tools that call fsoft, and for `fsoft replay`.

The object follows `fsoft/trace/trace.schema.json`, named by `schema`; `docs/json.md` explains it. A change that breaks readers gets a
new number.
"""

from __future__ import annotations

import json
import re
from typing import Any

from fsoft.cli.arguments import Request
from fsoft.frontend.source import Loc, Source
from fsoft.program.program import Program
from fsoft.program.verdict import Verdict
from fsoft.trace.record import SCHEMA, digest_of, hash_of, place, record_trace
from fsoft.trace.story import tell
from fsoft.version import VERSION


def json_of(asked: Request, program: Program | None, verdict: Verdict, with_trace: bool) -> str:
    """The object as text. `trace` has one entry per statement, `moves` one per step; both only for FALSE, and if asked for."""
    answer: dict[str, Any] = {
        "schema": SCHEMA,
        "fsoft": VERSION,
        "files": [_file(source) for source in asked.sources],
        "data_model": "LP64" if asked.bits == 64 else "ILP32",
        "entry": asked.options.entry,
        **({"starts": list(asked.options.thread_functions)} if asked.options.thread_functions else {}),
        **({"arguments": list(asked.options.arguments)} if asked.options.arguments is not None else {}),
        "eval_order": asked.options.eval_order,
        "checks": sorted(asked.options.checks),
        "verdict": verdict.kind,
        "engine": verdict.engine or None,
        "property": verdict.prop or None,
        "location": _place(verdict.loc),
        "reasons": verdict.lines(),
        "bounds": [str(cut) for cut in verdict.cuts],
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
        answer.update(record_trace(program, verdict))
    return text_of(answer)


def text_of(answer: dict[str, Any]) -> str:
    """The object as text, with its digest. Bytes of names that are no UTF-8 are written as JSON's escapes."""
    text = json.dumps({**answer, "digest": digest_of(answer)}, indent=1, ensure_ascii=False)
    return re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", text)


def _file(source: Source) -> dict[str, Any]:
    flags = {"include": list(source.include), "define": list(source.define), "undefine": list(source.undefine)}
    return {"path": source.path, "sha256": hash_of(source.path), **flags}


def _place(loc: Loc) -> dict[str, Any] | None:
    return place(loc) if loc.line > 0 else None


def _trace(program: Program, verdict: Verdict) -> list[dict[str, Any]]:
    return [
        {
            "thread": program.threads[line.slot].name,
            "slot": line.slot,
            **place(line.loc),
            "statement": line.text,
            "inputs": line.inputs,
            "changes": {name: {"old": old, "new": new} for name, (old, new) in line.changes.items() if old != new},
            "notes": line.notes,
        }
        for line in tell(program, verdict.trace).lines
    ]
