"""What the bounds of a Model are, in words."""

from __future__ import annotations

from fsoft.program.markers import marker_line
from fsoft.program.program import Program

RANGE = "range"
"""The bound of a narrowed model: a word needs more bits (`narrow.py`)."""
_BOUNDS = {
    "contexts": "a run needs more contexts than were allowed (--contexts)",
    "switches": "a run needs more context switches than were allowed (--context-bound)",
    "writes": "a run needs more writes to shared memory, or clusters of writes, than were allowed (--writes)",
    "rounds": "a run needs more rounds than were allowed (--rounds)",
    RANGE: "a word needs more bits than the engine had time for",
    "schedule": "the program can make moves that the given schedule leaves out (--schedule)",
}
_PLACED = {
    "undefined": "undefined behaviour",
    "access": "the circuit does not follow an access at an unusual offset; the engine explicit does",
    "cut": "a bound cuts",
    "blocked": "whether a step is blocked depends on too many inputs for the circuit; the engine explicit tries them",
}


def what_cuts(program: Program, name: str) -> str:
    """What a bound is, in a few words: neither its place nor what could be done about it."""
    if name.startswith("marker."):
        return program.markers[int(name.removeprefix("marker."))].message
    return bound_line(program, name).removeprefix(f"{name}: ").partition(" (--")[0]


def bound_line(program: Program, name: str) -> str:
    """What a bound of the circuit is, and where."""
    kind, _, place = name.partition("@")
    if name.startswith("marker."):
        return marker_line(program, int(name.removeprefix("marker.")))
    if name.startswith("violated."):
        return f"runs stop where {name.removeprefix('violated.')} is violated"
    if place and kind in _PLACED:
        return f"{place}: {_PLACED[kind]}"
    return f"{name}: {_BOUNDS.get(name, 'a bound cuts')}"
