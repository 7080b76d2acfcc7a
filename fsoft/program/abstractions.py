"""What of a Program is no exact meaning of the C text: its abstractions, and the fixed readings of C that every answer presupposes.

An abstraction is a `Marker` that a run can pass, or that an input names. What leaves behaviour out comes first, then what adds some; among
equals, what stands at more places.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fsoft.program.program import Input, Marker, Program

_SHOWN = 3


def abstractions(program: Program) -> list[Marker]:
    """The abstractions that are in the Program, most important first. Bounds, at which a run ends, are none."""
    seen: dict[int, None] = {}
    for template in program.templates():
        for step in template.steps:
            seen.update((tag.operand.value, None) for tag in step.tags if tag.kind == "marker" and tag.operand is not None)
            seen.update((a.marker, None) for a in step.actions if isinstance(a, Input) and a.marker is not None)
    found = list(dict.fromkeys(program.markers[number] for number in seen))
    often = Counter(marker.message for marker in found)
    return sorted(found, key=lambda marker: (not marker.cuts, -often[marker.message], marker.loc.file, marker.loc.line, marker.loc.column))


def abstraction_line(marker: Marker) -> str:
    """An abstraction in a line."""
    what = " and ".join(word for word, on in (("adds behaviour", marker.adds), ("leaves behaviour out", marker.cuts)) if on)
    return f"{marker.loc}: {marker.kind}: {marker.message}: {what}" + (f" ({marker.remedy})" if marker.remedy else "")


def abstraction_lines(program: Program) -> list[str]:
    """All abstractions, a line each."""
    return [abstraction_line(marker) for marker in abstractions(program)]


def abstraction_notes(program: Program) -> list[str]:
    """The most important abstractions, for a verdict."""
    lines = abstraction_lines(program)
    more = [f"and {len(lines) - _SHOWN} more abstractions (--abstractions lists them)"] if len(lines) > _SHOWN + 1 else []
    return [f"abstraction: {line}" for line in (lines[:_SHOWN] if more else lines)] + more


def fixed_readings(program: Program, eval_order: str, assumed: Sequence[str]) -> list[str]:
    """The closed list of what is fixed about C, as `name: reading`."""
    readings = {
        "data model": "LP64" if program.word == 64 else "ILP32",
        "memory model": "sequential consistency",
        "data races": program.race_model,
        "evaluation order": f"{eval_order} first" if eval_order != "any" else "any",
        "placement": "objects lie apart and are aligned; what depends on more than that is cut",
        "overflow": "signed arithmetic wraps around unless no-overflow is checked",
        "library": "glibc",
        "freed memory": "may come back" if program.heap_reuse else "never comes back",
        "assumed": ", ".join(assumed) or "nothing",
    }
    return [f"reading: {name}: {reading}" for name, reading in readings.items()]


__all__ = ["abstraction_line", "abstraction_lines", "abstraction_notes", "abstractions", "fixed_readings"]
